"""Deciding parts that hold per client and local step, and what a rounding allowance does."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import sympy as sp
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from personal_cases import case, coupled, run

from fedbounds.theory.language.claims import Part
from fedbounds.theory.language.symbols import G_u, G_v, Sum_t, k, m, n, t
from fedbounds.theory.personalization.symbols import (
    C_i,
    E,
    E_ik,
    Eu_ik,
    Ev_ik,
    g_ui,
)
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.decide.part import decide
from fedbounds.verify.measure.evaluate import Numbers
from fedbounds.vocabulary import Index, Method, Relation, Verdict

STEP = Part(left=E_ik(t, k), right=G_u(t), index=Index.STEP)
NEXT = Part(left=E_ik(t, k + 1), right=2 * E_ik(t, k) + G_u(t), index=Index.STEP)
CLIENT = Part(left=g_ui(t), right=n * C_i(t), index=Index.CLIENT)
PLACES = list(product(range(2), range(3), range(2)))  # n = 2 clients, K = 3 steps, T = 2 rounds


def numbers(series, *, exact, errors=None, **constants):
    """Numbers for n = 2, K = 3, T = 2, in rationals or floats."""
    values = {"T": 2, "K": 3, "n": 2} | constants
    if exact:
        kept = {name: rationals(array) for name, array in series.items()}
        return Numbers({name: fmpq(x) for name, x in values.items()}, kept, fmpq)
    kept = {name: np.asarray(array, dtype=float) for name, array in series.items()}
    known = {name: plain(array.shape, 0) for name, array in kept.items()} | (errors or {})
    return Numbers({name: float(x) for name, x in values.items()}, kept, errors=known)


def rationals(array):
    out = np.empty(np.shape(array), dtype=object)
    out.reshape(-1)[:] = [fmpq(*float(x).as_integer_ratio()) for x in np.reshape(array, -1)]
    return out


def plain(shape, level):
    return np.full(shape, float(level))


def steps(steps_seen=3):
    """E_ik = 1 everywhere, at steps 0, ..., K - 1 or K; G_u = 2."""
    return {"E_ik": plain((2, steps_seen, 3), 1), "G_u": plain(3, 2)}


# ---- one bad entry among many


@pytest.mark.parametrize("exact", [True, False], ids=["rationals", "floats"])
@pytest.mark.parametrize("place", PLACES, ids=str)
def test_a_violation_at_one_client_step_and_round_is_found_there(place, exact):
    series = steps()
    series["E_ik"][place] = 3.0
    method = Method.RATIONAL if exact else Method.MOMENTS
    found = decide(STEP, numbers(series, exact=exact), method)
    assert (found.client, found.step, found.at) == place
    assert found.verdict is (Verdict.VIOLATED if exact else Verdict.UNDECIDED)
    assert found.candidate is not exact
    assert found.rounds == 12
    assert float(fmpq(found.gap) if exact else found.gap) == -1.0
    fine = decide(STEP, numbers(steps(), exact=exact), method)
    assert (fine.verdict, fine.candidate) == (Verdict.NOT_VIOLATED, False)


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_a_violation_at_the_next_step_is_reported_at_the_step_it_follows_from(place):
    """E_ik(t, k + 1) of k = K - 1 is the value at K."""
    i, at, round_ = place
    series = steps(4)
    series["E_ik"][i, at + 1, round_] = 7.0
    if at + 2 < 4:
        series["E_ik"][i, at + 2, round_] = 1.0
    found = decide(NEXT, numbers(series, exact=True), Method.RATIONAL)
    assert (found.verdict, found.client, found.step, found.at) == (Verdict.VIOLATED, *place)
    assert found.gap == "-3"


@pytest.mark.parametrize("exact", [True, False], ids=["rationals", "floats"])
def test_a_part_per_client_reports_the_client_and_no_step(exact):
    series = {"g_ui": plain((2, 1, 3), 1), "C_i": plain((2, 1, 3), 1)}
    series["g_ui"][1, 0, 1] = 2.5
    method = Method.RATIONAL if exact else Method.MOMENTS
    found = decide(CLIENT, numbers(series, exact=exact), method)
    assert (found.client, found.step, found.at, found.rounds) == (1, None, 1, 4)
    assert found.verdict is (Verdict.VIOLATED if exact else Verdict.UNDECIDED)


def test_a_part_per_round_reports_neither():
    series = {"G_u": plain(3, 1), "G_v": [2, 0, 2]}
    found = decide(Part(left=G_u(t), right=G_v(t)), numbers(series, exact=True), Method.RATIONAL)
    assert (found.verdict, found.client, found.step, found.at) == (Verdict.VIOLATED, None, None, 1)


def test_an_indexed_identity_is_broken_by_one_entry_in_either_direction():
    part = replace(STEP, right=Eu_ik(t, k) + Ev_ik(t, k), relation=Relation.EQUAL)
    for off in (fmpq(1, 10**40), -fmpq(1, 10**40)):
        series = {"E_ik": plain((2, 3, 3), 2), "Eu_ik": plain((2, 3, 3), 1)}
        given_numbers = numbers(series | {"Ev_ik": plain((2, 3, 3), 1)}, exact=True)
        assert decide(part, given_numbers, Method.RATIONAL).verdict is Verdict.NOT_VIOLATED
        given_numbers.series["Ev_ik"][1, 2, 0] += off
        found = decide(part, given_numbers, Method.RATIONAL)
        assert (found.verdict, found.client, found.step, found.at) == (Verdict.VIOLATED, 1, 2, 0)


def test_a_later_round_only_is_judged_where_the_part_begins_there():
    series = steps()
    series["E_ik"][0, 0, 0] = 9.0  # round 0 is none of its business
    part = replace(STEP, first_round=1)
    found = decide(part, numbers(series, exact=True), Method.RATIONAL)
    assert (found.verdict, found.at, found.rounds) == (Verdict.NOT_VIOLATED, 1, 6)


@given(st.lists(st.integers(-4, 4), min_size=12, max_size=12))
def test_the_worst_entry_has_the_least_relative_gap(gaps):
    table = np.array(gaps, dtype=float).reshape(2, 3, 2)
    left = plain((2, 3, 3), 5)
    left[..., :2] -= table
    series = {"E_ik": left, "G_u": plain(3, 5)}
    found = decide(STEP, numbers(series, exact=True), Method.RATIONAL)
    relative = table / (abs(5 - table) + 5)
    assert found.verdict is (Verdict.VIOLATED if (table < 0).any() else Verdict.NOT_VIOLATED)
    assert relative[found.client, found.step, found.at] == relative.min()
    assert fmpq(found.gap) == int(table[found.client, found.step, found.at])


def test_an_irrational_indexed_bound_is_decided_entry_by_entry():
    """E_ik <= n^(2/3) G_u at n = 2: balls decide 1.58 and 1.59 apart."""
    part = replace(STEP, right=n ** sp.Rational(2, 3) * G_u(t))
    series = {"E_ik": plain((2, 3, 3), 1.58), "G_u": plain(3, 1)}
    assert decide(part, numbers(series, exact=True), Method.RATIONAL).verdict is (
        Verdict.NOT_VIOLATED
    )
    series["E_ik"][1, 0, 1] = 1.59
    found = decide(part, numbers(series, exact=True), Method.RATIONAL)
    assert (found.verdict, found.client, found.step, found.at) == (Verdict.VIOLATED, 1, 0, 1)


def test_at_a_cube_the_same_bound_needs_no_balls():
    """n^(2/3) = 4 at n = 8: equality is seen, which no ball could show."""
    part = Part(left=G_u(t), right=n ** sp.Rational(2, 3) * G_v(t))
    series = {"G_u": plain(3, 4), "G_v": plain(3, 1)}
    found = decide(part, numbers(series, exact=True, n=8), Method.RATIONAL)
    assert (found.verdict, found.reason) == (Verdict.NOT_VIOLATED, "both sides are equal")
    series["G_u"] = np.array([4.0, 4.0 + 2.0**-40, 4.0])
    found = decide(part, numbers(series, exact=True, n=8), Method.RATIONAL)
    assert (found.verdict, found.at) == (Verdict.VIOLATED, 1)


def test_a_run_operator_of_an_indexed_quantity_is_judged_per_client():
    part = Part(left=Sum_t(g_ui(t)), right=n * G_u(0), index=Index.CLIENT)
    series = {"g_ui": plain((2, 1, 3), 1), "G_u": plain(3, 1)}
    fine = decide(part, numbers(series, exact=True), Method.RATIONAL)
    assert fine.verdict is Verdict.NOT_VIOLATED
    series["g_ui"][1, 0, 1] = 2
    found = decide(part, numbers(series, exact=True), Method.RATIONAL)
    assert (found.verdict, found.client) == (Verdict.VIOLATED, 1)


# ---- the rounding allowance

AT_MOST = Part(left=G_u(t), right=G_v(t))


def allowed(gap, error, *, relation=Relation.AT_MOST):
    series = {"G_u": plain(3, 1), "G_v": plain(3, 1 + gap)}
    given_numbers = numbers(series, exact=False, errors={"G_u": plain(3, error)})
    return decide(replace(AT_MOST, relation=relation), given_numbers, Method.MOMENTS)


@pytest.mark.parametrize("gap", [1e-3, -1e-3])
def test_a_gap_smaller_than_the_allowance_is_undecided_never_a_candidate(gap):
    within = allowed(gap, 2e-3)
    assert (within.verdict, within.candidate) == (Verdict.UNDECIDED, False)
    assert "sign of the gap is not known beyond its rounding in 2 of 2 cases" in within.reason
    beyond = allowed(gap, 0.5e-3)
    assert beyond.candidate is (gap < 0)
    assert beyond.verdict is (Verdict.UNDECIDED if gap < 0 else Verdict.NOT_VIOLATED)


@pytest.mark.parametrize("gap", [1e-3, -1e-3])
def test_an_identity_is_off_beyond_the_allowance_only(gap):
    assert not allowed(gap, 2e-3, relation=Relation.EQUAL).candidate
    assert allowed(gap, 0.5e-3, relation=Relation.EQUAL).candidate


@given(st.floats(-1, 1), st.floats(0, 1))
def test_the_allowance_decides(gap, error):
    found = allowed(gap, error)
    doubt = error * (1 + 1e-8) + 1e-15
    if gap < -doubt:
        assert found.candidate
    if abs(gap) < error:
        assert (found.verdict, found.candidate) == (Verdict.UNDECIDED, False)
    if gap > doubt:
        assert found.verdict is Verdict.NOT_VIOLATED


def test_an_allowance_speaks_for_its_own_entry_only():
    """A wide error at one client excuses no other."""
    series = steps()
    series["E_ik"][1, 2, 0] = 3.0
    errors = {"E_ik": plain((2, 3, 3), 0)}
    errors["E_ik"][0, 0, 0] = 100.0
    found = decide(STEP, numbers(series, exact=False, errors=errors), Method.MOMENTS)
    assert found.candidate
    assert (found.client, found.step, found.at) == (1, 2, 0)
    errors["E_ik"][1, 2, 0] = 100.0
    excused = decide(STEP, numbers(series, exact=False, errors=errors), Method.MOMENTS)
    assert (excused.verdict, excused.candidate) == (Verdict.UNDECIDED, False)


def test_an_allowance_is_weighed_by_what_multiplies_the_quantity():
    part = replace(AT_MOST, left=m * G_u(t), right=m * G_v(t))
    series = {"G_u": plain(3, 1), "G_v": plain(3, 1 - 1e-3)}
    for factor, candidate in ((1.0, False), (1e-2, True)):
        errors = {"G_u": plain(3, 2e-3 * factor)}
        given_numbers = numbers(series, exact=False, errors=errors, m=7)
        assert decide(part, given_numbers, Method.MOMENTS).candidate is candidate


# ---- on runs


def instance(rule, *, floats):
    problem = coupled(2, noise="1/2", personal_noise="1/4")
    steps = {"cohort": 1, "K": 2, "gamma_u": "1/8", "gamma_v": "1/16", "eta_u": 1, "eta_v": 2}
    return case(run(problem, steps, 3, ("3/2", -1, "1/2", -1)), rule=rule, floats=floats)


@pytest.mark.parametrize("rule", ["FedAvg-P", "Scaffold-P"])
def test_definitions_hold_entry_by_entry_on_runs(rule):
    """E_ik is the sum of its blocks, and no entry exceeds the whole drift: exactly, and in floats."""
    split = replace(STEP, right=Eu_ik(t, k) + Ev_ik(t, k), relation=Relation.EQUAL)
    below = replace(STEP, right=E(t))
    exact = measure(instance(rule, floats=False)).numbers
    floats = measure(instance(rule, floats=True)).numbers
    assert floats.errors
    for part in (split, below):
        assert decide(part, exact, Method.RATIONAL).verdict is Verdict.NOT_VIOLATED
        assert not decide(part, floats, Method.MOMENTS).candidate
    wrong = replace(below, right=E(t) / 3)
    found = decide(wrong, exact, Method.RATIONAL)
    assert found.verdict is Verdict.VIOLATED
    suspected = decide(wrong, floats, Method.MOMENTS)
    assert suspected.candidate
    assert (suspected.client, suspected.step, suspected.at) == (found.client, found.step, found.at)
