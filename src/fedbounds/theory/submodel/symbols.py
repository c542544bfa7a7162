"""Constants and quantities of sub-model training; shared ones keep their name.

n is the sheet's N, T its R (of claims about epochs: the number of epochs E), sigma2 its sigma^2.
Numbers that belong to one case are constants, found by name among the case's parameters; what
depends on a round, an epoch, a point or a rung is a quantity. Norms are squared unless the words
say otherwise, so that they are rational where the case is. Where nothing is run, t counts points w
(or pairs x, y) of the domain. F_p and w*(p) stand for F_M and w*(M) where the masks roll.
"""

from fedbounds.theory.language.glossary import Draft

_draft = Draft()
symbol, quantity = _draft.symbol, _draft.quantity

_COUNT = {"integer": True, "positive": True}
_SIZE = {"nonnegative": True}

# ---- masks and domain

dim = symbol("dim", "dimension of w", "d", **_COUNT)
n_s = symbol("n_s", "samples per client", "n_s", **_COUNT)
S_sub = symbol("S_sub", "sub-models of a client", "S", **_COUNT)
p = symbol("p", "keep probability, where all clients have the same", "p", positive=True)
p_2 = symbol("p_2", "a second such keep probability", "p'", positive=True)
p_own = symbol(
    "p_own", "keep probability of the client whose sample is changed", "p_i", positive=True
)
p_mean = symbol("p_mean", "mean keep probability, random masks", r"\bar p", positive=True)
p_mean_2 = symbol("p_mean_2", "mean of a second vector p'", r"\bar p'", positive=True)
p_dist = symbol("p_dist", "(1/N) sum_i |p_i - p'_i|", r"\tfrac1N\sum_i|p_i-p'_i|", **_SIZE)
p_dist_2 = symbol("p_dist_2", "||p - p'||^2 = sum_i (p_i - p'_i)^2", r"\|p-p'\|^2", **_SIZE)
p_spread = symbol(
    "p_spread",
    "(1/N) sum_i sqrt(p_i (1 - p_i)), random masks",
    r"\tfrac1N\sum_i\sqrt{p_i(1-p_i)}",
    **_SIZE,
)
q = symbol("q", "coverage, where all clients have the same", "q", positive=True)
q_own = symbol("q_own", "coverage of the client whose sample is changed", "q_i", positive=True)
q_mean = symbol("q_mean", "mean coverage, rolling masks", r"\bar q", positive=True)
q_mean_2 = symbol("q_mean_2", "mean coverage of a second M'", r"\bar q'", positive=True)
q_spread = symbol(
    "q_spread",
    "(1/N) sum_i sqrt(q_i (1 - q_i)), rolling masks",
    r"\tfrac1N\sum_i\sqrt{q_i(1-q_i)}",
    **_SIZE,
)
c_min = symbol("c_min", "least coverage c_j of a coordinate", r"\min_jc_j", **_SIZE)
c_max = symbol("c_max", "largest coverage c_j of a coordinate", r"\max_jc_j", positive=True)
mask_dist = symbol(
    "mask_dist",
    "(1/NS) sum_{i,s} ||m_{i,s} - m'_{i,s}||, not squared",
    r"\tfrac1{NS}\sum_{i,s}\|m_{i,s}-m'_{i,s}\|",
    **_SIZE,
)
D_dom = symbol("D_dom", "diameter of the domain, not squared", "D", **_SIZE)
W_sup = symbol("W_sup", "largest ||w|| in the domain, not squared", "W", **_SIZE)
G = symbol("G", "bound on ||grad f_i(m o w)||, not squared", "G", **_SIZE)
G_inf = symbol("G_inf", "bound on the entries of a sample's gradient", r"G_\infty", **_SIZE)
G_m = symbol(
    "G_m",
    "bound on E ||m o grad l(m o y; z)||, largest over changed samples and points of the runs",
    "G_m",
    **_SIZE,
)

# ---- definitions 1 to 3: at the optimum x* = w*(p) or w*(M), or as a supremum over w

