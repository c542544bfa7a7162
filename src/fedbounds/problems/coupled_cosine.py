"""f_i(u, v_i) = 1/2 u'Au + a_i'u + mu/2 ||v_i||^2 + s cos(w'u + q'v_i): non-convex and coupled.

The coupling is bounded in slope, so dissimilarity is bounded at all points although shared and
personal variables interact. The deviation of client i from the mean shared gradient is
a_i - a - s (t_i - t) w with t_i = sin(w'u + q'v_i) in [-1, 1] and t their mean. Its mean square is
convex in (t_1, ..., t_n), hence largest at signs; each sign vector is attained by a choice of the
v_i (q != 0). So b^2 is that maximum, exactly.

Given in rationals, gradients and values of balls are balls, and constants are rationals: those that
are none are rounded to the side on which they are admissible.
"""

from dataclasses import dataclass, fields
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

import array_api_compat
import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError, require
from fedbounds.facts import Constant, Fact
from fedbounds.vocabulary import Provenance, Side

from .cohort import Cohort
from .constants import OF_BLOCKS, Constants, ConstantValue, Evidence, not_known
from .linear import is_exact, solve
from .noise import SILENT, Noise
from .problem import Start, check_start, initial_gradients, initial_value
from .shown import Shown
from .spectrum import above, in_arbs, largest_eigenvalue, smallest_eigenvalue, square_root

Array = Any
_MOST_CLIENTS = 16  # 2^n sign vectors are enumerated


