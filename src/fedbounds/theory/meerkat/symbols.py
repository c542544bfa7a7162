"""Names of this paper alone; shared ones keep theirs.

n is the paper's number of clients K, K its number of local steps T, T its number of rounds R; where
rounds are local steps, T is the paper's T. sigma2 is its sigma^2.
"""

from fedbounds.facts import Constant
from fedbounds.theory.language.glossary import Draft

_draft = Draft()
symbol, quantity = _draft.symbol, _draft.quantity

u = symbol("u_m", "coordinates that the mask keeps", "u", integer=True, positive=True)
u_ratio = symbol("u_ratio", "share of the coordinates that the mask keeps", "(u/d)", positive=True)
c = symbol("c_m", "share of a squared gradient that the mask keeps", "c", positive=True)
c_h = symbol("c_h", "heterogeneity, times the squared global gradient", "c_h", positive=True)
sigma_h = symbol("sigma_h", "heterogeneity that stays", r"\sigma_h", nonnegative=True)
mu_PL = symbol(Constant.PL, "PL constant of f", r"\mu", positive=True)
Delta = symbol(
    "Delta", "(1/n) sum_k ||w_k* - w*||^2", r"\tfrac1K\textstyle\sum_k\Delta_k", nonnegative=True
)

V_k = quantity("V_k", "E f_k(w_k^t) - f_k*", r"\mathbb E(f_k(w_k^t)-f_k^*)")
g_k2 = quantity("g_k2", "E ||grad f_k(w_k^t)||^2", r"\mathbb E\|\nabla f_k(w_k^t)\|^2")
mg_k2 = quantity(
    "mg_k2", "E ||m o grad f_k(w_k^t)||^2", r"\mathbb E\|\mathbf m\odot\nabla f_k(w_k^t)\|^2"
)
est_2 = quantity(
    "est_2", "E ||estimate of grad f_k(w_k^t)||^2", r"\mathbb E\|\widehat\nabla f_k^t\|^2"
)
s_k2 = quantity(
    "s_k2",
    "E ||gradient of a sample at w_k^t||^2",
    r"\mathbb E\|\nabla f_k(w_k^t;(x_t,y_t))\|^2",
)
bias_2 = quantity(
    "bias_2",
    "E ||E_z[estimate] - m o grad f_k(w_k^t)||^2",
    r"\mathbb E\|\mathbb E_{\bar z}\widehat\nabla f_k^t-\mathbf m\odot\nabla f_k(w_k^t)\|^2",
)

# ---- of a round

delta = symbol("young", "Young's parameter", r"\delta", positive=True)
Q = symbol("Q", "what (15) divides by", "Q", positive=True)
q_17 = symbol("q_17", "what (17) divides by, over eta T", "q", positive=True)
G_f = quantity("G_f", "E ||grad f(w^r)||^2", r"\mathbb E\|\nabla f(w^r)\|^2")
G_1 = quantity("G_1", "E ||grad f(w^r)||, not squared", r"\mathbb E\|\nabla f(w^r)\|")
M_f = quantity("M_f", "E ||m o grad f(w^r)||^2", r"\mathbb E\|\mathbf m\odot\nabla f(w^r)\|^2")
V_m = quantity(
    "V_m",
    "(1/n) sum_k E (f_k(w^r) - f_k*)",
    r"\tfrac1K\textstyle\sum_k\mathbb E(f_k(w^r)-f_k^*)",
)
X_f = quantity(
    "X_f",
    "E <grad f(w^r), w^{r+1} - w^r>",
    r"\mathbb E\langle\nabla f(w^r),w^{r+1}-w^r\rangle",
    signed=True,
)
X_own = quantity(
    "X_own",
    "(1/n) sum_k E <grad f_k(w^r), w_k^{r,T} - w^r>",
    r"\tfrac1K\textstyle\sum_k\mathbb E\langle\nabla f_k(w^r),w_k^{r,T}-w^r\rangle",
    signed=True,
)
X_est = quantity(
    "X_est",
    "(1/nK) sum_k sum_t E <grad f(w^r), estimate>",
    r"\tfrac1{KT}\textstyle\sum_{k,t}\mathbb E\langle\nabla f(w^r),\widehat\nabla f_k^{r,t}\rangle",
    signed=True,
)
X_mask = quantity(
    "X_mask",
    "(1/nK) sum_k sum_t E <grad f(w^r), m o grad f_k(w_k^{r,t})>",
    r"\tfrac1{KT}\textstyle\sum_{k,t}"
    r"\mathbb E\langle\nabla f(w^r),\mathbf m\odot\nabla f_k(w_k^{r,t})\rangle",
    signed=True,
)
est_m = quantity(
    "est_m",
    "(1/nK) sum_k sum_t E ||estimate||^2",
    r"\tfrac1{KT}\textstyle\sum_{k,t}\mathbb E\|\widehat\nabla f_k^{r,t}\|^2",
)
drift = quantity(
    "drift",
    "(1/nK) sum_k sum_t E ||w_k^{r,t} - w^r||^2",
    r"\tfrac1{KT}\textstyle\sum_{k,t}\mathbb E\|w_k^{r,t}-w^r\|^2",
)
Dw_2 = quantity("Dw_2", "E ||w^{r+1} - w^r||^2", r"\mathbb E\|w^{r+1}-w^r\|^2")

