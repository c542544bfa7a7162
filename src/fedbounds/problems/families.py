"""Ask for constants, get an instance that attains them, or a refusal that says why not."""

from dataclasses import replace

import numpy as np

from fedbounds.errors import FedboundsError, require, require_finite

from .coupled_cosine import CoupledCosine
from .noise import SILENT, Noise
from .quadratic import FederatedQuadratic


def federated_quadratic(
    *,
    clients: int,
    shared_dimension: int,
    personal_dimension: int,
    smoothness: float = 1.0,
    strong_convexity: float = 0.1,
    coupling: float = 0.0,
    dissimilarity: float | None = None,
    slope: float = 1.0,
    noise: Noise = SILENT,
    seed: int = 0,
) -> FederatedQuadratic:
    """Random quadratics that attain L, mu, L_uv and, on request, b^2.

    Parameters
    ----------
    clients, shared_dimension, personal_dimension : int
        n, d_u, d_v.
    smoothness, strong_convexity, coupling : float
        L = max(L_u, L_v), the smallest joint eigenvalue mu (negative: non-convex), and L_uv.
    dissimilarity : float or None
        b^2 over all points; then every client has the same shared curvature and no coupling.
        None: every client has its own curvature, and no finite b exists (n >= 2).
    slope : float
        Scale of the linear terms.

    Raises
    ------
    FedboundsError
        If the constants cannot hold together.
    """
    n, d_u, d_v = clients, shared_dimension, personal_dimension
    require(n >= 1, "number of clients n", n, "at least 1")
    require(
        d_u >= 0 and d_v >= 0 and d_u + d_v >= 1,
        "dimensions (d_u, d_v)",
        (d_u, d_v),
        "non-negative, not both zero",
    )
    _check_curvature(d_u, d_v, smoothness, strong_convexity, coupling)
    own_curvature = dissimilarity is None and n > 1
    if d_u + d_v == 1 and not own_curvature:
        require(
            strong_convexity == smoothness,
            "strong convexity mu",
            strong_convexity,
            f"equal to L = {smoothness}: all clients share one coordinate's curvature",
        )
    if dissimilarity is not None:
        _check_dissimilarity(n, d_u, dissimilarity, coupling, slope)
    rng = np.random.default_rng(seed)
    hessian = np.zeros((n, d_u + d_v, d_u + d_v))
    for i in range(n):
        # constants are maxima and minima over clients: attained by the first, or by all if coupled
        attain = i == 0 or coupling > 0
        hessian[i] = _hessian(rng, d_u, d_v, smoothness, strong_convexity, coupling, attain)
        if dissimilarity is not None:
            hessian[i, :d_u, :d_u] = hessian[0, :d_u, :d_u]
    if d_u + d_v == 1 and own_curvature:
        hessian[1] = strong_convexity
    linear = slope * rng.standard_normal((n, d_u + d_v))
    if dissimilarity is not None and d_u > 0:
        mean = linear[:, :d_u].mean(axis=0)
        deviation = linear[:, :d_u] - mean
        size = (deviation * deviation).sum() / n
        factor = np.sqrt(dissimilarity / size) if dissimilarity > 0 else 0.0
        linear[:, :d_u] = mean + factor * deviation
    return FederatedQuadratic(hessian, linear, d_u, noise)


def _check_curvature(
    d_u: int, d_v: int, smoothness: float, strong_convexity: float, coupling: float
) -> None:
    require_finite("smoothness L", smoothness, positive=True)
    require(
        abs(strong_convexity) <= smoothness,
        "strong convexity mu",
        strong_convexity,
        f"between -L and L = {smoothness}",
    )
    room = min(smoothness - strong_convexity, smoothness)
    require(
        0 <= coupling <= room,
        "coupling L_uv",
        coupling,
        f"between 0 and min(L - mu, L) = {room:g}, or mu or L would be another",
    )
    require(
        coupling == 0 or min(d_u, d_v) > 0, "coupling L_uv", coupling, "0 when a block is absent"
    )


def _check_dissimilarity(
    n: int, d_u: int, dissimilarity: float, coupling: float, slope: float
) -> None:
    require_finite("dissimilarity b^2", dissimilarity, positive=False)
    if dissimilarity > 0 and (n == 1 or d_u == 0 or slope == 0):
        raise FedboundsError(
            f"dissimilarity b^2 = {dissimilarity} cannot be attained with n = {n}, d_u = {d_u} and "
            f"slope = {slope}: one client, no shared block, or equal slopes have b^2 = 0"
        )
    if coupling > 0 and n > 1:
        raise FedboundsError(
            f"dissimilarity b^2 = {dissimilarity} and coupling L_uv = {coupling} cannot hold "
            "together on quadratics: each v_i moves its client's shared gradient without bound"
        )


