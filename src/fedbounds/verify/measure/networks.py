"""What steps ask of networks, for all clients at once: outputs, their derivatives, and spectra."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np
from flint import arb, fmpq

from fedbounds.problems.linear import is_exact
from fedbounds.problems.spectrum import (
    Bracket,
    largest_eigenvalue,
    smallest_eigenvalue,
    squared_norm,
)

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

    def linear_fit(self, x: Array) -> Array | None:
        """Where linearisations at every row of ``x`` miss no sample, nearest to it, (rows, d)."""
        if not self.has_spectra(x):
            return None
        every = [self.objective.linear_fit(row) for row in x]
        return None if any(row is None for row in every) else np.stack(every)

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
    def own_extremes(self) -> tuple[Array, Array]:
        """The least and the largest eigenvalue of X_c'X_c of every client, (n,); of exact data."""
        least, largest = zip(*_own_extremes(self.objective), strict=True)
        return _numbers(list(least)), _numbers(list(largest))

    def local_changes(self, x: Array, ys: list[Array], missed: Array) -> dict[str, Array]:
        """How far clients' layers, and products of them, go from those of the model x.

        Of models (rows, n, d) after k = 0, 1, ... steps, and what they miss at first, (rows, n,
        outputs). Single layers, "went_layers", for every k, shape (rows, n, steps + 1). Products as
        in the network's `away`, the largest over k: one for each client and there for p = 1, ...,
        L - 1 layers, shape (rows, n (L - 1)); with p, "length", and, where samples of a client do
        not depend on each other, ||X_c||^2 ||xi_c||^2 / sigma_min^4(X_c), "own_spread".
        """
        objective, rows, n = self.objective, x.shape[0], self.clients
        every = [(x[row], [y[row, c] for y in ys[1:]]) for row in range(rows) for c in range(n)]
        still = Bracket(fmpq(0), fmpq(0))  # after no step
        layers = [[still, *(objective.layers_away(y, here) for y in own)] for here, own in every]
        found = {
            "went_layers": _numbers([one for own in layers for one in own]).reshape(
                rows, n, len(ys)
            )
        }
        if objective.depth == 1:
            return found
        away = [[objective.away(y, here) for y in own] for here, own in every]
        for name in away[0][0]:
            lists = [zip(*(one[name] for one in own), strict=True) for own in away]
            most = [_most(steps) for own in lists for steps in own]
            found[f"went_{name}"] = _numbers(most).reshape(rows, -1)
        lengths = [fmpq(p) for p in range(1, objective.depth)]
        found["length"] = np.array([lengths * n] * rows, dtype=object)
        if all(least.lower > 0 for least, _ in _own_extremes(objective)):
            least, largest = self.own_extremes
            spread = self.xp.sum(missed * missed, axis=2) * (largest / least**2)
            found["own_spread"] = np.repeat(spread, len(lengths), axis=1)
        return found

    def gram_blocks(self, x: Array, start: Array, present: Array) -> dict[str, Array]:
        """What (16) says of P, of every row.

        "columns": ||[P(t, 1), P(t, 2), ...] - P(t)||_F^2; "rows" likewise, of blocks one below the
        other, each with its first factors transposed. "low" and "high": the extreme eigenvalues of
        P^S(0)'P^S(0).
        """
        beside = self.objective.crossed_gram(x, self.spread(x))
        rows, samples, outputs, _, own, _ = beside.shape
        size = samples * outputs
        beside = beside.reshape(rows, samples, outputs, samples, outputs)
        whole = np.stack([self.objective.gram(one) for one in x])
        apart = [
            ((blocks.reshape(rows, size, size) - whole) ** 2).sum(axis=(1, 2))
            for blocks in (beside, beside.swapaxes(1, 3))
        ]
        ends = []
        for one, here in zip(start, present, strict=True):
            among = np.repeat([int(bool(at)) for at in here], own * outputs) == 1
            block = self.objective.gram(one)[:, among]
            square = block.T @ block
            ends.append((smallest_eigenvalue(square), largest_eigenvalue(square)))
        low, high = map(list, zip(*ends, strict=True))
        return {
            **{"block_columns": apart[0], "block_rows": apart[1]},
            **{"block_low": _numbers(low), "block_high": _numbers(high)},
        }

    def grams_apart(self, x: Array, ys: Array, start: Array, present: Array) -> Array:
        """||P^S(t, k) - P^S(0)||^2 of every row, of models of clients (rows, n, d)."""
        found = self.objective.crossed_gram(x, ys)
        found = found - self.objective.crossed_gram(start, self.spread(start))
        found = found * present[:, None, None, :, None, None]
        rows, samples, outputs = found.shape[:3]
        square = found.reshape(rows, samples * outputs, -1)
        return _numbers([largest_eigenvalue(own.T @ own) for own in square])

    def squared_norms(self, matrices: Array) -> Array:
        """||A||^2 of every matrix of a stack, (count, rows, columns): spectral norms."""
        if isinstance(matrices, np.ndarray) and is_exact(matrices):
            return _numbers([squared_norm(one) for one in matrices])
        return self.xp.linalg.matrix_norm(matrices, ord=2) ** 2

    def distances(self, moved: Array) -> Array:
        """Squared distances of neurons, of moves of models (..., d), shape (..., neurons)."""
        found: Array = self.objective.distances(moved)
        return found

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
def _own_extremes(problem: Any) -> list[tuple[Bracket, Bracket]]:
    """Of features in rows."""
    grams = (own @ own.T for own in problem.features)
    return [(smallest_eigenvalue(gram), largest_eigenvalue(gram)) for gram in grams]


def _most(found: Iterable[Bracket]) -> Bracket:
    """The largest of some numbers."""
    every = list(found)
    return Bracket(max(x.lower for x in every), max(x.upper for x in every))


def _larger(a: Any, b: Any) -> Ball:
    return Ball(arb(enclosed(a)).max(arb(enclosed(b))))


def _numbers(found: list[Bracket]) -> Array:
    """Exact where they are, else the balls that span them."""
    return np.array([between(one) for one in found], dtype=object)
