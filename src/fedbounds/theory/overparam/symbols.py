"""Names of this paper alone; shared ones keep theirs.

n is the paper's number of clients N, depth its L; Gram matrices and spectra are of all samples.
"""

from fedbounds.theory.language.glossary import Draft

_draft = Draft()
symbol, quantity = _draft.symbol, _draft.quantity

_COUNT = {"integer": True, "positive": True}
depth = symbol("depth", "layers", "L", **_COUNT)
width = symbol("width", "width m of every layer", "m", **_COUNT)
d_out = symbol("d_out", "outputs", "d_{out}", **_COUNT)
rank = symbol("rank", "rank of the data", "r", **_COUNT)
s_min2 = symbol("s_min2", "least eigenvalue of X'X", r"\sigma_{\min}^2(X)", nonnegative=True)
s_max2 = symbol("s_max2", "largest eigenvalue of X'X", r"\|X\|^2", positive=True)
w_star2 = symbol(
    "w_star2", "||W*||^2 of the least W* with Y = W* X", r"\|W^*\|^2", nonnegative=True
)
P_min = symbol("P_min", "least eigenvalue of P(0)", r"\lambda_{\min}(P(0))", positive=True)
P_max = symbol("P_max", "largest eigenvalue of P(0)", r"\lambda_{\max}(P(0))", positive=True)
all_X2 = symbol("all_X2", "||X||_F^2", r"\|X\|_F^2", positive=True)
log_rank = symbol("log_rank", "log(r/delta)", r"\log(r/\delta)", positive=True)
log_depth = symbol("log_depth", "log L", r"\log L", nonnegative=True)
low_0 = symbol(
    "low_0",
    "least squared singular value of W^{L:i}(0) and W^{i:1}(0)X, over that of Lemma A.1 less 0.8",
    r"\ell_0",
    nonnegative=True,
)
high_0 = symbol(
    "high_0",
    "largest squared singular value of W^{L:i}(0) and W^{i:1}(0)X, over that of Lemma A.1 less 1.2",
    "h_0",
    positive=True,
)
mid_0 = symbol(
    "mid_0", "largest ||W^{j:i}(0)||^2/m^{j-i+1} of 1 < i <= j < L", r"\mu_0", nonnegative=True
)
R_0 = symbol("R_0", "||xi(0)||^2 of a start", r"\|\overline\xi(0)\|^2", nonnegative=True)
unsure = symbol(
    "unsure", "largest share of neurons outside of Q_i, of all samples", r"\max_i|\bar Q_i|/m",
    nonnegative=True,
)  # fmt: skip
X_F2 = symbol("X_F2", "||X||_F^2", r"\|X\|_F^2", positive=True)
C_B = symbol("C_B", "what O hides in B", "C_B", positive=True)
C_l = symbol("C_l", "what O hides in the norms of W^{j:i}", "C_W", positive=True)
fail_spectra = symbol("fail_spectra", "probability that spectra are outside of Lemma A.1",
                      r"P_\sigma", nonnegative=True)  # fmt: skip
fail_loss = symbol("fail_loss", "probability that the loss is above B at the start", "P_B",
                   nonnegative=True)  # fmt: skip
fail_a1 = symbol("fail_a1", "probability that a start is outside of Lemma A.1", "P_{A.1}",
                 nonnegative=True)  # fmt: skip
fail_a1s = symbol("fail_a1s", "the same, with B^2 in place of B", "P_{A.1,B^2}",
                  nonnegative=True)  # fmt: skip
fail_66 = symbol("fail_66", "probability that some |Q_i-bar| is above 4mR", "P_{(66)}",
                 nonnegative=True)  # fmt: skip
perp_most = symbol(
    "perp_most", "largest ||H(t,k)^perp||_F of neurons that stay within R",
    r"\max\|H(t,k)^\perp\|_F", nonnegative=True,
)  # fmt: skip
fail_62 = symbol("fail_62", "probability that ||H(t,k)^perp||_F may be above 4nR", "P_{(62)}",
                 nonnegative=True)  # fmt: skip
C_w = symbol("C_w", "what Omega hides in the width", r"C_\Omega", positive=True)
C_o = symbol("C_o", "what O hides in a bound", "C_O", positive=True)
chance = symbol(
    "chance", "probability that the start is none of the event", r"\delta", positive=True
)
S_least = symbol("S_least", "fewest clients of a round", r"\min_i|S_i|", **_COUNT)
S_most = symbol("S_most", "most clients of a round", r"\max_i|S_i|", **_COUNT)
S_other = symbol("S_other", "another number of clients of a round", "|S'|", **_COUNT)