zeta_star2 = symbol(
    "zeta_star2", "masked heterogeneity (1/N) sum_i E ||grad h_i(x*)||^2", r"\zeta_*^2", **_SIZE
)
nu_star2 = symbol("nu_star2", "its mask variance", r"\nu_*^2", **_SIZE)
B2 = symbol("B2", "dissimilarity sup_w (1/N) sum_i ||grad F_i - grad F_p||^2", "B^2", **_SIZE)
nu2 = symbol(
    "nu2", "mask variance sup_w (1/N) sum_i E ||grad h_i - grad F_i||^2", r"\nu^2", **_SIZE
)
B_M2 = symbol(
    "B_M2", "rolling dissimilarity sup_w (1/NS) sum ||grad h_is - grad F_M||^2", "B_M^2", **_SIZE
)
a_bar2 = symbol("a_bar2", "||grad F_M(x*)||^2", r"\|\bar a\|^2", **_SIZE)
nu_M2 = symbol("nu_M2", "(1/S) sum_s ||a_s - mean a||^2 at x*", r"\nu_M^2", **_SIZE)
zeta_M2 = symbol("zeta_M2", "(1/NS) sum_{i,s} ||grad h_is(x*)||^2", r"\zeta_M^2", **_SIZE)
B_max = symbol("B_max", "largest ||grad F_i - grad F_i'||, not squared", r"B_{\max}", **_SIZE)
Phi = symbol("Phi", "F_p(w^0) - inf F_p, or F_M", r"\Phi", **_SIZE)
D_opt_0 = symbol("D_opt_0", "||w^0 - w*(p)||^2", r"\|w^0-w^*(p)\|^2", **_SIZE)

# ---- minimisers, of one pair p, p' (or M, M') and of p against full masks

opt_dist = symbol("opt_dist", "||w*(p) - w*(p')||^2", r"\|w^*(p)-w^*(p')\|^2", **_SIZE)
gap_at_1 = symbol(
    "gap_at_1", "||grad F_p - grad F_p'||^2 at w*(p)", r"\Delta(p,p';w^*(p))^2", **_SIZE
)
gap_at_2 = symbol(
    "gap_at_2", "||grad F_p - grad F_p'||^2 at w*(p')", r"\Delta(p,p';w^*(p'))^2", **_SIZE
)
full_dist = symbol("full_dist", "||w*(p) - w*||^2", r"\|w^*(p)-w^*\|^2", **_SIZE)
gap_full_at_p = symbol(
    "gap_full_at_p", "||grad F_p - grad F||^2 at w*(p)", r"\Delta(p,\mathbf 1;w^*(p))^2", **_SIZE
)
gap_full_at_1 = symbol(
    "gap_full_at_1", "||grad F_p - grad F||^2 at w*", r"\Delta(p,\mathbf 1;w^*)^2", **_SIZE
)
residual = symbol("residual", "F(w*(p)) - F(w*)", r"(F(w^*(p))-F(w^*))", **_SIZE)
residual_2 = symbol(
    "residual_2", "F(w*(p')) - F(w*), p' = p_2 for all", r"(F(w^*(p'))-F(w^*))", **_SIZE
)
spectral = symbol(
    "spectral",
    "(1/2) sum (1-p)^2 (l-1)^2 b^2 / (l (1+p(l-1))^2), l the eigenvalues of A scaled by its "
    "diagonal, b those coordinates of diag(A)^{-1/2} times the slope, which the sheet leaves open",
    r"\tfrac12\sum\tfrac{(1-p)^2(\lambda-1)^2}{\lambda(1+p(\lambda-1))^2}\beta^2",
    **_SIZE,
)
coupling2 = symbol(
    "coupling2", "||(A - diag A) w*||^2", r"\|(A-\operatorname{diag}A)w^*\|^2", **_SIZE
)
closed_err = symbol(
    "closed_err",
    "||w*(p) - (pA + (1-p) diag A)^{-1} b||^2",
    r"\|w^*(p)-(pA+(1-p)\operatorname{diag}A)^{-1}b\|^2",
    **_SIZE,
)
shift_err = symbol(
    "shift_err",
    "||w*(p) - w* - (1-p) (pA + (1-p) diag A)^{-1} (A - diag A) w*||^2",
    r"\|w^*(p)-w^*-(1-p)(pA+(1-p)\operatorname{diag}A)^{-1}(A-\operatorname{diag}A)w^*\|^2",
    **_SIZE,
)
opt_size = symbol("opt_size", "||w*(p)||^2", r"\|w^*(p)\|^2", **_SIZE)
grad_0_F = symbol("grad_0_F", "||grad F(0)||^2", r"\|\nabla F(0)\|^2", **_SIZE)
grad_0_Fp = symbol("grad_0_Fp", "||grad F_p(0)||^2", r"\|\nabla F_p(0)\|^2", **_SIZE)

