"""The displays of the FedAvg-P proofs, typed a second time from the paper's text.

Plain functions of numbers against the encoded expressions, at random positive fractions: exactly,
but for the special cases, whose roots are compared in floats.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isclose, sqrt
from random import Random
from typing import Any

import pytest
import sympy as sp
from each import each
from sympy.core.function import AppliedUndef

from fedbounds.theory.language.claims import Condition, Part, read
from fedbounds.theory.language.registry import claim, glossary
from fedbounds.theory.language.symbols import K, Mean_t, RunOperator, Sum_t, T, gamma, k, m, n, t
from fedbounds.vocabulary import Relation

ROUND, STEP = 2, 1


@dataclass(frozen=True)
class World:
    """Positive fractions for every constant, and for every quantity at every round and step.

    Like the paper's, its steps obey gamma = gamma_u eta_u = gamma_v eta_v, and B^0 is B at 0.
    """

    seed: int
    full: bool = False
    one_step: bool = False

    def constants(self) -> dict[str, Fraction]:
        rng = Random(self.seed)

        def some() -> Fraction:
            return Fraction(rng.randint(1, 40), rng.randint(1, 40))

        n = Fraction(rng.randint(3, 9))
        names = ("L", "sigma_u^2", "sigma_v^2", "b^2", "F_0", "gamma", "eta_u", "eta_v")
        found = {name: some() for name in names}
        found |= {
            "n": n,
            "m": n if self.full else Fraction(rng.randint(2, int(n) - 1)),
            "K": Fraction(1) if self.one_step else Fraction(rng.randint(3, 7)),
            "T": Fraction(rng.randint(4, 6)),
            "B_0": self.quantity("B", 0),
            "gamma_u": found["gamma"] / found["eta_u"],
            "gamma_v": found["gamma"] / found["eta_v"],
        }
        return found

    def quantity(self, name: str, *at: int) -> Fraction:
        assert name in glossary("personalization").quantities
        rng = Random(f"{self.seed} {name} {at}")
        return Fraction(rng.randint(1, 40), rng.randint(1, 40))


class Letters:
    """The paper's letters as attributes: constants, and quantities as functions of the round."""

    def __init__(self, world: World) -> None:
        constants = world.constants()
        plain = {"sigma_u^2": "s_u", "sigma_v^2": "s_v", "b^2": "b2"}
        for name, value in constants.items():
            setattr(self, plain.get(name, name), value)
        self._world = world
        self.rounds = range(int(constants["T"]))

    def __getattr__(self, name: str) -> Any:
        return lambda *at: self._world.quantity(name, *at)

    def level(self) -> Any:
        """sigma_u^2 / m + m sigma_v^2 / n."""
        return self.s_u / self.m + self.m * self.s_v / self.n

    def full_level(self) -> Any:
        """sigma_u^2 / n + sigma_v^2."""
        return self.s_u / self.n + self.s_v

    def hat(self, r: int) -> Any:
        """G_u + hat G_v, hat G_v = (m/n) G_v."""
        return self.G_u(r) + self.m * self.G_v(r) / self.n

    def both(self, r: int) -> Any:
        """G_u + G_v."""
        return self.G_u(r) + self.G_v(r)

    def total(self, inside: Callable[[int], Fraction]) -> Fraction:
        return sum((inside(r) for r in self.rounds), Fraction(0))

    def mean(self, inside: Callable[[int], Fraction]) -> Any:
        return self.total(inside) / self.T


def small_terms(x: Letters) -> Any:
    """The last line of (3.4)."""
    return (
        12 * (1 / x.m - 1 / x.n) * x.L * x.K**2 * x.b2 * x.gamma**2
        + 2 * x.L * x.K * x.s_u * x.gamma**2 / x.m
        + 2 * x.L * x.K * x.s_v * x.gamma**2 * x.m / x.n
    )


def drift_factor(x: Letters) -> Any:
    """What multiplies E in the first lines of (3.4)."""
    return (
        x.L**2 * x.gamma / x.n
        + 56 * x.L**3 * x.K * x.gamma**2 / x.n
        + x.L**2 * x.gamma * x.m / x.n**2
        + 8 * x.L**3 * x.K * x.gamma**2 * x.m / x.n**2
    )


