"""Sources of randomness: a law that lists its outcomes, and that gives E of a monomial.

A monomial is a mapping from the number of an entry, counted along the flattened array, to its
power. Every source is independent of every other; entries of one source may depend on each other.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise, permutations, product
from math import comb, factorial, lcm, perm, prod
from typing import Protocol

import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError, require
from fedbounds.problems.linear import rational

MOST_LISTED = 16_384  # outcomes of one source
_FEW_BITS = 40  # of a number that is told by its digits

Powers = Mapping[int, int]
Row = tuple[int, ...]


class TooManyError(FedboundsError):
    """There are more outcomes than are enumerated."""


def told(count: int) -> str:
    """A number of outcomes, in a few letters: it may have thousands of digits."""
    bits = count.bit_length() - 1
    return str(count) if bits < _FEW_BITS else f"more than 2**{bits}"


class Source(Protocol):
    """What an algorithm asks for in one call.

    Attributes
    ----------
    name : str
        The call, as it is told to a reader.
    shape : tuple of int
        Of one outcome.
    selects : bool
        Whether outcomes are whole numbers to select with, which have no monomials.
    independent : bool
        Whether its entries are independent, all of one law.
    """

    @property
    def name(self) -> str:
        """The call."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one outcome."""

    @property
    def selects(self) -> bool:
        """Whether outcomes are numbers to select with."""

    @property
    def independent(self) -> bool:
        """Whether its entries are independent, all of one law."""

    @property
    def count(self) -> int | None:
        """How many different outcomes there are; None if infinitely many."""

    def outcomes(self) -> list[tuple[Row, fmpq]]:
        """Every outcome, its entries in order, with its probability."""

    def moment(self, powers: Powers) -> fmpq:
        """E of a monomial in the entries."""

    def sample(self, random: np.random.Generator, rows: int) -> np.ndarray:
        """Outcomes, shape (rows, entries)."""


def is_centred(source: Source) -> bool:
    """Whether its entries are independent, with mean 0."""
    return source.independent and not source.moment({0: 1})


def listed(source: Source) -> list[tuple[Row, fmpq]]:
    """Outcomes of a source that has few.

    Raises
    ------
    TooManyError
        If there are infinitely many, or more than `MOST_LISTED`.
    """
    if source.count is None:
        raise TooManyError(f"{source.name} has infinitely many outcomes")
    if source.count > MOST_LISTED:
        raise TooManyError(
            f"{source.name} has {told(source.count)} outcomes; at most {MOST_LISTED} are listed"
        )
    return source.outcomes()


@dataclass(frozen=True)
class Participants:
    """m of n clients without replacement: 0 or 1 per client."""

    clients: int
    m: int
    selects = False
    independent = False

    def __post_init__(self) -> None:
        expected = f"between 1 and n = {self.clients}"
        require(1 <= self.m <= self.clients, "participants m", self.m, expected)

    @property
    def name(self) -> str:
        """The call."""
        return f"participants({self.clients}, {self.m})"

    @property
    def shape(self) -> tuple[int, ...]:
        """One number per client."""
        return (self.clients,)

    @property
    def count(self) -> int:
        """All sets."""
        return comb(self.clients, self.m)

    def outcomes(self) -> list[tuple[Row, fmpq]]:
        """Every set, each as likely as the others."""
        every = combinations(range(self.clients), self.m)
        rows = (tuple(int(i in chosen) for i in range(self.clients)) for chosen in every)
        return [(row, fmpq(1, self.count)) for row in rows]

    def moment(self, powers: Powers) -> fmpq:
        """m(m - 1).../(n(n - 1)...) over the different clients: an indicator is its own square."""
        taken = sum(1 for power in powers.values() if power)
        return fmpq(perm(self.m, taken), perm(self.clients, taken))

    def sample(self, random: np.random.Generator, rows: int) -> np.ndarray:
        """Sets, as indicators."""
        keys = random.random((rows, self.clients))
        ranks = keys.argsort(axis=1).argsort(axis=1)
        return (ranks < self.m).astype(np.float64)


