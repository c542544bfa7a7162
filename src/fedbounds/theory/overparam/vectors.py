"""The vectors of a round: models, and residuals of the global model on every client's samples."""

from fedbounds.theory.proof.vectors import vectors

x, x0, after, mean_g, size, one = vectors(
    {
        "x": r"\overline\theta(t)",
        "x0": r"\overline\theta(0)",
        "after": r"\overline\theta(t+1)",
        "mean_g": "G(t)",
        "size": "|S_t|",
        "one": "1",
    }
)
res, res_next, along, first, by_gram, term_1, term_2, term_3, term_4 = vectors(
    {
        "res": r"\overline\xi(t)",
        "res_next": r"\overline\xi(t+1)",
        "along": r"J_c\overline W(t)",
        "first": r"J\Delta\overline W",
        "by_gram": r"\tfrac\eta{|S_t|}\sum_kP^S(t,k)\xi_k^S(t)",
        "term_1": "1",
        "term_2": "2",
        "term_3": "3",
        "term_4": r"C_1\mathrm{vec}(E(t)X)",
    }
)
gs, ys, ys_next, ys_to, y, star, xis, xis_to, slope, mean_g_l, far_l = vectors(
    {
        "gs": r"\nabla\mathcal L_c(\theta_{k,c}(t))",
        "ys": r"\theta_{k,c}(t)",
        "ys_next": r"\theta_{k+1,c}(t)",
        "ys_to": r"\theta_{k,c}(t)",
        "y": r"\theta_{K,c}(t)",
        "star": r"\theta^*",
        "xis": r"\xi_{k,c}(t)",
        "xis_to": r"\xi_{k,c}(t)",
        "slope": r"\nabla\mathcal L_c(\overline\theta(t))",
        "mean_g_l": "G^i(t)",
        "far_l": r"(\overline W^i(t)-\overline W^i(0))",
    }
)
perp, flips, changed, by_local, by_still, far, far_next, res_s, farthest = vectors(
    {
        "perp": r"\tfrac\eta{|S_t|}\sum_kH^S(t,k)^\perp\xi_k^S(t)",
        "flips": "v",
        "changed": "y(t+1)-y(t)",
        "by_local": r"\tfrac\eta{|S_t|}\sum_kH^S(0)\xi_k^S(t)",
        "by_still": r"\tfrac{\eta K}{|S_t|}H^S(0)\overline\xi^S(t)",
        "far": r"\|\overline w_r(t)-w_r(0)\|^2",
        "far_next": r"\|\overline w_r(t+1)-w_r(0)\|^2",
        "res_s": r"\overline\xi^S(t)",
        "farthest": r"\max_r\|w_{k,c,r}(t)-\overline w_r(t)\|^2",
    }
)
low_now, high_now, first_now, last_now, grams_apart, outputs_went, largest_own = vectors(
    {
        "low": r"\ell(t)",
        "high": "h(t)",
        "moved_first": r"\max_i\|(\overline W^{i:1}(t)-\overline W^{i:1}(0))X\|^2m^{-i}",
        "moved_last": r"\max_i\|\overline W^{L:i}(t)-\overline W^{L:i}(0)\|^2m^{-(L-i+1)}",
        "grams_apart": r"\|P^S(t,k)-P^S(0)\|^2",
        "outputs_went": r"U_{k+1,c}(t)-U_{k,c}(t)",
        "largest_own": r"\sigma_{\max}^2(X_c)",
    }
)
