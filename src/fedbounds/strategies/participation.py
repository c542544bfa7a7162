"""Laws of participation: every set of participants with its exact probability."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import prod

from hypothesis import strategies as st

from fedbounds.errors import require

from .ranges import Range, bounds_of, counts

MOST_SETS = 100_000


@dataclass(frozen=True)
class Participation:
    """Who takes part in a round.

    Attributes
    ----------
    name : str
    clients : int
        n.
    sets : tuple of pairs (participants, probability)
        Participants are an increasing tuple of client numbers, with repeats where a client can be
        drawn twice; the probabilities are fractions and add up to one.
    """

    name: str
    clients: int
    sets: tuple[tuple[tuple[int, ...], Fraction], ...]

    def inclusion(self, client: int) -> Fraction:
        """P(i in S)."""
        return sum((chance for chosen, chance in self.sets if client in chosen), Fraction(0))

    def pair(self, client: int, other: int) -> Fraction:
        """P(i in S and j in S)."""
        both = {client, other}
        return sum((chance for chosen, chance in self.sets if both <= {*chosen}), Fraction(0))


def full(clients: int) -> Participation:
    """Everyone, always."""
    require(clients >= 1, "clients n", clients, "at least 1")
    everyone = tuple(range(clients))
    return Participation("full", clients, ((everyone, Fraction(1)),))


def without_replacement(clients: int, participants: int) -> Participation:
    """m of n clients, all sets equally likely."""
    require(
        1 <= participants <= clients, "participants m", participants, f"between 1 and n = {clients}"
    )
    sets = list(combinations(range(clients), participants))
    chance = Fraction(1, len(sets))
    name = f"{participants} of {clients} without replacement"
    return Participation(name, clients, tuple((chosen, chance) for chosen in sets))


def with_replacement(clients: int, participants: int) -> Participation:
    """m independent uniform draws; a client drawn twice is there twice."""
    require(clients >= 1, "clients n", clients, "at least 1")
    require(participants >= 1, "participants m", participants, "at least 1")
    size = clients**participants
    require(size <= MOST_SETS, "number of sequences n^m", size, f"at most {MOST_SETS}")
    found: dict[tuple[int, ...], int] = {}
    for sequence in product(range(clients), repeat=participants):
        chosen = tuple(sorted(sequence))
        found[chosen] = found.get(chosen, 0) + 1
    sets = tuple((chosen, Fraction(count, size)) for chosen, count in found.items())
    return Participation(f"{participants} of {clients} with replacement", clients, sets)


def bernoulli(chances: tuple[Fraction, ...]) -> Participation:
    """Client i takes part with its own probability, independently; possibly nobody does."""
    require(1 <= len(chances) <= 16, "clients n", len(chances), "between 1 and 16")
    for client, chance in enumerate(chances):
        require(0 < chance <= 1, f"probability of client {client}", chance, "in (0, 1]")
    sets = []
    for present in product((True, False), repeat=len(chances)):
        weight = prod(
            (p if here else 1 - p for p, here in zip(chances, present, strict=True)),
            start=Fraction(1),
        )
        if weight:
            sets.append((tuple(i for i, here in enumerate(present) if here), weight))
    shown = ", ".join(map(str, chances))
    return Participation(f"each client with probability {shown}", len(chances), tuple(sets))


@st.composite
def participation_laws(draw: st.DrawFn, clients: Range = (1, 4)) -> Participation:
    """Full participation, m of n with and without replacement, and independent clients.

    Parameters
    ----------
    clients : int or (int, int)
        n, or its least and largest value.

    Raises
    ------
    FedboundsError
        If the range is empty, or above 6 clients.
    """
    low, high = bounds_of("clients", clients)
    require(high <= 6, "clients", high, "at most 6: every set is listed")
    n = draw(counts((low, high)))
    kind = draw(st.sampled_from(("full", "without", "with", "independent")))
    if kind == "full":
        return full(n)
    if kind == "independent":
        eighths = draw(st.lists(st.integers(1, 8), min_size=n, max_size=n))
        return bernoulli(tuple(Fraction(x, 8) for x in eighths))
    m = draw(st.integers(1, n))
    return without_replacement(n, m) if kind == "without" else with_replacement(n, m)