def full_drift(x: Letters, t: int) -> tuple[Fraction, ...]:
    """The four sides of the chain for E^{t-1} at the end of Lemma 3.6's proof, with t for t - 1."""
    return (
        x.E(t),
        8 * x.K**3 * x.gamma_u**2 * x.B(t)
        + 8 * x.n * x.K**3 * x.gamma_v**2 * x.G_v(t)
        + 4 * x.n * x.K**2 * (x.s_u * x.gamma_u**2 + x.s_v * x.gamma_v**2),
        8 * x.K**3 * x.gamma**2 / x.T**2 * x.B(t)
        + 8 * x.n * x.K**3 * x.gamma**2 * x.G_v(t)
        + 4 * x.n * x.K**2 * x.gamma**2 * x.full_level(),
        x.K / (x.L**2 * x.T**2) * x.B(t)
        + x.n * x.K / x.L**2 * x.G_v(t)
        + x.n / x.L**2 * x.full_level(),
    )


def partial_drift(x: Letters, t: int) -> tuple[Fraction, ...]:
    """The four sides of the chain for E^t in Theorem 3.7's proof; the last has G_v, not hat G_v."""
    dissimilarity = 8 * x.n * x.K**2 * (x.K - 1) * x.b2 * x.gamma**2 / x.eta_u**2
    return (
        x.E(t),
        8 * x.K**2 * (x.K - 1) * x.gamma_u**2 * x.B(t)
        + 8 * x.n * x.K**3 * x.gamma_v**2 * x.G_v(t)
        + 4 * x.n * x.K**2 * (x.s_u * x.gamma_u**2 + x.s_v * x.gamma_v**2),
        dissimilarity
        + 8 * x.n * x.K**3 * x.gamma**2 * (x.G_u(t) / x.eta_u**2 + x.G_v(t) / x.eta_v**2)
        + 4 * x.n * x.K**2 * x.gamma**2 * (x.s_u / x.eta_u**2 + x.s_v / x.eta_v**2),
        dissimilarity
        + x.n * x.K**2 * x.gamma / (4 * x.L) * x.both(t)
        + x.n * x.K * x.gamma / (4 * x.L) * x.level(),
    )


Side = Callable[[Letters, int, int], Any]
EQ, LE = Relation.EQUAL, Relation.AT_MOST

