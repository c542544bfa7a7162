"""Clients as those see them who take part: a place for each of them, whoever it is.

A step that is run on this view computes for participants only. That it is the same step is shown
elsewhere, never taken for granted.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import array_api_compat.numpy
import numpy as np

from fedbounds.problems import cohort_of

from .balls import balls
from .clients import Clients
from .stacked import Stacking
from .unknowns import Refused

Array = Any


@dataclass(frozen=True, eq=False)
class Slots(Clients):
    """Clients of whom equally many take part in every row; n is still the number of all.

    Attributes
    ----------
    present : array of NumPy, shape (rows, n)
        True where a client takes part. Places are in the order of clients.
    """

    present: Array = field(kw_only=True)

    @property
    def places(self) -> int:
        """m."""
        return int(np.count_nonzero(self.present[0]))

    def gather(self, array: Array) -> Array:
        """Of an array of shape (rows, n, ...) what participants have, shape (rows, m, ...)."""
        shape = (len(self.present), self.places, *array.shape[2:])
        return self.xp.reshape(self.xp.take(_flat(array, self.xp), self._taken, axis=0), shape)

    def scatter(self, array: Array, own: Array) -> Array:
        """The array with what participants have now; that of the absent is as it was."""
        both = self.xp.concat([_flat(array, self.xp), _flat(own, self.xp)], axis=0)
        return self.xp.reshape(self.xp.take(both, self._returned, axis=0), tuple(array.shape))

    def spread(self, x: Array) -> Array:
        """A model per place: no copies are made."""
        shape = (x.shape[0], self.places, *x.shape[1:])
        return self.xp.broadcast_to(x[:, None, ...], shape)

    @property
    def unseen(self) -> "Slots":
        """The same for a step that nobody looks at: what it stacks is stacked if it is used."""
        return replace(self, xp=Stacking()) if self.xp in (np, array_api_compat.numpy) else self

    @cached_property
    def _taken(self) -> Array:
        """Of each place, row by row: where its client is among all."""
        return self.xp.asarray(np.flatnonzero(self.present))

    @cached_property
    def _returned(self) -> Array:
        """Of each client, row by row: where it is among all and, after them, the places."""
        every = self.present.size
        numbers = every + np.cumsum(self.present.reshape(-1)) - 1
        return self.xp.asarray(np.where(self.present.reshape(-1), numbers, np.arange(every)))

    @cached_property
    def _sorted(self) -> tuple[Any, Array, Array]:
        """The cohort, whose rows are sorted by client; these rows, and the way back."""
        rows, n = self.present.shape
        numbers = np.cumsum(self.present.reshape(-1)).reshape(rows, n) - 1
        order = numbers.T[self.present.T]
        cohort = cohort_of(np.ascontiguousarray(self.present.T), self.xp)
        return cohort, self.xp.asarray(order), self.xp.asarray(np.argsort(order))

    def _of_clients(self, name: str, models: Array) -> Array:
        """A function of the objective: one product per client, over rows where it takes part."""
        cohort, order, back = self._sorted
        points = self.xp.take(_flat(models, self.xp), order, axis=0)
        found = getattr(self.objective, name)(balls(points) if self.irrational else points, cohort)
        found = self.xp.take(found, back, axis=0)
        return self.xp.reshape(found, (*models.shape[:2], *found.shape[1:]))

    def _of_samples(self, name: str, models: Array, weights: Array) -> Array:
        raise Refused("samples are drawn for all clients")


def _flat(array: Array, xp: Any) -> Array:
    """The first two axes as one."""
    rows, places = array.shape[:2]
    return xp.reshape(array, (rows * places, *array.shape[2:]))
