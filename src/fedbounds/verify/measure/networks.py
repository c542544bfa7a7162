"""What steps ask of networks, for all clients at once: outputs, their derivatives, and spectra."""

from functools import lru_cache
from typing import Any

import numpy as np
from flint import arb, fmpq

from fedbounds.problems.linear import is_exact
from fedbounds.problems.spectrum import Bracket, largest_eigenvalue

from .balls import Ball, balls, enclosed
from .objectives import between
from .per_client import PerClient, on_host

Array = Any


class Networks(PerClient):
    """The part of `Clients` that speaks of networks."""

    @property
    def has_nearest_fit(self) -> bool:
        """Whether a network is linear in its model, and some model misses no sample."""
        return bool(self._on_host.has_nearest_fit)

    def nearest_fit(self, x: Array) -> Array:
        """Of models that miss no sample the nearest to each row of ``x``, shape (rows, d)."""
        return self.xp.asarray(self._on_host.nearest_fit(on_host(x)))

    @property
    def layer_sizes(self) -> tuple[int, ...]:
        """Entries of each layer of a network."""
        found: tuple[int, ...] = self.objective.layer_sizes
        return found

    def residual(self, y: Array) -> Array:
        """What a network misses on each client's own samples, shape (rows, n, outputs).

        Of models of shape (rows, n, d) or (rows, d), as the following.
        """
        return self._of_clients("residual", self._models(y))

    def expansion(self, y: Array, move: Array) -> Array:
        """Terms of the outputs of y + move by their degree in it, (rows, n, degrees, outputs)."""
        return self._of_clients("expansion", self._models(y), self._models(move))

    def tangent(self, y: Array, move: Array) -> Array:
        """J_i(y_i) of a move, the derivative of outputs along it, shape (rows, n, outputs)."""
        return self._of_clients("tangent", self._models(y), self._models(move))

    def cotangent(self, y: Array, apart: Array) -> Array:
        """J_i(y_i)' of numbers at outputs, (rows, n, outputs); shape (rows, n, d)."""
        return self._of_clients("cotangent", self._models(y), apart)

    def averaged(self, x: Array, present: Array, eta: Any, steps: int) -> tuple[Array, Array]:
        """The mean over those present of where gradient steps lead; and what all miss before.

        Of models (rows, d), and (rows, n) of 0 and 1; shapes (rows, d) and (rows, n, outputs).
        """
        shares = present / self.xp.sum(present, axis=1)[:, None]
        models = balls(x) if self.irrational else x
        found: tuple[Array, Array] = self.objective.averaged(models, shares, eta=eta, steps=steps)
        return found

    def by_crossed_gram(self, x: Array, ys: Array, apart: Array) -> Array:
        """P(t, k, c) of every client's model, times numbers at its outputs, summed over clients.

        Of models (rows, d) and (rows, n, d), and numbers (rows, n, outputs); shape as these.
        """
        rows, n, outputs = apart.shape
        matrix = self.xp.reshape(self.objective.crossed_gram(x, ys), (rows, n * outputs, -1))
        found = self.xp.matmul(matrix, self.xp.reshape(apart, (rows, n * outputs, 1)))
        return self.xp.reshape(found, (rows, n, outputs))

    def has_spectra(self, x: Array) -> bool:
        """Whether eigenvalues of matrices are found: of models that stay rational."""
        if not isinstance(x, np.ndarray) or not is_exact(x) or self.irrational:
            return False
        return all(isinstance(entry, int | fmpq) for entry in x.reshape(-1))

    def spectra(self, x: Array, start: Array) -> dict[str, Array]:
        """Of every row, extremes of products of a network's layers, and of their moves.

        Exact numbers or balls, shape (rows,).
        """
        rows = [self.objective.spectra(*own) for own in zip(x, start, strict=True)]
        return {name: _numbers([row[name] for row in rows]) for name in rows[0]}

    @property
    def own_largest(self) -> Array:
        """Largest eigenvalue of X_c'X_c of every client, shape (n,); of exact data."""
        return _own_largest(self.objective)

    def grams_apart(self, x: Array, ys: Array, start: Array, present: Array) -> Array:
        """||P^S(t, k) - P^S(0)||^2 of every row, of models of clients (rows, n, d)."""
        found = self.objective.crossed_gram(x, ys)
        found = found - self.objective.crossed_gram(start, self.spread(start))
        found = found * present[:, None, None, :, None, None]
        rows, samples, outputs = found.shape[:3]
        square = found.reshape(rows, samples * outputs, -1)
        return _numbers([largest_eigenvalue(own.T @ own) for own in square])

    @property
    def width(self) -> int:
        """m, neurons of a network's layer."""
        return int(self.objective.width)

    def neurons(self, y: Array) -> Array:
        """What each neuron adds to each output, shape (rows, n, samples times neurons)."""
        return self._of_clients("neurons", self._models(y))

    def largest(self, found: Array) -> Array:
        """Along the last axis."""
        if self.irrational:  # of balls that overlap, neither is the larger one
            return np.frompyfunc(_larger, 2, 1).reduce(found, axis=-1)
        return self.xp.max(found, axis=-1)

    def tangent_neurons(self, y: Array, move: Array) -> Array:
        """What each neuron adds to the derivative of outputs along a move, of the same shape."""
        return self._of_clients("tangent_neurons", self._models(y), self._models(move))

    def near(self, y: Array, radius: Any) -> Array:
        """1 where a neuron may change its sign on a sample within a radius, of the same shape."""
        return self._of_clients("near", self._models(y), radius=radius)


@lru_cache(maxsize=64)  # asked for in every round
def _own_largest(problem: Any) -> Array:
    """Of features in rows."""
    return _numbers([largest_eigenvalue(own @ own.T) for own in problem.features])


def _larger(a: Any, b: Any) -> Ball:
    return Ball(arb(enclosed(a)).max(arb(enclosed(b))))


def _numbers(found: list[Bracket]) -> Array:
    """Exact where they are, else the balls that span them."""
    return np.array([between(one) for one in found], dtype=object)
