"""Every vector that the proofs speak of, in one round, under every outcome of the randomness.

The algorithm's own rules are driven with every draw, so that what a vector depends on is seen in
the draws. `outcome_values` evaluates statements on these arrays.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import comb
from typing import Any

import numpy as np

from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.algorithms.participation import all_participants, check_participants
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.errors import FedboundsError, require, unknown_name
from fedbounds.problems import Problem, Start, everyone

from .enumeration import (
    client_outcomes,
    draw_of,
    draws_at_start,
    enumerate_run,
    move_on,
    repeated,
    sample_patterns,
    started,
)
from .memory import Each, rules_with_memory
from .observe import Seen, increments, observe
from .simulate import Series, boundary_features

Array = Any
MOST_ROWS = 20_000  # pasts times sets of participants times samples of the round
_ROUNDING = 1e-12  # of the largest entry: what varies by less is constant
ROUND = ("past", "S", "xi", "i", "k")
STEP = ("past", "S", "old", "new", "rest")
PERSONAL = frozenset({"v", "vh", "vp", "av", "hv", "Yv", "dv", "be", "be1"})
_IN_A_STEP = frozenset(
    {*("u", "v", "uh", "vh", "up", "vp", "hu", "hv", "au", "av", "gu", "Yu", "Yv")}
    | {"c", "ci", "d", "di"}
)


@dataclass(frozen=True, eq=False)
class Outcomes:
    """The vectors of round t, one axis per source of randomness and a last one for coordinates.

    Attributes
    ----------
    sources : tuple of str
        `ROUND`; or `STEP`, for one client and one local step.
    weights : tuple of arrays
        Probabilities of each source's outcomes: the sources are independent.
    vectors : mapping from name to array
    present : array
        1 where the client takes part, shaped like a vector with one coordinate.
    samples : array, shape (outcomes, n, K, width)
        What makes the gradients of the round stochastic.
    t : int
        The round.
    client, step : int or None
        Which, in the scope of a step.
    series : mapping from name to array
        Measured quantities, per round.
    scale : float
        Largest entry of any vector, to which rounding is compared.
    """

    sources: tuple[str, ...]
    weights: tuple[np.ndarray, ...]
    vectors: Mapping[str, np.ndarray]
    present: np.ndarray
    samples: np.ndarray
    t: int
    client: int | None
    step: int | None
    series: Series
    scale: float

    def vector(self, name: str) -> np.ndarray:
        """The array of that name."""
        if name not in self.vectors:
            raise unknown_name("vector", name, self.vectors)
        return self.vectors[name]


def round_outcomes(problem: Problem, algorithm: FedAvgP, start: Start, rounds: int) -> Outcomes:
    """The vectors of round t = ``rounds - 1`` under every outcome of rounds 0, ..., t.

    Raises
    ------
    FedboundsError
        If the noise has infinitely many outcomes, there are more than `MOST_ROWS`, the algorithm
        is another than FedAvg-P or Scaffold-P, or the iterates overflow.
    """
    require(rounds >= 1, "rounds", rounds, "at least 1")
    kind = type(algorithm)
    require(kind in (FedAvgP, ScaffoldP), "algorithm", kind.__name__, "FedAvgP or ScaffoldP")
    check_participants(algorithm.participants, problem.clients)
    count = _rows(problem, algorithm, rounds)
    require(count <= MOST_ROWS, "number of outcomes to enumerate", count, f"at most {MOST_ROWS}")
    rules = rules_with_memory(algorithm, Each)
    subsets = all_participants(problem.clients, algorithm.participants)
    samples = sample_patterns(problem, algorithm, range(problem.clients))
    with np.errstate(over="ignore", invalid="ignore"):  # what diverges is refused below
        carry, weight = _past(problem, algorithm, rules, start, rounds - 1)
        pasts, sets, draws = len(weight), subsets.shape[1], len(samples)
        here = repeated(carry, sets * draws)
        present = np.tile(np.repeat(subsets, draws, axis=1), (1, pasts))
        drawn = draw_of(present, np.tile(samples, (pasts * sets, 1, 1, 1)))
        seen = observe(problem, algorithm, rules, here, drawn)
        after = rules.server(algorithm, here, drawn, seen.reached)
        arrays = _vectors(problem, algorithm, here, seen, after)
    sizes = (pasts, sets, draws, problem.clients, algorithm.local_steps)
    vectors = {name: _shaped(array, sizes) for name, array in arrays.items()}
    scale = float(np.max([abs(a).max(initial=0.0) for a in vectors.values()]))
    require(bool(np.isfinite(scale)), "largest entry of a vector", scale, "a finite number")
    return Outcomes(
        sources=ROUND,
        weights=(weight, *(np.full(size, 1 / size) for size in sizes[1:])),
        vectors=vectors,
        present=subsets.T[None, :, None, :, None, None],
        samples=samples,
        t=rounds - 1,
        client=None,
        step=None,
        series=enumerate_run(problem, algorithm, start, rounds),
        scale=scale,
    )


def of_client(outcomes: Outcomes, client: int) -> Outcomes:
    """The same round seen from one client: no mean is taken over clients."""
    require(outcomes.sources == ROUND, "scope", outcomes.sources, "that of a round")
    n, axis = outcomes.samples.shape[1], ROUND.index("i")
    require(0 <= client < n, "client", client, f"between 0 and {n - 1}")
    return replace(
        outcomes,
        sources=tuple(source for source in ROUND if source != "i"),
        weights=tuple(w for at, w in enumerate(outcomes.weights) if at != axis),
        vectors={name: array.take(client, axis) for name, array in outcomes.vectors.items()},
        present=outcomes.present.take(client, axis),
        client=client,
    )


def step_outcomes(outcomes: Outcomes, client: int, step: int) -> Outcomes:
    """The same round seen from one client's local step: its samples split in three.

    ``old`` are the samples of all clients at earlier steps, ``new`` is the client's sample of this
    step, and ``rest`` is what nothing named in this scope may depend on.
    """
    require(outcomes.sources == ROUND, "scope", outcomes.sources, "that of a round")
    _, n, steps, _ = outcomes.samples.shape
    require(0 <= client < n, "client", client, f"between 0 and {n - 1}")
    require(0 <= step < steps, "local step", step, f"between 0 and {steps - 1}")
    order, sizes = _split_samples(outcomes.samples, client, step)
    pasts, sets = (len(w) for w in outcomes.weights[:2])
    vectors = {
        name: array[:, :, order, client, step].reshape(pasts, sets, *sizes, array.shape[-1])
        for name, array in outcomes.vectors.items()
        if name in _IN_A_STEP
    }
    return replace(
        outcomes,
        sources=STEP,
        weights=(*outcomes.weights[:2], *(np.full(size, 1 / size) for size in sizes)),
        vectors=vectors,
        present=outcomes.present[:, :, :, client, :, None, :],
        client=client,
        step=step,
    )


def depends_on(outcomes: Outcomes, name: str) -> frozenset[str]:
    """The sources along which a vector varies by more than rounding."""
    array = outcomes.vector(name)
    least = _ROUNDING * outcomes.scale
    return frozenset(
        source
        for axis, source in enumerate(outcomes.sources)
        if array.size and np.ptp(array, axis=axis).max() > least
    )


def _rows(problem: Problem, algorithm: FedAvgP, rounds: int) -> int:
    """Outcomes of everything up to the end of the last round, absent clients' samples included."""
    single, n, m = len(client_outcomes(problem, algorithm)), problem.clients, algorithm.participants
    sets = comb(n, m)
    first = single**n if draws_at_start(algorithm) else 1
    return int(first * (sets * single**m) ** (rounds - 1) * sets * single**n)


