"""Premises of partial training that contradict each other: computed, and of no satisfiable set."""

from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
from each import each
from hypothesis import assume, given
from hypothesis import strategies as st

from fedbounds.theory.checker.data import Premise, Square, Statement
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.fedplt import assumed, assumptions, feasibility, limits
from fedbounds.theory.fedplt.proofs.book import book
from fedbounds.theory.fedplt.proofs.contradictions import FAR
from fedbounds.theory.fedplt.proofs.growth import GROWTH
from fedbounds.theory.language.registry import encoded_claims
from fedbounds.theory.proof.contradictions import absurd, contradicted, contradictions
from fedbounds.theory.proof.library import replayed
from fedbounds.theory.proof.replay import Local, certified

THEORY = book().theory
IN_WORDS = (
    *assumptions.CLAIMS,
    *feasibility.CLAIMS,
    limits.ANY_MASKS,
    limits.EXACT_CONVERGENCE,
    limits.CONSTANT_STEP_FLOOR,
)
EVERY = [(claim.entry.id, asked) for claim in IN_WORDS for asked in claim.asked]

# ids and readings whose premises nothing can meet
IMPOSSIBLE = {
    ("fedplt/A5", "on all of R^d, with Assumption 2"),
    ("fedplt/A6", "every W in R^d, a mask leaves out a coordinate"),
    ("fedplt/conditions", "the steps eta^t = 1/(z(t+1)) at every t, from t = 0 on"),
    ("fedplt/conditions", "psi_min rho_min > 1 + 2 (psi_max alpha)^2"),
    ("fedplt/conditions", "psi over all coordinates, a free value of 0 or less, harsh"),
    ("fedplt/assumptions-jointly", "Assumptions 5 and 6 on all of R^d"),
    (
        "fedplt/assumptions-jointly",
        "Assumption 6 on all of R^d, 5 at the iterates; a mask leaves out a coordinate",
    ),
    (
        "fedplt/assumptions-jointly",
        "at the iterates, steps 1/(z(t+1)) that meet the conditions from t = 0 on",
    ),
    ("fedplt/exact-convergence", "the same, where the conditions hold from t = 0 on"),
}


@cache
def found():
    return contradictions(THEORY, replayed("fedplt"))


def of(asked):
    return contradicted(found(), asked.assumptions, (*asked.conditions, *asked.strict))


# ---- what is absurd


@pytest.mark.parametrize(
    ("left", "relation", "right", "false"),
    [
        ("mu**2", "<=", "0", True),
        ("mu", "==", "0", True),
        ("0", ">=", "mu", True),
        ("1", "<=", "0", True),
        ("mu + sigma2", "<=", "0", True),
        ("mu*rho_k/2", "<=", "-sigma2", True),
        ("0", "==", "-w_first - L", True),
        ("sigma2", "<=", "0", False),  # may be zero
        ("mu", "<=", "L", False),
        ("mu", "<=", "mu", False),
        ("0", "<=", "mu", False),
        ("0", "==", "0", False),
        ("mu - L", "<=", "0", False),
        ("D_W(t) + mu", "<=", "0", False),  # speaks of a run
        ("nonsense", "<=", "0", False),
    ],
)
def test_a_statement_is_absurd_if_no_values_of_the_declared_signs_meet_it(
    left, relation, right, false
):
    assert absurd(THEORY, Statement(left, relation, right)) is false


def test_conditions_do_not_make_a_statement_absurd():
    asked = Statement("mu", "<=", "L", conditions=(("L", "<=", "0"),))
    assert not absurd(THEORY, asked)


def test_a_statement_about_vectors_is_not_judged():
    assert not absurd(THEORY, Statement("mu", "<=", "0", scope=FAR))


# ---- what contradicts


def test_the_contradictions_are_found_by_their_conclusions():
    assert {step.written.id for step in found()} == {
        "A5: contradiction", "A6: contradiction",
        "conditions: contradiction, decaying", "conditions: contradiction, large",
        "conditions: contradiction, free values",
    }  # fmt: skip


def test_nothing_is_contradictory_without_premises():
    """A proof of a false statement from nothing would prove everything."""
    for step in replayed("fedplt"):
        if step.inherited and absurd(THEORY, step.written.statement):
            assert step.written.statement.assumptions or step.written.statement.conditions
            assert step.local is Local.PROVED  # nothing false is taken as given


@each("claim, asked", EVERY)
def test_only_the_impossible_readings_are_contradictory(claim, asked):
    assert bool(of(asked)) == ((claim, asked.name) in IMPOSSIBLE)


@each("step", found, lambda step: step.written.id)
def test_every_premise_of_a_contradiction_is_needed(step):
    written = step.written
    every = (*written.assumptions, *written.conditions)
    assert contradicted([step], written.assumptions, written.conditions) == (written.id,)
    for left_out in every:
        assumed, required = (
            [p for p in own if p != left_out] for own in (written.assumptions, written.conditions)
        )
        assert contradicted([step], assumed, required) == ()


