"""Every operator makes other statements of the same names, and reaches what it is for."""

from collections import Counter
from functools import cache

import pytest
import sympy as sp
from each import each
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.theory.language.claims import read
from fedbounds.theory.language.registry import claim, neighbours
from fedbounds.theory.language.symbols import K, L, T, gamma, m, n
from fedbounds.theory.proof.library import names_of
from fedbounds.theory.proof.read_text import tree
from fedbounds.theory.proof.text import statement_of
from fedbounds.verify.commands.mutants.operators import Operator, changes, mutants

SOME = (
    "fedplt/A2.4-gap", "meerkat/eq-28", "submodel/thm-6", "overparam/eq-25",
    "personalization/thm-3.11",
)  # fmt: skip
_NAMES = names_of("personalization")


@cache
def parts():
    """The first part of claims of all papers, with its mutants."""
    found = []
    for name in SOME:
        paper, own = name.partition("/")[0], claim(name)
        part, *_ = read(own, own.readings[0])
        found.append((part, mutants(part, names_of(paper), neighbours(paper)), paper))
    return found


def said(part):
    return part.left, part.relation, part.right, part.conditions, part.assumptions


def named(part):
    """The constants and quantities of a part's formulas."""
    sides = [part.left, part.right, *(x for c in part.conditions for x in (c.left, c.right))]
    free = [sp.sympify(side) for side in sides]
    used = {x.func.__name__ for side in free for x in side.atoms(sp.core.function.AppliedUndef)}
    return used | {x.name for side in free for x in side.free_symbols}


@each("part, found, paper", parts, told=lambda item: item[0].name)
def test_a_mutant_is_another_statement_that_reads_and_names_nothing_new(part, found, paper):
    beside = {name for pair in neighbours(paper) for name in pair}
    assert len({said(x.part) for x in found}) == len(found) > 0
    for mutant in found:
        assert said(mutant.part) != said(part)
        stated = statement_of(mutant.part)
        assert tree(stated.left)
        assert tree(stated.right)
        new = named(mutant.part) - named(part)
        if mutant.operator is Operator.NEIGHBOUR:
            assert len(new) <= 1
            assert new <= beside
        elif mutant.operator is not Operator.HAT:
            assert not new


def test_every_operator_is_at_work():
    seen = Counter(mutant.operator for _, found, _ in parts() for mutant in found)
    assert set(Operator) - set(seen) <= {Operator.HAT, Operator.ROUND}


@pytest.mark.parametrize(
    ("side", "operator", "wanted"),
    [
        (3 * L, Operator.CONSTANT, {6 * L, sp.Rational(3, 2) * L}),
        (
            L + gamma,
            Operator.CONSTANT,
            {2 * L + gamma, L / 2 + gamma, L + 2 * gamma, L + gamma / 2},
        ),
        (L**3, Operator.EXPONENT, {L**4, L**2}),
        (L / sp.sqrt(T), Operator.EXPONENT, {L * sp.sqrt(T), L * T ** sp.Rational(-3, 2)}),
        (L**2, Operator.SQUARE, {L}),
        (L / K, Operator.NEIGHBOUR, {L / (K - 1)}),
        (gamma * T, Operator.NEIGHBOUR, {gamma * (T + 1)}),
        (4 * n - 4 * m, Operator.NEIGHBOUR, {sp.S.Zero}),
    ],
)
def test_an_operator_reaches_each_place(side, operator, wanted):
    found = {
        x for own, _, x in changes(side, _NAMES, neighbours("personalization")) if own is operator
    }
    assert found >= wanted


@given(st.integers(1, 50), st.integers(2, 5))
def test_a_number_is_halved_and_doubled_wherever_it_is(number, power):
    side = number * L**power + gamma
    found = {x for own, _, x in changes(side, _NAMES, ()) if own is Operator.CONSTANT}
    assert {2 * number * L**power + gamma, sp.Rational(number, 2) * L**power + gamma} <= found
