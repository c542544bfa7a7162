"""Sides of the sub-model claims typed a second time, as numbers, straight from the sheet.

Every constant and quantity gets a random value between 0 and 1; counts are small whole numbers.
"""

from math import isclose, sqrt
from random import Random

import numpy as np
import pytest
from each import each

from fedbounds.theory.language.registry import claim, encoded_claims
from fedbounds.theory.submodel import names
from fedbounds.theory.submodel.glossary import GLOSSARY
from fedbounds.verify.decide.conditions import sides
from fedbounds.verify.measure.evaluate import Numbers, evaluate
from fedbounds.vocabulary import Index, Relation

ROUNDS = 4
COUNTS = {"n": 3, "K": 2, "T": ROUNDS, "dim": 5, "n_s": 7, "S_sub": 4}


class Case:
    """Random numbers, by attribute: a constant, or a quantity at round 1."""

    def __init__(self, seed: int) -> None:
        rng = Random(seed)
        drawn = {name: rng.uniform(0.1, 0.9) for name in sorted(GLOSSARY.constants)}
        self.constants = {**drawn, **{name: float(x) for name, x in COUNTS.items()}}
        values = sorted(GLOSSARY.quantities)
        self.series = {
            name: np.array([rng.uniform(0.1, 0.9) for _ in range(ROUNDS + 1)]) for name in values
        }

    def __getattr__(self, name: str) -> float:
        constants = self.__dict__["constants"]
        return constants[name] if name in constants else self.__dict__["series"][name][1]

    def at(self, name: str, t: int) -> float:
        return float(self.series[name][t])

    def value(self, side, index: Index) -> float:
        rounds = None if index is Index.RUN else range(1, 2)
        found = evaluate(side, Numbers(self.constants, self.series), rounds)
        return float(np.ravel(found)[0])


def E_2(c, R):
    noise = 6 * c.eta * c.L * (c.K * c.nu2 + s2(c)) / c.n
    bias = 8 * (c.eta * c.K * c.L) ** 2 * (c.nu2 + c.B2) + 8 * c.eta**2 * c.K * c.L**2 * s2(c)
    return 4 * c.Phi / (c.eta * c.K * R) + noise + bias


def s2(c):
    return c.constants["sigma^2"]


def E_4(c):
    epochs = c.T / c.S_sub
    last = 4.3 * c.K * s2(c) * (1 + c.S_sub / c.n) + 12 * c.K**2 * c.S_sub * c.B_M2
    first = 4 * c.Phi / (c.eta * c.S_sub * c.K * epochs) + 6 * c.eta * c.L * s2(c) / c.n
    return first + (c.eta * c.L) ** 2 * last


def mean(c, name):
    return sum(c.at(name, t) for t in range(ROUNDS)) / ROUNDS


def distance_1(c, R):
    return (1 - c.eta * c.K * c.mu * c.p_mean / 2) ** R * c.D_opt_0 + random_floor(c)


def random_floor(c):
    noise = 8 * c.eta * (s2(c) + c.K * c.nu_star2) / (c.mu * c.p_mean * c.n)
    square = 12 * c.eta**2 * c.K**2 * c.L * c.zeta_star2 + 6 * c.eta**2 * c.K * c.L * s2(c)
    return noise + square / (c.mu * c.p_mean)


def mask_gap(c):
    return (1 - c.p_mean) * c.G + c.L * c.p_spread * c.W_sup


def kappa_w(c):
    least = min(c.G + c.L * (1 + sqrt(c.dim)) * c.W_sup, 2 * c.G * c.dim)
    return least / (c.mu * max(c.p_mean, c.p_mean_2))


def strong_floor(c):
    return 6 * c.eta * s2(c) / (c.mu * c.q_mean * c.n) + c.eta**2 * c.L * c.K / (
        c.mu * c.q_mean
    ) * (
        6 * s2(c) * (1 + c.S_sub / c.n)
        + 8 * c.K * c.S_sub**2 * c.a_bar2
        + 4 * c.K * (c.S_sub + 1) * c.nu_M2
        + 8 * c.K * c.zeta_M2
    )


