"""Set-ups of random numbers: those of a seed stay what they are, whoever else draws."""

import hashlib
from dataclasses import replace

import pytest

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.registry import drawn
from fedbounds.verify.decide.measurement import fingerprint
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.setups.chance import Seeded, drawn_cases

# standings rest on them
DIGESTS = {"fedplt": "ae338daeaa21708e", "submodel": "a0648b5e7f02ec0e"}


def digest(theory, seed):
    every = drawn_cases(theory, "", Profile.DEFAULT, seed)
    told = "\n".join(f"{case.name} {fingerprint(case.setup)}" for case in every)
    return hashlib.sha256(told.encode()).hexdigest()[:16]


@pytest.mark.parametrize("theory", DIGESTS)
def test_set_ups_of_a_seed_stay_what_they_are(theory):
    assert digest(theory, 0) == DIGESTS[theory]
    assert digest(theory, 1) != DIGESTS[theory]


def test_arrays_are_nested_lists_of_plain_numbers():
    chance = Seeded(0)
    assert chance.given == 0
    assert isinstance(chance.integers(1, 3), int)
    rows = chance.integers(1, 3, (2, 3))
    assert [len(row) for row in rows] == [3, 3]
    assert {x for row in rows for x in row} <= {1, 2}
    assert isinstance(chance.normal((1, 2))[0][0], float)


def test_set_up_in_rationals_is_not_drawn_for_floats_alone(monkeypatch):
    """A search in rationals passes those over, and would lose it unseen."""
    rational = next(one for one in drawn("fedplt") if not one.floats)
    marked = (replace(rational, floats=True),)
    monkeypatch.setattr("fedbounds.verify.setups.chance.drawn", lambda theory: marked)
    with pytest.raises(FedboundsError, match="drawn for floats alone is .*not one in rationals"):
        list(drawn_cases("fedplt", "", Profile.DEFAULT, 0))
