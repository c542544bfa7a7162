"""Laws of control variates, on Scaffold and on mistakes."""

from functools import partial

import pytest
from each import each
from foreign_code import (
    scaffold,
    scaffold_control_over_participants,
    scaffold_moves_all_controls,
    scaffold_uncorrected,
    scaffold_wrong_sign,
)

from fedbounds import laws
from fedbounds.errors import FedboundsError

EXACT = each("exact", [False, True])
EVERY = (
    laws.control_is_the_mean,
    laws.rests_at_the_solution,
    laws.corrected_steps_descend,
    laws.absent_controls_stay,
)


@EXACT
@each("law", EVERY)
@each("option", [1, 2])
@each("n, m, dimension", [(1, 1, 1), (2, 1, 2), (3, 3, 1), (4, 2, 2)])
def test_scaffold_obeys(exact, law, option, n, m, dimension):
    law(partial(scaffold, option=option), n=n, m=m, dimension=dimension, exact=exact)


@EXACT
@pytest.mark.parametrize(
    ("law", "wrong"),
    [
        (laws.control_is_the_mean, scaffold_control_over_participants),
        (laws.rests_at_the_solution, scaffold_wrong_sign),
        (laws.rests_at_the_solution, scaffold_uncorrected),
        (laws.corrected_steps_descend, scaffold_wrong_sign),
        (laws.corrected_steps_descend, scaffold_uncorrected),
        (laws.absent_controls_stay, scaffold_moves_all_controls),
    ],
)
def test_a_mistake_is_caught(exact, law, wrong):
    with pytest.raises(laws.LawBroken) as caught:
        law(wrong, exact=exact)
    assert {"participants", "controls", "control"} <= set(caught.value.where)


def test_the_mean_law_does_not_see_the_sign():
    laws.control_is_the_mean(scaffold_wrong_sign)


def test_a_round_that_returns_something_else_is_refused():
    with pytest.raises(
        FedboundsError, match="what the round returned is ndarray; expected a tuple"
    ):
        laws.rests_at_the_solution(lambda x, *rest: x)
