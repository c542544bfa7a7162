"""Right sides that several claims share, as the theorems of the sheet have them."""

import sympy as sp

from fedbounds.theory.language.symbols import K, L, Max_t, T, eta, mu, n, sigma2

from .symbols import (
    B2,
    B_M2,
    D_dom,
    D_opt_0,
    G,
    Phi,
    S_sub,
    W_sup,
    a_bar2,
    nu2,
    nu_M2,
    nu_star2,
    p_mean,
    p_spread,
    q_mean,
    zeta_M2,
    zeta_star2,
)

_HALF = sp.Rational(1, 2)

# what a domain gives anyway: squared distances, and differences of what is G-Lipschitz there
FARTHEST = D_dom**2
STEEPEST = G * D_dom


def smooth_gradients(loss: sp.Expr) -> sp.Expr:
    """What smoothness alone gives on a squared gradient, at the worst round."""
    return Max_t(2 * L * loss)


# Theorem 1: what is left of the squared distance to w*(p) for ever
RANDOM_FLOOR = 8 * eta * (sigma2 + K * nu_star2) / (mu * p_mean * n) + (
    12 * eta**2 * K**2 * L * zeta_star2 + 6 * eta**2 * K * L * sigma2
) / (mu * p_mean)

# its rate with eta K = 2 ln R / (mu pbar R), every term at most ln(R)^2/R times these
RATE_CONSTANT = (
    D_opt_0
    + 16 / (mu**2 * p_mean**2 * n) * (sigma2 / K + nu_star2)
    + 48 * L / (mu**3 * p_mean**3) * (zeta_star2 + sigma2 / (2 * K))
)

# the bound on Delta(p, 1; w) over the domain
MASK_GAP_BOUND = (1 - p_mean) * G + L * p_spread * W_sup

# Theorem 3: what is left of the squared distance to w*(M) for ever
ROLLING_FLOOR = 6 * eta * sigma2 / (mu * q_mean * n) + eta**2 * L * K / (mu * q_mean) * (
    6 * sigma2 * (1 + S_sub / n)
    + 8 * K * S_sub**2 * a_bar2
    + 4 * K * (S_sub + 1) * nu_M2
    + 8 * K * zeta_M2
)


def random_distance(rounds: sp.Expr) -> sp.Expr:
    """Theorem 1 on E ||w^R - w*(p)||^2 after ``rounds`` rounds."""
    return (1 - _HALF * eta * K * mu * p_mean) ** rounds * D_opt_0 + RANDOM_FLOOR


def random_gradients(rounds: sp.Expr) -> sp.Expr:
    """Theorem 2 on the mean of E ||grad F_p||^2 over ``rounds`` rounds."""
    return (
        4 * Phi / (eta * K * rounds)
        + 6 * eta * L * (K * nu2 + sigma2) / n
        + 8 * eta**2 * K**2 * L**2 * (nu2 + B2)
        + 8 * eta**2 * K * L**2 * sigma2
    )


# Theorem 4 on the mean of E ||grad F_M||^2 over E = T/S epochs
ROLLING_GRADIENTS = (
    4 * Phi / (eta * K * T)
    + 6 * eta * L * sigma2 / n
    + eta**2
    * L**2
    * (sp.Rational(43, 10) * K * sigma2 * (1 + S_sub / n) + 12 * K**2 * S_sub * B_M2)
)
