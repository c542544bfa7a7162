"""Numbers that only the proofs speak of."""

from fedbounds.theory.language.glossary import Draft

_draft = Draft()
symbol = _draft.symbol

lam = symbol("lam", "an eigenvalue of D^{-1/2} A D^{-1/2}, D = diag A", r"\lambda", positive=True)
keep_2K = symbol("keep_2K", "(1 - eta mu)^{2K}", r"(1-\eta\mu)^{2K}", nonnegative=True)
rho_gap = symbol("rho_gap", "1 - rho_bar, a positive number", r"(1-\bar\rho)", positive=True)
weight = symbol("weight", "a weight of the mean inequality", r"\omega", positive=True)

NAMES = _draft.closed()
