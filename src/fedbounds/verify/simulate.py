"""Replicas of a run in chunks of 128, each with its own random stream.

A stream depends on the instance and the chunk only, never on the claim, memory or threads; chunk
results come back in order, so that the same seed gives the same bytes.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import array_api_compat
import numpy as np
from threadpoolctl import threadpool_limits

from fedbounds.algorithms.fedavg_p import FedAvgP, rows
from fedbounds.algorithms.rules import rules_of
from fedbounds.problems import Cohort, Problem, Start, everyone, to_namespace

from .memory import Each, rules_with_memory
from .observe import Features, forms, increments, measured, observe, per_replica, round_forms

Array = Any
Series = dict[str, Array]
S = TypeVar("S")
CHUNK = 128
BOUNDARY = ("f", "G_u", "G_v", "B")


def stream(seed: int, key: int, chunk: int) -> np.random.Generator:
    """The random stream of one chunk of one instance."""
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence([seed, key, chunk])))


def boundary_features(problem: Problem, carry: Any, cohort: Cohort) -> tuple[Features, Array]:
    """Gradient features of all clients at the start of a round, and f in each replica."""
    n, replicas, _ = carry.v.shape
    xp = array_api_compat.array_namespace(carry.u)
    z = rows(carry, cohort)
    gradient = xp.reshape(problem.gradient(z, cohort), (n, replicas, -1))
    shared = gradient[:, :, : problem.shared_dimension]
    features = {
        "gradient u": shared,
        "gradient v": gradient[:, :, problem.shared_dimension :],
        "mean gradient u": xp.sum(shared, axis=0, keepdims=True) / n,
    }
    values = xp.reshape(problem.value(z, cohort), (n, replicas))
    return features, xp.sum(values, axis=0) / n


def run_chunk(
    problem: Problem,
    algorithm: FedAvgP,
    start: Start,
    rounds: int,
    replicas: int,
    rng: np.random.Generator,
    *,
    virtual: bool,
    infimum: float,
    xp: Any = np,
) -> Series:
    """Quantities of every replica, shape (replicas, T + 1) on the host.

    With ``virtual`` absent clients run too and every quantity is seen (not at round T, except the
    boundary ones); without it only f, G_u, G_v and B are, and only participants run.
    """
    rules = rules_with_memory(algorithm, Each) if virtual else rules_of(algorithm)
    drawn = rules.init_draw(problem, algorithm, rng, replicas)
    carry = rules.init(problem, algorithm, start, replicas, drawn)
    table = forms(problem, algorithm)
    moved = round_forms(problem.clients, 1.0) if virtual else {}
    out: Series = {}

    def keep(name: str, t: int, values: Array) -> None:
        series = out.setdefault(name, np.full((replicas, rounds + 1), np.nan))
        series[:, t] = to_host(values)

    cohort = everyone(problem.clients, replicas, xp)
    for t in range(rounds + 1):
        features, value = boundary_features(problem, carry, cohort)
        keep("f", t, value - infimum)
        if t < rounds:
            sample = rules.draw(problem, algorithm, rng, replicas, virtual, xp)
            if virtual:
                seen = observe(problem, algorithm, rules, carry, sample)
                after = rules.server(algorithm, carry, sample, seen.reached)
                features = features | seen.features | increments(carry, after)
                carry = after
            else:
                carry = rules.step(problem, algorithm, carry, sample)
        for name, quantity in measured(table | moved, features).items():
            keep(name, t, per_replica(quantity, features))
    return out


def to_host(array: Array) -> np.ndarray:
    """A NumPy array, copied from the device if need be."""
    return np.asarray(array.get() if hasattr(array, "get") else array)


def simulate(
    problem: Problem,
    algorithm: FedAvgP,
    start: Start,
    rounds: int,
    chunks: range,
    *,
    seed: int,
    key: int,
    reduce: Callable[[Series], S],
    workers: int = 1,
    virtual: bool = True,
    replicas: int = CHUNK,
    xp: Any = np,
) -> Iterator[S]:
    """``reduce`` of every chunk, in order; memory holds one chunk per worker.

    Parameters
    ----------
    chunks : range
        Which chunks; more replicas later continue the same streams.
    key : int
        Identifies the instance in the seed.
    """
    moved, origin = to_namespace(problem, xp), to_namespace(start, xp)
    infimum = problem.infimum()

    def one(chunk: int) -> S:
        with np.errstate(over="ignore", invalid="ignore"):  # a diverging replica tells by its sums
            series = run_chunk(
                moved,
                algorithm,
                origin,
                rounds,
                replicas,
                stream(seed, key, chunk),
                virtual=virtual,
                infimum=0.0 if infimum is None else float(infimum),
                xp=xp,
            )
        return reduce(series)

    with threadpool_limits(1, "blas"), ThreadPoolExecutor(workers) as pool:
        yield from pool.map(one, chunks)
