"""Theorems 3.7 and 3.11, Corollary 3.8 and what they reduce to: what is proved, planted errors."""

import re
from dataclasses import replace
from functools import cache
from math import exp

import fedavg_book
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.language.symbols import F_0, B, K, L, T, eta_u, eta_v, gamma, m, n, t
from fedbounds.theory.personalization import displays_theorems, special, theorems
from fedbounds.theory.personalization.proofs import (
    fedavg_full,
    fedavg_special,
    fedavg_theorems,
)
from fedbounds.theory.personalization.symbols import E
from fedbounds.theory.proof.language import Book, above, below, equal
from fedbounds.theory.proof.replay import Local, certified, replay

CHAPTERS = (fedavg_theorems, fedavg_full, fedavg_special)
CLAIMS = (
    *theorems.CLAIMS,
    *displays_theorems.CLAIMS,
    special.SPECIAL_323_SHARED,
    special.SPECIAL_323_PERSONAL,
    special.SPECIAL_332,
    special.REMARK_312,
    special.REMARK_39,
)
# readings that change G_v or B^0; the bound that rises with m; FedAvg with outer step 1
REFUSED = {
    "thm-3.7 [amb-2]",
    "thm-3.11:a [amb-2]",
    "thm-3.11-sumB [amb-9]",
    "rem-3.9:m",
    "rem-3.12:vanilla",
    "spec-3.2.3-shared:vanilla",
    "spec-3.3.2:vanilla",
}
HATLESS = "thm-3.7-desc:descent"  # printed after a display with G_v for (m/n) G_v


@cache
def written():
    """The lemmas' chapters, whose steps are taken as given here, and these."""
    lemmas = fedavg_book.written()
    known = [replace(s, rule="given", uses=(), base=(), origin="above") for s in lemmas.steps]
    book = Book(lemmas.paper, lemmas.theory, known)
    for chapter in CHAPTERS:
        chapter.write(book)
    return book


@cache
def own():
    """The steps of these chapters, replayed."""
    start = len(fedavg_book.written().steps)
    return replay(written())[start:]


def step(name, source="paper"):
    return next(s for s in own() if (s.written.id, s.written.source) == (name, source))


def refuses(name, source="paper", **changed):
    """Certify a step with something changed."""
    found = replace(step(name, source).written, **changed)
    earlier = {s.id: s.statement for s in written().steps if s.id != name}
    try:
        certified(written().theory, found, earlier)
    except Refused:
        return True
    return False


def said(name, source="paper", **changed):
    return replace(step(name, source).written.statement, **changed)


# ---- what is proved


def test_every_step_is_proved_but_those_of_readings_and_remarks_that_fail():
    unproved = {(s.written.id, s.written.source) for s in own() if s.local is not Local.PROVED}
    assert unproved == {(name, "paper") for name in {*REFUSED, HATLESS}}
    rest_on = {s.written.id for s in own() if not s.inherited}
    dependent = {"cor-3.8 [amb-2]", "thm-3.11:b [amb-2]", "thm-3.11-fin:average [amb-9]"}
    assert rest_on - {HATLESS} == REFUSED | dependent | {
        f"thm-3.11:{part} [amb-9]" for part in "ab"
    }


def test_what_rests_on_the_missing_hat_is_mended_and_remembers_it():
    for name in ("thm-3.7", "cor-3.8", "spec-3.2.3-shared:outer step"):
        assert step(name).inherited
        assert HATLESS in step(name).failed
    assert not step("thm-3.11:b").failed


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.entry.id)
def test_every_part_has_a_step(claim):
    names = {s.written.part for s in own() if s.written.claim == claim.id and s.written.reading}
    assert names == {part.name for part in claim.parts}


