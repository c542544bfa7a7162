"""Laws of masks: what they promise, and that they shrink."""

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings

from fedbounds import strategies
from fedbounds.errors import FedboundsError
from fedbounds.problems import Bernoulli, Rolling
from fedbounds.problems.masked_laws import coverage, outcomes

SHRUNK = settings(max_examples=2000, database=None, phases=(Phase.generate, Phase.shrink))


@given(strategies.mask_laws(clients=(1, 3), dimension=(2, 3)))
def test_sizes_and_probabilities(law):
    masks, weights = outcomes(law, law.dimension if isinstance(law, Rolling) else 2, True)
    assert 1 <= law.clients <= 3
    assert (weights.sum(axis=1) == 1).all()
    assert masks.any(axis=(1, 2)).all()


@given(strategies.mask_laws(kinds=("independent", "windows")))
def test_every_coordinate_is_held_equally_often(law):
    assert all(share > 0 for share in coverage(law))


def test_each_kind_is_drawn_and_the_simplest_is_small():
    independent = find(
        strategies.mask_laws(kinds=("independent",)), lambda law: True, settings=SHRUNK
    )
    assert independent == Bernoulli((1,))
    partial = find(
        strategies.mask_laws(kinds=("windows",)),
        lambda law: not np.array(law.masks).all(),
        settings=SHRUNK,
    )
    assert partial == Rolling([[(1, 0), (0, 1)]])
    fixed = find(
        strategies.mask_laws(kinds=("fixed",)), lambda law: law.clients == 2, settings=SHRUNK
    )
    assert fixed == Rolling([[[1]], [[1]]])


@pytest.mark.filterwarnings("ignore::hypothesis.errors.NonInteractiveExampleWarning")
def test_an_unknown_kind_is_refused():
    with pytest.raises(
        FedboundsError, match="unknown kind of mask law 'window'; the nearest are windows"
    ):
        strategies.mask_laws(kinds=("window",)).example()