R_2 = quantity("R_2", "E ||xi(t)||^2, of all clients", r"\|\overline\xi(t)\|^2")
S_size = quantity("S_size", "E |S_t|", "|S_t|", varying=True)
miss_7 = quantity(
    "miss_7", "<xi_c, J_c W> - <grad L_c, W>",
    r"\langle\overline\xi_c,J_c\overline W\rangle-\langle\nabla\mathcal L_c,\overline W\rangle",
    signed=True,
)  # fmt: skip
miss_7m = quantity(
    "miss_7m", "the same along the move of a round",
    r"\langle\overline\xi_c,J_c\Delta\overline W\rangle"
    r"-\langle\nabla\mathcal L_c,\Delta\overline W\rangle",
    signed=True,
)  # fmt: skip
R_mean = quantity("R_mean", "E ||xi(t)||^2/N", r"\tfrac1N\|\overline\xi(t)\|^2")
R_end = quantity("R_end", "E ||xi(T)||^2/N of a rung", r"\tfrac1N\mathbb E\|\overline\xi(T)\|^2")
miss_8 = quantity(
    "miss_8", "||W(t+1) - W(t) + eta G(t)||^2", r"\|\overline W(t+1)-\overline W(t)+\eta G(t)\|^2"
)
miss_10 = quantity(
    "miss_10",
    "E ||U(t+1) - U(t) - J (W(t+1) - W(t)) - C E(t)X||^2",
    r"\|\overline U(t+1)-\overline U(t)-J\Delta\overline W-C_1E(t)X\|^2",
)
miss_11 = quantity(
    "miss_11",
    "E ||J (W(t+1) - W(t)) + eta/|S| sum_k P^S(t,k) xi_k||^2",
    r"\|J\Delta\overline W+\tfrac\eta{|S_t|}\sum_kP^S(t,k)\xi_k^S\|^2",
)
miss_17 = quantity("miss_17", "E ||left - right||^2 of (17)", r"\|\cdot\|^2_{(17)}")
miss_18 = quantity(
    "miss_18", "E ||left - right||^2 of (18), with four terms", r"\|\cdot\|^2_{(18)}"
)
miss_18a = quantity(
    "miss_18a", "E ||left - right||^2 of (18) without term 2", r"\|\cdot\|^2_{(18),1,3,4}"
)
term_1q = quantity("term_1q", "E ||term 1||^2", r"\|1\|^2")
term_2q = quantity("term_2q", "E ||term 2||^2", r"\|2\|^2")
term_3q = quantity("term_3q", "E ||term 3||^2", r"\|3\|^2")
term_4q = quantity("term_4q", "E ||term 4||^2", r"\|4\|^2")
G_l2 = quantity("G_l2", "E ||G^i(t)||_F^2 of a layer i", r"\|G^i(t)\|_F^2")
xi_k2 = quantity("xi_k2", "E ||U_{k,c} - Y_c||^2", r"\|\xi_{k,c}(t)\|^2")
move_k2 = quantity(
    "move_k2", "E ||xi_{k,c} - xi_{0,c}||^2", r"\|\xi_{k,c}(t)-\overline\xi_c(t)\|^2"
)
far_l2 = quantity("far_l2", "E ||W^i(t) - W^i(0)||_F^2 of a layer i",
                  r"\|\overline W^i(t)-\overline W^i(0)\|_F^2")  # fmt: skip