def rate_constant(c):
    strong = c.mu * c.p_mean
    return (
        c.D_opt_0
        + 16 / (strong**2 * c.n) * (s2(c) / c.K + c.nu_star2)
        + 48 / strong**3 * c.L * (c.zeta_star2 + s2(c) / (2 * c.K))
    )


def contracted(c):
    return 1 - (1 - c.eta * c.mu) ** (2 * c.K)


def apart(c):
    return 2 * c.eta * c.K * c.G_m / (c.n_s * c.n)


def root_5(c):
    return sqrt(17 / 16 * s2(c) + 33 / 16 * (c.nu2 + c.B2 + E_2(c, 1)))


def root_6(c):
    return sqrt(17 / 16 * s2(c) * (1 + 1 / c.n) + 35 / 16 * (c.B_M2 + E_4(c)))


def far(c, root, R):
    return 2 * c.eta * c.K * R / (c.n_s * c.n) * root


def full_gap(c, spread):
    return c.G_miss + c.L * spread * sqrt(c.w_2)


def equal_share(c, share):
    return sqrt(c.g_Fp) / share + c.L * sqrt((1 - share) / share) * sqrt(c.w_2)


def strongly(c):
    return c.L * c.D_opt + c.L / c.mu**2 * c.gap_full_at_p + c.Dl_w / (2 * c.L)


