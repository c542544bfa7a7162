"""Regression as a finite sum: f_i is the mean of the losses of n_s samples, one drawn per step.

l(w; z) = phi(a'w - y) + (ridge/2) ||w||^2 with z = (a, y) and phi(r) = r^2/2, or Huber's loss,
which is linear beyond a threshold: its gradients are bounded on R^d where ridge = 0.
"""

from dataclasses import dataclass, replace
from typing import Any

import array_api_compat
import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError, require, require_finite
from fedbounds.facts import Constant, Fact

from .cohort import Cohort
from .constants import Constants, ConstantValue, Evidence, not_known
from .linear import is_exact
from .noise import SILENT, Noise
from .problem import Start, check_start
from .quadratic import FederatedQuadratic
from .shown import Shown

Array = Any
_MOST_OUTCOMES = 100_000  # of one client's index draws in one round


@dataclass(frozen=True)
class Loss:
    """The loss of one sample.

    Attributes
    ----------
    ridge : number
        At least 0.
    threshold : number or None
        Where Huber's loss turns linear; None for squares.
    """

    ridge: Any = 0
    threshold: Any = None

    def __post_init__(self) -> None:
        require_finite("ridge", self.ridge, positive=False)
        if self.threshold is not None:
            require_finite("threshold", self.threshold, positive=True)

    def values(self, features: Array, targets: Array, points: Array) -> Array:
        """l(w; z) at points (rows, d), or with more axes; all but the last broadcast."""
        xp = array_api_compat.array_namespace(points)
        residual = xp.sum(features * points, axis=-1) - targets
        phi = residual * residual / 2
        if self.threshold is not None:
            size = xp.where(residual < 0, -residual, residual)
            phi = xp.where(
                size > self.threshold, (size * 2 - self.threshold) * self.threshold / 2, phi
            )
        return phi + xp.sum(points * points, axis=-1) * self.ridge / 2

    def gradients(self, features: Array, targets: Array, points: Array) -> Array:
        """Gradients of l in w at such points."""
        return self.slopes(features, targets, points)[..., None] * features + points * self.ridge

    def slopes(self, features: Array, targets: Array, points: Array) -> Array:
        """Derivatives of the loss in a'w at such points."""
        xp = array_api_compat.array_namespace(points)
        slope = xp.sum(features * points, axis=-1) - targets
        if self.threshold is None:
            return slope
        limit = slope * 0 + self.threshold
        return xp.where(slope > limit, limit, xp.where(slope < -limit, -limit, slope))


