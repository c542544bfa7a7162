"""Encoded claims say what the statement sheet says, with known symbols, and can be run at the edge.

The formulas below are typed from the sheet a second time, as plain functions of numbers, and
compared with the encoded expressions at random positive rationals: exactly, and in ball
arithmetic where a root occurs.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass, fields
from fractions import Fraction
from math import isclose
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sympy as sp
from flint import arb, ctx, fmpq

from fedbounds.errors import FedboundsError
from fedbounds.problems import Noise, NoiseLaw, Start, federated_quadratic
from fedbounds.theory.catalogue import PAPERS, entry, paper
from fedbounds.theory.claims import AS_PRINTED, Claim, Condition, Part, read
from fedbounds.theory.personalization import lemmas
from fedbounds.theory.registry import claim, encoded, encoded_claims
from fedbounds.theory.symbols import MEANING, G_u, G_v, Mean_t, RunOperator, m, n, t
from fedbounds.verify.conditions import failure, in_balls, sides
from fedbounds.verify.evaluate import IrrationalError, Numbers, evaluate
from fedbounds.vocabulary import Assumption, Index, Kind, Quantity, Relation

CLAIMS = tuple(found for key in PAPERS for found in encoded_claims(key))
IDS = [found.id for found in CLAIMS]
every_claim = pytest.mark.parametrize("found", CLAIMS, ids=IDS)
READINGS = [(found, reading) for found in CLAIMS for reading in found.readings]
every_reading = pytest.mark.parametrize(
    ("found", "reading"), READINGS, ids=[f"{c.id}, {r.name}" for c, r in READINGS]
)


# ---- the catalogue and the code


def test_the_catalogue_names_the_module_of_exactly_the_encoded_claims():
    listed = {(e.paper, e.module, e.id) for key in PAPERS for e in paper(key).entries if e.module}
    modules = {(key, module) for key, module, _ in listed}
    written = {
        (key, module, found.id)
        for key, module in modules
        for found in importlib.import_module(f"fedbounds.theory.{key}.{module}").CLAIMS
    }
    assert listed == written


def test_no_claim_is_encoded_twice():
    for key in PAPERS:
        modules = {e.module for e in paper(key).entries if e.module}
        ids = [
            found.id
            for module in modules
            for found in importlib.import_module(f"fedbounds.theory.{key}.{module}").CLAIMS
        ]
        assert len(ids) == len(set(ids))


@every_claim
def test_a_claim_is_reached_by_its_id_and_carries_its_entry(found):
    assert claim(found.id) is found
    assert found.entry is entry(found.id)


def test_a_claim_that_is_not_encoded_is_refused_by_name():
    waiting = next(e for e in paper("personalization").entries if not e.module)
    with pytest.raises(FedboundsError, match=waiting.id):
        encoded(waiting)


@every_claim
def test_kinds_that_are_judged_have_parts(found):
    assert found.entry.kind in (Kind.INEQUALITY, Kind.IDENTITY)
    relations = {part.relation for part in found.parts}
    expected = Relation.EQUAL if found.entry.kind is Kind.IDENTITY else Relation.AT_MOST
    assert relations == {expected}


# ---- shape of a claim


def expressions(part: Part) -> list[sp.Expr]:
    """Every expression of a part."""
    inside = [side for c in part.conditions for side in (c.left, c.right)]
    return [part.left, part.right, *inside, *([] if part.trivial is None else [part.trivial])]


@every_reading
def test_every_symbol_has_a_meaning(found, reading):
    weights = [multiplier.weight for multiplier in found.proof_weights]
    schedules = [side for schedule in found.schedules for side in schedule.values()]
    whole = [e for part in read(found, reading) for e in expressions(part)] + weights + schedules
    for expression in map(sp.sympify, whole):
        for symbol in expression.free_symbols - {t}:
            assert symbol.name in MEANING
        for atom in expression.atoms(sp.core.function.AppliedUndef):
            assert atom.func.__name__ in MEANING
            assert atom.func.__name__ in list(Quantity)


@every_reading
def test_a_part_is_typed(found, reading):
    for part in read(found, reading):
        assert all(isinstance(condition, Condition) for condition in part.conditions)
        assert all(c.relation in ("<=", ">=", "==") for c in part.conditions)
        assert all(isinstance(assumption, Assumption) for assumption in part.assumptions)
        assert len(set(part.assumptions)) == len(part.assumptions)
        assert isinstance(part.index, Index)
        assert isinstance(part.relation, Relation)
        assert not any(c.left.has(t) or c.right.has(t) for c in part.conditions)


@every_reading
def test_rounds_are_bound_where_a_part_speaks_of_a_whole_run(found, reading):
    for part in read(found, reading):
        free = [bare_rounds(side) for side in (part.left, part.right)]
        assert any(free) == (part.index is Index.ROUND) or found.algorithm == "participant mean"
        if part.index is Index.RUN:
            assert not any(free)
            # a reading that changes the left side has no trivial bound of its own
            assert (part.trivial is None) == (part.left != found.part(part.name).left)
            assert part.trivial is None or not bare_rounds(part.trivial)


def bare_rounds(expression: sp.Expr) -> bool:
    """Whether the round t occurs outside every run operator."""
    if isinstance(expression, RunOperator):
        return False
    return expression == t or any(bare_rounds(argument) for argument in expression.args)


@every_claim
def test_part_names_are_unique_and_found(found):
    names = [part.name for part in found.parts]
    assert len(set(names)) == len(names)
    assert all(names) or names == [""]
    assert [found.part(name) for name in names] == list(found.parts)
    with pytest.raises(FedboundsError, match="no such part"):
        found.part("no such part")


@every_claim
def test_an_assumption_is_named_for_every_constant_that_needs_one(found):
    needs = {
        "L": Assumption.SMOOTH,
        "sigma_u^2": Assumption.NOISE,
        "sigma_v^2": Assumption.NOISE,
        "b^2": Assumption.DISSIMILARITY,
        "F_0": Assumption.BOUNDED_BELOW,
    }
    for part in found.parts:
        for name in part.constants & needs.keys():
            assert needs[name] in part.assumptions, (part.name, name)


@every_claim
def test_multipliers_name_lemmas_of_the_same_paper(found):
    for multiplier in found.proof_weights:
        lemma = claim(multiplier.claim)
        assert lemma.entry.paper == found.entry.paper
        assert lemma.part(multiplier.part).relation is Relation.AT_MOST


# ---- readings


@every_claim
def test_the_first_reading_is_the_printed_one(found):
    first, *others = found.readings
    assert first is AS_PRINTED
    assert all(
        getattr(a, field.name) == getattr(b, field.name)
        for a, b in zip(read(found, first), found.parts, strict=True)
        for field in fields(Part)
    )
    names = [reading.name for reading in found.readings]
    assert len(set(names)) == len(names)
    assert all(reading.ambiguity.startswith("amb-") for reading in others)


@every_reading
def test_a_reading_turns_exactly_one_switch(found, reading):
    switches = (reading.relation is not None) + len(reading.substitute)
    assert switches == (0 if reading is found.readings[0] else 1)
    for before, after in zip(found.parts, read(found, reading), strict=True):
        kept = ("name", "index", "first_round", "assumptions")
        assert all(getattr(before, name) == getattr(after, name) for name in kept)
        assert [c.relation for c in before.conditions] == [c.relation for c in after.conditions]
        if reading.relation is None:
            assert before.relation is after.relation
        else:
            assert after.relation is reading.relation is not before.relation
            assert expressions(before) == expressions(after)


def changed_series(numbers: Numbers, name: str, factor: Any) -> Numbers:
    return Numbers(
        numbers.constants,
        dict(numbers.series) | {name: numbers.series[name] * factor},
        numbers.rational,
    )


def changed_constant(numbers: Numbers, name: str, value: Any) -> Numbers:
    return Numbers(dict(numbers.constants) | {name: value}, numbers.series, numbers.rational)


@pytest.mark.parametrize("seed", range(3))
def test_a_reading_means_the_same_expression_at_other_numbers(seed):
    """Summing G_v, taking F_0 as the decrease, B^0 from f: by changing numbers, not expressions."""
    numbers = random_numbers(seed, full=True)
    n, rounds = numbers.constants["n"], int(numbers.constants["T"])
    drop = numbers.series["f"][0] - numbers.series["f"][rounds]
    equivalents = {
        "G_v summed over clients": changed_series(numbers, "G_v", n),
        "F_0 = f(u^0, v^0) - E f(u^T, v^T)": changed_constant(numbers, "F_0", drop),
        "B^0 with f in place of f_i, as its last line prints": changed_constant(
            numbers, "B_0", n * numbers.constants["G_0"]
        ),
    }
    tried = set()
    for found, reading in READINGS:
        if reading.name not in equivalents:
            assert reading.relation is not None or reading is found.readings[0]
            continue
        tried.add(reading.name)
        other = equivalents[reading.name]
        for before, after in zip(found.parts, read(found, reading), strict=True):
            pairs = [(before.left, after.left), (before.right, after.right)]
            pairs += [
                (getattr(a, side), getattr(b, side))
                for a, b in zip(before.conditions, after.conditions, strict=True)
                for side in ("left", "right")
            ]
            for old, new in pairs:
                assert same(value(new, numbers), value(old, other)), (found.id, reading.name)
    assert tried == set(equivalents)


# ---- the sheet's formulas, typed again


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

CONSTANTS = {
    "n": "n", "m": "m", "K": "K", "T": "T", "L": "L", "F_0": "F_0", "B_0": "B_0", "G_0": "G_0",
    "sigma_u^2": "s_u", "sigma_v^2": "s_v", "b^2": "b2", "gamma": "gamma", "gamma_u": "gamma_u",
    "gamma_v": "gamma_v", "eta_u": "eta_u", "eta_v": "eta_v",
}  # fmt: skip


def random_numbers(seed: int, *, full: bool) -> Numbers:
    """Positive rationals for every symbol and quantity; m = n if ``full``. T is at least 2."""
    rng = Random(seed)

    def some() -> fmpq:
        return fmpq(rng.randint(1, 40), rng.randint(1, 40))

    n = rng.randint(2, 9)
    whole = {"n": n, "m": n if full else rng.randint(1, n), "K": rng.randint(1, 6),
             "T": rng.randint(2, 5)}  # fmt: skip
    constants = {name: fmpq(whole[name]) if name in whole else some() for name in CONSTANTS}
    rounds = whole["T"] + 1
    series = {
        name.value: np.array([some() for _ in range(rounds)], dtype=object) for name in Quantity
    }
    return Numbers(constants, series, lambda p, q: fmpq(p, q))


def plain(numbers: Numbers, root: Callable[[Any], Any]) -> tuple[SimpleNamespace, SimpleNamespace]:
    """Constants and series for the typed formulas: fractions, with a root that may be a ball."""
    c = SimpleNamespace(
        **{CONSTANTS[k]: v for k, v in numbers.constants.items()}, root=root, max=largest
    )
    c.rounds = range(int(c.T))
    return c, SimpleNamespace(**{k: list(v) for k, v in numbers.series.items()})


def largest(*values):
    return max(values, key=lambda x: float(x.mid()) if isinstance(x, arb) else float(x))


def exact_root(x):
    raise IrrationalError


def ball_root(x):
    return (x if isinstance(x, arb) else arb(fmpq(x))).sqrt()


def value(expression: sp.Expr, numbers: Numbers, rounds: range | None = None) -> Any:
    """Exact where rational, else a ball of 200 bits."""
    try:
        return evaluate(expression, numbers, rounds)
    except IrrationalError:
        with ctx.workprec(200):
            # whole numbers stay exact: T says how many rounds there are
            constants = in_balls(numbers).constants | {"T": numbers.constants["T"]}
            series = {
                k: np.array([arb(x) for x in v], dtype=object) for k, v in numbers.series.items()
            }
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


def typed(formula: Callable[..., Any], numbers: Numbers, *at: Any) -> Any:
    """The typed formula's value, exact where no root is taken."""
    try:
        c, q = plain(numbers, exact_root)
        return formula(c, q, *at) if at else formula(c)
    except IrrationalError:
        with ctx.workprec(200):
            c, q = plain(numbers, ball_root)
            return formula(c, q, *at) if at else formula(c)


