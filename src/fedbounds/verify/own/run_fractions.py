"""`Fraction` in a user's file: as Python's, and it meets the rationals and floats of runs too."""

import builtins
import fractions
from fractions import Fraction
from types import ModuleType
from typing import Any

from fedbounds.problems.linear import rational


class RunFraction(Fraction):
    """A fraction that may be multiplied with an array of a run, exact or in floats."""

    __array_ufunc__ = None  # then NumPy leaves arrays to the methods below

    def __new__(cls, numerator: Any = 0, denominator: Any = None) -> "RunFraction":
        """Also of the rationals of runs."""
        if hasattr(numerator, "p") and hasattr(numerator, "q"):
            numerator = Fraction(int(numerator.p), int(numerator.q))
        return super().__new__(cls, numerator, denominator)

    def __add__(self, other: Any) -> Any:
        """self + other."""
        return _given(Fraction.__add__(self, other), lambda: _beside(self, other) + other)

    def __radd__(self, other: Any) -> Any:
        """other + self."""
        return _given(Fraction.__radd__(self, other), lambda: other + _beside(self, other))

    def __sub__(self, other: Any) -> Any:
        """self - other."""
        return _given(Fraction.__sub__(self, other), lambda: _beside(self, other) - other)

    def __rsub__(self, other: Any) -> Any:
        """other - self."""
        return _given(Fraction.__rsub__(self, other), lambda: other - _beside(self, other))

    def __mul__(self, other: Any) -> Any:
        """self * other."""
        return _given(Fraction.__mul__(self, other), lambda: _beside(self, other) * other)

    def __rmul__(self, other: Any) -> Any:
        """other * self."""
        return _given(Fraction.__rmul__(self, other), lambda: other * _beside(self, other))

    def __truediv__(self, other: Any) -> Any:
        """self / other."""
        return _given(Fraction.__truediv__(self, other), lambda: _beside(self, other) / other)

    def __rtruediv__(self, other: Any) -> Any:
        """other / self."""
        return _given(Fraction.__rtruediv__(self, other), lambda: other / _beside(self, other))

    def __pow__(self, other: Any) -> Any:
        """self ** other."""
        return _given(Fraction.__pow__(self, other), lambda: _beside(self, other) ** other)

    def __neg__(self) -> "RunFraction":
        """-self."""
        return RunFraction(Fraction.__neg__(self))

    def __pos__(self) -> "RunFraction":
        """+self."""
        return self

    def __abs__(self) -> "RunFraction":
        """|self|."""
        return RunFraction(Fraction.__abs__(self))


def _given(found: Any, otherwise: Any) -> Any:
    if found is NotImplemented:
        return otherwise()
    return RunFraction(found) if isinstance(found, Fraction) else found


def _beside(number: Fraction, other: Any) -> Any:
    """The same number of the kind that stands beside it: a float among floats, else a rational."""
    kind = getattr(getattr(other, "dtype", None), "kind", "O")
    return float(number) if kind in "fc" else rational(Fraction(number))


def own_builtins() -> dict[str, Any]:
    """Python's builtins, in which an import of `fractions` gives a `Fraction` for runs."""
    own = ModuleType("fractions")
    own.__dict__.update({**vars(fractions), "Fraction": RunFraction})

    def imported(name: str, *arguments: Any, **named: Any) -> Any:
        return own if name == "fractions" else builtins.__import__(name, *arguments, **named)

    return {**vars(builtins), "__import__": imported}
