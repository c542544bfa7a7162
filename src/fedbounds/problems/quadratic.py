"""f_i(u, v_i) = 1/2 z' H_i z + h_i' z with z = (u, v_i): own curvature and slope per client.

H_i = [[A_i, C_i], [C_i', D_i]], h_i = (a_i, d_i). Every constant is exact.

Bounded gradient dissimilarity. The deviation of client i from the mean shared gradient is
(A_i - A) u + C_i v_i - (1/n) sum_j C_j v_j + a_i - a. It is bounded over all u only if every A_i
equals A, and, since each v_i is free, over all v only if every C_i vanishes (n >= 2). Then it is
the constant a_i - a, and b^2 = (1/n) sum_i ||a_i - a||^2, attained at every point. With one
client the deviation is zero and b^2 = 0. On every other quadratic the assumption fails.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import array_api_compat
import numpy as np

from fedbounds.errors import FedboundsError, require
from fedbounds.facts import Constant, Fact

from .cohort import Cohort, affine, everyone
from .constants import OF_BLOCKS, Constants, ConstantValue, Evidence, not_known
from .linear import is_exact, is_positive_definite, is_positive_semidefinite, solve, spectral_norm
from .noise import SILENT, Noise
from .problem import Start, check_start, initial_gradients, initial_value, joint_rows, split
from .shown import Shown
from .spectrum import in_rationals

Array = Any
_BY_FORM: dict[str, str] = {
    Fact.QUADRATIC: "quadratic",
    Fact.UNCONSTRAINED: "no constraint",
    Fact.UNBIASED: "the noise has mean zero",
    Fact.BOUNDED_VARIANCE: "the noise is additive",
    Fact.INDEPENDENT: "drawn per client",
}


@dataclass(frozen=True, eq=False, repr=False)
class FederatedQuadratic(Shown):
    """Quadratic objectives of n clients.

    Attributes
    ----------
    hessian : array, shape (n, d, d), d = d_u + d_v
        Symmetric joint Hessians H_i.
    linear : array, shape (n, d)
        Linear terms h_i.
    shared_dimension : int
        d_u; the first d_u coordinates are shared. 0 drops the shared block, d the personal one.
    noise : Noise
        Additive gradient noise.

    Raises
    ------
    FedboundsError
        If a shape is wrong, an entry is not finite, or a Hessian is not symmetric.
    """

    hessian: Array
    linear: Array
    shared_dimension: int
    noise: Noise = SILENT

    def __post_init__(self) -> None:
        shape = tuple(self.hessian.shape)
        require(
            len(shape) == 3 and shape[1] == shape[2], "shape of the Hessians", shape, "(n, d, d)"
        )
        require(shape[0] >= 1, "number of clients", shape[0], "at least 1")
        require(
            tuple(self.linear.shape) == shape[:2],
            "shape of the linear terms",
            tuple(self.linear.shape),
            f"{shape[:2]}",
        )
        require(
            0 <= self.shared_dimension <= shape[1],
            "shared dimension d_u",
            self.shared_dimension,
            f"between 0 and {shape[1]}",
        )
        if isinstance(self.hessian, np.ndarray):
            _check_entries(self.hessian, self.linear)

    @property
    def clients(self) -> int:
        """Number of clients n."""
        return int(self.hessian.shape[0])

    @property
    def personal_dimension(self) -> int:
        """d_v."""
        return int(self.hessian.shape[1]) - self.shared_dimension

    def gradient(self, z: Array, cohort: Cohort) -> Array:
        """Rows H_i z + h_i: one matrix product per client."""
        return affine(z, cohort, self.hessian, self.linear)

    def curvature(self, z: Array, cohort: Cohort) -> Array:
        """Rows H_i z."""
        return affine(z, cohort, self.hessian, self.linear * 0)

    def value(self, z: Array, cohort: Cohort) -> Array:
        """Rows 1/2 z' H_i z + h_i' z."""
        xp = array_api_compat.array_namespace(z)
        return xp.sum(z * affine(z / 2, cohort, self.hessian, self.linear), axis=1)

    def sample_noise(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array | None:
        """Additive noise for rows of that shape; None when there is none."""
        return self.noise.sample(rng, shape, self.shared_dimension, self.personal_dimension)

    def noise_outcomes(self, steps: int) -> Array:
        """All equally likely noises of one client in a round, shape (outcomes, steps, d)."""
        return self.noise.outcomes(steps, self.shared_dimension, self.personal_dimension)

    def disturbed(self, z: Array, gradient: Array, cohort: Cohort, noise: Array) -> Array:
        """The stochastic gradient: the noise is added."""
        return gradient + noise

    def blocks(self) -> tuple[Array, Array, Array]:
        """The blocks (A_i, C_i, D_i) of the Hessians, stacked over clients."""
        d_u = self.shared_dimension
        h = self.hessian
        return h[:, :d_u, :d_u], h[:, :d_u, d_u:], h[:, d_u:, d_u:]

    @cached_property
    def minimiser(self) -> Array | None:
        """The joint minimiser (u*, v_1*, ..., v_n*) as one vector, or None if there is none.

        Personal blocks are eliminated client by client; what is left is d_u equations.
        """
        d_u = self.shared_dimension
        shared, coupling, personal = self.blocks()
        matrix = shared.sum(axis=0)
        right = -self.linear[:, :d_u].sum(axis=0)
        answers = []
        for i in range(self.clients):
            response = np.concatenate([coupling[i].T, self.linear[i, d_u:, None]], axis=1)
            answer = solve(personal[i], response)
            if answer is None or not is_positive_semidefinite(personal[i]):
                return None
            matrix = matrix - coupling[i] @ answer[:, :d_u]
            right = right + coupling[i] @ answer[:, d_u]
            answers.append(answer)
        matrix = (matrix + matrix.T) / 2
        found = solve(matrix, right[:, None])
        if found is None or not is_positive_semidefinite(matrix):
            return None
        u = found[:, 0]
        return np.concatenate([u, *(-(a[:, :d_u] @ u + a[:, d_u]) for a in answers)])

    def infimum(self) -> Any:
        """inf f, exact; None if f is unbounded below."""
        if self.minimiser is None:
            return None
        return initial_value(self, self.split(self.minimiser))

    def split(self, point: Array) -> Start:
        """A joint vector (u, v_1, ..., v_n) as a start."""
        return split(self, point)

    def centred(self) -> "FederatedQuadratic":
        """The same objective in coordinates whose origin is the minimiser.

        Rounding then scales with the distance to the minimiser, so that a converged run does not
        drown in the rounding of its own position. Without a minimiser the problem is unchanged.
        """
        if self.minimiser is None:
            return self
        rows = joint_rows(self.split(self.minimiser))
        linear = self.gradient(rows, everyone(self.clients, 1))
        d_u = self.shared_dimension
        linear[:, :d_u] = linear[:, :d_u] - linear[:, :d_u].sum(axis=0) / self.clients
        linear[:, d_u:] = linear[:, d_u:] * 0
        if not is_exact(linear):
            # what is left of a slope that cancelled is rounding, and would stop a converging tail
            size = (abs(self.hessian) @ abs(rows)[:, :, None])[:, :, 0] + abs(self.linear)
            linear[abs(linear) <= 1e-14 * size] = 0.0
        return replace(self, linear=linear)

    @cached_property
    def dissimilarity(self) -> Any:
        """b^2, exact; None where no finite b exists."""
        shared, coupling, _ = self.blocks()
        if self.clients > 1 and not (
            (shared == shared[:1]).all() and (coupling == coupling * 0).all()
        ):
            return None
        slopes = self.linear[:, : self.shared_dimension]
        deviation = slopes - slopes.sum(axis=0) / self.clients
        return (deviation * deviation).sum() / self.clients

    def constants(self, start: Start) -> Constants:
        """All constants that exist; see `Problem.constants`."""
        check_start(self, start)
        shared, coupling, personal = self.blocks()
        norms = {
            Constant.SMOOTHNESS_U: spectral_norm(shared),
            Constant.SMOOTHNESS_V: spectral_norm(personal),
            Constant.SMOOTHNESS_UV: spectral_norm(coupling),
        }
        found: Constants = dict(norms)
        found[Constant.SMOOTHNESS] = max(norms.values(), key=lambda norm: norm.value)
        d_u, d_v = self.shared_dimension, self.personal_dimension
        found[Constant.VARIANCE_U] = ConstantValue(d_u * self.noise.scale_u**2)
        found[Constant.VARIANCE_V] = ConstantValue(d_v * self.noise.scale_v**2)
        each, mean = initial_gradients(self, start)
        found[Constant.INITIAL_GRADIENTS] = ConstantValue(each)
        found[Constant.INITIAL_GRADIENT] = ConstantValue(mean)
        if not is_exact(self.hessian):
            lowest = float(np.linalg.eigvalsh(self.hessian).min())
            found[Constant.STRONG_CONVEXITY] = ConstantValue(lowest)
        if self.dissimilarity is not None:
            found[Constant.DISSIMILARITY] = ConstantValue(self.dissimilarity)
        if self.minimiser is not None:
            found[Constant.INITIAL_GAP] = ConstantValue(self._gap(start))
        return found

    def _gap(self, start: Start) -> Any:
        """f(start) - inf f from the distance to the minimiser: no cancellation near it."""
        origin = self.split(self.minimiser)
        z = joint_rows(Start(start.u - origin.u, start.v - origin.v))
        return (z * self.curvature(z, everyone(self.clients, 1))).sum() / (2 * self.clients)

    def satisfies(self, assumption: str) -> Evidence:
        """Decided, never assumed; see the module's text for bounded dissimilarity."""
        if assumption == Fact.DISSIMILARITY and self.dissimilarity is None:
            shared, _, _ = self.blocks()
            block = "u" if not (shared == shared[:1]).all() else "v"
            return Evidence(
                False, f"the deviation of client gradients grows without bound in {block}"
            )
        if assumption == Fact.BOUNDED_BELOW and self.minimiser is None:
            return Evidence(False, "f is unbounded below")
        if assumption == Fact.BOUNDED_GRADIENTS:
            shared, coupling, _ = self.blocks()
            bounded = bool((shared == shared * 0).all() and (coupling == coupling * 0).all())
            return Evidence(bounded, "the shared gradient is affine: bounded only if constant")
        if assumption == Fact.STRONGLY_CONVEX:
            definite = all(is_positive_definite(own) for own in in_rationals(self.hessian))
            return Evidence(definite, "strongly convex if and only if every H_i is definite")
        if assumption == Fact.CONVEX:
            definite = all(is_positive_semidefinite(own) for own in in_rationals(self.hessian))
            return Evidence(definite, "convex if and only if every H_i is semidefinite")
        if assumption == Fact.PL:
            return Evidence(
                self.minimiser is not None, "on quadratics: if and only if bounded below"
            )
        if assumption == Fact.SHARED_MINIMISER:
            if not is_exact(self.hessian):
                return Evidence(None, "gradients at the minimiser are rounded")
            shared = self.satisfies(Fact.CONVEX).holds and self._shares_minimiser
            return Evidence(bool(shared), "semidefinite H_i, and no gradients at the minimiser")
        if assumption in (Fact.NOISY, Fact.NOISELESS):
            noisy = bool(self.noise.scale_u or self.noise.scale_v)
            return Evidence(noisy is (assumption == Fact.NOISY), "the noise's scale")
        if assumption in _BY_FORM:
            return Evidence(True, _BY_FORM[assumption])
        if assumption not in OF_BLOCKS:
            return not_known(assumption)
        return Evidence(True, "exact on quadratics")

    @property
    def _shares_minimiser(self) -> bool:
        """Whether no client has a gradient at a minimiser of f."""
        if self.minimiser is None:
            return False
        at = joint_rows(split(self, self.minimiser))
        return not self.gradient(at, everyone(self.clients, 1)).any()


def _check_entries(hessian: np.ndarray, linear: np.ndarray) -> None:
    if not is_exact(hessian):
        for name, array in (("Hessian", hessian), ("linear term", linear)):
            if not np.isfinite(array).all():
                client, *where = (int(x) for x in np.argwhere(~np.isfinite(array))[0])
                raise FedboundsError(
                    f"{name} of client {client}, entry {tuple(where)}, is "
                    f"{array[(client, *where)]}; expected a finite number"
                )
    asymmetry = hessian != hessian.transpose(0, 2, 1)
    if asymmetry.any():
        i, j, k = (int(x) for x in np.argwhere(asymmetry)[0])
        raise FedboundsError(
            f"Hessian of client {i} is not symmetric: entry ({j}, {k}) is {hessian[i, j, k]} "
            f"and entry ({k}, {j}) is {hessian[i, k, j]}"
        )
