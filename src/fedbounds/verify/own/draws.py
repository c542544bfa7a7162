"""What a user's ``draw`` asks for randomness, and every outcome of what it asked.

Each call is one random object, independent of the others: independence is a matter of which calls
were made, not of what anybody says. ``draw`` is run once to see the calls, and a second time with
one row for every combination of their outcomes.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations, permutations, product
from math import comb, factorial, prod
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError, require
from fedbounds.problems.linear import rational

from ..measure.clients import Clients

Array = Any
MOST_OUTCOMES = 1024  # of one round
_MOST_LISTED = 16 * MOST_OUTCOMES  # of one call, before equal ones are merged


@dataclass(frozen=True, eq=False)
class Law:
    """Finitely many outcomes of one random object.

    Attributes
    ----------
    name : str
        The call.
    outcomes : array, shape (count, ...)
    chances : list of rationals
        Of each; they add up to one.
    """

    name: str
    outcomes: Array
    chances: list[fmpq]


class Random:
    """The source of all randomness of one round.

    Every method returns an array whose first axis is the row: one row for every outcome.
    """

    def __init__(self, answer: Callable[[Law], Array], exact: bool) -> None:
        self._answer = answer
        self._exact = exact

    def participants(self, clients: int, m: int) -> Array:
        """m of the clients without replacement: 0 or 1 per client, shape (rows, n)."""
        require(1 <= m <= clients, "participants m", m, f"between 1 and n = {clients}")
        _refuse_many(comb(clients, m))
        sets = combinations(range(clients), m)
        every = [[int(i in chosen) for i in range(clients)] for chosen in sets]
        return self._number(f"participants({clients}, {m})", every)

    def participants_with_replacement(self, clients: int, m: int) -> Array:
        """How often each client is drawn in m independent draws, shape (rows, n)."""
        require(m >= 1, "participants m", m, "at least 1")
        _refuse_many(clients**m)
        drawn = product(range(clients), repeat=m)
        every = [[chosen.count(i) for i in range(clients)] for chosen in drawn]
        return self._number(f"participants_with_replacement({clients}, {m})", every)

    def bernoulli(self, probability: Any, *shape: int) -> Array:
        """Independent 0 or 1, shape (rows, *shape); 1 with that probability."""
        p = rational(probability)
        require(0 <= p <= 1, "probability", probability, "between 0 and 1")
        _refuse_many(2 ** prod(shape))
        every = list(product((0, 1), repeat=prod(shape)))
        chances = [p ** sum(row) * (1 - p) ** (len(row) - sum(row)) for row in every]
        return self._number(f"bernoulli({p}, {shape})", every, shape, chances)

    def signs(self, *shape: int) -> Array:
        """Independent -1 or 1 with equal probability, shape (rows, *shape)."""
        _refuse_many(2 ** prod(shape))
        return self._number(f"signs{shape}", product((-1, 1), repeat=prod(shape)), shape)

    def index(self, count: int) -> Array:
        """A uniform number of 0, ..., count - 1, shape (rows,); integers, to select with."""
        require(count >= 1, "count", count, "at least 1")
        return self._ask(Law(f"index({count})", np.arange(count), [fmpq(1, count)] * count))

    def permutation(self, count: int) -> Array:
        """A uniform order of 0, ..., count - 1, shape (rows, count); integers, to select with."""
        _refuse_many(factorial(count))
        every = np.array(list(permutations(range(count))))
        chances = [fmpq(1, len(every))] * len(every)
        return self._ask(Law(f"permutation({count})", every, chances))

    def noise(self, problem: Clients, steps: int) -> Array:
        """The problem's gradient noise, shape (rows, n, steps, d): per client and local step."""
        shape = (problem.clients, steps, problem.dimension)
        if not problem.noise_scale:
            return self._number(f"noise{shape}, silent", [[0] * prod(shape)], shape)
        return self.signs(*shape) * problem.noise_scale

    def _number(
        self,
        name: str,
        rows: Iterable[Iterable[int]],
        shape: tuple[int, ...] | None = None,
        chances: list[fmpq] | None = None,
    ) -> Array:
        listed = [tuple(row) for row in rows]
        weights = chances or [fmpq(1, len(listed))] * len(listed)
        merged: dict[tuple[int, ...], fmpq] = {}
        for row, weight in zip(listed, weights, strict=True):
            if weight:
                merged[row] = merged.get(row, fmpq(0)) + weight
        kind = object if self._exact else np.float64
        every = np.empty((len(merged), len(listed[0])), dtype=kind)
        every[:] = [[fmpq(x) if self._exact else float(x) for x in row] for row in merged]
        own = every if shape is None else every.reshape(len(merged), *shape)
        return self._ask(Law(name, own, list(merged.values())))

    def _ask(self, law: Law) -> Array:
        return self._answer(law)


@dataclass(frozen=True, eq=False)
class Draws:
    """Every outcome of one round.

    Attributes
    ----------
    drawn : dict of arrays
        What ``draw`` returned, one row per outcome.
    chances : list of rationals
        Of each row.
    laws : tuple of Law
        In the order of the calls.
    last : dict of arrays
        What ``draw`` returned when it was asked for the last row alone.
    """

    drawn: dict[str, Array]
    chances: list[fmpq]
    laws: tuple[Law, ...]
    last: dict[str, Array]


class TooManyError(FedboundsError):
    """A round has more outcomes than are enumerated."""


def laws_of(draw: Callable[[Random], dict[str, Array]], exact: bool) -> list[Law]:
    """What a ``draw`` asks for, call by call."""
    laws: list[Law] = []

    def first(law: Law) -> Array:
        laws.append(law)
        return law.outcomes[:1]

    draw(Random(first, exact))
    return laws


def every_draw(draw: Callable[[Random], dict[str, Array]], exact: bool) -> Draws:
    """All outcomes of what a ``draw`` asks for.

    Raises
    ------
    TooManyError
        If there are more than `MOST_OUTCOMES`.
    FedboundsError
        If the calls depend on outcomes.
    """
    laws = laws_of(draw, exact)
    count = prod(len(law.chances) for law in laws)
    if count > MOST_OUTCOMES:
        raise TooManyError(f"a round has {count} outcomes; at most {MOST_OUTCOMES} are enumerated")
    digits = np.unravel_index(np.arange(count), [len(law.chances) for law in laws] or [1])

    def rows(at: slice) -> dict[str, Array]:
        again: list[str] = []

        def chosen(law: Law) -> Array:
            number = len(again)
            again.append(law.name)
            if number >= len(laws) or law.name != laws[number].name:
                raise FedboundsError(
                    f"draw asked for {law.name} as call {number + 1}; its calls must not depend on "
                    "outcomes"
                )
            return law.outcomes[digits[number][at]]

        found = draw(Random(chosen, exact))
        if len(again) != len(laws):
            raise FedboundsError("draw made fewer calls; they must not depend on outcomes")
        return found

    drawn, last = rows(slice(None)), rows(slice(-1, None))
    chances = [fmpq(1)] * count
    for law, at in zip(laws, digits, strict=False):
        chances = [chance * law.chances[i] for chance, i in zip(chances, at, strict=True)]
    return Draws(drawn, chances, tuple(laws), last)


def _refuse_many(count: int) -> None:
    """Raise before so many outcomes of one call are listed."""
    if count > _MOST_LISTED:
        raise TooManyError(
            f"a call has {count} outcomes; at most {_MOST_LISTED} are listed, and "
            f"{MOST_OUTCOMES} of a round enumerated"
        )
