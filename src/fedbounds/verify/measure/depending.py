"""What a number depends on: the past, or calls of ``draw``; whatever is computed with it, too."""

from typing import Any

import numpy as np

from .unknowns import Refused, entrywise

Array = Any


class Depending:
    """A number that depends on these; it answers whatever does not compare it.

    Parameters
    ----------
    on : frozenset
    """

    __slots__ = ("on",)

    def __init__(self, on: frozenset[Any]) -> None:
        self.on = on

    @entrywise
    def _with(self, other: Any) -> "Depending":
        if not isinstance(other, Depending) or other.on <= self.on:
            return self  # products of matrices come here for every pair of entries
        return other if self.on <= other.on else Depending(self.on | other.on)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _with
    __truediv__ = __rtruediv__ = _with

    def _itself(self, *_: Any) -> "Depending":
        return self

    __neg__ = __pos__ = __abs__ = __pow__ = _itself
    sqrt = exp = log = log1p = tanh = sin = cos = indicator = _itself

    def _compared(self, other: object) -> bool:
        if other is self:
            return True
        raise Refused("the step compares what depends on draws")

    __lt__ = __le__ = __gt__ = __ge__ = _compared

    def __eq__(self, other: object) -> bool:
        return self._compared(other)

    def __bool__(self) -> bool:
        raise Refused("the step asks whether what depends on draws is zero")

    __hash__ = None  # type: ignore[assignment]


def depending(shape: tuple[int, ...], *on: Any) -> Array:
    """An array of such numbers."""
    found = np.empty(shape, dtype=object)
    found.fill(Depending(frozenset(on)))
    return found


def found_in(array: Array) -> frozenset[Any]:
    """On what entries of an array depend."""
    entries = (
        x.on for x in np.asarray(array, dtype=object).reshape(-1) if isinstance(x, Depending)
    )
    return frozenset().union(*entries)
