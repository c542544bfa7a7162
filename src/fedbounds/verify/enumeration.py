"""Every outcome of a small run with Rademacher noise: participants and signs, as weighted replicas.

The outcomes are fed to the algorithm as draws, so the expectation is exact up to rounding for any
objective, convex or not. Absent clients' noise moves virtual iterates only: it is enumerated when
quantities are observed, not when the state moves on.
"""

from itertools import product
from math import comb
from typing import Any

import numpy as np

from fedbounds.algorithms import fedavg_p
from fedbounds.algorithms.fedavg_p import Carry, Draw, FedAvgP
from fedbounds.algorithms.participation import all_participants
from fedbounds.errors import FedboundsError
from fedbounds.problems import NoiseLaw, Problem, Start, everyone
from fedbounds.vocabulary import Quantity

from .observe import forms, observe, per_replica
from .simulate import BOUNDARY, Series, boundary_features

Array = Any
MOST_OUTCOMES = 2_000_000


def outcomes(problem: Problem, algorithm: FedAvgP, rounds: int) -> int:
    """Number of weighted replicas a full enumeration visits."""
    live = _live(problem)
    per_client = 2 ** (algorithm.local_steps * len(live))
    subsets = comb(problem.clients, algorithm.participants)
    branch = subsets * per_client**algorithm.participants
    return int(per_client**problem.clients * sum(branch**t for t in range(rounds)) + branch**rounds)


def enumerate_run(problem: Problem, algorithm: FedAvgP, start: Start, rounds: int) -> Series:
    """Exact expectations of every quantity, shape (T + 1,) each; NaN where round T has none.

    Raises
    ------
    FedboundsError
        If the noise is not Rademacher or there are more than `MOST_OUTCOMES` outcomes.
    """
    if problem.noise.law is not NoiseLaw.RADEMACHER:
        raise FedboundsError(
            f"noise law is {problem.noise.law}; enumeration needs {NoiseLaw.RADEMACHER}"
        )
    count = outcomes(problem, algorithm, rounds)
    if count > MOST_OUTCOMES:
        raise FedboundsError(f"{count} outcomes to enumerate; at most {MOST_OUTCOMES} are")
    if type(algorithm) is not FedAvgP:
        raise FedboundsError(f"{type(algorithm).__name__} has initial draws; FedAvgP is enumerated")
    table = forms(problem, algorithm)
    every_sign = _signs(problem, algorithm, range(problem.clients))
    carry = fedavg_p.init(problem, algorithm, start, 1)
    weight = np.ones(1)
    infimum = problem.infimum()
    series = {name.value: np.full(rounds + 1, np.nan) for name in (Quantity.GAP, *table)}
    for t in range(rounds + 1):
        cohort = everyone(problem.clients, len(weight))
        features, value = boundary_features(problem, carry, cohort)
        series[Quantity.GAP.value][t] = weight @ value - (infimum or 0.0)
        for name in BOUNDARY[1:]:
            series[name.value][t] = weight @ per_replica(table[name], features)
        if t == rounds:
            return series
        spread, spread_weight = _branch(carry, weight, len(every_sign))
        present = np.ones((problem.clients, len(spread_weight)))
        drawn = _draw(present, np.tile(every_sign, (len(weight), 1, 1, 1)))
        seen, _ = observe(problem, algorithm, spread, drawn)
        for name, form in table.items():
            if name not in BOUNDARY:
                series[name.value][t] = spread_weight @ per_replica(form, seen)
        carry, weight = _move(problem, algorithm, carry, weight)
    raise AssertionError("unreachable")


def _live(problem: Problem) -> list[int]:
    scales = problem.noise.scales(problem.shared_dimension, problem.personal_dimension)
    return [j for j, scale in enumerate(scales) if scale != 0]


def _signs(problem: Problem, algorithm: FedAvgP, clients: Any) -> np.ndarray:
    """Every noise of the given clients, shape (outcomes, n, K, d); zero for the others."""
    live, steps, n = _live(problem), algorithm.local_steps, problem.clients
    d_u, d_v = problem.shared_dimension, problem.personal_dimension
    scales = np.asarray(problem.noise.scales(d_u, d_v), dtype=np.float64)
    chosen = [int(i) for i in clients]
    patterns = np.array(list(product((-1.0, 1.0), repeat=len(chosen) * steps * len(live))))
    noise = np.zeros((len(patterns), n, steps, d_u + d_v))
    shaped = patterns.reshape(len(patterns), len(chosen), steps, len(live))
    for position, client in enumerate(chosen):
        noise[:, client, :, live] = np.moveaxis(shaped[:, position], -1, 0)
    return noise * scales


def _branch(carry: Carry, weight: np.ndarray, count: int) -> tuple[Carry, np.ndarray]:
    """Repeat each replica ``count`` times, its weight divided equally."""
    branched = Carry(u=np.repeat(carry.u, count, axis=0), v=np.repeat(carry.v, count, axis=1))
    return branched, np.repeat(weight / count, count)


def _draw(present: np.ndarray, noise: np.ndarray) -> Draw:
    """A draw from noise of shape (R, n, K, d)."""
    replicas, n, steps, d = noise.shape
    rows = noise.transpose(2, 1, 0, 3).reshape(steps, n * replicas, d)
    return Draw(present=present, noise=rows, cohort=everyone(n, replicas))


def _move(
    problem: Problem, algorithm: FedAvgP, carry: Carry, weight: np.ndarray
) -> tuple[Carry, np.ndarray]:
    """States after one round for every set of participants and their signs."""
    subsets = all_participants(problem.clients, algorithm.participants)
    moved, weights = [], []
    for subset in subsets.T:
        signs = _signs(problem, algorithm, np.flatnonzero(subset))
        branched, branch_weight = _branch(carry, weight / subsets.shape[1], len(signs))
        present = np.repeat(subset[:, None], len(branch_weight), axis=1)
        drawn = _draw(present, np.tile(signs, (len(weight), 1, 1, 1)))
        moved.append(fedavg_p.step(problem, algorithm, branched, drawn))
        weights.append(branch_weight)
    state = Carry(
        u=np.concatenate([part.u for part in moved]),
        v=np.concatenate([part.v for part in moved], axis=1),
    )
    return state, np.concatenate(weights)