def _hessian(
    rng: np.random.Generator,
    d_u: int,
    d_v: int,
    top: float,
    low: float,
    coupling: float,
    attain: bool,
) -> np.ndarray:
    """One client's Hessian: spectra in [low, top], attained on request, coupling in one plane."""
    spectrum_u, spectrum_v = rng.uniform(low, top, d_u), rng.uniform(low, top, d_v)
    if attain:
        every = np.concatenate([spectrum_u, spectrum_v])
        every[-1] = low
        every[0] = top
        spectrum_u, spectrum_v = every[:d_u], every[d_u:]
    if coupling:
        # eigenvalues of [[top, c], [c, y]] are `low` and another, when (top - low)(y - low) = c^2
        spectrum_v[0] = low + coupling**2 / (top - low)
    basis_u, basis_v = _orthogonal(rng, d_u), _orthogonal(rng, d_v)
    hessian = np.zeros((d_u + d_v, d_u + d_v))
    hessian[:d_u, :d_u] = basis_u @ np.diag(spectrum_u) @ basis_u.T
    hessian[d_u:, d_u:] = basis_v @ np.diag(spectrum_v) @ basis_v.T
    if coupling:
        hessian[:d_u, d_u:] = coupling * np.outer(basis_u[:, 0], basis_v[:, 0])
        hessian[d_u:, :d_u] = hessian[:d_u, d_u:].T
    return (hessian + hessian.T) / 2.0


def _orthogonal(rng: np.random.Generator, size: int) -> np.ndarray:
    return np.linalg.qr(rng.standard_normal((size, size)))[0] if size else np.zeros((0, 0))


def coupled_cosine(
    *,
    clients: int,
    shared_dimension: int,
    personal_dimension: int,
    amplitude: float = 0.5,
    dissimilarity: float | None = None,
    noise: Noise = SILENT,
    seed: int = 0,
) -> CoupledCosine:
    """Random coupled cosines; ``dissimilarity`` asks for b^2 by scaling the linear terms.

    Raises
    ------
    FedboundsError
        If the coupling alone already exceeds the requested b^2.
    """
    for name, size in (("shared", shared_dimension), ("personal", personal_dimension)):
        require(size >= 1, f"{name} dimension", size, "at least 1: the two blocks are coupled")
    rng = np.random.default_rng(seed)
    basis = _orthogonal(rng, shared_dimension)
    hessian = basis @ np.diag(rng.uniform(0.2, 1.0, shared_dimension)) @ basis.T
    w, q = rng.standard_normal(shared_dimension), rng.standard_normal(personal_dimension)
    problem = CoupledCosine(
        shared_hessian=(hessian + hessian.T) / 2.0,
        linear=rng.standard_normal((clients, shared_dimension)),
        personal_curvature=0.5,
        amplitude=amplitude,
        shared_direction=w / np.linalg.norm(w),
        personal_direction=q / np.linalg.norm(q),
        noise=noise,
    )
    return problem if dissimilarity is None else _with_dissimilarity(problem, dissimilarity)


def _with_dissimilarity(problem: CoupledCosine, wanted: float) -> CoupledCosine:
    """Scale the deviation of the linear terms until b^2 is as wanted."""
    from scipy.optimize import brentq

    require_finite("dissimilarity b^2", wanted, positive=False)
    mean = problem.linear.mean(axis=0)
    deviation = problem.linear - mean

    def scaled(factor: float) -> CoupledCosine:
        return replace(problem, linear=mean + factor * deviation)

    least = scaled(0.0).dissimilarity
    if abs(wanted - least) <= 1e-14:
        return scaled(0.0)
    require(
        wanted >= least,
        "dissimilarity b^2",
        wanted,
        f"at least {least:.6g}, which the coupling alone brings",
    )
    require(problem.clients > 1, "dissimilarity b^2", wanted, "0 with one client")
    top = 1.0
    while scaled(top).dissimilarity < wanted:
        top *= 2.0
    return scaled(brentq(lambda x: scaled(x).dissimilarity - wanted, 0.0, top, xtol=1e-15))