var_slope = symbol(
    "var_slope",
    "(1/N) sum_{i,a} [sum_b (A_ab w_b)^2 + max over p in {0, 1} of (slope_a + A_aa w_a + "
    "p sum_b A_ab w_b)^2], b != a, of quadratics at a fixed w",
    "C_w",
    **_SIZE,
)

var_top = symbol(
    "var_top",
    "the same sum for the quadratics of single samples, mean over the samples",
    r"C'_w",
    **_SIZE,
)

# ---- limits as T grows, with everything else fixed

roll_floor = symbol(
    "roll_floor", "limit of E ||w - w*(M)||^2, rolling", r"D_{\mathrm{roll}}^\infty", **_SIZE
)
rand_floor = symbol(
    "rand_floor", "limit of E ||w - w*(p)||^2, random", r"D_{\mathrm{rand}}^\infty", **_SIZE
)
roll_loss = symbol(
    "roll_loss", "limit of E F(w) - F(w*), rolling", r"F_{\mathrm{roll}}^\infty", **_SIZE
)
rand_loss = symbol(
    "rand_loss", "limit of E F(w) - F(w*), random", r"F_{\mathrm{rand}}^\infty", **_SIZE
)
stat_loss = symbol(
    "stat_loss", "limit of E F(w) - F(w*), static", r"F_{\mathrm{stat}}^\infty", **_SIZE
)
shuffle_floor = symbol(
    "shuffle_floor",
    "limit of E ||w - w*(M)||^2 at epoch starts, a new permutation per epoch",
    r"D_{\mathrm{shuffle}}^\infty",
    **_SIZE,
)
fixed_floor = symbol(
    "fixed_floor",
    "the same in the order 1, ..., S in every epoch",
    r"D_{\mathrm{fixed}}^\infty",
    **_SIZE,
)
drawn_floor = symbol(
    "drawn_floor",
    "the same with a sub-model drawn anew in every round, with replacement",
    r"D_{\mathrm{drawn}}^\infty",
    **_SIZE,
)
order_spread = symbol(
    "order_spread",
    "variance over all permutations of the result of one epoch, from one start",
    r"\operatorname{Var}_\pi(w_S)",
    **_SIZE,
)
free_limit = symbol(
    "free_limit",
    "limit of E ||x - w*(M)||^2 without projection",
    r"D_{\mathrm{free}}^\infty",
    **_SIZE,
)
round_limit = symbol(
    "round_limit", "the same, projected once per round", r"D_{\mathrm{round}}^\infty", **_SIZE
)
epoch_limit = symbol(
    "epoch_limit", "the same, projected once per epoch", r"D_{\mathrm{epoch}}^\infty", **_SIZE
)
gap_rand_eq = symbol(
    "gap_rand_eq",
    "|E [F_test - F_train]| of random masks where E F_train reaches a common level",
    r"\Gamma_{\mathrm{rand}}^=",
    **_SIZE,
)
gap_full_eq = symbol(
    "gap_full_eq",
    "the same of full models, at the same level",
    r"\Gamma_{\mathrm{full}}^=",
    **_SIZE,
)
rho_bar = symbol(
    "rho_bar",
    "(1/N) sum_i sqrt(1 - p_i (1 - (1 - eta mu)^{2K}))",
    r"\bar\rho",
    **_SIZE,
)

# ---- of a point w, or of a pair x, y

