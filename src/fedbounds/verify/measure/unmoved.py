"""Which entries of a state a round leaves as they are: the step itself shows it, run on `Kept`.

A coordinate outside of a mask, say. That is far less than polynomials: of whatever is not one entry
times a number, nothing is kept.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.problems.linear import rational

from .contract import Carry, State
from .unknowns import Refused, Unknown, entrywise

Array = Any
_ZERO, _ONE = fmpq(0), fmpq(1)


class Kept:
    """An entry of the state times a number; or anything else, which has no ``entry``."""

    __slots__ = ("entry", "factor")

    def __init__(self, entry: int | None, factor: fmpq = _ONE) -> None:
        self.entry, self.factor = entry, factor

    def _times(self, factor: Any) -> Any:
        if not factor:
            return _ZERO
        return self if self.entry is None else Kept(self.entry, self.factor * factor)

    @entrywise
    def __add__(self, other: Any) -> Any:
        if not isinstance(other, Kept):
            return _ANYTHING if other else self
        if self.entry is None or self.entry != other.entry:
            return _ANYTHING
        total = self.factor + other.factor
        return Kept(self.entry, total) if total else _ZERO

    @entrywise
    def __sub__(self, other: Any) -> Any:
        return self + -other

    @entrywise
    def __rsub__(self, other: Any) -> Any:
        return -self + other

    @entrywise
    def __mul__(self, other: Any) -> Any:
        return _ANYTHING if isinstance(other, Kept) else self._times(other)

    __radd__, __rmul__ = __add__, __mul__

    @entrywise
    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Kept):
            raise Refused("it divides by an entry that is not known")
        return self._times(1 / rational(other))

    def __neg__(self) -> Any:
        return self._times(-1)

    def __pos__(self) -> "Kept":
        return self

    def __pow__(self, power: int) -> "Kept":
        return self if power == 1 else _ANYTHING

    def _asked(self, *_: object) -> Any:
        raise Refused("it asks what an entry is that is not known")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __rtruediv__ = _asked
    __hash__ = __bool__ = __float__ = __int__ = __index__ = __abs__ = _asked


_ANYTHING = Kept(None)


def anything(shape: tuple[int, ...]) -> Array:
    """An array of what is no entry of the state."""
    found = np.empty(shape, dtype=object)
    found.fill(_ANYTHING)
    return found


@dataclass(frozen=True)
class Unmoved:
    """What a round leaves as it is.

    Attributes
    ----------
    numbers : mapping from field of the state to array
        Of the entries that it leaves as they are, None for others.
    carried : tuple of int
        How many others the step carries on, place by place, as far as this shows.
    """

    numbers: Mapping[str, Array] = field(default_factory=dict)
    carried: tuple[int, ...] = ()


def unmoved(start: State, rows: int, run: Callable[[State, Carry], State]) -> Unmoved:
    """Of a round, from its start.

    Parameters
    ----------
    start : dict of arrays
        With one row.
    rows : int
        Outcomes in which the round is run.
    run : function
        The state after the round, from the one before and what ``see.carry`` does.
    """
    before, first = dict[str, Array](), 0
    for name, array in start.items():
        own = np.empty(array.size, dtype=object)
        own[:] = [Kept(first + at) for at in range(array.size)]
        before[name] = np.concatenate([own.reshape(array.shape)] * rows)
        first += array.size
    carried: list[tuple[Array, ...]] = []

    def carry(arrays: tuple[Array, ...]) -> tuple[Array, ...]:
        carried.append(arrays)
        return arrays

    after, found, still = run(before, carry), dict[str, Array](), set[int]()
    for name, array in start.items():
        ends, own = after[name].reshape(rows, -1).T, before[name].reshape(rows, -1).T
        numbers = np.full(array.size, None, dtype=object)
        for at, value in enumerate(array.reshape(-1)):
            if not isinstance(value, Unknown) and all(map(_same, own[at], ends[at])):
                numbers[at] = rational(value)
                still.add(own[at][0].entry)
        if any(x is not None for x in numbers):
            found[name] = numbers
    counts = (
        sum(isinstance(x, Kept) and x.entry not in still for own in arrays for x in own.flat)
        for arrays in carried
    )
    return Unmoved(found, tuple(filter(None, counts)))


def _same(before: Kept, after: Any) -> bool:
    return isinstance(after, Kept) and after.entry == before.entry and after.factor == 1
