"""The lemmas and theorems of section 3 say what the statement sheet says.

Its formulas are typed a second time, as plain functions of numbers, and compared with the encoded
expressions at random positive rationals: exactly, and in ball arithmetic where a root occurs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import sympy as sp
from claim_numbers import CONSTANTS, random_numbers, same, value
from each import each
from flint import arb, ctx, fmpq

from fedbounds.theory.language.registry import claim
from fedbounds.verify.measure.evaluate import IrrationalError, Numbers
from fedbounds.vocabulary import Index


@dataclass(frozen=True)
class Sheet:
    """One display of the sheet: both sides at round t, and its conditions, on plain numbers."""

    left: Callable[..., Any]
    right: Callable[..., Any]
    conditions: tuple[tuple[Callable[..., Any], str, Callable[..., Any]], ...] = ()


def mean(values):
    return sum(values) / len(values)


def drift_level(c):
    """A of corollary 3.8."""
    return 4 * (c.n - c.m) * c.K * c.b2 / (c.m * c.n) + c.s_u / c.m + c.m * c.s_v / c.n


def full_level(c):
    return c.s_u / c.n + c.s_v


def hat_measure(c, q, _):
    """Mean over rounds of G_u + (m/n) G_v."""
    return mean([q.G_u[r] + c.m * q.G_v[r] / c.n for r in c.rounds])


def full_measure(c, q, _):
    return mean([q.G_u[r] + q.G_v[r] for r in c.rounds])


SAME_STEP = (lambda c: c.gamma_u * c.eta_u, "==", lambda c: c.gamma_v * c.eta_v)
FULL_CONDITIONS = (
    (lambda c: c.m, "==", lambda c: c.n),
    SAME_STEP,
    (
        lambda c: c.eta_u,
        ">=",
        lambda c: c.max(c.T, c.root(c.B_0 * c.T / (c.n * c.L * c.F_0)), c.root(c.n)),
    ),
    (lambda c: c.eta_v, ">=", lambda c: 1),
    (lambda c: c.gamma, "<=", lambda c: 1 / (84 * c.L * c.K)),
)

SHEETS = {
    ("personalization/lem-A.2", ""): Sheet(
        lambda c, q, t: q.S_2[t],
        lambda c, q, t: q.X_2[t] + 2 * (c.n - c.m) * q.D_2[t] / (c.m * c.n**2),
    ),
    ("personalization/lem-3.1", ""): Sheet(
        lambda c, q, t: q.f[t + 1] - q.f[t],
        lambda c, q, t: (
            q.T_1u[t]
            + q.T_1v[t]
            + 2 * c.L * q.T_2u[t]
            + 2 * c.L * q.T_2v[t]
            + 4 * c.L * c.gamma**2 * (c.n - c.m) * q.T_3u[t] / (c.m * c.n**2)
            + 2 * c.L * c.K * c.s_u * c.gamma**2 / c.m
            + 2 * c.L * c.K * c.s_v * c.gamma**2 * c.m / c.n
        ),
        (SAME_STEP,),
    ),
    ("personalization/lem-3.2", "u"): Sheet(
        lambda c, q, t: q.T_1u[t],
        lambda c, q, t: -c.K * c.gamma * q.G_u[t] / 2 + c.L**2 * c.gamma * q.E[t] / c.n,
        (SAME_STEP,),
    ),
    ("personalization/lem-3.2", "v"): Sheet(
        lambda c, q, t: q.T_1v[t],
        lambda c, q, t: (
            -c.K * c.gamma * c.m * q.G_v[t] / (2 * c.n) + c.L**2 * c.gamma * c.m * q.E[t] / c.n**2
        ),
        (SAME_STEP,),
    ),
    ("personalization/lem-3.3", "u"): Sheet(
        lambda c, q, t: q.T_2u[t],
        lambda c, q, t: (
            2 * c.K**2 * c.gamma**2 * q.G_u[t] + 4 * c.L**2 * c.K * c.gamma**2 * q.E[t] / c.n
        ),
        (SAME_STEP,),
    ),
    ("personalization/lem-3.3", "v"): Sheet(
        lambda c, q, t: q.T_2v[t],
        lambda c, q, t: (
            2 * c.K**2 * c.gamma**2 * c.m * q.G_v[t] / c.n
            + 4 * c.L**2 * c.K * c.gamma**2 * c.m * q.E[t] / c.n**2
        ),
        (SAME_STEP,),
    ),
    ("personalization/lem-3.4", ""): Sheet(
        lambda c, q, t: q.T_3u[t],
        lambda c, q, t: 3 * c.n * c.K**2 * c.b2 + 12 * c.L**2 * c.K * q.E[t],
    ),
    ("personalization/lem-3.5", ""): Sheet(
        lambda c, q, t: q.E[t],
        lambda c, q, t: (
            8 * c.K**2 * (c.K - 1) * c.gamma_u**2 * q.B[t]
            + 8 * c.n * c.K**3 * c.gamma_v**2 * q.G_v[t]
            + 4 * c.n * c.K**2 * (c.s_u * c.gamma_u**2 + c.s_v * c.gamma_v**2)
        ),
        (
            (
                lambda c: 4 * c.L**2 * c.K * (c.K - 1) * (c.gamma_u**2 + c.gamma_v**2),
                "<=",
                lambda c: 1,
            ),
        ),
    ),
    ("personalization/lem-3.6", "a"): Sheet(
        lambda c, q, t: q.B[t], lambda c, q, t: c.n * q.G_u[t] + c.n * c.b2
    ),
    ("personalization/lem-3.6", "b"): Sheet(
        lambda c, q, t: q.B[t],
        lambda c, q, t: (
            (1 + 2 / (c.T - 1)) * q.B[t - 1]
            + 2 * c.n * c.T * (q.G_u[t - 1] + q.G_v[t - 1])
            + 2 * c.n * c.T * full_level(c) / c.K
        ),
        (
            (lambda c: c.m, "==", lambda c: c.n),
            (lambda c: c.T, ">=", lambda c: 2),  # T = 1 is amb-11: the lemma is not invoked
            SAME_STEP,
            (lambda c: c.eta_u, ">=", lambda c: c.max(c.T, c.root(c.n))),
            (lambda c: c.eta_v, ">=", lambda c: 1),
            (lambda c: c.gamma, "<=", lambda c: 1 / (8 * c.L * c.K)),
        ),
    ),
    ("personalization/thm-3.7", ""): Sheet(
        hat_measure,
        lambda c, q, _: (
            4 * c.F_0 / (c.T * c.K * c.gamma)
            + 12 * c.L * drift_level(c) * c.gamma
            + 128 * c.L**2 * c.K * (c.K - 1) * c.b2 * c.gamma**2 / c.eta_u**2
        ),
        (
            SAME_STEP,
            (lambda c: c.eta_u, ">=", lambda c: c.root(c.m)),
            (lambda c: c.eta_v, ">=", lambda c: c.root(c.n / c.m)),
            (lambda c: c.gamma, "<=", lambda c: 1 / (32 * c.L * c.K)),
        ),
    ),
    ("personalization/cor-3.8", ""): Sheet(
        hat_measure,
        lambda c, q, _: (
            8 * c.root(3 * drift_level(c) * c.L * c.F_0 / (c.K * c.T)) + 129 * c.L * c.F_0 / c.T
        ),
        (
            SAME_STEP,
            (
                lambda c: c.gamma,
                "==",
                lambda c: (
                    1 / (32 * c.L * c.K + c.root(3 * c.L * c.K * c.T * drift_level(c) / c.F_0))
                ),
            ),
            (lambda c: c.eta_v, ">=", lambda c: c.root(c.n / c.m)),
            (
                lambda c: c.eta_u,
                ">=",
                lambda c: c.max(c.root(c.m), c.root(c.b2 * c.T / (c.L * c.F_0))),
            ),
        ),
    ),
    ("personalization/thm-3.11", "a"): Sheet(
        full_measure,
        lambda c, q, _: (
            4 * c.F_0 / (c.T * c.K * c.gamma)
            + 44 * c.L * full_level(c) * c.gamma
            + c.L * c.F_0 / c.T
        ),
        FULL_CONDITIONS,
    ),
    ("personalization/thm-3.11", "b"): Sheet(
        full_measure,
        lambda c, q, _: (
            8 * c.root(11 * c.L * c.F_0 * full_level(c) / (c.K * c.T)) + 337 * c.L * c.F_0 / c.T
        ),
        (
            *FULL_CONDITIONS,
            (
                lambda c: c.gamma,
                "==",
                lambda c: (
                    1 / (84 * c.L * c.K + c.root(11 * c.L * c.K * c.T * full_level(c) / c.F_0))
                ),
            ),
        ),
    ),
}


def plain(numbers: Numbers, root: Callable[[Any], Any]) -> tuple[SimpleNamespace, SimpleNamespace]:
    """Constants and series for the typed formulas: fractions, with a root that may be a ball."""
    c = SimpleNamespace(
        **{CONSTANTS[k]: v for k, v in numbers.constants.items() if k in CONSTANTS},
        root=root,
        max=largest,
    )
    c.rounds = range(int(c.T))
    return c, SimpleNamespace(**{k: list(v) for k, v in numbers.series.items()})


def largest(*values):
    return max(values, key=lambda x: float(x.mid()) if isinstance(x, arb) else float(x))


def exact_root(x):
    raise IrrationalError


def ball_root(x):
    return (x if isinstance(x, arb) else arb(fmpq(x))).sqrt()


def typed(formula: Callable[..., Any], numbers: Numbers, *at: Any) -> Any:
    """The typed formula's value, exact where no root is taken."""
    try:
        c, q = plain(numbers, exact_root)
        return formula(c, q, *at) if at else formula(c)
    except IrrationalError:
        with ctx.workprec(200):
            c, q = plain(numbers, ball_root)
            return formula(c, q, *at) if at else formula(c)


