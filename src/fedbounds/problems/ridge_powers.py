"""f_k(w) = h_k s^2/2 + q_k s^4/4 with s = a'w, in rationals: no quadratic; a mask keeps one share.

Every gradient is a multiple of a, so that a mask keeps of each the share that it keeps of a. Two
values at a distance miss the slope by q_k s times a cube. Where a q_k is not 0, gradients are not
Lipschitz on R^d. With h, q the means, ||grad f||^2 = ||a||^2 (h s + q s^3)^2 >= 2 h ||a||^2 f: f is
PL. Gradients of samples may have noise +-x a, of which a mask keeps the same share.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fedbounds.errors import require
from fedbounds.facts import Constant, Fact

from .cohort import Cohort
from .constants import Constants, ConstantValue, Evidence, not_known
from .noise import SILENT, Noise
from .problem import Start
from .shown import Shown

Array = Any
_NOISY = (Fact.NOISE, Fact.UNBIASED, Fact.BOUNDED_VARIANCE, Fact.INDEPENDENT)


@dataclass(frozen=True, eq=False, repr=False)
class RidgePowers(Shown):
    """One direction, and two coefficients of each client.

    Attributes
    ----------
    along : array of rationals, shape (d,)
        a.
    curvatures, quartics : arrays of rationals, shape (n,)
        h_k, positive, and q_k, not negative.
    noise : Noise
        Of the factor of a.
    """

    along: Array
    curvatures: Array
    quartics: Array
    noise: Noise = SILENT

    personal_dimension = 0
    exact = True

    def __post_init__(self) -> None:
        sizes = len(self.curvatures), len(self.quartics)
        require(sizes[0] == sizes[1] >= 1, "numbers of h_k and q_k", sizes, "as many, at least one")
        low = min(self.curvatures)
        require(low > 0, "least h_k", low, "positive")
        require(min(self.quartics) >= 0, "least q_k", min(self.quartics), "not negative")
        require(not self.noise.scale_v, "personal noise", self.noise.scale_v, "0")

    @property
    def noise_along(self) -> Array:
        """a."""
        return self.along

    @property
    def variance(self) -> Any:
        """Of the gradient of a sample."""
        return self.noise.scale_u * self.noise.scale_u * (self.along * self.along).sum()

    def numbers(self, start: Array) -> dict[str, Any]:
        """The variance of a gradient by its name."""
        return {"sigma^2": self.variance}

    @property
    def clients(self) -> int:
        """n."""
        return len(self.curvatures)

    @property
    def shared_dimension(self) -> int:
        """d."""
        return len(self.along)

    @property
    def minimisers(self) -> Array:
        """0, which is a minimiser of every client and of f, shape (n, d)."""
        return np.array([self.along * 0] * self.clients)

    def _along(self, z: Array, cohort: Cohort) -> tuple[Array, Array, Array]:
        """s of every row, and its client's coefficients."""
        client = np.repeat(np.arange(self.clients), np.diff(cohort.bounds))
        return (z * self.along).sum(axis=1), self.curvatures[client], self.quartics[client]

    def gradient(self, z: Array, cohort: Cohort) -> Array:
        """Rows (h s + q s^3) a."""
        s, h, q = self._along(z, cohort)
        return (s * h + s * s * s * q)[:, None] * self.along

    def value(self, z: Array, cohort: Cohort) -> Array:
        """Rows of f_k."""
        s, h, q = self._along(z, cohort)
        return s * s * h / 2 + s * s * s * s * q / 4

    def constants(self, start: Start) -> Constants:
        """That of Polyak-Lojasiewicz, from below; L of quadratics."""
        size, mean = (self.along * self.along).sum(), self.curvatures.sum() / self.clients
        found: Constants = {Constant.PL: ConstantValue(mean * size)}
        if not self.quartics.any():
            found[Constant.SMOOTHNESS] = ConstantValue(max(self.curvatures) * size)
        return found

    def satisfies(self, assumption: str) -> Evidence:
        """By the formula."""
        if assumption == Fact.PL:
            return Evidence(True, "(h s + q s^3)^2 is at least 2 h (h s^2/2 + q s^4/4)")
        if assumption == Fact.SMOOTH:
            told = "gradients are not Lipschitz on R^d where there is a fourth power"
            return Evidence(not self.quartics.any(), told)
        if assumption == Fact.QUADRATIC:
            return Evidence(not self.quartics.any(), "it has a fourth power, or none")
        if assumption == Fact.CONVEX:
            return Evidence(True, "h_k and q_k are not negative")
        if assumption in _NOISY:
            return Evidence(True, "no noise, or +-x a: unbiased, of variance x^2 ||a||^2")
        if assumption == Fact.NOISELESS:
            return Evidence(not self.noise.scale_u, f"x is {self.noise.scale_u}")
        return not_known(assumption)
