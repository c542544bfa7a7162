"""The state before round 0 and its second moments: draws of ``init`` listed, or in polynomials."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.problems.linear import rational

from .contract import State
from .enumerated import begun, sources_of_init, started_from
from .random import answered
from .round_maps import Pair, flat
from .sources import TooManyError
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
        total: dict[Pair, fmpq] = {}
        for at, chance in enumerate(self.chances):
            own = flat({name: array[at : at + 1] for name, array in self.state.items()})
            moved = own if not any(centre) else [x - c for x, c in zip(own, centre, strict=True)]
            point = [fmpq(1), *moved]
            for i, j in combinations_with_replacement(range(len(point)), 2):
                more = self._mean(point[i] * point[j]) * chance
                total[i, j] = total.get((i, j), fmpq(0)) + more
        return total

    def _mean(self, value: Any) -> fmpq:
        if self.variables is None or not isinstance(value, Unknown):
            return rational(value)
        mean = self.variables.mean(value, range(len(self.variables.sources)))
        (number,) = self.variables.terms(mean).values() or (fmpq(0),)
        return rational(bare(number))


def beginning(subject: Subject) -> Beginning:
    """Before round 0.

    Raises
    ------
    Refused
        If ``init`` has too many outcomes, and asks of what it draws more than sums and products.
    """
    try:
        rows = begun(subject)
        return Beginning(rows.state, rows.chances)
    except TooManyError as error:
        reason = str(error)
    sources = sources_of_init(subject)
    if not subject.exact or any(source.selects for source in sources):
        raise Refused(reason)
    named = variables({}, sources)
    try:
        state = answered(lambda random: started_from(subject, random, 1), sources, named.answers())
    except (FedboundsError, Refused) as error:
        raise Refused(f"{reason}; {error}") from error
    return Beginning(state, [fmpq(1)], named)
