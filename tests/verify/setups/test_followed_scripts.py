"""Scripts that follow moments: the gap of scripts that walk, premises wherever a run may go."""

import re
from functools import cache

import pytest

from fedbounds.theory.language.registry import claim
from fedbounds.theory.meerkat.ridges import RIDGES, SEVEN, Ridge
from fedbounds.theory.meerkat.setups import rounds
from fedbounds.verify.decide.judgement import Judgement
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.judge.judge import judge_reading
from fedbounds.verify.search.small import is_followed, is_shown
from fedbounds.verify.setups import program, script
from fedbounds.verify.setups.plan import case_of
from fedbounds.verify.setups.script_output import output_of
from fedbounds.verify.setups.script_rendered import script as written
from fedbounds.vocabulary import Verdict

NOISY = next(own for own in RIDGES if own.told == "noise, own minimisers")
TWO_KEPT = Ridge("two kept", (2, 2, 1), (1, 1, 0), (1,), (1,))


def judged(claim_id, of, eta, counts, reading=0) -> Judgement:
    found = claim(claim_id)
    case = case_of(rounds(of, eta, counts, "", quick=False), "")
    return judge_reading(found, found.readings[reading], case, measure(case))


def text_of(judgement):
    part = next(p for p in judgement.claim.parts if p.name == judgement.deciding.part)
    return written(judgement, part, measure(judgement.instance).numbers)


@cache
def theorem():
    """Theorem 2.1, broken after so many rounds that no script walks through them."""
    found = judged("meerkat/thm-2.1-explicit", SEVEN, SEVEN.step, (160, 1))
    assert found.verdict is Verdict.VIOLATED
    return found, text_of(found)


def test_a_long_run_has_a_script():
    found, text = theorem()
    assert not is_shown(found.instance)
    assert is_followed(found.instance)
    assert "moments, rounds = followed(T)" in text
    printed = re.search(r"right - left (\S+)", output_of(text))[1]
    assert float(printed) == pytest.approx(float(found.deciding.gap), rel=1e-12)


@pytest.mark.parametrize(
    ("given", "planted"),
    [
        ('"eta": Q("19/11250")', '"eta": Q("19/11251")'),
        ('c_m = Q("4/25")', 'c_m = Q("5/25")'),
        ('mu_PL = Q("25")', 'mu_PL = Q("26")'),
        ('L = Q("25")', 'L = Q("24")'),
        ("chances, kept = (joint(odds), start)", "chances, kept = (joint(odds) * 2, start)"),
    ],
    ids=["step", "share", "PL", "smoothness", "chances"],
)
def test_what_is_planted_in_a_script_is_found(given, planted):
    found, text = theorem()
    assert given in text
    output = output_of(text.replace(given, planted))
    told = None if output is None else re.search(r"right - left (\S+)", output)
    gap = float(found.deciding.gap)
    assert told is None or float(told[1]) != pytest.approx(gap, rel=1e-6)


@pytest.mark.parametrize(
    ("of", "counts"), [(SEVEN, (2, 1)), (TWO_KEPT, (2, 1))], ids=["one kept", "two kept"]
)
def test_both_ways_show_the_same(of, counts, monkeypatch):
    found = judged("meerkat/eq-14", of, of.step, counts)
    walked = output_of(text_of(found))
    for module in (program, script):
        monkeypatch.setattr(module, "follows", lambda subject, view: True)
    followed = text_of(found)
    assert "followed(T)" in followed
    assert output_of(followed) == walked


def test_a_later_round_is_looked_at_by_its_moments():
    found = judged("meerkat/eq-9", NOISY, NOISY.step, (4, 1), reading=1)
    assert not is_shown(found.instance)
    text = text_of(found)
    assert found.deciding.at == 3
    assert "t = 3" in text.splitlines()
    assert f"right - left {found.deciding.gap}" in output_of(text)


def test_what_few_outcomes_stand_for_is_walked_through():
    found = judged("meerkat/eq-14", SEVEN, SEVEN.step, (2, 1))
    assert is_shown(found.instance)
    assert not is_followed(found.instance)


def test_moments_of_many_rounds_are_left_to_the_engine():
    judgement = judged("meerkat/thm-2.1-explicit", SEVEN, SEVEN.step, (300, 1))
    assert not is_followed(judgement.instance)