@dataclass(frozen=True, eq=False, repr=False)
class CoupledCosine(Shown):
    """Coupled non-convex objectives of n clients.

    Attributes
    ----------
    shared_hessian : array, shape (d_u, d_u)
        A, symmetric positive definite.
    linear : array, shape (n, d_u)
        a_i.
    personal_curvature : float
        mu > 0.
    amplitude : float
        s, the strength of the coupling.
    shared_direction, personal_direction : arrays, shapes (d_u,) and (d_v,)
        w and q; q is not zero.
    noise : Noise
        Additive gradient noise.
    """

    shared_hessian: Array
    linear: Array
    personal_curvature: float
    amplitude: float
    shared_direction: Array
    personal_direction: Array
    noise: Noise = SILENT

    irrational: ClassVar[bool] = True

    def __post_init__(self) -> None:
        n, d_u = self.linear.shape
        require(1 <= n <= _MOST_CLIENTS, "number of clients", n, f"1 to {_MOST_CLIENTS}")
        given = (tuple(self.shared_hessian.shape), tuple(self.shared_direction.shape))
        require(
            given == ((d_u, d_u), (d_u,)), "shapes of A and w", given, f"{((d_u, d_u), (d_u,))}"
        )
        require(
            self.personal_curvature > 0, "personal curvature mu", self.personal_curvature, "> 0"
        )
        if isinstance(self.shared_hessian, np.ndarray):
            _check_finite(self)
            symmetric = np.array_equal(self.shared_hessian, self.shared_hessian.T)
            lowest = self._lowest() if symmetric else float("nan")
            require(
                bool(lowest > 0), "smallest eigenvalue of A", lowest, "> 0, A symmetric and finite"
            )
            q = self.personal_direction
            norm = q @ q if self.exact else np.linalg.norm(q)
            require(bool(norm > 0), "norm of the personal direction q", norm, "> 0")

    def _lowest(self) -> Any:
        """The smallest eigenvalue of A, or what is not above it."""
        if self.exact:
            return smallest_eigenvalue(self.shared_hessian).lower
        return np.linalg.eigvalsh(self.shared_hessian).min()

    @property
    def exact(self) -> bool:
        """Whether it is given in rationals."""
        return isinstance(self.shared_hessian, np.ndarray) and is_exact(self.shared_hessian)

    @property
    def clients(self) -> int:
        """Number of clients n."""
        return int(self.linear.shape[0])

    @property
    def shared_dimension(self) -> int:
        """d_u."""
        return int(self.linear.shape[1])

    @property
    def personal_dimension(self) -> int:
        """d_v."""
        return int(self.personal_direction.shape[0])

    def gradient(self, z: Array, cohort: Cohort) -> Array:
        """Rows (A u + a_i - s sin(.) w, mu v_i - s sin(.) q)."""
        xp = array_api_compat.array_namespace(z)
        d_u = self.shared_dimension
        direction = xp.concat([self.shared_direction, self.personal_direction])
        slope = xp.sin(xp.matmul(z, direction))[:, None] * (-self.amplitude)
        shared = xp.matmul(z[:, :d_u], self.shared_hessian) + self._linear_rows(cohort)
        return xp.concat([shared, z[:, d_u:] * self.personal_curvature], axis=1) + slope * direction

    def value(self, z: Array, cohort: Cohort) -> Array:
        """Rows of f_i."""
        xp = array_api_compat.array_namespace(z)
        u, v = z[:, : self.shared_dimension], z[:, self.shared_dimension :]
        direction = xp.concat([self.shared_direction, self.personal_direction])
        bowl = xp.sum(
            u * (xp.matmul(u, self.shared_hessian) / 2 + self._linear_rows(cohort)), axis=1
        )
        personal = xp.sum(v * v, axis=1) * (self.personal_curvature / 2)
        return bowl + personal + self.amplitude * xp.cos(xp.matmul(z, direction))

    def _linear_rows(self, cohort: Cohort) -> Array:
        xp = array_api_compat.array_namespace(self.linear)
        shape = (cohort.clients, cohort.replicas, self.shared_dimension)
        flat = xp.reshape(xp.broadcast_to(self.linear[:, None, :], shape), (-1, shape[2]))
        return flat if cohort.everyone else xp.take(flat, cohort.pair, axis=0)

    def infimum(self) -> Any:
        """A certified lower bound: the bowl's minimum minus the amplitude of the cosine."""
        mean = self.linear.sum(axis=0) / self.clients
        if self.exact:
            found = solve(self.shared_hessian, mean[:, None])
            assert found is not None
            return -(mean @ found[:, 0]) / 2 - abs(self.amplitude)
        return float(-mean @ np.linalg.solve(self.shared_hessian, mean) / 2) - abs(self.amplitude)

    @cached_property
    def dissimilarity(self) -> Any:
        """b^2, exact: the largest mean squared deviation over all sign vectors."""
        one = fmpq(1) if self.exact else 1.0
        signs = np.array(list(product((-one, one), repeat=self.clients)))
        deviation = self.linear - self.linear.sum(axis=0) / self.clients
        spread = self.amplitude * (signs - signs.sum(axis=1, keepdims=True) / self.clients)
        w = self.shared_direction
        squares = (
            (deviation * deviation).sum()
            - 2 * spread @ (deviation @ w)
            + (spread * spread).sum(axis=1) * (w @ w)
        )
        return squares.max() / self.clients if self.exact else float(squares.max() / self.clients)

    def sample_noise(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array | None:
        """Additive noise for rows of that shape; None when there is none."""
        return self.noise.sample(rng, shape, self.shared_dimension, self.personal_dimension)

    def noise_outcomes(self, steps: int) -> Array:
        """All equally likely noises of one client in a round, shape (outcomes, steps, d)."""
        return self.noise.outcomes(steps, self.shared_dimension, self.personal_dimension)

    def disturbed(self, z: Array, gradient: Array, cohort: Cohort, noise: Array) -> Array:
        """The stochastic gradient: the noise is added."""
        return gradient + noise

    def constants(self, start: Start) -> Constants:
        """All constants; F_0 is an upper value, since the infimum is a lower bound."""
        check_start(self, start)
        norms = self._norms_exactly() if self.exact else self._norms()
        return {
            **norms,
            Constant.SMOOTHNESS: max(norms.values(), key=lambda constant: constant.value),
            Constant.VARIANCE_U: ConstantValue(self.shared_dimension * self.noise.scale_u**2),
            Constant.VARIANCE_V: ConstantValue(self.personal_dimension * self.noise.scale_v**2),
            Constant.DISSIMILARITY: ConstantValue(self.dissimilarity),
            **(self._of_start_exactly(start) if self.exact else self._of_start(start)),
        }

    def _norms(self) -> Constants:
        s, w, q = abs(self.amplitude), self.shared_direction, self.personal_direction
        ridge = s * np.outer(w, w)
        norms = {
            Constant.SMOOTHNESS_U: max(
                np.linalg.norm(self.shared_hessian + sign * ridge, 2) for sign in (-1.0, 1.0)
            ),
            Constant.SMOOTHNESS_V: self.personal_curvature + s * (q @ q),
            Constant.SMOOTHNESS_UV: s * np.linalg.norm(w) * np.linalg.norm(q),
        }
        return {name: ConstantValue(float(value)) for name, value in norms.items()}

    def _norms_exactly(self) -> Constants:
        s, w, q = abs(self.amplitude), self.shared_direction, self.personal_direction
        ridge = s * np.outer(w, w)
        ends = (ridge + self.shared_hessian, ridge - self.shared_hessian)
        every = [largest_eigenvalue(matrix).above() for matrix in ends]
        return {
            Constant.SMOOTHNESS_U: max(every, key=lambda constant: constant.value),
            Constant.SMOOTHNESS_V: ConstantValue(self.personal_curvature + s * (q @ q)),
            Constant.SMOOTHNESS_UV: square_root(s * s * (w @ w) * (q @ q)).above(),
        }

    def _of_start(self, start: Start) -> Constants:
        gap = float(initial_value(self, start)) - self.infimum()
        each, mean = initial_gradients(self, start)
        return {
            Constant.INITIAL_GRADIENTS: ConstantValue(float(each)),
            Constant.INITIAL_GRADIENT: ConstantValue(float(mean)),
            Constant.INITIAL_GAP: ConstantValue(gap, Provenance.CERTIFIED, Side.UPPER),
        }

    def _of_start_exactly(self, start: Start) -> Constants:
        """All from above: sines are no rationals."""
        balls = Start(in_arbs(start.u), in_arbs(start.v))
        each, mean = initial_gradients(self, balls)
        found = {
            Constant.INITIAL_GRADIENTS: above(each),
            Constant.INITIAL_GRADIENT: above(mean),
            Constant.INITIAL_GAP: above(initial_value(self, balls)) - self.infimum(),
        }
        return {x: ConstantValue(y, Provenance.CERTIFIED, Side.UPPER) for x, y in found.items()}

    def satisfies(self, assumption: str) -> Evidence:
        """Those on both blocks hold at all points, but for bounded gradients."""
        if assumption == Fact.BOUNDED_GRADIENTS:
            bounded = not np.any(self.shared_hessian)
            return Evidence(bounded, "the quadratic part of the shared gradient has no bound")
        if assumption not in OF_BLOCKS:
            return not_known(assumption)
        return Evidence(True, f"{assumption}: by the form of the coupled cosine")


def _check_finite(problem: CoupledCosine) -> None:
    """Raise unless all numbers are finite floats, or all are exact."""
    for field in fields(problem):
        value = getattr(problem, field.name)
        if isinstance(value, Noise):
            continue
        if (np.asarray(value).dtype == object) is not problem.exact:
            raise FedboundsError(f"{field.name} mixes exact numbers with floats")
        if not problem.exact:
            require(bool(np.isfinite(value).all()), field.name, value, "finite numbers")