@dataclass(frozen=True)
class WithReplacement:
    """How often each of n clients is drawn in m independent draws."""

    clients: int
    m: int
    selects = False
    independent = False

    def __post_init__(self) -> None:
        require(self.m >= 1, "participants m", self.m, "at least 1")

    @property
    def name(self) -> str:
        """The call."""
        return f"participants_with_replacement({self.clients}, {self.m})"

    @property
    def shape(self) -> tuple[int, ...]:
        """One number per client."""
        return (self.clients,)

    @property
    def count(self) -> int:
        """All ways to distribute m draws."""
        return comb(self.clients + self.m - 1, self.m)

    def outcomes(self) -> list[tuple[Row, fmpq]]:
        """Every distribution of the draws, with its multinomial probability."""
        total = fmpq(self.clients) ** self.m
        found = []
        for bars in combinations(range(self.clients + self.m - 1), self.clients - 1):
            ends = (-1, *bars, self.clients + self.m - 1)
            row = tuple(b - a - 1 for a, b in pairwise(ends))
            ways = factorial(self.m) // prod(map(factorial, row))
            found.append((row, fmpq(ways) / total))
        return found

    def moment(self, powers: Powers) -> fmpq:
        """From factorial moments, m(m - 1).../n^j, of which powers are sums."""
        kept = [power for power in powers.values() if power]
        total = fmpq(0)
        for degrees in product(*(range(1, power + 1) for power in kept)):
            ways = prod(_stirling(p, j) for p, j in zip(kept, degrees, strict=True))
            taken = sum(degrees)
            total += fmpq(ways * perm(self.m, taken)) / fmpq(self.clients) ** taken
        return total

    def sample(self, random: np.random.Generator, rows: int) -> np.ndarray:
        """Counts of the draws."""
        shares = np.full(self.clients, 1 / self.clients)
        return random.multinomial(self.m, shares, rows).astype(np.float64)


def _stirling(power: int, blocks: int) -> int:
    """Partitions of so many elements into so many blocks."""
    if power == blocks:
        return 1
    if blocks in (0, power + 1) or blocks > power:
        return 0
    return blocks * _stirling(power - 1, blocks) + _stirling(power - 1, blocks - 1)


@dataclass(frozen=True)
class Cohorts:
    """One of some cohorts: 0 or 1 per client, then 1_S/|S| times `scale`.

    Attributes
    ----------
    times : tuple of tuples of int
        How often each client is in a cohort; cohorts are equally likely.
    clients : int
    """

    times: tuple[tuple[int, ...], ...]
    clients: int
    selects = False
    independent = False

    def __post_init__(self) -> None:
        expected = f"for each of n = {self.clients} clients a number, at least 0, and one above 0"
        require(bool(self.times), "list of cohorts", self.times, "at least one")
        for row in self.times:
            fits = len(row) == self.clients and min(row) >= 0 < max(row)
            require(fits, "cohort", row, expected)

    @property
    def name(self) -> str:
        """The call."""
        return f"cohort of {self.clients}, one of {len(self.times)}"

    @property
    def shape(self) -> tuple[int, ...]:
        """Two numbers per client."""
        return (2, self.clients)

    @property
    def scale(self) -> int:
        """What makes all weights whole."""
        return lcm(*map(sum, self.times))

    @property
    def count(self) -> int:
        """Those that differ."""
        return len(set(self.times))

    @cached_property
    def _known(self) -> list[tuple[Row, fmpq]]:
        every = Counter(self.times)
        return [(self._row(x), fmpq(count, len(self.times))) for x, count in every.items()]

    def _row(self, times: Row) -> Row:
        share = self.scale // sum(times)
        return (*(int(x > 0) for x in times), *(x * share for x in times))

    def outcomes(self) -> list[tuple[Row, fmpq]]:
        """Every cohort."""
        return list(self._known)

    def moment(self, powers: Powers) -> fmpq:
        """The mean over the list."""
        terms = (c * prod(row[i] ** power for i, power in powers.items()) for row, c in self._known)
        return sum(terms, fmpq(0))

    def sample(self, random: np.random.Generator, rows: int) -> np.ndarray:
        """Some of the list."""
        every = np.array([self._row(x) for x in self.times], dtype=np.float64)
        return every[random.integers(len(every), size=rows)]