# ---- of Meerkat-vp: kept clients take all local steps, the others one

K_g = symbol("K_g", "clients that take all local steps", "K_g", integer=True, nonnegative=True)
K_b = symbol("K_b", "clients that are stopped after one", "K_b", integer=True, nonnegative=True)
gamma_g = symbol(
    "gamma_g", "what kept clients have of all gaps, at most 1", r"\gamma", positive=True
)
C_S = symbol("C_S", "what (28) divides by", "C_S'", positive=True)
D_delta = symbol("D_delta", "n over Young's parameter", r"D_\delta", positive=True)
V_g = quantity(
    "V_g",
    "(1/n) sum over kept clients of E (f_k(w^r) - f_k*)",
    r"\tfrac1K\textstyle\sum_{K_g}\mathbb E(f_k(w^r)-f_k^*)",
)
X_g = quantity(
    "X_g",
    "(1/nK) sum over kept clients and steps of E <grad f(w^r), m o grad f_k(w_k^{r,t})>",
    r"\tfrac1{KT}\textstyle\sum_{K_g,t}"
    r"\mathbb E\langle\nabla f(w^r),\mathbf m\odot\nabla f_k(w_k^{r,t})\rangle",
    signed=True,
)
X_b = quantity(
    "X_b",
    "(1/n) sum over stopped clients of E <grad f(w^r), m o grad f_k(w^r)>",
    r"\tfrac1K\textstyle\sum_{K_b}"
    r"\mathbb E\langle\nabla f(w^r),\mathbf m\odot\nabla f_k(w^r)\rangle",
    signed=True,
)
X_ge = quantity(
    "X_ge",
    "(1/nK) sum over kept clients and steps of E <grad f(w^r), estimate>",
    r"\tfrac1{KT}\textstyle\sum_{K_g,t}"
    r"\mathbb E\langle\nabla f(w^r),\widehat\nabla f_k^{r,t}\rangle",
    signed=True,
)
X_be = quantity(
    "X_be",
    "(1/n) sum over stopped clients of E <grad f(w^r), estimate at w^r>",
    r"\tfrac1K\textstyle\sum_{K_b}\mathbb E\langle\nabla f(w^r),\widehat\nabla f_k^{r,0}\rangle",
    signed=True,
)
g_g = quantity(
    "g_g",
    "(1/nK) sum over kept clients and steps of E ||grad f_k(w_k^{r,t})||^2",
    r"\tfrac1{KT}\textstyle\sum_{K_g,t}\mathbb E\|\nabla f_k(w_k^{r,t})\|^2",
)
g_b = quantity(
    "g_b",
    "(1/n) sum over stopped clients of E ||grad f_k(w^r)||^2",
    r"\tfrac1K\textstyle\sum_{K_b}\mathbb E\|\nabla f_k(w^r)\|^2",
)

