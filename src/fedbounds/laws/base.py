"""What a law is, the error of a broken one, and the comparison that tells it from rounding.

Two sides agree when they differ by no more than rounding can explain: not at all for exact numbers
(integers, fractions, rationals of `python-flint`), and by a few units in the last place of the
coarser of the two number types for floats, relative to the largest number met on the way.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

ROUNDING = 4096.0  # units in the last place: 1e-12 relative in float64, 5e-4 in float32


@dataclass(frozen=True, slots=True)
class Law:
    """A name and one sentence that says what must hold."""

    name: str
    statement: str


class LawBroken(AssertionError):
    """A law does not hold, with the instance that shows it.

    Attributes
    ----------
    law, statement
        Name of the law, and the sentence that is broken.
    left, right
        Both sides in full: arrays, numbers or shapes.
    where
        The counterexample: what was put in, by name.
    """

    def __init__(
        self,
        law: Law,
        left: object,
        right: object,
        where: Mapping[str, object],
        seen: str | None = None,
    ) -> None:
        """``seen`` words the difference; without it both sides are printed."""
        self.law, self.statement = law.name, law.statement
        self.left, self.right, self.where = left, right, dict(where)
        at = ", ".join(f"{name} = {readable(value)}" for name, value in where.items())
        seen = seen or f"left = {readable(left)}, right = {readable(right)}"
        super().__init__(f"{law.name}: {law.statement}\nbroken at {at or 'every input'}: {seen}")


def agree(
    law: Law,
    left: object,
    right: object,
    where: Mapping[str, object],
    tolerance: float = ROUNDING,
    *,
    scale: float = 0.0,
) -> None:
    """Raise `LawBroken` unless two arrays or numbers are equal up to rounding.

    Parameters
    ----------
    law
        The law that makes them equal.
    left, right
        Numbers or arrays of one shape. If both hold exact numbers only (integers, fractions,
        rationals), they must be equal exactly.
    where
        What was put in, by name; it becomes the counterexample.
    tolerance
        Units in the last place, of the coarser floating type of the two sides and relative to the
        largest absolute value among both sides and ``scale``.
    scale
        The largest number met on the way, where the sides are differences of larger numbers.

    Raises
    ------
    LawBroken
        If shapes differ, a side is not finite, or a coordinate differs by more.
    """
    one, other = np.asarray(left), np.asarray(right)
    if one.shape != other.shape:
        seen = f"left has shape {one.shape}, right has shape {other.shape}"
        raise LawBroken(law, one.shape, other.shape, where, seen)
    units = [unit(side) for side in (one, other)]
    if any(units):
        one, other = as_floats(one), as_floats(other)
        if not (np.isfinite(one).all() and np.isfinite(other).all()):
            raise LawBroken(law, left, right, where)
        allowed = tolerance * max(units) * max(scale, largest(one, other))
        wrong = np.abs(one - other) > allowed
    else:
        pairs = zip(one.flat, other.flat, strict=True)
        unequal = [as_fraction(x) != as_fraction(y) for x, y in pairs]  # of two exact types
        wrong = np.array(unequal, dtype=bool).reshape(one.shape)
    if not wrong.any():
        return
    first = tuple(int(i) for i in np.argwhere(wrong)[0])
    texts = readable(one[first]), readable(other[first])
    if texts[0] == texts[1]:  # they differ in digits that are not shown
        texts = str(one[first]), str(other[first])
    at = f"[{', '.join(map(str, first))}]" if first else ""
    seen = f"left{at} = {texts[0]}, right{at} = {texts[1]}"
    raise LawBroken(law, left, right, where, seen)


def unit(array: np.ndarray[Any, Any]) -> float:
    """The spacing of the floating type at 1; 0 for arrays that hold exact numbers only.

    An object array with anything else in it counts as float64.
    """
    if array.dtype.kind in "fc":
        return float(np.finfo(array.dtype).eps)
    exact = array.dtype.kind in "biu" or all(as_fraction(x) is not None for x in array.flat)
    return 0.0 if exact else float(np.finfo(np.float64).eps)


def as_fraction(number: Any) -> Fraction | None:
    """An integer or rational of any library as a fraction; None for other numbers."""
    if isinstance(number, np.bool_):
        return Fraction(int(number))
    if not hasattr(number, "denominator"):
        return None
    return Fraction(int(number.numerator), int(number.denominator))


def as_floats(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array itself, or float64 of exact numbers, which may be rationals without `float()`."""
    if array.dtype.kind in "fc":
        return array
    flat = [as_float(x) for x in array.flat]
    return np.array(flat, dtype=np.float64).reshape(array.shape)


def largest(*arrays: Any) -> float:
    """The largest absolute value in any of the arrays, as a float; 0 if they are empty."""
    sizes = (np.abs(as_floats(np.asarray(array))).max(initial=0.0) for array in arrays)
    return max(map(float, sizes), default=0.0)


def as_float(number: Any) -> float:
    """A float of a number; rationals of `python-flint` have no ``float()`` of their own."""
    exact = as_fraction(number)
    return float(number) if exact is None else float(exact)


def readable(value: object) -> str:
    """A value on one line: short numbers, small arrays as nested lists, large ones cut."""
    if isinstance(value, np.ndarray):
        return np.array2string(
            value,
            separator=", ",
            threshold=16,
            max_line_width=10**6,
            formatter={"all": readable},
        ).replace("\n", "")
    if isinstance(value, float | np.floating):
        return f"{float(value):.6g}"
    if isinstance(value, list | tuple):
        inside = ", ".join(readable(item) for item in value)
        if isinstance(value, list):
            return f"[{inside}]"
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    return str(value)
