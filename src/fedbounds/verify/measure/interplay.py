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


class Mixed:
    """A sum of parts: polynomials in the state, with coefficients that depend on their draws."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Part, ...]) -> None:
        self.parts = parts

    @entrywise
    def __add__(self, other: Any) -> "Mixed":
        return Mixed(joined((*self.parts, *other.parts))) if isinstance(other, Mixed) else self

    __radd__ = __sub__ = __rsub__ = __add__

    @entrywise
    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, Mixed):
            return self if other else fmpq(0)
        return Mixed(joined([_product(one, two) for one in self.parts for two in other.parts]))

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


def _product(one: Part, two: Part) -> Part:
    return one[0] | two[0], one[1] + two[1]


def joined(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Parts that share a draw as one; those without draws too."""
    found, holder = dict[int, Part](), dict[int | None, int]()
    for at, (draws, degree) in enumerate(parts):
        shared = [holder[unit] for unit in draws or (None,) if unit in holder]
        for own in [found.pop(other) for other in dict.fromkeys(shared)]:
            draws, degree = draws | own[0], max(degree, own[1])
        found[at] = draws, degree
        holder.update(dict.fromkeys(draws or (None,), at))
    return tuple(found.values())


def parts_of(value: Any) -> tuple[Part, ...]:
    """Of a number none."""
    return value.parts if isinstance(value, Mixed) else ()
