"""How FedPLT's error depends on one parameter, and on time: measured beside what the bound says.

Floors are limits of D^t, solved for in rationals. Exponents are for display, never a verdict.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq

from fedbounds.theory.fedplt.distance import BRACKET, CONTRACTION
from fedbounds.theory.fedplt.rounds import ADDED
from fedbounds.theory.symbols import eta, nu_max, psi_max, rho_min, tau

from ..case import Case, find
from ..ladder import fitted_exponent
from ..profile import Profile
from .long_runs import LongRun, Steps, run
from .long_runs_moments import limit_of_distance
from .long_runs_plan import (
    PARTIAL,
    as_case,
    diagonal,
    own_minimisers,
    partial_masks,
    quadratics,
    shared_minimiser,
)

Record = dict[str, Any]
_FLOOR = eta * ADDED.subs(nu_max, BRACKET) / CONTRACTION
_JUDGED = 3  # runs of a ladder: the later ones repeat what these say
_POINTS = 60  # of a curve over time, spaced evenly in log t


@dataclass(frozen=True, eq=False)
class FloorLadder:
    """Constant-step runs that differ in one parameter, with its values."""

    name: str
    parameter: sp.Symbol
    values: tuple[Any, ...]
    runs: tuple[LongRun, ...]


def floor(setup: LongRun) -> fmpq:
    """The limit of D^t with a constant step size, exact.

    Raises
    ------
    FedboundsError
        If the second moments do not converge.
    """
    return limit_of_distance(setup.problem, setup.algorithm)


def symbolic_exponent(parameter: sp.Symbol) -> str:
    """Power of a parameter in the floor eta B / z where it counts most.

    That is for small eta and rho_min, and for large tau and psi_max.
    """
    above, below = sp.fraction(sp.together(_FLOOR))
    powers = [
        [monomial[0] for monomial in sp.Poly(sp.expand(side), parameter).monoms()]
        for side in (above, below)
    ]
    largest = parameter in (tau, psi_max)
    first, second = (max(own) if largest else min(own) for own in powers)
    return str(first - second)


def ladders(profile: Profile) -> tuple[FloorLadder, ...]:
    """Every ladder of a profile."""
    half = fmpq(1, 2)
    count = 4 if profile is Profile.QUICK else 7
    steps = [fmpq(1, 2**power) for power in range(6, 6 + count)]
    locals_ = [2**power for power in range(1, 1 + count)]
    shares = [fmpq(1, 2**power) for power in range(1, 1 + count)]
    starts = [fmpq(1, 2**power) for power in range(count)]
    slow = fmpq(1, 2048)
    return (
        _ladder("full masks, shared minimiser, noise", eta, steps,
                [shared_minimiser(half, 1, x) for x in steps]),
        _ladder("full masks, own minimisers, full gradients, tau = 4", eta, steps,
                [own_minimisers(0, 4, x) for x in steps]),
        _ladder("partial masks, own minimisers, full gradients", eta, steps,
                [partial_masks(x, int(1 / x) // 2) for x in steps]),
        _ladder("full masks, shared minimiser, noise", tau, locals_,
                [shared_minimiser(half, x, slow) for x in locals_]),
        _ladder("full masks, own minimisers, full gradients", tau, locals_,
                [own_minimisers(0, x, slow) for x in locals_]),
        _ladder("partial masks, own minimisers, full gradients", psi_max,
                [1 / x for x in shares], [_rarely_trained(x, 0) for x in shares]),
        _ladder("partial masks, shared minimiser, noise", psi_max,
                [1 / x for x in shares], [_rarely_trained(x, half) for x in shares]),
        _with_alignment("partial masks, own minimisers, full gradients: other starts",
                        [partial_masks(fmpq(1, 256), 32, x, half) for x in starts]),
    )  # fmt: skip


def _ladder(
    name: str, parameter: sp.Symbol, values: Sequence[Any], runs: Sequence[LongRun]
) -> FloorLadder:
    return FloorLadder(name, parameter, tuple(values), tuple(runs))


def _rarely_trained(share: fmpq, noise: Any) -> LongRun:
    """Coordinate 2 is trained by client 0 alone, whose share of the clients is ``share``."""
    minimisers = [[0, 0], [0, 0]] if noise else [[15, 1], [-15 * share / (1 - share), -1]]
    slow = fmpq(1, 64)
    problem = quadratics(diagonal((slow, 1), (slow, 1)), minimisers, noise)
    found = partial_masks(fmpq(1, 256), 32)
    algorithm = replace(found.algorithm, weights=(share, 1 - share), masks=PARTIAL)
    return replace(found, problem=problem, algorithm=algorithm)


def _with_alignment(name: str, runs: Sequence[LongRun]) -> FloorLadder:
    """The values are the runs' rho_min; ascending."""
    found = sorted(
        ((find(setup).parameters["rho_min"], at) for at, setup in enumerate(runs)),
        key=lambda pair: pair[0],
    )
    return _ladder(name, rho_min, [x for x, _ in found], [runs[at] for _, at in found])


