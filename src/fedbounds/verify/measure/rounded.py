"""Arrays that carry, in place of numbers, how large these are and how wrong rounding has made them.

A round that is driven on these arrays gives one bound for many rows at once. For every row let x be
a number that floats compute and X the one that exact arithmetic gives from the same data. Then

    |x| <= size  and  |X| <= size,        |x - X| <= wrong,

entry by entry, for all rows whose inputs satisfy it. With u = 2^-53, an operation on floats returns
(x o y)(1 + e), |e| <= u, so that

    x + y:   size = s + t,      wrong = v + w + u (s + t)
    x y:     size = s t,        wrong = v t + s w + u s t
    x / y:   size = s / l,      wrong = v / l + s w / l^2 + u s / l,   l <= |y|, |Y|
    sums of k products, in any order and with or without fused steps: u is k u / (1 - k u)

where s, t are the sizes of x, y, and v, w what is wrong with them; s t bounds |x Y| and |X y| too,
as sizes hold for both. Sizes are enlarged by what is wrong with them, and every operation by
`_UP` for the rounding of the bound itself. `TINY` is for what is below the normal range: products,
quotients and data may be, and have it added; a sum that small is exact. So what is wrong is told to
be 0 of numbers that are only moved, and of sums of zeros, and of no others.
"""

from collections.abc import Callable, Sequence
from typing import Any

import array_api_compat.numpy
import numpy as np

from .unknowns import Refused

Array = Any
UNIT = 2.0**-53
TINY = 1e-280
_UP = 1 + 2.0**-48  # a bound is the result of fewer than eight operations


class Rounded:
    """Sizes, and what is wrong.

    Parameters
    ----------
    size, wrong : arrays of one shape
    low : array or None
        Below all absolute values, where it may be divided by.
    """

    def __init__(self, size: Array, wrong: Array, low: Array | None = None) -> None:
        self.size = np.asarray(size, dtype=np.float64)
        self.wrong = np.asarray(wrong, dtype=np.float64)
        self.low = low

    @staticmethod
    def known(values: Any, exact: bool = False) -> "Rounded":
        """Numbers whose nearest floats are given; ``exact``: numbers that are these floats."""
        size = abs(np.asarray(values, dtype=np.float64))
        wrong = size * 0 if exact else np.where(size == np.rint(size), 0.0, size * UNIT + TINY)
        return Rounded((size + wrong) * _UP, wrong * _UP, size * (1 - 4 * UNIT))

    # ---- what algorithms ask of arrays

    @property
    def shape(self) -> tuple[int, ...]:
        """As of an array."""
        return self.size.shape

    @property
    def ndim(self) -> int:
        """As of an array."""
        return self.size.ndim

    @property
    def dtype(self) -> np.dtype[np.float64]:
        """As of an array of floats."""
        return np.dtype(np.float64)

    def __array_namespace__(self, **_: Any) -> Any:
        """NumPy: its functions are answered below."""
        return array_api_compat.numpy

    def __getitem__(self, key: Any) -> "Rounded":
        """Entries."""
        return Rounded(self.size[key], self.wrong[key])

    def __add__(self, other: Any) -> "Rounded":
        """The sum; of differences too."""
        more = _as_rounded(other)
        size = self.size + more.size
        return _made(size, self.wrong + more.wrong + size * UNIT)

    def __mul__(self, other: Any) -> "Rounded":
        """The product."""
        more = _as_rounded(other)
        size = self.size * more.size
        found = _made(size, self.wrong * more.size + self.size * more.wrong + size * UNIT + TINY)
        if self.low is not None and more.low is not None:
            found.low = self.low * more.low * (1 - 4 * UNIT)
        return found

    def __truediv__(self, other: Any) -> "Rounded":
        """The quotient."""
        more = _as_rounded(other)
        if more.low is None or not (more.low > 0).all():
            raise Refused("it divides by what may be 0")
        size = self.size / more.low
        wrong = self.wrong / more.low + size * more.wrong / more.low
        return _made(size, wrong + size * UNIT + TINY)

    def __rtruediv__(self, other: Any) -> "Rounded":
        """The quotient."""
        return _as_rounded(other) / self

    def __matmul__(self, other: Any) -> "Rounded":
        """Sums of products."""
        more = _as_rounded(other)
        return _summed(np.matmul, self, more, self.shape[-1])

    def __rmatmul__(self, other: Any) -> "Rounded":
        """Sums of products."""
        return _as_rounded(other) @ self

    def __neg__(self) -> "Rounded":
        """The same size."""
        return self

    __sub__ = __rsub__ = __radd__ = __add__
    __rmul__ = __mul__

    def sum(self, axis: Any = None, **other: Any) -> "Rounded":
        """The sum."""
        axes = range(self.ndim) if axis is None else np.atleast_1d(axis)
        count = int(np.prod([self.shape[int(at)] for at in axes]))
        size, wrong = (x.sum(axis=axis, **other) for x in (self.size, self.wrong))
        return _made(size, wrong + size * _several(count))

    def reshape(self, *shape: Any) -> "Rounded":
        """The same entries."""
        return _moved(lambda x: x.reshape(*shape), self)

    # ---- NumPy's functions

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **other: Any) -> Any:
        """Sums, products and quotients."""
        if method != "__call__" or function not in _UFUNCS or other:
            raise Refused(f"{function.__name__} is not followed through rounding")
        first, *more = (_as_rounded(x) for x in inputs)
        return _UFUNCS[function](first, *more)

    def __array_function__(self, function: Any, _: Any, given: Any, named: Any) -> Any:
        """What takes entries as they are, and sums."""
        if function is np.sum:
            plain = {x: y for x, y in named.items() if y is not None and y is not np._NoValue}
            return given[0].sum(*given[1:], **plain)
        if function not in _MOVING:
            raise Refused(f"{function.__name__} is not followed through rounding")
        first, *rest = given
        if isinstance(first, Sequence):
            every = [_as_rounded(x) for x in first]
            return Rounded(
                function([x.size for x in every], *rest, **named),
                function([x.wrong for x in every], *rest, **named),
            )
        return _moved(lambda x: function(x, *rest, **named), first)


_UFUNCS: dict[Any, Callable[..., Rounded]] = {
    np.add: Rounded.__add__,
    np.subtract: Rounded.__add__,
    np.multiply: Rounded.__mul__,
    np.true_divide: Rounded.__truediv__,
    np.matmul: Rounded.__matmul__,
    np.negative: Rounded.__neg__,
}
_MOVING = {
    np.concatenate, np.stack, np.reshape, np.transpose, np.broadcast_to, np.take, np.expand_dims,
    np.squeeze, np.swapaxes, np.moveaxis, np.take_along_axis, np.repeat,
}  # fmt: skip


def _as_rounded(value: Any) -> Rounded:
    return value if isinstance(value, Rounded) else Rounded.known(value)


def _made(size: Array, wrong: Array) -> Rounded:
    return Rounded((size + wrong) * _UP, wrong * _UP)


def _moved(function: Callable[[Array], Array], x: Rounded) -> Rounded:
    return Rounded(function(x.size), function(x.wrong))


def _several(count: int) -> float:
    """What k operations lose, and as many that add up the bound."""
    return 4 * count * UNIT


def _summed(function: Any, one: Rounded, other: Rounded, count: int) -> Rounded:
    size = function(one.size, other.size) * (1 + _several(count))
    wrong = function(one.wrong, other.size) + function(one.size, other.wrong)
    return _made(size, wrong * (1 + _several(count)) + size * _several(count) + TINY * (count > 0))