DISPLAYS: dict[tuple[str, str], tuple[Side, Relation, Side]] = {
    ("lem-A.2-pair", ""): (
        lambda x, t, k: x.S_2(t),
        EQ,
        lambda x, t, k: x.O_2(t) / (x.m * x.n) + (x.m - 1) * x.N_2(t) / (x.m * x.n * (x.n - 1)),
    ),
    ("lem-A.2-exact", ""): (
        lambda x, t, k: x.S_2(t),
        EQ,
        lambda x, t, k: x.X_2(t) + (x.n - x.m) * x.D_2(t) / (x.m * x.n * (x.n - 1)),
    ),
    ("lem-A.3", ""): (
        lambda x, t, k: x.f(t + 1) - x.f(t),
        LE,
        lambda x, t, k: x.X_u(t) + x.X_v(t) + x.L * x.Du_2(t) + x.L * x.Dv_2(t),
    ),
    ("eq-A.2", "u"): (lambda x, t, k: x.X_u(t), EQ, lambda x, t, k: x.T_1u(t)),
    ("eq-A.2", "v"): (lambda x, t, k: x.X_v(t), EQ, lambda x, t, k: x.T_1v(t)),
    ("eq-A.3", "split"): (
        lambda x, t, k: x.Du_2(t),
        LE,
        lambda x, t, k: 2 * x.P_u(t) + 2 * x.gamma**2 * x.Y_2(t) / x.m**2,
    ),
    ("eq-A.3", "bound"): (
        lambda x, t, k: x.Du_2(t),
        LE,
        lambda x, t, k: (
            2 * x.T_2u(t)
            + 4 * x.gamma**2 * (x.n - x.m) * x.T_3u(t) / (x.m * x.n**2)
            + 2 * x.K * x.gamma**2 * x.s_u / x.m
        ),
    ),
    ("eq-A.3", "participants"): (
        lambda x, t, k: x.P_u(t),
        LE,
        lambda x, t, k: x.T_2u(t) + 2 * x.gamma**2 * (x.n - x.m) * x.T_3u(t) / (x.m * x.n**2),
    ),
    ("eq-A.3", "noise"): (
        lambda x, t, k: x.Y_ik(t, k),
        LE,
        lambda x, t, k: x.s_u * x.m / x.n,
    ),
    ("eq-A.4", "client"): (
        lambda x, t, k: x.Dv_i(t),
        LE,
        lambda x, t, k: (
            2 * x.gamma**2 * x.m * x.s_vi(t) / x.n + 2 * x.K * x.gamma**2 * x.s_v * x.m / x.n
        ),
    ),
    ("eq-A.4", "mean"): (
        lambda x, t, k: x.Dv_2(t),
        LE,
        lambda x, t, k: 2 * x.T_2v(t) + 2 * x.K * x.s_v * x.gamma**2 * x.m / x.n,
    ),
    ("eq-A.5", "bound"): (
        lambda x, t, k: x.B(t),
        LE,
        lambda x, t, k: (
            (1 + 1 / (x.T - 1)) * x.B(t - 1)
            + x.n * x.T * (x.G_u(t - 1) + x.G_v(t - 1))
            + x.T * x.L**2 * x.E(t - 1) / x.K
            + x.n * x.T * x.full_level() / x.K
        ),
    ),
    ("eq-A.6", "client"): (
        lambda x, t, k: x.g_ui(t),
        LE,
        lambda x, t, k: (
            (1 + 1 / (x.T - 1)) * x.g_ui(t - 1) + 2 * x.T * x.L**2 * (x.Du_2(t - 1) + x.Dv_i(t - 1))
        ),
    ),
    ("eq-A.6", "sum"): (
        lambda x, t, k: x.B(t),
        LE,
        lambda x, t, k: (
            (1 + 1 / (x.T - 1)) * x.B(t - 1)
            + 2 * x.T * x.L**2 * (x.n * x.Du_2(t - 1) + x.n * x.Dv_2(t - 1))
        ),
    ),
    ("lem-3.6-inc", "u"): (
        lambda x, t, k: x.Du_2(t),
        LE,
        lambda x, t, k: (
            4 * x.K**2 * x.gamma**2 * x.G_u(t)
            + 8 * x.L**2 * x.K * x.gamma**2 * x.E(t) / x.n
            + 2 * x.K * x.gamma**2 * x.s_u / x.n
        ),
    ),
    ("lem-3.6-inc", "v"): (
        lambda x, t, k: x.Dv_2(t),
        LE,
        lambda x, t, k: (
            4 * x.K**2 * x.gamma**2 * x.G_v(t)
            + 8 * x.L**2 * x.K * x.gamma**2 * x.E(t) / x.n
            + 2 * x.K * x.s_v * x.gamma**2
        ),
    ),
    ("eq-A.5-any", ""): (
        lambda x, t, k: x.B(t),
        LE,
        lambda x, t, k: (
            (1 + 1 / (x.T - 1)) * x.B(t - 1)
            + 8 * x.n * x.T * x.L**2 * x.K**2 * x.gamma**2 * (x.G_u(t - 1) + x.G_v(t - 1))
            + 32 * x.T * x.L**4 * x.K * x.gamma**2 * x.E(t - 1)
            + 4 * x.n * x.T * x.L**2 * x.K * x.gamma**2 * x.full_level()
        ),
    ),
    ("eq-3.3", "u"): (
        lambda x, t, k: x.Eu_ik(t, k + 1),
        LE,
        lambda x, t, k: (
            (1 + 1 / (x.K - 1) + 4 * x.L**2 * x.K * x.gamma_u**2) * x.Eu_ik(t, k)
            + 4 * x.L**2 * x.K * x.gamma_u**2 * x.Ev_ik(t, k)
            + 2 * x.K * x.gamma_u**2 * x.g_ui(t)
            + x.s_u * x.gamma_u**2
        ),
    ),
    ("eq-3.3", "v"): (
        lambda x, t, k: x.Ev_ik(t, k + 1),
        LE,
        lambda x, t, k: (
            (1 + 1 / (x.K - 1) + 4 * x.L**2 * x.K * x.gamma_v**2) * x.Ev_ik(t, k)
            + 4 * x.L**2 * x.K * x.gamma_v**2 * x.Eu_ik(t, k)
            + 2 * x.K * x.gamma_v**2 * x.g_vi(t)
            + x.s_v * x.gamma_v**2
        ),
    ),
    ("eq-3.3", "sum"): (
        lambda x, t, k: x.E_ik(t, k + 1),
        LE,
        lambda x, t, k: (
            (1 + 1 / (x.K - 1) + 4 * x.L**2 * x.K * (x.gamma_u**2 + x.gamma_v**2)) * x.E_ik(t, k)
            + 2 * x.K * x.gamma_u**2 * x.g_ui(t)
            + 2 * x.K * x.gamma_v**2 * x.g_vi(t)
            + x.s_u * x.gamma_u**2
            + x.s_v * x.gamma_v**2
        ),
    ),
    ("lem-3.5-ik", ""): (
        lambda x, t, k: x.E_ik(t, k),
        LE,
        lambda x, t, k: (
            8 * x.K * (x.K - 1) * (x.gamma_u**2 * x.g_ui(t) + x.gamma_v**2 * x.g_vi(t))
            + 4 * x.K * (x.s_u * x.gamma_u**2 + x.s_v * x.gamma_v**2)
        ),
    ),
    ("eq-3.4", "line 1"): (
        lambda x, t, k: x.f(t + 1),
        LE,
        lambda x, t, k: (
            x.f(t)
            + (-x.K * x.gamma / 2 + 4 * x.L * x.K**2 * x.gamma**2) * x.hat(t)
            + drift_factor(x) * x.E(t)
            + small_terms(x)
        ),
    ),
    ("eq-3.4", "line 2"): (
        lambda x, t, k: x.f(t + 1),
        LE,
        lambda x, t, k: (
            x.f(t)
            + (-x.K * x.gamma / 2 + 4 * x.L * x.K**2 * x.gamma**2) * x.hat(t)
            + 4 * x.L**2 * x.gamma / x.n * x.E(t)
            + small_terms(x)
        ),
    ),
    ("eq-3.4", "drift factor"): (
        lambda x, t, k: drift_factor(x),
        LE,
        lambda x, t, k: 4 * x.L**2 * x.gamma / x.n,
    ),
    ("thm-3.7-desc", "descent"): (
        lambda x, t, k: x.f(t + 1),
        LE,
        lambda x, t, k: (
            x.f(t)
            + (-x.K * x.gamma / 2 + 5 * x.L * x.K**2 * x.gamma**2) * x.hat(t)
            + 32 * x.L**2 * x.K**2 * (x.K - 1) * x.b2 * x.gamma**3 / x.eta_u**2
            + 12 * (1 / x.m - 1 / x.n) * x.L * x.K**2 * x.b2 * x.gamma**2
            + 3 * x.L * x.K * x.s_u * x.gamma**2 / x.m
            + 3 * x.L * x.K * x.s_v * x.gamma**2 * x.m / x.n
        ),
    ),
    ("thm-3.7-desc", "rewritten"): (
        lambda x, t, k: (Fraction(1, 2) - 5 * x.L * x.K * x.gamma) * x.hat(t),
        LE,
        lambda x, t, k: (
            (x.f(t) - x.f(t + 1)) / (x.K * x.gamma)
            + 32 * x.L**2 * x.K * (x.K - 1) * x.b2 * x.gamma**2 / x.eta_u**2
            + 3 * x.L * x.gamma * (4 * (x.n - x.m) * x.K * x.b2 / (x.m * x.n) + x.level())
        ),
    ),
    ("thm-3.7-desc", "step size"): (
        lambda x, t, k: 5 * x.L * x.K * x.gamma,
        LE,
        lambda x, t, k: Fraction(1, 4),
    ),
    ("eq-3.5", ""): (
        lambda x, t, k: x.f(t + 1),
        LE,
        lambda x, t, k: (
            x.f(t)
            + (-x.K * x.gamma / 2 + 4 * x.L * x.K**2 * x.gamma**2) * x.both(t)
            + 4 * x.L**2 * x.gamma / x.n * x.E(t)
            + 2 * x.L * x.K * x.s_u * x.gamma**2 / x.n
            + 2 * x.L * x.K * x.s_v * x.gamma**2
        ),
    ),
    ("thm-3.11-E", ""): (
        lambda x, t, k: x.E(t),
        LE,
        lambda x, t, k: (
            x.K**2 * x.gamma * x.B(t) / (4 * x.L * x.eta_u**2)
            + x.n * x.K**2 * x.gamma * x.G_v(t) / (4 * x.L)
            + x.n * x.K * x.gamma * x.full_level() / (4 * x.L)
        ),
    ),
    ("thm-3.11-desc", ""): (
        lambda x, t, k: x.f(t + 1),
        LE,
        lambda x, t, k: (
            x.f(t)
            + (-x.K * x.gamma / 2 + 5 * x.L * x.K**2 * x.gamma**2) * x.both(t)
            + x.L * x.K**2 * x.gamma**2 * x.B(t) / (x.n * x.eta_u**2)
            + 3 * x.L * x.K * x.s_u * x.gamma**2 / x.n
            + 3 * x.L * x.K * x.s_v * x.gamma**2
        ),
    ),
    ("eq-3.6", "average"): (
        lambda x, t, k: (Fraction(1, 2) - 5 * x.L * x.K * x.gamma) * x.mean(x.both),
        LE,
        lambda x, t, k: (
            x.F_0 / (x.T * x.K * x.gamma)
            + 3 * x.L * x.full_level() * x.gamma
            + x.L * x.K * x.gamma * x.total(x.B) / (x.n * x.T * x.eta_u**2)
        ),
    ),
    ("thm-3.11-sumB", ""): (
        lambda x, t, k: x.total(x.B),
        LE,
        lambda x, t, k: (
            8 * x.T * x.B(0)
            + 16 * x.n * x.T**2 * x.total(x.both)
            + 8 * x.n * x.T**3 * x.full_level() / x.K
        ),
    ),
    ("thm-3.11-fin", "average"): (
        lambda x, t, k: (Fraction(1, 2) - 21 * x.L * x.K * x.gamma) * x.mean(x.both),
        LE,
        lambda x, t, k: (
            x.F_0 / (x.T * x.K * x.gamma)
            + 11 * x.L * x.full_level() * x.gamma
            + x.B(0) / (4 * x.n * x.eta_u**2)
        ),
    ),
    ("thm-3.11-fin", "step size"): (
        lambda x, t, k: 21 * x.L * x.K * x.gamma,
        LE,
        lambda x, t, k: Fraction(1, 4),
    ),
    ("spec-3.2.3-shared", "outer step"): (
        lambda x, t, k: x.mean(x.G_u),
        LE,
        lambda x, t, k: (
            8
            * sqrt(
                3
                * (4 * (x.n - x.m) * x.K * x.b2 / (x.m * x.n) + x.s_u / x.m)
                * x.L
                * x.F_0
                / (x.K * x.T)
            )
            + 129 * x.L * x.F_0 / x.T
        ),
    ),
    ("spec-3.2.3-personal", ""): (
        lambda x, t, k: x.mean(x.G_v),
        LE,
        lambda x, t, k: 8 * sqrt(3 * x.s_v * x.L * x.F_0 / x.T) + 129 * x.L * x.F_0 / x.T,
    ),
    ("spec-3.3.2", "outer step"): (
        lambda x, t, k: x.mean(x.G_u),
        LE,
        lambda x, t, k: (
            8 * sqrt(11 * x.s_u * x.L * x.F_0 / (x.n * x.K * x.T)) + 337 * x.L * x.F_0 / x.T
        ),
    ),
}


