"""Rounds to eps against a plain loop over all rounds."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.verify.commands.contest.passage import Ending, Passage, passage

VALUES = st.lists(st.floats(0.0, 4.0), min_size=1, max_size=30)


def _plain(values, eps, limit):
    total = 0.0
    for t, value in enumerate(values[:limit], start=1):
        total += value
        if total / t <= eps:
            return Passage(Ending.REACHED, t)
    return Passage(Ending.LIMIT, limit)


@given(
    values=VALUES, eps=st.sampled_from([0.26, 1.01, 2.51]), limit=st.integers(1, 40), cut=st.data()
)
def test_it_is_the_first_mean_below_eps_however_blocks_are_cut(values, eps, limit, cut):
    values = [round(value * 2) / 2 for value in values] + [9.0] * 40  # sums are exact
    places = cut.draw(st.lists(st.integers(1, len(values) - 1), max_size=4, unique=True))
    blocks = np.split(np.array(values), sorted(places))
    assert passage(iter(blocks), eps, limit) == _plain(values, eps, limit)


def test_a_run_that_diverges_says_so():
    blocks = iter([np.array([1.0, 2.0]), np.array([np.inf, 0.0])])
    assert passage(blocks, 0.1, 100) == Passage(Ending.DIVERGED, 3)


def test_a_run_that_was_below_eps_before_it_diverged_has_reached_it():
    assert passage(iter([np.array([1.0, 0.0, np.nan])]), 0.5, 100) == Passage(Ending.REACHED, 2)


def test_never_is_a_value_of_its_own():
    late = passage(iter([np.ones(3), np.ones(3)]), 0.5, 5)
    assert (late.ending, late.rounds, late.reached, str(late)) == (Ending.LIMIT, 5, None, "> 5")
