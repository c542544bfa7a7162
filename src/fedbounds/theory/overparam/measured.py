"""What quantities, constants and assumptions are on runs."""

import sympy as sp

from fedbounds.theory.language.setups import Definition, Largest, Least, Says, dot
from fedbounds.theory.language.symbols import eta, n
from fedbounds.theory.proof.vectors import ip, present, sq

from .symbols import high_0, low_0, s_min2
from .vectors import (
    after,
    along,
    block_columns,
    block_high,
    block_low,
    block_rows,
    by_gram,
    far_l,
    first,
    first_now,
    grams_apart,
    gs,
    high_now,
    inner_moved,
    inner_now,
    largest_own,
    last_now,
    least_own,
    length,
    low_now,
    mean_g,
    mean_g_l,
    one,
    outputs_went,
    own_spread,
    res,
    res_next,
    size,
    slope,
    star,
    term_1,
    term_2,
    term_3,
    term_4,
    went_first,
    went_inner,
    went_last,
    went_layers,
    x,
    x0,
    xis_to,
    ys,
)

(layer,) = map(sp.Function, ("layer",))
PRESENT = {"res_s": present(res)}  # of the clients of S_t
DERIVED = PRESENT | {"mean_g_l": layer(mean_g), "far_l": layer(x - x0), "ys_next": ys - eta * gs}
QUANTITIES: dict[str, sp.Expr] = {
    "R_2": n * sq(res),
    "R_mean": sq(res),
    "S_size": ip(size, one),
    "miss_7": ip(res, along) - ip(slope, x),
    "miss_7m": ip(res, first) - ip(slope, after - x),
    "miss_8": sq(after - x + eta * mean_g),
    "miss_10": n * sq(res_next - res - first - term_4),
    "miss_11": n * sq(first + by_gram),
    "miss_17": n * sq(res_next - res + by_gram - term_4),
    "miss_18": n * sq(res_next - term_1 - term_2 - term_3 - term_4),
    "miss_18a": n * sq(res_next - term_1 - term_3 - term_4),
    "term_1q": n * sq(term_1),
    "term_2q": n * sq(term_2),
    "term_3q": n * sq(term_3),
    "term_4q": n * sq(term_4),
    "G_l2": sq(mean_g_l),
    "far_l2": sq(far_l),
    "xi_k2": sq(xis_to),
    "move_k2": sq(xis_to - res),
    "step_k2": sq(outputs_went),
    "own_min": ip(least_own, one),
    "own_max": ip(largest_own, one),
    "miss_16": ip(block_columns, one),
    "miss_16t": ip(block_rows, one),
    "P_S_low": ip(block_low, one),
    "P_S_high": ip(block_high, one),
    "W_in": ip(inner_now, one),
    "W_in_moved": ip(inner_moved, one),
    "D_first": ip(went_first, one),
    "D_last": ip(went_last, one),
    "D_inner": ip(went_inner, one),
    "D_length": ip(length, one),
    "D_spread": ip(own_spread, one),
    "D_layer2": ip(went_layers, one),
    "W_low": ip(low_now, one),
    "W_high": ip(high_now, one),
    "W_first": ip(first_now, one),
    "W_last": ip(last_now, one),
    "grams_2": ip(grams_apart, one),
    "far_2": sq(x - star),
    "near_k2": sq(ys - star),
}
EACH = {
    **dict.fromkeys(("miss_7", "miss_7m"), ("i",)),
    **dict.fromkeys(("G_l2", "far_l2"), ("l",)),
    **dict.fromkeys(("xi_k2", "move_k2", "D_layer2"), ("i", "j")),
    "near_k2": ("i", "k"),
    "step_k2": ("i", "k"),
    **dict.fromkeys(("own_min", "own_max"), ("i",)),
    **dict.fromkeys(("D_first", "D_last", "D_inner", "D_length", "D_spread"), ("p",)),
    "grams_2": ("k",),
}
STATES = ("R_mean", "R_2", "far_2", "far_l2")
CONSTANTS: dict[str, Definition] = {
    "S_least": Least(dot(size, one)),
    "S_most": Largest(dot(size, one)),
}
# Lemma A.1: singular values between 0.8 and 1.2 of what they are for a wide network
EVENT = (
    Says(low_0, ">=", sp.Rational(16, 25)),
    Says(high_0, "<=", sp.Rational(36, 25)),
)
INDEPENDENT = (Says(s_min2, ">", sp.Integer(0)),)