def line(chain: Callable[[Letters, int], tuple[Fraction, ...]], at: int) -> Side:
    """One side of a chain."""
    return lambda x, t, k: chain(x, t)[at]


for _name, _chain in (("lem-3.6-E", full_drift), ("thm-3.7-E", partial_drift)):
    for _at in range(3):
        DISPLAYS[_name, f"line {_at + 1}"] = (line(_chain, _at), LE, line(_chain, _at + 1))
    DISPLAYS[_name, "bound"] = (line(_chain, 0), LE, line(_chain, -1))

for _name in ("spec-3.2.3-shared", "spec-3.3.2"):
    DISPLAYS[_name, "vanilla"] = DISPLAYS[_name, "outer step"]

# stated for all clients in every round, and for one local step
FULL = {
    "eq-A.5", "eq-A.6", "lem-3.6-inc", "lem-3.6-E", "eq-3.5", "thm-3.11-E", "eq-3.6",
    "eq-A.5-any", "thm-3.11-desc", "thm-3.11-sumB", "thm-3.11-fin", "spec-3.2.3-personal", "spec-3.3.2",
}  # fmt: skip
ONE_STEP = {"spec-3.2.3-personal"}


def part_of(key: tuple[str, str]) -> Part:
    return claim(f"personalization/{key[0]}").part(key[1])


