"""Arrays that are stacked when they are used: what nobody looks at costs nothing.

As after the call itself, arrays must not be changed afterwards; a step makes new ones.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import array_api_compat.numpy
import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

Array = Any


class Stacked(NDArrayOperatorsMixin):
    """What ``stack`` returns.

    Parameters
    ----------
    arrays : sequence of arrays of NumPy
    axis : int
    """

    def __init__(self, arrays: Sequence[Array], axis: int = 0) -> None:
        self._arrays, self._axis = tuple(arrays), axis

    @cached_property
    def whole(self) -> Array:
        """A plain array."""
        return np.stack(self._arrays, axis=self._axis)

    @property
    def shape(self) -> tuple[int, ...]:
        """As of an array."""
        own = list(self._arrays[0].shape)
        at = self._axis if self._axis >= 0 else len(own) + 1 + self._axis
        return (*own[:at], len(self._arrays), *own[at:])

    @property
    def ndim(self) -> int:
        """As of an array."""
        return len(self.shape)

    def __array_namespace__(self, **_: Any) -> Any:
        """NumPy."""
        return array_api_compat.numpy

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """A plain array."""
        return np.asarray(self.whole, dtype=dtype, copy=copy)

    def __getitem__(self, key: Any) -> Any:
        """Entries."""
        return self.whole[key]

    def __getattr__(self, name: str) -> Any:
        """Whatever else an array has."""
        return getattr(self.whole, name)

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **other: Any) -> Any:
        """Entry by entry, of plain arrays."""
        return getattr(function, method)(*map(plain, inputs), **other)

    def __array_function__(self, function: Any, _: Any, given: Any, named: Any) -> Any:
        """Of plain arrays."""
        return function(*map(plain, given), **{name: plain(x) for name, x in named.items()})


def plain(value: Any) -> Any:
    """Without what is stacked later, in lists too."""
    if isinstance(value, Stacked):
        return value.whole
    return type(value)(map(plain, value)) if isinstance(value, list | tuple) else value


class Stacking:
    """The namespace of NumPy whose ``stack`` waits."""

    stack = staticmethod(Stacked)

    def __getattr__(self, name: str) -> Any:
        """As of NumPy."""
        return getattr(array_api_compat.numpy, name)