@dataclass(frozen=True)
class Copies:
    """Independent copies of a source.

    Attributes
    ----------
    of : Source
    times : tuple of int
        The copies' own axes, before those of an outcome.
    """

    of: Source
    times: tuple[int, ...]
    selects = False
    independent = False

    @property
    def name(self) -> str:
        """The call."""
        return f"{self.of.name} for each of {self.times}"

    @property
    def shape(self) -> tuple[int, ...]:
        """Of all copies."""
        return (*self.times, *self.of.shape)

    @property
    def count(self) -> int | None:
        """All combinations."""
        own = self.of.count
        return None if own is None else int(own ** prod(self.times))

    def outcomes(self) -> list[tuple[Row, fmpq]]:
        """Every combination, the last copy fastest."""
        found = []
        for rows in product(self.of.outcomes(), repeat=prod(self.times)):
            chance = prod((chance for _, chance in rows), start=fmpq(1))
            found.append((tuple(x for row, _ in rows for x in row), chance))
        return found

    def moment(self, powers: Powers) -> fmpq:
        """The product over copies."""
        size, own = prod(self.of.shape), dict[int, dict[int, int]]()
        for entry, power in powers.items():
            own.setdefault(entry // size, {})[entry % size] = power
        return prod((self.of.moment(each) for each in own.values()), start=fmpq(1))

    def sample(self, random: np.random.Generator, rows: int) -> np.ndarray:
        """Independent copies."""
        every = self.of.sample(random, rows * prod(self.times))
        return every.reshape(rows, prod(self.shape))


def entries_together(source: Source) -> int:
    """How many entries in a row depend on one another; the rest is independent of them."""
    if source.independent:
        return 1
    return prod((source.of if isinstance(source, Copies) else source).shape)


@dataclass(frozen=True)
class Entries:
    """Independent entries of one law with finitely many outcomes.

    Attributes
    ----------
    name : str
    shape : tuple of int
    values : tuple of (whole number, probability)
        Outcomes of an entry.
    """

    name: str
    shape: tuple[int, ...]
    values: tuple[tuple[int, fmpq], ...]
    selects = False
    independent = True

    @property
    def count(self) -> int:
        """All combinations of the entries' outcomes."""
        return int(len(self.values) ** prod(self.shape))

    def outcomes(self) -> list[tuple[Row, fmpq]]:
        """Every combination, the last entry fastest."""
        found = []
        for row in product(self.values, repeat=prod(self.shape)):
            chance = prod((chance for _, chance in row), start=fmpq(1))
            found.append((tuple(value for value, _ in row), chance))
        return found

    @cached_property
    def _known(self) -> dict[int, fmpq]:
        return {}

    def moment(self, powers: Powers) -> fmpq:
        """The product over entries of sum_x P(x) x^k."""
        total = fmpq(1)
        for power in powers.values():
            if power not in self._known:
                terms = (chance * value**power for value, chance in self.values)
                self._known[power] = sum(terms, fmpq(0))
            total *= self._known[power]
        return total

    def sample(self, random: np.random.Generator, rows: int) -> np.ndarray:
        """Independent entries; where there is one outcome, nothing is drawn."""
        shape = (rows, prod(self.shape))
        values = np.array([float(value) for value, _ in self.values])
        if len(values) == 1:
            return np.broadcast_to(values, shape)
        edges = np.cumsum([float(chance) for _, chance in self.values])[:-1]
        return values[np.searchsorted(edges, random.random(shape), "right")]


def signs(*shape: int) -> Entries:
    """Independent -1 or 1 with equal probability."""
    half = fmpq(1, 2)
    return Entries(f"signs{shape}", shape, ((-1, half), (1, half)))


def bernoulli(probability: object, *shape: int) -> Entries:
    """Independent 0 or 1; 1 with that probability."""
    p = rational(probability)
    require(0 <= p <= 1, "probability", probability, "between 0 and 1")
    values = tuple((x, chance) for x, chance in ((0, 1 - p), (1, p)) if chance)
    return Entries(f"bernoulli({p}, {shape})", shape, values)


def zeros(*shape: int) -> Entries:
    """Nothing random."""
    return Entries(f"silence{shape}", shape, ((0, fmpq(1)),))


@dataclass(frozen=True)
class Normal:
    """Independent standard Gaussian entries."""

    shape: tuple[int, ...]
    selects = False
    independent = True
    count = None

    @property
    def name(self) -> str:
        """The call."""
        return f"normal{self.shape}"

    def outcomes(self) -> list[tuple[Row, fmpq]]:
        """There are infinitely many."""
        raise TooManyError(f"{self.name} has infinitely many outcomes")

    def moment(self, powers: Powers) -> fmpq:
        """The product over entries of (k - 1)(k - 3)...1, 0 for odd k."""
        if any(power % 2 for power in powers.values()):
            return fmpq(0)
        return fmpq(prod(prod(range(1, power, 2)) for power in powers.values()))

    def sample(self, random: np.random.Generator, rows: int) -> np.ndarray:
        """Independent entries."""
        return random.standard_normal((rows, prod(self.shape)))


@dataclass(frozen=True)
class LikeNormal:
    """Independent entries 0, +-1 and +-2 that have a Gaussian's moments up to the fifth.

    What is of a higher degree in an entry has another mean.
    """

    shape: tuple[int, ...]
    selects = False
    independent = True

    @property
    def name(self) -> str:
        """The call that it answers."""
        return f"normal{self.shape}"

    @property
    def count(self) -> int:
        """Five of each entry."""
        return int(len(_LIKE_NORMAL) ** prod(self.shape))

    def outcomes(self) -> list[tuple[Row, fmpq]]:
        """Every row, with the product of the chances of its entries."""
        rows = product(_LIKE_NORMAL, repeat=prod(self.shape))
        return [(row, prod((_LIKE_NORMAL[x] for x in row), start=fmpq(1))) for row in rows]

    def moment(self, powers: Powers) -> fmpq:
        """The product over entries."""
        every = (
            sum((fmpq(x) ** power * chance for x, chance in _LIKE_NORMAL.items()), fmpq(0))
            for power in powers.values()
        )
        return prod(every, start=fmpq(1))

    def sample(self, random: np.random.Generator, rows: int) -> np.ndarray:
        """Independent entries."""
        chances = [float(chance) for chance in _LIKE_NORMAL.values()]
        return random.choice(list(_LIKE_NORMAL), (rows, prod(self.shape)), p=chances)


_LIKE_NORMAL = {0: fmpq(1, 2), 1: fmpq(1, 6), -1: fmpq(1, 6), 2: fmpq(1, 12), -2: fmpq(1, 12)}


@dataclass(frozen=True)
class Index:
    """A uniform number of 0, ..., count - 1."""

    count: int
    selects = True
    independent = False
    shape = ()

    def __post_init__(self) -> None:
        require(self.count >= 1, "count", self.count, "at least 1")

    @property
    def name(self) -> str:
        """The call."""
        return f"index({self.count})"

    def outcomes(self) -> list[tuple[Row, fmpq]]:
        """Every number."""
        return [((number,), fmpq(1, self.count)) for number in range(self.count)]

    def moment(self, powers: Powers) -> fmpq:
        """It selects."""
        raise _selecting(self.name)

    def sample(self, random: np.random.Generator, rows: int) -> np.ndarray:
        """Numbers."""
        return random.integers(self.count, size=(rows, 1))


@dataclass(frozen=True)
class Permutation:
    """A uniform order of 0, ..., size - 1."""

    size: int
    selects = True
    independent = False

    @property
    def name(self) -> str:
        """The call."""
        return f"permutation({self.size})"

    @property
    def shape(self) -> tuple[int, ...]:
        """One number per place."""
        return (self.size,)

    @property
    def count(self) -> int:
        """All orders."""
        return factorial(self.size)

    def outcomes(self) -> list[tuple[Row, fmpq]]:
        """Every order."""
        return [(row, fmpq(1, self.count)) for row in permutations(range(self.size))]

    def moment(self, powers: Powers) -> fmpq:
        """It selects."""
        raise _selecting(self.name)

    def sample(self, random: np.random.Generator, rows: int) -> np.ndarray:
        """Orders."""
        return random.random((rows, self.size)).argsort(axis=1)


def _selecting(name: str) -> FedboundsError:
    return FedboundsError(f"{name} selects; it has no monomials")
