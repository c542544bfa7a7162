"""A function of an objective, client by client, of arrays with one row per outcome."""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import array_api_compat.numpy
import numpy as np

from fedbounds.errors import require
from fedbounds.problems import everyone
from fedbounds.problems.arrays import map_numbers
from fedbounds.problems.linear import is_exact

from .balls import balls
from .count import Count

Array = Any


@dataclass(frozen=True, eq=False)
class PerClient:
    """n clients whose functions are asked for all at once.

    Attributes
    ----------
    objective : problem of `fedbounds.problems`
    xp : module
        The array namespace of the problem's arrays: NumPy, or whichever the algorithm runs on.
    enclosed : bool
        Whether a run is in balls though gradients are rational: its steps take roots.
    """

    objective: Any
    xp: Any = array_api_compat.numpy
    enclosed: bool = field(default=False, kw_only=True)

    @property
    def exact(self) -> bool:
        """Whether the arrays are rationals."""
        if getattr(self.objective, "exact", False):
            return True
        given = getattr(self.objective, "hessian", getattr(self.objective, "features", None))
        return isinstance(given, np.ndarray) and is_exact(given)

    @property
    def irrational(self) -> bool:
        """Whether gradients are no rationals: they are balls."""
        return self.exact and (self.enclosed or bool(getattr(self.objective, "irrational", False)))

    @property
    def clients(self) -> int:
        """n."""
        found = int(self.objective.clients)
        return Count(found) if self.exact else found

    @property
    def places(self) -> int:
        """Length of the axis of clients; where few take part, they alone may have a place."""
        return int(self.clients)

    @property
    def dimension(self) -> int:
        """d, the number of shared coordinates."""
        return int(self.objective.shared_dimension)

    @property
    def personal_dimension(self) -> int:
        """d_v, the number of coordinates of a client's own block; 0 where all are shared."""
        return int(self.objective.personal_dimension)

    def spread(self, x: Array) -> Array:
        """A model per client: shape (rows, d) to (rows, n, d), every client's the same.

        In memory a client's stand together: no function of an objective then needs a copy.
        """
        if isinstance(x, np.ndarray):
            return np.stack([x] * self.places, axis=0).transpose(1, 0, 2)
        return self.xp.stack([x] * self.places, axis=1)  # rows in pairs stay so

    def _check_shared(self, given: str, expected: str) -> None:
        d_v = self.personal_dimension
        require(d_v == 0, f"personal dimension of a problem asked for {given}", d_v,
                f"0; with personal blocks ask for {expected}")  # fmt: skip

    def _models(self, y: Array) -> Array:
        """One of each client, shape (rows, n, d)."""
        models = self.spread(y) if y.ndim == 2 else y
        shape = tuple(models.shape)
        expected = (shape[0], self.places, self.dimension)
        require(shape == expected, "shape of the models", shape, f"{expected}")
        return models

    def _of_clients(self, name: str, *given: Array, **more: Any) -> Array:
        """A function of the objective, client by client: of models, and more, (rows, n, ...)."""
        rows, n, _ = given[0].shape
        own = [self._by_client(x) for x in given]
        found = getattr(self.objective, name)(*own, everyone(n, rows, self.xp), **more)
        found = self.xp.reshape(found, (n, rows, *found.shape[1:]))
        return self.xp.permute_dims(found, (1, 0, *range(2, found.ndim)))

    def _by_client(self, x: Array) -> Array:
        """From shape (rows, n, ...) to one row of each, all of a client's after each other."""
        rows, n, width = x.shape
        found = self.xp.reshape(self.xp.permute_dims(x, (1, 0, 2)), (rows * n, width))
        return balls(found) if self.irrational else found

    @property
    def _on_host(self) -> Any:
        """The objective, in arrays of NumPy."""
        here = self.xp is array_api_compat.numpy
        return self.objective if here else _moved_to_host(self.objective)


def on_host(array: Array) -> Array:
    """As an array of NumPy."""
    return array.get() if hasattr(array, "get") else np.asarray(array)


@lru_cache(maxsize=64)
def _moved_to_host(problem: Any) -> Any:
    return map_numbers(problem, on_host)
