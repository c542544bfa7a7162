"""Every statement about masked objectives gets a firm verdict; broken ones come with programs."""

import pytest
from quick_plans import verdicts

from fedbounds.theory.language.claims import read
from fedbounds.theory.language.registry import encoded_claims
from fedbounds.theory.submodel.names import OBJECTIVE, OBJECTIVE_LADDER
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.setups.chance import drawn_cases
from fedbounds.verify.setups.plan import planned
from fedbounds.vocabulary import Method, Verdict

OURS = {*OBJECTIVE, *OBJECTIVE_LADDER}
CLAIMS = tuple(c for c in encoded_claims("submodel") if OURS & set(c.algorithms))
FIRM = {Verdict.VIOLATED, Verdict.NOT_VIOLATED}


def cases(profile, seed):
    """Those about objectives alone."""
    yield from (x for x in planned("submodel", "", profile) if x.algorithm_name in OURS)
    yield from drawn_cases("submodel", "", profile, seed)


@pytest.fixture(scope="module")
def rows(quick_plan):
    """Records of claims about objectives, on cases about them alone."""
    names = {case.name for case in cases(Profile.QUICK, 0)}
    ours = {claim.id for claim in CLAIMS}
    found = quick_plan("submodel")
    return [x for x in found if x["claim"] in ours and x["problem"]["instance"] in names]


def test_every_part_of_every_reading_gets_a_firm_verdict(rows):
    wanted = {(c.id, r.name, p.name) for c in CLAIMS for r in c.readings for p in read(c, r)}
    found = verdicts(rows)
    assert wanted == found.keys()
    assert [key for key, seen in found.items() if not seen & FIRM] == []


def test_a_violation_is_always_confirmed_in_rationals(rows):
    exact = verdicts(row for row in rows if row["evidence"]["method"] == Method.RATIONAL)
    broken = [key for key, seen in verdicts(rows).items() if Verdict.VIOLATED in seen]
    assert broken
    assert [key for key in broken if Verdict.VIOLATED not in exact[key]] == []


def test_identities_and_propositions_of_the_sheet_are_not_broken_where_they_are_proved(rows):
    # proved in a few lines on the sheet; a violation would be an error of this suite
    lemmas = {"prop-1", "lem-mask-gap", "lem-2", "lem-2-quad", "lem-3", "lem-7", "lem-8"}
    broken = [key for key, seen in verdicts(rows).items() if Verdict.VIOLATED in seen]
    assert not [key for key in broken if key[0].partition("/")[2] in lemmas]


def test_names_are_unique_and_the_seed_is_used():
    names = [case.name for case in cases(Profile.QUICK, 0)]
    assert len(names) == len(set(names))
    assert names != [case.name for case in cases(Profile.QUICK, 1)]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.id)
def test_claims_are_about_objectives_alone(claim):
    assert set(claim.algorithms) <= OURS
