"""Deep linear networks: what a round does, exactly, and the four terms of (18).

n is the paper's N; residuals are those of all clients' samples.
"""

import sympy as sp

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part, Reading
from fedbounds.theory.language.symbols import K, Sum_t, T, eta, k, n, t
from fedbounds.vocabulary import Index, Relation

from . import assumed
from .names import EVERY, FEDAVG, NOTHING_RUN
from .sizes import (
    CONTRACTION,
    KAPPA,
    LOSS_AT_START,
    MOVED,
    SHORT,
    SHORT_LOCAL,
    WIDE,
    WIDE_LOCALLY,
    rate,
)
from .symbols import (
    R_2,
    G_l2,
    P_max,
    P_min,
    S_least,
    S_size,
    d_out,
    depth,
    far_l2,
    miss_7,
    miss_7m,
    miss_8,
    miss_10,
    miss_11,
    miss_17,
    miss_18,
    miss_18a,
    move_k2,
    s_max2,
    s_min2,
    term_1q,
    term_2q,
    term_3q,
    term_4q,
    xi_k2,
)

_NOTHING = sp.Integer(0)
EVENT = (assumed.INDEPENDENT, assumed.EVENT)
SUPPOSED = (SHORT, *WIDE, LOSS_AT_START)
LOCALLY = (SHORT, *WIDE_LOCALLY, LOSS_AT_START)


def _vanishes(name: str, *parts: tuple[str, sp.Expr]) -> Claim:
    return Claim(
        entry(f"overparam/{name}"),
        algorithms=EVERY,
        parts=tuple(
            Part(name=own, left=left, right=_NOTHING, relation=Relation.EQUAL)
            for own, left in parts
        ),
    )


GRADIENT = Claim(
    entry("overparam/eq-7"),
    algorithms=EVERY,
    parts=tuple(
        Part(name=own, left=left, right=_NOTHING, relation=Relation.EQUAL, index=Index.CLIENT)
        for own, left in (("along W", miss_7(t)), ("along the round's move", miss_7m(t)))
    ),
)
GLOBAL_STEP = _vanishes("eq-8-10", ("(8)", miss_8(t)), ("(10)", miss_10(t)))
FIRST_ORDER = _vanishes("eq-11-12", ("", miss_11(t)))
RESIDUALS = _vanishes("eq-17", ("", miss_17(t)))
FOUR_TERMS = Claim(
    entry("overparam/eq-18"),
    algorithms=EVERY,
    parts=(
        Part(name="four", left=miss_18(t), right=_NOTHING, relation=Relation.EQUAL),
        Part(name="three", left=miss_18a(t), right=_NOTHING, relation=Relation.EQUAL),
    ),
    readings=(
        Reading("with the term that (25) bounds", parts=("four",)),
        Reading("without term 2, as the display has it", parts=("three",)),
    ),
)


# ---- norms of terms, squared: both sides are not negative

_LOSS = R_2(t)


def _bound(name: str, left: sp.Expr, factor: sp.Expr, algorithm: str = "") -> Part:
    """A norm is at most a factor times that of the residual, in the event and its conditions."""
    return Part(
        name=name, left=left, right=factor**2 * _LOSS, conditions=SUPPOSED,
        assumptions=EVENT, algorithm=algorithm,
    )  # fmt: skip


def _of_schedules(name: str, *parts: tuple[str, sp.Expr, sp.Expr]) -> Claim:
    return Claim(
        entry(f"overparam/{name}"),
        algorithms=FEDAVG,
        parts=tuple(_bound(own, left, factor) for own, left, factor in parts),
    )


_SHARE = eta * K / S_size(t)
TERM_1 = Claim(
    entry("overparam/term-1"),
    algorithms=FEDAVG,
    parts=(
        Part(left=term_1q(t), right=(1 - _SHARE * P_min) ** 2 * _LOSS, conditions=(SHORT,),
             assumptions=EVENT),
    ),
)  # fmt: skip
APART = sp.Rational(109, 1000) * depth / KAPPA  # of Lemma A.5
TERM_2 = _of_schedules(
    "eq-25",
    ("first", term_2q(t),
     _SHARE * APART * sp.sqrt(S_size(t)) * s_max2 / (sp.sqrt(n) * d_out)),
    ("second", term_2q(t), 7 * K * eta * P_min / (25 * sp.sqrt(n * S_size(t)))),
)  # fmt: skip
TERM_3 = _of_schedules(
    "eq-26",
    ("first", term_3q(t), _SHARE * P_max * K * MOVED),
    ("second", term_3q(t), _SHARE * P_min / 5),
)
TERM_4 = _of_schedules("term-4", ("", term_4q(t), eta * P_min * K * S_size(t) / (10 * n**2)))
LAYERS = Claim(
    entry("overparam/eq-20"),
    algorithms=FEDAVG,
    parts=(
        Part(
            left=G_l2(t), right=64 * s_max2 * K**2 / (25 * S_size(t) * d_out) * _LOSS,
            conditions=SUPPOSED, assumptions=EVENT,
        ),
    ),
)  # fmt: skip


# ---- local steps

