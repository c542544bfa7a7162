"""`Fraction` in a user's file: as Python's, and it meets the rationals and floats of runs too."""

import builtins
import fractions
import operator
from collections.abc import Callable
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.problems.linear import rational


def _with(name: str) -> Callable[[Any, Any], Any]:
    """Of two numbers by a method of fractions; of others as the kind of number that they are."""
    plain, own = getattr(Fraction, f"__{name}__"), getattr(operator, name.removeprefix("r"), None)
    own = own or getattr(operator, f"__{name.removeprefix('r')}__")
    turned = name not in ("eq", "ne") and name.startswith("r")

    def method(self: "RunFraction", other: Any) -> Any:
        if isinstance(other, Fraction | int):
            found = plain(self, other)
            return RunFraction(found) if isinstance(found, Fraction) else found
        if isinstance(other, float):
            return own(other, float(self)) if turned else own(float(self), other)
        beside = _beside(self, other)
        return own(other, beside) if turned else own(beside, other)

    return method


class RunFraction(Fraction):
    """A fraction that may meet the numbers and arrays of a run, exact, unknown or in floats."""

    def __new__(cls, numerator: Any = 0, denominator: Any = None) -> "RunFraction":
        """Also of the rationals of runs."""
        below = Fraction(denominator) if isinstance(denominator, float) else _plain(denominator)
        above = Fraction(numerator) if isinstance(numerator, float) else _plain(numerator)
        return super().__new__(cls, above, below)

    __add__, __radd__ = _with("add"), _with("radd")
    __sub__, __rsub__ = _with("sub"), _with("rsub")
    __mul__, __rmul__ = _with("mul"), _with("rmul")
    __truediv__, __rtruediv__ = _with("truediv"), _with("rtruediv")
    __lt__, __le__, __gt__, __ge__ = _with("lt"), _with("le"), _with("gt"), _with("ge")
    __eq__, __ne__ = _with("eq"), _with("ne")
    __hash__ = Fraction.__hash__

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        """NumPy's functions of arrays: as of the numbers in the array."""
        array = next((x for x in inputs if isinstance(x, np.ndarray | np.generic)), None)
        plain = (_within(x, array) if isinstance(x, RunFraction) else x for x in inputs)
        return getattr(ufunc, method)(*plain, **named)

    def __pow__(self, other: Any) -> Any:
        """self ** other."""
        if isinstance(other, np.ndarray):
            return _beside(self, other) ** other
        found = Fraction.__pow__(self, _plain(other))
        return RunFraction(found) if isinstance(found, Fraction) else found

    def __neg__(self) -> "RunFraction":
        """-self."""
        return RunFraction(Fraction.__neg__(self))

    def __pos__(self) -> "RunFraction":
        """+self."""
        return self

    def __abs__(self) -> "RunFraction":
        """|self|."""
        return RunFraction(Fraction.__abs__(self))

    def limit_denominator(self, max_denominator: int = 1_000_000) -> "RunFraction":
        """The nearest fraction whose denominator is at most so large."""
        return RunFraction(Fraction.limit_denominator(self, max_denominator))


def _plain(number: Any) -> Any:
    """A fraction of a rational of runs; others as they are."""
    return Fraction(int(number.p), int(number.q)) if isinstance(number, fmpq) else number


def _beside(number: Fraction, other: Any) -> Any:
    """The same number of the kind that stands beside it: a float among floats, else a rational."""
    kind = getattr(getattr(other, "dtype", None), "kind", "O")
    return float(number) if kind in "fc" else rational(Fraction(number))


def _within(number: Fraction, array: Any) -> Any:
    """What NumPy takes entry by entry: of arrays that have fractions or floats for entries too."""
    first = next(iter(np.reshape(array, -1)), None)
    if array.dtype.kind in "iu" or (array.dtype == object and isinstance(first, float | Fraction)):
        return np.array(number, dtype=object)
    return _beside(number, array)


def own_builtins() -> dict[str, Any]:
    """Python's builtins, in which an import of `fractions` gives a `Fraction` for runs."""
    own = ModuleType("fractions")
    own.__dict__.update({**vars(fractions), "Fraction": RunFraction})

    def imported(name: str, *arguments: Any, **named: Any) -> Any:
        return own if name == "fractions" else builtins.__import__(name, *arguments, **named)

    return {**vars(builtins), "__import__": imported}