# claim, part: left and right sides at round 1 (or of the run)
TYPED = {
    ("prop-1", "strong convexity"): lambda c: (c.p_mean * c.mu * c.D_xy, c.I_xy),
    ("prop-1", "smoothness"): lambda c: (c.G_xy, (c.p_mean * c.L) ** 2 * c.D_xy),
    ("prop-2", "strong convexity"): lambda c: (c.q_mean * c.mu * c.D_xy, c.I_xy),
    ("prop-2", "strong convexity, unchanged"): lambda c: (c.mu * c.D_xy, c.I_xy),
    ("prop-2", "smoothness, unchanged"): lambda c: (c.G_xy, c.L**2 * c.D_xy),
    ("prop-2", "strong convexity, general"): lambda c: (c.c_min * c.mu * c.D_xy, c.I_xy),
    ("prop-2", "smoothness, general"): lambda c: (c.G_xy, (c.c_max * c.L) ** 2 * c.D_xy),
    ("lem-mask-gap", "a, random"): lambda c: (sqrt(c.Dl_w), full_gap(c, c.p_spread)),
    ("lem-mask-gap", "a, rolling"): lambda c: (sqrt(c.Dl_w), full_gap(c, c.q_spread)),
    ("lem-mask-gap", "b"): lambda c: (
        sqrt(c.Dl_pp),
        c.p_dist * (sqrt(c.G_w2) + c.L * (c.w_1 + sqrt(c.w_2))),
    ),
    ("lem-mask-gap", "c"): lambda c: (sqrt(c.Dl_pp), 10 * sqrt(c.G_w2) * c.p_dist),
    ("lem-2", "gap at w*(p')"): lambda c: (c.opt_dist, c.gap_at_2 / (c.mu * c.p_mean) ** 2),
    ("lem-2", "gap at w*(p)"): lambda c: (c.opt_dist, c.gap_at_1 / (c.mu * c.p_mean_2) ** 2),
    ("lem-2", "Lipschitz"): lambda c: (c.opt_dist, (kappa_w(c) * c.p_dist) ** 2),
    ("lem-2", "norms of p"): lambda c: (c.p_dist**2, c.p_dist_2 / 3),
    ("lem-2", "full, gap at w*(p)"): lambda c: (c.full_dist, c.gap_full_at_p / c.mu**2),
    ("lem-2", "full, gap at w*"): lambda c: (
        c.full_dist,
        c.gap_full_at_1 / (c.mu * c.p_mean) ** 2,
    ),
    ("lem-3", "convex"): lambda c: (c.L_hat, c.L / 2 * c.D_full + c.Dl_w / (2 * c.L)),
    ("lem-3", "strongly convex"): lambda c: (c.L_hat, strongly(c)),
    ("lem-8", "strongly convex"): lambda c: (c.L_hat, strongly(c)),
    ("lem-7", "largest gap"): lambda c: (
        c.opt_dist,
        max(c.gap_at_1, c.gap_at_2) / (c.mu * max(c.q_mean, c.q_mean_2)) ** 2,
    ),
    ("lem-7", "Lipschitz"): lambda c: (
        c.opt_dist,
        ((c.G + c.L * c.W_sup) / (c.mu * max(c.q_mean, c.q_mean_2)) * c.mask_dist) ** 2,
    ),
    ("stat-random", "a"): lambda c: (sqrt(c.g_F), equal_share(c, c.p)),
    ("stat-random", "a, squares"): lambda c: (
        c.g_F,
        2 / c.p**2 * c.g_Fp + 2 * (1 - c.p) / c.p * c.L**2 * c.w_2,
    ),
    ("stat-random", "b"): lambda c: (sqrt(c.g_F), sqrt(c.g_Fp) + full_gap(c, c.p_spread)),
    ("stat-rolling", "equal q"): lambda c: (sqrt(c.g_F), equal_share(c, c.q)),
    ("stat-rolling", "unequal q"): lambda c: (sqrt(c.g_F), sqrt(c.g_Fp) + full_gap(c, c.q_spread)),
    ("lem-1", "below"): lambda c: (-c.gen, c.st_max),
    ("lem-12", ""): lambda c: (c.at("dl_w", 2), c.dl_w + c.eta / 21 * c.G_pair),
    ("thm-5", "a"): lambda c: (c.dl_w, apart(c)),
    ("thm-5", "a, stability"): lambda c: (c.st_max, apart(c) * c.G),
    ("thm-5", "a, sub-model"): lambda c: (c.G_m, c.G_inf * sqrt(5 * c.p_own)),
    ("thm-5", "b"): lambda c: (c.dl_mean, far(c, root_5(c), 1)),
    ("thm-5", "b, stability"): lambda c: (c.st_mean, c.G * far(c, root_5(c), 1)),
    ("thm-5", "c"): lambda c: (c.dl_w, apart(c) / (1 - c.rho_bar)),
    ("thm-5", "c, in p"): lambda c: (
        apart(c) / (1 - c.rho_bar),
        4 * c.eta * c.K * c.G_m / (c.n_s * c.n * c.p_mean * contracted(c)),
    ),
    ("thm-6", "a, sub-model"): lambda c: (c.G_m, c.G_inf * sqrt(5 * c.q_own)),
    ("thm-6", "b"): lambda c: (c.at("dl_mean", 4), far(c, root_6(c), 4)),
    ("thm-6", "b, stability"): lambda c: (c.at("st_mean", 4), c.G * far(c, root_6(c), 4)),
    ("cor-1", "last model"): lambda c: (
        c.ex_w,
        c.L * distance_1(c, 1) + c.L / c.mu**2 * c.gap_full_at_p + c.G * apart(c),
    ),
    ("cor-1", "projected step"): lambda c: (
        c.ex_hat,
        c.L * distance_1(c, 1)
        + (c.L / c.mu**2 + 1 / (2 * c.L)) * mask_gap(c) ** 2
        + c.G * apart(c)
        + 2 * c.G * c.G_m / (c.L * c.n_s * c.n),
    ),
    ("claim-projection", "free"): lambda c: (c.free_limit, strong_floor(c)),
    ("claim-projection", "epoch"): lambda c: (c.epoch_limit, strong_floor(c)),
    ("claim-rate", "distance"): lambda c: (c.D_r, rate_constant(c) * c.ln2_r),
    ("claim-residual", "order"): lambda c: (
        c.R_p,
        c.L / 2 * (c.q_miss / c.mu) ** 2 * c.coupling2,
    ),
    ("claim-residual", "equal"): lambda c: (c.at("R_p", 2), c.R_p),
    ("claim-residual", "bounded"): lambda c: (
        c.R_p,
        c.q_miss * (c.G**2 + (c.L * c.W_sup) ** 2) / (2 * c.mu),
    ),
    ("claim-rate", "random"): lambda c: (
        c.F_r,
        c.L * (c.D_opt_0 + 4 * random_floor(c)) * c.first_stage / c.R_r
        + c.L * c.gap_full_at_p / c.mu**2,
    ),
    ("claim-rate", "rolling"): lambda c: (
        c.F_r,
        c.L * (c.D_opt_0 + 4 * strong_floor(c)) * c.S_sub * c.first_stage / c.R_r
        + c.L * c.gap_full_at_p / c.mu**2,
    ),
    ("thm-4", "mean, of the epoch"): lambda c: (
        mean(c, "g_Fp"),
        4 * c.Phi / (c.eta * c.S_sub * c.K * c.T)  # T epochs
        + 6 * c.eta * c.L * s2(c) / c.n
        + (c.eta * c.L) ** 2
        * (4.32 * c.K * s2(c) * (1 + c.S_sub / c.n) + 11.6 * c.K**2 * c.S_sub * c.B_M2),
    ),
    ("claim-def2", "at a fixed w, equal"): lambda c: (c.B2_fix, c.at("B2_fix", 2)),
    ("claim-variance", "masks, vanishes"): lambda c: (c.vr_m, c.var_slope * c.q_miss),
    ("claim-variance", "both, in p"): lambda c: (c.vr_all, c.var_top * (1 - c.q_miss)),
    ("claim-variance", "masks, grows"): lambda c: (c.vr_m, c.at("vr_m", 2)),
    ("claim-K-speedup", "rate, tuned, root"): lambda c: (
        mean(c, "g_Fp"),
        (
            32 * c.L * c.Phi
            + 2 * sqrt(24 * c.L * c.Phi * c.v_mean / c.n)
            + 16 * c.L * c.Phi * c.n * (c.v_mean + c.B2) / (3 * c.v_mean)
        )
        / 2,
    ),
    ("claim-K-speedup", "steps"): lambda c: (c.at("K_r", 2) * c.at("G_lead", 2), c.K_r * c.G_lead),
    ("claim-stability", "limit"): lambda c: (c.dl_lim, c.at("dl_lim", 2)),
    ("claim-capacity", "rounds"): lambda c: (c.at("L_r", 2), c.L_r),
    ("claim-capacity", "limit, ends"): lambda c: (c.at("L_lim", 3), c.at("L_lim", 0)),
    ("claim-stability", "rounds, ends"): lambda c: (c.at("dl_r", 0), c.at("dl_r", 3)),
    ("claim-gap", "rounds, scaled"): lambda c: (c.at("tg_scaled", 4), c.at("tg_full", 4)),
    ("claim-roll-vs-random", "distance, limit, full gradients"): lambda c: (
        c.roll_floor,
        c.rand_floor,
    ),
    ("claim-stationary", "equal p, multiples"): lambda c: (
        c.g_F,
        2 / c.p**2 * c.g_Fp + 2 * (1 - c.p) / c.p * c.L**2 * c.w_2,
    ),
    ("claim-stationary", "equal p"): lambda c: (c.grad_0_F, c.grad_0_Fp),
    ("claim-roll-vs-random", "loss"): lambda c: (c.at("L_roll", 4), c.at("L_rand", 4)),
    ("claim-static", "loss, limit"): lambda c: (c.roll_loss, c.stat_loss),
    ("claim-gap", "rounds"): lambda c: (c.at("tg_rand", 4), c.at("tg_full", 4)),
}


