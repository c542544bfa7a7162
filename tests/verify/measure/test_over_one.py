"""Moments of a round in balls: several at once, as a matrix, or one by one, as the factors are."""

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from fedbounds.verify.measure.over_one import InBalls, ball_map, whole

SIZE = 40


def forms(each: int, seed: int = 0):
    """Of every moment, a function of so many."""
    random = np.random.default_rng(seed)
    found = {}
    for row in range(SIZE):
        chosen = random.choice(SIZE, size=each, replace=False).tolist()
        found[0, row] = {(0, at): fmpq(int(random.integers(1, 9)), 7) for at in chosen}
    return found


def moments():
    return {(0, at): fmpq(at - 5, 3 + at) for at in range(SIZE)}


@pytest.mark.parametrize("each", [5, SIZE])
def test_a_matrix_gives_what_the_functions_give(each):
    own, known = forms(each), InBalls()
    with ctx.workprec(192):
        known.add({pair: arb(value) for pair, value in moments().items()})
        together = ball_map(own)
        assert together is not None
        found = known.through(together)
    assert found.keys() == own.keys()
    for pair, form in own.items():
        exact = sum((factor * moments()[at] for at, factor in form.items()), fmpq(0))
        with ctx.workprec(2000):
            assert found[pair].contains(arb(exact))
            assert found[pair].overlaps(known.total(whole(form)))
        assert found[pair].rad() < 1e-50


def test_a_matrix_of_zeros_is_none():
    assert ball_map(forms(2)) is None
    assert ball_map(forms(3)) is not None
