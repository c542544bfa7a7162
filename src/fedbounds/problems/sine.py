"""Non-convex objectives of x^2 + 3 sin^2 x, separable or rotated, with proved constants.

f_i(w) = sum_j a_ij phi((Q w)_j - c_ij), phi(x) = x^2 + 3 sin^2 x, Q orthogonal, a_ij > 0. phi'' is
in [-4, 8] and meets both ends, so L = 8 max a_ij exactly. F = sum_j phi_j((Q w)_j) is a sum of
functions of one coordinate each, so its Polyak-Lojasiewicz constant is the least of theirs, which
`pl_certificate` proves. With Q = I a mask m keeps a_ij phi(w_j - c_ij) where m_j = 1 and leaves a
constant where m_j = 0: F_p is the same with a_ij times the coverage. With another Q masks mix the
coordinates, and nothing is said of the constant of F_p.

Deviations of gradients: with a_ij = a_j for all i they are bounded, else not. Coordinate j of
client i deviates by at most a_j (2 |c_ij - mean c_j| + 6 mean_k min(1, |c_ij - c_kj|)).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import array_api_compat
import numpy as np
from flint import fmpq

from fedbounds.errors import require
from fedbounds.facts import Constant, Fact
from fedbounds.vocabulary import Provenance, Side

from .cohort import Cohort
from .constants import Constants, ConstantValue, Evidence, not_known
from .linear import is_exact, rational
from .masked_laws import Bernoulli, Law, check_law
from .noise import SILENT, Noise
from .pl_certificate import Certificate, certify
from .problem import Start, check_start, initial_gradients, initial_value
from .shown import Shown
from .spectrum import in_rationals

Array = Any
_MARGIN = 1.0 + 1e-11  # of sums of a few thousand terms that are not negative
_TURN = 1e-12  # how far Q is from orthogonal, at most


@dataclass(frozen=True, eq=False, repr=False)
class SineBowls(Shown):
    """Sums of x^2 + 3 sin^2 x of n clients.

    In float64; in rationals, values and gradients alone, at points that are balls.

    Attributes
    ----------
    rotation : array, shape (d, d)
        Q, orthogonal.
    weights : array, shape (n, d)
        a_ij > 0.
    centres : array, shape (n, d)
        c_ij.
    noise : Noise
        Additive gradient noise.
    """

    rotation: Array
    weights: Array
    centres: Array
    noise: Noise = SILENT

    def __post_init__(self) -> None:
        n, d = self.weights.shape
        require(n >= 1, "number of clients n", n, "at least 1")
        shapes = (tuple(self.rotation.shape), tuple(self.centres.shape))
        require(shapes == ((d, d), (n, d)), "shapes of Q and c", shapes, f"{((d, d), (n, d))}")
        if isinstance(self.weights, np.ndarray):
            self._check_numbers()

    def _check_numbers(self) -> None:
        """Finite floats, or rationals; a rotation that is one, exactly where it can be."""
        kind, turn = (object, 0) if self.exact else (np.float64, _TURN)
        for name in ("rotation", "weights", "centres"):
            array = getattr(self, name)
            require(array.dtype == kind, f"type of {name}", array.dtype, np.dtype(kind).name)
            finite = self.exact or bool(np.isfinite(array).all())
            require(finite, name, array.tolist(), "finite numbers")
        require(bool((self.weights > 0).all()), "weights", self.weights.tolist(), "> 0")
        eye = np.eye(self.shared_dimension, dtype=int)
        away = abs(self.rotation @ self.rotation.T - eye).sum()
        require(bool(away <= turn), "distance of Q Q' from I", away, f"at most {turn}")

    irrational = True
    strong_convexity = None

    @property
    def exact(self) -> bool:
        """Whether the data are rationals."""
        return is_exact(self.weights)

    @property
    def clients(self) -> int:
        """Number of clients n."""
        return int(self.weights.shape[0])

    @property
    def shared_dimension(self) -> int:
        """d."""
        return int(self.weights.shape[1])

    @property
    def personal_dimension(self) -> int:
        """0."""
        return 0

    @property
    def separable(self) -> bool:
        """Whether Q = I."""
        return bool((self.rotation == np.eye(self.shared_dimension)).all())

    @property
    def minimisers(self) -> Array:
        """Q'c_i, which is the minimiser of client i, shape (n, d); told where all have one."""
        same = bool((self.centres == self.centres[:1]).all())
        require(same, "centres", self.centres.tolist(), "those of one minimiser of all clients")
        return self.centres @ self.rotation

    def gradient(self, z: Array, cohort: Cohort) -> Array:
        """Rows Q' (a_i phi'(Q w - c_i))."""
        xp = array_api_compat.array_namespace(z)
        weights, moved = self._moved(z, cohort)
        slopes = weights * (2 * moved + 3 * xp.sin(2 * moved))
        return xp.matmul(slopes, self.rotation)

    def value(self, z: Array, cohort: Cohort) -> Array:
        """Rows of f_i."""
        xp = array_api_compat.array_namespace(z)
        weights, moved = self._moved(z, cohort)
        waves = xp.sin(moved)
        return xp.sum(weights * (moved * moved + 3 * waves * waves), axis=1)

    def hessians(self, z: Array, cohort: Cohort) -> Array:
        """Hessians at the rows, shape (rows, d, d)."""
        weights, moved = self._moved(z, cohort)
        bend = weights * (2 + 6 * np.cos(2 * moved))
        return np.swapaxes(self.rotation * bend[:, :, None], 1, 2) @ self.rotation

    def _moved(self, z: Array, cohort: Cohort) -> tuple[Array, Array]:
        """Rows a_i and Q w - c_i."""
        xp = array_api_compat.array_namespace(z)
        client = cohort.pair // cohort.replicas
        turned = xp.matmul(z, xp.matrix_transpose(self.rotation))
        weights = xp.take(self.weights, client, axis=0)
        return weights, turned - xp.take(self.centres, client, axis=0)

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
    def _certificates(self) -> list[Certificate]:
        return self._certified(np.full(self.weights.shape, fmpq(1), dtype=object))

    def _certified(self, shares: Array) -> list[Certificate]:
        """Of sum_i share_ij a_ij phi(t - c_ij), for each coordinate j that somebody holds.

        They are n times the objective's: the callers divide.
        """
        weights = in_rationals(self.weights) * shares
        return [
            certify(weights[:, j].tolist(), self.centres[:, j].tolist())
            for j in range(self.shared_dimension)
            if (shares[:, j] != 0).any()
        ]

    def infimum(self) -> float:
        """A certified lower bound."""
        floors = sum(float(x.floor) for x in self._certificates) / self.clients
        return floors / _MARGIN

    def pl_constant(self, law: Law | None = None) -> ConstantValue | None:
        """mu_PL of F, or of F_p with a law of masks, certified from below; None if not known.

        Masks need Q = I, or keep everything.
        """
        if law is None:
            found = self._certificates
        else:
            check_law(law, self.clients, self.shared_dimension)
            shares = _shares(law, self.shared_dimension)
            if not self.separable and not (shares == 1).all():
                return None
            found = self._certified(shares)
        if any(x.constant is None for x in found) or not found:
            return None
        least = float(min(x.constant for x in found if x.constant is not None)) / self.clients
        return ConstantValue(least / _MARGIN, Provenance.CERTIFIED, Side.LOWER)

    @cached_property
    def dissimilarity(self) -> float | None:
        """b^2, certified from above; None where no finite b exists."""
        if not (self.weights == self.weights[:1]).all():
            return None
        linear = 2 * np.abs(self.centres - self.centres.mean(axis=0))
        pairs = np.abs(self.centres[:, None, :] - self.centres[None, :, :])
        waves = 6 * np.minimum(1.0, pairs).mean(axis=1)
        bound = (self.weights * (linear + waves)) ** 2
        return float(bound.sum() / self.clients) * _MARGIN

    def of_curvature(self) -> Constants:
        """L to rounding, exact where Q = I."""
        top = ConstantValue(
            8 * float(self.weights.max()) * (1.0 if self.separable else _MARGIN),
            Provenance.EXACT if self.separable else Provenance.CERTIFIED,
            Side.BOTH if self.separable else Side.UPPER,
        )
        return {Constant.SMOOTHNESS: top}

    def constants(self, start: Start) -> Constants:
        """L_u to rounding; the others exact or certified."""
        check_start(self, start)
        (top,) = self.of_curvature().values()
        each, mean = initial_gradients(self, start)
        gap = float(initial_value(self, start)) + self._rounding(start.u) - self.infimum()
        found: Constants = {
            Constant.SMOOTHNESS_U: top,
            Constant.SMOOTHNESS: top,
            Constant.VARIANCE_U: ConstantValue(self.shared_dimension * self.noise.scale_u**2),
            Constant.INITIAL_GRADIENTS: ConstantValue(float(each)),
            Constant.INITIAL_GRADIENT: ConstantValue(float(mean)),
            Constant.INITIAL_GAP: ConstantValue(gap, Provenance.CERTIFIED, Side.UPPER),
        }
        if self.dissimilarity is not None:
            found[Constant.DISSIMILARITY] = ConstantValue(
                self.dissimilarity, Provenance.CERTIFIED, Side.UPPER
            )
        constant = self.pl_constant()
        if constant is not None:
            found[Constant.PL] = constant
        return found

    def _rounding(self, w: np.ndarray) -> float:
        """A bound of the rounding of F at w: phi(x) <= 4 x^2 and |phi'(x)| <= 8 |x|."""
        unit = 4.0 * (self.shared_dimension + self.clients) * float(np.finfo(float).eps)
        size = float(np.abs(w).sum()) + np.abs(self.centres).max(axis=0)  # of Q w - c
        return unit * 12.0 * float((self.weights.max(axis=0) * size * size).sum())

    def satisfies(self, assumption: str) -> Evidence:
        """Decided, but for a Polyak-Lojasiewicz constant that is neither proved nor disproved."""
        match assumption:
            case Fact.SMOOTH | Fact.NOISE | Fact.BOUNDED_BELOW:
                return Evidence(True, f"{assumption}: by the form of the sine bowls")
            case Fact.QUADRATIC:
                return Evidence(False, "sines are no quadratics")
            case Fact.STRONGLY_CONVEX | Fact.CONVEX:
                return Evidence(False, "phi'' = 2 + 6 cos 2x reaches -4")
            case Fact.BOUNDED_GRADIENTS:
                return Evidence(False, "the quadratic part of the gradient has no bound")
            case Fact.DISSIMILARITY:
                bounded = self.dissimilarity is not None
                return Evidence(bounded, "bounded if and only if all clients have the same weights")
            case Fact.PL:
                if any(x.stray for x in self._certificates):
                    return Evidence(False, "there is a stationary point above the minimum")
                if self.pl_constant() is None:
                    return Evidence(None, "no constant was certified")
                return Evidence(True, "certified in ball arithmetic, coordinate by coordinate")
        return not_known(assumption)


