"""Bounds behind the constants of logistic losses, valid at all points; arrays on the host.

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

Array = Any

_STEEPEST = 3.0 * 3.0**0.5 / 8.0  # largest slope of s^2 / (1 + s^2), at s^2 = 1/3


def norms(vectors: Array) -> Array:
    """Euclidean norms along the last axis."""
    return np.sqrt((vectors * vectors).sum(axis=-1))


def rms(numbers: Array) -> float:
    """Root of the mean square."""
    return float(np.sqrt((numbers * numbers).mean()))


def spectral_norms(features: Array) -> Array:
    """Spectral norm of every client's (N, d) matrix."""
    if features.shape[2] == 0:
        return np.zeros(features.shape[0])
    return np.linalg.norm(features, 2, axis=(1, 2))


def radii(features: Array) -> Array:
    """R_i: bounds on ||(1/N) sum_l e_l y_l|| over all e in [-1, 1]^N."""
    samples = features.shape[1]
    return np.minimum(norms(features).mean(axis=1), spectral_norms(features) / np.sqrt(samples))


def smoothness(features: Array, regularisation: float) -> float:
    """L_u or L_v; 0 when the block is absent."""
    if features.shape[2] == 0:
        return 0.0
    top: float = (spectral_norms(features) ** 2).max() / (4 * features.shape[1])
    return float(top) + 2.0 * regularisation


def coupling(shared: Array, personal: Array) -> float:
    """The bound of L_uv."""
    top_u, top_v = spectral_norms(shared), spectral_norms(personal)
    met = (top_u > 0.0) & (top_v > 0.0)
    if not met.any():
        return 0.0
    balance = np.sqrt(top_v[met] / top_u[met])[:, None, None]
    scaled = np.concatenate([shared[met] * balance, personal[met] / balance], axis=2)
    return float((spectral_norms(scaled) ** 2).max() / (8 * shared.shape[1]))


def support(features: Array) -> Array:
    """Bounds on the deviation of one sample's gradient from its client's mean; shape (n, N)."""
    samples, sizes = features.shape[1], norms(features)
    moved = (1.0 - 2.0 / samples) * sizes + sizes.mean(axis=1, keepdims=True)
    return (norms(features - features.mean(axis=1, keepdims=True)) + moved) / 2.0


def variance(features: Array) -> Array:
    """Bounds on the variance of one sample's gradient, per client."""
    means, best = features.mean(axis=1, keepdims=True), support(features).max(axis=1) ** 2
    for share in np.linspace(0.0, 0.5, 11):
        spread = np.maximum(norms(share * means), norms(features - share * means))
        best = np.minimum(best, (spread * spread).mean(axis=1))
    return best


def dissimilarity(shared: Array, personal: Array) -> float:
    """The bound of b^2."""
    if len(shared) == 1:
        return 0.0
    common = (shared == shared[:1]).all(axis=(0, 2)) & (personal == 0.0).all(axis=(0, 2))
    own = shared * ~common[:, None]
    means = own.mean(axis=1)
    return ((rms(norms(means - means.mean(axis=0))) + rms(radii(own))) / 2.0) ** 2


def mean_square(shared: Array, regularisation: float) -> float:
    """The bound of (1/n) sum_i ||grad_u f_i||^2; ||ym_i|| and R_i as for dissimilarity."""
    loss = (rms(norms(shared.mean(axis=1))) + rms(radii(shared))) / 2.0
    return (loss + (regularisation * _STEEPEST if shared.shape[2] else 0.0)) ** 2
