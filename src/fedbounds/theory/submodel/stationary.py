"""From stationary points of masked objectives to those of the objective, at points w."""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part, Reading
from fedbounds.theory.language.symbols import L, t
from fedbounds.vocabulary import Index, Relation

from . import assumed
from .gaps import BERNOULLI, full_gap
from .names import OBJECTIVE
from .symbols import Es_2, G, g_F, g_Fp, grad_0_F, grad_0_Fp, p, p_spread, q, q_spread, w_2

_ZERO = sp.Integer(0)


def _equal(name: str, share: sp.Symbol, masks: str) -> Part:
    return Part(
        name=name,
        left=sp.sqrt(g_F(t)),
        right=sp.sqrt(g_Fp(t)) / share + L * sp.sqrt((1 - share) / share) * sp.sqrt(w_2(t)),
        assumptions=(Fact.SMOOTH, masks, assumed.EQUAL_KEEP),
        trivial=G,
    )


def _squares(name: str, share: sp.Symbol, masks: str) -> Part:
    return Part(
        name=name,
        left=g_F(t),
        right=2 / share**2 * g_Fp(t) + 2 * (1 - share) / share * L**2 * w_2(t),
        assumptions=(Fact.SMOOTH, masks, assumed.EQUAL_KEEP),
        trivial=G**2,
    )


def _unequal(name: str, spread: sp.Symbol, masks: str) -> Part:
    return Part(
        name=name,
        left=sp.sqrt(g_F(t)),
        right=sp.sqrt(g_Fp(t)) + full_gap(spread),
        assumptions=(Fact.SMOOTH, masks),
        trivial=G,
    )


RANDOM = Claim(
    entry("submodel/stat-random"),
    algorithms=OBJECTIVE,
    parts=(
        _equal("a", p, assumed.KEPT),
        _squares("a, squares", p, assumed.KEPT),
        _unequal("b", p_spread, assumed.KEPT),
        Part(
            name="c",
            left=Es_2(t) + g_F(t),
            right=g_F(t),
            relation=Relation.EQUAL,
            assumptions=(*BERNOULLI, Fact.QUADRATIC, assumed.EQUAL_KEEP),
        ),
    ),
)

ROLLING = Claim(
    entry("submodel/stat-rolling"),
    algorithms=OBJECTIVE,
    parts=(
        _equal("equal q", q, assumed.COVERAGE),
        _squares("equal q, squares", q, assumed.COVERAGE),
        _unequal("unequal q", q_spread, assumed.COVERAGE),
    ),
)


def _at_zero(name: str, right: sp.Expr, *assumptions: str, flat: bool = False) -> Part:
    return Part(
        name=name,
        left=grad_0_F,
        right=right,
        index=Index.RUN,
        conditions=(Condition(grad_0_Fp, "==", _ZERO),) if flat else (),
        assumptions=(Fact.SMOOTH, assumed.KEPT, *assumptions),
    )


# What is "stationary" up to constants is for equal p_i what the section shows. At w = 0 nothing is
# left of the term (1 - p) ||w||^2, whatever its constant
CLAIM = Claim(
    entry("submodel/claim-stationary"),
    algorithms=OBJECTIVE,
    parts=(
        _squares("equal p, multiples", p, assumed.KEPT),
        _at_zero("unequal p, stationary", _ZERO, assumed.UNEQUAL_KEEP, flat=True),
        _at_zero("equal p", grad_0_Fp, assumed.EQUAL_KEEP),
        _at_zero("unequal p", grad_0_Fp, assumed.UNEQUAL_KEEP),
    ),
    readings=(
        Reading(
            "equal p_i, multiples of epsilon and of (1 - p)||w||^2",
            parts=("equal p, multiples",),
        ),
        Reading(
            "unequal p_i, any multiples, at a stationary point w = 0",
            parts=("unequal p, stationary",),
        ),
        Reading("harsher: equal p_i, epsilon itself, at w = 0", parts=("equal p",)),
        Reading("harsher: unequal p_i, epsilon itself, at w = 0", parts=("unequal p",)),
    ),
)

CLAIMS = (RANDOM, ROLLING, CLAIM)
