"""Which part of a reading speaks for the record."""

from dataclasses import replace

import pytest
from kinds import exact, floats

from fedbounds.theory.language.claims import Part
from fedbounds.theory.language.symbols import G_u, G_v, t
from fedbounds.verify.decide.judgement import Judgement
from fedbounds.verify.decide.part import Outcome, decide
from fedbounds.vocabulary import Method, Relation, Verdict

LESS = Part(left=G_u(t), right=G_v(t), name="a ratio")
SIGNED = Part(left=2 * G_u(t) - G_v(t), right=G_v(t), name="none")
BESIDE = Part(left=G_u(t) / 2, right=G_v(t), name="far from equal")


def deciding(*outcomes):
    return Judgement(None, None, None, outcomes).deciding


def judged(parts, numbers, method=Method.MOMENTS):
    return [decide(part, numbers, method) for part in parts]


@pytest.mark.parametrize("off", [1e-15, -1e-15])
def test_the_last_digits_do_not_choose_among_parts_that_are_equal(off):
    """Planted: by the smallest float it is now the one and now the other."""
    numbers = floats([1.0], [1.0 + off], error=1e-14)
    parts = [SIGNED, LESS, BESIDE]
    signed, less, beside = judged(parts, numbers)
    assert (signed.tightness, less.tightness) == (None, pytest.approx(1.0))
    assert min(signed.doubt, less.doubt) > abs(off)
    assert beside.relative_gap > 0.3
    assert signed.verdict is less.verdict
    for every in ([signed, less], [less, signed]):
        assert deciding(*every) is less
    first = replace(LESS, name="first of two alike")
    alike = judged([first, LESS], numbers)
    assert deciding(*alike) is alike[0]


def test_in_rationals_parts_are_equal_or_not():
    parts = [SIGNED, BESIDE, LESS]
    signed, beside, less = judged(parts, exact([1], [1]), Method.RATIONAL)
    assert signed.relative_gap == less.relative_gap == signed.doubt == 0
    assert deciding(signed, beside, less) is less
    held, other = judged(
        [replace(LESS, relation=Relation.EQUAL), BESIDE], exact([1], [1]), Method.RATIONAL
    )
    assert deciding(other, held) is held  # of one kind and alone: the smallest gap


def test_a_gap_that_is_smaller_for_certain_speaks():
    small = Outcome("small", Verdict.NOT_VIOLATED, relative_gap=1e-3, doubt=1e-9)
    large = Outcome("large", Verdict.NOT_VIOLATED, relative_gap=1.1e-3, doubt=1e-9, tightness=0.9)
    assert deciding(large, small) is small
    vague = replace(large, doubt=1.0)  # no rounding is as large
    assert deciding(vague, small) is small


@pytest.mark.parametrize("gap", [None, float("nan"), float("inf")])
def test_a_gap_that_is_no_number_is_as_good_as_none(gap):
    lost = Outcome("lost", Verdict.UNDECIDED, relative_gap=gap)
    seen = Outcome("seen", Verdict.UNDECIDED, relative_gap=-0.5, tightness=2.0)
    assert deciding(lost) is lost
    assert deciding(lost, seen) is deciding(seen, lost) is seen


def test_a_candidate_of_a_violation_is_graver_than_what_is_not_known():
    found = Outcome("found", Verdict.UNDECIDED, relative_gap=-1e-9, doubt=1e-10, candidate=True)
    other = Outcome("other", Verdict.UNDECIDED, relative_gap=0.0, doubt=1e-8, tightness=1.0)
    assert deciding(other, found) is found
    broken = replace(other, verdict=Verdict.VIOLATED)
    assert deciding(found, broken) is broken
