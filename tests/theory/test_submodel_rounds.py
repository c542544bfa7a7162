"""The theorems on rounds and epochs: their formulas typed again, and their conditions."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import isclose, sqrt
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sympy as sp
from each import each

from fedbounds.theory.language.registry import claim
from fedbounds.verify.decide.conditions import failure
from fedbounds.verify.measure.evaluate import Numbers, evaluate

IDS = (
    "lem-5", "lem-4", "thm-1", "lem-6", "thm-2", "lem-9", "lem-10", "lem-wor", "lem-11", "thm-3",
    "thm-4",
)  # fmt: skip
ROUNDS = 3
COUNTS = {"n": 4, "m": 3, "K": 5, "S_sub": 6, "T": ROUNDS}


def names_of(kind: str) -> set[str]:
    parts = [part for name in IDS for part in claim(f"submodel/{name}").parts]
    return set().union(*(getattr(part, kind) for part in parts))


def numbers(seed: int) -> Numbers:
    """Positive numbers for everything that the parts name."""
    random = Random(seed)
    constants = {name: random.uniform(0.1, 0.9) for name in sorted(names_of("constants"))} | COUNTS
    series = {
        name: np.array([random.uniform(0.5, 2.0) for _ in range(ROUNDS + 1)])
        for name in sorted(names_of("quantities"))
    }
    return Numbers(constants, series)


def a_random(x: Any) -> Any:
    """What a round of random masks adds."""
    drift = 6 * x.eta**3 * x.K**3 * x.L * x.zeta_star2 + 3 * x.eta**3 * x.K**2 * x.L * x.sigma2
    return drift + 4 * x.eta**2 * x.K * (x.sigma2 + x.K * x.nu_star2) / x.n


def a_rolling(x: Any) -> Any:
    """What an epoch adds."""
    inside = 3 * x.sigma2 * (1 + x.S / x.n) + 4 * x.K * x.S**2 * x.a_bar2
    inside += 2 * x.K * (x.S + 1) * x.nu_M2 + 4 * x.K * x.zeta_M2
    return 3 * x.eta**2 * x.S * x.K * x.sigma2 / x.n + x.eta**3 * x.L * x.S * x.K**2 * inside


def lemma_11(x: Any, variance: float) -> Any:
    convex = (x.S * x.K) ** 3 * x.L * x.D_br + x.S * x.K**2 / 2 * (1 + x.S / x.n) * x.sigma2
    convex += 2 / 3 * x.K**3 * x.S**3 * x.a_bar2 + 2 / 3 * x.S * x.K**3 * x.zeta_M2
    return 4.1 * x.eta**2 * (convex + x.K**3 * x.S * (x.S + 1) * variance / 3)


def lemma_11_free(x: Any, dissimilarity: Any) -> Any:
    noise = x.S * x.K**2 / 2 * (1 + x.S / x.n) * x.sigma2
    own = 4 / 3 * x.K**3 * x.S**3 * x.g_Fp + 4 / 3 * x.K**3 * x.S**2 * dissimilarity
    return 3.1 * x.eta**2 * (noise + own)


def theorem_2(x: Any, variance: Any, dissimilarity: Any) -> Any:
    moved = 2 * (x.eta * x.K) ** 3 * x.L**2 * (variance + dissimilarity)
    noise = 2 * x.eta**3 * x.K**2 * x.L**2 * x.sigma2
    own = 1.5 * x.L * x.eta**2 / x.n * (x.K**2 * variance + x.K * x.sigma2)
    return x.L_Fp - x.eta * x.K / 4 * x.g_Fp + moved + noise + own


def theorem_4(x: Any, dissimilarity: Any) -> Any:
    noise = 1.08 * x.S * x.K**2 * (1 + x.S / x.n) * x.sigma2
    moved = x.eta**3 * x.L**2 * (noise + 2.9 * x.K**3 * x.S**2 * dissimilarity)
    own = 1.5 * x.L * x.eta**2 * x.S * x.K * x.sigma2 / x.n
    return x.L_Fp - x.eta * x.S * x.K / 4 * x.g_Fp + own + moved


def rolling_floor(x: Any) -> Any:
    inside = 6 * x.sigma2 * (1 + x.S / x.n) + 8 * x.K * x.S**2 * x.a_bar2
    inside += 4 * x.K * (x.S + 1) * x.nu_M2 + 8 * x.K * x.zeta_M2
    own = 6 * x.eta * x.sigma2 / (x.mu * x.q_mean * x.n)
    return own + x.eta**2 * x.L * x.K / (x.mu * x.q_mean) * inside


def random_floor(x: Any) -> Any:
    own = 8 * x.eta * (x.sigma2 + x.K * x.nu_star2) / (x.mu * x.p_mean * x.n)
    drift = 12 * x.eta**2 * x.K**2 * x.L * x.zeta_star2 + 6 * x.eta**2 * x.K * x.L * x.sigma2
    return own + drift / (x.mu * x.p_mean)


def gap(x: Any, bound: Any) -> Any:
    return x.L * x.D_opt + (x.L / x.mu**2 + 1 / (2 * x.L)) * bound**2


def sharper(x: Any) -> Any:
    return x.L * x.D_opt + x.L / x.mu**2 * x.gap_full_at_p + x.Dl_w / (2 * x.L)


def rate(x: Any) -> Any:
    masks = 16 * x.log_T / ((x.mu * x.p_mean) ** 2 * x.n * x.T) * (x.sigma2 / x.K + x.nu_star2)
    drift = 48 * x.log_T**2 / ((x.mu * x.p_mean) ** 3 * x.T**2) * x.L
    return x.D_opt_at[0] / x.T + masks + drift * (x.zeta_star2 + x.sigma2 / (2 * x.K))


def mean_random(x: Any) -> Any:
    first = 4 * x.Phi / (x.eta * x.K * x.T) + 6 * x.eta * x.L * (x.K * x.nu2 + x.sigma2) / x.n
    second = 8 * (x.eta * x.K * x.L) ** 2 * (x.nu2 + x.B2) + 8 * x.eta**2 * x.K * x.L**2 * x.sigma2
    return first + second


def mean_rolling(x: Any, noise: float = 4.3, own: float = 12) -> Any:
    first = 4 * x.Phi / (x.eta * x.S * x.K * x.T) + 6 * x.eta * x.L * x.sigma2 / x.n
    noise = noise * x.K * x.sigma2 * (1 + x.S / x.n)
    return first + (x.eta * x.L) ** 2 * (noise + own * x.K**2 * x.S * x.B_M2)


def tuned(x: Any) -> Any:
    root = 2 * sqrt(24 * x.L * x.Phi * x.v_mean / (x.n * x.T))
    last = 16 * x.L * x.Phi * x.n / (3 * x.T) * (x.v_mean + x.B2) / x.v_mean
    return 32 * x.L * x.Phi / x.T + root + last


def second_order(x: Any) -> Any:
    own = x.K * x.sigma2 / x.n + x.K**2 * x.nu_star2 / x.n
    return 4 * (own + x.K * x.L**2 * x.V_bar + 2 * x.L * x.K**2 * x.D_br)


def drift(x: Any, gradients: Any) -> Any:
    return 2 * x.eta**2 * (x.K**3 * gradients + x.K**2 * x.sigma2)


RIGHT: dict[tuple[str, str], Callable[[Any], Any]] = {
    ("lem-5", "drift"): lambda x: drift(x, x.H_x),
    ("lem-5", "gradients"): lambda x: 4 * x.L * x.D_br + 2 * x.zeta_star2,
    ("lem-5", "together"): lambda x: drift(x, 4 * x.L * x.D_br + 2 * x.zeta_star2),
    ("lem-4", "round"): lambda x: (1 - x.eta * x.K * x.mu * x.p_mean / 2) * x.D_opt + a_random(x),
    ("lem-4", "i"): lambda x: x.X_U,
    ("lem-4", "ii"): second_order,
    ("lem-4", "iii, coefficient"): lambda x: -x.eta * x.K,
    ("lem-4", "iii"): lambda x: x.D_opt - x.eta * x.K * x.D_br + a_random(x),
    ("thm-1", "distance"): lambda x: (
        (1 - x.eta * x.K * x.mu * x.p_mean / 2) ** x.t * x.D_opt_at[0] + random_floor(x)
    ),
    ("thm-1", "gap"): lambda x: gap(x, (1 - x.p_mean) * x.G + x.L * x.p_spread * x.W_sup),
    ("thm-1", "gap, sharper"): sharper,
    ("thm-1", "rate"): rate,
    ("lem-6", "drift"): lambda x: drift(x, x.nu2 + x.B2 + x.g_Fp),
    ("lem-6", "drift, values at w^t"): lambda x: drift(x, x.nu2_x + x.B2_x + x.g_Fp),
    ("lem-6", "identity"): lambda x: x.nu2_x + x.B2_x + x.g_Fp,
    ("thm-2", "mean"): mean_random,
    ("thm-2", "round"): lambda x: theorem_2(x, x.nu2, x.B2),
    ("thm-2", "round, values at w^t"): lambda x: theorem_2(x, x.nu2_x, x.B2_x),
    ("thm-2", "coefficient"): lambda x: -0.25,
    ("thm-2", "tuned, 1/(8L)"): tuned,
    ("thm-2", "tuned, root"): tuned,
    ("lem-9", "recursion"): lambda x: x.Rs_2,
    ("lem-9", "H_s <= L"): lambda x: x.L * x.Hz_x,
    ("lem-9", "0 <= H_s"): lambda x: x.Hz_x,
    ("lem-10", "norm"): lambda x: x.A_all + x.eta * x.K * x.L * x.A_part,
    ("lem-10", "unrolled"): lambda x: x.Us_2,
    ("lem-wor", "second moment"): lambda x: x.m * (x.n - x.m) / (x.n - 1) * x.nu_v2,
    ("lem-wor", "cited"): lambda x: x.delta_p,
    ("lem-11", "convex"): lambda x: lemma_11(x, x.nu_M2),
    ("lem-11", "convex, own permutations"): lambda x: lemma_11(x, x.nu_own2),
    ("lem-11", "nonconvex"): lambda x: lemma_11_free(x, x.B_M2),
    ("lem-11", "nonconvex, value at x"): lambda x: lemma_11_free(x, x.B_M2_x),
    ("thm-3", "distance"): lambda x: (
        (1 - x.eta * x.S * x.K * x.mu * x.q_mean / 2) ** x.t * x.D_opt_at[0] + rolling_floor(x)
    ),
    ("thm-3", "epoch"): lambda x: (
        (1 - x.eta * x.S * x.K * x.mu * x.q_mean / 2) * x.D_opt + a_rolling(x)
    ),
    ("thm-3", "gap"): lambda x: gap(x, (1 - x.q_mean) * x.G + x.L * x.q_spread * x.W_sup),
    ("thm-3", "gap, sharper"): sharper,
    ("thm-3", "coefficient"): lambda x: -x.eta * x.S * x.K,
    ("thm-3", "epoch, Bregman gap"): lambda x: x.D_opt - x.eta * x.S * x.K * x.D_br + a_rolling(x),
    ("thm-3", "sigma = 0, interior optimum"): lambda x: (
        (1 - x.eta * x.S * x.K * x.mu * x.q_mean / 2) ** x.t * x.D_opt_at[0]
        + x.eta**2 * x.L * x.K / (x.mu * x.q_mean) * 4 * x.K
        * ((x.S + 1) * x.nu_M2 + 2 * x.zeta_M2)
    ),
    ("thm-4", "mean"): mean_rolling,
    ("thm-4", "mean, of the epoch"): lambda x: mean_rolling(x, 4 * 1.08, 4 * 2.9),
    ("thm-4", "epoch"): lambda x: theorem_4(x, x.B_M2),
    ("thm-4", "epoch, value at x"): lambda x: theorem_4(x, x.B_M2_x),
    ("thm-4", "coefficient"): lambda x: -0.25,
}  # fmt: skip
# left sides that are no single quantity
LEFT: dict[tuple[str, str], Callable[[Any], Any]] = {
    ("lem-4", "i"): lambda x: x.K * x.D_br - x.L * x.V_bar / 2,
    ("lem-4", "iii, coefficient"): lambda x: x.eta * x.K * (-2 + 8 * x.a + 11.2 * x.a**2),
    ("thm-2", "mean"): lambda x: x.g_Fp_at[:-1].mean(),
    ("thm-2", "coefficient"): lambda x: -0.5 + 1.5 * x.a + 2 * x.a**2,
    ("thm-3", "coefficient"): lambda x: x.eta * x.S * x.K * (-2 + 6 * x.b + 5.4 * x.b**2),
    ("thm-4", "coefficient"): lambda x: -0.5 + 1.5 * x.b + 2.9 * x.b**2,
    ("lem-9", "recursion"): lambda x: x.Rc_2 + x.Rs_2,
    ("lem-9", "0 <= H_s"): lambda x: 0.0,
    ("lem-10", "unrolled"): lambda x: x.Un_2 + x.Us_2,
}


def plain(values: Numbers, at: int) -> SimpleNamespace:
    """The same numbers under the names of the second typing, at round ``at``."""
    constants = {name.replace("^2", "2"): value for name, value in values.constants.items()}
    x = SimpleNamespace(**constants, S=constants["S_sub"], t=at)
    for name, series in values.series.items():
        setattr(x, name, series[at])
        setattr(x, f"{name}_at", series)
    x.a = x.eta * x.K * x.L
    x.b = x.S * x.a
    return x


def test_every_part_is_typed_twice() -> None:
    parts = {(name, part.name) for name in IDS for part in claim(f"submodel/{name}").parts}
    assert parts == set(RIGHT)


@each("name, part", list(RIGHT))
def test_sides_are_those_of_the_sheet(name: str, part: str) -> None:
    found = claim(f"submodel/{name}").part(part)
    for seed, at in product(range(3), range(ROUNDS)):
        values = numbers(seed)
        x = plain(values, at)
        for side, typed in ((found.right, RIGHT), (found.left, LEFT)):
            if (name, part) in typed:
                given = np.atleast_1d(evaluate(side, values, range(at, at + 1)))
                assert isclose(float(given[-1]), float(typed[name, part](x)), rel_tol=1e-12)


CONDITIONS = {
    "lem-5": (4, 1), "lem-4": (10, 1), "thm-1": (10, 1), "lem-6": (4, 1), "thm-2": (8, 1),
    "lem-11": (10, 6), "thm-3": (10, 6), "thm-4": (8, 6),
}  # fmt: skip


@pytest.mark.parametrize(("name", "bound"), list(CONDITIONS.items()))
def test_step_sizes_at_the_edge_meet_the_conditions(name: str, bound: tuple[int, int]) -> None:
    found = claim(f"submodel/{name}")
    fixed = {"K": Fraction(5), "S_sub": Fraction(6), "L": Fraction(3)}
    edge = Fraction(1, bound[0] * bound[1] * 5 * 3)
    limits = [c for p in found.parts for c in p.conditions if c.right.is_Rational and c.right < 1]
    (first,) = {c for c in limits if c.right == sp.Rational(1, bound[0])}
    assert failure(first, Numbers(fixed | {"eta": edge}, {}, Fraction)) is None
    over = edge * Fraction(1001, 1000)
    assert failure(first, Numbers(fixed | {"eta": over}, {}, Fraction)) is not None


def test_tuned_steps_are_the_two_cases_of_the_minimum() -> None:
    parts = [claim("submodel/thm-2").part(f"tuned, {x}") for x in ("1/(8L)", "root")]
    random = Random(1)
    for _ in range(50):
        x = {name: random.uniform(0.1, 2.0) for name in ("L", "Phi", "nu2")} | {"sigma^2": 0.5}
        x |= {"K": 3, "n": 2, "T": random.randint(1, 200)}
        x["v_mean"] = x["nu2"] + 0.5 / 3
        root = sqrt(2 * x["Phi"] * x["n"] / (3 * x["L"] * x["T"] * x["v_mean"]))
        x["eta"] = min(1 / (8 * x["L"]), root) / x["K"]
        holds = [all(failure(c, Numbers(x, {})) is None for c in part.conditions) for part in parts]
        assert holds == [root >= 1 / (8 * x["L"]), root <= 1 / (8 * x["L"])]