I_xy = quantity(
    "I_xy",
    "<grad F_p(x) - grad F_p(y), x - y>",
    r"\langle\nabla F_p(x)-\nabla F_p(y),x-y\rangle",
    signed=True,
)
D_xy = quantity("D_xy", "||x - y||^2", r"\|x-y\|^2")
G_xy = quantity(
    "G_xy",
    "||grad F_p(x) - grad F_p(y)||^2",
    r"\|\nabla F_p(x)-\nabla F_p(y)\|^2",
)
Dl_w = quantity(
    "Dl_w",
    "E ||grad F_p(w) - grad F(w)||^2 (of a point, or of the iterate w^t)",
    r"\Delta(p,\mathbf 1;w)^2",
)
Dl_pp = quantity("Dl_pp", "||grad F_p(w) - grad F_p'(w)||^2", r"\Delta(p,p';w)^2")
G_miss = quantity(
    "G_miss",
    "(1/N) sum_i (1 - p_i) ||grad f_i(w)||, q_i where masks roll; not squared",
    r"\tfrac1N\textstyle\sum_i(1-p_i)\|\nabla f_i(w)\|",
)
w_2 = quantity("w_2", "||w||^2", r"\|w\|^2")
w_1 = quantity("w_1", "||w||_1", r"\|w\|_1")
G_w2 = quantity(
    "G_w2",
    "largest ||grad f_i(m o w)||^2 over clients i and all masks m",
    "G_w^2",
)
Eq_2 = quantity(
    "Eq_2",
    "(1/N) sum_i ||grad F_i(p_i, w) - (p_i^2 A_i + p_i (1-p_i) diag A_i) w + p_i b_i||^2",
    r"\tfrac1N\textstyle\sum_i\|\nabla F_i-(p_i^2A_i+p_i(1-p_i)\operatorname{diag}A_i)w+p_ib_i\|^2",
)
Sq_2 = quantity(
    "Sq_2",
    "(1/N) sum_i ||grad F_i(p_i, w)||^2",
    r"\tfrac1N\textstyle\sum_i\|\nabla F_i(p_i,w)\|^2",
)
Es_2 = quantity(
    "Es_2",
    "||grad F(w) - grad F_p(w)/p - (1-p) (A - diag A) w||^2",
    r"\|\nabla F(w)-\tfrac1p\nabla F_p(w)-(1-p)(A-\operatorname{diag}A)w\|^2",
)
g_F = quantity("g_F", "E ||grad F(w)||^2 (of a point, or of w^t)", r"\|\nabla F(w)\|^2")
g_Fp = quantity(
    "g_Fp",
    "E ||grad F_p(w)||^2, or F_M (of a point, of w^t, or of the start of epoch t)",
    r"\mathbb E\|\nabla F_p(w)\|^2",
)
L_hat = quantity(
    "L_hat",
    "E F(w^) - F(w*), w^ = P(w - grad F_p(w)/L) (of a point, or of w^t)",
    r"(F(\hat w)-F(w^*))",
)
L_F = quantity("L_F", "E F(w^t) - F(w*)", r"(\mathbb EF(w^t)-F(w^*))")
L_Fp = quantity(
    "L_Fp",
    "E F_p(w^t) - inf F_p, or F_M at epoch t",
    r"(\mathbb EF_p(w^t)-F_p^{\inf})",
)
D_full = quantity("D_full", "E ||w - w*||^2 (of a point, or of w^t)", r"\|w-w^*\|^2")

# ---- of a round; of epoch t, from its start x, where the masks roll

