"""The plan of rolling masks: every part gets a firm verdict, and broken ones have scripts."""

import subprocess
import sys

import pytest
from flint import fmpq
from quick_plans import verdicts

from fedbounds.theory.language.claims import read
from fedbounds.theory.language.registry import encoded_claims
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.setups.plan import planned
from fedbounds.verify.setups.script_rendered import script
from fedbounds.vocabulary import Verdict

NAMES = ("rolling masks", "draws without replacement")
CLAIMS = [claim for claim in encoded_claims("submodel") if {*NAMES} & set(claim.algorithms)]


def cases(profile):
    """Those of a profile."""
    return [x for x in planned("submodel", "", profile) if x.algorithm_name in NAMES]


FIRM = {Verdict.VIOLATED, Verdict.NOT_VIOLATED}


def test_names_are_unique_in_every_profile():
    for profile in Profile:
        names = [case.name for case in cases(profile)]
        assert len(set(names)) == len(names)


def test_every_part_of_every_reading_gets_a_firm_verdict(quick_plan):
    found = verdicts(row for row in quick_plan("submodel") if row["algorithm"] in NAMES)
    wanted = {
        (claim.id, reading.name, part.name)
        for claim in CLAIMS
        for reading in claim.readings
        for part in read(claim, reading)
    }
    assert found.keys() == wanted
    assert not {key for key, seen in found.items() if not seen & FIRM}
    assert not {key for key, seen in found.items() if Verdict.UNDECIDED in seen}


def test_step_sizes_lie_at_the_edges_of_the_conditions():
    for case in cases(Profile.QUICK):
        if not case.name.endswith("epochs") and "eta S K L = 1/8" in case.name:
            numbers = measure(case).numbers.constants
            edge = numbers["eta"] * numbers["S_sub"] * numbers["K"] * numbers["L"]
            assert edge == fmpq(1, 8)


def _check(text, outcome):
    then = '\nprint("exactly", left, right)'
    ran = subprocess.run(
        [sys.executable, "-I", "-c", text + then], capture_output=True, text=True, check=True
    )
    assert "broken: True" in ran.stdout
    left, right = ran.stdout.split("exactly")[1].split()
    assert (left, right) == (str(outcome.left), str(outcome.right))


@pytest.mark.parametrize(
    "name",
    [
        "halves, own orders, noise, eta S K L = 1/10, as T grows",
        "windows of two, bent, eta S K L = 1/2, as T grows",
        "own partitions, noise, eta S K L = 1/2, as T grows",
        "pushed out and in, eta S K L = 1/10, as T grows",
    ],
)
def test_scripts_of_other_violations(name):
    (case,) = (case for case in cases(Profile.DEFAULT) if case.name == name)
    one = judge(CLAIMS, case)
    shown = 0
    for judgement in one.judgements:
        parts = read(judgement.claim, judgement.reading)
        for part, outcome in zip(parts, judgement.outcomes, strict=True):
            if outcome.verdict is Verdict.VIOLATED:
                _check(script(judgement, part, one.measurement.numbers), outcome)
                shown += 1
    assert shown == 1