est_g = quantity(
    "est_g",
    "(1/nK) sum over the local steps that are taken of E ||estimate||^2",
    r"\tfrac1{KT}\textstyle\sum_{k,t<T_k}\mathbb E\|\widehat\nabla f_k^{r,t}\|^2",
)
drift_g = quantity(
    "drift_g",
    "(1/nK) sum over the local steps that are taken of E ||w_k^{r,t} - w^r||^2",
    r"\tfrac1{KT}\textstyle\sum_{k,t<T_k}\mathbb E\|w_k^{r,t}-w^r\|^2",
)

taken_share = symbol(
    "taken_share", "share of the local steps that are taken, A/(nK)", r"\rho", positive=True
)
near = symbol("near", "1 - c_h", "(1-c_h)", positive=True)

# ---- of GradIP: f_p is the pre-training objective

GradIP = quantity(
    "GradIP", "E <grad f_p, estimate>", r"\mathbb E\,\mathrm{GradIP}_k^t", signed=True
)
GradIP_2 = quantity("GradIP_2", "E <grad f_p, estimate>^2", r"\mathbb E(\mathrm{GradIP}_k^t)^2")
est_one = quantity(
    "est_one",
    "E ||estimate||^2, where there is one client",
    r"\mathbb E\|\widehat\nabla f_k^t\|^2",
)
pre_2 = symbol("pre_2", "||grad f_p||^2", r"\|\nabla f_p\|^2", positive=True)
pre_m2 = symbol("pre_m2", "||m o grad f_p||^2", r"\|\mathbf m\odot\nabla f_p\|^2", nonnegative=True)
noise_m2 = symbol(
    "noise_m2",
    "E ||m o (gradient of a sample - grad f_k)||^2",
    r"\mathbb E\|\mathbf m\odot\varepsilon_k\|^2",
    nonnegative=True,
)
lim_mean2 = symbol(
    "lim_mean2",
    "square of the limit of E GradIP",
    r"(\lim_t\mathbb E\,\mathrm{GradIP}_k^t)^2",
    nonnegative=True,
)
lim_GradIP2 = symbol(
    "lim_GradIP2",
    "limit of E GradIP^2",
    r"\lim_t\mathbb E(\mathrm{GradIP}_k^t)^2",
    nonnegative=True,
)
lim_g2 = symbol(
    "lim_g2",
    "limit of E ||grad f_k(w_k^t)||^2",
    r"\lim_t\mathbb E\|\nabla f_k(w_k^t)\|^2",
    nonnegative=True,
)
lim_est2 = symbol(
    "lim_est2",
    "limit of E ||estimate||^2",
    r"\lim_t\mathbb E\|\widehat\nabla f_k^t\|^2",
    nonnegative=True,
)
falls_2 = quantity(
    "falls_2",
    "E GradIP^2 in the first step, less its limit",
    r"\mathbb E(\mathrm{GradIP}_k^0)^2-\lim_t\mathbb E(\mathrm{GradIP}_k^t)^2",
    signed=True,
)
falls_1 = quantity(
    "falls_1",
    "E GradIP in the first step, less its limit",
    r"\mathbb E\,\mathrm{GradIP}_k^0-\lim_t\mathbb E\,\mathrm{GradIP}_k^t",
    signed=True,
)

f_depth = symbol(
    "f_depth", "how far below 0 f is at least, where factors are trained", r"-f^*_W",
    nonnegative=True,
)  # fmt: skip

# ---- where nothing is run: a second value of what is varied, and what is sent

u_2 = symbol("u_2", "another count of kept coordinates", "u'", integer=True, positive=True)
u_ratio2 = symbol("u_ratio2", "another density", "(u'/d)", positive=True)
c_2 = symbol("c_m2", "what another mask keeps", "c'", positive=True)
c_h2 = symbol("c_h2", "another heterogeneity", "c_h'", positive=True)
coordinates = symbol("d_all", "coordinates of the model", "d", integer=True, positive=True)
bytes_value = symbol("bytes_value", "bytes of a number", "b_v", positive=True)
bytes_seed = symbol("bytes_seed", "bytes of a seed", "b_s", positive=True)

