"""f(W; x) = C W^L ... W^1 x with C = (m^(L-1) d_out)^(-1/2): deep linear networks, least squares.

Client i has samples (x_j, y_j) and the loss 1/2 sum_j ||f(W; x_j) - y_j||^2. All layers are
trained: a model is flat, W^1, of shape (m, d_in), then W^2, ..., (m, m), then W^L, (d_out, m),
each row by row. With L = 1 there is one layer, (d_out, d_in), and no width. The model of "On the
Convergence of Federated Averaging under Partial Participation for Over-parameterized Neural
Networks", (5).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import isqrt
from typing import Any

import array_api_compat
import numpy as np
from flint import fmpq

from fedbounds.errors import require
from fedbounds.facts import Fact

from .cohort import Cohort
from .constants import Constants, Evidence, not_known
from .linear import is_exact, pivots, solve
from .noise import SILENT
from .problem import Start
from .spectrum import largest_eigenvalue, smallest_eigenvalue

Array = Any
_SILENT = (
    Fact.NOISE, Fact.NOISELESS, Fact.UNBIASED, Fact.BOUNDED_VARIANCE, Fact.INDEPENDENT,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class DeepLinear:
    """Clients with equally many samples.

    Attributes
    ----------
    features : array, shape (n, n_c, d_in)
        Samples of every client, in rows: the columns of X_c.
    targets : array, shape (n, n_c, d_out)
        Y_c.
    depth : int
        L.
    width : int
        m.

    Raises
    ------
    FedboundsError
        If shapes do not fit together, or there is no layer.
    """

    features: Array
    targets: Array
    depth: int
    width: int

    personal_dimension = 0
    noise = SILENT

    def __post_init__(self) -> None:
        require(self.features.ndim == 3, "axes of the features", self.features.ndim,
                "3: clients, samples, entries")  # fmt: skip
        require(self.targets.ndim == 3, "axes of the targets", self.targets.ndim,
                "3: clients, samples, outputs")  # fmt: skip
        given, expected = tuple(self.targets.shape[:2]), tuple(self.features.shape[:2])
        require(given == expected, "clients and samples of the targets", given, f"{expected}")
        shapes = tuple(self.features.shape), tuple(self.targets.shape)
        require(min(map(min, shapes)) >= 1, "shapes of the data", shapes, "nothing empty")
        require(self.depth >= 1, "depth L", self.depth, "at least 1")
        require(self.width >= 1, "width m", self.width, "at least 1")

    # ---- sizes

    @property
    def clients(self) -> int:
        """N."""
        return int(self.features.shape[0])

    @property
    def samples(self) -> int:
        """n_c, of every client."""
        return int(self.features.shape[1])

    @property
    def outputs(self) -> int:
        """d_out."""
        return int(self.targets.shape[2])

    @property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """Of W^1, ..., W^L."""
        first, last = int(self.features.shape[2]), self.outputs
        sizes = [first, *[self.width] * (self.depth - 1), last]
        return tuple(zip(sizes[1:], sizes[:-1], strict=True))

    @property
    def layer_sizes(self) -> tuple[int, ...]:
        """Entries of W^1, ..., W^L."""
        return tuple(rows * columns for rows, columns in self.shapes)

    @property
    def shared_dimension(self) -> int:
        """Entries of all layers."""
        return sum(self.layer_sizes)

    @property
    def exact(self) -> bool:
        """Whether the data are rationals."""
        return isinstance(self.features, np.ndarray) and is_exact(self.features)

    @property
    def irrational(self) -> bool:
        """Whether C is, of exact data: then outputs are balls."""
        return self.exact and isqrt(self.square) ** 2 != self.square

    @property
    def square(self) -> int:
        """1/C^2 = m^(L-1) d_out."""
        return int(self.width ** (self.depth - 1) * self.outputs)

    def _scale(self, z: Array) -> Any:
        """C, as the entries of z are."""
        if not self.exact:
            return self.square**-0.5
        if not self.irrational:
            return fmpq(1, isqrt(self.square))
        return 1 / (z[0, 0] * 0 + self.square).sqrt()

    # ---- what a model makes of samples

    def layers(self, z: Array) -> list[Array]:
        """W^1, ..., W^L of every row, shapes (rows, out, in)."""
        xp, found, at = array_api_compat.array_namespace(z), [], 0
        for rows, columns in self.shapes:
            own = z[:, at : at + rows * columns]
            found.append(xp.reshape(own, (z.shape[0], rows, columns)))
            at += rows * columns
        return found

    def residual(self, z: Array, cohort: Cohort) -> Array:
        """f - y on the samples of the row's client, shape (rows, n_c d_out)."""
        *_, last = self._activations(z, cohort)
        return self._flat(last * self._scale(z) - _of_rows(self.targets, cohort))

    def expansion(self, z: Array, v: Array, cohort: Cohort) -> Array:
        """Terms of f(W + V) by their degree in V, shape (rows, L + 1, n_c d_out).

        The first is f(W), the second what J(W) V is; their sum is f(W + V).
        """
        xp = array_api_compat.array_namespace(z)
        terms = [_of_rows(self.features, cohort)]
        for weight, move in zip(self.layers(z), self.layers(v), strict=True):
            kept = [_through(a, weight) for a in terms]
            moved = [_through(a, move) for a in terms]
            both = (x + y for x, y in zip(kept[1:], moved[:-1], strict=True))
            terms = [kept[0], *both, moved[-1]]
        return xp.stack([self._flat(a * self._scale(z)) for a in terms], axis=1)

    def tangent(self, z: Array, v: Array, cohort: Cohort) -> Array:
        """J(W) V, the derivative of the outputs along V, shape (rows, n_c d_out)."""
        return self.expansion(z, v, cohort)[:, 1, :]

    def cotangent(self, z: Array, r: Array, cohort: Cohort) -> Array:
        """J(W)' r, a flat model, of numbers at outputs, shape (rows, n_c d_out)."""
        xp, rows = array_api_compat.array_namespace(z), z.shape[0]
        weights, inputs = self.layers(z), list(self._activations(z, cohort))[:-1]
        back = xp.reshape(r, (rows, self.samples, self.outputs)) * self._scale(z)
        found = []
        for weight, given in zip(reversed(weights), reversed(inputs), strict=True):
            found.append(xp.matmul(xp.matrix_transpose(back), given))
            back = xp.matmul(back, weight)
        return xp.concat([xp.reshape(own, (rows, -1)) for own in reversed(found)], axis=1)

    def gradient(self, z: Array, cohort: Cohort) -> Array:
        """Rows of the gradient of the loss of the row's client: J' (f - y), (7)."""
        return self.cotangent(z, self.residual(z, cohort), cohort)

    def value(self, z: Array, cohort: Cohort) -> Array:
        """Rows of 1/2 ||f - y||^2."""
        xp, apart = array_api_compat.array_namespace(z), self.residual(z, cohort)
        return xp.sum(apart * apart, axis=1) / 2

    def _activations(self, z: Array, cohort: Cohort) -> Iterator[Array]:
        """X, W^1 X, ..., W^L ... W^1 X, samples in rows: shapes (rows, n_c, ...)."""
        found = _of_rows(self.features, cohort)
        yield found
        for weight in self.layers(z):
            found = _through(found, weight)
            yield found

    def _flat(self, found: Array) -> Array:
        xp = array_api_compat.array_namespace(found)
        return xp.reshape(found, (found.shape[0], -1))

    # ---- spectra

    @cached_property
    def _all_features(self) -> Array:
        """X', all samples in rows."""
        return self.features.reshape(-1, self.features.shape[2])

    def gram(self, start: Array) -> Array:
        """P of (13) at one flat model, of all samples, shape (n d_out, n d_out).

        It has no roots: those of C are squared.
        """
        weights, inputs = [own[0] for own in self.layers(start[None, :])], [self._all_features]
        for weight in weights[:-1]:
            inputs.append(inputs[-1] @ weight.T)
        after = np.eye(self.outputs, dtype=int).astype(start.dtype)
        total: Array = 0
        for weight, given in zip(reversed(weights), reversed(inputs), strict=True):
            total = total + np.kron(given @ given.T, after @ after.T)
            after = after @ weight
        return total / self.square

    def numbers(self, start: Array | None) -> dict[str, Any]:
        """Sizes and extreme eigenvalues: of X'X and, at a start, of P and of products of layers.

        X'X is that of samples: its least eigenvalue is 0 where samples depend on each other. W* is
        the least matrix with Y = W* X, which is there where samples are independent.
        """
        every = self._all_features
        gram = every @ every.T
        found: dict[str, Any] = {
            **{"depth": fmpq(self.depth), "width": fmpq(self.width), "d_out": fmpq(self.outputs)},
            **{"s_min2": smallest_eigenvalue(gram), "s_max2": largest_eigenvalue(gram)},
            "rank": fmpq(sum(pivot != 0 for pivot in pivots(gram) or ())),
        }
        if found["rank"] == len(gram):
            targets = self.targets.reshape(-1, self.outputs)
            found["w_star2"] = largest_eigenvalue(targets.T @ solve(gram, targets))
        if start is None:
            return found
        own = self.gram(start)
        low, high = self._spread(start, found["s_min2"].upper, found["s_max2"].lower)
        return found | {
            **{"P_min": smallest_eigenvalue(own), "P_max": largest_eigenvalue(own)},
            **{"low_0": low, "high_0": high},
        }

    def _spread(self, start: Array, least: fmpq, largest: fmpq) -> tuple[fmpq, fmpq]:
        """Bounds of squared singular values of W^L ... W^i, 1 < i, and of W^i ... W^1 X, i < L.

        In units of m^(L-i+1), and of m^i times the squares of those of X; 1 where L = 1.
        """
        weights = [own[0] for own in self.layers(start[None, :])]
        low, high = [fmpq(1)], [fmpq(1)]
        after, before = None, self._all_features.T
        for at in range(1, self.depth):
            last = weights[self.depth - at]
            after = last if after is None else after @ last
            before = weights[at - 1] @ before
            for matrix, ends in ((after @ after.T, (1, 1)), (before.T @ before, (least, largest))):
                unit = fmpq(self.width) ** at
                if ends[0] > 0:
                    low.append(smallest_eigenvalue(matrix).lower / (unit * ends[0]))
                if ends[1] > 0:
                    high.append(largest_eigenvalue(matrix).upper / (unit * ends[1]))
        return (min(low[1:]), max(high[1:])) if self.depth > 1 else (low[0], high[0])

    def constants(self, start: Start) -> Constants:
        """None of those of smooth functions: gradients of products are not Lipschitz."""
        return {}

    def satisfies(self, assumption: str) -> Evidence:
        """No noise; with several layers, no quadratic."""
        if assumption in _SILENT:
            return Evidence(True, "no noise")
        if assumption in (Fact.QUADRATIC, Fact.CONVEX, Fact.SMOOTH) and self.depth == 1:
            return Evidence(True, "one layer: least squares")
        return not_known(assumption)


def _of_rows(data: Array, cohort: Cohort) -> Array:
    """Of the client of every row."""
    xp = array_api_compat.array_namespace(data)
    client = np.repeat(np.arange(cohort.clients), np.diff(cohort.bounds))
    return xp.take(data, xp.asarray(client), axis=0)


def _through(samples: Array, weight: Array) -> Array:
    """W x of every sample x, in rows."""
    xp = array_api_compat.array_namespace(weight)
    return xp.matmul(samples, xp.matrix_transpose(weight))
