"""Whole numbers that divide exactly: 1 / p["m"] is a rational in exact runs, not a float."""

from typing import Any

from flint import fmpq


class Count(int):
    """A whole number of an exact run: a quotient with it is rational."""

    def __truediv__(self, other: Any) -> Any:
        """self / other."""
        return fmpq(int(self)) / other

    def __rtruediv__(self, other: Any) -> Any:
        """other / self."""
        return other / fmpq(int(self))