def ladder_record(ladder: FloorLadder) -> Record:
    """Floors, claimed floors where the run has all constants, and their exponents: plain JSON."""
    measured = [float(floor(setup)) for setup in ladder.runs]
    known = [find(setup).parameters for setup in ladder.runs]
    bounds = [float(p["eta"] * p["B_step"] / p["z"]) if "B_step" in p else None for p in known]
    values = [float(x) for x in ladder.values]
    return {
        "name": ladder.name,
        "parameter": ladder.parameter.name,
        "values": values,
        "measured": measured,
        "bound": bounds,
        "measured_fit": _fit(values, measured),
        "bound_fit": _fit(values, bounds),
        "symbolic": symbolic_exponent(ladder.parameter),
    }


def _fit(values: Sequence[float], series: Sequence[float | None]) -> Record | None:
    kept = [(x, y) for x, y in zip(values, series, strict=True) if y is not None and y > 0]
    if len(kept) < 3:
        return None
    found = fitted_exponent(*zip(*kept, strict=True))
    return {"exponent": found.slope, "low": float(found.low), "high": float(found.high)}


def ladder_records(profile: Profile) -> list[Record]:
    """Every ladder of a profile as plain JSON."""
    return [ladder_record(ladder) for ladder in ladders(profile)]


def ladder_cases(profile: Profile, seed: int) -> Iterator[Case]:
    """The first runs of every ladder, as cases of their own."""
    for ladder in ladders(profile):
        for value, setup in list(zip(ladder.values, ladder.runs, strict=True))[:_JUDGED]:
            label = f"ladder in {ladder.parameter.name} at {float(value):.6g}, {ladder.name}"
            yield as_case(label, setup)


# ---- over time


def rate_records(profile: Profile) -> list[Record]:
    """D^t with decaying steps over four decades of t, of the recursion alone and of runs."""
    last = 1_000 if profile is Profile.QUICK else 10_000
    times = np.unique(np.geomspace(1, last, _POINTS).round().astype(int))
    half, found = fmpq(1, 2), []
    for steps, alone in ((Steps.DECAYING, recursion_alone), (Steps.LONGER, recursion_longer)):
        exact = [float(alone(int(t))) for t in times]
        found.append(_rate(f"recursion with equality, steps {steps.value}", times, exact))
        for label, setup in (
            ("full masks, own minimisers, noise", own_minimisers(half, 1, half)),
            ("full masks, own minimisers, noise, tau = 5", own_minimisers(half, 5, half)),
            ("full masks, own minimisers, full gradients, tau = 5", own_minimisers(0, 5, half)),
            ("partial masks, own minimisers, noise", own_minimisers(half, 1, half, PARTIAL)),
        ):
            decaying = replace(setup, steps=steps, z=fmpq(1), rounds=last)
            distance = run(decaying).moments.distance[times]
            found.append(_rate(f"{label}, steps {steps.value}", times, distance))
    return found


def recursion_alone(t: int) -> fmpq:
    """D^t z^2/B where D^{t+1} = (t/(t+1)) D^t + (B/z^2)/(t+1)^2: H_t / t, whatever D^0 is."""
    return fmpq.harmonic(t) / t


def recursion_longer(t: int) -> fmpq:
    """D^t z^2/B with steps 2/(z(t+2)): 4 (t + 1 - H_{t+1}) / (t (t + 1)), whatever D^0 is."""
    return 4 * (t + 1 - fmpq.harmonic(t + 1)) / (t * (t + 1))


def _rate(name: str, times: Any, series: Any) -> Record:
    """The exponent over all of the times, and over their last decade."""
    series = [float(x) for x in series]
    late = [at for at, t in enumerate(times) if t >= times[-1] / 10]
    return {
        "name": name,
        "rounds": [int(t) for t in times],
        "measured": series,
        "fit": _fit(times, series),
        "last_decade": _fit(times[late], [series[at] for at in late]),
        "symbolic": "-1",
    }
