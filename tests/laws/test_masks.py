"""Laws of masks, on right code and on mistakes."""

import pytest
from foreign_code import (
    masked_mean,
    masked_mean_of_all,
    masked_mean_with_zeros,
    masked_steps,
    unmasked_last_step,
)

from fedbounds import laws
from fedbounds.errors import FedboundsError

EXACT = pytest.mark.parametrize("exact", [False, True])


@EXACT
@pytest.mark.parametrize("dimension", [1, 2, 4])
def test_masked_training_obeys(exact, dimension):
    laws.local_steps_keep_masked(masked_steps, dimension=dimension, exact=exact)
    laws.untrained_coordinates_stay(masked_mean, dimension=dimension, exact=exact)
    laws.aggregation_ignores_masked(masked_mean, dimension=dimension, exact=exact)


@EXACT
@pytest.mark.parametrize(
    ("law", "wrong"),
    [
        (laws.local_steps_keep_masked, unmasked_last_step),
        (laws.untrained_coordinates_stay, masked_mean_with_zeros),
        (laws.aggregation_ignores_masked, masked_mean_of_all),
    ],
)
def test_a_mistake_is_caught(exact, law, wrong):
    with pytest.raises(laws.LawBroken) as caught:
        law(wrong, exact=exact)
    assert {"x"} <= set(caught.value.where)


def test_each_law_sees_its_own_mistake_only():
    laws.untrained_coordinates_stay(masked_mean_of_all)
    laws.aggregation_ignores_masked(masked_mean_with_zeros)


def test_another_shape_is_a_broken_law():
    with pytest.raises(laws.LawBroken, match="shape"):
        laws.untrained_coordinates_stay(lambda x, vectors, masks: vectors)


def test_too_many_masks_are_refused():
    with pytest.raises(FedboundsError, match=r"number of masks is 2\^40; expected at most 4096"):
        laws.untrained_coordinates_stay(masked_mean, n=4, dimension=10)
