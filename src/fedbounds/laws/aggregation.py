"""Laws of a server that aggregates what the participants send.

The function under test is ``aggregate(vectors, participants) -> vector``: ``vectors`` of shape
(n, d), of which it reads the rows of ``participants``, a tuple of client numbers.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import permutations
from math import factorial
from typing import Any

from fedbounds.errors import require

from .base import ROUNDING, Law, agree, largest
from .examples import MOST_SETS, Participants, arrays, check_counts, number, sets_of, shaped

Array = Any
Aggregate = Callable[[Array, Participants], Array]

UNBIASED = Law(
    "unbiased aggregation",
    "the mean over all sets of participants is the aggregate of all clients",
)
RENAMING = Law("renaming of clients", "giving the clients other numbers changes nothing")
ABSENT = Law("absent clients", "what a client outside the sample holds does not matter")


def unbiased_aggregation(
    aggregate: Aggregate,
    *,
    n: int = 3,
    m: int = 2,
    dimension: int = 2,
    sets: Iterable[tuple[Participants, Fraction]] | None = None,
    target: Callable[[Array], Array] | None = None,
    exact: bool = False,
    tolerance: float = ROUNDING,
) -> None:
    """E over the participants of the aggregate is the aggregate of all, by exact enumeration.

    Parameters
    ----------
    aggregate : function (vectors (n, d), participants) -> (d,)
    n, m, dimension : int
        Clients, participants, d.
    sets : pairs (participants, probability), optional
        The law of participation: `fedbounds.strategies` has some, as ``law.sets()``. By default
        all sets of m out of n, equally likely.
    target : function (vectors) -> (d,), optional
        What the mean should be; by default ``aggregate`` of all clients.
    exact : bool
        Call with fractions in object arrays instead of floats.
    tolerance : float
        Units in the last place, see `agree`.

    Raises
    ------
    LawBroken
        With the vectors that show it.
    FedboundsError
        If the counts do not fit, or the probabilities do not add up to one.

    Examples
    --------
    >>> unbiased_aggregation(lambda vectors, chosen: vectors[list(chosen)].mean(axis=0))
    """
    check_counts(n, m, dimension)
    drawn = list(sets) if sets is not None else _uniform(n, m)
    total = sum(chance for _, chance in drawn)
    require(total == 1, "sum of the probabilities", total, "exactly 1, as fractions")
    everyone = tuple(range(n))
    for vectors in arrays((n, dimension), exact=exact):
        where = {"vectors": vectors, "n": n, "m": m}
        right = aggregate(vectors.copy(), everyone) if target is None else target(vectors.copy())
        left = vectors[0] * 0
        for chosen, chance in drawn:
            one = shaped(aggregate(vectors.copy(), chosen), vectors[0], where)
            left = left + number(chance.numerator, chance.denominator, exact=exact) * one
        agree(UNBIASED, left, right, where, tolerance, scale=largest(vectors))


def _uniform(n: int, m: int) -> list[tuple[Participants, Fraction]]:
    chosen = sets_of(n, m)
    return [(one, Fraction(1, len(chosen))) for one in chosen]


def aggregation_ignores_names(
    aggregate: Aggregate,
    *,
    n: int = 3,
    m: int = 2,
    dimension: int = 2,
    exact: bool = False,
    tolerance: float = ROUNDING,
) -> None:
    """Renumbering the clients, and the participants with them, leaves the aggregate as it is.

    Parameters and errors are those of `unbiased_aggregation`.

    Examples
    --------
    >>> aggregation_ignores_names(lambda vectors, chosen: vectors[list(chosen)].sum(axis=0))
    """
    check_counts(n, m, dimension)
    require(factorial(n) <= MOST_SETS, "clients n", n, "at most 7, to go through all orders")
    for vectors in arrays((n, dimension), exact=exact):
        for chosen in sets_of(n, m):
            plain = aggregate(vectors.copy(), chosen)
            for order in permutations(range(n)):  # client `order[j]` is now called j
                renamed = aggregate(
                    vectors[list(order)], tuple(sorted(order.index(i) for i in chosen))
                )
                where = {"vectors": vectors, "participants": chosen, "order": order}
                agree(RENAMING, renamed, plain, where, tolerance, scale=largest(vectors))


def aggregation_ignores_absent(
    aggregate: Aggregate,
    *,
    n: int = 3,
    m: int = 2,
    dimension: int = 2,
    exact: bool = False,
    tolerance: float = ROUNDING,
) -> None:
    """Other vectors at the absent clients give the same aggregate.

    Parameters and errors are those of `unbiased_aggregation`.

    Examples
    --------
    >>> aggregation_ignores_absent(lambda vectors, chosen: vectors[list(chosen)].sum(axis=0))
    """
    check_counts(n, m, dimension)
    for vectors in arrays((n, dimension), exact=exact):
        for chosen in sets_of(n, m):
            other = vectors.copy()
            absent = [i for i in range(n) if i not in chosen]
            other[absent] = other[absent] + 7
            plain, changed = aggregate(vectors.copy(), chosen), aggregate(other, chosen)
            where = {"vectors": vectors, "participants": chosen, "absent rows": "7 more"}
            agree(ABSENT, changed, plain, where, tolerance, scale=largest(vectors))