D_opt = quantity(
    "D_opt",
    "E ||w - w*(p)||^2 (of a point, of w^t, or of the start of epoch t)",
    r"\mathbb E\|w^t-w^*(p)\|^2",
    left=True,
)
V_bar = quantity(
    "V_bar",
    "sum_k (1/N) sum_i E ||y_{i,k} - x||^2, over all rounds s of the epoch where masks roll",
    r"\bar V",
)
H_x = quantity("H_x", "(1/N) sum_i E ||grad h_i(w^t)||^2 over fresh masks", "H")
D_br = quantity(
    "D_br",
    "E [F_p(x) - F_p(x*) - <grad F_p(x*), x - x*>], x* = w*(p)",
    "D(x)",
)
B2_x = quantity(
    "B2_x",
    "(1/N) sum_i E ||grad F_i(w^t) - grad F_p(w^t)||^2",
    "B^2(w^t)",
)
nu2_x = quantity(
    "nu2_x",
    "(1/N) sum_i E ||grad h_i(w^t) - grad F_i(w^t)||^2 over fresh masks",
    r"\nu^2(w^t)",
)
Ev_2 = quantity(
    "Ev_2",
    "sum_{i,k} E ||m o y_{i,k} - w_{i,k}||^2 + E ||(1-m) o (y_{i,k} - w^t)||^2, k = 0, ..., K",
    r"\textstyle\sum_{i,k}\mathbb E\|m\odot y_{i,k}-w_{i,k}\|^2+\dots",
)
Sv_2 = quantity(
    "Sv_2",
    "sum_{i,k} E ||y_{i,k}||^2, k = 0, ..., K",
    r"\textstyle\sum_{i,k}\mathbb E\|y_{i,k}\|^2",
)
Ea_2 = quantity(
    "Ea_2",
    "E ||w^{t+1} - P((1/N) sum_i y_{i,K})||^2",
    r"\mathbb E\|w^{t+1}-P_{\mathcal W}(\tfrac1N\textstyle\sum_iy_{i,K})\|^2",
)
Sa_2 = quantity("Sa_2", "E ||w^{t+1}||^2", r"\mathbb E\|w^{t+1}\|^2")
Er_2 = quantity(
    "Er_2",
    "E ||w^{t+1} - that of local SGD from the same start on the same samples||^2",
    r"\mathbb E\|w^{t+1}-w^{t+1}_{\mathrm{SGD}}\|^2",
)
Sr_2 = quantity("Sr_2", "E ||w^{t+1}||^2 of local SGD", r"\mathbb E\|w^{t+1}_{\mathrm{SGD}}\|^2")

# ---- of coupled runs, after t rounds (also where the masks roll); expectations are over masks,
# sample indices, both data sets

dl_w = quantity(
    "dl_w",
    "E ||w^t - w'^t|| for one changed sample (i, j), not squared",
    r"\mathbb E\|w^t-w'^t\|",
)
dl_mean = quantity(
    "dl_mean",
    "its mean over all changed samples (i, j)",
    r"\tfrac1{Nn}\textstyle\sum_{ij}\mathbb E\|w^t-w'^t\|",
)
G_pair = quantity(
    "G_pair",
    "sum_k E [||m o grad l(y_k; z_ij)|| + ||m o grad l(y'_k; z'_ij)||] of client i in round t",
    r"\textstyle\sum_k\mathbb E[\|m\odot\nabla\ell(y_k;z)\|+\|m\odot\nabla\ell(y'_k;z')\|]",
)
st_max = quantity(
    "st_max",
    "largest over i, j of E |l(w^t; z') - l(w'^t; z')|, z' the new sample",
    r"\varepsilon",
)
st_mean = quantity(
    "st_mean",
    "mean over i, j of E |l(w^t; z') - l(w'^t; z')|",
    r"\bar\varepsilon",
)
gen = quantity(
    "gen",
    "E [F_pop(w^t) - F_S(w^t)]",
    r"\mathbb E[F_{\mathrm{pop}}(w^t)-F_{\mathcal S}(w^t)]",
    signed=True,
)
ex_w = quantity(
    "ex_w",
    "E F_pop(w^t) - E min F_S",
    r"(\mathbb EF_{\mathrm{pop}}(w^t)-\mathbb E\min F_{\mathcal S})",
    signed=True,
)
ex_hat = quantity(
    "ex_hat",
    "E F_pop(w^) - E min F_S, w^ one projected step of F_p from w^t",
    r"(\mathbb EF_{\mathrm{pop}}(\hat w)-\mathbb E\min F_{\mathcal S})",
    signed=True,
)

# ---- of two algorithms side by side, with the same step size, steps, rounds and share of w

