"""Ladders in p of coupled runs on two data sets: how far they part, after R rounds and as R grows.

Data are changed in several directions: along features that are correlated the minimiser w*(p)
moves farther for a smaller p, along opposed ones less far.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from fedbounds.theory.language.setups import Ladder, Number, PlannedLadder, Setup

from .stability_setups import Loss, Shape, setup_of_pair

_Sample = tuple[Number, ...]
_KEEPS: tuple[Number, ...] = ("1/4", "1/2", "3/4", 1)
_ENDS: tuple[Number, ...] = ("1/2", 1)
_RIDGE, _SQUARES = Loss("1/10"), Loss()


@dataclass(frozen=True)
class Parting:
    """Samples (features..., target) of the clients; the first of the first is replaced."""

    name: str
    rows: tuple[tuple[_Sample, ...], ...]
    fresh: _Sample
    loss: Loss = _SQUARES
    local_steps: int = 1
    rounds: int = 3
    inverse_step: Number = 1  # eta = 1/(this L)
    keeps: tuple[Number, ...] = _KEEPS


_UP: tuple[tuple[_Sample, ...], ...] = (((1, 1, 1),),)
_FEW = (
    Parting("along aligned features, five rounds", _UP, (1, 1, 2), _RIDGE, rounds=5, keeps=_ENDS),
    Parting("along aligned features", _UP, (1, 1, 2), _RIDGE, rounds=40),
    Parting("a feature turned", (((1, -1, 1),),), (1, 1, 1), _RIDGE, rounds=6),
    Parting("line, few rounds", (((1, 1),),), (1, 2)),
)
_MORE = (
    Parting("along aligned features, two local steps", _UP, (1, 1, 2), _RIDGE, 2, 30, 2),
    Parting("along aligned features, two clients", (*_UP, ((1, "1/2", 0),)), (1, 1, 2), _RIDGE,
            rounds=40, inverse_step=2),
    Parting("along aligned features, two samples", (((1, 1, 1), (1, "1/2", 0)),), (1, 1, 2),
            _RIDGE, rounds=60, inverse_step=16, keeps=_ENDS),
    Parting("along one coordinate", (((1, 0, 1),), ((1, 1, 0),)), (1, 0, 2), _RIDGE, rounds=30),
    Parting("against the correlation", (((1, -1, 1),), ((3, 3, 0),)), (1, -1, 2), _RIDGE,
            rounds=30, inverse_step=4),
    Parting("line, long steps", (((1, 1),),), (1, 2), rounds=2, inverse_step="5/9"),
    Parting("line, two clients", (((1, 1),), ((2, 0),)), (1, 2), local_steps=2, inverse_step=2),
    Parting("line, two samples", (((1, 1), (2, 1)),), (1, 2), inverse_step=2),
    Parting("line, another feature", (((1, 1),),), (2, 1), rounds=4, inverse_step=2),
)  # fmt: skip


def over_p(one: Parting) -> Ladder:
    """With one step size on every rung."""
    rows = tuple((*own, one.fresh) for own in one.rows)
    start = (0,) * (len(one.fresh) - 1)
    shape = Shape(one.name, rows, (1,), one.loss, len(one.rows[0]), one.local_steps, one.rounds,
                  start=start)  # fmt: skip
    eta = 1 / (Fraction(one.inverse_step) * shape.smoothness)
    return Ladder("submodel", "over p, two data sets",
                  tuple(_rung(shape, eta, p) for p in one.keeps))  # fmt: skip


def _rung(shape: Shape, eta: Fraction, p: Number) -> Setup:
    own = setup_of_pair(replace(shape, keep=(p,) * len(shape.rows)), eta)
    return replace(own, view="two data sets, ends")


def planned() -> Iterator[PlannedLadder]:
    """Every ladder."""
    for one in _FEW:
        yield PlannedLadder(one.name, over_p(one), over_p(one))
    for one in _MORE:
        yield PlannedLadder(one.name, over_p(one))
