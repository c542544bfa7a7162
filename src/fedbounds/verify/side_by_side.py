"""Two algorithms side by side on the same draws, and the first difference that their runs show."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.fedavg_p import Draw
from fedbounds.algorithms.rules import rules_of
from fedbounds.errors import require
from fedbounds.problems import Problem, Start, everyone
from fedbounds.vocabulary import Verdict

Array = Any
_COPIES = 4  # of every first set of participants, each followed by others


@dataclass(frozen=True)
class Comparison:
    """What one problem says about two algorithms.

    Attributes
    ----------
    verdict : Verdict
    reason : str
        What was compared.
    deviation : str or float or None
        Largest difference of a coordinate of u or v, "p/q" where exact; None if nothing was run.
    round : int or None
        The round whose result differs first.
    where : str
        Start, participants, noise, coordinate, and its values: the general algorithm's first.
    candidate : bool
        Float64 found a difference beyond rounding: open until an exact replay settles it.
    """

    verdict: Verdict
    reason: str
    deviation: str | float | None = None
    round: int | None = None
    where: str = ""
    candidate: bool = False


@dataclass(frozen=True, eq=False)
class Two:
    """A problem and two algorithms on it."""

    problem: Problem
    general: Any
    special: Any

    def __post_init__(self) -> None:
        pair = (self.general.participants, self.special.participants)
        require(pair[0] == pair[1], "participants m of the two", pair, "equal, to share draws")

    @property
    def both(self) -> tuple[Any, Any]:
        return self.general, self.special

    @property
    def local_steps(self) -> int:
        """Steps of noise to draw: an algorithm with fewer leaves the last unused."""
        return max(int(algorithm.local_steps) for algorithm in self.both)

    def initial_draw(self, rng: np.random.Generator, replicas: int) -> Any:
        """What the start draws; the same for both, None if neither draws."""
        drawn = [rules_of(a).init_draw(self.problem, a, rng, replicas) for a in self.both]
        shapes = {noise.shape for noise in drawn if noise is not None}
        require(len(shapes) <= 1, "shapes of the initial draws", shapes, "one, to share draws")
        return next((noise for noise in drawn if noise is not None), None)

    def starts(self, start: Start, replicas: int, drawn: Any) -> list[Any]:
        """The initial carries of both."""
        return [rules_of(a).init(self.problem, a, start, replicas, drawn) for a in self.both]

    def step(self, carries: list[Any], drawn: Draw) -> list[Any]:
        """One round of both."""
        pairs = zip(self.both, carries, strict=True)
        return [rules_of(a).step(self.problem, a, carry, drawn) for a, carry in pairs]


def differing_run(two: Two, start: Start, sets: Array, rounds: int) -> Comparison:
    """The first difference of runs: every set first, without noise and with signs as noise."""
    problem = two.problem
    n, count = problem.clients, sets.shape[1]
    rng = np.random.default_rng(0)
    replicas, d = 2 * _COPIES * count, problem.shared_dimension + problem.personal_dimension
    noisy = np.arange(replicas) >= replicas // 2

    def signs(steps: int) -> Array:
        found = (2 * rng.integers(0, 2, (steps, n, replicas, d)) - 1) * noisy[:, None]
        return (found.astype(object) + fmpq(0)).reshape(steps, n * replicas, d)

    asked = two.initial_draw(rng, replicas)
    initial = None if asked is None else signs(len(asked))
    carries = two.starts(start, replicas, initial)
    draws = []
    for t in range(rounds):
        chosen = np.arange(replicas) % count if t == 0 else rng.integers(0, count, replicas)
        draws.append(Draw(sets[:, chosen], signs(two.local_steps), everyone(n, replicas)))
        carries = two.step(carries, draws[-1])
        found = _first_difference(carries)
        if found is not None:
            replica, place, difference, values = found
            noises = [initial, *(drawn.noise for drawn in draws)] if noisy[replica] else []
            return Comparison(
                Verdict.VIOLATED,
                f"runs on equal draws differ after round {t}",
                deviation=str(difference),
                round=t,
                where=f"from {_point(start)}; participants {_participants(draws, replica)}; "
                f"{_noise(noises, replicas, replica)}; {place} is {values[0]} against {values[1]}",
            )
    return Comparison(
        Verdict.UNDECIDED,
        f"rounds differ at some state, but no run of {rounds} rounds was seen to reach one",
    )


def _first_difference(carries: list[Any]) -> tuple[int, str, Any, tuple[Any, Any]] | None:
    """The first replica where u or v differ, its largest difference, and both values there."""
    first, second = ([carry.u[None], carry.v] for carry in carries)
    differ = [abs(a - b) for a, b in zip(first, second, strict=True)]
    replicas = differ[0].shape[1]
    for r in range(replicas):
        entries = [
            (block[i, r, j], name.format(i=i, j=j), (a[i, r, j], b[i, r, j]))
            for block, a, b, name in zip(
                differ, first, second, ("u[{j}]", "v[{i}][{j}]"), strict=True
            )
            for i, j in np.ndindex(block.shape[0], block.shape[2])
        ]
        size, place, values = max(entries, key=lambda entry: entry[0])
        if size > 0:
            return r, place, size, values
    return None


def _point(start: Start) -> str:
    return f"u = {_numbers(start.u)}, v = {_numbers(start.v)}"


def _noise(noises: list[Array | None], replicas: int, replica: int) -> str:
    """The noise of one replica: of its start, if that draws, then of its rounds."""
    if not noises:
        return "no noise"
    drawn = [noise for noise in noises if noise is not None]
    own = (x.reshape(len(x), -1, replicas, x.shape[-1])[:, :, replica] for x in drawn)
    return "noise by [k][i] " + " then ".join(map(_numbers, own))


def _numbers(array: Array) -> str:
    """Nested brackets of exact numbers."""
    if array.ndim == 0:
        return str(array)
    return "[" + ", ".join(_numbers(np.asarray(part, dtype=object)) for part in array) + "]"


def _participants(draws: list[Draw], replica: int) -> str:
    sets = (np.flatnonzero(drawn.present[:, replica]) for drawn in draws)
    return " then ".join("{" + ", ".join(map(str, chosen)) + "}" for chosen in sets)
