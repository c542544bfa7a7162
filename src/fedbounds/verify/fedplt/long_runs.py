"""Runs of FedPLT over many rounds, by exact moments, with constants certified for every round."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.fedplt_rows import FedPLT, compensation, shares, untrained
from fedbounds.errors import require
from fedbounds.problems import Constants, Evidence, FederatedQuadratic, Start
from fedbounds.problems.linear import is_exact, rational
from fedbounds.theory.fedplt.distance import BRACKET, CONTRACTION
from fedbounds.theory.fedplt.rounds import ADDED
from fedbounds.vocabulary import Assumption, Constant, Quantity

from ..case import Found, find, in_rationals
from ..evaluate import Numbers, evaluate
from .long_runs_moments import Moments, centred, moments, rounds_of
from .long_runs_premises import (
    Path,
    alignment,
    compensated,
    curvatures,
    gradient_bounds,
    heterogeneity,
    path,
)

MOST_EXACT = 400  # rounds that are repeated in rationals: their digits grow with each

Array = Any


class Steps(StrEnum):
    """The step size of round t; z is the set-up's."""

    CONSTANT = "eta"
    DECAYING = "1/(z(t+1))"
    LONGER = "2/(z(t+2))"


class Gradients(StrEnum):
    """What G of Assumption 5 bounds at every model of the run."""

    GLOBAL = "the gradient of F"
    LOCAL = "the gradient of every F_k"


RECURSIONS = {
    Steps.CONSTANT: Assumption.RECURSION,
    Steps.DECAYING: Assumption.RECURSION_DECAYING,
    Steps.LONGER: Assumption.RECURSION_LONGER,
}


@dataclass(frozen=True, eq=False)
class LongRun:
    """FedPLT on quadratics from a start, all in rationals.

    Attributes
    ----------
    problem : FederatedQuadratic
        Every F_k strongly convex.
    algorithm : FedPLT
        Its step size is that of all rounds, if they have one.
    start : Start
    rounds : int
        T.
    gradients : Gradients
    steps : Steps
    z : rational
        Of step sizes that decay; 0 for a constant one, where z is mu psi_min rho_min.
    exact : bool
        Whether it is measured in rationals, rather than in floats with a bound of their rounding.
    """

    problem: FederatedQuadratic
    algorithm: FedPLT
    start: Start
    rounds: int
    gradients: Gradients = Gradients.GLOBAL
    steps: Steps = Steps.CONSTANT
    z: Any = 0
    exact: bool = False

    def __post_init__(self) -> None:
        require(self.rounds >= 1, "rounds T", self.rounds, "at least 1")
        arrays = (self.problem.hessian, self.problem.linear, self.start.u)
        require(all(map(is_exact, arrays)), "problem and start", "floats", "exact rationals")
        nobody = untrained(self.algorithm)
        require(not nobody, "coordinates that nobody trains", nobody, "none")
        decays = self.steps is not Steps.CONSTANT
        require((self.z > 0) == decays, "z", self.z, "positive if and only if steps decay")


@dataclass(frozen=True, eq=False)
class Run:
    """What is computed of a run: step sizes of shape (T,), moments and models."""

    steps: Array
    moments: Moments
    path: Path


def run(setup: LongRun) -> Run:
    """Moments and models of every round."""
    centre, best = centred(setup.problem, setup.algorithm)
    each = step_sizes(setup)
    different = each[:1] if setup.steps is Steps.CONSTANT else each
    rounds = rounds_of(centre, setup.algorithm, different)
    found = moments(rounds, setup.algorithm, setup.start, best, setup.rounds)
    return Run(each, found, path(centre, setup.algorithm, each, rounds, found))


