"""Whole numbers that divide exactly: 1 / p["m"] is a rational in exact runs, not a float."""

from typing import Any

from flint import fmpq


class Count(int):
    """A whole number of an exact run; quotients, sums, products and powers are rational."""

    def __add__(self, other: Any) -> Any:
        """self + other."""
        return _counted(int(self) + other)

    def __sub__(self, other: Any) -> Any:
        """self - other."""
        return _counted(int(self) - other)

    def __rsub__(self, other: Any) -> Any:
        """other - self."""
        return _counted(other - int(self))

    def __mul__(self, other: Any) -> Any:
        """self * other."""
        return _counted(int(self) * other)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Any:
        """-self."""
        return Count(-int(self))

    def __pow__(self, other: Any, modulus: None = None) -> Any:  # type: ignore[override]
        """self ** other."""
        if isinstance(other, int) and other < 0:
            return fmpq(int(self)) ** other
        return _counted(int(self) ** other)

    def __truediv__(self, other: Any) -> Any:
        """self / other."""
        return fmpq(int(self)) / other

    def __rtruediv__(self, other: Any) -> Any:
        """other / self."""
        return other / fmpq(int(self))


def _counted(number: Any) -> Any:
    return Count(number) if isinstance(number, int) else number