# ---- of a cross-entropy

e_1, e_2, e_3 = (
    symbol(f"exp_h{j}", f"exp of logit {j}", f"e^{{h_{j}}}", positive=True) for j in (1, 2, 3)
)
delta_1, delta_2 = (
    symbol(f"delta_p{i}", f"1 - p_y of sample {i}", rf"\delta_{i}", positive=True) for i in (1, 2)
)
J_11, J_12, J_21, J_22 = (
    symbol(f"J_{i}{j}", f"d h_{j} / d w_{i}", f"J_{{{i}{j}}}", nonnegative=True)
    for i in (1, 2)
    for j in (1, 2)
)
J_1, J_2, Jp_1, Jp_2 = (
    symbol(f"{name}_{j}", f"d h_{j} / d w {told}", f"{name}_{j}", nonnegative=True)
    for name, told in (("J", "of sample 1"), ("Jp", "of sample 2"))
    for j in (1, 2)
)

# ---- of the paper's tables

acc_meerkat = symbol(
    "acc_meerkat", "average accuracy of Meerkat", r"\mathrm{acc}_{\rm meerkat}", nonnegative=True
)
acc_full = symbol(
    "acc_full", "average accuracy of Full-FedZO", r"\mathrm{acc}_{\rm full}", nonnegative=True
)
acc_magnitude = symbol(
    "acc_magnitude",
    "average accuracy of masks by weight magnitude",
    r"\mathrm{acc}_{\rm magnitude}",
    nonnegative=True,
)
acc_LoRA = symbol(
    "acc_LoRA", "average accuracy of LoRA-FedZO", r"\mathrm{acc}_{\rm LoRA}", nonnegative=True
)
acc_vp = symbol(
    "acc_vp", "average accuracy of Meerkat-vp", r"\mathrm{acc}_{\rm vp}", nonnegative=True
)
acc_task = symbol(
    "acc_task",
    "average accuracy of masks by task gradients",
    r"\mathrm{acc}_{\rm task}",
    nonnegative=True,
)
acc_half = symbol(
    "acc_half",
    "average accuracy of Meerkat at density 0.5",
    r"\mathrm{acc}_{\rm half}",
    nonnegative=True,
)
wins_full = symbol(
    "wins_full",
    "tasks on which Meerkat is above Full-FedZO",
    r"\mathrm{wins}_{\rm full}",
    integer=True,
    nonnegative=True,
)
wins_magnitude = symbol(
    "wins_magnitude",
    "tasks on which Meerkat is above masks by weight magnitude",
    r"\mathrm{wins}_{\rm magnitude}",
    integer=True,
    nonnegative=True,
)
wins_LoRA = symbol(
    "wins_LoRA",
    "tasks on which Meerkat is above LoRA-FedZO",
    r"\mathrm{wins}_{\rm LoRA}",
    integer=True,
    nonnegative=True,
)
mean_meerkat = symbol(
    "mean_meerkat",
    "that of Meerkat over models and data",
    r"\mathrm{mean}_{\rm meerkat}",
    nonnegative=True,
)
mean_magnitude = symbol(
    "mean_magnitude",
    "that of masks by weight magnitude over models and data",
    r"\mathrm{mean}_{\rm magnitude}",
    nonnegative=True,
)
mean_task = symbol(
    "mean_task",
    "that of masks by task gradients over models and data",
    r"\mathrm{mean}_{\rm task}",
    nonnegative=True,
)
mean_half = symbol(
    "mean_half",
    "that of Meerkat at density 0.5 over models and data",
    r"\mathrm{mean}_{\rm half}",
    nonnegative=True,
)
tasks = symbol("tasks", "tasks", "N", integer=True, positive=True)

NAMES = _draft.closed()
