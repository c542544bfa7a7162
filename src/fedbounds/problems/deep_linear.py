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
from .common_model import all_through, mean_move
from .constants import Constants, Evidence, not_known
from .linear import is_exact, multiplied, pivots, solve
from .noise import SILENT
from .problem import Start
from .shown import Shown
from .spectrum import MOST, Bracket, largest_eigenvalue, smallest_eigenvalue, squared_norm

Array = Any
_FINE = 2**64  # a root is known to one part of so many
_MOST = 128  # rows of P, of which eigenvalues are found in rationals
_SILENT = (
    Fact.NOISE, Fact.NOISELESS, Fact.UNBIASED, Fact.BOUNDED_VARIANCE, Fact.INDEPENDENT,
)  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class DeepLinear(Shown):
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
    kept : int or None
        So many of these m outputs alone are kept: weights into and out of all others are 0, as
        they then are after every gradient step. None: all are. Turning inner outputs by orthogonal
        matrices changes no outputs, no singular values and no distances, and steps turn along: a
        model of which layers have few columns and rows is like one with that many outputs.

    Raises
    ------
    FedboundsError
        If shapes do not fit together or are empty, exact numbers are mixed with floats, depth or
        width is below 1, or what is kept is not from 1 to the width.
    """

    features: Array
    targets: Array
    depth: int
    width: int
    kept: int | None = None

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
        require(1 <= self.inner <= self.width, "outputs of inner layers that are kept", self.kept,
                f"from 1 to the width {self.width}")  # fmt: skip

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
    def inner(self) -> int:
        """How many outputs of a layer but the last are kept."""
        return self.width if self.kept is None else self.kept

    @property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """Of W^1, ..., W^L."""
        first, last = int(self.features.shape[2]), self.outputs
        sizes = [first, *[self.inner] * (self.depth - 1), last]
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
        every, found = xp.reshape(self.features, (1, n * self.samples, -1)), None
        own = xp.reshape(xp.stack([self.features] * rows, axis=0), (rows * n, self.samples, -1))
        here = self._factors(x, every)
        for (inputs, back), (given, moved) in zip(
            here, self._factors(xp.reshape(ys, (rows * n, d)), own), strict=True
        ):
            right = xp.reshape(given, (rows, n * self.samples, -1))
            dots = xp.matmul(inputs, xp.matrix_transpose(right))
            dots = xp.reshape(dots, (rows, n * self.samples, 1, n, self.samples, 1))
            turned = xp.matmul(xp.reshape(moved, (rows, n * self.outputs, -1)),
                               xp.matrix_transpose(back))  # fmt: skip
            turned = xp.reshape(turned / self.square, (rows, n, self.outputs, self.outputs))
            turned = xp.permute_dims(turned, (0, 3, 1, 2))[:, None, :, :, None, :]
            found = dots * turned if found is None else found + dots * turned
        return found

    def _factors(self, z: Array, samples: Array) -> list[tuple[Array, Array]]:
        """W^(i-1) ... W^1 X and W^L ... W^(i+1) of every layer, of rows of models and of samples.

        Samples are in rows, as in ``samples``, which all models may share.
        """
        xp, weights = array_api_compat.array_namespace(z), self.layers(z)
        inputs = [samples]
        for weight in weights[:-1]:
            inputs.append(_through(inputs[-1], weight))
        size = self.outputs
        one = np.eye(size, dtype=int) if self.exact else xp.eye(size, dtype=z.dtype)
        back = [z[:, :1, None] * 0 + one]
        for weight in reversed(weights[1:]):
            back.append(xp.matmul(back[-1], weight))
        return list(zip(inputs, reversed(back), strict=True))

    def averaged(self, x: Array, shares: Array, *, eta: Any, steps: int) -> tuple[Array, Array]:
        """Weighted means of where gradient steps of all clients lead from a model of all.

        A client's layers differ from the common ones by products of as few columns as it has
        samples: none of them is formed, and samples of all clients go through one matrix.

        Parameters
        ----------
        x : array, shape (rows, d)
        shares : array, shape (rows, n)
            Weights of clients, which add up to one.

        Returns
        -------
        after : array, shape (rows, d)
        missed : array, shape (rows, n, n_c d_out)
            f - y at ``x``.
        """
        xp, rows, n = array_api_compat.array_namespace(x), x.shape[0], self.clients
        weights = self.layers(x)
        samples = xp.stack([self.features] * rows, axis=0)
        dots = xp.matmul(self.features, xp.matrix_transpose(self.features))
        first = all_through(samples, xp.matrix_transpose(weights[0]))
        # (inputs, slopes) of a layer: a client's own is W less their product, of all steps so far
        moved: list[tuple[Array, Array]] = []
        missed, slope, later = None, 0, first
        for _ in range(steps):
            inputs, found = [], later
            for at, weight in enumerate(weights[1:]):
                inputs.append(found)
                own = moved[at] if moved else None
                found = _less(all_through(found, xp.matrix_transpose(weight)), found, own)
            apart = found * self.scale - self.targets
            missed = apart if missed is None else missed
            back, slopes = apart * (self.scale * eta), []
            for at in reversed(range(self.depth - 1)):
                slopes.append(back)
                own = moved[at][::-1] if moved else None
                back = _less(all_through(back, weights[at + 1]), back, own)
            new = list(zip(inputs, reversed(slopes), strict=True))
            moved = [_beside(*both) for both in zip(moved, new, strict=True)] if moved else new
            slope = back + slope
            later = first - xp.matmul(dots, slope)
        every = zip(weights, [(samples, slope), *moved], strict=True)
        after = [xp.reshape(own - mean_move(*move, shares), (rows, -1)) for own, move in every]
        return xp.concat(after, axis=1), xp.reshape(missed, (rows, n, -1))

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

    def linear_fit(self, start: Array) -> Array | None:
        """Of flat models at which the linearisation misses no sample, the nearest to its start.

        That is at the start; None if there is none, or outputs are irrational.
        """
        if self.irrational:
            return None
        before, after = self._products(start)
        outputs = before[-1] @ self.layers(start[None, :])[-1][0].T * self.scale
        apart = (self.targets.reshape(-1, self.outputs) - outputs).reshape(-1, 1)
        at_samples = solve(self.gram(start), apart)
        if at_samples is None:
            return None
        back = at_samples.reshape(-1, self.outputs) * self.scale
        layers = zip(before, reversed(after), strict=True)
        return start + np.concatenate([((back @ w).T @ x).reshape(-1) for x, w in layers])

    def numbers(self, start: Array | None) -> dict[str, Any]:
        """Sizes and extreme eigenvalues: of X'X and, at a start, of P and of products of layers.

        X has a column for each sample: the least eigenvalue of X'X is 0 where samples depend on
        each other. W* is the least matrix with Y = W* X, where there is one. Of many samples there
        are sizes alone.
        """
        names = ("depth", "width", "outputs")
        depth, width, outputs = (fmpq(getattr(self, name)) for name in names)
        sizes = {"depth": depth, "width": width, "d_out": outputs}
        if self.clients * self.samples * self.outputs > _MOST:
            return sizes
        every, targets = self._all_features, self.targets.reshape(-1, self.outputs)
        gram = every @ every.T
        ends = smallest_eigenvalue(gram), largest_eigenvalue(gram)
        found: dict[str, Any] = {
            **sizes,
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
            **{"low_0": low, "high_0": high, "R_0": self._missed(start)},
        }

    def _missed(self, start: Array) -> Bracket:
        """||xi||^2 of all samples: of outputs C z, C^2 ||z||^2 - 2 C <z, Y> + ||Y||^2."""
        before, _ = self._products(start)
        outputs = before[-1] @ self.layers(start[None, :])[-1][0].T
        targets = self.targets.reshape(-1, self.outputs)
        along = 2 * (outputs * targets).sum()
        rest = (outputs**2).sum() / self.square + (targets**2).sum()
        fine = _FINE if self.irrational else 1
        root = isqrt(self.square * fine**2)
        scales = fmpq(fine, root + (fine > 1)), fmpq(fine, root)
        ends = sorted(rest - along * scale for scale in scales)
        return Bracket(*ends)

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
        largest, over m^(L-i+1), and over m^i alone. Of W^j ... W^i, where there are layers between
        the first and the last that are not too large, the largest, over m^(j-i+1), and that of
        their differences.
        """
        gram = self._all_features @ self._all_features.T
        low, high = self._spread(x, smallest_eigenvalue(gram), largest_eigenvalue(gram))
        moved = self.away(x, start)
        found = {
            **{"low": low, "high": high},
            **{f"moved_{name}": _largest(own) for name, own in moved.items()},
        }
        if not self._has_inner:
            return found
        every = (self._norms(same, p) for p, same in enumerate(self._inner(x), 1))
        return found | {"inner": _largest([one for own in every for one in own])}

    def away(self, x: Array, other: Array) -> dict[str, list[Bracket]]:
        """By how much products of p = 1, ..., L - 1 layers differ between two flat models.

        Squared norms, over m^p: "first" of W^p ... W^1 X, "last" of the last p layers; "inner" the
        largest of W^j ... W^i with 1 < i <= j < L, p = j - i + 1, where there are such.
        """
        every = zip(("first", "last"), self._products(x), self._products(other), strict=True)
        found = {
            name: [
                _largest(self._norms([a - b], p))
                for p, (a, b) in enumerate(zip(now, then, strict=True))
                if p > 0
            ]
            for name, now, then in every
        }
        if not self._has_inner:
            return found
        inner = zip(self._inner(x), self._inner(other), strict=True)
        return found | {
            "inner": [
                _largest(self._norms([a - b for a, b in zip(*both, strict=True)], p))
                for p, both in enumerate(inner, 1)
            ]
        }

    def layers_away(self, x: Array, other: Array) -> Bracket:
        """The largest squared norm of what a layer differs by."""
        return _largest([squared_norm(own[0]) for own in self.layers((x - other)[None, :])])

    @property
    def _has_inner(self) -> bool:
        """Whether there are products between the first layer and the last, not too large."""
        return self.depth > 2 and self.inner <= MOST

    def _inner(self, x: Array) -> list[list[Array]]:
        """W^j ... W^i with 1 < i <= j < L, by the number of their layers, from 1 to L - 1.

        Of L - 1 there are none.
        """
        single = [own[0] for own in self.layers(x[None, :])][1:-1]
        found = [single]
        for p in range(1, self.depth - 1):
            longer = zip(single[p:], found[-1][:-1], strict=True)
            found.append([multiplied(last, before) for last, before in longer])
        return found

    def _norms(self, every: list[Array], p: int) -> list[Bracket]:
        """Squared norms of products of p layers, over m^p."""
        norms, unit = map(squared_norm, every), self.width**p
        return [Bracket(own.lower / unit, own.upper / unit) for own in norms]

    def infimum(self) -> Any:
        """0 where exact data have a fit that the width admits; else it is not known."""
        wide = self.depth == 1 or self.inner >= min(int(self.features.shape[2]), self.outputs)
        return fmpq(0) if self.exact and wide and self._fitted is not None else None

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


def _largest(found: list[Bracket]) -> Bracket:
    """0 if there is none."""
    return _extreme(max, [Bracket(fmpq(0), fmpq(0)), *found])


def _extreme(choose: Callable[..., fmpq], found: list[Bracket]) -> Bracket:
    """The least or the largest number; 1 if there is none."""
    one = fmpq(1)
    return Bracket(
        choose((x.lower for x in found), default=one), choose((x.upper for x in found), default=one)
    )


def _less(found: Array, samples: Array, move: tuple[Array, Array] | None) -> Array:
    """Less samples A' B, client by client, of (A, B); nothing if there is none."""
    if move is None:
        return found
    xp = array_api_compat.array_namespace(found)
    return found - xp.matmul(xp.matmul(samples, xp.matrix_transpose(move[0])), move[1])


def _beside(old: tuple[Array, Array], new: tuple[Array, Array]) -> tuple[Array, Array]:
    """One below the other, client by client."""
    xp = array_api_compat.array_namespace(old[0])
    inputs, slopes = (xp.concat(list(both), axis=2) for both in zip(old, new, strict=True))
    return inputs, slopes
