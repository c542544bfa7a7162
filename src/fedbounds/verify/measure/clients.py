"""The problem as a user's functions see it: n clients whose gradients are asked for all at once.

Either all coordinates are shared, or each client has a personal block besides: then models are two
arrays, u and v, and so are gradients.
"""

from functools import lru_cache, partial
from typing import Any, cast

import numpy as np
from flint import fmpq
from flint.utils.flint_exceptions import DomainError

from fedbounds.errors import require
from fedbounds.facts import Constant
from fedbounds.problems import FederatedQuadratic, NoiseLaw, everyone, to_float
from fedbounds.problems.arrays import to_namespace
from fedbounds.problems.constrained import minimise_quadratic
from fedbounds.problems.domain import Box
from fedbounds.problems.huber_line import breakpoints, masked_infimum
from fedbounds.problems.linear import (
    is_exact,
    is_positive_definite,
    is_positive_semidefinite,
    rational,
    solve,
)
from fedbounds.problems.masked_laws import Bernoulli, Law, Rolling
from fedbounds.problems.masked_listed import ListedMasks
from fedbounds.problems.masked_quadratic import masked_quadratic
from fedbounds.problems.spectrum import to_floats

from .balls import Ball, as_arb, balls
from .enclosed import enclosed
from .networks import Networks
from .objectives import constants
from .per_client import on_host as on_host
from .unknowns import Refused, Unknown

Array = Any


