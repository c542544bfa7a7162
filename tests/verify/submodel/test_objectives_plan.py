"""Every statement about masked objectives gets a firm verdict; broken ones come with programs."""

import re
import subprocess
import sys
from functools import cache

import pytest
import submodel_quick

from fedbounds.theory.language.claims import read
from fedbounds.theory.language.registry import encoded_claims
from fedbounds.theory.submodel.names import OBJECTIVE, OBJECTIVE_LADDER
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.setups.chance import drawn_cases
from fedbounds.verify.setups.plan import planned
from fedbounds.verify.setups.script_rendered import script
from fedbounds.vocabulary import Method, Verdict

OURS = {*OBJECTIVE, *OBJECTIVE_LADDER}
CLAIMS = tuple(c for c in encoded_claims("submodel") if OURS & set(c.algorithms))
FIRM = {Verdict.VIOLATED, Verdict.NOT_VIOLATED}


def cases(profile, seed):
    """Those about objectives alone."""
    yield from (x for x in planned("submodel", "", profile) if x.algorithm_name in OURS)
    yield from drawn_cases("submodel", "", profile, seed)


@cache
def judged():
    """Verdicts of every part of every reading, and the cheapest exact case that breaks it."""
    verdicts, broken = {}, {}
    planned_ones = [x for x in submodel_quick.planned() if x[0].algorithm_name in OURS]
    for case, one in (*planned_ones, *submodel_quick.drawn()):
        for judgement in (x for x in one.judgements if x.claim in CLAIMS):
            for outcome in judgement.outcomes:
                key = judgement.claim.id, judgement.reading.name, outcome.part
                verdicts.setdefault(key, set()).add(outcome.verdict)
                exact = outcome.verdict is Verdict.VIOLATED and case.method is Method.RATIONAL
                if exact and (key not in broken or case.work < broken[key][0].work):
                    broken[key] = case, judgement
    return verdicts, broken


def test_every_part_of_every_reading_gets_a_firm_verdict():
    verdicts, _ = judged()
    wanted = {(c.id, r.name, p.name) for c in CLAIMS for r in c.readings for p in read(c, r)}
    assert wanted == verdicts.keys()
    assert [key for key, found in verdicts.items() if not found & FIRM] == []


def test_a_violation_is_always_confirmed_in_rationals():
    verdicts, broken = judged()
    assert {key for key, found in verdicts.items() if Verdict.VIOLATED in found} == broken.keys()


def test_identities_and_propositions_of_the_sheet_are_not_broken_where_they_are_proved():
    # proved in a few lines on the sheet; a violation would be an error of this suite
    _, broken = judged()
    lemmas = {"prop-1", "lem-mask-gap", "lem-2", "lem-2-quad", "lem-3", "lem-7", "lem-8"}
    assert not [key for key in broken if key[0].partition("/")[2] in lemmas]


def test_broken_parts_have_programs_that_find_the_same_gap():
    _, broken = judged()
    for (claim, _, part_name), (case, judgement) in broken.items():
        part = next(p for p in read(judgement.claim, judgement.reading) if p.name == part_name)
        text = script(judgement, part, measure(case).numbers)
        gap = next(o.gap for o in judgement.outcomes if o.part == part_name)
        ran = subprocess.run([sys.executable, "-I", "-c", text], capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        assert re.search(rf"right - left =? ?{re.escape(gap)}\n", ran.stdout), (claim, text)
        assert "broken: True" in ran.stdout


def test_names_are_unique_and_the_seed_is_used():
    names = [case.name for case in cases(Profile.QUICK, 0)]
    assert len(names) == len(set(names))
    assert names != [case.name for case in cases(Profile.QUICK, 1)]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.id)
def test_claims_are_about_objectives_alone(claim):
    assert set(claim.algorithms) <= OURS
