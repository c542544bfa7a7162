"""Exact expectations, round by round, from a linear recursion of second moments.

M+ = E[(A_0 + sum s_i C_i) M (A_0 + sum s_i C_i)'] + noise, where sampling m of n without
replacement enters through P(i in S) and P(i, j in S) only.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.algorithms.participation import check_participants
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.problems import FederatedQuadratic, Start
from fedbounds.problems.linear import is_exact
from fedbounds.problems.problem import check_start

from .affine import AffineRound, driver_of, only, read_off
from .drive import Driver
from .indexed import INDEXED, REMEMBERED, indexed_series, is_indexable
from .memory import Each, Means

Array = Any
RESOLUTION = 1e-13  # of the products behind a quantity: what its own rounding may do
_FRESH = 1e-2  # rounding of one sum, in units of `RESOLUTION`


@dataclass(frozen=True, eq=False)
class Moments:
    """Expectations of every quantity; ``series[name]`` has entries for rounds 0, ..., T.

    Quantities per client have shape (n, 1, T + 1), those per client and step (n, steps, T + 1);
    they are there for small instances only. ``errors`` bounds what rounding may have done to each
    (empty for exact rationals). ``diverged_at`` is the first round whose moments are
    not finite; later entries are missing.
    """

    series: dict[str, Array]
    errors: dict[str, Array]
    diverged_at: int | None


def exact_moments(
    problem: FederatedQuadratic,
    algorithm: FedAvgP,
    start: Start,
    rounds: int,
    names: frozenset[str] | None = None,
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
    names : set of quantity names, or None
        Only these are wanted. None: all, per client and per step too where the instance is small.
    """
    check_start(problem, start)
    check_participants(algorithm.participants, problem.clients)
    indexable = (names is None or bool(names & INDEXED)) and is_indexable(problem, algorithm)
    memory: type[Each] | type[Means] | None = Each if indexable else Means
    if names is not None and not names & REMEMBERED:
        memory = None
    driver = driver_of(problem, algorithm, memory)
    found = read_off(driver)
    if names is not None:
        found = only(found, names)
    values: list[Array] = []
    sizes: list[Array] = []
    kept: list[Array] = []
    diverged_at = None
    spread = found.absent.sum() * 0
    reach = found.absent[:, 0] * 0
    absolute = abs(found.quadratic).reshape(len(found.names), found.absent.size)
    keeps = isinstance(algorithm, ScaffoldP) and not is_exact(problem.hessian)
    for t, moment in enumerate(_moments(driver, found, problem, start, rounds)):
        seen = quantities(found, moment)
        if found.spread is not None and "C" in found.names:
            seen[found.names.index("C")] += spread
            spread = _next_spread(found, moment, spread)
        values.append(seen)
        sizes.append(_sizes(found, absolute, moment, reach))
        fresh = _reach(found, moment)
        # control variates keep what rounding put into them: c - mean c_i never decays
        reach = np.maximum(reach, fresh) if keeps else fresh
        if indexable:
            kept.append(moment)
        if not is_exact(moment) and not (np.isfinite(seen).all() and np.isfinite(moment).all()):
            diverged_at = t
            break
    whole = len(values) if diverged_at is None else max(len(values) - 1, 1)
    table = np.stack(values[:whole], axis=-1)
    series = {name: table[i] for i, name in enumerate(found.names)}
    errors: dict[str, Array] = {}
    if not is_exact(found.absent):
        sizes_table = RESOLUTION * np.stack(sizes[:whole], axis=-1)
        errors = {name: sizes_table[i] for i, name in enumerate(found.names)}
    if indexable:
        with np.errstate(over="ignore", invalid="ignore"):
            own, own_errors = indexed_series(driver, kept[:whole])
        series |= own
        errors |= {name: RESOLUTION * value for name, value in own_errors.items()}
    return Moments(series, errors, diverged_at)


def _sizes(found: AffineRound, absolute: Array, moment: Array, reach: Array) -> Array:
    """Sum of the sizes of all products behind each quantity: the scale of its rounding.

    ``reach`` is what the round before added up to make the state, in units of the rounding that
    such a sum leaves.
    """
    if is_exact(moment):
        return found.constant
    with np.errstate(over="ignore", invalid="ignore"):
        behind = abs(moment) + _FRESH * np.outer(reach, reach)
        return absolute @ behind.reshape(-1) + abs(found.constant)


def _reach(found: AffineRound, moment: Array) -> Array:
    """Sums of sizes behind each entry of the next state: E |x_i x_j| <= r_i r_j."""
    if is_exact(moment):
        return found.constant
    with np.errstate(over="ignore", invalid="ignore"):
        root = np.sqrt(np.abs(np.diag(moment)))
        return (abs(found.absent) + abs(found.total)) @ root


def _moments(
    driver: Driver, found: AffineRound, problem: FederatedQuadratic, start: Start, rounds: int
) -> Iterator[Array]:
    """The second moments of rounds 0, ..., T one by one."""
    moment = initial_moment(driver, problem, start)
    yield moment
    for _ in range(rounds):
        moment = advance(found, moment)
        yield moment


def initial_moment(driver: Driver, problem: FederatedQuadratic, start: Start) -> Array:
    """E (x, 1)(x, 1)' of the start, centred at the minimiser, initial draws included.

    ``problem`` is the one that the driver has centred.
    """
    origin = problem.split(problem.minimiser) if problem.minimiser is not None else None
    moved = start if origin is None else Start(start.u - origin.u, start.v - origin.v)
    arguments = (driver.problem, driver.algorithm, moved)
    mean = driver.states(driver.rules.init(*arguments, 1))
    one = np.ones(1, dtype=mean.dtype) + problem.linear.sum() * 0
    bordered = np.concatenate([mean[:, 0], one])
    with np.errstate(over="ignore", invalid="ignore"):
        moment = np.outer(bordered, bordered)
        for variance, noise in driver.initial_noises():
            replicas = noise.shape[1] // problem.clients
            response = driver.states(driver.rules.init(*arguments, replicas, noise)) - mean
            moment[:-1, :-1] += (response * variance) @ response.T
    return moment


def advance(found: AffineRound, moment: Array) -> Array:
    """Second moments after one round."""
    single, pair = found.single, found.pair
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


def _next_spread(found: AffineRound, moment: Array, spread: Any) -> Any:
    """Spread of the remembered points about their means: participants' points are new."""
    assert found.spread is not None
    form, noise = found.spread
    with np.errstate(over="ignore", invalid="ignore"):
        fresh = (form * moment).sum() + noise
        return spread * (1 - found.single) + fresh * found.single


def quantities(found: AffineRound, moment: Array) -> Array:
    """Every quantity's expectation, in the order of ``found.names``."""
    flat = found.quadratic.reshape(len(found.names), moment.size)
    with np.errstate(over="ignore", invalid="ignore"):
        return flat @ moment.reshape(-1) + found.constant