class Clients(Networks):
    """f(u, v) = (1/n) sum_i f_i(u, v_i), evaluated on arrays with one row per outcome."""

    @property
    def entries(self) -> int:
        """Of a point (u, v_1, ..., v_n): d + n d_v."""
        return self.dimension + int(self.clients) * self.personal_dimension

    @property
    def minimiser(self) -> Array:
        """x*, shape (d,), or (u*, v_1*, ..., v_n*); None where it is not known."""
        return getattr(self.objective, "minimiser", None)

    @property
    def noise_law(self) -> NoiseLaw:
        """Law of that noise."""
        law: NoiseLaw = self.objective.noise.law
        return law

    @property
    def noise_scale(self) -> Any:
        """Standard deviation of each shared coordinate of a client's gradient noise."""
        return self.objective.noise.scale_u

    @property
    def noise_along(self) -> Array | None:
        """The direction that noise of shared coordinates has; None: each has its own."""
        return getattr(self.objective, "noise_along", None)

    @property
    def personal_noise_scale(self) -> Any:
        """Standard deviation of each coordinate of the noise in personal gradients."""
        return self.objective.noise.scale_v

    def blocks(self, points: Array) -> tuple[Array, Array]:
        """Points (u, v_1, ..., v_n) as u and v, shapes (rows, d) and (rows, n, d_v)."""
        rows, expected = int(points.shape[0]), (int(points.shape[0]), self.entries)
        require(tuple(points.shape) == expected, "shape of points", points.shape, f"{expected}")
        shape = (rows, int(self.clients), self.personal_dimension)
        return points[:, : self.dimension], self.xp.reshape(points[:, self.dimension :], shape)

    def gradient(self, y: Array) -> Array:
        """Gradients grad f_i(y_i), shape (rows, n, d), of models of that shape or (rows, d).

        All coordinates are shared; `gradients` is there for personal blocks.
        """
        self._check_shared("gradient(y)", "gradients(u, v)")
        return self._of_clients("gradient", self._models(y))

    def gradients(self, u: Array, v: Array) -> tuple[Array, Array]:
        """Gradients of f_i(u_i, v_i) by u and by v, shapes (rows, n, d) and (rows, n, d_v).

        Models u have that shape or (rows, d), models v that shape.
        """
        both = self._of_clients("gradient", self._joined(u, v))
        return both[:, :, : self.dimension], both[:, :, self.dimension :]

    @property
    def batch(self) -> int:
        """Samples of which a stochastic gradient is the mean; 1, unless the problem says."""
        return int(getattr(self._sum_of_samples, "batch", None) or 1)

    @property
    def samples(self) -> int:
        """n_s, how many samples each client has.

        Raises
        ------
        FedboundsError
            If the problem is no finite sum.
        """
        return int(self._sum_of_samples.samples)

    def sampled_gradient(self, y: Array, weights: Array) -> Array:
        """Gradients of minibatches, shape (rows, n, d), of models of that shape or (rows, d).

        Parameters
        ----------
        weights : array, shape (rows, n, n_s)
            Of one step; see `Random.samples`.
        """
        return self._mean_gradient(self.spread(y) if y.ndim == 2 else y, weights)

    def sampled_gradients(self, u: Array, v: Array, weights: Array) -> tuple[Array, Array]:
        """The same by u and by v, where clients have personal blocks; models as in `gradients`."""
        both = self._mean_gradient(self._joined(u, v), weights)
        return both[:, :, : self.dimension], both[:, :, self.dimension :]

    def sampled_value(self, y: Array, weights: Array, v: Array | None = None) -> Array:
        """Values of the minibatches of which these are the gradients, shape (rows, n).

        With personal blocks, of (y_i, v_i).
        """
        models = self._models(y) if v is None else self._joined(y, v)
        every = self._sum_of_samples.sample_values(self._weighed(models, weights))
        return self.xp.sum(every * weights, axis=2)

    def _mean_gradient(self, models: Array, weights: Array) -> Array:
        at = self._weighed(models, weights)
        found: Array = self._sum_of_samples.weighted_gradients(at, weights)
        return found

    def _weighed(self, models: Array, weights: Array) -> Array:
        """The models, of which every sample has a weight."""
        expected, given = (*models.shape[:2], self.samples), tuple(weights.shape)
        require(given == expected, "weights of samples", given, f"{expected}")
        return balls(models) if self.irrational else models

    def picked(self, samples: Array) -> "Clients":
        """The same with these samples of every client, given by number, shape (n, n_s)."""
        numbers = tuple(tuple(map(int, own)) for own in samples)
        return Clients(_picked(self._sum_of_samples, numbers), self.xp)

    def losses_of(self, client: int, points: Array) -> Array:
        """Of every sample of one client, at points (..., d); shape (..., n_s)."""
        found = self._sum_of_samples
        at = points[..., None, :]
        return found.loss.values(found.features[client], found.targets[client], at)

    def gradients_of(self, client: int, points: Array) -> Array:
        """Likewise of gradients, shape (..., n_s, d)."""
        found = self._sum_of_samples
        at = points[..., None, :]
        return found.loss.gradients(found.features[client], found.targets[client], at)

    @property
    def threshold(self) -> Any:
        """Where Huber's loss turns linear; None for squares."""
        return self._sum_of_samples.loss.threshold

    @property
    def ridge(self) -> Any:
        """Of the loss of every sample."""
        return self._sum_of_samples.loss.ridge

    @property
    def features(self) -> Array:
        """Shape (n, n_s, d)."""
        return self._sum_of_samples.features

    @property
    def kinks(self) -> Array:
        """Where some sample's gradient turns, ascending, of Huber's losses on the line."""
        return np.array(breakpoints(self._sum_of_samples), dtype=object)

    def lowest_masked(self, keep: Array) -> Any:
        """inf F_p, p the chances of the masks, of Huber's losses on the line."""
        return masked_infimum(self._sum_of_samples, Bernoulli(tuple(keep.tolist())))

    def lowest_rolled(self, masks: Array) -> Any:
        """The same of masks that roll, shape (n, S, 1)."""
        return masked_infimum(self._sum_of_samples, _rolling(masks))

    @property
    def _sum_of_samples(self) -> Any:
        kind = type(self.objective).__name__
        has = hasattr(self.objective, "weighted_gradients")
        require(has, "problem", kind, "one whose clients have samples, such as regression")
        return self.objective

    def value(self, y: Array, v: Array | None = None) -> Array:
        """Values f_i(y_i), shape (rows, n), of models of shape (rows, n, d) or (rows, d).

        With personal blocks, f_i(y_i, v_i).
        """
        if v is None:
            self._check_shared("value(y)", "value(u, v)")
        return self._of_clients("value", self._models(y) if v is None else self._joined(y, v))

    def scheduled(self, rows: Array, at: Any) -> Array:
        """Who takes part in a round, shape (n,): of rows that rounds take in turn.

        Raises
        ------
        FedboundsError
            If a row is no 0 or 1 for each client, or nobody's.
        """
        n, given = int(self.clients), on_host(rows)
        require(given.ndim == 2, "axes of the schedule", given.ndim, "2: rounds, clients")
        for row, own in enumerate(given.tolist()):
            fits = len(own) == n and {*map(rational, own)} <= {0, 1} and any(own)
            expected = f"a 0 or 1 for each of n = {n} clients, and a 1 at least once"
            require(fits, f"row {row} of the schedule", [str(rational(x)) for x in own], expected)
        return rows[int(at) % len(given), :]

    def kept(self, mask: Array) -> list[bool]:
        """Which shared coordinates a mask keeps.

        Raises
        ------
        FedboundsError
            If it is no 0 or 1 for each of them, or keeps none.
        """
        given = [rational(x) for x in on_host(mask).reshape(-1).tolist()]
        fits = len(given) == self.dimension and {*given} <= {0, 1} and any(given)
        expected = f"a 0 or 1 for each of d = {self.dimension} coordinates, and a 1 at least once"
        require(fits, "mask", [str(x) for x in given], expected)
        return [bool(x) for x in given]

    def check_perturbation(self, size: Any) -> None:
        """Raise unless the points of an estimate are some way apart, where that is a number."""
        if isinstance(size, int | float | fmpq):
            require(size > 0, "perturbation epsilon", size, "above 0")

    def full_gradient(self, x: Array) -> Array:
        """grad f(x), shape (rows, d)."""
        return self.xp.sum(self.gradient(x), axis=1) / self.clients

    def wide_gradient(self, y: Array, shares: Array) -> Array:
        """sum_j c_j grad f_j(y_i) at every y_i, of models of shape (rows, n, d) or (rows, d)."""
        if y.ndim == 2:
            return self.xp.sum(self.gradient(y) * shares[:, None], axis=1)
        every = [self.wide_gradient(y[:, i, :], shares) for i in range(self.clients)]
        return self.xp.stack(every, axis=1)

    def best(self, shares: Array, box: Array | None = None) -> Array:
        """argmin sum_i c_i f_i, shape (d,); in a box, whose least and largest entry are given.

        Raises
        ------
        FedboundsError
            If the problem is no quadratic, or there is none.
        """
        problem = self._quadratic
        weights = on_host(shares).reshape(-1, 1)
        matrix = (problem.hessian * weights[:, :, None]).sum(axis=0)
        slope = (problem.linear * weights).sum(axis=0)
        if box is None:
            return self.xp.asarray(_minimiser(matrix, slope))
        point = minimise_quadratic(matrix, slope, Box(*on_host(box))).point
        return point if self.exact else self.xp.asarray(to_floats(point))

    def sqrt(self, x: Array) -> Array:
        """The square root of a number, or of every entry: rational where it is, else a ball."""
        if not self.exact:
            return self.xp.sqrt(self.xp.asarray(x))
        root = np.frompyfunc(partial(_root, enclosed=self.irrational), 1, 1)
        return root(x)

    def project(self, w: Array, box: Array) -> Array:
        """The nearest points of a box, whose least and largest entry are given.

        Or of a ball round 0 of that radius, point by point. It compares: unknowns refuse.
        """
        if np.ndim(box) == 0:
            require(not box < 0, "radius of a ball", box, "at least 0")
            square = self.xp.sum(w * w, axis=-1, keepdims=True)
            inside = square <= box**2
            return self.xp.where(
                inside, w, w * (box / self.sqrt(self.xp.where(inside, box**2, square)))
            )
        low, high = box
        ordered = bool(np.all(on_host(low) <= on_host(high)))
        require(ordered, "box", (low, high), "its least entry, then its largest")
        return self.xp.where(w < low, low, self.xp.where(w > high, high, w))

    def masked(self, keep: Array) -> "Clients":
        """F_i = E f_i(m o .), where m keeps a coordinate with probability p_i.

        Of quadratics; of others the masks are listed.
        """
        return self._of_masks(Bernoulli(tuple(on_host(keep).tolist())))

    def rolled(self, masks: Array) -> "Clients":
        """The same where m is any of the client's S masks, shape (n, S, d), equally likely."""
        return self._of_masks(_rolling(on_host(masks)))

    def _of_masks(self, law: Law) -> "Clients":
        if self.irrational:
            return Clients(_listed(self.objective, law), self.xp)
        return Clients(to_namespace(_masked(self._quadratic, law), self.xp), self.xp)

    def gradient_bound(self, radius: Any) -> Any:
        """At least the norm of every client's gradient in the ball round 0 of that radius."""
        return rational(to_float(self.objective).gradient_bound(float(radius)))

    def only_minimiser(self, box: Array | None = None) -> Array | None:
        """argmin f, shape (d,), of quadratics: in R^d, or in a box; None unless f is convex enough.

        ``box`` has the least and the largest entry, of all coordinates or of each. Of others, in
        balls: in R^d, or in a ball round 0 whose radius is ``box``.
        """
        if self.irrational:
            return _enclosed(self.objective, box)
        sides = None if box is None else tuple(tuple(side.tolist()) for side in box)
        return _only_minimiser(self._quadratic, sides)

    @staticmethod
    def solved(matrix: Array, right: Array) -> Array:
        """x of ``matrix @ x = right``, of a regular matrix; ``right`` may have several columns."""
        columns = right if right.ndim == 2 else right[:, None]
        answer = solve(matrix, columns)
        assert answer is not None
        return answer if right.ndim == 2 else answer[:, 0]

    @property
    def smoothness(self) -> Any:
        """L of all clients, of quadratics; of all samples, of regression."""
        sampled = hasattr(self.objective, "weighted_gradients")
        problem = self.objective if sampled or self.irrational else self._quadratic
        found = constants(problem)[Constant.SMOOTHNESS].value
        return rational(found) if self.exact else float(found)

    @property
    def bests(self) -> Array:
        """A minimiser of every f_i, shape (n, d), of quadratics: of many, the nearest to 0.

        Of others those that they tell.
        """
        if hasattr(self.objective, "minimisers"):
            return self.xp.asarray(self.objective.minimisers)
        return self.xp.asarray(_lowest_points(self._quadratic))

    @property
    def nearest_best(self) -> Array:
        """A minimiser of f, shape (d,), of quadratics: of many, the nearest to 0.

        Of others the one that all clients have, if it is told.
        """
        if hasattr(self.objective, "minimisers"):
            return self.xp.asarray(self.objective.minimisers[0])
        return self.xp.asarray(_lowest_of_sum(self._quadratic))

    @property
    def lowest(self) -> Array:
        """min f_i of every client, shape (n,), of quadratics."""
        return self.value(self.bests[None, :, :])[0, :]

    @property
    def _quadratic(self) -> FederatedQuadratic:
        """On the host, where minimisers and spectra are found."""
        found = self._on_host
        if hasattr(found, "quadratic"):
            found = _quadratic(found)
        kind = type(found).__name__
        require(isinstance(found, FederatedQuadratic), "problem", kind, "FederatedQuadratic")
        return cast(FederatedQuadratic, found)

    def _joined(self, u: Array, v: Array) -> Array:
        """Points (u_i, v_i), shape (rows, n, d + d_v)."""
        shared = self.spread(u) if u.ndim == 2 else u
        expected = tuple(
            (u.shape[0], self.places, d) for d in (self.dimension, self.personal_dimension)
        )
        given = (tuple(shared.shape), tuple(v.shape))
        require(given == expected, "shapes of the models (u, v)", given, f"{expected}")
        return self.xp.concat([shared, v], axis=2)


