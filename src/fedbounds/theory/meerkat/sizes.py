"""What constants and parameters make: the factors of Theorem 2.1, and step sizes.

n is the paper's K, K its T and T its R.
"""

import sympy as sp

from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import K, L, eta, n, sigma2

from .symbols import K_b, K_g, c, c_h, delta, gamma_g, mu_PL, sigma_h, u

ROOT_C, ROOT_H = sp.sqrt(c), 1 + sp.sqrt(c_h)
PULL = eta * K * ROOT_C * ROOT_H  # eta T sqrt(c) (1 + sqrt(c_h))
WIDE = L**2 * eta**2 * K * (2 + u) ** 2
NOISE = L * eta**2 * K**2 * (2 + u) * c * sigma2 / 2
YOUNG = eta**2 * K**2 * c * sigma_h**2 * delta / 2
OF_Q = 2 * mu_PL * (PULL - 1 / (2 * delta)) - WIDE
OF_q = mu_PL * ROOT_C * ROOT_H - L**2 * eta * (2 + u) ** 2

# what is true instead: of one local step a round, and of several
FLOOR_ONCE = L * eta**2 * (2 + u) * sigma2 / (2 * n)
FLOOR_SEVERAL = sp.Rational(3, 5) * L * eta**2 * K**2 * (2 + u) * (2 * sigma_h**2 + sigma2)

LOCAL_STEP = 1 / (L * (u + 2))
STEP = sp.Min(LOCAL_STEP, mu_PL * ROOT_C * ROOT_H / (2 * L**2 * (2 + u) ** 2))
OF_LOCAL_STEP = Condition(eta, "==", LOCAL_STEP)
OF_STEP = Condition(eta, "==", STEP)

# ---- of Meerkat-vp

ALL_STEPS = K_g * K + K_b  # A; the paper's alpha
TAKEN = ALL_STEPS / (n * K)  # the share of the local steps
STOPPED = eta**2 * (2 + u) * c * L * K_b * (1 + c_h)
OF_D_delta = eta * ROOT_C * ALL_STEPS - 2 * STOPPED
WIDE_KEPT = eta**2 * (2 + u) ** 2 * L**2 * K
OF_C_S = eta * mu_PL * ROOT_C * ALL_STEPS / n - WIDE_KEPT * gamma_g
NOISE_KEPT = eta**2 * (2 + u) * c * L / (2 * n) * (K**2 * sigma2 * K_g + 2 * K_b * sigma_h**2)
STOPPED_STEP = sp.Min(
    LOCAL_STEP, mu_PL * ROOT_C * ALL_STEPS / (2 * n * (2 + u) ** 2 * L**2 * K * gamma_g)
)
OF_STOPPED_STEP = Condition(eta, "==", STOPPED_STEP)
