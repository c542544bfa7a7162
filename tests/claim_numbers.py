"""Random numbers for every symbol of the claims, and both sides of a claim at them."""

from random import Random
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, ctx, fmpq

from fedbounds.theory.meerkat.symbols import NAMES as MEERKAT
from fedbounds.theory.overparam.symbols import NAMES as OVERPARAM
from fedbounds.theory.personalization.symbols import NAMES
from fedbounds.theory.submodel.glossary import GLOSSARY as SUBMODEL
from fedbounds.verify.decide.conditions import in_balls
from fedbounds.verify.measure.evaluate import IrrationalError, Numbers, evaluate

GLOSSARIES = (SUBMODEL | NAMES | MEERKAT, OVERPARAM)  # to the last, lam is another number
CONSTANTS = {
    "n": "n", "m": "m", "K": "K", "T": "T", "L": "L", "F_0": "F_0", "B_0": "B_0", "G_0": "G_0",
    "sigma_u^2": "s_u", "sigma_v^2": "s_v", "b^2": "b2", "gamma": "gamma", "gamma_u": "gamma_u",
    "gamma_v": "gamma_v", "eta_u": "eta_u", "eta_v": "eta_v", "d_u": "d_u", "d_v": "d_v", "j": "j",
}  # fmt: skip
# quantities per client, and per client and local step
PER_CLIENT = {
    "g_ui", "g_vi", "M_vi", "Dv_i", "s_vi", "cd_i", "C_i", "c_i2", "h_i2", "ch_i",
    "F_own", "F_bar", "F_gap", "b_own", "cos_g", "cos_m", "sgn_3",
    "A_sum", "A_all", "A_part", "A_diff",
    "V_k", "g_k2", "mg_k2", "est_2", "s_k2", "bias_2", "miss_7", "miss_7m", "own_max",
    "own_min",
}  # fmt: skip
PER_STEP = {
    "E_ik", "Eu_ik", "Ev_ik", "Y_ik", "A_ik", "Bt_ik", "A_old", "Bt_old", "U_ik", "V_ik",
    "A_new", "Bt_new", "xi_k2", "move_k2", "near_k2", "near_w2", "step_k2",
    "D_layer2",
}  # fmt: skip

LENGTHS = {"D_length"}  # whole numbers
# below 1: keep probabilities, coverages, and a contraction
SHARES = ("p", "q", "p_own", "q_own", "rho_bar")

LADDER_NAMES = {
    *(f"{a} ladder in {p}" for a in ("FedAvg-P", "Scaffold-P") for p in ("gamma", "m", "K", "b^2")),
    "FedAvg-P to Scaffold-P ladder in algorithm",
    "FedAvg-P to Scaffold-P ladder in algorithm at equal steady state",
}


def random_numbers(seed: int, *, full: bool) -> Numbers:
    """Positive rationals for every symbol and quantity; m = n if ``full``. K and T are at least 2."""
    rng = Random(seed)

    def some() -> fmpq:
        return fmpq(rng.randint(1, 40), rng.randint(1, 40))

    n = rng.randint(2, 9)
    whole = {"n": n, "m": n if full else rng.randint(1, n), "K": rng.randint(2, 6),
             "T": rng.randint(2, 5), "d_u": rng.randint(0, 3), "d_v": rng.randint(0, 3), "j": 1}  # fmt: skip
    constants = {
        name: fmpq(whole[name]) if name in whole else some()
        for names in GLOSSARIES
        for name in names.constants
    }
    constants |= {name: fmpq(rng.randint(1, 39), 40) for name in SHARES}

    def values(name: str) -> Any:
        shape: tuple[int, ...] = (whole["T"] + 1,)
        if name in PER_CLIENT | PER_STEP:
            shape = (n, whole["K"] + 1 if name in PER_STEP else 1, *shape)
        found = np.empty(shape, dtype=object)
        found.reshape(-1)[:] = [
            fmpq(rng.randint(1, 4)) if name in LENGTHS else some() for _ in range(found.size)
        ]
        return found

    quantities = [name for names in GLOSSARIES for name in sorted(names.quantities)]
    series = {name: values(name) for name in quantities}
    return Numbers(constants, series, lambda p, q: fmpq(p, q))


def value(expression: sp.Expr, numbers: Numbers, rounds: range | None = None) -> Any:
    """Exact where rational, else a ball of 200 bits."""
    try:
        return evaluate(expression, numbers, rounds)
    except IrrationalError:
        with ctx.workprec(200):
            constants = in_balls(numbers).constants  # whole numbers stay exact balls
            series = {k: np.frompyfunc(arb, 1, 1)(v) for k, v in numbers.series.items()}
            return evaluate(
                expression, Numbers(constants, series, lambda p, q: arb(fmpq(p, q))), rounds
            )


def same(a: Any, b: Any) -> bool:
    """Equal rationals, or overlapping balls of more than 40 digits."""
    if not isinstance(a, arb) and not isinstance(b, arb):
        return bool(fmpq(a) == fmpq(b))
    x, y = (z if isinstance(z, arb) else arb(fmpq(z)) for z in (a, b))
    thin = all(z.rad() <= abs(z.mid()) * arb("1e-40") for z in (x, y))
    return bool(thin and x.overlaps(y))
