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
# beside the linearised model: a round keeps some of theta - z, and adds to it
x_lin, still, still_next, lin_next, lins, turned, slope_lins = vectors(
    {
        "x_lin": r"\overline z(t)",
        "still": r"\overline\zeta(t)",
        "still_next": r"\overline\zeta(t+1)",
        "lin_next": r"\overline\xi^{lin}(t+1)",
        "lins": r"\xi^{lin}_{k,c}(t)",
        "turned": r"J_c(0)^\top\xi_{k,c}(t)",
        "slope_lins": r"J_c(0)^\top\xi^{lin}_{k,c}(t)",
    }
)
zs, zs_next, z_end, after_z, fit, gs_z, lins_z = vectors(
    {
        "zs": "z_{k,c}(t)",
        "zs_next": "z_{k+1,c}(t)",
        "z_end": "z_{K,c}(t)",
        "after_z": r"\overline z(t+1)",
        "fit": "z^*",
        "gs_z": r"J_c(0)^\top\zeta_{k,c}(t)",
        "lins_z": r"\zeta_{k,c}(t)",
    }
)
kept, gained, bent, pulled, bowed = vectors(
    {
        "kept": r"\overline w(t+1)-\overline z(t+1)",
        "gained": r"\overline\theta(t+1)-\overline w(t+1)",
        "bent": r"(J_c(\theta_{k,c}(t))-J_c(0))^\top\xi_{k,c}(t)",
        "pulled": r"J_c(0)^\top(\xi_{k,c}(t)-\xi^{lin}_{k,c}(t))",
        "bowed": r"\xi_{k,c}(t)-\xi^{lin}_{k,c}(t)",
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
low_now, high_now, first_now, last_now, inner_now, inner_moved = vectors(
    {
        "low": r"\ell(t)",
        "high": "h(t)",
        "moved_first": r"\max_i\|(\overline W^{i:1}(t)-\overline W^{i:1}(0))X\|^2m^{-i}",
        "moved_last": r"\max_i\|\overline W^{L:i}(t)-\overline W^{L:i}(0)\|^2m^{-(L-i+1)}",
        "inner": r"\max_{i,j}\|\overline W^{j:i}(t)\|^2m^{-(j-i+1)}",
        "moved_inner": r"\max_{i,j}\|\overline W^{j:i}(t)-\overline W^{j:i}(0)\|^2m^{-(j-i+1)}",
    }
)
grams_apart, outputs_went, least_own, largest_own = vectors(
    {
        "grams_apart": r"\|P^S(t,k)-P^S(0)\|^2",
        "outputs_went": r"U_{k+1,c}(t)-U_{k,c}(t)",
        "least_own": r"\sigma_{\min}^2(X_c)",
        "largest_own": r"\sigma_{\max}^2(X_c)",
    }
)
block_columns, block_rows, block_low, block_high = vectors(
    {
        "block_columns": r"\|[P(t,c)]_c-P(t)\|_F^2",
        "block_rows": r"\|[P(t,c)^{(16)}]_c-P(t)\|_F^2",
        "block_low": r"\sigma_{\min}^2(P^S(0))",
        "block_high": r"\sigma_{\max}^2(P^S(0))",
    }
)
went_layers, went_first, went_last, went_inner, length, own_spread = vectors(
    {
        "went_layers": r"\max_i\|W_{k,c}^i(t)-\overline W^i(t)\|^2",
        "went_first": r"\max_k\|(W_{k,c}^{p:1}(t)-\overline W^{p:1}(t))X\|^2m^{-p}",
        "went_last": r"\max_k\|W_{k,c}^{L:L-p+1}(t)-\overline W^{L:L-p+1}(t)\|^2m^{-p}",
        "went_inner": r"\max_{k,i}\|W_{k,c}^{i+p-1:i}(t)-\overline W^{i+p-1:i}(t)\|^2m^{-p}",
        "length": "p",
        "own_spread": r"\|X_c\|^2\|\overline\xi_c\|^2\sigma_{\min}^{-4}(X_c)",
    }
)
whole, added, crossed, first_block, last_block = vectors(
    {
        "whole": r"\|[A_0,A_1,\dots]\|^2",
        "added": r"\sum_c\|A_c\|^2",
        "crossed": r"\|A\otimes B\|^2",
        "first_block": r"\|A\|^2",
        "last_block": r"\|B\|^2",
    }
)