@each("key", TYPED)
@each("seed", range(3))
def test_sides_are_those_of_the_sheet(key, seed):
    part = claim(f"submodel/{key[0]}").part(key[1])
    case = Case(seed)
    left, right = TYPED[key](case)
    assert isclose(case.value(part.left, part.index), left, rel_tol=1e-12)
    assert isclose(case.value(part.right, part.index), right, rel_tol=1e-12)
    assert part.relation is Relation.AT_MOST


EDGES = {
    ("lem-12", ""): lambda c: ("eta", 2 / c.L),
    ("thm-5", "a"): lambda c: ("eta", 2 / c.L),
    ("thm-5", "b"): lambda c: ("eta", 1 / (8 * c.K * c.L)),
    ("thm-5", "c"): lambda c: ("eta", 2 / (c.L + c.mu)),
    ("thm-6", "b"): lambda c: ("eta", 1 / (8 * c.S_sub * c.K * c.L)),
    ("cor-1", "last model"): lambda c: ("eta", 1 / (10 * c.K * c.L)),
    ("claim-projection", "epoch"): lambda c: ("eta", 1 / (10 * c.S_sub * c.K * c.L)),
}


@pytest.mark.parametrize("key", EDGES, ids=[f"{a}, {b}" for a, b in EDGES])
def test_step_sizes_end_where_the_sheet_says(key):
    (condition,) = claim(f"submodel/{key[0]}").part(key[1]).conditions
    case = Case(5)
    name, edge = EDGES[key](case)
    for factor, inside in ((0.999, True), (1.001, False)):
        case.constants[name] = edge * factor
        left, right = sides(condition, Numbers(case.constants, {}))
        assert condition.relation == "<="
        assert (left <= right) == inside


