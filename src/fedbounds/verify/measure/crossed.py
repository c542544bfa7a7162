"""Rows in pairs: each of some inputs with each of others, and what depends on one kind but once.

A step treats rows apart. An array whose rows are pairs (a, b) is kept with one row for each b alone
where no a is in it yet, and only operations that meet both make all pairs. Every number is that
which the operation makes of a row by itself.
"""

from collections.abc import Callable, Sequence
from typing import Any

import array_api_compat.numpy
import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

Array = Any
_ALL = slice(None)


class Crossed(NDArrayOperatorsMixin):
    """An array of shape (A B, ...).

    Parameters
    ----------
    data : array, shape (A or 1, B or 1, ...)
    counts : pair (A, B)
    """

    def __init__(self, data: Array, counts: tuple[int, int]) -> None:
        self.data, self.counts = data, counts

    @property
    def shape(self) -> tuple[int, ...]:
        """As of an array."""
        return (self.counts[0] * self.counts[1], *self.data.shape[2:])

    @property
    def ndim(self) -> int:
        """As of an array."""
        return int(self.data.ndim) - 1

    @property
    def dtype(self) -> Any:
        """As of an array."""
        return self.data.dtype

    def whole(self) -> Array:
        """A plain array with all rows."""
        data = np.broadcast_to(self.data, (*self.counts, *self.data.shape[2:]))
        return data.reshape(self.shape)

    def by_rows(self, function: Callable[[Array], Array]) -> "Crossed":
        """What a function makes of rows, each apart."""
        first, second, *rest = self.data.shape
        found = function(self.data.reshape(first * second, *rest))
        return Crossed(found.reshape(first, second, *found.shape[1:]), self.counts)

    def __array_namespace__(self, **_: Any) -> Any:
        """NumPy: its functions are answered below."""
        return array_api_compat.numpy

    def __getitem__(self, key: Any) -> Any:
        """Entries of all rows, or of the first."""
        first, *rest = key if isinstance(key, tuple) else (key,)
        if isinstance(first, slice) and first == _ALL:
            return Crossed(self.data[(_ALL, _ALL, *rest)], self.counts)
        if isinstance(first, slice) and first == slice(None, 1):
            return Crossed(self.data[(first, first, *rest)], (1, 1))
        return self.whole()[key]

    def sum(self, axis: Any = None, **other: Any) -> Any:
        """The sum."""
        own: Any = self
        return np.sum(own, axis=axis, **other)

    def reshape(self, *shape: Any) -> Any:
        """The same entries."""
        own: Any = self
        return np.reshape(own, shape[0] if isinstance(shape[0], Sequence) else shape)

    # ---- NumPy's functions

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **other: Any) -> Any:
        """Entry by entry; and products of matrices."""
        counts, every = _alike(inputs)
        flat = function is np.matmul and any(x.ndim < 3 for x in inputs if _is(x))
        if method != "__call__" or other or flat or every is None:
            plain = [x.whole() if _is(x) else x for x in inputs]
            return getattr(function, method)(*plain, **other)
        return Crossed(function(*every), counts)

    def __array_function__(self, function: Any, _: Any, given: Any, named: Any) -> Any:
        """Those that leave rows apart; all others of plain arrays."""
        own = {x: y for x, y in named.items() if y is not None and y is not np._NoValue}
        made = _FUNCTIONS[function](*given, **own) if function in _FUNCTIONS else None
        if made is not None:
            return made
        return function(*map(_plain, given), **{x: _plain(y) for x, y in named.items()})


def _is(value: Any) -> bool:
    return isinstance(value, Crossed)


def _plain(value: Any) -> Any:
    if _is(value):
        return value.whole()
    return type(value)(map(_plain, value)) if isinstance(value, list | tuple) else value


def _alike(inputs: Sequence[Any]) -> tuple[tuple[int, int], list[Any] | None]:
    """Arrays with two axes of rows each; None where rows do not meet rows."""
    crossed = [x for x in inputs if _is(x)]
    counts = max(x.counts for x in crossed)
    every, depth = [], max(x.ndim for x in crossed)
    for x in inputs:
        if _is(x):
            if x.ndim != depth or depth < 2 or x.counts not in ((1, 1), counts):
                return counts, None
            every.append(x.data)
            continue
        own = np.asarray(x)
        if own.ndim > depth or (
            own.ndim == depth and own.shape[0] not in (1, counts[0] * counts[1])
        ):
            return counts, None
        every.append(_split(own, counts) if own.ndim == depth else own)
    return counts, every


def _split(array: Array, counts: tuple[int, int]) -> Array:
    """A plain array of one row, or of all."""
    return array[None] if array.shape[0] == 1 else array.reshape(*counts, *array.shape[1:])


def _axes(axis: Any, depth: int) -> Any:
    """Axes behind that of rows, in the data; None if that is among them."""
    every = [int(at) % depth for at in np.atleast_1d(axis)]
    moved = tuple(at + 1 for at in every)
    return moved if all(every) else None


def _sum(x: Any, axis: Any = None, **other: Any) -> Any:
    own = None if axis is None else _axes(axis, x.ndim)
    return None if own is None else Crossed(x.data.sum(axis=own, **other), x.counts)


def _reshape(x: Any, shape: Any, **_: Any) -> Any:
    first, *rest = shape if isinstance(shape, Sequence) else (shape,)
    if first != x.shape[0]:
        return None
    return Crossed(x.data.reshape(*x.data.shape[:2], *rest), x.counts)


def _transpose(x: Any, axes: Any = None) -> Any:
    if axes is None or axes[0] != 0:
        return None
    return Crossed(np.transpose(x.data, (0, *(at % x.ndim + 1 for at in axes))), x.counts)


def _joined(function: Any, more: int) -> Any:
    """Of `concatenate` and `stack`; the latter makes so many more axes."""

    def made(arrays: Sequence[Any], axis: int = 0) -> Any:
        counts, every = _alike(arrays)
        depth = max(np.ndim(x) if not _is(x) else x.ndim for x in arrays)
        own = _axes(axis, depth + more)
        if own is None or every is None or any(x.ndim != depth + 1 for x in every):
            return None
        rows = np.broadcast_shapes(*(x.shape[:2] for x in every))
        wide = [np.broadcast_to(x, (*rows, *x.shape[2:])) for x in every]
        return Crossed(function(wide, axis=own[0]), counts)

    return made


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.sum: _sum,
    np.reshape: _reshape,
    np.transpose: _transpose,
    np.concatenate: _joined(np.concatenate, 0),
    np.stack: _joined(np.stack, 1),
}