@pytest.mark.parametrize(
    ("sharper", "printed", "weaker"),
    [
        ("thm-3.7/sharper", "thm-3.7", (4 * F_0 / (T * K * gamma), 3 * F_0 / (T * K * gamma))),
        ("thm-3.11/sharper", "thm-3.11:a", (L * F_0 / T, L * F_0 / (25 * T))),
        ("cor-3.8/sharper", "cor-3.8", (129 * L * F_0 / T, 97 * L * F_0 / T)),
        ("thm-3.11: b (sharper)", "thm-3.11:b", (337 * L * F_0 / T, 197 * L * F_0 / T)),
    ],
)
def test_a_sharper_bound_is_smaller_at_any_parameters(sharper, printed, weaker):
    right, above_it = step(sharper, "ours").written.right, step(printed).written.right
    old, new = (sp.expand(x) for x in weaker)
    assert old in sp.expand(above_it).args
    assert new in sp.expand(right).args
    values = {s: 2 + number for number, s in enumerate(sorted(right.free_symbols, key=str))}
    values |= {n: 7, m: 3, gamma: sp.Rational(1, 10**6)}
    known = {s: v for s, v in values.items() if s in above_it.free_symbols | right.free_symbols}
    assert float(right.subs(known)) < float(above_it.subs(known))
    conditions = step(printed).written.statement.conditions
    assert step(sharper, "ours").written.statement.conditions == conditions


# ---- the recursion of Theorem 3.11, against numbers


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 40), st.lists(st.floats(0, 10), min_size=41, max_size=41), st.floats(0, 10))
def test_the_unrolled_recursion_bounds_a_recursion_with_equality(rounds, added, start):
    q = 1 + 2 / (rounds - 1)
    squares = [start]
    for extra in added[: rounds - 1]:
        squares.append(q * squares[-1] + extra)
    total, extras = sum(squares), sum(added[:rounds])
    first = (q**rounds - 1) / (q - 1)
    later = (q ** (rounds - 1) - 1) / (q - 1)
    assert total <= (first * start + later * extras) * (1 + 1e-9)
    assert first <= min(8, 16 / 3) * rounds
    assert later <= 16 / 5 * rounds
    assert q ** (rounds - 1) <= exp(2) < 37 / 5


# ---- planted errors


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("eq-3.4:line 1", "56*K", "28*K"),
        ("eq-3.4:drift factor", "4*L**2", "2*L**2"),
        ("thm-3.7-E:line 3", "/(4*L)", "/(8*L)"),
        ("thm-3.7", "4*F_0", "2*F_0"),
        ("cor-3.8", "129*F_0", "64*F_0"),
        ("eq-3.5", "4*L**2", "2*L**2"),
        ("thm-3.11-E", "/(4*L)", "/(8*L)"),
        ("eq-3.6:average", "3*L*gamma", "L*gamma"),
        ("thm-3.11-sumB: several rounds", "16*T**2", "4*T**2"),
        ("thm-3.11-fin:average", "11*L", "5*L"),
        ("thm-3.11:b", "337*F_0", "168*F_0"),
        ("spec-3.2.3-shared:outer step", "129*F_0", "64*F_0"),
        ("spec-3.3.2:outer step", "8*sqrt", "4*sqrt"),
    ],
)
def test_a_smaller_constant_is_refused(name, old, new):
    right = said(name).right
    assert right.count(old) >= 1
    assert refuses(name, statement=said(name, right=right.replace(old, new)))


@pytest.mark.parametrize("name", ["thm-3.7", "thm-3.11:a", "eq-3.5", "rem-3.9:K", "rem-3.9:L"])
def test_a_turned_inequality_is_refused(name):
    assert refuses(name, statement=said(name, relation=">="))


@pytest.mark.parametrize(
    "name",
    [
        "eq-3.4:line 1",
        "thm-3.7-E:line 2",
        "thm-3.7",
        "cor-3.8",
        "thm-3.11:a",
        "thm-3.11-fin:average",
    ],
)
def test_every_premise_is_needed(name):
    uses = step(name).written.uses
    for left_out in range(len(uses)):
        assert refuses(name, uses=(*uses[:left_out], *uses[left_out + 1 :])), uses[left_out]


def test_m_and_n_exchanged_is_refused():
    other = {"m": "n", "n": "m"}
    for name in ("thm-3.7", "eq-3.4:line 1", "thm-3.7-E:line 3", "cor-3.8"):
        right = re.sub(r"\b[mn]\b", lambda found: other[found[0]], said(name).right)
        assert right != said(name).right
        assert refuses(name, statement=said(name, right=right))


