"""Names of this paper alone."""

from fedbounds.theory.glossary import Draft

_draft = Draft()

psi_sup = _draft.symbol(
    "psi_sup",
    "largest |psi_i| of all coordinates, those that nobody trains among them",
    r"\|\psi\|_\infty",
    positive=True,
)
psi_inf = _draft.symbol(
    "psi_inf",
    "smallest psi_i of all coordinates, those that nobody trains among them, if it is positive",
    r"(\textstyle\min_i\psi_i)",
    positive=True,
)
w_free = _draft.symbol(
    "w_free",
    "less that smallest psi_i, where it is not positive",
    r"(-\textstyle\min_i\psi_i)",
    nonnegative=True,
)
sgn_3 = _draft.quantity("sgn_3", "sign of cos theta_3", r"\operatorname{sgn}\cos\theta_3")

NAMES = _draft.closed()
