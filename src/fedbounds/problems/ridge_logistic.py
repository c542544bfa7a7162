"""Logistic losses with an L2 regulariser: strongly convex, with a certified slope on any ball.

f_i(w) = (1/N) sum_l log(1 + exp(-x_l' w)) + (mu/2) ||w||^2. Every sample's loss has a Hessian
between mu I and (||x_l||^2 / 4 + mu) I. On ||w|| <= r the weights 1/(1 + exp(x_l' w)) deviate from
1/2 by at most s_l = tanh(r ||x_l|| / 2) / 2, so that
||grad f_i(w)|| <= (1/2) ||mean of x_l|| + (1/N) sum_l s_l ||x_l|| + mu r,
and m . w is in the ball with w: the bound holds for every mask.
"""

from dataclasses import dataclass
from typing import Any

import array_api_compat
import numpy as np

from fedbounds.errors import require, require_finite
from fedbounds.facts import Constant, Fact
from fedbounds.vocabulary import Provenance, Side

from . import logistic_bounds as bounds
from .cohort import Cohort
from .constants import OF_BLOCKS, Constants, ConstantValue, Evidence, not_known
from .linear import is_exact
from .logistic import FederatedLogistic
from .problem import Start, initial_gradients
from .shown import Shown

Array = Any
_MARGIN = 1.0 + 1e-11  # of sums of up to 10,000 terms that are not negative
_EPSILON = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False, repr=False)
class RidgeLogistic(Shown):
    """L2-regularised logistic regression, fully shared.

    In float64; in rationals, values and gradients alone, at points that are balls.

    Attributes
    ----------
    loss : FederatedLogistic
        The data and the minibatches, without regulariser and personal features.
    ridge : float
        mu > 0.
    """

    loss: FederatedLogistic
    ridge: float

    def __post_init__(self) -> None:
        require_finite("ridge mu", self.ridge, positive=True)
        require(self.loss.regularisation == 0, "regularisation of the loss",
                self.loss.regularisation, "0")  # fmt: skip
        require(self.loss.personal_dimension == 0, "personal dimension of the loss",
                self.loss.personal_dimension, "0")  # fmt: skip
        most = self.loss.samples + self.shared_dimension
        require(most <= 10_000, "samples N + coordinates d", most, "at most 10000")

    irrational = True

    @property
    def exact(self) -> bool:
        """Whether the data are rationals."""
        return is_exact(self.loss.labels)

    @property
    def strong_convexity(self) -> Any:
        """mu of every client."""
        return self.ridge

    @property
    def clients(self) -> int:
        """Number of clients n."""
        return self.loss.clients

    @property
    def shared_dimension(self) -> int:
        """d."""
        return self.loss.shared_dimension

    @property
    def personal_dimension(self) -> int:
        """0."""
        return 0

    def gradient(self, z: Array, cohort: Cohort) -> Array:
        """Rows of the exact gradient."""
        return self.loss.gradient(z, cohort) + self.ridge * z

    def value(self, z: Array, cohort: Cohort) -> Array:
        """Rows of f_i."""
        xp = array_api_compat.array_namespace(z)
        return self.loss.value(z, cohort) + self.ridge / 2 * xp.sum(z * z, axis=1)

    def hessians(self, z: Array, cohort: Cohort) -> Array:
        """Hessians at the rows, shape (rows, d, d)."""
        client = np.asarray(cohort.pair) // cohort.replicas
        samples = self.loss.signed[client]
        scores = (samples @ z[:, :, None])[:, :, 0]
        bend = 1.0 / (4.0 * np.cosh(np.clip(scores / 2.0, -300.0, 300.0)) ** 2)
        curved = np.swapaxes(samples, 1, 2) @ (samples * bend[:, :, None]) / self.loss.samples
        return curved + self.ridge * np.eye(z.shape[1])

    def sample_noise(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array | None:
        """Sample indices of minibatches; None for exact gradients."""
        return self.loss.sample_noise(rng, shape)

    def noise_outcomes(self, steps: int) -> Array:
        """All equally likely index draws of one client."""
        return self.loss.noise_outcomes(steps)

    def disturbed(self, z: Array, gradient: Array, cohort: Cohort, noise: Array) -> Array:
        """Minibatch gradients; the regulariser stays exact."""
        return self.loss.disturbed(z, gradient, cohort, noise) + self.ridge * z

    def infimum(self) -> float:
        """A certified lower bound: nothing is negative."""
        return 0.0

    @property
    def smoothness(self) -> float:
        """L of every client, from above."""
        top = np.linalg.norm(self.loss.signed, 2, axis=(1, 2)).max() ** 2
        return float(top / (4 * self.loss.samples) + self.ridge) * _MARGIN

    @property
    def sample_smoothness(self) -> float:
        """L of every single sample's loss, from above."""
        return float(bounds.norms(self.loss.signed).max() ** 2 / 4 + self.ridge) * _MARGIN

    def gradient_bound(self, radius: float) -> float:
        """G on the ball of that radius, for every client and mask, from above."""
        require_finite("radius", radius, positive=True)
        sizes = bounds.norms(self.loss.signed)
        turned = (np.tanh(float(radius) * sizes / 2) / 2 * sizes).mean(axis=1)
        middle = bounds.norms(self.loss.signed.mean(axis=1)) / 2
        return float((middle + turned).max() + self.ridge * float(radius)) * _MARGIN

    def rounding(self, reach: float) -> float:
        """A bound of the rounding of any client's gradient at points of norm at most ``reach``."""
        sizes = bounds.norms(self.loss.signed)
        terms = 8 + self.loss.samples + self.shared_dimension
        scores = float((sizes * (1 + sizes * reach)).mean(axis=1).max())
        return 8 * terms * _EPSILON * (scores + self.ridge * reach)

    def of_curvature(self) -> Constants:
        """L from above and mu from below."""
        return {
            Constant.SMOOTHNESS: ConstantValue(self.smoothness, Provenance.CERTIFIED, Side.UPPER),
            Constant.STRONG_CONVEXITY: ConstantValue(self.ridge, Provenance.CERTIFIED, Side.LOWER),
        }

    def constants(self, start: Start) -> Constants:
        """mu certified from below, the others from above."""
        known = self.loss.constants(start)
        each, mean = initial_gradients(self, start)
        top, low = self.of_curvature().values()
        square = float((start.u * start.u).sum())
        gap = (known[Constant.INITIAL_GAP].value + self.ridge / 2 * square) * _MARGIN
        return {
            Constant.SMOOTHNESS_U: top,
            Constant.SMOOTHNESS: top,
            Constant.STRONG_CONVEXITY: low,
            Constant.PL: low,
            Constant.VARIANCE_U: known[Constant.VARIANCE_U],
            Constant.DISSIMILARITY: known[Constant.DISSIMILARITY],
            Constant.INITIAL_GRADIENTS: ConstantValue(float(each)),
            Constant.INITIAL_GRADIENT: ConstantValue(float(mean)),
            Constant.INITIAL_GAP: ConstantValue(gap, Provenance.CERTIFIED, Side.UPPER),
        }

    def satisfies(self, assumption: str) -> Evidence:
        """Decided by the form of the losses."""
        if assumption in (Fact.STRONGLY_CONVEX, Fact.PL):
            return Evidence(True, "the regulariser's Hessian is mu I, the loss is convex")
        if assumption == Fact.CONVEX:
            return Evidence(True, "the loss is convex, and so is the regulariser")
        if assumption == Fact.QUADRATIC:
            return Evidence(False, "logistic losses are no quadratics")
        if assumption == Fact.BOUNDED_GRADIENTS:
            return Evidence(False, "the regulariser's slope has no bound on R^d, only on a ball")
        if assumption in OF_BLOCKS:
            return self.loss.satisfies(assumption)
        return not_known(assumption)
