"""Bounds behind the constants of logistic losses, valid at all points; arrays on the host.

Of rationals, roots and norms of matrices are rounded up, and every bound grows with them.

Client i holds N samples x_l = c_l (a_l, b_l). Below y_l is the shared or the personal part of x_l,
ym_i the mean of y_l over the client's samples and w_l = 1 / (1 + exp(x_l' z)) in (0, 1), so that
the gradient of the loss is -(1/N) sum_l w_l y_l. Bounds hold for all weights in [0, 1]^N.

Smoothness. The Hessian of the loss is (1/N) sum_l w_l (1 - w_l) x_l x_l', between 0 and X'X / (4N);
that of s / (1 + s), s = ||u||^2, has eigenvalues 2 / (1 + s)^2 and (2 - 6s) / (1 + s)^3, between
-1/2 and 2. All upper ends are met at the origin: L_u = max_i ||A_i'A_i|| / (4N) + 2 rho, exactly.
The coupling (1/N) sum_l w_l (1 - w_l) a_l b_l' may be larger elsewhere than at the origin, where
terms can cancel; but the off-diagonal block of a positive semidefinite matrix is at most half its
norm, so L_uv <= max_i ||[s A_i, B_i / s]||^2 / (8N) for every s > 0; s balances the two blocks.
It is at most ||A_i|| ||B_i|| / (4N), hence at most max(L_u, L_v).

Variance. A minibatch draws indices uniformly with replacement: the variance is that of one sample
divided by the batch. The latter is at most (1/N) sum_l ||w_l y_l - c||^2 for any c, and each
term is convex in w_l: at most max(||c||^2, ||y_l - c||^2). We take the best of some c = s ym_i.

Support. ||w_l y_l - (1/N) sum_j w_j y_j|| is at most half of ||y_l - ym_i|| (all weights 1/2) plus
half of (1 - 2/N) ||y_l|| + (1/N) sum_j ||y_j|| (their deviation from 1/2).

Dissimilarity. The regulariser's slope in u is common to all clients and cancels. The loss's is
-(ym_i + e_i) / 2 with ||e_i|| <= R_i = min((1/N) sum_l ||y_l||, ||Y_i|| / sqrt(N)), so that
b <= (1/2) rms_i ||ym_i - mean|| + (1/2) rms_i R_i. A sample without personal features which every
client holds at the same index cancels too and is left out.
"""

from typing import Any

import numpy as np
from flint import fmpq

from .linear import is_exact
from .spectrum import largest_eigenvalue, square_root

Array = Any

_STEEPEST = 3.0 * 3.0**0.5 / 8.0  # largest slope of s^2 / (1 + s^2), at s^2 = 1/3
_SHARES = 10  # of c = s ym_i that are tried


def roots(numbers: Array) -> Array:
    """Square roots; of rationals those that are none are rounded up."""
    array = np.asarray(numbers)
    if not is_exact(array):
        return np.sqrt(array)
    return np.frompyfunc(lambda x: square_root(x).upper, 1, 1)(array)


def squares(vectors: Array) -> Array:
    """Squared Euclidean norms along the last axis."""
    nothing = fmpq(0) if is_exact(vectors) else 0.0  # of an absent block
    return (vectors * vectors).sum(axis=-1, initial=nothing)


def norms(vectors: Array) -> Array:
    """Euclidean norms along the last axis."""
    return roots(squares(vectors))


def spectral_squares(features: Array) -> Array:
    """Squared spectral norm of every client's (N, d) matrix."""
    if features.shape[2] == 0:
        return squares(features).sum(axis=1)
    if not is_exact(features):
        return np.linalg.norm(features, 2, axis=(1, 2)) ** 2
    found = np.empty(len(features), dtype=object)
    found[:] = [largest_eigenvalue(y.T @ y).upper for y in features]
    return found


def square_radii(features: Array) -> Array:
    """R_i^2; R_i bounds ||(1/N) sum_l e_l y_l|| over all e in [-1, 1]^N."""
    samples = features.shape[1]
    return np.minimum(_mean(norms(features)) ** 2, spectral_squares(features) / samples)


def smoothness(features: Array, regularisation: Any) -> Any:
    """L_u or L_v; 0 when the block is absent."""
    if features.shape[2] == 0:
        return regularisation * 0
    return spectral_squares(features).max() / (4 * features.shape[1]) + 2 * regularisation


def coupling(shared: Array, personal: Array) -> Any:
    """The bound of L_uv."""
    top_u, top_v = spectral_squares(shared), spectral_squares(personal)
    met = (top_u > 0) & (top_v > 0)
    if not met.any():
        return top_u.max() * 0
    balance = roots(roots(top_v[met] / top_u[met]))[:, None, None]
    scaled = np.concatenate([shared[met] * balance, personal[met] / balance], axis=2)
    return spectral_squares(scaled).max() / (8 * shared.shape[1])


def support(features: Array) -> Array:
    """Bounds on the deviation of one sample's gradient from its client's mean; shape (n, N)."""
    samples, sizes = features.shape[1], norms(features)
    moved = sizes * (samples - 2) / samples + _mean(sizes)[:, None]
    return (norms(features - _mean(features)[:, None]) + moved) / 2


def variance(features: Array) -> Array:
    """Bounds on the variance of one sample's gradient, per client."""
    means, best = _mean(features)[:, None], support(features).max(axis=1) ** 2
    for share in range(_SHARES + 1):
        centre = means * share / (2 * _SHARES)
        spread = np.maximum(squares(centre), squares(features - centre))
        best = np.minimum(best, _mean(spread))
    return best


def dissimilarity(shared: Array, personal: Array) -> Any:
    """The bound of b^2."""
    if len(shared) == 1:
        return (shared * 0).sum()
    common = (shared == shared[:1]).all(axis=(0, 2)) & (personal == 0).all(axis=(0, 2))
    own = np.where(common[:, None], shared * 0, shared)
    means = _mean(own)
    apart = squares(means - means.sum(axis=0) / len(means)).sum() / len(means)
    turned = square_radii(own).sum() / len(means)
    return (apart + turned + 2 * np.asarray(roots(apart * turned)).item()) / 4


def mean_square(shared: Array, regularisation: float) -> float:
    """The bound of (1/n) sum_i ||grad_u f_i||^2; ||ym_i|| and R_i as for dissimilarity."""
    every = squares(_mean(shared)), square_radii(shared)
    loss = sum(np.sqrt(own.mean()) for own in every) / 2
    return float(loss + (regularisation * _STEEPEST if shared.shape[2] else 0.0)) ** 2


def _mean(array: Array) -> Array:
    """Over samples."""
    return array.sum(axis=1) / array.shape[1]
