"""Names of this paper alone."""

from fedbounds.facts import Constant
from fedbounds.theory.language.glossary import Draft

_draft = Draft()
symbol, quantity = _draft.symbol, _draft.quantity

G_0 = symbol(
    Constant.INITIAL_GRADIENT,
    "||grad_u f(u^0, v^0)||^2",
    r"\|\nabla_u f(u^0,\mathbf v^0)\|^2",
    nonnegative=True,
)
T_1u = quantity("T_1u", "shared first-order term of the descent", "T_{1,u}", signed=True)
T_1v = quantity("T_1v", "personal first-order term of the descent", r"T_{1,\mathbf v}", signed=True)
T_2u = quantity("T_2u", "shared second-order term", "T_{2,u}")
T_2v = quantity("T_2v", "personal second-order term", r"T_{2,\mathbf v}")
T_3u = quantity("T_3u", "spread of the clients' shared updates", "T_{3,u}")
E = quantity("E", "drift of the local iterates, summed over clients and steps", r"\mathcal E")
S_2 = quantity(
    "S_2",
    "E ||(1/m) sum of participants' vectors||^2",
    r"\mathbb E\|\tfrac1m\textstyle\sum_i 1_{i\in\mathcal S}X_i\|^2",
)
X_2 = quantity("X_2", "E ||mean vector||^2", r"\mathbb E\|\bar X\|^2")
D_2 = quantity("D_2", "sum_i E ||X_i - mean||^2", r"\textstyle\sum_i\mathbb E\|X_i-\bar X\|^2")
O_2 = quantity("O_2", "sum_i E ||X_i||^2", r"\textstyle\sum_i\mathbb E\|X_i\|^2")
N_2 = quantity(
    "N_2",
    "sum over i != j of E <X_i, X_j>",
    r"\textstyle\sum_{i\ne j}\mathbb E\langle X_i,X_j\rangle",
    signed=True,
)
X_u = quantity(
    "X_u",
    "E <grad_u f, Delta u>",
    r"\mathbb E\langle\nabla_u f,\Delta u\rangle",
    signed=True,
)
X_v = quantity(
    "X_v",
    "client mean of E <grad_v f_i, Delta v_i>",
    r"\tfrac1n\textstyle\sum_i\mathbb E\langle\nabla_v f_i,\Delta v_i\rangle",
    signed=True,
)
M_u = quantity(
    "M_u",
    "E ||E(Delta u | past)||^2",
    r"\mathbb E\|\mathbb E(\Delta u|\mathcal F)\|^2",
)
M_v = quantity(
    "M_v",
    "client mean of E ||E(Delta v_i | past)||^2",
    r"\tfrac1n\textstyle\sum_i\mathbb E\|\mathbb E(\Delta v_i|\mathcal F)\|^2",
)
P_u = quantity(
    "P_u",
    "E ||(gamma/m) sum of the participants' noise-free u-gradients||^2",
    r"\mathbb E\|\tfrac\gamma m\textstyle\sum_{i,k}1_{i\in\mathcal S}\nabla_u f_i\|^2",
)
I_u = quantity(
    "I_u",
    "E ||g_u||^2, g_u the stated increment of u",
    r"\mathbb E\|g_u\|^2",
)
I_v = quantity(
    "I_v",
    "sum_i E ||g_{v,i}||^2, g_{v,i} the stated increment of v_i",
    r"\textstyle\sum_i\mathbb E\|g_{v,i}\|^2",
)
J_u = quantity(
    "J_u",
    "E <g_u, Delta u>",
    r"\mathbb E\langle g_u,\Delta u\rangle",
    signed=True,
)
J_v = quantity(
    "J_v",
    "sum_i E <g_{v,i}, Delta v_i>",
    r"\textstyle\sum_i\mathbb E\langle g_{v,i},\Delta v_i\rangle",
    signed=True,
)
Y_sum = quantity(
    "Y_sum", "E ||sum_{i,k} Y_{i,k}||^2", r"\mathbb E\|\textstyle\sum_{i,k}Y_{i,k}\|^2"
)
Y_2 = quantity(
    "Y_2",
    "sum_{i,k} E ||Y_{i,k}||^2",
    r"\textstyle\sum_{i,k}\mathbb E\|Y_{i,k}\|^2",
)
S_3u = quantity("S_3u", "spread of the clients' corrected shared updates", "S_{3,u}")
C = quantity("C", "lag: distance of the last participation's iterates", r"\mathcal C")
cd_2 = quantity("cd_2", "E ||c - d||^2", r"\mathbb E\|c-d\|^2")
W_own = quantity(
    "W_own",
    "E ||sum_{i,k} 1_{i in S} (c_i - d_i)||^2",
    r"\mathbb E\|\textstyle\sum_{i,k}1_{i\in\mathcal S}(c_i-d_i)\|^2",
)
W_mean = quantity(
    "W_mean",
    "E ||sum_{i,k} 1_{i in S} (c - d)||^2",
    r"\mathbb E\|\textstyle\sum_{i,k}1_{i\in\mathcal S}(c-d)\|^2",
)
W_2 = quantity(
    "W_2",
    "sum_{i,k} E ||W_{i,k}||^2",
    r"\textstyle\sum_{i,k}\mathbb E\|W_{i,k}\|^2",
)
What_2 = quantity(
    "What_2",
    "sum_{i,k} E ||What_{i,k}||^2",
    r"\textstyle\sum_{i,k}\mathbb E\|\hat W_{i,k}\|^2",
)
What_sum = quantity(
    "What_sum",
    "E ||sum_{i,k} What_{i,k}||^2",
    r"\mathbb E\|\textstyle\sum_{i,k}\hat W_{i,k}\|^2",
)
c_2 = quantity("c_2", "E ||c||^2", r"\mathbb E\|c\|^2")
cbar_2 = quantity(
    "cbar_2",
    "E ||(1/n) sum_i c_i||^2",
    r"\mathbb E\|\tfrac1n\textstyle\sum_ic_i\|^2",
)
ccbar = quantity(
    "ccbar",
    "E <c, (1/n) sum_i c_i>",
    r"\mathbb E\langle c,\tfrac1n\textstyle\sum_ic_i\rangle",
    signed=True,
)

