"""Which ladders of runs of rolling masks judge claims, and what a page shows."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from flint import fmpq

from fedbounds.algorithms.masks import partition_masks, window_masks
from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.problems import FederatedQuadratic, Start
from fedbounds.problems.linear import rational
from fedbounds.problems.submodel_constants import curvature_of
from fedbounds.theory.submodel.names import CAPACITY_LADDERS, ROUNDS_LADDERS
from fedbounds.vocabulary import Method

from ..case import Case, find, ladder_shown
from ..profile import Profile
from .run_ladders_runs import CapacityLadder
from .side_by_side import Matrix, prepared
from .staged_ladders import StagedLadder

Record = dict[str, Any]


@dataclass(frozen=True)
class Cohort:
    """Clients 1/2 w'A_i w + h_i'w, a start, and Rademacher noise per coordinate."""

    matrices: tuple[Matrix, ...]
    slopes: list[list[float]]
    start: list[float]
    noise: float = 0.0

    def prepared(self) -> tuple[FederatedQuadratic, Start]:
        """In rationals."""
        return prepared(self.matrices, self.slopes, self.start, self.noise)


_ONE = [[1.0]]
_EYE = [[1.0, 0.0], [0.0, 1.0]]
_STEEP = [[2.0, 0.0], [0.0, 1.0]]
_PLANE = [[1.5, 0.5], [0.5, 1.5]]
_TIGHT = [[1.0, 0.75], [0.75, 1.0]]
_CHAIN = [[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]]
_ALL_PAIRS = [[2.0, 1.0, 1.0], [1.0, 2.0, 1.0], [1.0, 1.0, 2.0]]
# couplings to neighbours and to the opposite that cancel at (1, 1, 1, 1)
_RING = [[5.0, 1.0, -2.0, 1.0], [1.0, 5.0, 1.0, -2.0], [-2.0, 1.0, 5.0, 1.0], [1.0, -2.0, 1.0, 5.0]]
_LINE_APART = Cohort((_ONE, _ONE), [[3], [-1]], [4])
_LINE_NOISE = Cohort((_ONE, _ONE), [[3], [-1]], [4], 0.5)
_PLANE_NOISE = Cohort((_PLANE,) * 2, [[1, -1], [-2, 0.5]], [3, -3], 0.25)
_PLANE_APART = Cohort((_PLANE, _STEEP), [[1, -1], [-2, 0.5]], [3, -3])
_SLOPES = Cohort((_EYE,) * 2, [[3, -1], [-1, 3]], [2, 2])
_ALIGNED = Cohort((_TIGHT,) * 2, [[-3, 0], [1, -2]], [0, 0])
_HALF, _ALL = fmpq(1, 2), fmpq(1)


def cases(profile: Profile, seed: int) -> Iterator[Case]:
    """Every ladder of a profile."""
    quick = profile is Profile.QUICK
    yield from _over_stages(quick)
    yield from _over_capacity(quick)


def _over_stages(quick: bool) -> Iterator[Case]:
    """eta S K L = 1/10 at first, and a first stage just long enough: 7/5 of the contraction."""
    halves = partition_masks(2, 2)
    rows = (
        ("clients apart, noise", _PLANE_NOISE, 1),
        ("clients apart", _PLANE_APART, 1),
        ("slopes differ, no coupling, two steps", _SLOPES, 2),
        ("aligned features, noise", Cohort((_TIGHT,) * 2, [[-3, 0], [1, -2]], [0, 0], 0.5), 1),
    )
    for label, cohort, steps in rows[:1] if quick else rows:
        problem, start = cohort.prepared()
        n = problem.clients
        edge = fmpq(4, 5) / (8 * curvature_of(problem)[0].upper).ceil() / steps
        algorithm = RollingMasks((halves,) * n, steps, edge / 2)
        size = rational(algorithm.inner_step_u) * steps * algorithm.epoch
        contraction = size * curvature_of(problem)[1].lower * _HALF / 2
        first = int((fmpq(7, 5) / contraction).ceil())
        setup = StagedLadder(problem, algorithm, start, first, 3 if quick else 5)
        name = f"stages of halved steps, rolling masks, share {_HALF}, {label}, K={steps}"
        yield Case(name, ROUNDS_LADDERS[1], setup, Method.RATIONAL, setup.rounds[-1])


def _over_capacity(quick: bool) -> Iterator[Case]:
    """eta K L = 1/10 (L rounded up to eighths)."""
    rows = (
        ("slopes differ, no coupling", _SLOPES),
        ("aligned features, slopes differ", _ALIGNED),
        ("noise around a shared minimiser", Cohort((_TIGHT,), [[0, 0]], [1, 1], 1.0)),
        ("start along the slow direction", Cohort((_TIGHT,), [[0, 0]], [1, -1])),
        ("aligned features, noise", Cohort((_TIGHT,) * 2, [[-3, 0], [1, -2]], [0, 0], 0.5)),
        ("clients apart, Hessians differ", _PLANE_APART),
        ("a chain", Cohort((_CHAIN,) * 2, [[1, 0, 2], [-1, 2, 0]], [1, 1, 1])),
        ("three equal features", Cohort((_ALL_PAIRS,), [[-4, -4, -4]], [0, 0, 0])),
        ("couplings that cancel", Cohort((_RING,), [[-5, -5, -5, -5]], [2, 0, 2, 0])),
    )
    for label, cohort in rows[:4] if quick else rows:
        d, n = len(cohort.start), len(cohort.matrices)
        for steps in (1,) if quick or cohort.noise else (1, 3):
            for rounds in (2 * d, 60) if quick else (2 * d, 120):
                problem, start = cohort.prepared()
                step = fmpq(4, 5) / (8 * curvature_of(problem)[0].upper).ceil() / steps
                windows = [(window_masks(d, width),) * n for width in range(1, d + 1)]
                rolling = tuple(RollingMasks(masks, steps, step) for masks in windows)
                setup = CapacityLadder(problem, rolling, start, rounds)
                name = f"ladder in q, {label}, K={steps}, R={rounds}"
                work = rounds * 2 ** (n * d)
                yield Case(name, CAPACITY_LADDERS[1], setup, Method.RATIONAL, work)


# ---- for a page


@ladder_shown.register
def _of_stages(setup: StagedLadder) -> Record:
    loss = {"F_r": find(setup).series["F_r"]}
    return _record("R", setup.rounds, loss)


@ladder_shown.register
def _of_capacity(setup: CapacityLadder) -> Record:
    return _record("q", setup.capacities, find(setup).series)


def _record(parameter: str, values: Any, series: Any) -> Record:
    floats = {name: [float(x) for x in row] for name, row in series.items()}
    points = [float(x) for x in values]
    return {"parameter": parameter, "values": points, "series": floats, "fit": None}
