"""f_i(w) = g_i(A w) with strongly convex g_i and A of deficient rank: flat along the kernel of A.

g_i(z) = (mu/2) ||z - y_i||^2 + beta sum_j (sqrt(1 + (z_j - y_ij)^2) - 1), so that
mu I <= Hess g_i <= (mu + beta) I. With B = A'A all f_i and F are (mu + beta) ||B||-smooth, and F is
Polyak-Lojasiewicz with mu times the smallest positive eigenvalue of B: F = g(A w) with a
mu-strongly convex g, and ||A'v||^2 >= s ||v||^2 on the range of A. Masked, F_p(w) = G(M w) with the
rows of M those of all sqrt(P(m)/n) A D_m, so the constant is mu times the smallest positive
eigenvalue of M'M = (1/n) sum_i E[D_m B D_m], by the same proof.

Gradients deviate by A'(mu (mean y - y_i) + beta (psi_i - mean psi)) with
|psi(x - s) - psi(x - t)| <= min(2, |s - t|) for psi(x) = x / sqrt(1 + x^2).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import array_api_compat
import numpy as np
from flint import fmpq

from fedbounds.errors import require, require_finite
from fedbounds.facts import Constant, Fact
from fedbounds.vocabulary import Provenance, Side

from .cohort import Cohort, everyone
from .constants import OF_BLOCKS, Constants, ConstantValue, Evidence, not_known
from .linear import is_exact, is_positive_definite
from .masked_laws import Law
from .masked_quadratic import masked_quadratic
from .noise import SILENT, Noise
from .problem import Start, check_start, initial_gradients, initial_value
from .quadratic import FederatedQuadratic
from .shown import Shown
from .spectrum import in_rationals, largest_eigenvalue, smallest_positive_eigenvalue

Array = Any
_MARGIN = 1.0 + 1e-11  # of sums of a few thousand terms that are not negative


@dataclass(frozen=True, eq=False, repr=False)
class ComposedBowls(Shown):
    """g_i(A w) of n clients.

    In float64; in rationals, values and gradients alone, at points that are balls.

    Attributes
    ----------
    matrix : array, shape (k, d)
        A.
    targets : array, shape (n, k)
        y_i.
    curvature, bend : float
        mu > 0 and beta >= 0.
    noise : Noise
        Additive gradient noise.
    """

    matrix: Array
    targets: Array
    curvature: float
    bend: float
    noise: Noise = SILENT

    def __post_init__(self) -> None:
        k = self.matrix.shape[0]
        shape = tuple(self.targets.shape)
        require(len(shape) == 2 and shape[1] == k and shape[0] >= 1, "shape of the targets",
                shape, f"(n, {k})")  # fmt: skip
        require_finite("curvature mu", self.curvature, positive=True)
        require_finite("bend beta", self.bend, positive=False)
        if isinstance(self.matrix, np.ndarray):
            kind = object if self.exact else np.float64
            for name in ("matrix", "targets"):
                array = getattr(self, name)
                require(array.dtype == kind, f"type of {name}", array.dtype, np.dtype(kind).name)
                finite = self.exact or bool(np.isfinite(array).all())
                require(finite, name, array.tolist(), "finite numbers")
            require(bool(self.matrix.any()), "matrix A", self.matrix.tolist(), "not zero")

    irrational = True
    strong_convexity = None

    @property
    def exact(self) -> bool:
        """Whether the data are rationals."""
        return is_exact(self.matrix)

    @property
    def clients(self) -> int:
        """Number of clients n."""
        return int(self.targets.shape[0])

    @property
    def shared_dimension(self) -> int:
        """d."""
        return int(self.matrix.shape[1])

    @property
    def personal_dimension(self) -> int:
        """0."""
        return 0

    def gradient(self, z: Array, cohort: Cohort) -> Array:
        """Rows A' grad g_i(A w)."""
        xp = array_api_compat.array_namespace(z)
        moved = self._moved(z, cohort)
        slopes = moved * (self.curvature + self.bend / xp.sqrt(1 + moved * moved))
        return xp.matmul(slopes, self.matrix)

    def value(self, z: Array, cohort: Cohort) -> Array:
        """Rows of f_i."""
        xp = array_api_compat.array_namespace(z)
        squares = self._moved(z, cohort) ** 2
        # sqrt(1 + s) - 1 without cancellation
        bent = self.bend * squares / (xp.sqrt(1 + squares) + 1)
        return xp.sum(self.curvature / 2 * squares + bent, axis=1)

    def hessians(self, z: Array, cohort: Cohort) -> Array:
        """Hessians at the rows, shape (rows, d, d)."""
        moved = self._moved(z, cohort)
        diagonal = self.curvature + self.bend * (1 + moved * moved) ** -1.5
        return np.swapaxes(self.matrix * diagonal[:, :, None], 1, 2) @ self.matrix

    def _moved(self, z: Array, cohort: Cohort) -> Array:
        xp = array_api_compat.array_namespace(z)
        client = cohort.pair // cohort.replicas
        return xp.matmul(z, xp.matrix_transpose(self.matrix)) - xp.take(
            self.targets, client, axis=0
        )

    def sample_noise(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array | None:
        """Additive noise for rows of that shape; None when there is none."""
        return self.noise.sample(rng, shape, self.shared_dimension, 0)

    def noise_outcomes(self, steps: int) -> Array:
        """All equally likely noises of one client in a round, shape (outcomes, steps, d)."""
        return self.noise.outcomes(steps, self.shared_dimension, 0)

    def disturbed(self, z: Array, gradient: Array, cohort: Cohort, noise: Array) -> Array:
        """The stochastic gradient: the noise is added."""
        return gradient + noise

    @cached_property
    def _square(self) -> Array:
        """B = A'A in rationals."""
        exact = in_rationals(self.matrix)
        return exact.T @ exact

    @cached_property
    def smoothness(self) -> float:
        """L of every client, certified from above."""
        top = largest_eigenvalue(self._square).upper
        return float((self.curvature + self.bend) * float(top) * _MARGIN)

    def pl_constant(self, law: Law | None = None) -> ConstantValue:
        """mu_PL of F, or of F_p with a law of masks, certified from below."""
        mean = self._square
        if law is not None:
            n, d = self.clients, self.shared_dimension
            nothing = np.full((n, d), fmpq(0), dtype=object)
            same = FederatedQuadratic(np.stack([mean] * n), nothing, d)
            mean = masked_quadratic(same, law).hessian.sum(axis=0) / n
        low = float(smallest_positive_eigenvalue(mean).lower)
        return ConstantValue(self.curvature * low / _MARGIN, Provenance.CERTIFIED, Side.LOWER)

    def infimum(self) -> float:
        """A certified lower bound: F(w) - ||grad F(w)||^2 / (2 mu_PL) near a minimiser."""
        w, all_clients = np.zeros(self.shared_dimension), everyone(self.clients, 1)
        for _ in range(100):
            slope = self.gradient(np.tile(w, (self.clients, 1)), all_clients).mean(axis=0)
            w = w - np.linalg.lstsq(self._steepest, slope, rcond=1e-12)[0]
        rows = np.tile(w, (self.clients, 1))
        of_value, of_gradient = self._rounding(w)
        slope = self.gradient(rows, all_clients).mean(axis=0)
        steepness = float(np.linalg.norm(slope)) + of_gradient
        mean = float(self.value(rows, all_clients).mean()) - of_value
        low = mean - steepness**2 / (2 * self.pl_constant().value)
        return float(max(0.0, low - 1e-15 * abs(low)))

    def _rounding(self, w: np.ndarray) -> tuple[float, float]:
        """Bounds of the rounding of F and of its gradient at w."""
        k, d = self.matrix.shape
        unit = 16.0 * (k + d + self.clients) * float(np.finfo(float).eps)
        size = np.abs(self.matrix) @ np.abs(w) + np.abs(self.targets).max(axis=0)  # of A w - y
        bend, norm = self.curvature + self.bend, float(np.linalg.norm(self.matrix))
        return unit * bend * float((size * size).sum()), unit * bend * norm * float(size.sum())

    @cached_property
    def _steepest(self) -> np.ndarray:
        return np.asarray((self.curvature + self.bend) * self.matrix.T @ self.matrix)

    @cached_property
    def dissimilarity(self) -> float:
        """b^2, certified from above."""
        linear = self.curvature * np.abs(self.targets - self.targets.mean(axis=0))
        pairs = np.abs(self.targets[:, None, :] - self.targets[None, :, :])
        bound = linear + self.bend * np.minimum(2.0, pairs).mean(axis=1)
        top = float(largest_eigenvalue(self._square).upper)
        return float((bound * bound).sum() / self.clients) * top * _MARGIN

    def of_curvature(self) -> Constants:
        """L, certified."""
        return {
            Constant.SMOOTHNESS: ConstantValue(self.smoothness, Provenance.CERTIFIED, Side.UPPER)
        }

    def constants(self, start: Start) -> Constants:
        """All constants, certified."""
        check_start(self, start)
        (top,) = self.of_curvature().values()
        each, mean = initial_gradients(self, start)
        gap = float(initial_value(self, start)) + self._rounding(start.u)[0] - self.infimum()
        return {
            Constant.SMOOTHNESS_U: top,
            Constant.SMOOTHNESS: top,
            Constant.PL: self.pl_constant(),
            Constant.VARIANCE_U: ConstantValue(self.shared_dimension * self.noise.scale_u**2),
            Constant.DISSIMILARITY: ConstantValue(
                self.dissimilarity, Provenance.CERTIFIED, Side.UPPER
            ),
            Constant.INITIAL_GRADIENTS: ConstantValue(float(each)),
            Constant.INITIAL_GRADIENT: ConstantValue(float(mean)),
            Constant.INITIAL_GAP: ConstantValue(gap, Provenance.CERTIFIED, Side.UPPER),
        }

    def satisfies(self, assumption: str) -> Evidence:
        """Decided by the form of the objectives."""
        if assumption == Fact.STRONGLY_CONVEX:
            definite = is_positive_definite(self._square)
            return Evidence(definite, "strongly convex if and only if A has rank d")
        if assumption == Fact.CONVEX:
            return Evidence(True, "a convex function of A w")
        if assumption == Fact.QUADRATIC:
            return Evidence(False, "roots are no quadratics")  # with a bend
        if assumption == Fact.PL:
            return Evidence(True, "a strongly convex function of A w")
        if assumption == Fact.BOUNDED_GRADIENTS:
            return Evidence(False, "the quadratic part of the gradient has no bound")
        if assumption in OF_BLOCKS:
            return Evidence(True, f"{assumption}: by the form of the composed bowls")
        return not_known(assumption)
