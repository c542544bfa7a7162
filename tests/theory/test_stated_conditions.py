"""Conditions of displays are those that their sentences name; remarks on plots are trends."""

import pytest
import sympy as sp

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Condition, read
from fedbounds.theory.language.registry import claim, encoded
from fedbounds.theory.language.symbols import (
    K,
    L,
    T,
    eta_u,
    eta_v,
    gamma,
    gamma_u,
    gamma_v,
    k,
    m,
    n,
    t,
)
from fedbounds.theory.personalization.symbols import Bt_ik, Bt_new, P
from fedbounds.vocabulary import Relation, Source

EFFECTIVE = Condition(gamma_u * eta_u, "==", gamma_v * eta_v)
FULL = Condition(m, "==", n)
ONE = sp.Integer(1)


def at_most(bound):
    return Condition(gamma, "<=", bound)


OUTER_FULL = (Condition(eta_u, ">=", sp.sqrt(n)), Condition(eta_v, ">=", ONE))
LONG_OUTER = (Condition(eta_u, ">=", sp.Max(T, sp.sqrt(n))), Condition(eta_v, ">=", ONE))
OUTER = (Condition(eta_u, ">=", sp.sqrt(m)), Condition(eta_v, ">=", sp.sqrt(n / m)))
SMALL = Condition(72 * L * K * gamma, "<=", ONE)
NAMED = at_most(1 / (32 * L * K))

# what the paper's sentences name, read once more
STATED = {
    ("eq-3.4", "line 1"): {EFFECTIVE},
    ("eq-3.4", "line 2"): {EFFECTIVE, NAMED},
    ("eq-3.4", "drift factor"): {EFFECTIVE, NAMED},
    ("thm-3.11-desc", ""): {FULL, EFFECTIVE, NAMED, *OUTER_FULL},
    ("eq-3.6", "average"): {FULL, EFFECTIVE, NAMED, *OUTER_FULL},
    ("thm-3.11-sumB", ""): {FULL, EFFECTIVE, at_most(1 / (8 * L * K)), *LONG_OUTER},
    ("thm-3.11-fin", "average"): {FULL, EFFECTIVE, NAMED, *LONG_OUTER},
    ("eq-A.14", ""): {EFFECTIVE, at_most(sp.Min(m / n ** sp.Rational(2, 3), 1) / (72 * L * K))},
    ("thm-4.5-desc", "descent"): {EFFECTIVE, SMALL, *OUTER},
    ("thm-4.5-round", ""): {EFFECTIVE, SMALL, *OUTER},
    ("eq-4.5", ""): {EFFECTIVE, SMALL, *OUTER},
}


@pytest.mark.parametrize(("name", "stated"), STATED.items(), ids=[" ".join(x) for x in STATED])
def test_a_display_carries_what_its_sentence_names(name, stated):
    part = claim(f"personalization/{name[0]}").part(name[1])
    assert set(part.conditions) == stated
    assert len(part.conditions) == len(stated)


@pytest.mark.parametrize("name", ["fig-2c", "rem-4.7"])
def test_a_comparison_of_algorithms_has_a_reading_without_dissimilarity(name):
    found = claim(f"personalization/{name}")
    paired = [part.name for part in found.parts if "to Scaffold-P" in part.algorithm]
    free = {p.name for p in found.parts if p.name in paired and "b^2" not in p.constants}
    assert free
    assert any(free >= set(paired) & set(reading.parts) != set() for reading in found.readings)


def test_the_figure_is_first_read_in_the_set_up_that_section_5_states():
    found = claim("personalization/fig-2c")
    (paired,) = (p for p in read(found, found.readings[0]) if "to Scaffold-P" in p.algorithm)
    assert {str(c) for c in paired.conditions} == {"n == 10", "m == 9", "K == 25"}


@pytest.mark.parametrize("name", ["fig-1d", "fig-2c", "rem-4.7"])
def test_no_influence_is_first_read_as_a_trend(name):
    """Both directions, within a tenth; the literal reading comes later and says so."""
    found = claim(f"personalization/{name}")
    first = [part for part in read(found, found.readings[0]) if P in part.left.atoms(sp.Function)
             or "does not" in part.name]  # fmt: skip
    moved = {(p.left, p.right) for p in first if "does not" in p.name}
    tenth = sp.Rational(11, 10)
    assert moved == {(P(t + 1), tenth * P(t)), (P(t), tenth * P(t + 1))}
    assert all(p.relation is Relation.AT_MOST for p in read(found, found.readings[0]))
    literal = [
        r for r in found.readings if any(p.relation is Relation.EQUAL for p in read(found, r))
    ]
    assert literal
    assert all(r.name.startswith("harsher") for r in literal)


def test_vanilla_fedavg_is_a_reading_wherever_a_rate_is_said_to_be_that_of_fedavg():
    for name in ("rem-3.12", "spec-3.2.3-shared", "spec-3.3.2"):
        found = claim(f"personalization/{name}")
        _, vanilla = found.readings
        (part,) = read(found, vanilla)
        assert Condition(eta_u, "==", ONE) in part.conditions


def test_what_the_text_prints_is_a_reading():
    young = claim("personalization/lem-4.4-young")
    printed = {p.name: p for p in read(young, young.readings[1])}
    assert printed["v"].right.has(Bt_new(t - 1, k))
    assert not printed["v"].right.has(Bt_ik(t - 1, k))
    assert printed["u"].right == young.part("u").right
    remark = encoded(entry("personalization/rem-3.10"))
    assert remark.entry.source is Source.RESTORED
    assert len(remark.readings) == 4
    assert len(encoded(entry("personalization/asm-2.2")).readings) == 2
    for name in ("thm-3.11-desc", "thm-4.5-round", "eq-A.5-any"):
        assert claim(f"personalization/{name}").parts
