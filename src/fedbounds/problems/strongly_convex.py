"""Strongly convex quadratic cohorts in rationals with the constants one asks for, exactly.

f_k(w) = 1/2 (w - x_k)' A_k (w - x_k) up to a constant, x_k = w* + rho e_k u. All A_k share the unit
eigenvector u with one eigenvalue; off u every client has its own eigenvectors and eigenvalues in
[mu, L]. With sum_k c_k e_k = 0 and max |e_k| = 1, w* minimises F = sum_k c_k f_k, rho is the
largest distance of a client's minimiser from w*, and with s the eigenvalue of u
Lambda = sum_k c_k (F* - F_k*) = 1/2 s rho^2 sum_k c_k e_k^2.
Basis vectors are columns of rational reflections, so that nothing is rounded.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError, require, require_finite

from .linear import rational, solve
from .noise import SILENT, Noise
from .quadratic import FederatedQuadratic
from .spectrum import in_rationals, square_root

Array = Any
_MIXES = 16  # patterns e are tried along a segment of that many pieces


@dataclass(frozen=True, eq=False)
class ConvexCohort:
    """A problem in rationals and what is known of it, all exact.

    Attributes
    ----------
    problem : FederatedQuadratic
        Fully shared; ``to_float`` rounds it.
    weights : tuple of n rationals
        c_k, of sum 1.
    smoothness, strong_convexity : rational
        L and mu: the largest and the smallest eigenvalue of any client.
    heterogeneity : rational
        Lambda = sum_k c_k (F* - F_k*).
    spread : rational
        max_k ||x_k - w*||, x_k the minimiser of client k.
    minimiser : array, shape (d,)
        w*, of sum_k c_k f_k.
    """

    problem: FederatedQuadratic
    weights: tuple[fmpq, ...]
    smoothness: fmpq
    strong_convexity: fmpq
    heterogeneity: fmpq
    spread: fmpq
    minimiser: Array


def strongly_convex_cohort(
    *,
    clients: int,
    dimension: int,
    smoothness: Any = 1,
    strong_convexity: Any = 0.25,
    heterogeneity: Any = None,
    spread: Any = None,
    weights: Sequence[Any] | None = None,
    minimiser: Sequence[Any] | None = None,
    noise: Noise = SILENT,
    seed: int = 0,
) -> ConvexCohort:
    """Random quadratics that attain L, mu and, where asked, Lambda and the spread.

    Parameters
    ----------
    heterogeneity, spread : number or None
        Lambda and max_k ||x_k - w*||; of neither, the spread is 1 (0 with one client).
    weights : n positive numbers or None
        Only their ratios matter; equal where None.
    minimiser : d numbers or None
        w*; random halves where None.

    Raises
    ------
    FedboundsError
        If the constants cannot hold together in this family.
    """
    require(clients >= 1, "number of clients n", clients, "at least 1")
    require(dimension >= 2, "dimension d", dimension, "at least 2: one for the spread, one for mu")
    top, low = _curvature(smoothness, strong_convexity)
    shares = _shares(weights, clients)
    rng = np.random.default_rng(seed)
    pattern, rho, along = _deviation(shares, top, low, heterogeneity, spread)
    if clients == 1 and dimension == 2:
        along = top  # the other direction has mu; there is no spread to fit
    frame = _reflection(rng, dimension)
    hessian = _hessians(rng, frame, along, top, low, clients)
    centre = _centre(rng, dimension, minimiser)
    minimisers = centre + rho * pattern[:, None] * frame[:, 0]
    linear = -(hessian @ minimisers[:, :, None])[:, :, 0]
    squares = sum((c * e * e for c, e in zip(shares, pattern, strict=True)), fmpq(0))
    return ConvexCohort(
        problem=FederatedQuadratic(hessian, linear, dimension, noise),
        weights=shares,
        smoothness=top,
        strong_convexity=low,
        heterogeneity=along * rho * rho * squares / 2,
        spread=rho,
        minimiser=centre,
    )


def heterogeneity_of(problem: FederatedQuadratic, weights: Sequence[Any]) -> Any:
    """Lambda = sum_k c_k (F* - F_k*) of any strongly convex quadratics, F = sum_k c_k f_k; exact.

    Floats are taken as the rationals they are.
    """
    hessian, linear = in_rationals(problem.hessian), in_rationals(problem.linear)
    shares = _shares(weights, problem.clients)

    def least(matrix: Array, slope: Array) -> Any:
        answer = solve(matrix, slope[:, None])
        assert answer is not None
        return -(slope @ answer[:, 0]) / 2

    column = np.array(shares, dtype=object)
    whole = least((column[:, None, None] * hessian).sum(axis=0), column @ linear)
    return whole - sum(c * least(a, b) for c, a, b in zip(shares, hessian, linear, strict=True))


def _curvature(smoothness: Any, strong_convexity: Any) -> tuple[fmpq, fmpq]:
    require_finite("smoothness L", smoothness, positive=True)
    require_finite("strong convexity mu", strong_convexity, positive=True)
    require(
        strong_convexity <= smoothness,
        "strong convexity mu",
        strong_convexity,
        f"at most L = {smoothness}",
    )
    return rational(smoothness), rational(strong_convexity)


def _shares(weights: Sequence[Any] | None, clients: int) -> tuple[fmpq, ...]:
    given = [rational(c) for c in ([1] * clients if weights is None else weights)]
    require(len(given) == clients, "number of weights", len(given), f"{clients}")
    for client, c in enumerate(given):
        require(c > 0, f"weight of client {client}", c, "> 0")
    total = sum(given, fmpq(0))
    return tuple(c / total for c in given)


def _deviation(
    shares: tuple[fmpq, ...], top: fmpq, low: fmpq, heterogeneity: Any, spread: Any
) -> tuple[Array, fmpq, fmpq]:
    """The pattern e, rho and the eigenvalue of u."""
    for name, value in (("heterogeneity Lambda", heterogeneity), ("spread", spread)):
        if value is not None:
            require_finite(name, value, positive=False)
    middle = (top + low) / 2
    wanted = None if heterogeneity is None else rational(heterogeneity)
    if len(shares) == 1 or wanted == 0 or (spread is not None and spread == 0):
        nothing = not wanted and not spread
        require(
            nothing,
            "heterogeneity Lambda and spread",
            (heterogeneity, spread),
            "both 0 or both positive, and 0 with one client",
        )
        return np.full(len(shares), fmpq(0), dtype=object), fmpq(0), middle
    patterns = _patterns(shares)
    if wanted is None:
        return patterns[0][0], rational(1 if spread is None else spread), middle
    if spread is None:
        pattern, squares = patterns[0]
        rho = _near_root(2 * wanted / (middle * squares), low, top)
        return pattern, rho, 2 * wanted / (squares * rho * rho)
    rho = rational(spread)
    for pattern, squares in patterns:
        along = 2 * wanted / (squares * rho * rho)
        if low <= along <= top:
            return pattern, rho, along
    ends = [squares * rho * rho / 2 for _, squares in patterns]
    raise FedboundsError(
        f"heterogeneity Lambda is {heterogeneity}; with mu = {low}, L = {top} and spread {spread} "
        f"expected between {low * min(ends)} and {top * max(ends)}"
        + (" (only at points of a grid, as mu = L)" if top == low else "")
    )


def _near_root(square: fmpq, low: fmpq, top: fmpq) -> fmpq:
    """A short rational rho near the root with low <= middle square / rho^2 <= top."""
    middle = (low + top) / 2
    root = square_root(square)
    if root.lower == root.upper:
        return root.lower
    require(low < top, "2 Lambda over mu sum c e^2", square, "a rational square, as mu = L")
    near, bound = Fraction(int(root.lower.p), int(root.lower.q)), 1
    while True:
        short = near.limit_denominator(bound)
        rho = fmpq(short.numerator, short.denominator)
        if rho > 0 and low <= middle * square / rho**2 <= top:
            return rho
        bound *= 2


def _patterns(shares: tuple[fmpq, ...]) -> list[tuple[Array, fmpq]]:
    """Patterns e with sum c e = 0 and max |e| = 1 and their sum c e^2, largest first.

    From two halves of nearly equal weight to the lightest client against all others.
    """
    c = np.array(shares, dtype=object)
    halves, balance = np.full(len(c), fmpq(0), dtype=object), fmpq(0)
    for k in sorted(range(len(c)), key=lambda k: -c[k]):
        halves[k] = fmpq(1 if balance <= 0 else -1)
        balance = balance + c[k] * halves[k]
    if balance != 0:
        heavy = [k for k in range(len(c)) if halves[k] * balance > 0]
        most = max(heavy, key=lambda k: c[k])
        halves[most] = halves[most] - balance / c[most]
    lightest = int(np.argmin(c))
    if halves[lightest] < 0:
        halves = -halves
    alone = np.full(len(c), -c[lightest] / (1 - c[lightest]), dtype=object)
    alone[lightest] = fmpq(1)
    found = []
    for j in range(_MIXES + 1):
        e = halves + (alone - halves) * fmpq(j, _MIXES)
        e = e / max(abs(x) for x in e)
        found.append((e, (c * e * e).sum()))
    return found


def _hessians(
    rng: np.random.Generator, frame: Array, along: fmpq, top: fmpq, low: fmpq, clients: int
) -> Array:
    d = len(frame)
    found = []
    for k in range(clients):
        spectrum = [low + (top - low) * fmpq(int(j), 8) for j in rng.integers(0, 9, d - 1)]
        if k == 0:
            spectrum[0] = low
        if k == (0 if d > 2 else 1):
            spectrum[-1] = top
        own = _reflection(rng, d - 1)
        basis = frame.copy()
        basis[:, 1:] = frame[:, 1:] @ own
        found.append((basis * np.array([along, *spectrum], dtype=object)) @ basis.T)
    return np.array(found, dtype=object)


def _reflection(rng: np.random.Generator, size: int) -> Array:
    """I - 2 v v' / v'v for a small integer v without zeros, no permutation of coordinates."""
    v = rng.choice([-2, -1, 1, 2], size)
    if size == 2:
        v = np.array([1, int(rng.choice([-2, 2]))])  # of equal sizes it would exchange the two
    exact = in_rationals(v.astype(object))
    identity = np.eye(size, dtype=int).astype(object)
    return identity - 2 * np.outer(exact, exact) / (exact @ exact)


def _centre(rng: np.random.Generator, size: int, given: Sequence[Any] | None) -> Array:
    if given is not None:
        require(len(given) == size, "coordinates of the minimiser", len(given), f"{size}")
        return in_rationals(np.array(list(given), dtype=object))
    halves = rng.integers(1, 5, size) * rng.choice([-1, 1], size)
    return in_rationals(halves.astype(object)) / 2