def test_no_claim_with_formulas_has_contradictory_premises():
    for claim in encoded_claims("fedplt"):
        for part in claim.parts:
            assert not contradicted(found(), part.assumptions, part.conditions), part.name


# ---- the proofs, with planted errors

OURS = ("A5: growth", "A5: contradiction", "A6: denominator", "A6: contradiction", GROWTH)


@cache
def steps():
    return {s.written.id: s.written for s in replayed("fedplt")}


def citations():
    """Every use of these steps."""
    conflicts = (f"conditions: contradiction, {kind}" for kind in ("decaying", "large"))
    return [(name, i) for name in (*OURS, *conflicts) for i in range(len(steps()[name].uses))]


def earlier(name):
    return {s.id: s.statement for s in book().steps[: [s.id for s in book().steps].index(name)]}


def proves(step):
    try:
        certified(THEORY, step, earlier(step.id))
    except Refused:
        return False
    return True


@each("name, number", citations)
def test_a_step_without_one_of_its_premises_is_refused(name, number):
    step = steps()[name]
    assert proves(step)
    use = step.uses[number]
    assert isinstance(use, str | Premise | Square)
    assert not proves(replace(step, uses=step.uses[:number] + step.uses[number + 1 :]))


@pytest.mark.parametrize("name", ["A5: contradiction", "A6: contradiction"])
def test_a_step_that_does_not_assume_enough_is_refused(name):
    step = steps()[name]
    for left_out in step.statement.assumptions:
        kept = tuple(a for a in step.statement.assumptions if a != left_out)
        assert not proves(replace(step, statement=replace(step.statement, assumptions=kept)))


def test_a_growth_twice_as_fast_is_refused():
    step = steps()[GROWTH]
    twice = step.statement.left.replace("2*K", "K")
    assert twice != step.statement.left
    assert not proves(replace(step, statement=replace(step.statement, left=twice)))


@given(st.integers(1, 40), st.fractions(0, 5, max_denominator=9))
def test_the_growth_is_that_of_the_recursion(first, start):
    """(K + k) D^{K+k} >= K D^K + k/(2K) for D^{t+1} = t D^t/(t+1) + 1/(t+1)^2, B/z^2 = 1."""
    D = start
    for k in range(first):
        assert (first + k) * D >= first * start + Fraction(k, 2 * first)
        t = first + k
        D = Fraction(t, t + 1) * D + Fraction(1, (t + 1) ** 2)


positive = st.fractions(Fraction(1, 50), 50, max_denominator=60)


@given(positive, positive, positive, positive, positive)
def test_no_numbers_meet_the_conditions_at_the_first_and_at_a_late_round(L, mu, psi, alpha, s):
    """s is psi_min rho_min: z = mu s; 1/z < 1/L, and s < 1 + 2 eta (psi alpha)^2 L in the end."""
    assume(mu <= L)
    first = 1 / (mu * s) < 1 / L
    # for all t means for t as large as one likes, where the last term is below any number
    t = 10**12
    late = s - 2 * (psi * alpha) ** 2 * L / (mu * s * (t + 1)) < 1
    assert not (first and late and s - 1 > Fraction(1, 10**6))
    assert not (first and s <= 1)


@given(positive, positive, positive, positive)
def test_no_eta_meets_the_conditions_with_a_large_alignment(L, psi, alpha, beyond):
    s = 1 + 2 * (psi * alpha) ** 2 + beyond
    for eta in (1 / L * Fraction(999, 1000), 1 / (2 * L), 1 / (1000 * L)):
        assert not s - 2 * eta * (psi * alpha) ** 2 * L < 1


@given(positive, positive, positive, st.fractions(Fraction(1, 50), Fraction(1), max_denominator=50))
def test_some_eta_meets_the_conditions_otherwise(L, psi, alpha, share):
    s = share * (1 + 2 * (psi * alpha) ** 2)
    assume(share < 1)
    curve = 2 * (psi * alpha) ** 2 * L
    eta = (max(Fraction(0), (s - 1) / curve) + min(1 / L, s / curve)) / 2
    assert 0 < eta < 1 / L
    assert eta * curve < s < 1 + eta * curve


# ---- readings


def test_readings_have_names_of_their_own():
    for claim in IN_WORDS:
        names = [reading.name for reading in claim.readings]
        assert len(set(names)) == len(names)


def test_the_bound_and_the_limit_ask_for_assumptions_1_to_6():
    asked = limits.ANY_MASKS.asked[-1]
    assert set(feasibility.BASE) < set(asked.assumptions)
    assert {assumed.GLOBAL_GRADIENT, assumed.ALIGNED} < set(asked.assumptions)
    assert asked.strict == feasibility.ON_ETA