def world_of(key: tuple[str, str], seed: int) -> World:
    return World(seed, full=key[0] in FULL, one_step=key[0] in ONE_STEP)


def value(expression: sp.Expr, world: World, at: int = ROUND, step: int = STEP) -> sp.Expr:
    """The encoded side at round ``at`` and local step ``step``, run operators written out."""
    constants = world.constants()
    every = range(int(constants["T"]))

    def written_out(operator: RunOperator) -> sp.Expr:
        assert isinstance(operator, Mean_t | Sum_t)
        total = sp.Add(*(operator.args[0].subs(t, r) for r in every))
        return total / len(every) if isinstance(operator, Mean_t) else total

    known = {
        symbol: sp.Rational(constants[symbol.name].numerator, constants[symbol.name].denominator)
        for symbol in expression.free_symbols
        if symbol not in (t, k)
    }
    plain = expression.replace(lambda e: isinstance(e, RunOperator), written_out)
    plain = plain.xreplace(known | {t: sp.Integer(at), k: sp.Integer(step)}).doit()
    numbers = {
        atom: sp.Rational(
            *world.quantity(atom.func.__name__, *map(int, atom.args)).as_integer_ratio()
        )
        for atom in plain.atoms(AppliedUndef)
    }
    return plain.xreplace(numbers)