def test_every_encoded_part_is_typed_again():
    assert {(found.id, part.name) for found in CLAIMS for part in found.parts} == set(SHEETS)


@pytest.mark.parametrize(("key", "sheet"), SHEETS.items(), ids=["".join(key) for key in SHEETS])
@pytest.mark.parametrize("seed", range(8))
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


@pytest.mark.parametrize(("key", "sheet"), SHEETS.items(), ids=["".join(key) for key in SHEETS])
@pytest.mark.parametrize("seed", range(4))
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


# ---- schedules: the conditions at equality


def scheduled(found: Claim, number: int, shape: tuple[int, int, int, int]) -> Numbers:
    """A random problem's constants with the step sizes of a schedule, in floats."""
    n, m, steps, rounds = shape
    problem = federated_quadratic(
        clients=n, shared_dimension=2, personal_dimension=2, dissimilarity=1.3 if n > 1 else 0.0,
        smoothness=1.7, strong_convexity=0.2, noise=Noise(NoiseLaw.GAUSSIAN, 0.4, 0.3), seed=n + m,
    )  # fmt: skip
    rng = np.random.default_rng(steps)
    start = Start(rng.standard_normal(2), rng.standard_normal((n, 2)))
    values = {k.value: float(c.value) for k, c in problem.constants(start).items()}
    values |= {"n": float(n), "m": float(m), "K": float(steps), "T": float(rounds)}
    for name, side in found.schedules[number].items():
        values[name] = float(evaluate(side, Numbers(values, {})))
    return inner_steps(values)


