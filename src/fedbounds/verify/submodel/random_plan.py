"""Which runs judge the claims about rounds with random masks.

Step sizes lie at the edge of the claims' conditions: eta K L = 1/4, 1/8 or 1/10.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from flint import fmpq

from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start, to_rational
from fedbounds.problems.domain import Box
from fedbounds.problems.masked_laws import Bernoulli
from fedbounds.vocabulary import Method

from ..case import Case
from ..profile import Profile
from .frame import Frame
from .random_runs import RandomRun

_EDGES = (4, 8, 10)
_HALF, _MOST, _FEW, _ALL = fmpq(1, 2), fmpq(4, 5), fmpq(1, 5), fmpq(1)
_NOISE = 0.5

# matrices of the clients, slopes, starting point
_Cohort = tuple[list[list[list[float]]], list[list[float]], list[float]]
_FIRST, _SECOND = [[2.0, 1.0], [1.0, 2.0]], [[2.0, -1.0], [-1.0, 2.0]]
_TIGHT, _TWIN = [[5.0, 4.0], [4.0, 5.0]], [[5.0, -4.0], [-4.0, 5.0]]
_EYE = [[1.0, 0.0], [0.0, 1.0]]
_BLOCKS = [[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]]
_LINE: _Cohort = ([[[2.0]], [[1.0]]], [[1.0], [-3.0]], [2.0])
_APART: _Cohort = ([[[1.0]], [[1.0]]], [[4.0], [-4.0]], [0.0])
_ONE: _Cohort = ([[[1.0]]], [[-1.0]], [3.0])
_PLANE: _Cohort = ([_FIRST, _SECOND], [[1.0, -1.0], [2.0, 0.5]], [1.0, -1.0])
_COUPLED: _Cohort = ([_TIGHT] * 2, [[-9.0, -9.0], [-9.0, -9.0]], [0.0, 0.0])
_OPPOSED: _Cohort = ([_TWIN, _EYE], [[2.0, -2.0], [-1.0, 1.0]], [1.0, 2.0])
_FLAT: _Cohort = ([[[1.0, 1.0], [1.0, 1.0]]] * 2, [[-1.0, -1.0], [-1.0, -1.0]], [2.0, 0.0])
_SADDLE: _Cohort = ([[[1.0, 2.0], [2.0, 1.0]]] * 2, [[0.0, 0.0], [0.0, 0.0]], [1.0, 1.0])
_THREE: _Cohort = ([[[1.0]], [[2.0]], [[3.0]]], [[1.0], [0.0], [-2.0]], [1.0])
_SPACE: _Cohort = ([_BLOCKS], [[-3.0, -3.0, 1.0]], [0.0, 1.0, 2.0])


@dataclass(frozen=True)
class _Shape:
    """A cohort, its masks, local steps, rounds, and whether there is noise."""

    name: str
    cohort: _Cohort
    keep: tuple[fmpq, ...]
    local_steps: int = 2
    rounds: int = 2
    noise: bool = False
    domain: Box | None = None


_BOX = Box(fmpq(-1, 2), fmpq(1, 2))
_WIDE = Box(fmpq(-3), fmpq(3))
_QUICK = (
    _Shape("line, noise", _LINE, (_HALF, _HALF), noise=True),
    _Shape("plane", _PLANE, (_HALF, _MOST)),
    _Shape("plane in a box that leaves out the minimiser", _PLANE, (_HALF, _MOST), domain=_BOX),
    _Shape("coupled, full masks", _COUPLED, (_ALL, _ALL), local_steps=3),
    _Shape("saddle, rare masks", _SADDLE, (_FEW, _FEW)),
    _Shape("plane, full masks", _PLANE, (_ALL, _ALL)),
    _Shape("one client in a wide box, full masks", _ONE, (_ALL,), domain=_WIDE),
)
_MORE = (
    _Shape("line, rare masks, noise", _LINE, (_FEW, _FEW), noise=True),
    _Shape("line, unequal masks, noise, one step", _LINE, (_FEW, _ALL), 1, 3, noise=True),
    _Shape("clients apart", _APART, (_HALF, _HALF), local_steps=4, rounds=3),
    _Shape("clients apart, full masks, noise", _APART, (_ALL, _ALL), noise=True),
    _Shape("one client, noise", _ONE, (_HALF,), local_steps=3, rounds=2, noise=True),
    _Shape("one client, one step, one round", _ONE, (_MOST,), local_steps=1, rounds=1),
    _Shape("coupled, rare masks", _COUPLED, (_FEW, _FEW)),
    _Shape("coupled, in a box", _COUPLED, (_HALF, _HALF), domain=_WIDE),
    _Shape("opposed", _OPPOSED, (_HALF, _HALF), local_steps=3),
    _Shape("opposed, unequal masks", _OPPOSED, (_FEW, _ALL)),
    _Shape("flat", _FLAT, (_HALF, _MOST)),
    _Shape("saddle, unequal masks", _SADDLE, (_FEW, fmpq(1, 10)), local_steps=3),
    _Shape("three clients, noise", _THREE, (_HALF, _MOST, _ALL), local_steps=1, noise=True),
    _Shape("three clients, four rounds", _THREE, (_HALF, _HALF, _HALF), local_steps=1, rounds=4),
    _Shape("space", _SPACE, (_MOST,), local_steps=3),
    _Shape("line in a box, noise", _LINE, (_HALF, _HALF), noise=True, domain=_BOX),
    _Shape("line, six rounds", _LINE, (_MOST, _MOST), local_steps=2, rounds=6),
)  # fmt: skip


def cases(profile: Profile, seed: int) -> Iterator[Case]:
    """Every run of a profile."""
    shapes = _QUICK if profile is Profile.QUICK else (*_QUICK, *_MORE)
    for shape in shapes:
        for edge in _EDGES:
            yield _case(shape, _cohort(shape), edge)
    yield from _at_the_root()


def _cohort(shape: _Shape) -> tuple[FederatedQuadratic, Start]:
    matrices, slopes, start = shape.cohort
    n, d = len(matrices), len(start)
    noise = Noise(NoiseLaw.RADEMACHER, _NOISE if shape.noise else 0.0, 0.0)
    problem = FederatedQuadratic(np.array(matrices), np.array(slopes), d, noise)
    inside = np.array(start)
    if shape.domain is not None:
        bounds = shape.domain.bounds(d)
        inside = np.array(
            [min(max(x, float(a)), float(b)) for x, (a, b) in zip(inside, bounds, strict=True)]
        )
    return to_rational(problem), to_rational(Start(inside, np.zeros((n, 0))))


def _case(shape: _Shape, cohort: tuple[FederatedQuadratic, Start], edge: int) -> Case:
    problem, start = cohort
    frame = Frame(problem, Bernoulli(shape.keep), shape.domain)
    step = 1 / (edge * shape.local_steps * frame.smoothness.value)
    algorithm = RandomMasks(shape.keep, shape.local_steps, step, shape.domain)
    setup = RandomRun(problem, algorithm, start, shape.rounds)
    return Case(
        f"{shape.name}, eta K L = 1/{edge}", "random masks", setup, Method.RATIONAL, _work(shape)
    )


def _at_the_root() -> Iterator[Case]:
    """One client, one coordinate: noise for which eta K = 1/(8L) is sqrt(2 Phi N / (3 L R v))."""
    for name, p, scale, rounds in (
        ("full masks, one round", _ALL, fmpq(8), 1),
        ("full masks, four rounds", _ALL, fmpq(4), 4),
        ("masks", fmpq(61, 78), fmpq(183, 26), 1),
    ):
        one = FederatedQuadratic(np.array([[[1.0]]]), np.array([[-1.0]]), 1)
        problem = replace(to_rational(one), noise=Noise(NoiseLaw.RADEMACHER, scale, fmpq(0)))
        start = to_rational(Start(np.zeros(1), np.zeros((1, 0))))
        algorithm = RandomMasks((p,), 3, fmpq(1, 24))
        setup = RandomRun(problem, algorithm, start, rounds)
        yield Case(f"{name}, tuned step at 1/(8L)", "random masks", setup, Method.RATIONAL, 6)


def _work(shape: _Shape) -> int:
    """Outcomes of all rounds in powers of two, if no states were merged."""
    n, d = len(shape.cohort[0]), len(shape.cohort[2])
    return shape.rounds * n * d * (1 + shape.local_steps * int(shape.noise))
