"""Which ladders of runs judge the claims about R, K and the capacity, and what a page shows."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from flint import fmpq

from fedbounds.algorithms.masks import partition_masks, window_masks
from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.problems import FederatedQuadratic, Start
from fedbounds.problems.linear import rational
from fedbounds.problems.submodel_constants import curvature_of
from fedbounds.theory.submodel.names import CAPACITY_LADDERS, ROUNDS_LADDERS, STEPS_LADDER
from fedbounds.vocabulary import Method

from ..case import Case, find, ladder_shown
from ..ladder import fitted_exponent
from ..profile import Profile
from .run_ladders_runs import CapacityLadder, RoundsLadder, StepsLadder, epoch_of
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
    yield from _over_rounds(quick)
    yield from _over_stages(quick)
    yield from _over_steps(quick)
    yield from _over_capacity(quick)


def _over_rounds(quick: bool) -> Iterator[Case]:
    rows = (
        ("clients apart, noise", _LINE_NOISE, (_HALF, _HALF), 2, 256),
        ("full masks, noise", _LINE_NOISE, (_ALL, _ALL), 2, 128),
        ("full masks, no noise", _LINE_APART, (_ALL, _ALL), 1, 128),
        ("unequal masks, noise", _LINE_NOISE, (_HALF, _ALL), 2, 256),
        ("coupled coordinates, noise", _PLANE_NOISE, (_HALF, _HALF), 1, 1024),
    )
    for label, cohort, keep, steps, first in rows[:1] if quick else rows:
        rounds = tuple(first * 2**power for power in range(4 if quick or steps == 1 else 6))
        problem, start = cohort.prepared()
        setup = RoundsLadder(problem, keep, steps, start, rounds)
        name = f"ladder in R from {first}, {label}, K={steps}"
        yield Case(name, ROUNDS_LADDERS[0], setup, Method.RATIONAL, rounds[-1])


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
        kinds = (
            (RandomMasks((_HALF,) * n, steps, edge), _HALF),
            (RandomMasks((_ALL,) * n, steps, edge), _ALL),
            (RollingMasks((halves,) * n, steps, edge / 2), _HALF),
        )
        for algorithm, share in kinds:
            size = rational(algorithm.inner_step_u) * steps * epoch_of(algorithm)
            contraction = size * curvature_of(problem)[1].lower * share / 2
            first = int((fmpq(7, 5) / contraction).ceil())
            setup = StagedLadder(problem, algorithm, start, first, 3 if quick else 5)
            rolls = isinstance(algorithm, RollingMasks)
            what = f"{'rolling' if rolls else 'random'} masks, share {share}"
            name = f"stages of halved steps, {what}, {label}, K={steps}"
            yield Case(name, ROUNDS_LADDERS[rolls], setup, Method.RATIONAL, setup.rounds[-1])


def _over_steps(quick: bool) -> Iterator[Case]:
    rows = (
        ("clients apart", _LINE_APART, (_HALF, _HALF)),
        ("unequal masks", _PLANE_APART, (_HALF, fmpq(4, 5))),
        ("one client, coupled coordinates", Cohort((_PLANE,), [[1, -2]], [0, 0]), (_HALF,)),
        ("full models", _PLANE_APART, (_ALL, _ALL)),
    )
    for label, cohort, keep in rows[:1] if quick else rows:
        problem, _ = cohort.prepared()
        setup = StepsLadder(problem, keep, (1, 2, 4) if quick else (1, 2, 4, 8))
        work = problem.clients * 2**problem.shared_dimension
        yield Case(f"ladder in K, {label}", STEPS_LADDER[0], setup, Method.RATIONAL, work)


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
                keeps = [(fmpq(k, 4),) * n for k in (1, 2, 3, 4)]
                random = tuple(RandomMasks(keep, steps, step) for keep in keeps)
                windows = [(window_masks(d, width),) * n for width in range(1, d + 1)]
                rolling = tuple(RollingMasks(masks, steps, step) for masks in windows)
                ends = (random[0], random[-1])
                kinds = (("p", 0, random), ("the least and the full p", 0, ends), ("q", 1, rolling))
                for what, kind, rungs in kinds:
                    setup = CapacityLadder(problem, rungs, start, rounds)
                    name = f"ladder in {what}, {label}, K={steps}, R={rounds}"
                    work = rounds * 2 ** (n * d)
                    yield Case(name, CAPACITY_LADDERS[kind], setup, Method.RATIONAL, work)


# ---- for a page


@ladder_shown.register
def _of_rounds(setup: RoundsLadder) -> Record:
    return _record("R", setup.rounds, find(setup).series, "D_r", "-1")


@ladder_shown.register
def _of_stages(setup: StagedLadder) -> Record:
    loss = {"F_r": find(setup).series["F_r"]}
    return _record("R", setup.rounds, loss, "", None)


@ladder_shown.register
def _of_steps(setup: StepsLadder) -> Record:
    return _record("K", setup.local_steps, {"G_lead": find(setup).series["G_lead"]}, "G_lead", "-1")


@ladder_shown.register
def _of_capacity(setup: CapacityLadder) -> Record:
    rolling = isinstance(setup.algorithms[0], RollingMasks)
    return _record("q" if rolling else "p", setup.capacities, find(setup).series, "", None)


def _record(parameter: str, values: Any, series: Any, fitted: str, symbolic: str | None) -> Record:
    """``symbolic`` is what the claim says of the exponent, up to logarithms."""
    floats = {name: [float(x) for x in row] for name, row in series.items()}
    points, fit = [float(x) for x in values], None
    if fitted and len(points) >= 3 and min(floats[fitted]) > 0:
        found = fitted_exponent(points, floats[fitted])
        fit = {
            "series": fitted,
            "exponent": found.slope,
            "low": float(found.low),
            "high": float(found.high),
            "symbolic": symbolic,
        }
    return {"parameter": parameter, "values": points, "series": floats, "fit": fit}