def inner_steps(values: dict[str, float]) -> Numbers:
    inner = {f"gamma_{b}": values["gamma"] / values[f"eta_{b}"] for b in ("u", "v")}
    return Numbers(values | inner, {})


def admits(part: Part, numbers: Numbers) -> bool:
    return all(failure(condition, numbers) is None for condition in part.conditions)


SCHEDULES = [(found, i) for found in CLAIMS for i in range(len(found.schedules))]
SHAPES = ((4, 4, 3, 5), (5, 2, 4, 7), (6, 1, 2, 3), (2, 2, 5, 40), (1, 1, 3, 9))


@pytest.mark.parametrize(
    ("found", "number"), SCHEDULES, ids=[f"{c.id}.{i + 1}" for c, i in SCHEDULES]
)
def test_a_schedule_lies_on_the_edge_of_some_part(found, number):
    """All conditions hold, and each step size moved one way or the other breaks one of them."""
    met = 0
    for shape in SHAPES:
        numbers = scheduled(found, number, shape)
        edges = [
            part
            for reading in found.readings
            for part in read(found, reading)
            if part.conditions and admits(part, numbers)
        ]
        if shape[0] == shape[1]:
            assert edges, shape
        met += bool(edges)
        for name in ("gamma", "eta_u", "eta_v"):
            moved = [
                inner_steps(dict(numbers.constants) | {name: numbers.constants[name] * factor})
                for factor in (1 - 1e-6, 1 + 1e-6)
            ]
            assert not edges or any(
                not all(admits(part, other) for other in moved) for part in edges
            ), (shape, name)
    assert met


