"""Rank-deficient least squares, and the Polyak-Lojasiewicz constant of any quadratic.

F(w) = 1/2 w' H w + h' w with H positive semidefinite and h in its range has
||grad F||^2 >= 2 mu (F - inf F) with mu the smallest eigenvalue of H that is not 0, and no larger
mu: in the eigenbasis both sides are sums over the positive eigenvalues s of s^2 x^2 and mu s x^2.
Masked, F_p is again a quadratic, so that its constant is found in the same way.
"""

import numpy as np
from flint import fmpq

from fedbounds.errors import require
from fedbounds.facts import Fact

from .arrays import to_rational
from .constants import ConstantValue, Evidence
from .linear import is_positive_semidefinite, solve
from .masked_laws import Law
from .masked_quadratic import masked_quadratic
from .noise import SILENT, Noise
from .quadratic import FederatedQuadratic
from .spectrum import in_rationals, smallest_positive_eigenvalue


def rank_deficient_least_squares(
    *,
    clients: int,
    dimension: int,
    rank: int,
    samples: int,
    interpolates: bool = False,
    noise: Noise = SILENT,
    seed: int = 0,
) -> FederatedQuadratic:
    """f_i(w) = (1/2N) ||X_i w - y_i||^2 up to a constant, of small integers, in rationals.

    Parameters
    ----------
    rank : int
        Of all data together, less than d: F is not strongly convex.
    samples : int
        N, per client.
    interpolates : bool
        Whether one w fits the data of all clients.
    """
    require(1 <= rank < dimension, "rank", rank, f"1 to {dimension - 1}")
    require(clients * samples >= rank, "samples of all clients", clients * samples, f">= {rank}")
    rng = np.random.default_rng(seed)
    shape = (clients, samples)
    while True:
        features = rng.integers(-2, 3, (*shape, rank)) @ rng.integers(-1, 2, (rank, dimension))
        if np.linalg.matrix_rank(features.reshape(-1, dimension).astype(float)) == rank:
            break
    fitted = features @ rng.integers(-2, 3, dimension)
    targets = fitted if interpolates else fitted + rng.integers(-3, 4, shape)
    x, y = in_rationals(features.astype(object)), in_rationals(targets.astype(object))
    turned = np.swapaxes(x, 1, 2)
    linear = -(turned @ y[:, :, None])[:, :, 0] / fmpq(samples)
    return FederatedQuadratic(turned @ x / fmpq(samples), linear, dimension, noise)


def pl_constant(problem: FederatedQuadratic, law: Law | None = None) -> ConstantValue | None:
    """mu_PL of F, or of F_p with a law of masks, from below; None where it has none.

    None too where the objective is constant: every mu would do.
    """
    mean = to_rational(problem) if law is None else masked_quadratic(to_rational(problem), law)
    matrix, slope = mean.hessian.sum(axis=0), mean.linear.sum(axis=0)
    if not is_positive_semidefinite(matrix) or solve(matrix, slope[:, None]) is None:
        return None
    if (matrix == 0).all():
        return None
    return smallest_positive_eigenvalue(matrix / problem.clients).below()


def pl_evidence(problem: FederatedQuadratic, law: Law | None = None) -> Evidence:
    """Whether F, or F_p, is Polyak-Lojasiewicz: decided on every quadratic."""
    if pl_constant(problem, law) is not None:
        return Evidence(True, "a convex quadratic that is bounded below")
    return Evidence(False, f"{Fact.PL}: unbounded below, or constant")