def step_sizes(setup: LongRun) -> Array:
    """eta^t of rounds 0, ..., T - 1."""
    times = [fmpq(t) for t in range(setup.rounds)]
    each = {
        Steps.CONSTANT: lambda t: rational(setup.algorithm.inner_step_u),
        Steps.DECAYING: lambda t: 1 / (setup.z * (t + 1)),
        Steps.LONGER: lambda t: 2 / (setup.z * (t + 2)),
    }[setup.steps]
    found: Array = np.array(list(map(each, times)), dtype=object)
    return found if setup.exact else found.astype(np.float64)


@in_rationals.register
def _(setup: LongRun) -> LongRun | None:
    return replace(setup, exact=True) if setup.rounds <= MOST_EXACT else None


@find.register
def _(setup: LongRun) -> Found:
    found = run(setup)
    constants, parameters, evidence = _known(setup, found)
    series = {
        Quantity.DISTANCE.value: found.moments.distance,
        Quantity.DIVERGENCE.value: found.moments.divergence,
    }
    errors = {
        Quantity.DISTANCE.value: found.moments.distance_error,
        Quantity.DIVERGENCE.value: found.moments.divergence_error,
    }
    if {"z", "B_step"} <= parameters.keys():
        evidence[RECURSIONS[setup.steps]] = _recursion(found, parameters)
    finite = np.isfinite(found.moments.distance.astype(float))
    return Found(
        family=f"FedPLT on quadratics over many rounds, step size {setup.steps.value}",
        parameters=parameters,
        constants=constants,
        series=series,
        evidence=evidence,
        errors={} if setup.exact else errors,
        diverged_at=None if finite.all() else int(np.argmin(finite)),
    )


def _known(
    setup: LongRun, found: Run
) -> tuple[Constants, dict[str, Any], dict[Assumption, Evidence]]:
    """Constants, parameters, and which assumptions hold, and why."""
    algorithm = setup.algorithm
    centre, _ = centred(setup.problem, algorithm)
    mu, largest = curvatures(centre.hessian)
    c, psi = shares(algorithm), compensation(algorithm)
    one = fmpq(1)  # alpha_r = min(1, sqrt(d r)) of every mask that is not empty
    parameters: dict[str, Any] = {
        "T": setup.rounds,
        "n": len(c),
        "tau": algorithm.local_steps,
        "alpha_k": one,
        "psi_max": max(psi),
        "psi_min": min(psi),
        "sigma^2": rational(centre.noise.scale_u) ** 2 * centre.shared_dimension,
        "Gamma": sum(c, fmpq(0)),
        "Gamma_2": sum((x * x for x in c), fmpq(0)),
        "Lambda": heterogeneity(centre, algorithm),
        "D_0": found.moments.distance[0],
        "mu": mu.value,
        "L": largest.value,
    }
    constant = setup.steps is Steps.CONSTANT
    if constant:
        parameters["eta"] = rational(algorithm.inner_step_u)
    aligned = alignment(algorithm, found.path)
    evidence = {
        Assumption.SMOOTH: Evidence(True, "L is the largest curvature"),
        Assumption.STRONGLY_CONVEX: Evidence(bool(mu.value > 0), "mu is the least curvature"),
        Assumption.NOISE: Evidence(True, "additive, of known variance"),
        Assumption.INDEPENDENT: Evidence(True, "drawn for each client and step"),
        Assumption.EQUAL_ATTENUATION: Evidence(True, "min(1, sqrt(d r)) is 1 for all clients"),
        Assumption.SINGLE_STEP: Evidence(algorithm.local_steps == 1, "local steps per round"),
        Assumption.DECAYING_STEPS: Evidence(
            setup.steps is Steps.DECAYING, f"the step sizes are {setup.steps.value}"
        ),
        Assumption.VIRTUAL: Evidence(
            True if algorithm.local_steps == 1 else None, "t counts rounds of the algorithm"
        ),
        Assumption.ALIGNED: aligned.evidence,
    }
    bounds = gradient_bounds(centre, algorithm, found.path)
    wide = setup.gradients is Gradients.GLOBAL
    where = "at every model of the run"
    if bounds is None:
        unbounded = Evidence(False, "the noise is unbounded, and so are the models")
        evidence[Assumption.GLOBAL_GRADIENT] = evidence[Assumption.LOCAL_GRADIENTS] = unbounded
    else:
        parameters["G^2"] = bounds[0] if wide else max(bounds)
        evidence[Assumption.GLOBAL_GRADIENT] = Evidence(True, where)
        evidence[Assumption.LOCAL_GRADIENTS] = Evidence(
            not wide or bounds[1] <= bounds[0], f"G bounds {setup.gradients.value} {where}"
        )
    _align(setup, found, parameters, evidence, aligned.least)
    if "rho_min" in parameters:
        parameters |= _derived(setup, parameters, mu.value)
    constants: Constants = {Constant.STRONG_CONVEXITY: mu, Constant.SMOOTHNESS: largest}
    return constants, {k: v for k, v in parameters.items() if k not in ("mu", "L")}, evidence


