"""What ``draw`` and ``init`` ask for randomness: a call is a source, independent of the others.

Independence is a matter of which calls were made, not of what anybody says. A function is run once
to see its calls, and again with an answer to each: a row per outcome, unknowns, or samples.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError, require
from fedbounds.problems import NoiseLaw

from .clients import Clients
from .sources import (
    Cohorts,
    Copies,
    Index,
    LikeNormal,
    Normal,
    Participants,
    Permutation,
    Source,
    TooManyError,
    WithReplacement,
    bernoulli,
    listed,
    signs,
    told,
    zeros,
)

Array = Any
Drawn = dict[str, Array]
MOST_OUTCOMES = 1024  # of one round


class Random:
    """Everything random that an algorithm may use; each method returns one row per outcome.

    Parameters
    ----------
    answer : function of a source
        Returns its array, shape (rows, *shape of the source).
    """

    def __init__(self, answer: Callable[[Source], Array]) -> None:
        self._answer = answer

    @property
    def ask(self) -> Callable[[Source], Array]:
        """What answers."""
        return self._answer

    def participants(self, clients: int, m: int) -> Array:
        """m of the clients without replacement: 0 or 1 per client, shape (rows, n)."""
        return self._answer(Participants(int(clients), int(m)))

    def participants_with_replacement(self, clients: int, m: int) -> Array:
        """How often each client is drawn in m independent draws, shape (rows, n)."""
        return self._answer(WithReplacement(int(clients), int(m)))

    def cohort(self, clients: int, law: Any) -> tuple[Array, Array]:
        """Who takes part, and the weights 1_S/|S|: both of shape (rows, n), of one random object.

        ``law`` is a number of clients, without replacement; or a list of cohorts, each as likely as
        the others and given by how often every client is in it.
        """
        if not getattr(law, "ndim", 0):
            present = self.participants(clients, law)
            return present, present / law
        source = Cohorts(tuple(tuple(map(_whole, row)) for row in law), int(clients))
        found = self._answer(source)
        return found[:, 0, :], found[:, 1, :] / source.scale

    def bernoulli(self, probability: Any, *shape: int) -> Array:
        """Independent 0 or 1, shape (rows, *shape); 1 with that probability."""
        number = probability
        if getattr(probability, "ndim", None) == 0:  # a number of another array library
            number = float(probability)
        return self._answer(bernoulli(number, *map(int, shape)))

    def signs(self, *shape: int) -> Array:
        """Independent -1 or 1 with equal probability, shape (rows, *shape)."""
        return self._answer(signs(*map(int, shape)))

    def normal(self, *shape: int) -> Array:
        """Independent standard Gaussian entries, shape (rows, *shape)."""
        return self._answer(Normal(tuple(map(int, shape))))

    def index(self, count: int) -> Array:
        """A uniform number of 0, ..., count - 1, shape (rows,); to select with."""
        return self._answer(Index(int(count)))

    def permutation(self, count: int) -> Array:
        """A uniform order of 0, ..., count - 1, shape (rows, count); to select with."""
        return self._answer(Permutation(int(count)))

    def noise(self, problem: Clients, steps: int) -> Array:
        """The problem's gradient noise, shape (rows, n, steps, d): per client and local step.

        Of the shared coordinates; that of personal blocks is `personal_noise`.
        """
        along = problem.noise_along
        if along is None:
            return self._noise(problem, steps, problem.dimension, problem.noise_scale)
        return self._noise(problem, steps, 1, problem.noise_scale) * along

    def noise_on(self, problem: Clients, kept: Array) -> Array:
        """The same where ``kept`` (n, steps, d) is 1, and nothing where it is 0."""
        places = [bool(one) for one in problem.xp.reshape(kept, (-1,))]
        own = iter(range(sum(places)))
        found = self._noise_of((sum(places),), problem.noise_law, problem.noise_scale)
        silent = found[:, 0] * 0
        each = [found[:, next(own)] if one else silent for one in places]
        return problem.xp.reshape(problem.xp.stack(each, axis=1), (found.shape[0], *kept.shape))

    def personal_noise(self, problem: Clients, steps: int) -> Array:
        """Noise of the gradients of personal blocks, shape (rows, n, steps, d_v)."""
        return self._noise(problem, steps, problem.personal_dimension, problem.personal_noise_scale)

    def samples(self, problem: Clients, steps: int, batch: int = 1) -> Array:
        """Minibatches: weights of every client's samples in each step, shape (rows, n, steps, n_s).

        ``batch`` samples are drawn with replacement; weights add up to one.
        """
        one = WithReplacement(problem.samples, int(batch))
        source = Copies(one, (int(problem.clients), int(steps)))
        return self._answer(source) / batch

    def _noise(self, problem: Clients, steps: int, dimension: int, scale: Any) -> Array:
        return self._noise_of(
            (int(problem.clients), int(steps), dimension), problem.noise_law, scale
        )

    def _noise_of(self, shape: tuple[int, ...], law: NoiseLaw, scale: Any) -> Array:
        if not scale:
            return self._answer(zeros(*shape))
        gaussian = law is NoiseLaw.GAUSSIAN
        return (self.normal if gaussian else self.signs)(*shape) * scale


class Listing(Random):
    """Gaussian entries are others that are listed: with its moments up to the fifth."""

    def normal(self, *shape: int) -> Array:
        """Independent entries, shape (rows, *shape); see `LikeNormal`."""
        return self._answer(LikeNormal(tuple(map(int, shape))))


def _whole(number: Any) -> int:
    require(number == int(number), "times that a client is in a cohort", number, "a whole number")
    return int(number)


Asks = Callable[[Random], Drawn]


def sources_of(draw: Asks, exact: bool) -> list[Source]:
    """What a function asks for, call by call; it is answered with one outcome of each."""
    sources: list[Source] = []

    def first(source: Source) -> Array:
        sources.append(source)
        row = source.sample(np.random.default_rng(0), 1)
        return _shaped(row * 0 if source.count is None else row, source, exact=exact)

    draw(Random(first))
    return sources


def answered(draw: Asks, sources: Sequence[Source], answers: Sequence[Array]) -> Drawn:
    """What a function makes of an answer to each of its calls.

    Raises
    ------
    FedboundsError
        If it calls for something else than before.
    """
    made = 0

    def chosen(source: Source) -> Array:
        nonlocal made
        made += 1
        if made > len(sources) or source.name != sources[made - 1].name:
            raise FedboundsError(
                f"draw asked for {source.name} as call {made}; its calls must not depend on "
                "outcomes"
            )
        return answers[made - 1]

    found = draw(Random(chosen))
    if made != len(sources):
        raise FedboundsError("draw made fewer calls; they must not depend on outcomes")
    return found


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Every joint outcome of some sources, the last one fastest.

    Attributes
    ----------
    sources : tuple of Source
    answers : tuple of arrays
        Of each source, one row per joint outcome.
    chances : list of rationals
        Of each row.
    """

    sources: tuple[Source, ...]
    answers: tuple[Array, ...]
    chances: list[fmpq]