def test_partial_participation_has_schedules_too():
    """The claims that allow m < n have a schedule that admits it."""
    for name in ("lem-3.5", "thm-3.7", "cor-3.8"):
        found = claim(f"personalization/{name}")
        for shape in SHAPES:
            numbers = scheduled(found, 0, shape)
            assert admits(found.parts[0], numbers), (name, shape)


@pytest.mark.parametrize("name", ["cor-3.8", "thm-3.11"])
def test_a_corollarys_step_size_satisfies_the_theorems_condition(name):
    """gamma of (3.8) and (3.11 b) is at most 1/(32LK) and 1/(84LK), by evaluation."""
    found = claim(f"personalization/{name}")
    factor = {"cor-3.8": 32, "thm-3.11": 84}[name]
    for shape in SHAPES:
        c = scheduled(found, len(found.schedules) - 1, shape).constants
        assert c["gamma"] * factor * c["L"] * c["K"] <= 1 + 1e-12


# ---- small contracts of the data types


def test_the_gap_is_right_minus_left():
    numbers = random_numbers(3, full=True)
    for found in CLAIMS:
        for part in found.parts:
            rounds = range(part.first_round, int(numbers.constants["T"]))
            gap, left, right = (
                np.atleast_1d(value(e, numbers, rounds)) for e in (part.gap, part.left, part.right)
            )
            with ctx.workprec(200):
                assert all(same(g, r - x) for g, x, r in np.broadcast(gap, left, right))


def test_a_part_knows_what_it_needs():
    part = lemmas.LEMMA_36.part("b")
    assert part.quantities == {"B", "G_u", "G_v"}
    assert part.constants == {
        "n", "m", "K", "T", "L", "sigma_u^2", "sigma_v^2", "eta_u", "eta_v", "gamma_u", "gamma_v",
        "gamma",
    }  # fmt: skip


def test_a_quantity_is_rescaled_inside_a_run_operator():
    summed = next(r for c, r in READINGS if r.name == "G_v summed over clients")
    (old, factor) = summed.substitute[0]
    assert old is G_v
    assert factor == n
    (part,) = read(claim("personalization/thm-3.7"), summed)
    assert part.left == Mean_t(G_u(t) + m * G_v(t))  # (m/n) sum over clients of the n-fold mean


def test_a_condition_prints_both_sides():
    text = str(lemmas.EFFECTIVE_STEP)
    assert "eta_u" in text
    assert "==" in text
    assert "eta_v" in text


def test_conditions_at_equality_hold_exactly_in_rationals():
    numbers = random_numbers(1, full=True)
    constants = dict(numbers.constants)
    constants["gamma"] = 1 / (8 * constants["L"] * constants["K"])
    edge = lemmas.LEMMA_36.part("b").conditions[-1]
    assert failure(edge, Numbers(constants, {}, numbers.rational)) is None
    left, right = sides(edge, Numbers(constants, {}, numbers.rational))
    assert left == right
    assert isclose(float(Fraction(str(left))), float(right))
