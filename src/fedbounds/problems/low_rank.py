"""f_k(w) = 1/2 ||A_k'w - b_k||^2 with A_k of few columns: least squares of low rank, never squared.

Work grows with d r, not with d^2. With one column a of all A_k these are ridge quadratics: a mask
keeps the same share of every gradient.
"""

from dataclasses import dataclass
from typing import Any

import array_api_compat
import numpy as np

from fedbounds.errors import require

from .cohort import Cohort, affine
from .linear import is_exact
from .noise import SILENT
from .quadratic import FederatedQuadratic
from .shown import Shown

Array = Any


@dataclass(frozen=True, eq=False, repr=False)
class LowRank(Shown):
    """Objectives of n clients on d shared coordinates.

    Attributes
    ----------
    factors : array, shape (n, d, r)
        A_k.
    targets : array, shape (n, r)
        b_k.

    Raises
    ------
    FedboundsError
        If the shapes do not fit together.
    """

    factors: Array
    targets: Array

    noise = SILENT

    def __post_init__(self) -> None:
        shape, given = tuple(self.factors.shape), tuple(self.targets.shape)
        require(len(shape) == 3 and shape[0] >= 1, "shape of the factors", shape, "(n, d, r)")
        require(given == (shape[0], shape[2]), "shape of the targets", given,
                f"{(shape[0], shape[2])}")  # fmt: skip

    @property
    def exact(self) -> bool:
        """Whether the data are rationals."""
        return isinstance(self.factors, np.ndarray) and is_exact(self.factors)

    @property
    def clients(self) -> int:
        """n."""
        return int(self.factors.shape[0])

    @property
    def shared_dimension(self) -> int:
        """d."""
        return int(self.factors.shape[1])

    @property
    def personal_dimension(self) -> int:
        """0."""
        return 0

    def residual(self, z: Array, cohort: Cohort) -> Array:
        """A_k'z - b_k of every row."""
        return affine(z, cohort, self.factors, -self.targets)

    def value(self, z: Array, cohort: Cohort) -> Array:
        """Rows 1/2 ||A_k'z - b_k||^2."""
        xp = array_api_compat.array_namespace(z)
        residual = self.residual(z, cohort)
        return xp.sum(residual * residual, axis=1) / 2

    def gradient(self, z: Array, cohort: Cohort) -> Array:
        """Rows A_k (A_k'z - b_k)."""
        xp = array_api_compat.array_namespace(z)
        turned = xp.permute_dims(self.factors, (0, 2, 1))
        return affine(self.residual(z, cohort), cohort, turned, self.factors[:, :, 0] * 0)

    def restrict(self, mask: Array, start: Array) -> "LowRank":
        """The same where a mask keeps coordinates: the others stay as in ``start``, shape (d,).

        Its arrays have the kept coordinates alone.
        """
        xp = array_api_compat.array_namespace(self.factors)
        kept, off = (np.flatnonzero(np.asarray(own)) for own in (mask, np.asarray(mask) == 0))
        fixed = xp.sum(xp.take(self.factors, xp.asarray(off), axis=1)
                       * xp.take(start, xp.asarray(off))[None, :, None], axis=1)  # fmt: skip
        factors = xp.take(self.factors, xp.asarray(kept), axis=1)
        return LowRank(factors, self.targets - fixed)

    def quadratic(self) -> FederatedQuadratic:
        """Up to a constant of every client."""
        xp = array_api_compat.array_namespace(self.factors)
        turned = xp.permute_dims(self.factors, (0, 2, 1))
        linear = -xp.sum(self.factors * self.targets[:, None, :], axis=2)
        return FederatedQuadratic(xp.matmul(self.factors, turned), linear, self.shared_dimension)
