"""What no script shows: it is told before one is sought, and an exact violation is enough."""

from dataclasses import replace

import numpy as np
import pytest

from fedbounds.theory.language.claims import read
from fedbounds.theory.language.registry import claim, setups, views
from fedbounds.theory.overparam.setups import PLANNED
from fedbounds.verify.measure.trace import subject_of
from fedbounds.verify.search import witness
from fedbounds.verify.search.small import small_spaces
from fedbounds.verify.setups.plan import case_of
from fedbounds.verify.setups.program import one_round
from fedbounds.verify.setups.unscripted import unscripted

MOVED, STEPS, TERMS = (claim(f"overparam/{x}") for x in ("eq-22", "eq-40", "eq-18"))


def planned(name):
    return next(one for one in PLANNED if one.name == name)


ALONE = planned("two layers, one client: alone, K=1 T=4")


def no_search(*_, **__):
    raise AssertionError("there is nothing to search for")


def test_an_exact_violation_is_the_witness_where_no_script_shows_the_quantity(monkeypatch):
    monkeypatch.setattr(witness, "_tightest", no_search)
    monkeypatch.setattr(witness, "_shrunk", no_search)
    found = witness.find_witness(MOVED, MOVED.readings[1], [case_of(ALONE, "")])
    assert found.script is None
    assert found.judgement.deciding.gap < 0
    assert "moved_last" in found.no_script


def test_a_violation_is_searched_for_where_none_is_known(monkeypatch):
    """Without a script to hope for, the first one that is met will do."""
    seeds = []

    def tightest(claim, reading, seed, budget, *, first_only, longer):
        assert not longer  # a script walks through few rounds
        seeds.append(seed)
        return ()

    monkeypatch.setattr(witness, "tightest_parts", tightest)
    assert witness.find_witness(MOVED, MOVED.readings[1], examples=1) is None
    assert seeds == [0]


@pytest.mark.parametrize(("of", "hidden"), [(MOVED, True), (STEPS, True), (TERMS, False)])
def test_spaces_tell_whether_scripts_show_what_a_reading_says(of, hidden):
    for reading in of.readings:
        every = small_spaces(of, reading)
        assert every
        assert {not witness._has_scripts(space) for space in every} == {hidden}


def test_what_a_script_s_problem_does_not_tell_is_not_shown_there():
    """Vectors that are named as missing are those that the step shows of ours alone."""
    setup = ALONE.setup
    shown = one_round(subject_of(setup.run, views("overparam")[setup.view]))[1]
    (part,) = (part for part in read(MOVED, MOVED.readings[1]))
    why = unscripted(setup, part)
    assert "moved_last" in shown
    assert "moved_last" in why
    held = next(part for part in read(TERMS, TERMS.readings[0]))
    assert not unscripted(setup, held)
    other = replace(setup.run, problem=replace(setup.run.problem, family="sine bowls"))
    assert "sine bowls" in unscripted(replace(setup, run=other), held)


def test_no_script_walks_through_many_rounds():
    setup = next(x.setup for x in setups("personalization") if x.setup.run.rounds > 1)
    of = claim("personalization/thm-3.7")
    (part,) = read(of, of.readings[0])
    assert not unscripted(setup, part)
    longer = replace(setup, run=replace(setup.run, rounds=10**5))
    assert unscripted(longer, part) == "no script walks through 100000 rounds"


@pytest.mark.parametrize(("n", "depth", "near"), [(1, 2, True), (1, 7, False), (9, 1, False)])
def test_restarts_are_where_one_searches_for_such_counts(monkeypatch, n, depth, near):
    every = small_spaces(TERMS, TERMS.readings[0])
    counts = dict(n=n, depth=depth, K=1, S_least=1, S_most=1, T=10**9)
    monkeypatch.setattr(witness, "parameters_of", lambda case: counts)
    assert witness._is_near(every, case_of(ALONE, "")) is near


def test_violations_of_more_outcomes_than_scripts_list_are_followed_by_one_search():
    found = claim("personalization/lem-4.4-young")
    every = small_spaces(found, found.readings[1])
    own = next(
        x for x in setups("personalization")
        if x.name.startswith("Scaffold-P, shared curvature, n=2 m=1 K=1 T=")
    )  # fmt: skip
    for rounds, near in ((1, True), (100, False)):
        setup = replace(own.setup, run=replace(own.setup.run, rounds=rounds))
        case = case_of(replace(own, setup=setup), "Scaffold-P")
        assert witness._is_near(every, case) is near


def test_far_violations_are_followed_by_one_search(monkeypatch):
    seeds = []

    def tightest(claim, reading, seed, budget, *, first_only, longer):
        assert not longer  # a script walks through few rounds
        seeds.append(seed)
        return ()

    monkeypatch.setattr(witness, "tightest_parts", tightest)
    monkeypatch.setattr(witness, "_shrunk", lambda *_: None)
    monkeypatch.setattr(witness, "_smallest", lambda *_: None)
    for near, count in ((True, witness.RESTARTS), (False, 1)):
        monkeypatch.setattr(witness, "_is_near", lambda *_, near=near: near)
        seeds.clear()
        witness.find_witness(TERMS, TERMS.readings[0], [case_of(ALONE, "")])
        assert seeds == list(np.arange(count))


def test_restarts_are_where_one_searches_such_problems(monkeypatch):
    every, case, family = (
        small_spaces(TERMS, TERMS.readings[0]),
        case_of(ALONE, ""),
        witness._family,
    )
    assert witness._is_near(every, case)
    monkeypatch.setattr(witness, "_family", lambda x: "others" if x is case else family(x))
    assert not witness._is_near(every, case)
