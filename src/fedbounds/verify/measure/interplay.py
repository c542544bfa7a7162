"""Which draws a number mixes with which, and in what degree with the state: not what they make.

A `Mixed` answers sums and products as an unknown does, and keeps of a polynomial a sum of parts,
no draw in two of them. That is far less than the polynomial: thousands of draws cost no more than
the step itself.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from flint import fmpq

from .unknowns import Refused, entrywise

Array = Any
Part = tuple[frozenset[int], int]  # draws, and the degree in the state
_NONE: frozenset[int] = frozenset()


class Mixed:
    """A sum of parts: polynomials in the state, with coefficients that depend on their draws."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Part, ...]) -> None:
        self.parts = parts

    @entrywise
    def __add__(self, other: Any) -> "Mixed":
        return Mixed(_sum(self.parts, other.parts)) if isinstance(other, Mixed) else self

    __radd__ = __sub__ = __rsub__ = __add__

    @entrywise
    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, Mixed):
            return self if other else fmpq(0)
        return Mixed(_product(self.parts, other.parts))

    __rmul__ = __mul__

    @entrywise
    def __truediv__(self, other: Any) -> "Mixed":
        if isinstance(other, Mixed):
            raise Refused("it divides by an entry that is not known")
        return self

    @entrywise
    def __rtruediv__(self, other: Any) -> "Mixed":
        raise Refused("it divides by an entry that is not known")

    def __neg__(self) -> "Mixed":
        return self

    __pos__ = __neg__

    def __pow__(self, power: int) -> Any:
        if not isinstance(power, int | np.integer) or power < 0:
            raise Refused(f"it takes the power {power} of an entry that is not known")
        found: Any = fmpq(1)
        for _ in range(int(power)):
            found = self * found
        return found

    def _asked(self, *_: object) -> Any:
        raise Refused("it asks what an entry is that is not known")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _asked
    __hash__ = __bool__ = __float__ = __int__ = __index__ = __abs__ = _asked


def drawn_one(unit: int) -> Mixed:
    """A draw."""
    return Mixed(((frozenset((unit,)), 0),))


def state_entry() -> Mixed:
    """An entry of the state."""
    return Mixed(((frozenset(), 1),))


def _sum(one: tuple[Part, ...], two: tuple[Part, ...]) -> tuple[Part, ...]:
    """Parts that share a draw as one; those without draws too."""
    found = list(one)
    for draws, degree in two:
        apart = []
        for own in found:
            if own[0].isdisjoint(draws) and (own[0] or draws):
                apart.append(own)
            else:
                draws, degree = draws | own[0], max(degree, own[1])
        found = [*apart, (draws, degree)]
    return tuple(found)


def _product(one: tuple[Part, ...], two: tuple[Part, ...]) -> tuple[Part, ...]:
    """What has draws shares them with all that it is multiplied by: it is one part."""
    drawn, other = ([part for part in own if part[0]] for own in (one, two))
    still = [part for part in one if not part[0]]
    same = [part for part in two if not part[0]]
    apart = tuple((_NONE, a + b) for _, a in still for _, b in same)
    if not drawn:
        return (*apart, *((draws, a + b) for _, a in still for draws, b in other))
    if not other:
        return (*apart, *((draws, a + b) for draws, a in drawn for _, b in same))
    degree = max(_degree(drawn) + _degree(two), _degree(one) + _degree(other))
    return (*apart, (_NONE.union(*(draws for draws, _ in (*drawn, *other))), degree))


def _degree(parts: Iterable[Part]) -> int:
    return max(degree for _, degree in parts)


def parts_of(value: Any) -> tuple[Part, ...]:
    """Of a number none."""
    return value.parts if isinstance(value, Mixed) else ()