far_2 = quantity(
    "far_2",
    "E ||theta(t) - theta*||^2, theta* the model nearest to the start that misses no sample",
    r"\|\overline\theta(t)-\theta^*\|^2",
)
near_k2 = quantity("near_k2", "E ||theta_{k,c} - theta*||^2", r"\|\theta_{k,c}(t)-\theta^*\|^2")
W_low = quantity("W_low", "least squared singular value as in low_0, in a round", r"\ell(t)")
W_high = quantity("W_high", "largest squared singular value as in high_0, in a round", "h(t)")
W_last = quantity(
    "W_last",
    "max_i ||W^{L:i}(t) - W^{L:i}(0)||^2/m^{L-i+1}",
    r"\max_i\|\overline W^{L:i}(t)-\overline W^{L:i}(0)\|^2m^{-(L-i+1)}",
)
W_first = quantity(
    "W_first",
    "max_i ||(W^{i:1}(t) - W^{i:1}(0))X||^2/m^i",
    r"\max_i\|(\overline W^{i:1}(t)-\overline W^{i:1}(0))X\|^2m^{-i}",
)
W_in = quantity(
    "W_in",
    "max_{1<i<=j<L} ||W^{j:i}(t)||^2/m^{j-i+1}",
    r"\max_{i,j}\|\overline W^{j:i}(t)\|^2m^{-(j-i+1)}",
)
W_in_moved = quantity(
    "W_in_moved",
    "max_{1<i<=j<L} ||W^{j:i}(t) - W^{j:i}(0)||^2/m^{j-i+1}",
    r"\max_{i,j}\|\overline W^{j:i}(t)-\overline W^{j:i}(0)\|^2m^{-(j-i+1)}",
)
# of every client, and of products of p layers
D_first = quantity(
    "D_first",
    "max_k ||(W_{k,c}^{p:1} - W^{p:1})X||^2/m^p",
    r"\max_k\|(W_{k,c}^{p:1}-\overline W^{p:1})X\|^2m^{-p}",
)
D_last = quantity(
    "D_last",
    "max_k ||W_{k,c}^{L:L-p+1} - W^{L:L-p+1}||^2/m^p",
    r"\max_k\|W_{k,c}^{L:L-p+1}-\overline W^{L:L-p+1}\|^2m^{-p}",
)
D_inner = quantity(
    "D_inner",
    "max_{k,i} ||W_{k,c}^{i+p-1:i} - W^{i+p-1:i}||^2/m^p, 1 < i, i+p-1 < L",
    r"\max_{k,i}\|W_{k,c}^{i+p-1:i}-\overline W^{i+p-1:i}\|^2m^{-p}",
)
D_length = quantity("D_length", "p", "p")
D_spread = quantity(
    "D_spread",
    "||X_c||^2 ||xi_c||^2/sigma_min^4(X_c)",
    r"\|X_c\|^2\|\overline\xi_c\|^2\sigma_{\min}^{-4}(X_c)",
)
D_layer2 = quantity(
    "D_layer2", "max_i ||W_{k,c}^i - W^i||^2", r"\max_i\|W_{k,c}^i-\overline W^i\|^2"
)
miss_16 = quantity("miss_16", "||[P(t,1), P(t,2), ...] - P(t)||_F^2", r"\|[P(t,c)]_c-P(t)\|_F^2")
miss_16t = quantity(
    "miss_16t",
    "the same, first factors transposed and blocks one below the other",
    r"\|[P(t,c)^{(16)}]_c-P(t)\|_F^2",
)
P_S_low = quantity("P_S_low", "sigma_min^2(P^S(0))", r"\sigma_{\min}^2(P^S(0))")
P_S_high = quantity("P_S_high", "sigma_max^2(P^S(0))", r"\sigma_{\max}^2(P^S(0))")
grams_2 = quantity("grams_2", "||P^S(t,k) - P^S(0)||^2 of a step k", r"\|P^S(t,k)-P^S(0)\|^2")
step_k2 = quantity("step_k2", "E ||U_{k+1,c} - U_{k,c}||^2", r"\|U_{k+1,c}(t)-U_{k,c}(t)\|^2")
own_min = quantity("own_min", "sigma_min^2(X_c)", r"\sigma_{\min}^2(X_c)")
own_max = quantity("own_max", "sigma_max^2(X_c)", r"\sigma_{\max}^2(X_c)")

# ---- of the linearised model

apart_2 = quantity("apart_2", "E ||xi(t) - zeta(t)||^2", r"\|\overline\xi(t)-\overline\zeta(t)\|^2")
near_2 = quantity("near_2", "E ||theta(t) - z(t)||^2, z of the linearised model",
                  r"\|\overline\theta(t)-\overline z(t)\|^2")  # fmt: skip
far_z2 = quantity(
    "far_z2",
    "E ||z(t) - z*||^2, z* the model nearest to the start whose linearised outputs fit",
    r"\|\overline z(t)-z^*\|^2",
)
R_lin = quantity("R_lin", "E ||zeta(t)||^2, of the linearised model", r"\|\overline\zeta(t)\|^2")
most_moved2 = symbol(
    "most_moved2", "max_{t,k,c} ||theta_{k,c} - theta(0)||^2",
    r"\max_{t,k,c}\|\theta_{k,c}(t)-\overline\theta(0)\|^2", positive=True,
)  # fmt: skip
most_xi2 = symbol("most_xi2", "max_{t,k,c} ||xi_{k,c}||^2", r"\max_{t,k,c}\|\xi_{k,c}(t)\|^2",
                  positive=True)  # fmt: skip