@pytest.mark.parametrize(
    ("name", "dropped"),
    [
        ("thm-3.7-E:line 3", eta_u),
        ("thm-3.7-E:line 3", eta_v),
        ("eq-3.5", m),
        ("thm-3.11-E", eta_v),
        ("thm-3.11:a", eta_u),
        ("thm-3.11-fin:step size", gamma),
    ],
)
def test_a_dropped_condition_is_refused(name, dropped):
    kept = tuple(c for c in said(name).conditions if c[0] != str(dropped))
    assert len(kept) < len(said(name).conditions)
    chart = tuple(a for a in step(name).written.chart if a.name != str(dropped))
    assert refuses(name, statement=said(name, conditions=kept))
    assert refuses(name, statement=said(name, conditions=kept), chart=chart)


def test_a_dropped_assumption_is_refused():
    for name in ("eq-3.4:line 1", "thm-3.7", "thm-3.11:a", "spec-3.2.3-shared:outer step"):
        assert refuses(name, statement=said(name, assumptions=said(name).assumptions[:-1]))


def test_the_sum_over_rounds_needs_its_ends():
    uses = step("eq-3.6:average").written.uses
    assert refuses("eq-3.6:average", uses=tuple(replace(use, over="") for use in uses))


def test_the_unrolled_recursion_needs_its_factor_and_its_first_value():
    name = "thm-3.11-sumB: line 1"
    assert refuses(name, origin="1 + 1/(T - 1)")
    assert refuses(name, origin="1 + 3/(T - 1)")
    right = said(name).right
    assert refuses(name, statement=said(name, right=right.replace("B(0)", "B(1)")))
    assert refuses(name, uses=("thm-3.11-E",))
    assert refuses(name, variable="E")


def test_one_round_is_not_several():
    assert refuses("thm-3.11-sumB", chart=(above(T, 1),))
    one, several = step("thm-3.11-sumB").written.uses
    assert refuses(
        "thm-3.11-sumB",
        uses=(replace(one, times=several.times), replace(several, times=one.times)),
    )
    name = "thm-3.11-sumB: one round"
    assert refuses(name, statement=said(name, conditions=said(name).conditions[:-1]))


# ---- a block removed


def test_only_an_absent_block_frees_its_step_sizes():
    name = "spec-3.2.3-shared:outer step"
    present = tuple(c for c in said(name).conditions if c[0] != "d_v")
    assert refuses(name, statement=said(name, conditions=present))
    other = tuple(("d_u", *c[1:]) if c[0] == "d_v" else c for c in said(name).conditions)
    assert refuses(name, statement=said(name, conditions=other))


def test_a_step_size_that_the_statement_names_is_not_free():
    name = "spec-3.3.2:outer step"
    assert refuses(name, statement=said(name, left=f"{said(name).left} + 0*eta_v"))
    named = (*said(name).conditions, ("eta_v", ">=", "2"))
    assert refuses(name, statement=said(name, conditions=named))


def test_the_shared_block_is_not_free_where_the_personal_one_is_absent():
    name = "spec-3.3.2:outer step"
    chart = (*step(name).written.chart, equal(eta_u, 1))
    assert refuses(name, chart=chart)
    chart = tuple(a for a in step(name).written.chart if a.name != "sigma_u2")
    assert refuses(name, chart=(*chart, equal(sp.Symbol("sigma_u2"), 0)))


def test_a_step_size_is_bounded_only_as_the_condition_says():
    chart = [a for a in step("thm-3.11-E").written.chart if a.name != "gamma"]
    assert refuses("thm-3.11-E", chart=(*chart, below(gamma, 1 / (64 * L * K))))


def test_the_drift_cannot_be_forgotten():
    name = "thm-3.7-desc:descent"
    assert f"{E(t)}" in said("eq-3.4:line 2").right
    uses = step(name, "ours").written.uses
    assert refuses(name, "ours", uses=uses[:1])
    assert f"{B(t)}" in said("thm-3.11-desc").right
    right = said("thm-3.11-desc").right.replace("B(t)", "0")
    assert refuses("thm-3.11-desc", statement=said("thm-3.11-desc", right=right))
