"""Standings on own instances are those that a run computes from the same records."""

from dataclasses import replace

import pytest

from fedbounds.theory.language.registry import claim
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.results.summaries import summaries
from fedbounds.verify.setups.plan import planned
from fedbounds.vocabulary import Standing

CASES = list(planned("fedplt", "FedPLT", Profile.QUICK))[::2]
NAMES = ("fedplt/A2.2-split", "fedplt/jensen-distance", "fedplt/recursion/corrected")


@pytest.fixture(scope="module")
def rows():
    return summaries([claim(name) for name in NAMES], CASES)


def test_every_claim_has_its_standing_and_counts(rows):
    assert [row["id"] for row in rows] == list(NAMES)
    assert rows[0]["standing"] == Standing.CONFIRMED
    assert rows[1]["standing"] == Standing.REFUTED
    for row in rows:
        assert sum(row["readings"][0]["counts"].values()) == len(CASES)


def test_without_instances_nothing_is_tested():
    (row,) = summaries([claim("fedplt/jensen-distance")], [])
    assert row["standing"] != Standing.REFUTED
    assert row["statement"] == "untested"


def test_cases_of_another_algorithm_say_nothing():
    other = [replace(case, algorithm_name="another") for case in CASES[:3]]
    (row,) = summaries([claim("fedplt/jensen-distance")], other)
    assert row["readings"][0]["counts"] == {}