def test_identities_compare_a_distance_with_nothing():
    """x + size == size says x = 0: both vectors are the same."""
    equalities = {
        (found.id, part.name): part
        for found in encoded_claims("submodel")
        for part in found.parts
        if part.relation is Relation.EQUAL
    }
    expected = {
        ("lem-mask-gap", "d"): ("Eq_2", "Sq_2"),
        ("stat-random", "c"): ("Es_2", "g_F"),
        ("claim-virtual", "local iterates"): ("Ev_2", "Sv_2"),
        ("claim-virtual", "average"): ("Ea_2", "Sa_2"),
        ("claim-recover", "algorithm"): ("Er_2", "Sr_2"),
        ("claim-static", "unheld"): ("Eu_2", "Su_2"),
    }
    for (name, part_name), (distance, size) in expected.items():
        part = equalities[f"submodel/{name}", part_name]
        case = Case(7)
        gap = case.value(part.gap, part.index)
        assert isclose(gap, -getattr(case, distance), rel_tol=1e-9)
        assert isclose(case.value(part.right, part.index), getattr(case, size))


def test_the_check_column_is_read_in_all_its_ways():
    def readings(name):
        return [reading.name for reading in claim(f"submodel/{name}").readings]

    assert len(readings("claim-def2")) == 4  # fixed or supremum, equal or unequal
    assert len(readings("claim-shuffle")) == 8  # four modes, two things to compare with
    assert len(readings("claim-variance")) == 5  # three variances, near p = 1, and with p
    assert len(readings("claim-roll-vs-random")) == 7  # distance or loss; T, steps, gradients
    for name in ("claim-gap", "claim-projection", "claim-rate"):
        assert len(readings(name)) == 3
    assert len(readings("claim-stability")) == len(readings("claim-stationary")) == 4
    assert len(readings("claim-capacity")) == 5
    assert [r[0] for r in readings("prop-2")[:2]] == ["A", "B"]


def test_objectives_are_not_run():
    """Claims about objectives alone name no algorithm that moves."""
    for found in encoded_claims("submodel"):
        name = found.id.partition("/")[2]
        if name.startswith(("prop-", "lem-mask", "lem-2", "lem-3", "lem-7", "lem-8", "stat-")):
            assert found.algorithms == names.OBJECTIVE