# ---- of any matrices

N_whole = quantity("N_whole", "||[A_0, A_1, ...]||^2", r"\|[A_0,A_1,\dots]\|^2")
N_added = quantity("N_added", "sum_c ||A_c||^2", r"\sum_c\|A_c\|^2")
N_crossed = quantity("N_crossed", "||A x B||^2, Kronecker's product", r"\|A\otimes B\|^2")
N_first = quantity("N_first", "||A||^2", r"\|A\|^2")
N_last = quantity("N_last", "||B||^2", r"\|B\|^2")

# ---- of two-layer ReLU networks; e is y - y(t)

samples = symbol("samples", "samples of all clients", "n", **_COUNT)
lam = symbol("lam", "least eigenvalue of H^infinity", r"\lambda", positive=True)
lam_max = symbol(
    "lam_max", "largest eigenvalue of H^infinity", r"\lambda_{\max}(H^\infty)", positive=True
)
log_samples = symbol("log_samples", "log(n/delta)", r"\log(n/\delta)", positive=True)
log_width = symbol("log_width", "log(m/delta)", r"\log(m/\delta)", positive=True)
H_trace = symbol("H_trace", "trace of H^infinity", r"\mathrm{tr}H^\infty", positive=True)
H_positive = symbol(
    "H_positive", "positive eigenvalues of H^infinity", r"|\{i:\lambda_i(H^\infty)>0\}|",
    integer=True, nonnegative=True,
)  # fmt: skip
x_min2 = symbol("x_min2", "least |x_i|^2", r"\min_i\|x_i\|^2", positive=True)
x_max2 = symbol("x_max2", "largest |x_i|^2", r"\max_i\|x_i\|^2", positive=True)
cos_max2 = symbol(
    "cos_max2", "largest squared cosine of two samples", r"\max_{i<j}\cos^2(x_i,x_j)",
    nonnegative=True,
)  # fmt: skip
H_min = symbol("H_min", "least eigenvalue of H(0)", r"\lambda_{\min}(H(0))", nonnegative=True)
radius = symbol("radius", "how far neurons stay from their start", "R", positive=True)
A_1 = quantity("A_1", "E A_1 of (53)", "A_1", signed=True)
A_2 = quantity("A_2", "E A_2 of (53)", "A_2", signed=True)
A_3 = quantity("A_3", "E A_3 of (53), v what neurons of the complements change", "A_3", signed=True)
A_3p = quantity("A_3p", "E A_3 of (53), v as in (54)", r"A_3^{(54)}", signed=True)
A_4 = quantity("A_4", "E A_4 of (53)", "A_4")
v_2 = quantity("v_2", "E ||v||^2, v what neurons of the complements change", r"\|v\|^2")
v_p2 = quantity("v_p2", "E ||v||^2, v as in (54)", r"\|v^{(54)}\|^2")
D_1 = quantity("D_1", "eta/|S| times the first sum of A_1's split", "D_1", signed=True)
D_2 = quantity("D_2", "eta/|S| times the second", "D_2", signed=True)
D_3 = quantity("D_3", "eta/|S| times the third", "D_3", signed=True)
miss_49 = quantity("miss_49", "left less right of (49)", r"\cdot_{(49)}", signed=True)
miss_50 = quantity("miss_50", "||y(t+1) - y(t) - what neurons change||^2", r"\|\cdot\|^2_{(50)}")
miss_51 = quantity("miss_51", "||w(t+1) - w(t) + eta G(t)||^2", r"\|\cdot\|^2_{(51)}")
far_most = symbol(
    "far_most", "max_{t,r} ||w_r(t) - w_r(0)||^2", r"\max_{t,r}\|\overline w_r(t)-w_r(0)\|^2",
    nonnegative=True,
)  # fmt: skip
near_w2 = quantity(
    "near_w2", "E max_r ||w_{k,c,r} - w_r||^2", r"\max_r\|w_{k,c,r}-\overline w_r\|^2"
)

NAMES = _draft.closed()
