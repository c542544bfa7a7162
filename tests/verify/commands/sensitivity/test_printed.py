"""Every number that a part prints, and nothing else, can be varied on its own."""

from fractions import Fraction
from functools import partial

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy.core.function import AppliedUndef

from fedbounds.theory.language.catalogue import PAPERS
from fedbounds.theory.language.claims import Condition, Part
from fedbounds.theory.language.registry import claim, encoded_claims
from fedbounds.theory.language.symbols import (
    F_0,
    G_u,
    G_v,
    K,
    L,
    Mean_t,
    RunOperator,
    T,
    f,
    gamma,
    m,
    n,
    t,
)
from fedbounds.theory.personalization.glossary import GLOSSARY
from fedbounds.theory.personalization.proofs.scopes import au, hu
from fedbounds.theory.personalization.symbols import E
from fedbounds.theory.proof.repair import THETA
from fedbounds.theory.proof.vectors import ip, sq
from fedbounds.verify.commands.sensitivity.printed import Printed, rational
from fedbounds.verify.commands.sensitivity.printed import printed as printed_of
from fedbounds.vocabulary import Relation

printed = partial(printed_of, signed=GLOSSARY.signed)


def values(part):
    return sorted((str(number.value), number.place) for number in printed(part))


PARTS = [
    part
    for paper in PAPERS
    for found in encoded_claims(paper)
    for part in found.parts
    if part.relation is Relation.AT_MOST
]


def at_point(expression):
    """A float, every symbol and quantity a number of its own."""
    plain = sp.sympify(expression).replace(
        lambda e: isinstance(e, RunOperator), lambda e: e.args[0]
    )
    plain = plain.replace(lambda e: isinstance(e, sq | ip), lambda e: sp.Rational(3, 5))
    atoms = sorted(plain.atoms(AppliedUndef) | plain.free_symbols, key=str)
    return complex(plain.xreplace({a: sp.Float((9 + i) / 7) for i, a in enumerate(atoms)}))


@settings(max_examples=12)
@given(st.sampled_from(PARTS))
def test_the_printed_value_gives_the_part_back_and_no_other_does(part):
    for number in printed(part):
        again, other = number.at(number.value), number.at(2 * number.value)
        old, new = (sides(part), sides(again))
        assert new == pytest.approx(old, rel=1e-9)
        assert sides(other) != pytest.approx(old, rel=1e-9)


def sides(part):
    pairs = [(c.left, c.right) for c in part.conditions]
    return [at_point(side) for pair in (*pairs, (part.left, part.right)) for side in pair]


def test_a_common_factor_is_one_number_and_exponents_are_none():
    theorem = claim("personalization/thm-3.7").part("")
    assert values(theorem) == [
        ("1/32", "gamma <= 1/(32*K*L)"),
        ("12", "right side"),
        ("128", "right side"),
        ("4", "right side"),
        ("4", "right side"),
    ]
    inner = next(x for x in printed(theorem) if x.value == 4 and x.times.has(m - n, n - m))
    changed = inner.at(Fraction(5)).right - theorem.right
    assert sp.simplify(changed / inner.times) == 1


def test_numbers_stand_below_roots_operators_and_maxima_too():
    right = sp.sqrt(3 * L + F_0) + Mean_t(5 * G_u(t)) + sp.Max(7 * L, K) / 2
    assert values(Part(G_u(t), right)) == [
        ("1/2", "right side"), ("3", "right side"), ("5", "right side"), ("7", "right side"),
    ]  # fmt: skip


def test_equalities_among_conditions_are_definitions():
    part = Part(G_u(t), 2 * E(t), conditions=(Condition(gamma, "==", 1 / (9 * L)),))
    assert values(part) == [("2", "right side")]


def test_a_term_without_a_number_has_the_number_one():
    part = Part(G_u(t), E(t) - G_v(t) + 2 * F_0, conditions=(Condition(gamma, "<=", 1 / L),))
    assert values(part) == [("1", "right side"), ("1", "right side"), ("2", "right side")]
    assert sorted(x.towards for x in printed(part)) == [-1, -1, 1]
    assert printed(Part(G_u(t), sp.S.Zero)) == ()


def towards(right, conditions=(), value=3):
    (number,) = [x for x in printed(Part(G_u(t), right, conditions=conditions)) if x.value == value]
    return number.towards


@pytest.mark.parametrize(
    ("right", "sharper"),
    [
        (3 * G_v(t), -1),
        (-3 * G_v(t), 1),
        (G_v(t) / (3 * K + L), 1),
        (3 * (n - m) * L, -1),
        (sp.sqrt(3 * L + F_0) * G_v(t), -1),
        (3 * f(t), 0),
        ((9 - 3 * K * gamma * L) ** t * F_0, 1),
        (3 * ip(au, hu), 0),
        (2 * ip(au, hu) + 3 * sq(au), -1),
    ],
)
def test_a_smaller_right_side_says_more(right, sharper):
    assert towards(right) == sharper


@pytest.mark.parametrize(
    ("condition", "weaker"),
    [
        (Condition(gamma, "<=", 1 / (32 * K * L)), 1),
        (Condition(32 * K * L * gamma, "<=", sp.Integer(1)), -1),
        (Condition(gamma, ">=", 1 / (32 * K * L)), -1),
        (Condition(32 * gamma, ">=", L), 1),
    ],
)
def test_a_weaker_condition_says_more(condition, weaker):
    assert towards(2 * E(t), (condition,), 2) == -1
    (number,) = [x for x in printed(Part(G_u(t), E(t), conditions=(condition,))) if x.condition]
    assert number.towards == weaker


@given(
    st.fractions(min_value=Fraction(1, 9), max_value=9).filter(lambda x: x != 1),
    st.fractions(min_value=Fraction(1, 9), max_value=9),
)
def test_any_number_is_found_and_replaced(old, new):
    part = Part(G_u(t), rational(old) * K * G_v(t) + F_0 / T)
    (number,) = [x for x in printed(part) if x.times != 1 / T * F_0]
    assert isinstance(number, Printed)
    assert number.value == old
    assert number.at(new).right == rational(new) * K * G_v(t) + F_0 / T
    assert number.times == K * G_v(t)
    assert not number.rest.has(THETA)
