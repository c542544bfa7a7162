"""Means of products of polynomials: as if the product were made, and its mean taken after."""

from itertools import product
from math import prod

import numpy as np
import pytest
from flint import fmpq

from fedbounds.verify.measure.monomials import monomials
from fedbounds.verify.measure.products import mean_product
from fedbounds.verify.measure.sources import Normal, Participants, signs
from fedbounds.verify.measure.unknowns import Refused, Unknown, Variables, bare, variables

SOURCES = [Normal((2,)), Participants(3, 2), signs(2)]


def named(carried=()):
    return variables({"x": (1, 2)}, SOURCES, ("eta",), carried)


def some(own, seed, degree=3):
    """Sums of a few monomials in everything but what is carried."""
    random = np.random.default_rng(seed)
    gens = own.context.gens()[: own.fresh]
    found = []
    for _ in range(3):
        terms = [
            prod(gens[at] for at in random.integers(len(gens), size=degree).tolist())
            * fmpq(int(random.integers(1, 5)), int(random.integers(1, 4)))
            for _ in range(6)
        ]
        found.append(Unknown(sum(terms) + int(random.integers(2))))
    return found


def both(own, left, right, over):
    """Of the sum of products, one way and the other."""
    total = sum(a * b for a, b in zip(left[1:], right[1:], strict=True)) + left[0] * right[0]
    return bare(mean_product(own, [(fmpq(1), left, right)], over)), bare(own.mean(total, over))


@pytest.mark.parametrize("over", [(0, 1, 2), (0, 2), (1,)])
def test_they_are_means_of_the_product(over):
    own = named()
    for one, other in product(range(4), range(4)):
        found, wanted = both(own, some(own, one), some(own, other), over)
        assert found == wanted


def test_places_add_up_with_their_weights():
    own = named()
    x = own.state()["x"].reshape(-1)
    every = [(fmpq(1, 3), some(own, 1), some(own, 2)), (fmpq(2, 3), some(own, 3), some(own, 1))]
    every += [(fmpq(1, 5), [x[0]], [x[1]]), (fmpq(1, 7), [fmpq(2)], [fmpq(3)])]
    for over in ((0, 1, 2), (1,)):
        each = [mean_product(own, [place], over) for place in every]
        alone = [mean_product(own, [(fmpq(1), *place[1:])], over) for place in every]
        wanted = sum(bare(one) * weight for one, (weight, *_) in zip(alone, every, strict=True))
        assert bare(mean_product(own, every, over)) == wanted == sum(map(bare, each))


def test_squares_and_numbers_among_them_are_none_but_that():
    own = named()
    z, x = own.answers()[0].reshape(-1), own.state()["x"].reshape(-1)
    left, right = [z[0] * x[0], z[1], x[1]], [z[0] * x[0], z[1], fmpq(3)]
    found, wanted = both(own, left, right, (0, 1, 2))
    assert found == wanted == bare(x[0] * x[0] + 1 + x[1] * 3)
    assert both(own, [z[0], x[0]], [z[0], -x[0]], (0,)) == (bare(1 - x[0] * x[0]),) * 2
    assert both(own, [z[0], z[1]], [z[0], -z[1]], (0, 1, 2)) == (0, 0)


def test_what_is_skipped_has_no_mean(monkeypatch):
    """Planted: of entries that do not stand alone, one is taken for one that does."""
    found = []
    for planted in (False, True):
        own = named()
        if planted:
            monkeypatch.setattr(Variables, "centred", (True,) * 7)
        s = own.answers()[1].reshape(-1)
        found.append(both(own, [s[0]], [s[1]], (0, 1, 2)))
    assert found == [(fmpq(1, 3), fmpq(1, 3)), (0, fmpq(1, 3))]


def test_what_was_carried_is_refused_as_in_the_product():
    own = named((1, 1))
    z, x = own.answers()[0].reshape(-1), own.state()["x"].reshape(-1)
    (first,) = own.carry([x[0] * z[0]])
    assert both(own, [first * z[1]], [first * z[1]], (0, 1, 2)) == (bare(first * first),) * 2
    with pytest.raises(Refused, match="before see.carry and after it"):
        mean_product(own, [(fmpq(1), [first * z[1]], [z[0]])], (0, 1, 2))
    (second,) = own.carry([first])
    with pytest.raises(Refused, match="at two places"):
        mean_product(own, [(fmpq(1), [first * z[1]], [second * z[1]])], (0, 1, 2))


def test_monomials_are_those_of_the_polynomial():
    own = named()
    gens = own.context.gens()
    for polynomial in (gens[0] ** 2 * gens[3] + 2, gens[1] + 0, gens[0] * 0, sum(gens) ** 3):
        found = monomials(polynomial)
        assert (
            sum(prod((gens[at] for at in key), start=fmpq(1)) * x for key, x in found.items())
            == polynomial
        )
        assert all(key == tuple(sorted(key)) for key in found)
