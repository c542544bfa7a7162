"""Gram matrices of networks of two layers, at random models, at one and between two; their spectra.

Symbols and numbers are those of "On the Convergence of Federated Averaging under Partial
Participation for Over-parameterized Neural Networks" (Liu, Li, Zhan, Pan, Ma, Ding, Pan), Section
IV. Samples of all clients are in one row of N, client by client.

H^infinity is the Gram matrix of x 1{w'x >= 0} under w ~ N(0, I). It is singular if a sample is 0 or
a positive multiple of another one. It need not be if one is a negative multiple: of x and -x alone
it is diagonal.
"""

from math import pi
from typing import Any

import array_api_compat
import numpy as np
from flint import arb, fmpq

from fedbounds.errors import require

from .indicators import indicators
from .linear import is_exact, is_positive_definite
from .spectrum import (
    MOST,
    Bracket,
    in_arbs,
    in_rationals,
    largest_eigenvalue,
    smallest_eigenvalue,
    to_floats,
)

Array = Any
_WIDTH = 2.0**-46  # first relative distance of a bound from the float guess


# ---- matrices


def infinite_gram(features: Array) -> Array:
    """H^infinity_ij = E x_i'x_j 1{w'x_i >= 0, w'x_j >= 0} = x_i'x_j (pi - angle_ij) / (2 pi).

    The angle is arccos(x_i'x_j / (|x_i| |x_j|)); samples may have any length.

    Parameters
    ----------
    features : array, shape (N, d)
        In rationals, the entries found are balls (arb) at the current precision. In floats they
        are rounded, and wrong by up to about 1e-8 where two samples are nearly parallel.
    """
    if isinstance(features, np.ndarray) and is_exact(features):
        dots = in_rationals(features) @ in_rationals(features).T
        sizes = np.diagonal(dots)
        found: Array = np.frompyfunc(_expected, 2, 1)(dots, np.outer(sizes, sizes))
        return found
    xp = array_api_compat.array_namespace(features)
    dots = xp.matmul(features, xp.matrix_transpose(features))
    sizes = xp.linalg.diagonal(dots)
    apart = sizes[:, None] * sizes[None, :] - dots * dots
    angles = xp.atan2(xp.sqrt(xp.where(apart > 0, apart, apart * 0)), dots)
    return dots * (1 - angles / pi) / 2


def _expected(dot: fmpq, squares: fmpq) -> arb:
    """An entry, of x_i'x_j and |x_i|^2 |x_j|^2."""
    angle = arb.atan2(arb(squares - dot * dot).sqrt(), arb(dot))
    return dot * (1 - angle / arb.pi()) / 2


def gram(network: Any, z: Array) -> Array:
    """H(t)_ij = (1/m) x_i'x_j sum_r 1{w_r'x_i >= 0, w_r'x_j >= 0} at one model z, shape (D,).

    Shape (N, N); exact at rationals and balls, whatever m is.
    """
    samples = _samples(network)
    on = _on(network, z, samples)
    return _kernel(network, (samples, on), (samples, on))


def crossed_gram(network: Any, z: Array, other: Array, client: int) -> Array:
    """H(t, k, c)_ij = (1/m) x_i'x_j sum_r 1{w_r'x_i >= 0, w_{k,c,r}'x_j >= 0}, which is (28).

    Parameters
    ----------
    z, other : arrays, shape (D,)
        The global model, for the samples i of all clients, and the client's after k steps, for
        its own samples j.
    client : int
        c, counted from 0.

    Returns
    -------
    array, shape (N, n_c)
    """
    n = network.clients
    require(0 <= client < n, "client", client, f"0 to {n - 1}")
    samples, own = _samples(network), network.features[client, :, :]
    left = samples, _on(network, z, samples)
    return _kernel(network, left, (own, _on(network, other, own)))


def _samples(network: Any) -> Array:
    """Of all clients, shape (N, d_in)."""
    xp = array_api_compat.array_namespace(network.features)
    return xp.reshape(network.features, (network.clients * network.samples, network.inputs))


def _on(network: Any, z: Array, samples: Array) -> Array:
    """Indicators at one model, shape (samples, rows)."""
    xp = array_api_compat.array_namespace(z)
    expected, given = (network.shared_dimension,), tuple(z.shape)
    require(given == expected, "shape of the model", given, f"{expected}")
    neurons = xp.reshape(z, (network.rows, network.inputs))
    return indicators(xp.matmul(samples, xp.matrix_transpose(neurons)))


def _kernel(network: Any, left: tuple[Array, Array], right: tuple[Array, Array]) -> Array:
    """Of samples and their indicators, two of each."""
    xp = array_api_compat.array_namespace(left[0])
    dots, shared = (xp.matmul(a, xp.matrix_transpose(b)) for a, b in zip(left, right, strict=True))
    return dots * shared / network.rows


# ---- spectra


