"""f_k(W_0 + (alpha/rho) B A): objectives of a matrix, moved by a product of two thin factors alone.

What is trained is the pair (B, A), flat: C rho entries of B, then rho p entries of A, both row by
row. This is the adapter of LoRA (Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models",
Section 4.1), and zeroth-order rounds on it are LoRA-FedZO, a baseline of "Mitigating Non-IID Drift
in Zeroth-Order Federated LLM Fine-Tuning with Transferable Sparsity" (rho and alpha are 16 there).
"""

from dataclasses import dataclass
from typing import Any

import array_api_compat
import numpy as np
from flint import fmpq, fmpq_mat

from fedbounds.errors import FedboundsError, require, require_finite

from .cohort import Cohort
from .constants import Constants, Evidence, not_known
from .linear import is_exact, numbers_like, rational
from .noise import SILENT
from .problem import Start
from .shown import Shown

Array = Any


@dataclass(frozen=True, eq=False, repr=False)
class FactorPairs(Shown):
    """Objectives of n clients in a factor pair.

    Attributes
    ----------
    objective : problem of `fedbounds.problems`
        f_k, in the C p entries of a matrix, row by row; without noise, since the noise of its
        gradients is none of the pair's.
    fixed : array, shape (C p,)
        W_0.
    rows : int
        C.
    rank : int
        rho.
    alpha : number

    Raises
    ------
    FedboundsError
        If the shapes do not fit together, the rank is 0 or above min(C, p), or there is noise.
    """

    objective: Any
    fixed: Array
    rows: int
    rank: int
    alpha: Any

    personal_dimension = 0
    noise = SILENT

    def __post_init__(self) -> None:
        d, given = self.objective.shared_dimension, tuple(self.fixed.shape)
        require(given == (d,), "shape of the fixed matrix, flat", given, f"{(d,)}")
        require(self.objective.personal_dimension == 0, "personal dimension of the objective",
                self.objective.personal_dimension, "0")  # fmt: skip
        require(self.rows >= 1 and d % self.rows == 0, "rows C", self.rows, f"a divisor of d = {d}")
        most = min(self.rows, self.columns)
        require(1 <= self.rank <= most, "rank rho", self.rank, f"1 to min(C, p) = {most}")
        require_finite("alpha", self.alpha, positive=True)
        require(not self.objective.noise.scale_u, "noise of the objective",
                self.objective.noise.scale_u, "0: it is not additive in a factor pair")  # fmt: skip

    @property
    def clients(self) -> int:
        """n."""
        return int(self.objective.clients)

    @property
    def columns(self) -> int:
        """p."""
        return int(self.objective.shared_dimension) // self.rows

    @property
    def shared_dimension(self) -> int:
        """Entries of a pair, rho (C + p)."""
        return self.rank * (self.rows + self.columns)

    @property
    def exact(self) -> bool:
        """Whether the data are rationals."""
        return isinstance(self.fixed, np.ndarray) and is_exact(self.fixed)

    @property
    def irrational(self) -> bool:
        """Whether gradients at rational points are no rationals."""
        return bool(getattr(self.objective, "irrational", False))

    @property
    def scale(self) -> Any:
        """alpha/rho."""
        return (rational if self.exact else float)(self.alpha) / self.rank

    # ---- pairs

    def start(self, second: Array) -> Array:
        """The pair (0, A), of A with shape (rho, p): W is W_0.

        Raises
        ------
        FedboundsError
            If A has another shape.
        """
        expected, given = (self.rank, self.columns), tuple(np.shape(second))
        require(given == expected, "shape of A", given, f"{expected}")
        flat = [rational(x) for x in np.asarray(second).reshape(-1).tolist()]
        nothing = [fmpq(0)] * (self.rows * self.rank)
        xp = array_api_compat.array_namespace(self.fixed)
        return numbers_like((*nothing, *flat), self.fixed, xp)

    def gaussian_start(self, seed: int) -> Array:
        """The same of an A whose entries are Gaussian with standard deviation 1/rho."""
        drawn = np.random.default_rng(seed).standard_normal((self.rank, self.columns))
        return self.start(drawn / self.rank)

    def factors(self, z: Array) -> tuple[Array, Array]:
        """B and A of every row, shapes (rows, C, rho) and (rows, rho, p)."""
        xp, at = array_api_compat.array_namespace(z), self.rows * self.rank
        first = xp.reshape(z[:, :at], (z.shape[0], self.rows, self.rank))
        return first, xp.reshape(z[:, at:], (z.shape[0], self.rank, self.columns))

    def weights(self, z: Array) -> Array:
        """W of every row, flat, shape (rows, C p)."""
        xp = array_api_compat.array_namespace(z)
        product = xp.reshape(xp.matmul(*self.factors(z)), (z.shape[0], -1))
        return product * self.scale + self.fixed

    # ---- values and gradients

    def value(self, z: Array, cohort: Cohort) -> Array:
        """Rows of f_k at W."""
        return self.objective.value(self.weights(z), cohort)

    def gradient(self, z: Array, cohort: Cohort) -> Array:
        """Rows of (alpha/rho) (G A', B' G), with G the gradient of f_k at W."""
        xp, count = array_api_compat.array_namespace(z), z.shape[0]
        first, second = self.factors(z)
        slope = self.objective.gradient(self.weights(z), cohort)
        slope = xp.reshape(slope, (count, self.rows, self.columns))
        by_first = xp.matmul(slope, xp.matrix_transpose(second))
        by_second = xp.matmul(xp.matrix_transpose(first), slope)
        both = [xp.reshape(x, (count, -1)) for x in (by_first, by_second)]
        return xp.concat(both, axis=1) * self.scale

    @property
    def minimisers(self) -> Array:
        """A pair that is a minimiser of every client and of f, shape (n, rho (C + p)).

        Raises
        ------
        FedboundsError
            If the objective tells no matrix that is one, or the rank does not reach it.
        """
        kind = type(self.objective).__name__
        if not hasattr(self.objective, "minimisers"):
            raise FedboundsError(f"minimisers of factor pairs of {kind} are not known")
        away = np.asarray(self.objective.minimisers[0]) - np.asarray(self.fixed)
        entries = [rational(x) / rational(self.scale) for x in away.tolist()]
        reduced, rank = fmpq_mat(self.rows, self.columns, entries).rref()
        require(rank <= self.rank, f"rank from W_0 to the minimiser of {kind}", rank,
                f"at most rho = {self.rank}")  # fmt: skip
        # the columns at pivots, times what reduces the matrix to rows that begin with them
        second = [[reduced[i, j] for j in range(self.columns)] for i in range(self.rank)]
        pivots = [next(j for j, x in enumerate(row) if x != 0) for row in second[:rank]]
        first = [
            entries[i * self.columns + pivots[r]] if r < rank else fmpq(0)
            for i in range(self.rows)
            for r in range(self.rank)
        ]
        xp = array_api_compat.array_namespace(self.fixed)
        flat = numbers_like((*first, *(x for row in second for x in row)), self.fixed, xp)
        return xp.stack([flat] * self.clients, axis=0)

    def constants(self, start: Start) -> Constants:
        """None is known."""
        return {}

    def satisfies(self, assumption: str) -> Evidence:
        """Nothing is known: a pair is convex in either factor, and not in both."""
        return not_known(assumption)