def test_every_part_of_these_claims_is_typed_again():
    ids = {name for name, _ in SHEETS}
    assert {(name, part.name) for name in ids for part in claim(name).parts} == set(SHEETS)


@each("key, sheet", SHEETS.items())
@each("seed", range(8))
def test_an_encoded_part_is_the_sheets_formula(key, sheet, seed):
    part = claim(key[0]).part(key[1])
    numbers = random_numbers(seed, full=seed % 2 == 0)
    rounds = range(part.first_round, int(numbers.constants["T"]))
    for encoded_side, formula in ((part.left, sheet.left), (part.right, sheet.right)):
        if part.index is Index.RUN:
            found = value(encoded_side, numbers)
            assert same(found, typed(formula, numbers, None))
            rooted = any(p.exp.q == 2 for p in encoded_side.atoms(sp.Pow) if p.exp.is_Rational)
            assert isinstance(found, fmpq) or rooted  # nothing but a root may cost exactness
        else:
            found = value(encoded_side, numbers, rounds)
            assert all(
                same(x, typed(formula, numbers, r)) for r, x in zip(rounds, found, strict=True)
            )


@each("key, sheet", SHEETS.items())
@each("seed", range(4))
def test_encoded_conditions_are_the_sheets(key, sheet, seed):
    part = claim(key[0]).part(key[1])
    numbers = random_numbers(seed, full=seed % 2 == 0)
    assert [c.relation for c in part.conditions] == [c[1] for c in sheet.conditions]
    for condition, (left, _, right) in zip(part.conditions, sheet.conditions, strict=True):
        assert same(value(condition.left, numbers), typed(left, numbers))
        assert same(value(condition.right, numbers), typed(right, numbers))


def test_a_mistyped_coefficient_would_be_seen():
    """The comparison above has teeth: one unit in one coefficient is a difference."""
    numbers = random_numbers(0, full=False)
    sheet = SHEETS["personalization/lem-3.4", ""]
    part = claim("personalization/lem-3.4").parts[0]
    wrong = part.right.subs(12, 13)
    rounds = range(int(numbers.constants["T"]))
    values = value(wrong, numbers, rounds)
    assert not any(
        same(x, typed(sheet.right, numbers, r)) for r, x in zip(rounds, values, strict=True)
    )
