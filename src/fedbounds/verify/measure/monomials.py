"""Monomials by what occurs in them: few numbers, however many unknowns there are."""

from collections.abc import Iterable, Sequence
from itertools import compress
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly_ctx

Monomial = tuple[int, ...]  # numbers of unknowns in order, each as often as its power


def monomials(polynomial: Any) -> dict[Monomial, fmpq]:
    """Of a polynomial, with their coefficients."""
    degrees, found = polynomial.degrees(), dict[Monomial, fmpq]()
    numbers: Sequence[int] = range(len(degrees))
    used = list(compress(numbers, degrees))
    if polynomial.total_degree() <= 1:  # lexicographic: the unknowns in order, 1 last
        return dict(zip([*((at,) for at in used), ()], polynomial.coeffs(), strict=False))
    if 2 * len(used) < len(degrees):  # to read many zeros takes longer
        few = fmpq_mpoly_ctx.get([f"x{at}" for at in range(len(used))], Ordering.lex)
        places = {at: place for place, at in enumerate(used)}
        polynomial, numbers = polynomial.project_to_context(few, places), used
    high = any(degree > 1 for degree in degrees)
    for exponents, factor in polynomial.to_dict().items():
        own: Iterable[int] = compress(numbers, exponents)
        if high:
            powers = zip(own, filter(None, exponents), strict=True)
            own = (at for at, power in powers for _ in range(int(power)))
        found[tuple(own)] = factor
    return found


def joined(one: Monomial, other: Monomial) -> Monomial:
    """The product."""
    return tuple(sorted(one + other)) if one and other else one or other


class Partners:
    """Monomials whose product with another may have an expectation that is not zero.

    An entry that is independent of all others, with mean 0, must not stand alone in a product.

    Parameters
    ----------
    centred : sequence of bool
        Of unknown number ``first`` and those that follow: whether each is such an entry.
    every : iterable of Monomial
        In entries of the sources.
    """

    def __init__(self, centred: Sequence[bool], first: int, every: Iterable[Monomial]) -> None:
        self._centred, self._first = centred, first
        self._alone = [(one, self._single(one)) for one in every]
        self._having: dict[int, list[Monomial]] = {}
        for one, _ in self._alone:
            for at in dict.fromkeys(one):
                self._having.setdefault(at, []).append(one)

    def _single(self, one: Monomial) -> list[int]:
        first, centred = self._first, self._centred
        return [at for at in one if centred[at - first] and one.count(at) == 1]

    def of(self, one: Monomial) -> list[Monomial]:
        """In the order in which they were given."""
        alone = self._single(one)
        if alone:
            return self._having.get(alone[0], [])
        own = set(one)
        return [other for other, single in self._alone if own.issuperset(single)]