def _shares(law: Law, dimension: int) -> Array:
    """How often each coordinate is held, shape (n, d), in rationals."""
    if isinstance(law, Bernoulli):
        keep = [[rational(p)] * dimension for p in law.keep]
        return np.array(keep, dtype=object)
    return in_rationals(np.array(law.masks, dtype=object).sum(axis=1)) / law.length


def sine_bowls(
    *,
    clients: int,
    dimension: int,
    spread: float = 0.0,
    rotated: bool = False,
    noise: Noise = SILENT,
    seed: int = 0,
) -> SineBowls:
    """Random sine bowls of L = 8.

    Parameters
    ----------
    spread : float
        Largest |c_ij - c_j| of clients from common centres; 0: all clients share one minimiser.
        Large ones (about 1) make other stationary points.
    rotated : bool
        Whether the coordinates of the bowls are not those that masks act on.
    """
    require(spread >= 0, "spread", spread, ">= 0")
    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(rng.standard_normal((dimension, dimension)))[0]
    weights = rng.uniform(0.5, 1.0, dimension)
    weights[0] = 1.0
    own = rng.uniform(-spread, spread, (clients, dimension))
    return SineBowls(
        rotation=basis if rotated else np.eye(dimension),
        weights=np.tile(weights, (clients, 1)),
        centres=rng.uniform(0.5, 2.0, dimension) + own,
        noise=noise,
    )