def extremes(matrix: Array) -> tuple[arb, arb]:
    """The smallest and the largest eigenvalue of a symmetric matrix, as balls that contain them.

    Parameters
    ----------
    matrix : array, shape (N, N)
        Of rationals, of floats, which are read as the rationals that they are, or of balls (arb):
        then the ends are true of every symmetric matrix with entries in these balls.

    Raises
    ------
    FedboundsError
        If the matrix is not square, not symmetric, or not finite.
    """
    shape = tuple(matrix.shape)
    require(len(shape) == 2 and shape[0] == shape[1] >= 1, "shape of the matrix", shape, "(N, N)")
    if any(isinstance(x, arb) for x in matrix.reshape(-1)):
        balls = in_arbs(matrix)
        finite = all(x.is_finite() for x in balls.reshape(-1))
        twins = zip(balls.reshape(-1), balls.T.reshape(-1), strict=True)
        symmetric = all(x.overlaps(y) for x, y in twins)
    else:
        finite = is_exact(matrix) or bool(np.isfinite(matrix).all())
        symmetric = bool((matrix == matrix.T).all())
        balls = None
    require(finite, "matrix", "not finite", "a finite one")
    require(symmetric, "matrix", "not symmetric", "a symmetric one")
    if balls is None:
        exact = in_rationals(matrix)
        if len(exact) <= MOST:
            return _ball(smallest_eigenvalue(exact)), _ball(largest_eigenvalue(exact))
        return _in_balls(exact)
    middles = np.frompyfunc(lambda x: x.mid().fmpq(), 1, 1)(balls)
    exact = (middles + middles.T) / 2
    # Weyl: eigenvalues move by the norm of a change at most, and that by its largest row sum
    away = abs(balls - exact).sum(axis=1)
    most = max((x.upper() for x in away), key=lambda x: x.fmpq())
    around = arb.union(-most, most)
    least, largest = _in_balls(exact)
    return least + around, largest + around


def _in_balls(exact: Array) -> tuple[arb, arb]:
    """Of rationals, by elimination in balls."""
    balls = in_arbs(exact)
    return _smallest(balls), -_smallest(-balls)


def positive_extremes(features: Array) -> tuple[arb, arb]:
    """lambda, the smallest eigenvalue of H^infinity, and the largest one; both are positive.

    Parameters
    ----------
    features : array, shape (N, d)
        Floats are read as the rationals that they are.

    Raises
    ------
    FedboundsError
        If a sample is 0 or a positive multiple of another one: then lambda is 0. If balls at the
        current precision do not show that lambda is positive.
    """
    exact = in_rationals(features)
    nothing, twins = _alike(exact)
    require(nothing.size == 0, "number of a sample that is 0", nothing[:1], "none, as lambda is 0")
    require(twins.size == 0, "pair of samples that are parallel", twins[:1].tolist(),
            "none, as lambda is 0")  # fmt: skip
    least, most = extremes(infinite_gram(exact))
    require(bool(least > 0), "smallest eigenvalue of H^infinity", least, "a ball above 0")
    return least, most


def of_samples(features: Array) -> dict[str, fmpq]:
    """tr H^infinity, the extreme |x_i|^2, and the largest squared cosine of two samples, if any.

    A sample that is 0 has no angle.

    Parameters
    ----------
    features : array, shape (N, d)
        Exact.
    """
    dots = in_rationals(features) @ in_rationals(features).T
    sizes = np.diagonal(dots)
    pairs = zip(*np.triu_indices(len(sizes), 1), strict=True)
    cosines = [dots[i, j] ** 2 / (sizes[i] * sizes[j]) for i, j in pairs if sizes[i] * sizes[j]]
    return {
        "H_trace": sum(sizes, fmpq(0)) / 2,
        "x_min2": min(sizes),
        "x_max2": max(sizes),
        "cos_max2": max(cosines, default=fmpq(0)),
    }


def expected_extremes(features: Array) -> tuple[Any, Any]:
    """The same; where samples are such that lambda is 0, that is 0 exactly, and no error.

    Exact too where all are at right angles, or opposite: then H^infinity is diagonal.
    """
    exact = in_rationals(features)
    if any(found.size for found in _alike(exact)):
        return fmpq(0), extremes(infinite_gram(exact))[1]
    dots = exact @ exact.T
    sizes = np.diagonal(dots)
    opposite = (dots < 0) & (dots * dots == np.outer(sizes, sizes))
    if (np.triu(dots != 0, 1) & ~opposite).any():
        return positive_extremes(exact)
    return min(sizes) / 2, max(sizes) / 2


def least_eigenvalue(matrix: Array) -> Bracket | arb:
    """Of a symmetric matrix of rationals; exact where it is a simple rational."""
    return smallest_eigenvalue(matrix) if len(matrix) <= MOST else extremes(matrix)[0]


def _alike(exact: Array) -> tuple[Array, Array]:
    """Numbers of samples that are 0, and pairs of which one is a positive multiple of the other."""
    dots = exact @ exact.T
    sizes = np.diagonal(dots)
    alike = (dots > 0) & (dots * dots == np.outer(sizes, sizes))
    return np.flatnonzero(sizes == 0), np.argwhere(np.triu(alike, 1))


def _smallest(balls: Array) -> arb:
    """Between a bound that elimination in balls confirms, and a quotient of Rayleigh."""
    values, vectors = np.linalg.eigh(_middles(balls))
    vector, identity = in_arbs(vectors[:, 0]), in_arbs(np.eye(len(balls)))
    upper = (vector @ (balls @ vector)) / (vector @ vector)
    width = _WIDTH * (float(np.abs(values).max()) or 1.0)
    lower = arb(float(values[0])) - width
    while not is_positive_definite(balls - identity * lower):
        width = 2 * width
        lower = arb(float(values[0])) - width
    return arb.union(lower, upper)


def _middles(balls: Array) -> Array:
    return to_floats(np.frompyfunc(lambda x: x.mid().fmpq(), 1, 1)(balls))


def _ball(bracket: Bracket) -> arb:
    return arb.union(arb(bracket.lower), arb(bracket.upper))