D_roll = quantity("D_roll", "E ||w^t - w*(M)||^2 of rolling masks", r"D_{\mathrm{roll}}")
D_rand = quantity("D_rand", "E ||w^t - w*(p)||^2 of random masks", r"D_{\mathrm{rand}}")
L_roll = quantity("L_roll", "E F(w^t) - F(w*), rolling", r"F_{\mathrm{roll}}")
L_rand = quantity("L_rand", "E F(w^t) - F(w*), random", r"F_{\mathrm{rand}}")
L_stat = quantity("L_stat", "E F(w^t) - F(w*), static", r"F_{\mathrm{stat}}")
Eu_2 = quantity(
    "Eu_2",
    "E ||w^t - w^0||^2 over the coordinates that no client holds",
    r"\mathbb E\|w^t-w^0\|_{\mathrm{unheld}}^2",
)
Su_2 = quantity("Su_2", "||w^0||^2", r"\|w^0\|^2")
tg_rand = quantity(
    "tg_rand",
    "|E [F_test - F_train]| of random masks after t rounds",
    r"\Gamma_{\mathrm{rand}}",
)
tg_scaled = quantity(
    "tg_scaled",
    "the same where models are scaled by p, as the scalar module of the experiments does",
    r"\Gamma_{\mathrm{rand}}(pw)",
)
tg_full = quantity(
    "tg_full",
    "|E [F_test - F_train]| of full models after t rounds",
    r"\Gamma_{\mathrm{full}}",
)

# ---- of a rung, counted by t: p or the capacity, S, K, R grows from rung to rung

R_p = quantity("R_p", "F(w*(p)) - F(w*)", r"(F(w^*(p))-F(w^*))")
q_miss = quantity("q_miss", "1 - p, all clients alike", "(1-p)")
B2_fix = quantity("B2_fix", "B^2(p) at a fixed w", "B^2(w)")
B2_sup = quantity("B2_sup", "B^2(p), the supremum over the domain", "B^2")
vr_s = quantity(
    "vr_s",
    "(1/N) sum_i E ||m o (grad f_i(m o w; xi) - grad f_i(m o w))||^2 at a fixed w",
    r"\sigma^2(p)",
)
vr_m = quantity("vr_m", "(1/N) sum_i E ||grad h_i(w) - grad F_i(w)||^2 there", r"\nu^2(p)")
vr_all = quantity("vr_all", "the sum of both", r"\delta^2(p)")
K_r = quantity("K_r", "local steps K of the rung", "K_t")
G_lead = quantity(
    "G_lead",
    "limit as eta K -> 0 of (1/(eta K)) lim_R E ||grad F_p(w^R)||^2, sigma = 0",
    r"\lim_{\eta K\to0}\tfrac1{\eta K}\lim_R\mathbb E\|\nabla F_p(w^R)\|^2",
)
D_r = quantity(
    "D_r",
    "E ||w^R - w*(p)||^2 after the rung's R rounds, eta K = 2 ln R / (mu pbar R)",
    r"\mathbb E\|w^R-w^*(p)\|^2",
)
ln2_r = quantity("ln2_r", "(ln R)^2 / R of the rung", r"\tfrac{\ln^2R}R")
A_r = quantity("A_r", "|E F(w^R) - F(w*(p))|, same runs", r"|\mathbb EF(w^R)-F(w^*(p))|")
F_r = quantity(
    "F_r",
    "E F(w^R) - F(w*) after the rung's R rounds, step sizes halved from stage to stage",
    r"(\mathbb EF(w^R)-F(w^*))",
)
R_r = quantity("R_r", "rounds R of the rung", "R_t")
L_r = quantity("L_r", "E F(w^R) - F(w*) after a common R", r"(\mathbb EF(w^R)-F(w^*))")
L_lim = quantity(
    "L_lim",
    "limit of E F(w^R) - F(w*) as R grows",
    r"\lim_R(\mathbb EF(w^R)-F(w^*))",
)
dl_r = quantity("dl_r", "E ||w^R - w'^R|| after a common R", r"\mathbb E\|w^R-w'^R\|")
dl_lim = quantity(
    "dl_lim",
    "limit of E ||w^R - w'^R|| as R grows",
    r"\lim_R\mathbb E\|w^R-w'^R\|",
)

NAMES = _draft.closed()
