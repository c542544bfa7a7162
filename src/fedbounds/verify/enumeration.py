"""Every outcome of a small run: participants and noise, as weighted replicas.

The outcomes are fed to the algorithm as draws, so the expectation is exact up to rounding for any
objective, convex or not. Absent clients' noise moves virtual iterates only: it is enumerated when
quantities are observed, not when the state moves on.
"""

from dataclasses import fields
from itertools import product
from math import comb
from typing import Any, Protocol

import numpy as np

from fedbounds.algorithms import fedavg_p
from fedbounds.algorithms.fedavg_p import Draw, FedAvgP
from fedbounds.algorithms.participation import all_participants
from fedbounds.errors import FedboundsError
from fedbounds.problems import Problem, Start, everyone
from fedbounds.vocabulary import Quantity

from .memory import Each, rules_with_memory
from .observe import (
    Features,
    Forms,
    control_features,
    forms,
    increments,
    measured,
    observe,
    per_replica,
    round_forms,
)
from .simulate import BOUNDARY, Series, boundary_features

Array = Any
MOST_OUTCOMES = 2_000_000
_RESIDUE = 1e-11  # of gradients, in their differences
_DIFFERENCES = (
    Quantity.CONTROL_ERROR,
    Quantity.OWN_CONTROLS,
    Quantity.MEAN_CONTROLS,
    Quantity.PAST_NOISE,
    Quantity.PAST_NOISE_ALL,
    Quantity.PAST_NOISE_SUM,
    Quantity.NOISE_SUM,
    Quantity.NOISE_SQUARES,
    Quantity.S_3U,
)
_MEAN_STEPS = (Quantity.MEAN_STEP_U, Quantity.MEAN_STEP_V)


class Stepping(Protocol):
    """An algorithm with local steps."""

    @property
    def local_steps(self) -> int: ...


def outcomes(problem: Problem, algorithm: FedAvgP, rounds: int) -> int:
    """Number of weighted replicas a full enumeration visits."""
    per_client = len(client_outcomes(problem, algorithm))
    subsets = comb(problem.clients, algorithm.participants)
    branch = subsets * per_client**algorithm.participants
    first = per_client**problem.clients if draws_at_start(algorithm) else 1
    each = per_client**problem.clients
    return int(first * (each * sum(branch**t for t in range(rounds)) + branch**rounds))


def client_outcomes(problem: Problem, algorithm: Stepping) -> np.ndarray:
    """One client's noises; where gradients are exact, a single one without entries."""
    found = problem.noise_outcomes(algorithm.local_steps)
    return np.zeros((1, algorithm.local_steps, 0)) if found is None else np.asarray(found)


def draws_at_start(algorithm: FedAvgP) -> bool:
    return type(algorithm) is not FedAvgP


def enumerate_run(problem: Problem, algorithm: FedAvgP, start: Start, rounds: int) -> Series:
    """Exact expectations of every quantity, shape (T + 1,) each.

    Round T has those of its state alone; the others are NaN there. What overflows is infinite.

    Raises
    ------
    FedboundsError
        If the noise has infinitely many outcomes, or there are more than `MOST_OUTCOMES`.
    """
    count = outcomes(problem, algorithm, rounds)
    if count > MOST_OUTCOMES:
        raise FedboundsError(f"{count} outcomes to enumerate; at most {MOST_OUTCOMES} are")
    rules = rules_with_memory(algorithm, Each)
    carry, weight = started(problem, algorithm, rules, start)
    every = sample_patterns(problem, algorithm, range(problem.clients))
    infimum = problem.infimum()
    series: Series = {}

    def record(table: dict[Quantity, Forms], features: Features, own: np.ndarray) -> None:
        for name, quantity in table.items():
            expected(name, own @ per_replica(quantity, features))

    def expected(name: Quantity, value: Any) -> None:
        overflown = np.isnan(value)
        series.setdefault(name.value, np.full(rounds + 1, np.nan))[t] = (
            np.inf if overflown else value
        )

    for t in range(rounds + 1):
        cohort = everyone(problem.clients, len(weight))
        features, value = boundary_features(problem, carry, cohort)
        expected(Quantity.GAP, weight @ value - (infimum or 0.0))
        table = forms(problem, algorithm)
        record({name: table[name] for name in BOUNDARY[1:]}, features, weight)
        if t == rounds:
            if isinstance(carry, Each):
                own = control_features(problem, carry)
                record(measured(table, own), own, weight)
            return series
        spread, spread_weight = _branch(carry, weight, len(every))
        present = np.ones((problem.clients, len(spread_weight)))
        drawn = draw_of(present, np.tile(every, (len(weight), 1, 1, 1)))
        seen = observe(problem, algorithm, rules, spread, drawn).features
        record(
            {n: q for n, q in measured(table, seen).items() if n not in BOUNDARY},
            seen,
            spread_weight,
        )
        carry, weight = move_on(
            problem, algorithm, rules, carry, weight, features, record, expected
        )
    raise AssertionError("unreachable")


