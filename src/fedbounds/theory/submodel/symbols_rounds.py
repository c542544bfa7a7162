"""Symbols of the theorems on rounds and epochs, beside those of `symbols`.

t counts rounds, and epochs where masks roll. x is the start of the round or epoch, x* = w*(p) or
w*(M); sums over s run over the S rounds of an epoch.
"""

from fedbounds.theory.language.glossary import Draft

_draft = Draft()
symbol, quantity = _draft.symbol, _draft.quantity

_SIZE = {"nonnegative": True}

log_T = symbol("log_T", "a number that is at least ln T; ln T as printed", r"\ln R", positive=True)
R_least = symbol(
    "R_least", "rounds R of the shortest rung of a ladder", r"R_{\min}", integer=True, positive=True
)
log_R = symbol("log_R", "a number that is at least ln R_least", r"\ln R_{\min}", positive=True)
first_stage = symbol(
    "first_stage",
    "rounds, or epochs where masks roll, with the first of the step sizes that halve",
    "R_1",
    integer=True,
    positive=True,
)
v_mean = symbol("v_mean", "nu^2 + sigma^2/K", "v", positive=True)
nu_own2 = symbol(
    "nu_own2",
    "(1/N^2) sum_j nu_j^2, nu_j^2 = (1/S) sum_s ||grad h_js(x*) - grad F_j(x*)||^2",
    r"\tfrac1{N^2}\textstyle\sum_j\nu_j^2",
    **_SIZE,
)
nu_v2 = symbol("nu_v2", "(1/n) sum_j ||v_j - mean||^2 of n given vectors", r"\nu^2", **_SIZE)
delta_p = symbol("delta_p", "probability of failure", r"\delta", positive=True)

X_U = quantity(
    "X_U",
    "E <x - x*, U>, U = sum over steps of (mean stochastic gradient - grad F_p(x*))",
    r"\mathbb E\langle x-x_*,U\rangle",
    signed=True,
)
U_2 = quantity("U_2", "E ||U||^2", r"\mathbb E\|U\|^2")
Z_ex = quantity(
    "Z_ex",
    "(E ||w^t - x*||^2 - floor) / contraction^t; may be negative",
    "Z",
    signed=True,
)
B_M2_x = quantity(
    "B_M2_x",
    "(1/NS) sum_{i,s} E ||grad h_is(x) - grad F_M(x)||^2 at the start x of epoch t",
    "B_M^2(x)",
)
Rc_2 = quantity(
    "Rc_2",
    "sum_s E ||w_{s+1} - x - (I - eta K H_s)(w_s - x) + eta K alpha + eta e_s + eta n_s||^2",
    r"\textstyle\sum_s\mathbb E\|w_{s+1}-x-(I-\eta KH_s)(w_s-x)+\dots\|^2",
)
Rs_2 = quantity(
    "Rs_2",
    "sum_s E ||w_{s+1} - x||^2",
    r"\textstyle\sum_s\mathbb E\|w_{s+1}-x\|^2",
)
Hz_2 = quantity(
    "Hz_2",
    "sum_s E ||H_s (w_s - x)||^2",
    r"\textstyle\sum_s\mathbb E\|H_s(w_s-x)\|^2",
)
Hz_x = quantity(
    "Hz_x",
    "sum_s E <H_s (w_s - x), w_s - x>",
    r"\textstyle\sum_s\mathbb E\langle H_s(w_s-x),w_s-x\rangle",
)
Un_2 = quantity(
    "Un_2",
    "E ||w_S - x + eta K sum_s A_s alpha_pi(s) + eta sum_s A_s (e_s + n_s)||^2",
    r"\mathbb E\|w_S-x+\eta K\textstyle\sum_sA_s\alpha_{\pi(s)}+\dots\|^2",
)
Us_2 = quantity("Us_2", "E ||w_S - x||^2", r"\mathbb E\|w_S-x\|^2")
# one entry per outcome of an epoch where Part.index is CLIENT; norms, not squared
A_sum = quantity(
    "A_sum",
    "||sum_s A_s alpha_pi(s)||, not squared, per outcome",
    r"\|\textstyle\sum_sA_s\alpha_{\pi(s)}\|",
)
A_all = quantity(
    "A_all",
    "S ||grad F_M(x)||, not squared, per outcome",
    r"S\|\nabla F_M(x)\|",
)
A_part = quantity(
    "A_part",
    "sum_{s=1}^{S-1} ||sum_{t<s} alpha_pi(t)||, not squared, per outcome",
    r"\textstyle\sum_{s=1}^{S-1}\|\sum_{t<s}\alpha_{\pi(t)}\|",
)
A_diff = quantity(
    "A_diff",
    "||sum_{s<S-1} (A_{s+1} - A_s) sum_{t<=s} alpha_pi(t)||, not squared, per outcome",
    r"\|\textstyle\sum_{s<S-1}(A_{s+1}-A_s)\sum_{t\le s}\alpha_{\pi(t)}\|",
)
Dr_2 = quantity(
    "Dr_2",
    "E ||sum of m vectors drawn without replacement - m mean||^2",
    r"\mathbb E\|\textstyle\sum_{t<s}v_{\pi(t)}-s\bar v\|^2",
)
P_out = quantity(
    "P_out",
    "probability that ||mean of the m drawn - mean|| > c sqrt(8 (1 - (m-1)/n) ln(2/delta) / m), "
    "c the largest ||v_j - mean||",
    r"\Pr\big(\|\tfrac1s\textstyle\sum_{t<s}v_{\pi(t)}-\bar v\|>c\sqrt{8(1-\frac{s-1}S)"
    r"\ln(2/\delta)/s}\big)",
)

NAMES = _draft.closed()
