"""Lemmas A.1 to A.3 and the geometric sums in the proofs of Lemmas 3.5 and 4.3."""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part
from fedbounds.theory.language.symbols import (
    Du_2,
    Dv_2,
    K,
    L,
    f,
    j,
    m,
    n,
    t,
)
from fedbounds.theory.personalization.symbols import (
    D_2,
    N_2,
    O_2,
    S_2,
    X_2,
    Y_2,
    X_u,
    X_v,
    Y_sum,
)
from fedbounds.vocabulary import Index, Relation

from .lemmas import FEDAVG_P, SMOOTH

BOTH = (FEDAVG_P, "Scaffold-P")

# the martingale differences Y_{i,k} of the paper, in its order of (i, k)
LEMMA_A1 = Claim(
    entry("personalization/lem-A.1"),
    algorithms=BOTH,
    parts=(
        Part(
            left=Y_sum(t),
            right=Y_2(t),
            relation=Relation.EQUAL,
            assumptions=(Fact.NOISE,),
        ),
    ),
)

# 1/(n - 1): the proof treats n = 1 apart
_PAIRS = (Condition(n, ">=", sp.Integer(2)),)

LEMMA_A2_PAIR = Claim(
    entry("personalization/lem-A.2-pair"),
    algorithms=("participant mean",),
    parts=(
        Part(
            left=S_2(t),
            right=O_2(t) / (m * n) + (m - 1) / (m * n * (n - 1)) * N_2(t),
            relation=Relation.EQUAL,
            conditions=_PAIRS,
        ),
    ),
)

LEMMA_A2_EXACT = Claim(
    entry("personalization/lem-A.2-exact"),
    algorithms=("participant mean",),
    parts=(
        Part(
            left=S_2(t),
            right=X_2(t) + (n - m) / (m * n * (n - 1)) * D_2(t),
            relation=Relation.EQUAL,
            conditions=_PAIRS,
        ),
    ),
)

LEMMA_A3 = Claim(
    entry("personalization/lem-A.3"),
    algorithms=BOTH,
    parts=(
        Part(
            left=f(t + 1) - f(t),
            right=X_u(t) + X_v(t) + L * Du_2(t) + L * Dv_2(t),
            assumptions=SMOOTH,
        ),
    ),
)

# j is the paper's k, the number of local steps done
_GROWTH = 1 + 2 / (K - 1)
_r = sp.Symbol("r", integer=True, nonnegative=True)
_SUM = sp.Sum(_GROWTH**_r, (_r, 0, j - 1))
_SUM_ALL = sp.Sum(_GROWTH**_r, (_r, 0, K - 1))
_LAST = (K - 1) / 2 * _GROWTH ** (K - 1)
_STEPS = (Condition(K, ">=", sp.Integer(2)), Condition(j, "<=", K - 1))


def _geometric(name: str, left: sp.Expr, right: sp.Expr) -> Part:
    return Part(name=name, left=left, right=right, index=Index.POINT, conditions=_STEPS)


LEMMA_35_GEO = Claim(
    entry("personalization/lem-3.5-geo"),
    algorithms=("bound",),
    parts=(
        _geometric("sum", _SUM, _LAST),
        _geometric("power k", _SUM, (K - 1) / 2 * _GROWTH**j),
        _geometric("last power", (K - 1) / 2 * _GROWTH**j, _LAST),
        # by 1 + x <= e^x, as the display that uses it needs
        _geometric("4(K-1)", _LAST, 4 * (K - 1)),
    ),
)

LEMMA_43_GEO = Claim(
    entry("personalization/lem-4.3-geo"),
    algorithms=("bound",),
    parts=(
        _geometric("all steps", _SUM, _SUM_ALL),
        _geometric("last power", _SUM_ALL, _LAST),
    ),
)

CLAIMS = (LEMMA_A1, LEMMA_A2_PAIR, LEMMA_A2_EXACT, LEMMA_A3, LEMMA_35_GEO, LEMMA_43_GEO)