def outcomes(sources: Sequence[Source], exact: bool, most: int = MOST_OUTCOMES) -> Outcomes:
    """All joint outcomes.

    Raises
    ------
    TooManyError
        If there are more than ``most``.
    """
    count = count_of(sources)
    if count > most:
        raise TooManyError(f"a round has {told(count)} outcomes; at most {most} are enumerated")
    every = [listed(source) for source in sources]
    digits = np.unravel_index(np.arange(count), [len(own) for own in every] or [1])
    answers, chances = [], [fmpq(1)] * count
    for source, own, at in zip(sources, every, digits, strict=False):
        rows = np.array([row for row, _ in own], dtype=object).reshape(len(own), -1)
        answers.append(_shaped(rows[at], source, exact=exact))
        chances = [chance * own[i][1] for chance, i in zip(chances, at, strict=True)]
    return Outcomes(tuple(sources), tuple(answers), chances)


def sampled(sources: Sequence[Source], exact: bool, rows: int) -> list[Array]:
    """Some outcomes of each source, the same ones every time."""
    random = np.random.default_rng(0)
    return [_shaped(source.sample(random, rows), source, exact=exact) for source in sources]


def count_of(sources: Sequence[Source]) -> int:
    """Joint outcomes of sources.

    Raises
    ------
    TooManyError
        If one has infinitely many.
    """
    total = 1
    for source in sources:
        if source.count is None:
            raise TooManyError(f"{source.name} has infinitely many outcomes")
        total *= source.count
    return total


def _shaped(rows: Array, source: Source, exact: bool) -> Array:
    """Rows of whole numbers as an array of rationals, of floats, or of numbers to select with."""
    if source.selects:
        found = rows.astype(np.int64)
    elif exact:
        found = np.empty(rows.shape, dtype=object)
        found.reshape(-1)[:] = [fmpq(int(x)) for x in rows.reshape(-1)]
    else:
        found = rows.astype(np.float64)
    return found.reshape(len(rows), *source.shape)
