"""What the assumptions of FedPLT's theorems ask of a long run, certified at every iterate.

Without noise every model is known, in floats up to a bound of its rounding. With bounded noise
every model lies in a ball around its mean that a round maps into the next one.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms import fedplt_rows
from fedbounds.algorithms.fedavg_p import Carry, Draw
from fedbounds.algorithms.fedplt_rows import FedPLT, compensation, shares
from fedbounds.errors import FedboundsError
from fedbounds.problems import (
    ConstantValue,
    Evidence,
    FederatedQuadratic,
    NoiseLaw,
    everyone,
)
from fedbounds.problems.arrays import to_float
from fedbounds.problems.linear import (
    is_exact,
    is_positive_definite,
    is_positive_semidefinite,
    rational,
    solve,
    spectral_norm,
)
from fedbounds.vocabulary import Provenance, Side

from .long_runs_moments import Moments, Rounds, _Paced

Array = Any
_UP = 1 + 2.0**-40  # what a bound computed in floats is enlarged by
_SIMPLE = 1000  # largest denominator of a curvature that is looked for
_FEW_BITS = 20
_ROUNDING = 1e-15  # of a few operations, per coordinate


@dataclass(frozen=True, eq=False)
class Path:
    """Every model at which a gradient is taken, and every W_k after its local steps.

    Attributes
    ----------
    x, g : arrays, shape (tau + 1, n, T, d)
        W_k^{t,s} - W* and grad F_k there: without noise, or their means.
    x_error, g_error : arrays, shapes (T,) and (tau + 1, n, T)
        What rounding may have done to them, in the 2-norm; 0 in rationals.
    radius : array, shape (tau + 1, n, T), or None
        How far from x the model may be, noise included; None where nothing bounds it.
    """

    x: Array
    g: Array
    x_error: Array
    g_error: Array
    radius: Array | None


def curvatures(hessian: Array) -> tuple[ConstantValue, ConstantValue]:
    """mu and L in rationals: exact where they are simple fractions, certified bounds else."""
    values = np.linalg.eigvalsh(hessian.astype(float))
    identity = np.eye(hessian.shape[1], dtype=int).astype(object)
    low, high = (_simple(x) for x in (values.min(), values.max()))
    step = abs(low) / 2**20
    least = ConstantValue(low)
    if not _touches([matrix - identity * low for matrix in hessian]):
        while not all(is_positive_definite(matrix - identity * low) for matrix in hessian):
            low -= step
        least = ConstantValue(low, Provenance.CERTIFIED, Side.LOWER)
    edge = _touches([identity * high - matrix for matrix in hessian])
    return least, ConstantValue(high) if edge else spectral_norm(hessian)


def _simple(number: float) -> fmpq:
    return rational(Fraction(float(number)).limit_denominator(_SIMPLE))


def _touches(matrices: list[Array]) -> bool:
    """Whether all are positive semidefinite, and one of them is singular."""
    every = all(is_positive_semidefinite(matrix) for matrix in matrices)
    return every and not all(is_positive_definite(matrix) for matrix in matrices)


def heterogeneity(problem: FederatedQuadratic, algorithm: FedPLT) -> fmpq:
    """Lambda = sum_k c_k (F* - F_k*) of a centred problem, exact."""
    total = fmpq(0)
    for c, hessian, slope in zip(shares(algorithm), problem.hessian, problem.linear, strict=True):
        nearest = solve(hessian, slope[:, None])
        if nearest is None:
            raise FedboundsError("F_k has no minimiser; expected every client to have one")
        total += c * (slope @ nearest[:, 0]) / 2
    return total


def path(
    problem: FederatedQuadratic, algorithm: FedPLT, steps: Array, rounds: Rounds, found: Moments
) -> Path:
    """The models of rounds 0, ..., T - 1, of a centred problem; ``steps`` of shape (T,)."""
    exact = is_exact(found.mean)
    problem = problem if exact else to_float(problem)
    horizon, d = len(steps), found.mean.shape[1]
    n, at = problem.clients, np.minimum(np.arange(horizon), len(rounds.mean) - 1)
    unit = replace(algorithm, inner_step_u=1)
    states = found.mean[:-1]
    carry = Carry(u=states, v=states[None, :, :0].repeat(n, axis=0))
    cohort = everyone(n, horizon)
    drawn = Draw(present=np.ones((n, horizon)), noise=None, cohort=cohort)
    points: list[Array] = []
    paced: Any = _Paced(problem, steps)
    last = fedplt_rows.local(
        paced, unit, carry, drawn, lambda s, z, gradient, noisy: points.append(z)
    )
    points.append(last)
    shape = (len(points), n, horizon, d)
    x = np.stack(points).reshape(shape)
    g = np.stack([problem.gradient(z, cohort) for z in points]).reshape(shape)
    x_error, g_error = np.zeros(horizon), np.zeros(shape[:-1])
    if not exact:
        norms = np.linalg.norm(problem.hessian, 2, axis=(1, 2))[None, :, None]
        pull = np.linalg.norm(problem.linear, axis=1)[None, :, None]
        growth = (1 + steps * norms.max()) ** algorithm.local_steps
        size = np.linalg.norm(states, axis=1) + (pull > 0).any()
        x_error = growth * found.mean_error[:-1] + rounds.entry_error[at] * (d + 1) * size
        g_error = norms * x_error + d * _ROUNDING * (norms * np.linalg.norm(x, axis=-1) + pull)
    return Path(x, g, x_error, g_error, _radius(problem, algorithm, steps, rounds, at))


def _radius(
    problem: FederatedQuadratic, algorithm: FedPLT, steps: Array, rounds: Rounds, at: Array
) -> Array | None:
    """Balls around the means: of a round's start, and after each local step of each client."""
    tau, n, horizon = algorithm.local_steps, problem.clients, len(steps)
    found = np.zeros((tau + 1, n, horizon))
    if problem.noise.scale_u == 0:
        return found
    if problem.noise.law is not NoiseLaw.RADEMACHER:
        return None
    norms = np.linalg.norm(rounds.mean[:, :, :-1].astype(float), 2, axis=(1, 2))[at] * _UP
    pushed = np.linalg.norm(rounds.reach.astype(float), axis=1)[at] * _UP
    start = np.zeros(horizon)
    for t in range(horizon - 1):
        start[t + 1] = norms[t] * start[t] + pushed[t]
    floats, hessian = steps.astype(float), problem.hessian.astype(float)
    scale = float(problem.noise.scale_u)
    for k, mask in enumerate(np.asarray(algorithm.masks, dtype=float)):
        maps = np.eye(len(mask)) - floats[:, None, None] * mask[:, None] * hessian[k]
        grows = np.linalg.norm(maps, 2, axis=(1, 2)) * _UP
        found[0, k] = start
        for s in range(tau):
            found[s + 1, k] = grows * found[s, k] + floats * scale * np.sqrt(mask.sum()) * _UP
    return found


