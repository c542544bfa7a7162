"""Section 5 of the sheet: coupled runs on data sets that differ in one sample.

Here L and mu are those of every sample's loss, and sigma^2, nu^2, B^2, Phi those of a random data
set, in expectation over it. The paper's Lemma 12 is the drift inside; see Lemmas 5 and 6.
"""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part, Reading
from fedbounds.theory.language.symbols import K, L, T, eta, mu, n, sigma2, t
from fedbounds.vocabulary import Index

from . import assumed
from .bounds import ROLLING_GRADIENTS, STEEPEST, random_gradients
from .names import COUPLED
from .symbols import (
    B2,
    B_M2,
    D_dom,
    G,
    G_inf,
    G_m,
    G_pair,
    S_sub,
    dim,
    dl_mean,
    dl_w,
    gen,
    n_s,
    nu2,
    p_mean,
    p_own,
    q_own,
    rho_bar,
    st_max,
    st_mean,
)

_SAMPLES = (Fact.SMOOTH, Fact.SMOOTH_SAMPLES, Fact.CONVEX_SAMPLES)
_LIPSCHITZ = (*_SAMPLES, assumed.LIPSCHITZ_SAMPLES)
SHORT = Condition(eta, "<=", 2 / L)


def _generalization(name: str, left: sp.Expr, right: sp.Expr) -> Part:
    return Part(
        name=name,
        left=left,
        right=right,
        assumptions=(assumed.INDEPENDENT_SAMPLES,),
        trivial=STEEPEST,
    )


LEMMA_1 = Claim(
    entry("submodel/lem-1"),
    algorithms=COUPLED,
    parts=(
        _generalization("above", gen(t), st_max(t)),
        _generalization("below", -gen(t), st_max(t)),
        _generalization("above, averaged", gen(t), st_mean(t)),
        _generalization("below, averaged", -gen(t), st_mean(t)),
    ),
    readings=(
        Reading("stable for all i and j", parts=("above", "below")),
        Reading("stable on average over i and j", parts=("above, averaged", "below, averaged")),
    ),
)

LEMMA_12 = Claim(
    entry("submodel/lem-12"),
    algorithms=COUPLED,
    parts=(
        Part(
            left=dl_w(t + 1),
            right=dl_w(t) + eta / (n_s * n) * G_pair(t),
            conditions=(SHORT,),
            assumptions=_SAMPLES,
        ),
    ),
)

APART = 2 * eta * K * G_m / (n_s * n)  # per round


def _bounded(masks: str, share: sp.Symbol, *entries: str) -> tuple[Part, ...]:
    """(a): a bound G_m on the masked gradients of the changed samples along the runs.

    ``entries`` says how many of them a sub-model has.
    """
    return (
        Part(
            name="a",
            left=dl_w(t),
            right=APART * t,
            conditions=(SHORT,),
            assumptions=(*_SAMPLES, masks),
            trivial=D_dom,
        ),
        Part(
            name="a, stability",
            left=st_max(t),
            right=APART * t * G,
            conditions=(SHORT,),
            assumptions=(*_LIPSCHITZ, masks),
            trivial=STEEPEST,
        ),
        Part(
            name="a, sub-model",
            left=G_m,
            right=G_inf * sp.sqrt(share * dim),
            index=Index.RUN,
            assumptions=(masks, *entries),
            trivial=G_inf * sp.sqrt(dim),
        ),
    )


_ROOT = sp.sqrt(
    sp.Rational(17, 16) * sigma2 + sp.Rational(33, 16) * (nu2 + B2 + random_gradients(t))
)
_FREE = (Condition(eta * K * L, "<=", sp.Rational(1, 8)),)
# Section 4: data sets are drawn from a law, so that both runs have the same
_FREE_MASKS = (
    assumed.KEPT,
    Fact.NOISE,
    Fact.UNCONSTRAINED,
    assumed.INDEPENDENT_SAMPLES,
)
_MEAN = 2 * eta * K * t / (n_s * n) * _ROOT

SHRUNK = 1 - (1 - eta * mu) ** (2 * K)
_STRONG = (*_SAMPLES, Fact.STRONGLY_CONVEX_SAMPLES, assumed.KEPT)
_STRONG_STEP = (Condition(eta, "<=", 2 / (L + mu)),)
_LIMIT = APART / (1 - rho_bar)

THEOREM_5 = Claim(
    entry("submodel/thm-5"),
    algorithms=COUPLED,
    parts=(
        *_bounded(assumed.KEPT, p_own),
        Part(
            name="b",
            left=dl_mean(t),
            right=_MEAN,
            first_round=1,
            conditions=_FREE,
            assumptions=(*_SAMPLES, *_FREE_MASKS),
        ),
        Part(
            name="b, stability",
            left=st_mean(t),
            right=G * _MEAN,
            first_round=1,
            conditions=_FREE,
            assumptions=(*_LIPSCHITZ, *_FREE_MASKS),
        ),
        Part(
            name="c",
            left=dl_w(t),
            right=_LIMIT,
            conditions=_STRONG_STEP,
            assumptions=_STRONG,
            trivial=D_dom,
        ),
        Part(
            name="c, in p",
            left=_LIMIT,
            right=2 * APART / (p_mean * SHRUNK),
            index=Index.RUN,
            conditions=_STRONG_STEP,
            assumptions=_STRONG,
        ),
    ),
)

_ROLLING_ROOT = sp.sqrt(
    sp.Rational(17, 16) * sigma2 * (1 + 1 / n) + sp.Rational(35, 16) * (B_M2 + ROLLING_GRADIENTS)
)
_ROLLING_FREE = (Condition(eta * S_sub * K * L, "<=", sp.Rational(1, 8)),)
_EPOCHS = (
    assumed.COVERAGE,
    assumed.DATA_FREE_MASKS,
    Fact.NOISE,
    Fact.UNCONSTRAINED,
    assumed.WHOLE_EPOCHS,
    assumed.INDEPENDENT_SAMPLES,
)
_ROLLING_MEAN = 2 * eta * K * T / (n_s * n) * _ROLLING_ROOT

THEOREM_6 = Claim(
    entry("submodel/thm-6"),
    algorithms=COUPLED,
    parts=(
        *_bounded(assumed.DATA_FREE_MASKS, q_own, assumed.COVERAGE),
        Part(
            name="b",
            left=dl_mean(T),
            right=_ROLLING_MEAN,
            index=Index.RUN,
            conditions=_ROLLING_FREE,
            assumptions=(*_SAMPLES, *_EPOCHS),
        ),
        Part(
            name="b, stability",
            left=st_mean(T),
            right=G * _ROLLING_MEAN,
            index=Index.RUN,
            conditions=_ROLLING_FREE,
            assumptions=(*_LIPSCHITZ, *_EPOCHS),
        ),
    ),
)

CLAIMS = (LEMMA_1, LEMMA_12, THEOREM_5, THEOREM_6)
