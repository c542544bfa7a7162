"""The rule that stops clients early: an oracle of divisions, both readings, and planted rules."""

import array_api_strict as strict
import numpy as np
import pytest
from early_stopping_oracle import stopped
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.algorithms.early_stopping import Calibration, flagged, gradip, windows
from fedbounds.algorithms.seeded import directions
from fedbounds.errors import FedboundsError
from fedbounds.verify.measure.sources import Normal
from fedbounds.verify.measure.unknowns import Refused, variables

SCORES = np.array([[8.0, 8.0, 0.1, 0.1], [4.0, 4.0, -3.0, 8.0]])


def rationals(values):
    return np.vectorize(fmpq, otypes=[object])(np.array(values))


# ---- scores


def test_scores_are_products_with_the_estimate():
    seeds, gradient = [5, 6], np.array([1.0, 2.0, -1.0])
    z = directions(seeds, 3)
    found = gradip(np.array([[2.0, -1.0], [1.0, 3.0]]), z, gradient)
    every = [
        [g * sum(a * b for a, b in zip(own, gradient, strict=True))
         for g, own in zip(row, z, strict=True)]
        for row in ((2.0, -1.0), (1.0, 3.0))
    ]  # fmt: skip
    assert np.allclose(found, every)
    with_rows = gradip(np.array([[[2.0, -1.0], [1.0, 3.0]]]), z[None, None], gradient)
    assert (with_rows[0] == found).all()


# ---- the rule, with divisions


RULES = st.builds(
    Calibration,
    initial=st.integers(1, 4), later=st.integers(1, 4),
    quiet=st.sampled_from([fmpq(1, 2), fmpq(2)]), ratio=st.sampled_from([fmpq(1, 2), fmpq(2)]),
    share=st.sampled_from([fmpq(0), fmpq(1, 2), fmpq(1)]),
    latest=st.booleans(), absolute=st.booleans(),
)  # fmt: skip
ROWS = st.lists(
    st.lists(st.integers(-3, 3), min_size=4, max_size=4), min_size=1, max_size=3
)  # fmt: skip


@given(ROWS, RULES)
def test_the_rule_is_that_of_divisions(scores, by):
    exact = rationals(scores)
    wanted = [stopped(row, by) for row in exact.tolist()]
    assert flagged(exact, by).tolist() == wanted
    plain = Calibration(by.initial, by.later, *map(float, (by.quiet, by.ratio, by.share)),
                        by.latest, by.absolute)  # fmt: skip
    there = flagged(strict.asarray(exact.astype(float)), plain)
    assert np.asarray(there).tolist() == wanted


def test_the_rule_as_printed_and_as_meant():
    """Printed: the later window is the first one, and every negative score is quiet."""
    meant = Calibration(2, 2, quiet=1.0, ratio=5.0, share=0.4, absolute=True)
    signed = Calibration(2, 2, quiet=1.0, ratio=5.0, share=0.4)
    printed = Calibration(2, 2, quiet=1.0, ratio=5.0, share=0.4, latest=False)
    assert flagged(SCORES, meant).tolist() == [True, False]
    assert flagged(SCORES, signed).tolist() == [True, True]
    assert flagged(SCORES, printed).tolist() == [False, False]
    own = windows(SCORES, printed)
    assert (own.early == own.late).all()  # the ratio is 1, whatever the scores are


def test_a_planted_rule_of_sizes_is_another_than_the_signed_one():
    """The size of the means, or of scores, where the sign counts; and the first window."""
    by = Calibration(2, 2, quiet=fmpq(1), ratio=fmpq(2), share=fmpq(1))
    exact = rationals([[4, 4, -1, -1], [-4, -4, -1, -1], [4, 4, 1, 1]])
    right = [stopped(row, by) for row in exact.tolist()]
    assert right == [False, True, True] == flagged(exact, by).tolist()
    assert flagged(abs(exact), by).tolist() != right
    assert flagged(exact[:, ::-1], by).tolist() != right
    doubled = Calibration(2, 2, quiet=fmpq(1), ratio=fmpq(5), share=fmpq(1))
    assert flagged(exact, doubled).tolist() != right


@given(ROWS, RULES, st.permutations(range(3)))
def test_every_client_is_judged_by_itself(scores, by, order):
    exact = rationals(scores)
    own = [x for x in order if x < len(exact)]
    assert flagged(exact[own], by).tolist() == [flagged(exact, by)[x] for x in own]


def test_unknown_scores_are_refused():
    unknown = variables({}, [Normal((1, 4))]).answers()[0]
    with pytest.raises(Refused, match="compares an entry that is not known"):
        flagged(unknown, Calibration(2, 2))


# ---- bad input


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: gradip(np.ones((2, 3)), np.ones((2, 2)), np.ones(2)),
         r"steps and length of the directions is \(2, 2\); expected \(3, 2\)"),
        (lambda: gradip(np.ones((2, 2)), np.ones((2, 3)), np.ones(2)), r"is \(2, 3\)"),
        (lambda: flagged(SCORES, Calibration(5, 2)), "window initial is 5; expected at most the 4"),
        (lambda: flagged(SCORES, Calibration(2, 5)), "window later is 5"),
        (lambda: Calibration(0), "window initial is 0"),
        (lambda: Calibration(quiet=0.0), "threshold quiet is 0.0"),
        (lambda: Calibration(share=1.5), "threshold share is 1.5; expected between 0 and 1"),
        (lambda: Calibration(ratio=-1.0), "threshold ratio is -1.0"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_a_line(call, told):
    with pytest.raises(FedboundsError, match=told) as error:
        call()
    assert "\n" not in str(error.value)
