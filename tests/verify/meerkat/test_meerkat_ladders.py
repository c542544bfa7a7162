"""Where E f - f* settles on ladders: by hand, and what the text predicts of it."""

import pytest
from flint import fmpq

from fedbounds.theory.meerkat.ladders import FLOORS, SHOWN
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.setups.ladders import ladder, ladder_cases, limit, rungs

OVER_STEPS, OVER_COUNTS, DRIFTING, OVER_SHARES = FLOORS


def by_hand(eta):
    """Of a'w = y, a = (3, 4), of which the mask keeps 4: y+ = y (1 - 16 eta z^2) - 4 eta z^2 xi.

    xi is the mean of two signs of size 1/2, and f is y^2/2.
    """
    spread, growth = 3 * 16 * eta**2 * fmpq(1, 8), 1 - 32 * eta + 3 * 256 * eta**2
    return spread / (1 - growth) / 2


def given(setup):
    """eta."""
    above, _, below = str(setup.run.parameter("eta")).partition("/")
    return fmpq(int(above), int(below or 1))


def test_floors_of_noise_are_those_by_hand():
    """At one local step; with several, none is another: the mean does not drift there."""
    for family in (OVER_STEPS, OVER_COUNTS):
        for _, setup in rungs(family, Profile.DEFAULT):
            assert limit(family, setup) == by_hand(given(setup))


def test_the_floor_hardly_depends_on_what_the_mask_keeps():
    """By hand it is 3 eta s^2/(4 (2 - 3 eta c)), of two signs of size s = 1/10; L is mu."""
    for c, setup in rungs(OVER_SHARES, Profile.DEFAULT):
        eta = given(setup)
        assert limit(OVER_SHARES, setup) == 3 * eta / 100 / (4 * (2 - 3 * eta * c))


def test_without_noise_it_is_drift_that_stays():
    pairs = rungs(DRIFTING, Profile.DEFAULT)
    floors = [limit(DRIFTING, setup) for _, setup in pairs]
    assert floors == sorted(floors)
    assert floors[0] > 0


@pytest.mark.parametrize(
    ("family", "predicted", "least", "most"),
    [
        (OVER_STEPS, "1", 1, 1.2),
        (OVER_COUNTS, "1", 0, 0),
        (DRIFTING, "1", 2, 4),
        (OVER_SHARES, "-1", 0, 0.1),
    ],
)
def test_exponents_beside_those_of_bounds(family, predicted, least, most):
    shown = ladder(family, Profile.DEFAULT)
    floors, bounds = shown["series"].values()
    assert shown["fit"]["symbolic"] == predicted
    assert least <= shown["fit"]["exponent"] <= most
    assert all(x <= bound for x, bound in zip(floors, bounds, strict=True))


def test_they_stand_beside_the_theorem_and_what_is_true_instead():
    beside = [name for name, every in SHOWN.items() if every is FLOORS]
    assert all(name.startswith("meerkat/thm-2.1-") for name in beside)
    assert "meerkat/thm-2.1-explicit/corrected" in beside


def test_a_ladder_beside_several_claims_is_judged_once():
    names = [case.name for case in ladder_cases("meerkat", "Meerkat", Profile.QUICK)]
    assert len(set(names)) == len(names) == 3 * len(FLOORS)
