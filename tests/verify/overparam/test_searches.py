"""Searches of the paper's claims: some set-up of each applies, and a file holds it."""

import json
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from each import each

from fedbounds.theory.language.claims import Condition, read
from fedbounds.theory.language.registry import claim, encoded_claims
from fedbounds.theory.overparam.symbols import C_w, width
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.judge import judge_reading
from fedbounds.verify.judge.plan import own_cases
from fedbounds.verify.search.explore import case_of, gaps
from fedbounds.verify.search.seeking import spaces
from fedbounds.verify.search.small import exactly
from fedbounds.verify.search.tape import Tape
from fedbounds.verify.search.witness import find_witness
from fedbounds.verify.setups.instance_file import from_data, to_data
from fedbounds.vocabulary import Method, Relation, Verdict

_TRIES = 60


def searched():
    """Inequalities with others of the same conditions, of which one is as good as the other."""
    found = {}
    for of in encoded_claims("overparam"):
        for reading in of.readings:
            for part in read(of, reading):
                if part.relation is Relation.AT_MOST and spaces(of, part):
                    key = part.conditions, part.assumptions, part.algorithm, part.named
                    found.setdefault(key, (of, part))
    return list(found.values())


def first_that_applies(claim, part):
    every, random = spaces(claim, part), np.random.default_rng(0)
    for number in range(_TRIES):
        corner, at = divmod(number, len(every))
        case = case_of([part], Tape(every[at], {}, random, corner=corner))
        if case is not None and gaps([part], case):
            return case
    return None


@each("one", searched, lambda one: f"{one[0].id} {one[1].name}")
def test_some_set_up_of_every_search_applies(one):
    """Of wide networks and of deep ones, with what O and Omega hide."""
    assert first_that_applies(*one) is not None


def test_what_can_never_apply_is_noticed():
    """Planted: more in Omega than any set-up has."""
    of = claim("overparam/eq-22")
    part = of.parts[0]
    more = replace(part, conditions=(*part.conditions, Condition(C_w, ">=", sp.Integer(10**6))))
    assert not spaces(of, more)  # counts tell
    narrow = Condition(width, "<=", sp.Integer(3))
    never = replace(part, conditions=(*part.conditions, narrow))
    assert first_that_applies(of, never) is None


@pytest.mark.parametrize(
    ("name", "part", "held"), [("eq-22", 0, "kept"), ("thm-iv.3", 0, "copies")]
)
def test_a_file_holds_networks_of_any_width(name, part, held):
    of = claim(f"overparam/{name}")
    case = exactly(first_that_applies(of, of.parts[part]))
    data = json.loads(json.dumps(to_data(case)))
    again = from_data(data)
    assert to_data(again) == data
    assert dict(again.setup.run.problem.data)[held] > 1


def test_what_is_broken_in_balls_has_a_witness_that_a_file_holds():
    """Scales of the first and the last layer are roots: no set-up of rationals is like it."""
    broken = claim("overparam/eq-26")
    (suspect,) = (
        case
        for case in own_cases("overparam", Profile.DEFAULT, 0)
        if case.name.startswith("ten layers, the first and the last one longer")
    )
    assert suspect.method is Method.BALLS
    found = find_witness(broken, broken.readings[0], [suspect])
    assert found.judgement.verdict is Verdict.VIOLATED
    assert {str(x) for x in read(broken, broken.readings[0])[0].conditions} == {
        premise.condition for premise in found.premises
    }
    back = from_data(json.loads(json.dumps(to_data(found.judgement.instance))))
    again = judge_reading(broken, broken.readings[0], back, measure(back))
    assert again.verdict is Verdict.VIOLATED
