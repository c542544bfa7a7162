"""Names of this paper alone."""

from fedbounds.theory.language.glossary import Draft

_draft = Draft()
symbol, quantity = _draft.symbol, _draft.quantity

_COUNT = {"integer": True, "positive": True}
psi_max = symbol("psi_max", "largest compensation factor", r"\overline\psi", positive=True)
psi_min = symbol("psi_min", "smallest compensation factor", r"\underline\psi", positive=True)
psi_i = symbol("psi_i", "compensation factor of a coordinate", r"\psi_i", positive=True)
w_i = symbol(
    "w_i",
    "share of the clients that train a coordinate",
    r"\textstyle\sum_kc_k(m_k)_i",
    positive=True,
)
rho_k = symbol("rho_k", "masked alignment of a client", r"\rho_k", positive=True)
rho_min = symbol("rho_min", "smallest masked alignment", r"\underline\rho", positive=True)
c_k = symbol("c_k", "share of a client", "c_k", positive=True)
d_k = symbol("d_k", "coordinates that a client trains", r"\|m_k\|_0", **_COUNT)
alpha_k = symbol("alpha_k", "attenuation of a client", r"\alpha_{r_k}", positive=True)
norm_g = symbol("norm_g", "norm of a client's gradient", r"\|\nabla F_k(W_k^t)\|", positive=True)
norm_x = symbol("norm_x", "distance of a client's model", r"\|W^t-W_k^t\|", positive=True)
norm_y = symbol("norm_y", "distance of a model from W*", r"\|W-W^*\|", positive=True)
cos_1 = symbol("cos_1", "|cos theta_1|", r"|\cos\theta_1|", positive=True)
cos_2 = symbol("cos_2", "|cos theta_2|", r"|\cos\theta_2|", positive=True)
cos_3 = symbol("cos_3", "cos theta_3", r"\cos\theta_3", positive=True)
Gamma = symbol("Gamma", "sum_k c_k alpha_k^2", r"\Gamma", nonnegative=True)
Gamma_2 = symbol(
    "Gamma_2", "sum_k c_k^2 alpha_k^2", r"\textstyle\sum_kc_k^2\alpha_{r_k}^2", nonnegative=True
)
Lambda = symbol("Lambda", "heterogeneity sum_k c_k (F* - F_k*)", r"\Lambda", nonnegative=True)
nu_max = symbol("nu_max", "largest bracket of Step 4.4", r"\nu", positive=True)
z = symbol("z", "contraction per unit of step size", "z", positive=True)
B_step = symbol("B_step", "what a squared step size adds", "B", nonnegative=True)
D_0 = symbol("D_0", "squared distance at the start", "D^0", nonnegative=True)
C_rate = symbol("C_rate", "constant of the rate", "C", positive=True)
w_first = symbol("w_first", "z - L, positive as 1/z < 1/L", "(z-L)", positive=True)
w_large = symbol(
    "w_large",
    "psi_min rho_min - 1 - 2 (psi_max alpha_k)^2, if positive",
    r"(\underline\psi\,\underline\rho-1-2\overline\psi^2\alpha_{r_k}^2)",
    positive=True,
)
w_gap = symbol("w_gap", "1/eta - z, positive as eta < 1/z", r"(\tfrac1\eta-z)", positive=True)
D_late = quantity("D_late", "D^{K+k} of the recursion with equality", "D^{K+k}")
D_1 = quantity(
    "D_1",
    "E ||W^t + Delta^t - W*||^2",
    r"\mathbb E\|W^t+\Delta^t-W^*\|^2",
)
A_1 = quantity("A_1", "E ||Delta - mean Delta||^2", r"\mathbb E A_1")
A_2 = quantity("A_2", "E ||W - W* + mean Delta||^2", r"\mathbb E A_2")
A_3 = quantity(
    "A_3",
    "2 E <Delta - mean Delta, W - W* + mean Delta>",
    r"\mathbb E A_3",
    signed=True,
)
A_21 = quantity("A_21", "E ||mean Delta||^2", r"\mathbb E A_{2.1}")
A_22 = quantity("A_22", "2 E <W - W*, mean Delta>", r"\mathbb E A_{2.2}", signed=True)
A_24 = quantity("A_24", "terms of A_2 in values of F_k", r"\mathbb E A_{2.4}", signed=True)
V_W = quantity(
    "V_W",
    "sum_k c_k E ||W_k - W||^2",
    r"\textstyle\sum_kc_k\mathbb E\|W_k^t-W^t\|^2",
)
F_loc = quantity("F_loc", "sum_k c_k (F_k(W_k) - F_k*)", r"\textstyle\sum_kc_k(F_k(W_k^t)-F_k^*)")
F_att = quantity(
    "F_att",
    "sum_k c_k alpha_k^2 (F_k(W_k) - F_k*)",
    r"\textstyle\sum_kc_k\alpha_{r_k}^2(F_k(W_k^t)-F_k^*)",
)
F_raw = quantity(
    "F_raw",
    "sum_k alpha_k^2 (F_k(W_k) - F_k*)",
    r"\textstyle\sum_k\alpha_{r_k}^2(F_k(W_k^t)-F_k^*)",
)
F_opt = quantity(
    "F_opt",
    "sum_k c_k (F_k(W_k) - F_k(W*))",
    r"\textstyle\sum_kc_k(F_k(W_k^t)-F_k(W^*))",
    signed=True,
)
b_rho = quantity("b_rho", "sum_k c_k rho_k b_k", r"\textstyle\sum_kc_k\rho_k^tb_k", signed=True)
b_own = quantity("b_own", "F_k(W_k) - F_k(W*) + (mu/2) ||W_k - W*||^2", "b_k", signed=True)
F_star = quantity("F_star", "sum_k c_k (F_k(W*) - F_k*)", r"\textstyle\sum_kc_k(F_k(W^*)-F_k^*)")
F_glob = quantity("F_glob", "F(W) - F*", r"(F(W^t)-F^*)")
F_gatt = quantity(
    "F_gatt",
    "sum_k c_k alpha_k^2 (F_k(W) - F*)",
    r"\textstyle\sum_kc_k\alpha_{r_k}^2(F_k(W^t)-F^*)",
    signed=True,
)
Lam_att = quantity(
    "Lam_att",
    "sum_k c_k alpha_k^2 (F* - F_k*)",
    r"\textstyle\sum_kc_k\alpha_{r_k}^2(F^*-F_k^*)",
    signed=True,
)
U_coord = quantity(
    "U_coord",
    "one coordinate of sum_k c_k m_k U_k",
    r"\textstyle\sum_kc_k(m_k\odot U_k^t)_i",
    signed=True,
)
F_own = quantity("F_own", "F_k(W_k) - F_k*", r"(F_k(W_k^t)-F_k^*)")
F_bar = quantity("F_bar", "F_k(W) - F_k*", r"(F_k(W^t)-F_k^*)")
F_gap = quantity("F_gap", "F* - F_k*", r"(F^*-F_k^*)", signed=True)
cos_g = quantity("cos_g", "cosine of grad F_k with W - W*", r"\cos\theta_1", signed=True)
cos_m = quantity(
    "cos_m",
    "cosine of the masked gradient with W - W*",
    r"\cos\theta_2",
    signed=True,
)


psi_sup = symbol(
    "psi_sup",
    "largest |psi_i| of all coordinates, those that nobody trains among them",
    r"\|\psi\|_\infty",
    positive=True,
)
psi_inf = symbol(
    "psi_inf",
    "smallest psi_i of all coordinates, those that nobody trains among them, if it is positive",
    r"(\textstyle\min_i\psi_i)",
    positive=True,
)
w_free = symbol(
    "w_free",
    "less that smallest psi_i, where it is not positive",
    r"(-\textstyle\min_i\psi_i)",
    nonnegative=True,
)
sgn_3 = quantity("sgn_3", "sign of cos theta_3", r"\operatorname{sgn}\cos\theta_3")

NAMES = _draft.closed()