def _past(
    problem: Problem, algorithm: FedAvgP, rules: Any, start: Start, rounds: int
) -> tuple[Any, np.ndarray]:
    """The state after so many rounds under every outcome, with the probabilities."""

    def ignore(*_: Any) -> None:
        """Nothing is measured on the way."""

    carry, weight = started(problem, algorithm, rules, start)
    for _ in range(rounds):
        features, _ = boundary_features(problem, carry, everyone(problem.clients, len(weight)))
        carry, weight = move_on(problem, algorithm, rules, carry, weight, features, ignore, ignore)
    return carry, weight


def _vectors(
    problem: Problem, algorithm: FedAvgP, here: Any, seen: Seen, after: Any
) -> dict[str, Array]:
    """Every vector, shape (K or 1, n or 1, R, d) or without leading axes of length one."""
    d_u, steps = problem.shared_dimension, algorithm.local_steps
    n, replicas, _ = here.v.shape
    reached = seen.reached.rows if isinstance(here, Each) else seen.reached
    points = np.stack([*seen.points, reached.reshape(n, replicas, -1)])
    exact, noisy = np.stack(seen.gradients), np.stack(seen.noisy)
    change = increments(here, after)
    now, then, between = (
        _gradients(problem, point) for point in (here, after, replace(after, u=here.u))
    )
    found = {
        **{"u": here.u, "v": here.v, "du": change["step u"], "dv": change["step v"]},
        **{"uh": points[:steps, ..., :d_u], "vh": points[:steps, ..., d_u:]},
        **{"up": points[1:, ..., :d_u], "vp": points[1:, ..., d_u:]},
        **{"hu": exact[..., :d_u], "hv": exact[..., d_u:]},
        **{"Yu": (noisy - exact)[..., :d_u], "Yv": (noisy - exact)[..., d_u:]},
        **{"au": now["gradient u"], "av": now["gradient v"], "gu": now["mean gradient u"]},
        **{"nu": then["gradient u"], "wu": between["gradient u"]},
    }
    if isinstance(here, Each):
        found |= _memory(problem, algorithm, here, after)
    return found


