"""Second moments that a round leaves as they are, and how fast others approach them.

On mean and second moments a round is linear, and on second moments about a fixed mean it maps
positive semidefinite matrices to such. Hence a spectral radius below rho is decided without
eigenvalues: rho Z - L(Z) = I has a positive definite solution if and only if L's is below rho.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb, fmpq, fmpq_mat
from scipy.sparse.linalg import LinearOperator, eigs, gmres

from fedbounds.errors import FedboundsError
from fedbounds.problems.linear import is_exact, is_positive_definite, rational

from .affine import Block

Array = Any
_MOST_DENSE = 1000  # symmetric entries; beyond it, only products with the map are formed
_FINEST = 2.0**-30  # relative width of an exact rate's enclosure
_ERROR = 1e-10


class NoPlateauError(FedboundsError):
    """The second moments of a run do not converge."""


@dataclass(frozen=True, eq=False)
class Recursion:
    """M+ = A M A' + between T M T' + within sum_i C_i M C_i' + noise, constant coordinate last.

    Attributes
    ----------
    mean, total : arrays, shape (r, r)
        A = E of the round's matrix, and T = sum_i C_i.
    blocks : tuple of Block
    noise : array, shape (r, r)
    between, within : number
        P(i, j in S) - P(i in S)^2 and P(i in S) - P(i, j in S).
    """

    mean: Array
    total: Array
    blocks: tuple[Block, ...]
    noise: Array
    between: Any
    within: Any

    def image(self, moments: Array) -> Array:
        """The linear part of the map, on matrices of shape (..., r, r)."""
        after = self.mean @ moments @ self.mean.T
        if self.within != 0:
            after = after + (self.total @ moments @ self.total.T) * self.between
            for block in self.blocks:
                inner = moments[(..., *np.ix_(block.columns, block.columns))]
                spread = block.values @ inner @ block.values.T
                after[(..., *np.ix_(block.rows, block.rows))] += spread * self.within
        return after

    def transient(self) -> "Recursion":
        """The same map on matrices whose row and column of the constant vanish."""
        last = len(self.mean) - 1
        blocks = []
        for block in self.blocks:
            kept = block.columns < last
            blocks.append(Block(block.rows, block.columns[kept], block.values[:, kept]))
        return Recursion(
            self.mean[:-1, :-1],
            self.total[:-1, :-1],
            tuple(blocks),
            self.noise[:-1, :-1],
            self.between,
            self.within,
        )


@dataclass(frozen=True, eq=False)
class Stationary:
    """A moment that a round leaves as it is.

    Attributes
    ----------
    moment : array, shape (r, r)
    rate : float or ball
        Spectral radius of the map on first and second moments; an enclosure for rationals.
    error : float
        Relative error that the solution's residual allows; 0 for rationals.
    """

    moment: Array
    rate: Any
    error: float


def stationary(recursion: Recursion) -> Stationary:
    """Solve for the fixed moment.

    Raises
    ------
    NoPlateauError
        If the spectral radius is not below one.
    FedboundsError
        If float64 does not resolve the solution.
    """
    if len(recursion.mean) == 1:  # nothing moves
        zero = recursion.noise.sum()
        return Stationary(recursion.mean, zero, 0.0)
    exact = is_exact(recursion.mean)
    transient = recursion.transient()
    space = _Exact(transient) if exact else _Floats(transient)
    rate = space.rate()
    a = transient.mean
    identity = np.eye(len(a), dtype=int) + a * 0
    certificate = space.solve(identity) if rate < 1 else None
    if certificate is None or not is_positive_definite(certificate):
        raise NoPlateauError(
            f"no plateau: second moments change by the factor {float(rate):.6g} per round, "
            "which is not below one"
        )
    mean = _solve(identity - a, recursion.mean[:-1, -1:])
    moment = np.block([[a * 0, mean], [mean.T, np.ones((1, 1), dtype=a.dtype)]])
    source = (recursion.image(moment) + recursion.noise)[:-1, :-1]
    moment[:-1, :-1] = space.solve(source)
    return Stationary(moment, rate, 0.0 if exact else _error(recursion, moment, certificate))


def _error(recursion: Recursion, moment: Array, certificate: Array) -> float:
    """|second-moment error| <= |residual| Z in the order of symmetric matrices, for a known mean.

    The error of the mean is estimated by solving for it once more.
    """
    left = recursion.image(moment) + recursion.noise - moment
    size = np.abs(moment[:-1, :-1]).max()
    if size == 0:
        return 0.0
    second = np.linalg.norm(left[:-1, :-1], 2) * np.abs(certificate).max() / size
    matrix = np.eye(len(certificate)) - recursion.mean[:-1, :-1]
    first = np.abs(np.linalg.solve(matrix, left[:-1, -1])).max() / np.sqrt(size)
    error = float(max(first, second))
    if not error <= _ERROR:
        raise FedboundsError(
            f"float64 resolves this plateau only to a relative error of {error:.3g}, "
            f"and {_ERROR:g} is needed: take larger steps or exact rationals"
        )
    return error


def _solve(matrix: Array, right: Array) -> Array:
    if not is_exact(matrix):
        return np.linalg.solve(matrix, right)
    rows, columns = right.shape
    exact = [[rational(x) for x in row] for row in matrix]
    known = [[rational(x) for x in row] for row in right]
    found = fmpq_mat(exact).solve(fmpq_mat(known))
    out = np.empty((rows, columns), dtype=object)
    for i in range(rows):
        out[i] = [found[i, j] for j in range(columns)]
    return out


class _Symmetric:
    """Symmetric matrices of one size as vectors of their upper triangles."""

    def __init__(self, size: int) -> None:
        self.shape = (size, size)
        self.upper = np.triu_indices(size)
        self.dimension = len(self.upper[0])

    def pack(self, matrices: Array) -> Array:
        return matrices[(..., *self.upper)]

    def unpack(self, vectors: Array) -> Array:
        out = np.zeros((*vectors.shape[:-1], *self.shape), dtype=vectors.dtype)
        out[(..., *self.upper)] = vectors
        out[(..., *self.upper[::-1])] = vectors
        return out

    def matrix(self, image: Callable[[Array], Array], like: Array) -> Array:
        """The matrix of a linear map, in the number type of ``like``."""
        identity = np.eye(self.dimension, dtype=int) + like.reshape(-1)[0] * 0
        return self.pack(image(self.unpack(identity))).T


class _Exact:
    """I - L in rationals."""

    def __init__(self, transient: Recursion) -> None:
        a = self._a = transient.mean
        self._space = _Symmetric(len(a))
        self._map = self._space.matrix(transient.image, a)
        self._one = np.eye(self._space.dimension, dtype=int) + a[0, 0] * 0

    def solve(self, right: Array) -> Array:
        """S with S - L(S) = right."""
        return self._resolve(self._map, fmpq(1), right)

    def _resolve(self, matrix: Array, factor: fmpq, right: Array) -> Array:
        packed = self._space.pack(right)[:, None]
        return self._space.unpack(_solve(self._one * factor - matrix, packed)[:, 0])

    def rate(self) -> arb:
        """An enclosure of the larger spectral radius of L and of the mean's map."""
        means = self._space.matrix(lambda x: self._a @ x @ self._a.T, self._a)
        second, (low, high) = self._enclose(self._map), self._enclose(means)
        # of X -> A X A' the spectral radius is the square of A's
        return second[0].union(second[1]).max(low.sqrt().union(high.sqrt()))

    def _enclose(self, matrix: Array) -> tuple[arb, arb]:
        """Bounds on the spectral radius of a positive map."""
        guess = float(np.abs(np.linalg.eigvals(matrix.astype(np.float64))).max())
        width = _FINEST
        while width < 0.5:
            low, high = rational(guess * (1 - width)), rational(guess * (1 + width) + 2.0**-60)
            if self._below(matrix, high) and (low <= 0 or not self._below(matrix, low)):
                return arb(max(low, fmpq(0))), arb(high)
            width *= 64  # a multiple eigenvalue makes a coarse guess
        raise FedboundsError("the rate could not be enclosed")

    def _below(self, matrix: Array, bound: fmpq) -> bool:
        """Whether a positive map's spectral radius is below ``bound``."""
        identity = np.eye(*self._space.shape, dtype=int) + self._a * 0
        try:
            found = self._resolve(matrix, bound, identity)
        except ZeroDivisionError:  # the bound is an eigenvalue
            return False
        return is_positive_definite(found)