def enumeration_errors(series: Series, algorithm: FedAvgP, clients: int) -> dict[str, Array]:
    """Rounding of squared differences between gradients that nearly agree."""
    gradients = np.nanmax(series[Quantity.GRADIENTS.value])
    size = _RESIDUE**2 * (algorithm.local_steps * clients) ** 2 * gradients
    return {
        name.value: np.full_like(series[name.value], size)
        for name in _DIFFERENCES
        if name.value in series
    }


def started(
    problem: Problem, algorithm: FedAvgP, rules: Any, start: Start
) -> tuple[Any, np.ndarray]:
    """The carry before round 0 under every outcome of the initial draw."""
    if rules.init_draw is fedavg_p.init_draw:
        return rules.init(problem, algorithm, start, 1), np.ones(1)
    noise = sample_patterns(problem, algorithm, range(problem.clients))
    drawn = draw_of(np.ones((problem.clients, len(noise))), noise).noise
    carry = rules.init(problem, algorithm, start, len(noise), drawn)
    return carry, np.full(len(noise), 1.0 / len(noise))


def sample_patterns(problem: Problem, algorithm: Stepping, clients: Any) -> np.ndarray:
    """Every noise of the given clients, shape (outcomes, n, K, width); the first for the others."""
    single = client_outcomes(problem, algorithm)
    chosen = [int(i) for i in clients]
    patterns = list(product(range(len(single)), repeat=len(chosen)))
    noise = np.repeat(single[:1][None], problem.clients, axis=1)
    noise = np.repeat(noise, len(patterns), axis=0)
    for position, client in enumerate(chosen):
        noise[:, client] = single[[pattern[position] for pattern in patterns]]
    return noise


def repeated(carry: Any, count: int) -> Any:
    """Every replica ``count`` times in a row."""
    arrays = (getattr(carry, f.name) for f in fields(carry))
    return type(carry)(*(np.repeat(a, count, axis=a.ndim - 2) for a in arrays))


def _branch(carry: Any, weight: np.ndarray, count: int) -> tuple[Any, np.ndarray]:
    """Repeat each replica ``count`` times, its weight divided equally."""
    return repeated(carry, count), np.repeat(weight / count, count)


def draw_of(present: np.ndarray, noise: np.ndarray) -> Draw:
    """A draw from noise of shape (R, n, K, width)."""
    replicas, n, steps, width = noise.shape
    rows = noise.transpose(2, 1, 0, 3).reshape(steps, n * replicas, width) if width else None
    return Draw(present=present, noise=rows, cohort=everyone(n, replicas))


def move_on(
    problem: Problem,
    algorithm: FedAvgP,
    rules: Any,
    carry: Any,
    weight: np.ndarray,
    features: Features,
    record: Any,
    expected: Any,
) -> tuple[Any, np.ndarray]:
    """States after one round for every set of participants and their noise; increments recorded."""
    subsets = all_participants(problem.clients, algorithm.participants)
    moved, weights, steps, means = [], [], [], []
    for subset in subsets.T:
        noise = sample_patterns(problem, algorithm, np.flatnonzero(subset))
        branched, branch_weight = _branch(carry, weight / subsets.shape[1], len(noise))
        present = np.repeat(subset[:, None], len(branch_weight), axis=1)
        drawn = draw_of(present, np.tile(noise, (len(weight), 1, 1, 1)))
        after = rules.step(problem, algorithm, branched, drawn)
        change = increments(branched, after)
        slopes = {
            name: np.repeat(features[name], len(noise), axis=1)
            for name in ("mean gradient u", "gradient v")
        }
        steps.append(change | slopes)
        means.append({name: _mean_over(a, len(noise)) for name, a in change.items()})
        moved.append(after)
        weights.append(branch_weight)
    joined = {name: np.concatenate([s[name] for s in steps], axis=1) for name in steps[0]}
    record(round_forms(problem.clients, 1.0), joined, np.concatenate(weights))
    for quantity, name, share in zip(
        _MEAN_STEPS, ("step u", "step v"), (1.0, 1.0 / problem.clients), strict=True
    ):
        mean = np.mean([each[name] for each in means], axis=0)
        expected(quantity, share * (weight @ (mean * mean).sum(axis=(0, 2))))
    arrays = [
        np.concatenate([getattr(c, f.name) for c in moved], axis=getattr(moved[0], f.name).ndim - 2)
        for f in fields(moved[0])
    ]
    return type(moved[0])(*arrays), np.concatenate(weights)


def _mean_over(array: np.ndarray, count: int) -> np.ndarray:
    """Mean over the ``count`` noises that each earlier replica was repeated for."""
    owners, replicas, width = array.shape
    grouped = array.reshape(owners, replicas // count, count, width)
    return np.asarray(grouped.mean(axis=2))
