"""Which runs judge the claims about coupled runs: step sizes at the edges of their conditions."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.problems.domain import Box
from fedbounds.problems.sampled_regression import Loss, SampledRegression
from fedbounds.problems.spectrum import in_rationals
from fedbounds.vocabulary import Method

from ..case import Case
from ..profile import Profile
from .stability_data import CoupledLaw, CoupledPair, Masked, SampleLaw, data_sets

Array = Any
_FEW, _HALF, _MOST, _ALL = fmpq(1, 5), fmpq(1, 2), fmpq(3, 4), fmpq(1)
_RARE = fmpq(1, 10)
_BOX, _SHIFTED = Box(fmpq(-1), fmpq(1)), Box(fmpq(1), fmpq(2))
_HUBER = Loss(threshold=fmpq(1))
_RIDGE = Loss(fmpq(1, 2))
_SQUARES = Loss()

# one for each client: samples as (features..., target)
_Rows = list[list[tuple[float, ...]]]
_PULLED: _Rows = [[(1, 9), (1, -9)]]  # Huber's gradients are -1 and 1 wherever the runs go
_LINE: _Rows = [[(1, 1), (1, -1)]]
_BENT: _Rows = [[(1, 1), (2, -1)]]
_TWO: _Rows = [[(1, 1), (1, -1)], [(1, 2), (2, 0)]]
_APART: _Rows = [[(1, 4), (1, 3)], [(1, -4), (1, -3)]]
_NOISY: _Rows = [[(1, 10), (1, -10)]]
_PLANE: _Rows = [[(1, 1, 1), (1, -1, 2)]]
_ALIGNED: _Rows = [[(1, 1, 2), (1, 1, -2)]]
_BOTH: _Rows = [[(1, 1, 1), (1, 0, -1)], [(1, -1, 0), (0, 1, 2)]]


@dataclass(frozen=True)
class _Shape:
    """Laws of samples, uniform on their rows, with masks, a loss and sizes.

    ``keep`` is p_i, or the rolling masks (n, S, d).
    """

    name: str
    rows: _Rows
    keep: Any
    loss: Loss = _SQUARES
    samples: int = 1
    local_steps: int = 1
    rounds: int = 3
    domain: Box | None = None
    start: tuple[float, ...] = (0.0,)


def _law(rows: list[tuple[float, ...]]) -> SampleLaw:
    table = in_rationals(np.array(rows, dtype=float))
    count = len(rows)
    chances = np.full(count, fmpq(1, count), dtype=object)
    return SampleLaw(table[:, :-1], table[:, -1], chances)


def _algorithm(shape: _Shape, step: fmpq) -> Masked:
    rolling = isinstance(shape.keep, list)
    if rolling:
        return RollingMasks(shape.keep, shape.local_steps, step, domain=shape.domain)
    return RandomMasks(shape.keep, shape.local_steps, step, shape.domain)


def _coupled_law(shape: _Shape, step: fmpq) -> CoupledLaw:
    start = in_rationals(np.array(shape.start))
    laws = tuple(_law(rows) for rows in shape.rows)
    algorithm = _algorithm(shape, step)
    return CoupledLaw(laws, shape.samples, shape.loss, algorithm, start, shape.rounds)


def _edges(shape: _Shape) -> dict[str, fmpq]:
    """The longest steps that the claims allow."""
    problems = data_sets(_coupled_law(shape, _ALL)).problems
    top = max(each.smoothness() for each in problems)
    low = min(each.strong_convexity() for each in problems)
    sub_models = len(shape.keep[0]) if isinstance(shape.keep, list) else 1
    steps = shape.local_steps
    found = {"eta = 2/L": 2 / top, "eta S K L = 1/10": 1 / (10 * top * steps * sub_models)}
    found["eta S K L = 1/8"] = 1 / (8 * top * steps * sub_models)
    if low > 0:
        found["eta = 2/(L + mu)"] = 2 / (top + low)
    return found


_ROLL_LINE = [[[1], [0]]]
_ROLL_PLANE = [[[1, 0], [0, 1]]]
_ROLL_TWO = [[[1], [0]], [[1], [0]]]
_QUICK = (
    _Shape("pulled apart", _PULLED, (_HALF,), _HUBER, samples=2),
    _Shape("line", _LINE, (_HALF,), local_steps=2),
    _Shape("two clients, unequal masks", _TWO, (_HALF, _MOST), rounds=2, start=(1.0,)),
    _Shape("line in a box", _BENT, (_HALF,), domain=_BOX, start=(1.0,), local_steps=2),
    _Shape("plane with a ridge", _PLANE, (_HALF,), _RIDGE, start=(1.0, -1.0)),
    _Shape("rolling line", _LINE, _ROLL_LINE, rounds=4, start=(1.0,)),
    _Shape("rolling, pulled apart", _PULLED, _ROLL_LINE, _HUBER, samples=2, rounds=2),
)
_MORE = (
    _Shape("line, full masks", _LINE, (_ALL,), samples=2),
    _Shape("line, rare masks", _BENT, (_RARE,), samples=2, start=(2.0,)),
    _Shape("line, many rounds", _LINE, (_MOST,), rounds=8),
    _Shape("noisy line", _NOISY, (_HALF,), samples=3, local_steps=2, rounds=2),
    _Shape("noisy line, full masks", _NOISY, (_ALL,), samples=2, local_steps=2),
    _Shape("noisy line in a box", _NOISY, (_ALL,), samples=2, domain=_BOX, start=(1.0,)),
    _Shape("box that leaves out the minimisers", _BENT, (_MOST,), domain=_SHIFTED, start=(1.0,)),
    _Shape("clients apart", _APART, (_HALF, _HALF), rounds=2, local_steps=2),
    _Shape("clients apart, Huber", _APART, (_HALF, _MOST), _HUBER, rounds=2),
    _Shape("bent, Huber", _BENT, (_HALF,), _HUBER, samples=2, local_steps=2, start=(1.0,)),
    _Shape("pulled apart, full masks", _PULLED, (_ALL,), _HUBER, rounds=4, local_steps=2),
    _Shape("pulled apart in a box", _PULLED, (_HALF,), _HUBER, domain=_BOX, samples=2),
    _Shape("plane", _PLANE, (_MOST,), samples=2, start=(1.0, -1.0)),
    _Shape("aligned plane with a ridge", _ALIGNED, (_HALF,), _RIDGE, local_steps=2,
           start=(0.0, 0.0)),
    _Shape("plane in a box with a ridge", _PLANE, (_HALF,), _RIDGE, rounds=2, domain=_BOX,
           start=(1.0, -1.0)),
    _Shape("plane, Huber", _PLANE, (_HALF,), _HUBER, start=(1.0, -1.0)),
    _Shape("aligned plane, Huber, full masks", _ALIGNED, (_ALL,), _HUBER, start=(0.0, 0.0)),
    _Shape("two clients on a plane with a ridge", _BOTH, (_HALF, _ALL), _RIDGE, rounds=1,
           local_steps=2, start=(1.0, 1.0)),
    _Shape("rolling noisy line", _NOISY, _ROLL_LINE, samples=2, local_steps=2, rounds=2),
    _Shape("rolling plane", _PLANE, _ROLL_PLANE, rounds=4, start=(1.0, -1.0)),
    _Shape("rolling plane with a ridge", _ALIGNED, _ROLL_PLANE, _RIDGE, samples=2, rounds=2,
           start=(0.0, 0.0)),
    _Shape("rolling plane in a box", _PLANE, _ROLL_PLANE, rounds=4, domain=_BOX,
           start=(1.0, -1.0)),
    _Shape("rolling clients", _APART, _ROLL_TWO, rounds=4),
    _Shape("rolling clients, Huber", _APART, _ROLL_TWO, _HUBER, rounds=4),
    _Shape("one round of full masks", _TWO, (_ALL, _ALL), local_steps=2, rounds=1, start=(3.0,)),
)  # fmt: skip


def coupled_cases(profile: Profile) -> Iterator[Case]:
    """Every run of a profile."""
    for shape in _QUICK if profile is Profile.QUICK else (*_QUICK, *_MORE):
        for edge, step in _edges(shape).items():
            setup = _coupled_law(shape, step)
            yield _case(f"{shape.name}, {edge}", setup, _work(shape))
    for pair in _PAIRS[: 2 if profile is Profile.QUICK else None]:
        yield from _pair_cases(pair)


def _case(name: str, setup: CoupledLaw | CoupledPair, work: int) -> Case:
    return Case(name, "coupled runs", setup, Method.RATIONAL, work)


def _work(shape: _Shape) -> int:
    """Data sets times rounds times clients."""
    sets = 1
    for rows in shape.rows:
        sets *= len(rows) ** shape.samples
    return sets * shape.rounds * len(shape.rows) * len(shape.start)


# ---- one pair of data sets: the changed sample is as far away as one likes


@dataclass(frozen=True)
class _Changed:
    """A data set, and the sample that replaces the first of the first client."""

    shape: _Shape
    fresh: tuple[float, ...]


_PAIRS = (
    _Changed(_Shape("pair on the line", _TWO, (_HALF, _FEW), local_steps=2, rounds=2,
                    start=(1.0,)), (1, -5)),
    _Changed(_Shape("pair on a plane with a ridge", _PLANE, (_HALF,), _RIDGE, rounds=4,
                    start=(0.0, 0.0)), (1, 1, -9)),
    _Changed(_Shape("pair pulled apart", [[(1, 50), (1, 50)]] * 2, (_HALF, _MOST),
                    _HUBER, rounds=3), (1, -50)),
    _Changed(_Shape("pair, many rounds", [[(1, 3)]], (_HALF,), rounds=12), (1, -3)),
    _Changed(_Shape("pair, full masks, many rounds", [[(1, 3)]], (_ALL,), rounds=30), (1, -3)),
    _Changed(_Shape("pair with another feature", [[(2, 3)]], (_MOST,), rounds=8,
                    start=(1.0,)), (-1, 3)),
    _Changed(_Shape("pair, rare masks", [[(1, 1), (1, 2)]], (_RARE,), rounds=6), (1, -7)),
    _Changed(_Shape("pair, rolling plane", _PLANE, _ROLL_PLANE, _RIDGE, rounds=4,
                    start=(0.0, 0.0)), (1, 1, -9)),
    _Changed(_Shape("pair in a box", [[(1, 3), (1, 0)]], (_HALF,), rounds=5, domain=_BOX),
             (1, -3)),
    _Changed(_Shape("pair of Huber's losses on a plane", [[(3, 4, 50)]], (_HALF,), _HUBER,
                    rounds=4, start=(0.0, 0.0)), (3, 4, -50)),
)  # fmt: skip


def _pair_cases(changed: _Changed) -> Iterator[Case]:
    shape = changed.shape
    tables = [in_rationals(np.array(rows, dtype=float)) for rows in shape.rows]
    problem = SampledRegression(
        np.stack([table[:, :-1] for table in tables]),
        np.stack([table[:, -1] for table in tables]),
        shape.loss,
    )
    fresh = in_rationals(np.array(changed.fresh, dtype=float))
    start = in_rationals(np.array(shape.start))
    setup = CoupledPair(
        problem, 0, 0, fresh[:-1], fresh[-1], _algorithm(shape, _ALL), start, shape.rounds
    )
    both = data_sets(setup).problems
    top = max(each.smoothness() for each in both)
    low = min(each.strong_convexity() for each in both)
    edges = {"eta = 2/L": 2 / top, "eta = 1/L": 1 / top}
    if low > 0:
        edges |= {"eta = 2/(L + mu)": 2 / (top + low), "eta = 1/(10 L)": 1 / (10 * top)}
    for edge, step in edges.items():
        algorithm = _algorithm(shape, step)
        yield _case(f"{shape.name}, {edge}", replace(setup, algorithm=algorithm), 2 * shape.rounds)
