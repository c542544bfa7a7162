"""Exact expectations, round by round, from a linear recursion of second moments.

M+ = E[(A_0 + sum s_i C_i) M (A_0 + sum s_i C_i)'] + noise, where sampling m of n without
replacement enters through P(i in S) and P(i, j in S) only.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.algorithms.participation import check_participants, inclusion
from fedbounds.algorithms.rules import rules_of
from fedbounds.problems import FederatedQuadratic, Start
from fedbounds.problems.linear import is_exact, rational
from fedbounds.problems.problem import check_start

from .affine import (
    AffineRound,
    check_size,
    drift_by_step,
    flatten,
    initial_probes,
    read_off,
    rest,
)

Array = Any


@dataclass(frozen=True, eq=False)
class Moments:
    """Expectations of every quantity; ``series[name]`` has entries for rounds 0, ..., T.

    ``diverged_at`` is the first round whose moments are not finite; later entries are missing.
    """

    series: dict[str, Array]
    diverged_at: int | None


def exact_moments(
    problem: FederatedQuadratic, algorithm: FedAvgP, start: Start, rounds: int
) -> Moments:
    """Expectations of all quantities of a run on quadratics, without sampling.

    Parameters
    ----------
    problem : FederatedQuadratic
        In float64, or in exact rationals: then so is the result.
    start : Start
        In the problem's own coordinates.
    rounds : int
        T.
    """
    found, moments = _follow(problem, algorithm, start, rounds)
    values: list[Array] = []
    diverged_at = None
    for t, moment in enumerate(moments):
        seen = quantities(found, moment)
        values.append(seen)
        if not is_exact(moment) and not (np.isfinite(seen).all() and np.isfinite(moment).all()):
            diverged_at = t
            break
    table = np.stack(values if diverged_at is None else values[:-1] or values, axis=-1)
    return Moments({name.value: table[i] for i, name in enumerate(found.names)}, diverged_at)


def exact_drift(
    problem: FederatedQuadratic, algorithm: FedAvgP, start: Start, rounds: int
) -> Array:
    """E_{i,k}^t = E(||u_{i,k} - u||^2 + ||v_{i,k} - v_i||^2) of the virtual iterates, exactly.

    Returns
    -------
    array, shape (n, K, T + 1)
        Summed over clients and steps it is the series "E" of `exact_moments`.
    """
    _, moments = _follow(problem, algorithm, start, rounds)
    response, noise = drift_by_step(problem.centred(), algorithm)
    drift = [(np.matmul(response, m) * response).sum(axis=(2, 3)) + noise for m in moments]
    return np.stack(drift, axis=-1)


def _follow(
    problem: FederatedQuadratic, algorithm: FedAvgP, start: Start, rounds: int
) -> tuple[AffineRound, Iterator[Array]]:
    """The affine round, and the second moments of rounds 0, ..., T one by one."""
    check_start(problem, start)
    check_participants(algorithm.participants, problem.clients)
    check_size(problem, algorithm)
    found = read_off(problem.centred(), algorithm)
    number: Callable[[Any], Any] = rational if is_exact(problem.hessian) else float
    single, pair = (number(p) for p in inclusion(problem.clients, algorithm.participants))

    def moments() -> Iterator[Array]:
        moment = initial_moment(problem, algorithm, start)
        yield moment
        for _ in range(rounds):
            moment = advance(found, moment, single, pair)
            yield moment

    return found, moments()


def initial_moment(problem: FederatedQuadratic, algorithm: FedAvgP, start: Start) -> Array:
    """E (x, 1)(x, 1)' of the start, centred at the minimiser, initial draws included."""
    centred, init = problem.centred(), rules_of(algorithm).init
    origin = problem.split(problem.minimiser) if problem.minimiser is not None else None
    moved = start if origin is None else Start(start.u - origin.u, start.v - origin.v)
    still = flatten(rest(centred, algorithm))
    mean = flatten(init(centred, algorithm, moved, 1)) - still
    bordered = np.concatenate([mean[:, 0], np.ones(1, dtype=mean.dtype)])
    with np.errstate(over="ignore"):
        moment = np.outer(bordered, bordered)
    for variance, noise in initial_probes(centred, algorithm):
        replicas = noise.shape[1] // problem.clients
        response = flatten(init(centred, algorithm, moved, replicas, noise)) - still - mean
        moment[:-1, :-1] += (response * variance) @ response.T
    return moment


def advance(found: AffineRound, moment: Array, single: Any, pair: Any) -> Array:
    """Second moments after one round; ``single`` = P(i in S), ``pair`` = P(i, j in S)."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean = found.absent + found.total * single
        after = mean @ moment @ mean.T + found.covariance * single
        if single != 1:
            after = after + (found.total @ moment @ found.total.T) * (pair - single * single)
            for block in found.blocks:
                inner = moment[np.ix_(block.columns, block.columns)]
                spread = block.values @ inner @ block.values.T
                after[np.ix_(block.rows, block.rows)] += spread * (single - pair)
        # rounding would otherwise feed an antisymmetric part that grows
        return after / 2 + after.T / 2


def quantities(found: AffineRound, moment: Array) -> Array:
    """Every quantity's expectation, in the order of ``found.names``."""
    flat = found.quadratic.reshape(len(found.names), -1)
    with np.errstate(over="ignore", invalid="ignore"):
        return flat @ moment.reshape(-1) + found.constant
