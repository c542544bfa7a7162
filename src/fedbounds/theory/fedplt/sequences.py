"""Step sizes of their own in every round, and what satisfies the recursion of Step 5.

pace is eta^t, and a sequence is a model of one coordinate whose value is D^t.
"""

import sympy as sp

from fedbounds.theory.language.setups import Definition, Says, Where
from fedbounds.theory.language.symbols import D_W, Max_t, eta, mu, t
from fedbounds.theory.proof.vectors import ip, vectors

from . import assumed
from .distance import BRACKET
from .measured import one
from .results import LEVEL
from .symbols import B_step, C_rate, nu_max, psi_min, w_gap, z

pace, x = vectors({"pace": r"\eta^t", "x": "D^t"})
eta_t = sp.Function("eta_t", real=True)
_NOTHING = sp.Integer(0)

PACES = {
    assumed.RECURSION: eta,
    assumed.RECURSION_DECAYING: 1 / (z * (t + 1)),
    assumed.RECURSION_LONGER: 2 / (z * (t + 2)),
}


def bound(step: sp.Expr) -> sp.Expr:
    """What D^{t+1} is at most, with the step size of round t."""
    return (1 - z * step) * D_W(t) + step**2 * B_step


PACE = {"eta_t": ip(pace, one)}
SEQUENCE = {"D_W": ip(x, one)} | PACE
_EXCESS = D_W(t + 1) - (1 - z * eta_t(t)) * D_W(t)
_CONSTANT = (Says(eta_t(t), "==", eta_t(0)),)
# eta, and 1/eta - z > 0, where all steps are equal; C and B have been chosen
CONSTANTS: dict[str, Definition] = {
    "D_0": D_W(0),
    "eta": Where(eta_t(0), _CONSTANT),
    "w_gap": Where(1 / eta - z, (Says(w_gap, ">", _NOTHING),)),
}
CHOICES: dict[str, dict[str, Definition]] = {
    # the least B >= 0 with which the recursion holds
    "B_step": {"least": sp.Max(_NOTHING, Max_t(_EXCESS / eta_t(t) ** 2))},
    "C_rate": {
        "base": D_W(0) + LEVEL,
        "any": LEVEL,
        "longer": sp.Max(D_W(0), 4 * LEVEL),
    },
}
ASSUMPTIONS = {
    assumption: (Says(eta_t(t), "==", step), Says(D_W(t + 1), "<=", bound(step)))
    for assumption, step in PACES.items()
}
DECAYING = {assumed.DECAYING_STEPS: ASSUMPTIONS[assumed.RECURSION_DECAYING][:1]}
# the bracket grows as eta falls: the largest over all t is its value at 0
LARGEST_BRACKET = Where(BRACKET.subs(eta, 0), (Says(nu_max, ">", _NOTHING),))
RHO_OF_STEPS = z / (mu * psi_min)
# C and z are positive, and D^t and B are no less than 0, or there is no such sequence
REQUIRES = (
    Says(z, ">", _NOTHING),
    Says(C_rate, ">", _NOTHING),
    Says(B_step, ">=", _NOTHING),
    Says(D_W(t + 1), ">=", _NOTHING),
)
