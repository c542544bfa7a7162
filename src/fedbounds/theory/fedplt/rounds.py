"""Steps 4.6 and 5: local divergence, and the recursion from one round to the next."""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part, Reading
from fedbounds.theory.language.symbols import D_W, G2, L, eta, j, mu, sigma2, t, tau
from fedbounds.theory.proof.vectors import given, past, sq, xi
from fedbounds.vocabulary import Index, Relation

from . import assumed
from .distance import CONDITIONS, CONTRACTION, EQUAL
from .masks import FEDPLT
from .one_step import FREE_PSI, with_free_psi
from .scope_names import CLIENT_ROUND, ROUND, VIRTUAL
from .symbols import D_1, V_W, Gamma, Lambda, alpha_k, nu_max, psi_max
from .vectors import W, Wk, gs, mgs, mns, ns

_GLOBAL = (Fact.NOISE, assumed.GLOBAL_GRADIENT)
_LOCAL = (Fact.NOISE, assumed.LOCAL_GRADIENTS)
_STEPS = eta**2 * tau**2
DIVERGENCE = _STEPS * (G2 + sigma2) * Gamma


def _bounds(suffix: str, assumptions: tuple[str, ...]) -> tuple[Part, ...]:
    return (
        Part(
            name=f"c{suffix}",
            left=sq(gs + ns),
            right=G2 + sigma2,
            index=Index.CLIENT,
            assumptions=assumptions,
            scopes=(CLIENT_ROUND,),
        ),
        Part(
            name=f"d{suffix}",
            left=sq(Wk - W),
            right=_STEPS * alpha_k**2 * (G2 + sigma2),
            index=Index.CLIENT,
            assumptions=assumptions,
            scopes=(CLIENT_ROUND,),
        ),
        Part(
            name=f"e{suffix}",
            left=V_W(t),
            right=DIVERGENCE,
            assumptions=assumptions,
            scopes=(ROUND,),
        ),
    )


LOCAL_DIVERGENCE = Claim(
    entry("fedplt/local-divergence"),
    algorithms=FEDPLT,
    parts=(
        # tau times the mean over the local steps s is their sum
        Part(
            name="a",
            left=sq(Wk - W + eta * tau * given(mgs + mns, past, xi)),
            right=sp.Integer(0),
            relation=Relation.EQUAL,
            index=Index.CLIENT,
            scopes=(CLIENT_ROUND,),
        ),
        Part(
            name="b",
            left=sq(Wk - W),
            right=_STEPS * sq(mgs + mns),
            index=Index.CLIENT,
            scopes=(CLIENT_ROUND,),
        ),
        *_bounds("", _GLOBAL),
        *_bounds(", gradients of F_k", _LOCAL),
        # W^t and W_k^t after j local steps, as the virtual aggregation has them
        Part(
            name="virtual",
            left=sq(Wk - W),
            right=DIVERGENCE,
            conditions=(Condition(j, "<=", tau - 1),),
            assumptions=(*_LOCAL, assumed.VIRTUAL),
            scopes=(VIRTUAL,),
        ),
    ),
    readings=(
        Reading("Assumption 5 of the gradient of F", parts=("a", "b", "c", "d", "e")),
        Reading(
            "Assumption 5 of every gradient of F_k",
            parts=tuple(f"{x}, gradients of F_k" for x in "cde"),
        ),
        Reading("virtual aggregation at every local step", parts=("virtual",)),
    ),
)

ADDED = 2 * tau**2 * (G2 + sigma2) * Gamma + 2 * L * nu_max * Lambda + sigma2 * psi_max**2 * Gamma
ALL = (*EQUAL, Fact.NOISE, Fact.INDEPENDENT, assumed.GLOBAL_GRADIENT)
# mu ||W - W*|| <= ||grad F(W)|| < G: Assumptions 2 and 5 at a model of the run, without any step
TRIVIAL = G2 / mu**2


def _recursion(name: str, left: sp.Expr, trivial: sp.Expr | None = None) -> Part:
    return Part(
        name=name,
        left=left,
        right=(1 - eta * CONTRACTION) * D_W(t) + eta**2 * ADDED,
        conditions=CONDITIONS,
        assumptions=ALL,
        trivial=trivial,
        scopes=(ROUND,),
    )


_ROUND = _recursion("round", D_W(t + 1), TRIVIAL)
RECURSION = Claim(
    entry("fedplt/recursion"),
    algorithms=FEDPLT,
    # the virtual step leads to no model of the run
    parts=(
        _ROUND,
        _recursion("virtual step", D_1(t)),
        with_free_psi(_ROUND),
    ),
    readings=(
        Reading("t counts rounds of the algorithm", parts=("round",)),
        Reading("one virtual step from W^t and W_k^t", parts=("virtual step",)),
        Reading(FREE_PSI, parts=("round, free psi",)),
    ),
)

CLAIMS = (LOCAL_DIVERGENCE, RECURSION)
