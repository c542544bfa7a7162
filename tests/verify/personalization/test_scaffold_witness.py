"""A refuted display about one client's memory: its smallest run has a script that shows it alone."""

from fedbounds.theory.language.registry import claim
from fedbounds.theory.personalization.setups import PLANNED
from fedbounds.verify.decide.case import script_of
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.setups.plan import case_of
from fedbounds.verify.setups.script_check import agrees
from fedbounds.vocabulary import Method, Verdict

SPLIT = claim("personalization/lem-4.4-split")


def broken():
    """The case of least work, in rationals, on which it is violated, and how."""
    planned = (one for one in PLANNED if one.judged and "Scaffold-P" in one.setup.view)
    cases = (case for one in planned if (case := case_of(one, "")).method is Method.RATIONAL)
    for case in sorted(cases, key=lambda case: case.work):
        (found,) = judge((SPLIT,), case).judgements
        if found.verdict is Verdict.VIOLATED:
            return case, found
    raise AssertionError("no case breaks it")


def test_the_smallest_broken_run_has_a_script_that_agrees():
    case, found = broken()
    (part,) = (one for one in SPLIT.parts if one.name == found.deciding.part)
    numbers = judge((SPLIT,), case).measurement.numbers
    text = script_of(case.setup, found, part, numbers)
    assert agrees(text, found.deciding.gap)
    assert '_old"] = [None, *' in text  # of the round before
    assert "root_of(3, Q(n)**2)" in text  # of a condition
    # another client's memory breaks it by another amount, or not at all
    at = f"i={found.deciding.client}"
    other = text.replace(at, f"i={1 - found.deciding.client}")
    assert text.count(at) == 3
    assert not agrees(other, found.deciding.gap)