class _Floats:
    """I - L in float64: as a matrix, or by Krylov methods where that would be too large."""

    def __init__(self, transient: Recursion) -> None:
        self._a = transient.mean
        self._space = space = _Symmetric(len(self._a))
        size = space.dimension
        self._map: Array = None
        if size <= _MOST_DENSE:
            self._map = space.matrix(transient.image, self._a)

        def apply(vector: Array) -> Array:
            return space.pack(transient.image(space.unpack(vector.reshape(-1))))

        self._product = LinearOperator((size, size), matvec=apply, dtype=np.float64)
        self._difference = LinearOperator(
            (size, size), matvec=lambda x: x.reshape(-1) - apply(x), dtype=np.float64
        )

    def solve(self, right: Array) -> Array:
        """S with S - L(S) = right."""
        packed = self._space.pack(right)
        if self._map is not None:
            return self._space.unpack(np.linalg.solve(np.eye(len(packed)) - self._map, packed))
        found, left = packed * 0, packed
        for _ in range(4):  # the residual of a first solution is solved for again
            found = found + gmres(self._difference, left, rtol=1e-9, restart=100, maxiter=50)[0]
            left = packed - self._difference @ found
        return self._space.unpack(found)

    def rate(self) -> float:
        """The larger spectral radius of L and of the mean's map."""
        first = np.abs(np.linalg.eigvals(self._a)).max()
        if self._map is not None:
            return float(max(first, np.abs(np.linalg.eigvals(self._map)).max()))
        # the first vector is fixed, so that the same instance gives the same digits
        begin = self._space.pack(np.eye(*self._space.shape))
        second = eigs(self._product, k=1, which="LM", v0=begin, return_eigenvectors=False)
        return float(max(first, np.abs(second).max()))