def _root(number: Any, *, enclosed: bool) -> Any:
    if isinstance(number, Unknown):
        raise Refused("the step takes a root of a polynomial in draws and states")
    plain = number if hasattr(number, "sqrt") else rational(number)
    try:
        return plain.sqrt()
    except DomainError:
        if not enclosed:
            raise
    return Ball(as_arb(plain)).sqrt()


def _rolling(masks: Array) -> Rolling:
    return Rolling(tuple(tuple(tuple(map(int, m)) for m in own) for own in masks.tolist()))


@lru_cache(maxsize=256)  # each is one problem, by its identity
def _picked(problem: Any, samples: tuple[tuple[int, ...], ...]) -> Any:
    return problem.picked(np.array(samples))


@lru_cache(maxsize=256)
def _quadratic(problem: Any) -> FederatedQuadratic:
    """Up to a constant of every client."""
    found: FederatedQuadratic = problem.quadratic()
    return found


@lru_cache(maxsize=64)  # a round asks for the same ones as the round before
def _masked(problem: FederatedQuadratic, law: Law) -> FederatedQuadratic:
    return masked_quadratic(problem, law)


@lru_cache(maxsize=64)
def _listed(problem: Any, law: Law) -> ListedMasks:
    return ListedMasks(problem, law)


@lru_cache(maxsize=64)
def _enclosed(problem: Any, radius: Any) -> Array | None:
    n = problem.clients
    masked = problem if isinstance(problem, ListedMasks) else _listed(problem, Bernoulli((1,) * n))
    if masked.strong_convexity is None:
        return None

    def slope(w: Array) -> Array:
        rows = np.concatenate([balls(w)[None]] * n)
        found: Array = masked.gradient(rows, everyone(n, 1)).sum(axis=0) / n
        return found

    near = masked.near_minimiser(radius)
    return enclosed(slope, masked.strong_convexity, near, masked.curvature(near), radius)