_LOCAL = (SHORT_LOCAL,)
_DECREASED = (1 - CONTRACTION) ** (k + 1) * xi_k2(t, 0)
LOCAL_DECREASE = Claim(
    entry("overparam/lemma-a4"),
    algorithms=EVERY,
    parts=(
        Part(
            name="in the event",
            left=xi_k2(t, k + 1), right=_DECREASED, index=Index.STEP,
            conditions=(*_LOCAL, *WIDE_LOCALLY, LOSS_AT_START),
            assumptions=EVENT,
        ),
        Part(
            name="as printed",
            left=xi_k2(t, k + 1), right=_DECREASED, index=Index.STEP,
            conditions=_LOCAL, assumptions=(assumed.INDEPENDENT,),
        ),
    ),
    readings=(
        Reading("of wide networks that start as in Lemma A.1, with lambda_min(X'X)",
                parts=("in the event",)),
        Reading("of any width and any start, as printed, harsh", parts=("as printed",)),
    ),
)  # fmt: skip


# of the clients of any S_t together, which is to say: of each, since S_t may be one client
def _of_participants(left: sp.Expr, factor: sp.Expr, name: str = "") -> Part:
    return Part(
        name=name, left=left, right=factor * xi_k2(t, 0), index=Index.STEP, conditions=LOCALLY,
        assumptions=EVENT,
    )  # fmt: skip


ALL_DECREASE = Claim(
    entry("overparam/eq-43-44"),
    algorithms=EVERY,
    parts=(
        _of_participants(xi_k2(t, k + 1), (1 - CONTRACTION) ** (k + 1), "(43)"),
        _of_participants(xi_k2(t, k + 1), (1 - CONTRACTION / 2) ** (2 * k + 2), "(44)"),
    ),
)
LOCAL_MOVES = Claim(
    entry("overparam/lemma-a7"),
    algorithms=EVERY,
    parts=(_of_participants(move_k2(t, k + 1), ((k + 1) * MOVED) ** 2),),
)


# ---- how far layers go

_B = R_2(0) / 2  # the least bound of the loss at the start
_R_2 = 625 * _B * d_out * n**4 * s_max2 / (depth**2 * s_min2**2)
_STEPS = Sum_t(8 * eta * K * sp.sqrt(s_max2 * R_2(t) / (S_size(t) * d_out)) / 5)
LAYERS_NEAR = Claim(
    entry("overparam/hyp-C"),
    algorithms=FEDAVG,
    parts=(
        Part(name="layers", left=far_l2(t + 1), right=_R_2, conditions=SUPPOSED, assumptions=EVENT),
    ),
)
LAYERS_ADD_UP = Claim(
    entry("overparam/proof-C"),
    algorithms=FEDAVG,
    parts=(
        Part(name="sum", left=sp.sqrt(far_l2(T)), right=_STEPS, index=Index.RUN,
             conditions=SUPPOSED, assumptions=EVENT),
        Part(name="radius", left=_STEPS, right=sp.sqrt(_R_2), index=Index.RUN,
             conditions=SUPPOSED, assumptions=EVENT),
    ),
)  # fmt: skip


# ---- spectra at the start

SPECTRA = Claim(
    entry("overparam/eq-21"),
    algorithms=EVERY,
    parts=(
        Part(name="least", left=sp.Rational(4, 5) ** 4 * depth * s_min2 / d_out, right=P_min,
             index=Index.RUN, assumptions=EVENT),
        Part(name="largest", left=P_max, right=sp.Rational(6, 5) ** 4 * depth * s_max2 / d_out,
             index=Index.RUN, assumptions=EVENT),
    ),
)  # fmt: skip

# ---- what the four add up to

_LATER = R_2(t + 1)
_SUM = 7 / (25 * sp.sqrt(n * S_least)) + 1 / (5 * S_least) + S_least / (10 * n**2)
SUMMED = Claim(
    entry("overparam/final-step"),
    algorithms=(*FEDAVG, *NOTHING_RUN),
    parts=(
        Part(name="constants", left=_SUM, right=1 / (2 * S_least), index=Index.POINT,
             conditions=(Condition(S_least, "<=", n),), algorithm=NOTHING_RUN[0]),
        _bound("(a)", _LATER, 1 - _SHARE * P_min / 2, algorithm=FEDAVG[0]),
        _bound("(b)", _LATER, 1 - rate(S_size(t)), algorithm=FEDAVG[0]),
        Part(name="(c)", left=_LATER, right=(1 - n * rate(S_size(t))) * _LOSS,
             conditions=SUPPOSED, assumptions=EVENT, algorithm=FEDAVG[0]),
    ),
    readings=(
        Reading("the first factor, in a round", parts=("(a)",)),
        Reading("the bounds of terms 2 to 4 add up to half of that of term 1",
                parts=("constants",)),
        Reading("the second factor", parts=("(b)",)),
        Reading("of the loss, with N in place of N^2, as the last line has it", parts=("(c)",)),
    ),
)  # fmt: skip

CLAIMS = (
    GRADIENT, GLOBAL_STEP, FIRST_ORDER, RESIDUALS, FOUR_TERMS, TERM_1, TERM_2, TERM_3, TERM_4,
    LAYERS, LOCAL_DECREASE, ALL_DECREASE, LOCAL_MOVES, LAYERS_NEAR, LAYERS_ADD_UP, SPECTRA, SUMMED,
)  # fmt: skip