def gradient_bounds(
    problem: FederatedQuadratic, algorithm: FedPLT, seen: Path
) -> tuple[Any, Any] | None:
    """Upper bounds of ||grad F||^2 and of every ||grad F_k||^2 at every model; None if unbounded.

    The largest, to a few digits, where the models are known in rationals.
    """
    if seen.radius is None:
        return None
    c = np.asarray(shares(algorithm), dtype=object)
    exact = is_exact(seen.x)
    mean = (problem.hessian * c[:, None, None]).sum(axis=0)
    whole = seen.x @ (mean if exact else mean.astype(float))
    squares = [(array * array).sum(axis=-1) for array in (whole, seen.g)]
    if exact and not seen.radius.any():
        wide, local = (max(array.reshape(-1)) for array in squares)
        return _short(wide, up=True), _short(local, up=True)
    curved, norm = problem.hessian.astype(float), np.linalg.norm(mean.astype(float), 2)
    own = np.linalg.norm(curved, 2, axis=(1, 2))[None, :, None]
    wide = np.sqrt(squares[0].astype(float)) + norm * seen.radius
    local = np.sqrt(squares[1].astype(float)) + own * seen.radius
    # rounding of the mean of gradients is at most the largest of any
    bounds = [float(((a + seen.g_error.max()) ** 2).max() * _UP) for a in (wide, local)]
    return rational(bounds[0]), rational(bounds[1])