@lru_cache(maxsize=64)
def _only_minimiser(problem: FederatedQuadratic, sides: Any) -> Array | None:
    n = problem.clients
    matrix, slope = problem.hessian.sum(axis=0) / n, problem.linear.sum(axis=0) / n
    if not is_positive_definite(matrix):
        return None
    return minimise_quadratic(matrix, slope, None if sides is None else Box(*sides)).point


def _minimiser(hessian: Array, slope: Array) -> Array:
    """Of a strongly convex quadratic."""
    definite = is_positive_definite(hessian)
    require(definite, "Hessian", hessian.tolist(), "definite, for a minimiser that is the only one")
    found: Array = solve(hessian, -slope[:, None])
    return found[:, 0]


@lru_cache(maxsize=64)
def _lowest_points(problem: FederatedQuadratic) -> Array:
    """Of every client."""
    every = zip(problem.hessian, problem.linear, strict=True)
    return np.stack([_lowest_point(*each) for each in every])


@lru_cache(maxsize=64)
def _lowest_of_sum(problem: FederatedQuadratic) -> Array:
    return _lowest_point(problem.hessian.sum(axis=0), problem.linear.sum(axis=0))


def _lowest_point(hessian: Array, slope: Array) -> Array:
    """Where a convex quadratic is least; of many points, the nearest to 0."""
    if is_positive_definite(hessian):
        return _minimiser(hessian, slope)
    found = solve(hessian, -slope[:, None]) if is_positive_semidefinite(hessian) else None
    expected = "definite, or semidefinite with the slope in its range"
    require(found is not None, "Hessian", hessian.tolist(), expected)
    assert found is not None
    if is_exact(hessian):  # in floats it is the nearest one already
        inside = solve(hessian @ hessian, hessian @ found)
        assert inside is not None
        found = hessian @ inside
    nearest: Array = found[:, 0]
    return nearest
