"""Which ladders in p judge the claim about stability.

Data are changed in several directions: along features that are correlated the minimiser w*(p)
moves farther for a smaller p, along opposed ones less far.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from flint import fmpq

from fedbounds.problems.sampled_regression import Loss, SampledRegression
from fedbounds.problems.spectrum import in_rationals
from fedbounds.vocabulary import Method

from ..case import Case
from ..profile import Profile
from .stability_ladders import StabilityLadder

_KEEPS = (fmpq(1, 4), fmpq(1, 2), fmpq(3, 4), fmpq(1))
_ENDS = (fmpq(1, 2), fmpq(1))
_RIDGE = Loss(fmpq(1, 10))
_SQUARES = Loss()
_LAST = 10_000  # more work than any: steps beyond 1/L, which nobody takes, are no fair witness
_Samples = list[list[tuple[float, ...]]]


@dataclass(frozen=True)
class _Ladder:
    """Samples (features..., target) of the clients; the first of the first is replaced."""

    name: str
    rows: _Samples
    fresh: tuple[float, ...]
    loss: Loss = _SQUARES
    local_steps: int = 1
    rounds: int = 3
    inverse_step: fmpq = fmpq(1)  # noqa: RUF009  # in units of L: eta = 1/(this L)
    keeps: tuple[fmpq, ...] = _KEEPS


_LADDERS = (
    _Ladder(
        "along aligned features, five rounds",
        [[(1, 1, 1)]],
        (1, 1, 2),
        _RIDGE,
        rounds=5,
        keeps=_ENDS,
    ),
    _Ladder("along aligned features", [[(1, 1, 1)]], (1, 1, 2), _RIDGE, rounds=40),
    _Ladder("a feature turned", [[(1, -1, 1)]], (1, 1, 1), _RIDGE, rounds=6),
    _Ladder("line, few rounds", [[(1, 1)]], (1, 2)),
)
_MORE_LADDERS = (
    _Ladder("along aligned features, two local steps", [[(1, 1, 1)]], (1, 1, 2), _RIDGE, 2, 30,
            fmpq(2)),
    _Ladder("along aligned features, two clients", [[(1, 1, 1)], [(1, 0.5, 0)]], (1, 1, 2),
            _RIDGE, 1, 40, fmpq(2)),
    _Ladder("along aligned features, two samples", [[(1, 1, 1), (1, 0.5, 0)]], (1, 1, 2),
            _RIDGE, 1, 60, fmpq(16), _ENDS),
    _Ladder("along one coordinate", [[(1, 0, 1)], [(1, 1, 0)]], (1, 0, 2), _RIDGE, 1, 30),
    _Ladder("against the correlation", [[(1, -1, 1)], [(3, 3, 0)]], (1, -1, 2), _RIDGE, 1, 30,
            fmpq(4)),
    _Ladder("line, long steps", [[(1, 1)]], (1, 2), rounds=2, inverse_step=fmpq(5, 9)),
    _Ladder("line, two clients", [[(1, 1)], [(2, 0)]], (1, 2), local_steps=2, rounds=3,
            inverse_step=fmpq(2)),
    _Ladder("line, two samples", [[(1, 1), (2, 1)]], (1, 2), rounds=3, inverse_step=fmpq(2)),
    _Ladder("line, another feature", [[(1, 1)]], (2, 1), rounds=4, inverse_step=fmpq(2)),
)  # fmt: skip


def cases(profile: Profile) -> Iterator[Case]:
    """Ladders of a profile."""
    quick = profile is Profile.QUICK
    for ladder in _LADDERS if quick else (*_LADDERS, *_MORE_LADDERS):
        yield _ladder_case(ladder)


def _ladder_case(ladder: _Ladder) -> Case:
    tables = [in_rationals(np.array(rows, dtype=float)) for rows in ladder.rows]
    fresh = in_rationals(np.array(ladder.fresh, dtype=float))
    problem = SampledRegression(
        np.stack([table[:, :-1] for table in tables]),
        np.stack([table[:, -1] for table in tables]),
        ladder.loss,
    )
    top = max(problem.smoothness(), (fresh[:-1] * fresh[:-1]).sum() + ladder.loss.ridge)
    setup = StabilityLadder(
        problem=problem,
        client=0,
        sample=0,
        feature=fresh[:-1],
        target=fresh[-1],
        keeps=ladder.keeps,
        local_steps=ladder.local_steps,
        step=1 / (ladder.inverse_step * top),
        start=fresh[:-1] * fmpq(0),
        rounds=ladder.rounds,
    )
    work = ladder.rounds * len(ladder.rows) + (_LAST if ladder.inverse_step < 1 else 0)
    return Case(ladder.name, "coupled runs ladder in p", setup, Method.RATIONAL, work)