@dataclass(frozen=True, eq=False, repr=False)
class SampledRegression(Shown):
    """Regression of n clients with n_s samples each.

    Attributes
    ----------
    features : array, shape (n, n_s, d)
    targets : array, shape (n, n_s)
    loss : Loss
    """

    features: Array
    targets: Array
    loss: Loss = Loss()  # frozen

    def __post_init__(self) -> None:
        shape = tuple(self.features.shape)
        require(len(shape) == 3 and 0 not in shape, "shape of the features", shape, "(n, n_s, d)")
        given = tuple(self.targets.shape)
        require(given == shape[:2], "shape of the targets", given, f"{shape[:2]}")

    @property
    def clients(self) -> int:
        """Number of clients n."""
        return int(self.features.shape[0])

    @property
    def samples(self) -> int:
        """Samples per client n_s."""
        return int(self.features.shape[1])

    @property
    def shared_dimension(self) -> int:
        """d."""
        return int(self.features.shape[2])

    @property
    def personal_dimension(self) -> int:
        """0: there is no personal block."""
        return 0

    def gradient(self, z: Array, cohort: Cohort) -> Array:
        """Rows of grad f_i: the mean over the client's samples."""
        xp = array_api_compat.array_namespace(z)
        features, targets = self._of_rows(cohort)
        return xp.sum(self.loss.gradients(features, targets, z[:, None, :]), axis=1) / self.samples

    def weighted_gradients(self, points: Array, weights: Array) -> Array:
        """Sums over the samples, weights (rows, n, n_s), at their clients' points (rows, n, d)."""
        xp = array_api_compat.array_namespace(points)
        slopes = self.loss.slopes(self.features, self.targets, points[:, :, None, :]) * weights
        found = xp.matmul(slopes[:, :, None, :], self.features)[:, :, 0, :]
        return found + points * self.loss.ridge * xp.sum(weights, axis=2)[:, :, None]

    def picked(self, samples: Array) -> "SampledRegression":
        """The same with these samples of every client, given by number, shape (n, n_s)."""
        clients = np.arange(self.clients)[:, None]
        return replace(
            self, features=self.features[clients, samples], targets=self.targets[clients, samples]
        )

    @property
    def noise(self) -> Noise:
        """None that is added: gradients are of samples."""
        return SILENT

    def value(self, z: Array, cohort: Cohort) -> Array:
        """Rows of f_i."""
        xp = array_api_compat.array_namespace(z)
        features, targets = self._of_rows(cohort)
        return xp.sum(self.loss.values(features, targets, z[:, None, :]), axis=1) / self.samples

    def _of_rows(self, cohort: Cohort) -> tuple[Array, Array]:
        """All samples of every row's client, shapes (rows, n_s, d) and (rows, n_s)."""
        xp = array_api_compat.array_namespace(self.features)
        client = cohort.pair // cohort.replicas
        return xp.take(self.features, client, axis=0), xp.take(self.targets, client, axis=0)

    def sample_noise(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Indices of samples, uniform."""
        return rng.integers(self.samples, size=shape)

    def noise_outcomes(self, steps: int) -> np.ndarray:
        """All equally likely index draws of one client in a round, shape (outcomes, steps).

        Raises
        ------
        FedboundsError
            If there are more than 100,000.
        """
        count = self.samples**steps
        require(
            count <= _MOST_OUTCOMES,
            f"number of index draws n_s^K = {self.samples}^{steps}",
            count,
            f"at most {_MOST_OUTCOMES} to enumerate",
        )
        weights = self.samples ** np.arange(steps)[::-1]  # the first step's index changes last
        return np.arange(count)[:, None] // weights % self.samples

    def disturbed(self, z: Array, gradient: Array, cohort: Cohort, noise: Array) -> Array:
        """Gradients of the samples whose indices are ``noise``, shape (rows,)."""
        xp = array_api_compat.array_namespace(z)
        at = (cohort.pair // cohort.replicas) * self.samples + noise
        features = xp.reshape(self.features, (-1, self.shared_dimension))
        return self.loss.gradients(
            xp.take(features, at, axis=0), xp.take(xp.reshape(self.targets, (-1,)), at, axis=0), z
        )

    def smoothness(self) -> Any:
        """L of every sample's loss: the largest ||a||^2 + ridge, which is attained."""
        return (self.features * self.features).sum(axis=-1).max() + self.loss.ridge

    def strong_convexity(self) -> Any:
        """mu of every sample's loss: the ridge, and a^2 beside it for squares where d = 1."""
        if self.shared_dimension > 1 or self.loss.threshold is not None:
            return self.loss.ridge
        return (self.features * self.features).min() + self.loss.ridge

    def quadratic(self) -> FederatedQuadratic:
        """The same clients up to a constant each.

        Raises
        ------
        FedboundsError
            If the loss is Huber's.
        """
        if self.loss.threshold is not None:
            raise FedboundsError(f"loss is {self.loss}; expected squares, which are quadratic")
        a, d = self.features, self.shared_dimension
        ridge = np.eye(d, dtype=int).astype(a.dtype) * self.loss.ridge
        hessian = (a[:, :, :, None] * a[:, :, None, :]).sum(axis=1) / self.samples + ridge
        linear = -(a * self.targets[:, :, None]).sum(axis=1) / self.samples
        return FederatedQuadratic(hessian, linear, d)

    def constants(self, start: Start) -> Constants:
        """L of the clients, from above: that of the samples; mu likewise, if that is positive."""
        check_start(self, start)
        found = {Constant.SMOOTHNESS: ConstantValue(self.smoothness())}
        lowest = self.strong_convexity()
        return found | ({Constant.STRONG_CONVEXITY: ConstantValue(lowest)} if lowest > 0 else {})

    @property
    def minimiser(self) -> Array | None:
        """Of the mean of the clients; None of Huber's loss."""
        return None if self.loss.threshold is not None else self.quadratic().minimiser

    def infimum(self) -> Any:
        """Of squares; of Huber's loss 0, a lower bound, since losses are not negative."""
        if self.loss.threshold is not None:
            return fmpq(0) if is_exact(self.features) else 0.0
        # what `quadratic` leaves out
        apart = (self.targets * self.targets).sum() / (2 * self.clients * self.samples)
        return self.quadratic().infimum() + apart

    def satisfies(self, assumption: str) -> Evidence:
        """What holds of every such loss."""
        if assumption in (
            Fact.SMOOTH,
            Fact.SMOOTH_SAMPLES,
            Fact.CONVEX,
            Fact.CONVEX_SAMPLES,
        ):
            return Evidence(True, "squares and Huber's losses of affine functions, and a ridge")
        lowest = self.strong_convexity()
        if assumption == Fact.STRONGLY_CONVEX_SAMPLES:
            return Evidence(bool(lowest > 0), f"mu of the samples is {lowest}")
        if assumption == Fact.STRONGLY_CONVEX and lowest > 0:
            return Evidence(True, f"mu of the samples is {lowest}")
        return not_known(assumption)
