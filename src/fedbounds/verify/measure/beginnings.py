"""The state before round 0 and its second moments: draws of ``init`` listed, or in polynomials."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from math import prod
from typing import Any

from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.problems.linear import rational

from .contract import State
from .enumerated import MOST_ROWS, begun, sources_of_init, started_from
from .random import answered, count_of
from .round_maps import Pair, flat
from .sources import Source, TooManyError
from .subject import Subject
from .unknowns import Refused, Unknown, Variables, bare, variables


@dataclass(frozen=True, eq=False)
class Beginning:
    """States with their probabilities.

    Attributes
    ----------
    state : dict of arrays
        One row per state.
    chances : sequence of rationals
        Of each.
    variables : Variables or None
        Of what is drawn, where outcomes are not listed.
    """

    state: State
    chances: Sequence[fmpq]
    variables: Variables | None = None

    @property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        """Of every field, with one row."""
        return {name: (1, *array.shape[1:]) for name, array in self.state.items()}

    def moments(self, centre: Sequence[fmpq] = ()) -> dict[Pair, fmpq]:
        """E of products of two entries of (1, z), with z measured from a centre."""
        every = combinations_with_replacement(range(len(self._points[0])), 2)
        return {pair: self.moment(pair, centre) for pair in every}

    def moment(self, pair: Pair, centre: Sequence[fmpq] = ()) -> fmpq:
        """E of one of them."""
        if self._affine is not None:
            (one, left), (other, right) = (self._affine[at] for at in pair)
            a, b = (centre[at - 1] if at and centre else fmpq(0) for at in pair)
            own = (x * right[at] * self._variances[at] for at, x in left.items() if at in right)
            return sum(own, (one - a) * (other - b))
        total = fmpq(0)
        for point, chance in zip(self._points, self.chances, strict=True):
            one, other = (point[at] - centre[at - 1] if at and centre else point[at] for at in pair)
            total += self._mean(one * other) * chance
        return total

    @cached_property
    def _affine(self) -> list[tuple[fmpq, dict[int, fmpq]]] | None:
        """Of (1, z): the mean and factors of what is drawn; None if it is not affine in noise."""
        if self.variables is None or not all(self.variables.centred):
            return None
        found = []
        for value in self._points[0]:
            terms = value.affine if isinstance(value, Unknown) else {(): rational(value)}
            if terms is None:
                return None
            own = {at: x for monomial, x in terms.items() for at in monomial}
            found.append((terms.get((), fmpq(0)), own))
        return found

    @cached_property
    def _variances(self) -> list[fmpq]:
        """Of everything that is drawn."""
        assert self.variables is not None
        sources = self.variables.sources
        return [x for own in sources for x in [own.moment({0: 2})] * prod(own.shape)]

    @cached_property
    def _points(self) -> list[list[Any]]:
        """(1, z), row by row."""
        return [
            [fmpq(1), *flat({name: array[at : at + 1] for name, array in self.state.items()})]
            for at in range(len(self.chances))
        ]

    def _mean(self, value: Any) -> fmpq:
        if self.variables is None or not isinstance(value, Unknown):
            return rational(value)
        mean = self.variables.mean(value, range(len(self.variables.sources)))
        (number,) = self.variables.terms(mean).values() or (fmpq(0),)
        return rational(bare(number))


def beginning(subject: Subject, most: int = MOST_ROWS) -> Beginning:
    """Before round 0.

    Parameters
    ----------
    most : int
        Outcomes of ``init`` that are listed at first; of more, polynomials are tried before.

    Raises
    ------
    Refused
        If ``init`` has too many outcomes, and asks of what it draws more than sums and products.
    """
    sources, reasons = sources_of_init(subject), dict[int, str]()
    for way in (0, 1) if _are_few(sources, most) else (1, 0):
        try:
            return (_listed, _in_polynomials)[way](subject, sources)
        except (TooManyError, Refused) as error:
            reasons[way] = str(error)
    raise Refused("; ".join(text for _, text in sorted(reasons.items()) if text))


def _are_few(sources: Sequence[Source], most: int) -> bool:
    return all(source.count for source in sources) and count_of(sources) <= most


def _listed(subject: Subject, sources: Sequence[Source]) -> Beginning:
    rows = begun(subject)
    return Beginning(rows.state, rows.chances)


def _in_polynomials(subject: Subject, sources: Sequence[Source]) -> Beginning:
    if not subject.exact or any(source.selects for source in sources):
        raise Refused("")
    named = variables({}, sources)
    try:
        state = answered(lambda random: started_from(subject, random, 1), sources, named.answers())
    except FedboundsError as error:
        raise Refused(str(error)) from error
    return Beginning(state, [fmpq(1)], named)