def same(encoded: sp.Expr, typed: Any) -> bool:
    if encoded.is_Rational and not isinstance(typed, float):
        return bool(Fraction(int(encoded.p), int(encoded.q)) == typed)
    return isclose(float(encoded), typed, rel_tol=1e-13)


every_display = each("key", DISPLAYS)


@every_display
@each("seed", range(4))
def test_a_display_is_encoded_as_printed(key: tuple[str, str], seed: int) -> None:
    left, relation, right = DISPLAYS[key]
    part, world = part_of(key), world_of(key, seed)
    assert part.relation is relation
    letters = Letters(world)
    for side, formula in ((part.left, left), (part.right, right)):
        assert same(value(sp.sympify(side), world), formula(letters, ROUND, STEP))


def test_every_part_of_these_claims_is_typed_again() -> None:
    ids = {name for name, _ in DISPLAYS}
    parts = {(name, part.name) for name in ids for part in claim(f"personalization/{name}").parts}
    assert parts == set(DISPLAYS)


def test_the_printed_personal_gradients_are_hatted_by_the_other_reading() -> None:
    """amb-6: the last line of Theorem 3.7's chain, and nothing else in it."""
    found = claim("personalization/thm-3.7-E")
    (other,) = [reading for reading in found.readings if reading.ambiguity == "amb-6"]
    world = World(5)
    x = Letters(world)
    missing = x.n * x.K**2 * x.gamma / (4 * x.L) * (x.hat(ROUND) - x.both(ROUND))
    for printed, part in zip(found.parts, read(found, other), strict=True):
        assert part.left == printed.left
        changed = value(part.right - printed.right, world)
        assert same(changed, missing if part.name in ("bound", "line 3") else Fraction(0))


@every_display
def test_a_display_holds_where_it_is_stated(key: tuple[str, str]) -> None:
    """Full participation where it is printed; one local step; and no division by zero (amb-11)."""
    part = part_of(key)
    conditions = set(part.conditions)
    if part.quantities:
        assert (Condition(m, "==", n) in conditions) == (key[0] in FULL)
    assert (Condition(K, "==", sp.Integer(1)) in conditions) == (key[0] in ONE_STEP)
    for size in (K, T, n):
        if any(side.has(1 / (size - 1)) for side in (part.left, part.right)):
            assert Condition(size, ">=", sp.Integer(2)) in conditions
    for side in (part.left, part.right):
        late = all(a.args[0] != t - 1 for a in sp.sympify(side).atoms(AppliedUndef))
        assert late or part.first_round == 1


@pytest.mark.parametrize("seed", range(4))
def test_a_mistyped_coefficient_is_seen(seed: int) -> None:
    """One unit in one coefficient, a lost square, a round too late: each is a difference."""
    world, x = World(seed), Letters(World(seed))
    right = part_of(("eq-3.4", "line 1")).right
    typed = DISPLAYS["eq-3.4", "line 1"][2](x, ROUND, STEP)
    assert same(value(right, world), typed)
    assert not same(value(right.subs(56, 57), world), typed)
    assert not same(value(right.subs(gamma, 1), world), typed)
    assert not same(value(right.subs(t, t + 1), world), typed)