def _memory(problem: Problem, algorithm: FedAvgP, here: Each, after: Each) -> dict[str, Array]:
    """The control variates, and the last participation before and after the round."""
    d_u, steps = problem.shared_dimension, algorithm.local_steps
    n, replicas, _ = here.v.shape

    def by_step(array: Array) -> Array:
        width = array.shape[2] // steps
        return array.reshape(n, replicas, steps, width).transpose(2, 0, 1, 3)

    past, later = by_step(here.points), by_step(after.points)
    cohort = everyone(n, replicas)
    slopes = [problem.gradient(z.reshape(n * replicas, -1), cohort) for z in past]
    return {
        **{"ci": here.controls, "c": here.control},
        **{"di": here.exact, "d": here.exact.sum(axis=0) / n},
        **{"al": past[..., :d_u], "be": past[..., d_u:]},
        **{"al1": later[..., :d_u], "be1": later[..., d_u:]},
        "eu": np.stack([s.reshape(n, replicas, -1)[:, :, :d_u] for s in slopes]),
        "Wh": by_step(here.noise),
    }


def _gradients(problem: Problem, carry: Any) -> dict[str, Array]:
    """Gradients of all clients at (u, v_i) of a carry."""
    cohort = everyone(problem.clients, carry.u.shape[0])
    return boundary_features(problem, carry, cohort)[0]


def _shaped(array: Array, sizes: tuple[int, ...]) -> np.ndarray:
    """One axis per source of a round, filled out: no axis is assumed constant."""
    leading = (1,) * (4 - array.ndim) + array.shape
    steps, clients, _, width = leading
    rows = array.reshape(leading).transpose(2, 1, 0, 3)
    shaped = rows.reshape(*sizes[:3], clients, steps, width)
    return np.broadcast_to(shaped, (*sizes, width))


def _split_samples(
    samples: np.ndarray, client: int, step: int
) -> tuple[np.ndarray, tuple[int, ...]]:
    """An order of the outcomes in which they are the product of old, new and rest; its sizes."""
    taken = np.zeros(samples.shape[1:3], dtype=bool)
    taken[:, :step] = True
    old = taken.copy()
    taken[client, step] = True
    labels = [
        _labels(part) for part in (samples[:, old], samples[:, client, step], samples[:, ~taken])
    ]
    sizes = tuple(int(label.max()) + 1 for label in labels)
    flat = np.ravel_multi_index(tuple(labels), sizes)
    if not np.array_equal(np.sort(flat), np.arange(np.prod(sizes))):
        raise FedboundsError("the samples of a round are not independent over clients and steps")
    return np.argsort(flat), sizes


def _labels(rows: np.ndarray) -> np.ndarray:
    """A number for each row, the same for equal rows."""
    known: dict[bytes, int] = {}
    return np.array([known.setdefault(row.tobytes(), len(known)) for row in rows])
