"""What can be met together: Assumptions 1 to 6, and the conditions of Step 4.4 on eta."""

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.setting import Asked, Existence
from fedbounds.theory.language.symbols import L, eta, mu

from . import assumed
from .distance import BELOW_ONE, POSITIVE, SHORT
from .symbols import alpha_k, psi_max, psi_min, psi_sup, rho_min, w_first, w_free, w_large

# (i), (ii) and (iii), which the paper has with strict signs
ON_ETA = (SHORT, POSITIVE, BELOW_ONE)

# (i) with the first of the steps 1/(z(t+1)), which is 1/z: z = L + w_first > L
FIRST_SHORT = Condition(mu * psi_min * rho_min, "==", L + w_first)
# eta is the step of a round so late that 4 (psi_max alpha_k)^2 L mu eta <= w_first
LATE = Condition(4 * psi_max**2 * alpha_k**2 * L * mu * eta, "<=", w_first)
# psi_i is "any real number" where nobody trains i
POSITIVE_FREE = Condition(2 * eta * psi_sup**2 * alpha_k**2 * L, "<=", -w_free * rho_min)
LARGE_ALIGNMENT = Condition(psi_min * rho_min, "==", 1 + 2 * psi_max**2 * alpha_k**2 + w_large)

CONDITIONS = Existence(
    entry("fedplt/conditions"),
    (
        Asked("some constants and some eta", strict=ON_ETA),
        Asked(
            "the steps eta^t = 1/(z(t+1)) at every t, from t = 0 on",
            (Fact.SMOOTH, Fact.STRONGLY_CONVEX),
            (FIRST_SHORT, LATE),
            (BELOW_ONE,),
        ),
        Asked(
            "psi_min rho_min > 1 + 2 (psi_max alpha)^2",
            conditions=(LARGE_ALIGNMENT,),
            strict=(SHORT, BELOW_ONE),
        ),
        Asked(
            "psi over all coordinates, a free value of 0 or less, harsh",
            strict=(POSITIVE_FREE,),
        ),
    ),
)

BASE = (
    Fact.SMOOTH,
    Fact.STRONGLY_CONVEX,
    Fact.UNBIASED,
    Fact.INDEPENDENT,
    Fact.BOUNDED_VARIANCE,
)
AT_ITERATES = (*BASE, assumed.GLOBAL_GRADIENT, assumed.ALIGNED)
_PARTIAL = (*AT_ITERATES, assumed.LEAVES_OUT)
_OPEN = (*BASE, assumed.LOCAL_GRADIENTS, assumed.ALIGNED_OPEN, assumed.LEAVES_OUT)

JOINTLY = Existence(
    entry("fedplt/assumptions-jointly"),
    (
        Asked(
            "Assumptions 5 and 6 on all of R^d",
            (*BASE, Fact.GLOBAL_GRADIENT_EVERYWHERE, assumed.ALIGNED_EVERYWHERE),
            strict=ON_ETA,
        ),
        Asked(
            "Assumption 6 on all of R^d, 5 at the iterates; a mask leaves out a coordinate",
            (
                *BASE,
                assumed.GLOBAL_GRADIENT,
                assumed.ALIGNED_EVERYWHERE,
                assumed.LEAVES_OUT,
            ),
            strict=ON_ETA,
        ),
        Asked(
            "at the iterates of all rounds, constant step",
            AT_ITERATES,
            strict=ON_ETA,
        ),
        Asked(
            "at the iterates of all rounds, constant step; a mask leaves out a coordinate",
            _PARTIAL,
            strict=ON_ETA,
        ),
        Asked(
            "the same, clients with minimisers of their own and noise",
            (*_PARTIAL, assumed.OWN_MINIMISERS, Fact.NOISY),
            strict=ON_ETA,
        ),
        Asked(
            "on an open set, 5 of every F_k, constant step; a mask leaves out a coordinate",
            _OPEN,
            strict=ON_ETA,
        ),
        Asked(
            "at the iterates, steps 1/(z(t+1)) that meet the conditions from t = 0 on",
            AT_ITERATES,
            (FIRST_SHORT, LATE),
            ON_ETA,
        ),
    ),
)

CLAIMS = (CONDITIONS, JOINTLY)
