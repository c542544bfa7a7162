"""Searches go on to longer runs where sides come closer, and find what only these show."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from fedbounds.theory.language.claims import Condition, read
from fedbounds.theory.language.registry import claim, setups
from fedbounds.theory.language.symbols import T
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.judge.judge import judge_reading
from fedbounds.verify.judge.proofs import NOTHING_PROVED, asked, prove
from fedbounds.verify.results.run import _to_search
from fedbounds.verify.search.leads import leads_of
from fedbounds.verify.search.seeking import spaces
from fedbounds.verify.search.tape import DOUBLINGS, Tape
from fedbounds.verify.search.tightest import tightest
from fedbounds.verify.setups.found import method_of
from fedbounds.verify.setups.instance_file import from_data, to_data
from fedbounds.verify.setups.plan import case_of
from fedbounds.vocabulary import Method, Verdict

_BUDGET = 300  # of a reading without a proof, in a run of the default profile


@pytest.mark.parametrize(("seed", "led"), [(0, True), (1, False)])
@pytest.mark.parametrize("claim_id", ["personalization/eq-4.5", "personalization/thm-4.5-fin"])
def test_what_fails_late_alone_is_found(claim_id, seed, led):
    """With the leads that a run follows, and without, whatever the seed."""
    found = claim(claim_id)
    (reading, *_) = found.readings
    leads = leads_of(asked("personalization", [claim_id]), found, reading) if led else ()
    assert bool(leads) is led
    best = tightest([(found, {reading: _BUDGET})], seed, {claim_id: leads})[0][reading]
    assert best is not None
    assert best.outcome.verdict is Verdict.VIOLATED
    run = best.instance.setup.run
    assert run.rounds > 100
    assert all(one.setup.run.problem != run.problem for one in setups("personalization"))
    again = from_data(to_data(best.instance))  # and stays so when it is read from a file
    judged = judge_reading(found, found.readings[0], again, measure(again))
    assert judged.verdict is Verdict.VIOLATED


def test_long_runs_of_few_numbers_stay_in_rationals():
    """Equalities of such runs, which balls do not decide, are premises of Theorem 2.2 there."""
    name = "a 25th kept, two clients: 1 of 2 stopped, R=1000 T=2, eta of Theorem 2.2"
    one = next(x for x in setups("meerkat") if x.name == name)
    found = claim("meerkat/thm-2.2-explicit")
    case = case_of(one, found.algorithms[0])
    assert case.method is Method.RATIONAL
    assert from_data(to_data(case)).method is Method.RATIONAL
    judged = judge_reading(found, found.readings[0], case, measure(case))
    assert judged.verdict is Verdict.VIOLATED
    longer = replace(one.setup, run=replace(one.setup.run, rounds=10_000))
    assert method_of(longer) is Method.BALLS


def test_doubled_rounds_stay_inside_the_conditions():
    found = claim("personalization/thm-4.5-fin")
    part = next(x for x in read(found, found.readings[0]) if x.name == "bound")
    (space,) = spaces(found, part)
    for counts in space.counts[:50]:
        longer = space.longer(counts, 3)
        assert longer["T"] == 8 * counts["T"]
        assert {**longer, "T": 0} == {**counts, "T": 0}
    short = replace(part, conditions=(*part.conditions, Condition(T, "<=", sp.Integer(150))))
    (space,) = spaces(found, short)
    doubled = {counts["T"]: space.longer(counts, 3)["T"] for counts in space.counts}
    assert doubled[12] == 96
    assert doubled[60] == 120
    assert doubled[100] == 100


def test_an_answer_says_how_long_a_run_is():
    found = claim("personalization/eq-4.5")
    (space,) = spaces(found, read(found, found.readings[0])[0])
    plain = Tape(space, {}, np.random.default_rng(0))
    once = plain.counts()
    more = Tape(space, {**plain.made, DOUBLINGS: 2.0}, np.random.default_rng(0)).counts()
    assert plain.made[DOUBLINGS] == 0
    assert more == {**once, "T": 4 * once["T"]}


def test_readings_that_are_neither_proved_nor_broken_are_searched_longer():
    found = claim("personalization/eq-4.5")
    names = [reading.name for reading in found.readings]
    ((_, asked),) = _to_search((found,), NOTHING_PROVED, (), 10)
    assert [(reading.name, budget) for reading, budget in asked.items()] == [(x, 30) for x in names]
    broken = {(found.id, name) for name in names}
    (one,) = _to_search((found,), NOTHING_PROVED, broken, 10)
    assert one == (found, {found.readings[0]: 10})
    assert not _to_search((found,), NOTHING_PROVED, (), 0)


def test_a_proved_claim_is_searched_as_printed():
    found = claim("personalization/lem-3.3")
    proofs = prove([found.id], lambda paper, names: {})
    ((_, asked),) = _to_search((found,), proofs, (), 10)
    assert asked[found.readings[0]] == 10
