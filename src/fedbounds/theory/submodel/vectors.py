"""The vectors of the proofs about masked objectives and coupled runs.

Before a vector, m stands for the mask of the client and c for its complement: mv = m o v. Vectors
with a client or a mask are averaged over both, so that given(mu) is a gradient of F_p less another.
"""

from fedbounds.theory.proof.vectors import vectors

# a pair x, y, or a point w: v is x - y, or w; u the difference of grad f_i at the masked points
pv, mpv, cpv = vectors({"pv": "v", "mpv": r"(m\odot v)", "cpv": r"((\mathbf 1-m)\odot v)"})
pu, mpu = vectors({"pu": "u_i", "mpu": r"(m\odot u_i)"})
# r is their mean over clients and masks
pr, mpr = vectors({"pr": r"\mathbb E[m\odot u_i]", "mpr": r"(m\odot\mathbb E[m\odot u_i])"})
# of quadratics: A w, diag(A) w and b, means over clients
quad, diag, slope = vectors({"quad": "Aw", "diag": r"\operatorname{diag}(A)w", "slope": "b"})
(g_own,) = vectors({"g_own": r"\nabla f_i(w)"})
full, masked = vectors({"full": r"\nabla F(w)", "masked": r"\nabla F_p(w)"})

# minimisers and the gradients there; o is w*(p), o2 is w*(p'), os is w*
opt, opt_2, opt_s = vectors({"opt": "w^*(p)", "opt_2": "w^*(p')", "opt_s": "w^*"})
gp_o, gp_2, gp_s = vectors(
    {
        "gp_o": r"\nabla F_p(w^*(p))",
        "gp_2": r"\nabla F_p(w^*(p'))",
        "gp_s": r"\nabla F_p(w^*)",
    }
)
gq_o, gq_2 = vectors({"gq_o": r"\nabla F_{p'}(w^*(p))", "gq_2": r"\nabla F_{p'}(w^*(p'))"})
gf_o, gf_s = vectors({"gf_o": r"\nabla F(w^*(p))", "gf_s": r"\nabla F(w^*)"})
p_diff, one = vectors({"p_diff": "|p_i-p'_i|", "one": "1"})
# a projected step from w
at, hat = vectors({"at": "w", "hat": r"\hat w"})

# coupled runs, as numbers: norms and losses
apart, apart_new, apart_own = vectors(
    {
        "apart": r"\|w^t-w'^t\|",
        "apart_new": r"\|w^{t+1}-w'^{t+1}\|",
        "apart_own": r"\|y_{i,K}-y'_{i,K}\|",
    }
)
pushed, loss_diff, loss_size = vectors(
    {
        "pushed": r"1_{\mathrm{drawn}}(\|m\odot\nabla\ell(y)\|+\|m\odot\nabla\ell(y')\|)",
        "loss_diff": r"(\ell(w^t;z')-\ell(w'^t;z'))",
        "loss_size": r"|\ell(w^t;z')-\ell(w'^t;z')|",
    }
)
