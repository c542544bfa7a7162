"""Two-layer ReLU networks: the terms of a round, and Theorem IV.3.

n is the paper's N, samples its n; e = y - y(t), and (53) is about ||e||^2.
"""

import sympy as sp

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part, Reading
from fedbounds.theory.language.symbols import K, eta, k, n, t
from fedbounds.vocabulary import Index, Relation

from . import assumed
from .names import EVERY_RELU, NOTHING_RUN, RELU, RELU_SAMPLED, RELU_STARTS, SAMPLES
from .sizes import AT_LEAST_ONE, of_fewest, of_rounds, rate
from .symbols import (
    A_1,
    A_2,
    A_3,
    A_4,
    D_1,
    D_2,
    D_3,
    R_2,
    A_3p,
    C_w,
    H_min,
    H_positive,
    H_trace,
    S_least,
    S_most,
    S_size,
    chance,
    fail_62,
    fail_66,
    far_most,
    lam,
    lam_max,
    miss_49,
    miss_50,
    miss_51,
    move_k2,
    near_w2,
    radius,
    samples,
    v_2,
    v_p2,
    width,
    xi_k2,
)

_LOSS, _LATER, _NOTHING = R_2(t), R_2(t + 1), sp.Integer(0)
_KAPPA = lam_max / lam
_STEP = Condition(eta, "<=", lam / (1000 * _KAPPA * samples**2 * K))
_NARROW = Condition(radius, "<=", lam / (1000 * samples))
_WIDE = Condition(width, ">=", C_w * n**4 * samples**4 * sp.log(samples / chance) ** 2 / lam**4)
SUPPOSED = (_STEP, _NARROW)
START, STAYS = (assumed.GRAM,), (assumed.GRAM, assumed.STAYS)
_GROWN = 1 + 2 * eta * K * samples


def _equal(name: str, left: sp.Expr, right: sp.Expr, *assumptions: str) -> Part:
    return Part(name=name, left=left, right=right, relation=Relation.EQUAL, assumptions=assumptions)


EXPANDED = Claim(entry("overparam/eq-49"), EVERY_RELU, (_equal("", miss_49(t), _NOTHING),))
CHANGES = Claim(
    entry("overparam/eq-50-51"), EVERY_RELU,
    (_equal("(50)", miss_50(t), _NOTHING), _equal("(51)", miss_51(t), _NOTHING)),
)  # fmt: skip
_FIRST_TWO = _LOSS + A_1(t) + A_2(t) + A_4(t)
FOUR_TERMS = Claim(
    entry("overparam/eq-53-56"),
    algorithms=EVERY_RELU,
    parts=(
        _equal("changes", _LATER, _FIRST_TWO + A_3(t), assumed.STAYS),
        _equal("printed", _LATER, _FIRST_TWO + A_3p(t), assumed.STAYS),
    ),
    readings=(
        Reading("v is what neurons outside of Q_i change", parts=("changes",)),
        Reading("v as printed in (54), the first order of it", parts=("printed",)),
    ),
)
SPLIT = Claim(
    entry("overparam/a1-split"), EVERY_RELU,
    (_equal("", -A_1(t) / 2, D_1(t) + D_2(t) + D_3(t)),),
)  # fmt: skip


# ---- bounds of the terms; in units of eta/|S|

_UNIT = eta / S_size(t)


def _bound(
    name: str, left: sp.Expr, factor: sp.Expr, *conditions: Condition, stays: bool = True
) -> Part:
    return Part(
        name=name, left=left, right=_UNIT * factor * _LOSS, conditions=conditions,
        assumptions=STAYS if stays else START, algorithm=RELU[0],
    )  # fmt: skip


def _claim(name: str, *parts: Part) -> Claim:
    return Claim(entry(f"overparam/{name}"), algorithms=RELU, parts=parts)


