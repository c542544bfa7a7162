"""Logistic losses with a bounded non-convex regulariser, and minibatches as the gradient noise.

f_i(u, v_i) = (1/N) sum_l log(1 + exp(-x_l' z)) + rho r(u, v_i), z = (u, v_i), x_l = c_l (a_l, b_l),
r = ||u||^2 / (1 + ||u||^2) + ||v_i||^2 / (1 + ||v_i||^2). The constants are derived in
`logistic_bounds`.

Given in rationals, gradients and values of balls are balls, and constants are rationals: those that
are none are rounded to the side on which they are admissible.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import array_api_compat
import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError, require, require_finite
from fedbounds.facts import Constant, Fact
from fedbounds.vocabulary import Provenance, Side

from . import logistic_bounds as bounds
from .cohort import Cohort
from .constants import Constants, ConstantValue, Evidence, not_known
from .linear import is_exact
from .noise import SILENT, Noise
from .problem import Start, check_start, initial_gradients, initial_value, joint_rows
from .shown import Shown
from .spectrum import above, in_arbs

Array = Any
_MOST_OUTCOMES = 100_000  # of one client's index draws in one round


@dataclass(frozen=True, eq=False, repr=False)
class FederatedLogistic(Shown):
    """Regularised logistic regression of n clients with N samples each.

    In float64; or in rationals, at points that are balls.

    Attributes
    ----------
    shared_features, personal_features : arrays, shapes (n, N, d_u) and (n, N, d_v)
        a_l and b_l.
    labels : array, shape (n, N)
        c_l, 1 or -1.
    regularisation : float
        rho >= 0.
    batch : int or None
        Samples per stochastic gradient, drawn with replacement; None for exact gradients.
    """

    shared_features: Array
    personal_features: Array
    labels: Array
    regularisation: float
    batch: int | None = None

    def __post_init__(self) -> None:
        _check_shapes(self)
        require_finite("regularisation rho", self.regularisation, positive=False)
        require(
            self.batch is None or (isinstance(self.batch, int | np.integer) and self.batch >= 1),
            "batch",
            self.batch,
            "an integer, at least 1, or None for exact gradients",
        )
        if isinstance(self.labels, np.ndarray):
            _check_entries(self)

    irrational = True

    @property
    def exact(self) -> bool:
        """Whether the data are rationals."""
        return isinstance(self.labels, np.ndarray) and is_exact(self.labels)

    @property
    def noise(self) -> Noise:
        """None that is added: gradients are of minibatches."""
        return SILENT

    @property
    def clients(self) -> int:
        """Number of clients n."""
        return int(self.labels.shape[0])

    @property
    def samples(self) -> int:
        """Samples per client N."""
        return int(self.labels.shape[1])

    @property
    def shared_dimension(self) -> int:
        """d_u."""
        return int(self.shared_features.shape[2])

    @property
    def personal_dimension(self) -> int:
        """d_v."""
        return int(self.personal_features.shape[2])

    @cached_property
    def signed(self) -> Array:
        """x_l = c_l (a_l, b_l), shape (n, N, d_u + d_v)."""
        xp = array_api_compat.array_namespace(self.shared_features)
        joint = xp.concat([self.shared_features, self.personal_features], axis=2)
        return joint * xp.astype(self.labels, joint.dtype)[:, :, None]

    def gradient(self, z: Array, cohort: Cohort) -> Array:
        """Rows of the exact gradient: two matrix products per client."""
        xp = array_api_compat.array_namespace(z)
        rows = []
        for points, samples in self._by_client(z, cohort):
            scores = xp.matmul(points, xp.matrix_transpose(samples))
            rows.append(xp.matmul(_slopes(scores), samples) / self.samples)
        return xp.reshape(xp.concat(rows, axis=-2), z.shape) + self._shrinkage(z)

    def value(self, z: Array, cohort: Cohort) -> Array:
        """Rows of f_i."""
        xp = array_api_compat.array_namespace(z)
        rows = []
        for points, samples in self._by_client(z, cohort):
            losses = _losses(xp.matmul(points, xp.matrix_transpose(samples)))
            rows.append(xp.sum(losses, axis=-1))
        losses = xp.reshape(xp.concat(rows, axis=-1), (z.shape[0],)) / self.samples
        return losses + self._regulariser(z)

    def sample_values(self, points: Array) -> Array:
        """Of every sample at its client's point, of points (rows, n, d); (rows, n, N)."""
        return _losses(self._scores(points)) + self._regulariser(points)[:, :, None]

    def weighted_gradients(self, points: Array, weights: Array) -> Array:
        """Sums of their gradients, weights (rows, n, N); shape (rows, n, d)."""
        xp = array_api_compat.array_namespace(points)
        slopes = _slopes(self._scores(points)) * weights
        found = xp.matmul(slopes[:, :, None, :], self.signed)[:, :, 0, :]
        return found + self._shrinkage(points) * xp.sum(weights, axis=2)[:, :, None]

    def _scores(self, points: Array) -> Array:
        """Of every sample at its client's point."""
        xp = array_api_compat.array_namespace(points)
        return xp.matmul(points[:, :, None, :], xp.matrix_transpose(self.signed))[:, :, 0, :]

    def _regulariser(self, z: Array) -> Array:
        """Of points; the last axis is summed over."""
        xp = array_api_compat.array_namespace(z)
        squares = [xp.sum(block * block, axis=-1) for block in self._blocks(z) if block.shape[-1]]
        return sum(square / (1 + square) for square in squares) * self.regularisation

    def _by_client(self, z: Array, cohort: Cohort) -> list[tuple[Array, Array]]:
        """Points with the samples they meet: all clients stacked, or one pair per client."""
        xp = array_api_compat.array_namespace(z)
        if cohort.everyone:
            shape = (cohort.clients, cohort.replicas, z.shape[1])
            return [(xp.reshape(z, shape), self.signed)]
        spans = zip(cohort.bounds[:-1], cohort.bounds[1:], strict=True)
        return [(z[a:b, :], self.signed[i, :, :]) for i, (a, b) in enumerate(spans)]

    def _blocks(self, z: Array) -> tuple[Array, Array]:
        return z[..., : self.shared_dimension], z[..., self.shared_dimension :]

    def _shrinkage(self, z: Array) -> Array:
        """The regulariser's gradient at points."""
        xp = array_api_compat.array_namespace(z)
        slopes = []
        for block in self._blocks(z):
            if block.shape[-1]:
                scale = 1 + xp.sum(block * block, axis=-1, keepdims=True)
                slopes.append(block * (2 * self.regularisation / (scale * scale)))
        return xp.concat(slopes, axis=-1)

    def sample_noise(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array | None:
        """Sample indices, shape (*shape, batch); None for exact gradients."""
        if self.batch is None:
            return None
        return rng.integers(self.samples, size=(*shape, self.batch))

    def disturbed(self, z: Array, gradient: Array, cohort: Cohort, noise: Array) -> Array:
        """Minibatch gradients at the sample indices ``noise``, shape (rows, batch).

        The regulariser stays exact; ``gradient`` is not read.
        """
        xp = array_api_compat.array_namespace(z)
        rows, batch = noise.shape
        client = xp.reshape(cohort.pair // cohort.replicas, (rows, 1))
        index = xp.reshape(client * self.samples + noise, (rows * batch,))
        flat = xp.reshape(self.signed, (self.clients * self.samples, z.shape[1]))
        chosen = xp.reshape(xp.take(flat, index, axis=0), (rows, batch, z.shape[1]))
        scores = xp.matmul(chosen, z[:, :, None])
        slopes = xp.reshape(_slopes(scores), (rows, 1, batch))
        return xp.matmul(slopes, chosen)[:, 0, :] / batch + self._shrinkage(z)

    def noise_outcomes(self, steps: int) -> np.ndarray | None:
        """All equally likely draws of one client, shape (outcomes, steps, batch); None if exact.

        Raises
        ------
        FedboundsError
            If there are more than 100,000.
        """
        if self.batch is None:
            return None
        draws = self.batch * steps
        count = self.samples**draws
        require(
            count <= _MOST_OUTCOMES,
            f"number of index draws N^(batch steps) = {self.samples}^{draws}",
            count,
            f"at most {_MOST_OUTCOMES} to enumerate",
        )
        place = np.array([self.samples ** (draws - 1 - j) for j in range(draws)])
        indices: np.ndarray = np.arange(count)[:, None] // place % self.samples
        return indices.reshape(count, steps, self.batch)

    def infimum(self) -> float:
        """A certified lower bound: loss and regulariser are non-negative."""
        return 0.0

    @cached_property
    def noise_support(self) -> tuple[float, float]:
        """Certified bounds on the norms of the shared and the personal gradient noise."""
        if self.batch is None:
            return 0.0, 0.0
        shared, personal = (float(bounds.support(y).max()) for y in self._signed_blocks())
        return shared * self._margin, personal * self._margin

    @cached_property
    def dissimilarity(self) -> Any:
        """A certified upper bound of b^2 at all points."""
        return bounds.dissimilarity(*self._signed_blocks()) * self._margin

    @cached_property
    def gradient_bound(self) -> Any:
        """A certified upper bound of (1/n) sum_i ||grad_u f_i||^2 at all points."""
        shared, _ = self._signed_blocks()
        return bounds.mean_square(shared, self.regularisation) * self._margin

    @property
    def _margin(self) -> Any:
        """Rounding of a bound: sums and norms of one client's features, generously."""
        if self.exact:  # bounds are rounded as they are made
            return 1
        width = self.shared_dimension + self.personal_dimension
        return 1.0 + 16.0 * (self.samples * width + self.clients) * float(np.finfo(float).eps)

    def _signed_blocks(self) -> tuple[Array, Array]:
        d_u = self.shared_dimension
        return self.signed[:, :, :d_u], self.signed[:, :, d_u:]

    def constants(self, start: Start) -> Constants:
        """All constants, from above; of floats L_u, L_v, L, B_0 and G_0 are exact."""
        check_start(self, start)
        shared, personal = self._signed_blocks()
        top_u, top_v = (bounds.smoothness(y, self.regularisation) for y in (shared, personal))
        # the coupling's bound is at most max(L_u, L_v) but for rounding
        coupling = min(bounds.coupling(shared, personal) * self._margin, max(top_u, top_v))
        variance_u, variance_v = (
            bounds.variance(y).max() * self._margin / self.batch if self.batch else 0
            for y in (shared, personal)
        )
        top = _upper if self.exact else ConstantValue
        return {
            Constant.SMOOTHNESS_U: top(top_u),
            Constant.SMOOTHNESS_V: top(top_v),
            Constant.SMOOTHNESS_UV: _upper(coupling),
            Constant.SMOOTHNESS: top(max(top_u, top_v)),
            Constant.VARIANCE_U: _upper(variance_u),
            Constant.VARIANCE_V: _upper(variance_v),
            Constant.DISSIMILARITY: _upper(self.dissimilarity),
            **(self._of_start_exactly(start) if self.exact else self._of_start(start)),
        }

    def _of_start(self, start: Start) -> Constants:
        each, mean = initial_gradients(self, start)
        return {
            Constant.INITIAL_GRADIENTS: ConstantValue(float(each)),
            Constant.INITIAL_GRADIENT: ConstantValue(float(mean)),
            Constant.INITIAL_GAP: _upper(self._gap(start)),
        }

    def _of_start_exactly(self, start: Start) -> Constants:
        balls = Start(in_arbs(start.u), in_arbs(start.v))
        each, mean = initial_gradients(self, balls)
        return {
            Constant.INITIAL_GRADIENTS: _upper(above(each)),
            Constant.INITIAL_GRADIENT: _upper(above(mean)),
            Constant.INITIAL_GAP: _upper(above(initial_value(self, balls))),
        }

    def _gap(self, start: Start) -> float:
        """f(start), upwards: the loss moves no more than the rounding of its scores."""
        reach = bounds.norms(self.signed).max() * bounds.norms(joint_rows(start)).max()
        width = self.shared_dimension + self.personal_dimension
        slack = 2.0 * width * float(np.finfo(float).eps) * float(reach)
        return float(initial_value(self, start) * self._margin) + slack

    def satisfies(self, assumption: str) -> Evidence:
        """The assumptions on both blocks hold at all points."""
        reasons: dict[str, str] = {
            Fact.SMOOTH: "the loss and the regulariser have bounded Hessians",
            Fact.NOISE: "samples are uniform draws with replacement, of bounded slopes",
            Fact.DISSIMILARITY: "each loss has a bounded gradient, the regulariser's cancels",
            Fact.BOUNDED_BELOW: "the loss and the regulariser are non-negative",
            Fact.BOUNDED_GRADIENTS: "the loss and the regulariser have bounded slopes",
        }
        if assumption not in reasons:
            return not_known(assumption)
        return Evidence(True, f"{assumption}: {reasons[assumption]}")


def _slopes(scores: Array) -> Array:
    """Derivatives -1 / (1 + exp(s)) of the loss at scores s, without overflow."""
    xp = array_api_compat.array_namespace(scores)
    return (xp.tanh(scores / 2) - 1) / 2


def _losses(scores: Array) -> Array:
    """log(1 + exp(-s)) at scores s, without overflow."""
    xp = array_api_compat.array_namespace(scores)
    size = xp.abs(scores)
    return xp.log1p(xp.exp(-size)) + (size - scores) / 2


def _upper(value: Any) -> ConstantValue:
    """A certified upper value of something non-negative; 0 is then exact."""
    number = value if isinstance(value, fmpq) else float(value)
    if not number:
        return ConstantValue(number)
    return ConstantValue(number, Provenance.CERTIFIED, Side.UPPER)


def _check_shapes(problem: FederatedLogistic) -> None:
    shared, personal = problem.shared_features.shape, problem.personal_features.shape
    given = (tuple(shared), tuple(personal), tuple(problem.labels.shape))
    fits = [len(shape) for shape in given] == [3, 3, 2] and given[0][:2] == given[1][:2] == given[2]
    require(fits, "shapes of the features and labels", given, "(n, N, d_u), (n, N, d_v), (n, N)")
    (n, samples), width = given[2], given[0][2] + given[1][2]
    require(n >= 1, "number of clients", n, "at least 1")
    require(samples >= 1, "samples per client", samples, "at least 1")
    require(width >= 1, "number of features d_u + d_v", width, "at least 1")


def _check_entries(problem: FederatedLogistic) -> None:
    for name in ("shared_features", "personal_features", "labels"):
        array = getattr(problem, name)
        if is_exact(array) is not problem.exact:
            raise FedboundsError(f"{name} mixes exact numbers with floats")
        if is_exact(array):
            signs = name != "labels" or bool((array * array == 1).all())
            require(signs, name, array.tolist(), "1 or -1")
            continue
        if name != "labels":
            require(array.dtype == np.float64, f"type of {name}", array.dtype, "float64")
        # squares and their sums stay far from overflow and underflow
        fits = (array == 0.0) | ((np.abs(array) >= 1e-100) & (np.abs(array) <= 1e100))
        wrong = np.abs(array) != 1 if name == "labels" else ~fits
        if wrong.any():
            client, sample, *_ = where = tuple(int(x) for x in np.argwhere(wrong)[0])
            expected = "1 or -1" if name == "labels" else "0, or a size of 1e-100 to 1e100"
            raise FedboundsError(
                f"{name} of client {client}, sample {sample}, hold {array[where]}; "
                f"expected {expected}"
            )
