"""The sharpest value is one that was proved, and the next one tried was not."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from fedbounds.verify.commands.sensitivity.bisect import HALVINGS, sharpest, simplest

POSITIVE = st.fractions(min_value=Fraction(1, 99), max_value=99)


@given(POSITIVE, POSITIVE)
def test_towards_zero(printed, least):
    found = sharpest(lambda value: value >= least, printed, -1)
    if least > printed:
        assert (found.value, found.beyond) == (None, printed)
    else:
        assert found.beyond < least <= found.value <= printed
        assert found.value - found.beyond <= printed / 2**HALVINGS


@given(POSITIVE, POSITIVE)
def test_away_from_zero(printed, most):
    found = sharpest(lambda value: value <= most, printed, 1)
    if most < printed:
        assert found.value is None
    elif found.beyond is None:
        assert found.value == 64 * printed <= most
    else:
        assert printed <= found.value <= most < found.beyond


def test_a_term_that_is_not_needed_comes_down_to_zero():
    assert sharpest(lambda value: True, Fraction(7), -1).value == 0


def test_simple_thresholds_are_found_exactly():
    for least in (Fraction(2), Fraction(8, 3), Fraction(1, 2)):
        assert sharpest(lambda value, x=least: value >= x, Fraction(4), -1).value == least


@given(st.lists(POSITIVE, min_size=3, max_size=3, unique=True))
def test_the_simplest_fraction_has_the_smallest_denominator(three):
    low, other, high = sorted(three)
    for beyond, end in ((low, high), (high, low)):
        found = simplest(beyond, end)
        assert min(beyond, end) <= found <= max(beyond, end)
        assert found != beyond
        assert found.denominator <= min(other.denominator, end.denominator)