_SPREAD = 4 * samples * radius * K * _GROWN
_DRIFT = 2 * eta * _KAPPA * lam * K**2 * samples
FIRST = _claim("eq-57", _bound("above", D_1(t), _SPREAD), _bound("below", -D_1(t), _SPREAD))
SECOND = _claim("eq-58", _bound("above", D_2(t), _DRIFT), _bound("below", -D_2(t), _DRIFT))
THIRD = Claim(
    entry("overparam/eq-59"),
    algorithms=RELU,
    parts=(
        _bound("H^infinity", -D_3(t), -K * lam, stays=False),
        _bound("H(0)", -D_3(t), -K * H_min, stays=False),
    ),
    readings=(
        Reading("lambda of H^infinity", parts=("H^infinity",)),
        Reading("the least eigenvalue of H(0), as its note names it", parts=("H(0)",)),
    ),
)
A_ONE = _claim("eq-60", _bound("", A_1(t), 2 * (-K * lam + _SPREAD + _DRIFT)))
_RARE = samples * sp.exp(-width * radius)  # of (62) and (66)
A_TWO = Claim(
    entry("overparam/eq-61-63"),
    algorithms=(*RELU, *RELU_STARTS),
    parts=(
        _bound("(63)", A_2(t), 4 * _SPREAD),
        Part(name="(62)", left=fail_62, right=_RARE, index=Index.START, algorithm=RELU_STARTS[0]),
    ),
    readings=(
        Reading("the bound of A_2, (63)", parts=("(63)",)),
        Reading("(62), of a random start, in all rounds while neurons stay within R",
                parts=("(62)",)),
    ),
)  # fmt: skip
_V = (2 * _UNIT * _SPREAD) ** 2
A_THREE = Claim(
    entry("overparam/eq-64-67"),
    algorithms=(*RELU, *RELU_STARTS),
    parts=(
        *(one
        for name, v, a in (("changes", v_2, A_3), ("printed", v_p2, A_3p))
        for one in (
            Part(name=f"(64), {name}", left=v(t), right=_V * _LOSS, assumptions=STAYS,
                 algorithm=RELU[0]),
            _bound(f"(67), {name}", a(t), 4 * _SPREAD),
        )),
        Part(name="(66)", left=fail_66, right=_RARE, index=Index.START, algorithm=RELU_STARTS[0]),
    ),
    readings=(
        Reading("v is what neurons outside of Q_i change",
                parts=("(64), changes", "(67), changes")),
        Reading("v as printed in (54)", parts=("(64), printed", "(67), printed")),
        Reading("(66), of a random start", parts=("(66)",)),
    ),
)  # fmt: skip
A_FOUR = _claim("eq-68", _bound("", A_4(t), 4 * _UNIT * samples**2 * K**2 * _GROWN**2))
_EIGHTH = K * lam / 8
CONSTANTS = _claim(
    "eq-69",
    _bound("A_1", A_1(t), -K * lam, *SUPPOSED),
    *(_bound(name, a(t), _EIGHTH, *SUPPOSED)
      for name, a in (("A_2", A_2), ("A_3", A_3), ("A_4", A_4))),
)  # fmt: skip


def _in_round(name: str, factor: sp.Expr) -> Part:
    return Part(
        name=name, left=_LATER, right=(1 - factor) * _LOSS, conditions=SUPPOSED, assumptions=STAYS,
        algorithm=RELU[0],
    )  # fmt: skip


ROUND = Claim(
    entry("overparam/eq-70"),
    algorithms=RELU,
    parts=(
        _in_round("first", eta * K * lam / (2 * S_size(t))),
        _in_round("second", rate(S_size(t), lam)),
    ),
    readings=(
        Reading("the first factor, as it is derived", parts=("first",)),
        Reading("the second factor", parts=("second",)),
    ),
)


# ---- local steps


def _local(name: str, left: sp.Expr, factor: sp.Expr) -> Part:
    return Part(
        name=name, left=left, right=factor * xi_k2(t, 0), index=Index.STEP, conditions=(_STEP,),
        assumptions=START,
    )  # fmt: skip