def _align(
    setup: LongRun,
    found: Run,
    parameters: dict[str, Any],
    evidence: dict[Assumption, Evidence],
    least: Any,
) -> None:
    """rho_min, and what Assumption 6 says with it; steps that decay have fixed it by their z."""
    rho_min = least
    if setup.steps is not Steps.CONSTANT:
        rho_min = setup.z / (parameters["mu"] * parameters["psi_min"])
        if least is not None and rho_min > least:
            reason = f"the least rho_k is about {float(least):.6g}, below that of the steps' z"
            evidence[Assumption.ALIGNED] = Evidence(False, reason)
    if rho_min is None:
        return
    parameters["rho_min"] = rho_min
    factor = parameters["psi_min"] * rho_min
    evidence[Assumption.ALIGNED_COMPENSATED] = compensated(setup.algorithm, found.path, factor)


def _derived(setup: LongRun, parameters: dict[str, Any], mu: Any) -> dict[str, Any]:
    """nu, z, B, 1/eta - z and the smallest C that the statements admit."""
    found: dict[str, Any] = {}

    def value(side: Any, **more: Any) -> Any:
        known = {**parameters, **found, **more, "mu": mu}
        exact = {name: rational(x) for name, x in known.items()}
        return evaluate(side, Numbers(exact, {}, lambda p, q: fmpq(p, q)))

    # the bracket grows as eta falls: the supremum over all t is its value at 0
    decays = setup.steps is not Steps.CONSTANT
    found["nu_max"] = value(BRACKET, **({"eta": fmpq(0)} if decays else {}))
    found["z"] = value(CONTRACTION)
    if "G^2" not in parameters or found["z"] <= 0:
        return found
    found["B_step"] = value(ADDED)
    level, start = found["B_step"] / found["z"] ** 2, rational(parameters["D_0"])
    found["C_rate"] = max(start, 4 * level) if setup.steps is Steps.LONGER else start + level
    if not decays and 1 / parameters["eta"] > found["z"]:
        found["w_gap"] = 1 / parameters["eta"] - found["z"]
    return found


def _recursion(found: Run, parameters: dict[str, Any]) -> Evidence:
    """Whether D^{t+1} <= (1 - z eta^t) D^t + (eta^t)^2 B in every round of this run."""
    D, steps = found.moments.distance, found.steps
    number: Any = rational if is_exact(D) else float
    z, B = number(parameters["z"]), number(parameters["B_step"])
    right = (1 - z * steps) * D[:-1] + steps * steps * B
    doubt = found.moments.distance_error
    slack = doubt[1:] + doubt[:-1] + (0 if is_exact(D) else 1e-13 * (abs(right) + D[1:]))
    gaps = right - D[1:]
    if (gaps >= slack).all():
        return Evidence(True, "in every round of this run")
    t = int(np.argmin(gaps >= slack))
    return Evidence(False if (gaps < -slack).any() else None, f"not so, or not clear, in round {t}")