# per client: g_ui(t) has a client axis
g_ui = quantity("g_ui", "E ||grad_u f_i||^2", r"\mathbb E\|\nabla_uf_i\|^2")
g_vi = quantity("g_vi", "E ||grad_v f_i||^2", r"\mathbb E\|\nabla_vf_i\|^2")
M_vi = quantity(
    "M_vi",
    "E ||E(Delta v_i | past)||^2",
    r"\mathbb E\|\mathbb E(\Delta v_i|\mathcal F)\|^2",
)
Dv_i = quantity("Dv_i", "E ||Delta v_i||^2", r"\mathbb E\|\Delta v_i\|^2")
s_vi = quantity(
    "s_vi",
    "E ||sum_k grad_v f_i at the virtual iterates||^2",
    r"\mathbb E\|\textstyle\sum_k\nabla_vf_i(\hat u_{i,k},\hat v_{i,k})\|^2",
)
cd_i = quantity("cd_i", "E ||c_i - d_i||^2", r"\mathbb E\|c_i-d_i\|^2")
C_i = quantity("C_i", "sum_k C_{i,k}", r"\textstyle\sum_k\mathcal C_{i,k}")
c_i2 = quantity("c_i2", "E ||c_i||^2", r"\mathbb E\|c_i\|^2")
h_i2 = quantity(
    "h_i2",
    "E ||h_i||^2, h_i the mean stochastic gradient of the last participation",
    r"\mathbb E\|h_i\|^2",
)
ch_i = quantity("ch_i", "E <c_i, h_i>", r"\mathbb E\langle c_i,h_i\rangle", signed=True)

# per client and local step: E_ik(t, k), E_ik(t, k + 1)
E_ik = quantity("E_ik", "drift of client i at step k", r"\mathcal E_{i,k}")
Eu_ik = quantity("Eu_ik", "E ||u_{i,k} - u||^2", r"\mathbb E\|\hat u_{i,k}-u\|^2")
Ev_ik = quantity("Ev_ik", "E ||v_{i,k} - v_i||^2", r"\mathbb E\|\hat v_{i,k}-v_i\|^2")
Y_ik = quantity("Y_ik", "E ||Y_{i,k}||^2", r"\mathbb E\|Y_{i,k}\|^2")
A_ik = quantity(
    "A_ik",
    "E ||alpha_{i,k}^{t-1} - u^t||^2",
    r"\mathbb E\|\alpha_{i,k}^{t-1}-u^t\|^2",
)
Bt_ik = quantity(
    "Bt_ik",
    "E ||beta_{i,k}^{t-1} - v_i^t||^2",
    r"\mathbb E\|\beta_{i,k}^{t-1}-v_i^t\|^2",
)
A_old = quantity(
    "A_old",
    "E ||alpha_{i,k}^{t-2} - u^t||^2",
    r"\mathbb E\|\alpha_{i,k}^{t-2}-u^t\|^2",
)
Bt_old = quantity(
    "Bt_old",
    "E ||beta_{i,k}^{t-2} - v_i^t||^2",
    r"\mathbb E\|\beta_{i,k}^{t-2}-v_i^t\|^2",
)
A_new = quantity(
    "A_new",
    "E ||alpha_{i,k}^t - u^t||^2",
    r"\mathbb E\|\alpha_{i,k}^t-u^t\|^2",
)
Bt_new = quantity(
    "Bt_new",
    "E ||beta_{i,k}^t - v_i^t||^2",
    r"\mathbb E\|\beta_{i,k}^t-v_i^t\|^2",
)
U_ik = quantity(
    "U_ik",
    "E ||u_{i,k}^{t-1} - u^t||^2",
    r"\mathbb E\|\hat u_{i,k}^{t-1}-u^t\|^2",
)
V_ik = quantity(
    "V_ik",
    "E ||v_{i,k}^{t-1} - v_i^t||^2",
    r"\mathbb E\|\hat v_{i,k}^{t-1}-v_i^t\|^2",
)

# of a rung r of a ladder, counted by t: P(t), P(t + 1)
P = quantity("P", "limit of G_u + (m/n) G_v", r"\mathcal P")
P_G_u = quantity("P_G_u", "limit of G_u", r"\mathcal P_u")
P_sum = quantity("P_sum", "limit of G_u + G_v", r"\mathcal P_\Sigma")
rho = quantity("rho", "factor per round at which second moments converge", r"\rho", rate=True)


NAMES = _draft.closed()