LOCAL = Claim(
    entry("overparam/lemma-a8"),
    algorithms=EVERY_RELU,
    parts=(
        _local("(71)", xi_k2(t, k + 1), (1 - eta * lam / 2) ** (k + 1)),
        _local("(72)", near_w2(t, k + 1), 16 * samples / (width * lam**2)),
        _local("(74)", move_k2(t, k + 1), (2 * eta * samples * K) ** 2),
    ),
    readings=(
        Reading("(71), lambda of all samples", parts=("(71)",)),
        Reading("(72), of the neuron that goes farthest", parts=("(72)",)),
        Reading("(74), squared", parts=("(74)",)),
    ),
)


# ---- Theorem IV.3


def _of_loss(name: str, algorithm: str, factor: sp.Expr, *conditions: Condition) -> Part:
    return Part(
        name=name, left=_LATER, right=factor * R_2(0),
        conditions=(_STEP, AT_LEAST_ONE, _WIDE, *conditions), assumptions=START,
        algorithm=algorithm,
    )  # fmt: skip


_OF_LEAST = (1 - rate(S_least, lam)) ** (t + 1)


THEOREM = Claim(
    entry("overparam/thm-iv.3"),
    algorithms=EVERY_RELU,
    parts=(
        _of_loss("any sequence", RELU[0], of_fewest(lam)),
        _of_loss("product", RELU[0], of_rounds(lam)),
        _of_loss("uniform", RELU_SAMPLED[0], _OF_LEAST, Condition(S_least, "==", S_most)),
        _of_loss("everyone", RELU[0], _OF_LEAST, Condition(S_least, "==", n)),
    ),
    readings=(
        Reading(
            "any sequence, bound by min |S_i|; H(0) near H^infinity, 1 or more in Omega",
            parts=("any sequence",),
        ),
        Reading("any sequence, bound by the product over rounds", parts=("product",)),
        Reading("clients drawn uniformly, in the mean", parts=("uniform",)),
        Reading("every client in every round", parts=("everyone",)),
    ),
)
# how far neurons go where (70) is met in every round
NEURONS = Claim(
    entry("overparam/lemma-a9"),
    algorithms=RELU,
    parts=(
        Part(
            left=far_most, right=81 * n**4 * samples * R_2(0) / (width * lam**2), index=Index.RUN,
            conditions=(_STEP, Condition(S_least, "==", S_most)),
            assumptions=(*START, assumed.SHRINKS),
        ),
    ),
)  # fmt: skip
EVERYONE = Claim(
    entry("overparam/rem-iv.3"),
    algorithms=NOTHING_RUN,
    parts=(
        Part(left=1 - rate(S_least, lam), right=1 - eta * lam * K / (2 * n),
             relation=Relation.EQUAL, index=Index.POINT,
             conditions=(Condition(S_least, "==", n),)),
    ),
)  # fmt: skip


# ---- H^infinity


def _of_trace(told: str, *assumptions: str) -> tuple[Part, ...]:
    return (
        Part(name=f"trace, {told}", left=H_trace, right=samples / 2, relation=Relation.EQUAL,
             index=Index.RUN, assumptions=assumptions),
        Part(name=f"n lambda, {told}", left=samples * lam, right=samples / 2,
             index=Index.RUN, assumptions=assumptions),
    )  # fmt: skip


_UNIT_LENGTH, _ANY_LENGTH = _of_trace("length 1", assumed.UNIT), _of_trace("any length")
POSITIVE = Claim(
    entry("overparam/h-inf"),
    algorithms=SAMPLES,
    parts=(
        Part(name="positive", left=samples, right=H_positive, index=Index.RUN,
             assumptions=(assumed.APART,)),
        *_UNIT_LENGTH, *_ANY_LENGTH,
    ),
    readings=(
        Reading("samples of length 1, of which tr(H^infinity) is n/2",
                parts=("positive", *(part.name for part in _UNIT_LENGTH))),
        Reading("samples of any length, which the text does not rule out, harsh",
                parts=tuple(part.name for part in _ANY_LENGTH)),
    ),
)  # fmt: skip

CLAIMS = (
    EXPANDED, CHANGES, FOUR_TERMS, SPLIT, FIRST, SECOND, THIRD, A_ONE, A_TWO, A_THREE, A_FOUR,
    CONSTANTS, ROUND, LOCAL, THEOREM, NEURONS, EVERYONE, POSITIVE,
)  # fmt: skip