def _short(number: fmpq, up: bool = False) -> fmpq:
    """The number, or one of few digits just below (or above) it where it has many."""
    if number.q.bit_length() <= _FEW_BITS:
        return number
    _, exponent = np.frexp(float(number))
    unit = fmpq(2) ** (int(exponent) - _FEW_BITS)
    return (number / unit).ceil() * unit if up else (number / unit).floor() * unit


@dataclass(frozen=True)
class Alignment:
    """The least rho_k at the models of a run: a lower bound of it, or why there is none."""

    least: Any
    evidence: Evidence


def alignment(algorithm: FedPLT, seen: Path) -> Alignment:
    """Assumption 6 at every model, certified."""
    masks = np.asarray(algorithm.masks)
    if masks.all():
        reason = "every client trains everything: the ratio is 1 wherever it is defined"
        return Alignment(fmpq(1), Evidence(True, reason))
    if seen.radius is None or seen.radius.any():
        return Alignment(None, Evidence(None, "with noise, the models are not known"))
    partial = ~masks.astype(bool).all(axis=1)
    x, g = seen.x[:, partial], seen.g[:, partial]
    whole = (g * x).sum(axis=-1)
    part = (g * x * masks[partial][:, None, :]).sum(axis=-1)
    error = _product_error(seen)[:, partial]
    clear = (abs(whole) > error) & (abs(part) > error)
    if not clear.all():
        t = int(np.argwhere(~clear)[0][-1])
        reason = f"a product of Assumption 6 is 0, or of unknown sign, in round {t}"
        return Alignment(None, Evidence(None, reason))
    apart = (whole > 0) != (part > 0)
    if apart.any():
        at = np.argwhere(apart)[0]
        k = int(np.flatnonzero(partial)[at[1]])
        reason = f"rho of client {k} is negative in round {int(at[-1])}, local step {int(at[0])}"
        return Alignment(None, Evidence(False, reason))
    ratios = (abs(part) - error) / (abs(whole) + error)
    least = min(ratios.reshape(-1))
    bound = least if is_exact(seen.x) else rational(float(least) / _UP)
    return Alignment(_short(min(bound, fmpq(1))), Evidence(True, "at every model of the run"))


def compensated(algorithm: FedPLT, seen: Path, factor: Any) -> Evidence:
    """Whether <psi o m_k o g, x> >= factor <g, x> at every model; factor is psi_min rho_min."""
    masks = np.asarray(algorithm.masks)
    psi = np.asarray(compensation(algorithm), dtype=object)
    if masks.all() and factor == 1:
        return Evidence(True, "every client trains everything: both sides are equal")
    if seen.radius is None or seen.radius.any():
        return Evidence(None, "with noise, the models are not known")
    number: Any = fmpq if is_exact(seen.x) else float
    weights = (masks * psi).astype(object) - rational(factor)
    weights = weights if number is fmpq else weights.astype(float)
    gaps = (seen.g * seen.x * weights[:, None, :]).sum(axis=-1)
    error = _product_error(seen) * max(abs(w) for w in weights.flat)
    if (gaps >= error).all():
        return Evidence(True, "at every model of the run")
    t = int(np.argwhere(gaps < error)[0][-1])
    broken = bool((gaps < -error).any())
    return Evidence(False if broken else None, f"not so, or not clear, in round {t}")


def _product_error(seen: Path) -> Array:
    """What rounding may have done to <m o g, x>, whatever the mask m."""
    if is_exact(seen.x):
        return (seen.x * 0).sum(axis=-1)
    size_x, size_g = np.linalg.norm(seen.x, axis=-1), np.linalg.norm(seen.g, axis=-1)
    own = seen.x.shape[-1] * _ROUNDING * size_x * size_g
    return own + size_x * seen.g_error + seen.x_error * (size_g + seen.g_error)
