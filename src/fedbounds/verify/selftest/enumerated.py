"""Two ways to one expectation: by moments, and by every outcome of the randomness."""

from dataclasses import dataclass

import numpy as np

from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start

from ..enumeration import enumerate_run
from ..moments import exact_moments
from .planted import Said

_AGREE = 1e-9  # relative to the largest value of the quantity
AGREES, DISAGREES = "agrees", "disagrees"


@dataclass(frozen=True, eq=False)
class Run:
    """A run that is small enough for both."""

    problem: FederatedQuadratic
    algorithm: FedAvgP
    start: Start
    rounds: int


def two_of_three() -> Run:
    """Two rounds of two of three different clients, coupled and with noise, from anywhere."""
    rng = np.random.default_rng(0)
    root = rng.standard_normal((3, 2, 2))
    hessian = root @ root.transpose(0, 2, 1) + np.eye(2)
    noise = Noise(NoiseLaw.RADEMACHER, 0.5, 0.25)
    problem = FederatedQuadratic(hessian, rng.standard_normal((3, 2)), 1, noise)
    start = Start(np.array([1.0]), np.array([[0.5], [-1.0], [2.0]]))
    algorithm = FedAvgP(2, 1, 0.1, 0.1, 1.5, 1.5)
    return Run(problem, algorithm, start, 2)


def moments_and_enumeration(run: Run) -> Said:
    """Every expected quantity that both find, to rounding."""
    arguments = (run.problem, run.algorithm, run.start, run.rounds)
    by_moments = exact_moments(*arguments).series
    by_outcomes = enumerate_run(*arguments)
    worst, where = 0.0, ""
    for name in sorted(by_moments.keys() & by_outcomes.keys()):
        a, b = (np.asarray(series[name], dtype=float) for series in (by_moments, by_outcomes))
        rounds = np.isfinite(b)
        size = float(abs(b[rounds]).max(initial=0.0)) or 1.0
        far = float(abs(a - b)[rounds].max(initial=0.0)) / size
        if far >= worst:
            worst, where = far, name
    word = AGREES if worst <= _AGREE else DISAGREES
    return Said(word, f"largest relative difference {worst:.2g}, of {where}")
