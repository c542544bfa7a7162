"""f(W; x) = C W^L ... W^1 x with C = (m^(L-1) d_out)^(-1/2): deep linear networks, least squares.

Client c has samples (x_j, y_j) and the loss 1/2 sum_j ||f(W; x_j) - y_j||^2. All layers are
trained: a model is flat, W^1, of shape (m, d_in), then W^2, ..., (m, m), then W^L, (d_out, m), each
row by row. With L = 1 there is one layer, (d_out, d_in), and no width.

The model of "On the Convergence of Federated Averaging under Partial Participation for
Over-parameterized Neural Networks", whose numbers of formulas these are: (2), (5), (7), (13).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import isqrt
from typing import Any

import array_api_compat
import numpy as np
from flint import arb, fmpq

from fedbounds.errors import require
from fedbounds.facts import Fact

from .cohort import Cohort
from .constants import Constants, Evidence, not_known
from .linear import is_exact, pivots, solve
from .noise import SILENT
from .problem import Start
from .spectrum import Bracket, largest_eigenvalue, smallest_eigenvalue

Array = Any
_SILENT = (
    Fact.NOISE, Fact.NOISELESS, Fact.UNBIASED, Fact.BOUNDED_VARIANCE, Fact.INDEPENDENT,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class DeepLinear:
    """Clients with equally many samples.

    Attributes
    ----------
    features : array, shape (N, n_c, d_in)
        Samples of every client, in rows: the columns of X_c.
    targets : array, shape (N, n_c, d_out)
        What is wanted of each: the columns of Y_c.
    depth : int
        L, the number of layers.
    width : int
        m, the number of outputs of every layer but the last.

    Raises
    ------
    FedboundsError
        If shapes do not fit together or are empty, exact numbers are mixed with floats, or depth
        or width is below 1.
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
        every = (*self.features.shape, *self.targets.shape)
        require(min(every) >= 1, "shapes of the data", every, "nothing empty")
        kind, wanted = self.targets.dtype, self.features.dtype
        require(kind == wanted, "numbers of the targets", kind, f"{wanted}, as the features are")
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
    def square(self) -> int:
        """1/C^2 = m^(L-1) d_out."""
        return int(self.width ** (self.depth - 1) * self.outputs)

    @property
    def irrational(self) -> bool:
        """Whether the data are exact and C is not rational: then outputs are balls."""
        return self.exact and isqrt(self.square) ** 2 != self.square

    @property
    def scale(self) -> Any:
        """C: a float or, of exact data, a rational or a ball."""
        if not self.exact:
            return self.square**-0.5
        return 1 / arb(self.square).sqrt() if self.irrational else fmpq(1, isqrt(self.square))

    # ---- what a model makes of samples

    def layers(self, z: Array) -> list[Array]:
        """W^1, ..., W^L of every row, shapes (rows, out, in)."""
        given, wanted = int(z.shape[1]), self.shared_dimension
        require(given == wanted, "entries of a model", given, f"{wanted}, of all layers")
        xp, found, at = array_api_compat.array_namespace(z), [], 0
        for rows, columns in self.shapes:
            own = z[:, at : at + rows * columns]
            found.append(xp.reshape(own, (z.shape[0], rows, columns)))
            at += rows * columns
        return found

    def residual(self, z: Array, cohort: Cohort) -> Array:
        """f - y on the samples of the row's client, shape (rows, n_c d_out)."""
        *_, last = self._activations(z, cohort)
        return _flat(last * self.scale - _of_rows(self.targets, cohort))

    def expansion(self, z: Array, v: Array, cohort: Cohort) -> Array:
        """Terms of f(W + V) by their degree in V, shape (rows, L + 1, n_c d_out).

        The first is f(W), the second J(W) V; all add up to f(W + V).
        """
        xp = array_api_compat.array_namespace(z)
        terms = [_of_rows(self.features, cohort)]
        for weight, move in zip(self.layers(z), self.layers(v), strict=True):
            kept = [_through(a, weight) for a in terms]
            moved = [_through(a, move) for a in terms]
            both = (x + y for x, y in zip(kept[1:], moved[:-1], strict=True))
            terms = [kept[0], *both, moved[-1]]
        return xp.stack([_flat(a * self.scale) for a in terms], axis=1)

    def tangent(self, z: Array, v: Array, cohort: Cohort) -> Array:
        """J(W) V, the derivative of the outputs along V, shape (rows, n_c d_out)."""
        return self.expansion(z, v, cohort)[:, 1, :]

    def cotangent(self, z: Array, r: Array, cohort: Cohort) -> Array:
        """J(W)' r, a flat model, of numbers at outputs, shape (rows, n_c d_out)."""
        xp, rows = array_api_compat.array_namespace(z), z.shape[0]
        *inputs, _ = self._activations(z, cohort)
        back = xp.reshape(r, (rows, self.samples, self.outputs)) * self.scale
        found = []
        for weight, given in zip(reversed(self.layers(z)), reversed(inputs), strict=True):
            found.append(xp.matmul(xp.matrix_transpose(back), given))
            back = xp.matmul(back, weight)
        return xp.concat([xp.reshape(own, (rows, -1)) for own in reversed(found)], axis=1)

    def gradient(self, z: Array, cohort: Cohort) -> Array:
        """Rows of the gradient (7) of the loss of the row's client: J(W)' (f - y)."""
        return self.cotangent(z, self.residual(z, cohort), cohort)

    def value(self, z: Array, cohort: Cohort) -> Array:
        """Rows of the loss of the row's client: half the sum of squares of f - y, (2)."""
        xp, apart = array_api_compat.array_namespace(z), self.residual(z, cohort)
        return xp.sum(apart * apart, axis=1) / 2

    def _activations(self, z: Array, cohort: Cohort) -> Iterator[Array]:
        """X, W^1 X, ..., W^L ... W^1 X, samples in rows: shapes (rows, n_c, ...)."""
        found = _of_rows(self.features, cohort)
        yield found
        for weight in self.layers(z):
            found = _through(found, weight)
            yield found

    @property
    def has_nearest_fit(self) -> bool:
        """Whether there is one layer, and some model misses no sample."""
        return self.depth == 1 and self._fitted is not None

    def nearest_fit(self, z: Array) -> Array:
        """Of all models with no residual on any sample the nearest to each row, of one layer.

        Raises
        ------
        FedboundsError
            If there are several layers, or every model misses a sample.
        """
        require(self.has_nearest_fit, "depth L of a network whose nearest fit is asked for",
                self.depth, "1, with data that have a fit")  # fmt: skip
        every, (weights,) = self._all_features, self.layers(z)
        inside = every.T @ solve(every @ every.T, every)  # the projection to the span of samples
        least = (every.T @ self._fitted).T / self.scale
        return (weights - weights @ inside + least).reshape(z.shape)

    def crossed_gram(self, x: Array, ys: Array) -> Array:
        """P(t, k, c) of (14), of all samples at x and those of client c at its own model.

        Parameters
        ----------
        x, ys : arrays, shapes (rows, d) and (rows, n, d)

        Returns
        -------
        array, shape (rows, n n_c, d_out, n, n_c, d_out)
        """
        xp, (rows, n, d) = array_api_compat.array_namespace(x), ys.shape
        own = self._factors(xp.broadcast_to(x[:, None, :], ys.shape))
        found: Any = 0
        for (inputs, back), (given, moved) in zip(
            own, self._factors(xp.reshape(ys, (rows, n, d))), strict=True
        ):
            left, right = (xp.reshape(a, (rows, n * self.samples, -1)) for a in (inputs, given))
            dots = xp.matmul(left, xp.matrix_transpose(right))
            dots = xp.reshape(dots, (rows, n * self.samples, 1, n, self.samples, 1))
            turned = xp.matmul(back, xp.matrix_transpose(moved))  # (rows, n, d_out, d_out)
            turned = xp.permute_dims(turned, (0, 2, 1, 3))[:, None, :, :, None, :]
            found = found + dots * turned
        return found / self.square

    def _factors(self, ys: Array) -> list[tuple[Array, Array]]:
        """W^(i-1) ... W^1 X_c and W^L ... W^(i+1) of every layer, for a model of every client."""
        xp, (rows, n, d) = array_api_compat.array_namespace(ys), ys.shape
        weights = [
            xp.reshape(own, (rows, n, *own.shape[1:]))
            for own in self.layers(xp.reshape(ys, (rows * n, d)))
        ]
        inputs = [xp.broadcast_to(self.features, (rows, *self.features.shape))]
        for weight in weights[:-1]:
            inputs.append(xp.matmul(inputs[-1], xp.matrix_transpose(weight)))
        size = self.outputs
        one = np.eye(size, dtype=int) if self.exact else xp.eye(size, dtype=ys.dtype)
        back = [ys[:, :, :1, None] * 0 + one]
        for weight in reversed(weights[1:]):
            back.append(xp.matmul(back[-1], weight))
        return list(zip(inputs, reversed(back), strict=True))

    # ---- spectra, of exact data

    @cached_property
    def _all_features(self) -> Array:
        """X', all samples in rows, client after client."""
        return self.features.reshape(-1, self.features.shape[2])

    @cached_property
    def _fitted(self) -> Array | None:
        """Numbers at samples that X turns into the transpose of W*; None if there is no W*."""
        every = self._all_features
        return solve(every @ every.T, self.targets.reshape(-1, self.outputs))

    def _products(self, start: Array) -> tuple[list[Array], list[Array]]:
        """X', (W^1 X)', ..., (W^(L-1) ... W^1 X)' and I, W^L, ..., W^L ... W^2, of one model."""
        weights = [own[0] for own in self.layers(start[None, :])]
        one = np.eye(self.outputs, dtype=int).astype(start.dtype)
        before = accumulate(weights[:-1], _through, initial=self._all_features)
        after = accumulate(reversed(weights[1:]), np.matmul, initial=one)
        return list(before), list(after)

    def gram(self, start: Array) -> Array:
        """P of (13) at one flat model, of all samples, shape (n d_out, n d_out), n = N n_c.

        It is rational where the model is: C is squared in it.
        """
        before, after = self._products(start)
        layers = zip(before, reversed(after), strict=True)
        return sum(np.kron(x @ x.T, w @ w.T) for x, w in layers) / self.square

    def numbers(self, start: Array | None) -> dict[str, Any]:
        """Sizes and extreme eigenvalues: of X'X and, at a start, of P and of products of layers.

        X has a column for each sample: the least eigenvalue of X'X is 0 where samples depend on
        each other. W* is the least matrix with Y = W* X, where there is one.
        """
        every, targets = self._all_features, self.targets.reshape(-1, self.outputs)
        gram = every @ every.T
        ends = smallest_eigenvalue(gram), largest_eigenvalue(gram)
        found: dict[str, Any] = {
            **{"depth": fmpq(self.depth), "width": fmpq(self.width), "d_out": fmpq(self.outputs)},
            **{"s_min2": ends[0], "s_max2": ends[1], "X_F2": sum(np.diagonal(gram))},
            "rank": fmpq(sum(pivot != 0 for pivot in pivots(gram) or ())),
        }
        if self._fitted is not None:
            found["w_star2"] = largest_eigenvalue(targets.T @ self._fitted)
        if start is None:
            return found
        own, (low, high) = self.gram(start), self._spread(start, *ends)
        return found | {
            **{"P_min": smallest_eigenvalue(own), "P_max": largest_eigenvalue(own)},
            **{"low_0": low, "high_0": high},
        }

    def _spread(self, start: Array, least: Bracket, largest: Bracket) -> tuple[Bracket, Bracket]:
        """The extreme squared singular values of Lemma A.1, over what they tend to as m grows.

        That is m^(L-i+1) for W^L ... W^i, 1 < i, of which there are as many as outputs; for
        W^i ... W^1 X, i < L, it is m^i times an extreme eigenvalue of X'X, and there are as many as
        samples: where that is 0, they are not asked. Both are 1 where nothing is asked.
        """
        before, after = self._products(start)
        of_last, of_first = self._squares(after), self._squares(before)
        lows, highs = map(smallest_eigenvalue, of_last), map(largest_eigenvalue, of_last)
        less = _over(map(smallest_eigenvalue, of_first), least)
        more = _over(map(largest_eigenvalue, of_first), largest)
        return _extreme(min, [*lows, *less]), _extreme(max, [*highs, *more])

    def _squares(self, every: list[Array]) -> list[Array]:
        """Gram matrices of products of i = 1, 2, ... layers, over m^i."""
        return [made @ made.T / self.width**i for i, made in enumerate(every) if i > 0]

    def spectra(self, x: Array, start: Array) -> dict[str, Bracket]:
        """Extreme squared singular values of products of layers at a model, and of their moves.

        Of W^L ... W^i and W^i ... W^1 X as in Lemma A.1; of their differences to the start the
        largest, over m^(L-i+1), and over m^i alone.
        """
        gram = self._all_features @ self._all_features.T
        low, high = self._spread(x, smallest_eigenvalue(gram), largest_eigenvalue(gram))
        moved = zip(self._products(x), self._products(start), strict=True)
        still = Bracket(fmpq(0), fmpq(0))
        first_most, last_most = (
            _extreme(max, [still, *map(largest_eigenvalue, self._squares(own))])
            for own in ([a - b for a, b in zip(*both, strict=True)] for both in moved)
        )
        return {"low": low, "high": high, "moved_first": first_most, "moved_last": last_most}

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


def _flat(outputs: Array) -> Array:
    """Of every row, the outputs of all samples, one sample after another."""
    xp = array_api_compat.array_namespace(outputs)
    return xp.reshape(outputs, (outputs.shape[0], -1))


def _over(numbers: Iterable[Bracket], unit: Bracket) -> list[Bracket]:
    """Numbers that are not negative, in units of a positive one; none where that may be 0."""
    if unit.lower <= 0:
        return []
    return [Bracket(x.lower / unit.upper, x.upper / unit.lower) for x in numbers]


def _extreme(choose: Callable[..., fmpq], found: list[Bracket]) -> Bracket:
    """The least or the largest number; 1 if there is none."""
    one = fmpq(1)
    return Bracket(
        choose((x.lower for x in found), default=one), choose((x.upper for x in found), default=one)
    )
