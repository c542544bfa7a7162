"""Laws of a server, on right ones and on mistakes."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from foreign_code import (
    always_with_the_first,
    divided_by_all_clients,
    mean_of_participants,
    momentum_of_everyone,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds import laws
from fedbounds.errors import FedboundsError

EXACT = pytest.mark.parametrize("exact", [False, True])


@EXACT
@given(n=st.integers(1, 5), data=st.data())
@settings(max_examples=20, deadline=None)
def test_the_mean_of_participants_is_unbiased(exact, n, data):
    m = data.draw(st.integers(1, n))
    laws.unbiased_aggregation(mean_of_participants, n=n, m=m, exact=exact)
    laws.aggregation_ignores_absent(mean_of_participants, n=n, m=m, exact=exact)


@EXACT
@pytest.mark.parametrize("wrong", [divided_by_all_clients, always_with_the_first])
def test_a_biased_one_is_caught(exact, wrong):
    with pytest.raises(laws.LawBroken) as caught:
        laws.unbiased_aggregation(wrong, n=3, m=2, exact=exact)
    assert caught.value.law == "unbiased aggregation"
    assert np.count_nonzero(caught.value.where["vectors"]) == 1


def test_exact_sides_are_exact():
    with pytest.raises(laws.LawBroken) as caught:
        laws.unbiased_aggregation(divided_by_all_clients, n=3, m=2, exact=True)
    assert (caught.value.left[0], caught.value.right[0]) == (Fraction(2, 9), Fraction(1, 3))


def test_sampling_with_replacement():
    n, m = 3, 2
    sets = [(chosen, Fraction(1, n**m)) for chosen in product(range(n), repeat=m)]
    laws.unbiased_aggregation(mean_of_participants, n=n, m=m, sets=sets, exact=True)

    def each_once(vectors, chosen):  # repeats are dropped, as a set of indices does
        return vectors[list(set(chosen))].sum(axis=0) / m

    with pytest.raises(laws.LawBroken):
        laws.unbiased_aggregation(each_once, n=n, m=m, sets=sets, target=lambda v: v.mean(axis=0))


def test_a_target_of_ones_own():
    shares = np.array([0.5, 0.25, 0.25])

    def weighted(vectors, chosen):
        return sum(shares[i] * vectors[i] for i in chosen) * len(vectors) / len(chosen)

    laws.unbiased_aggregation(weighted, target=lambda vectors: shares @ vectors)
    with pytest.raises(laws.LawBroken):
        laws.unbiased_aggregation(mean_of_participants, target=lambda vectors: shares @ vectors)


@EXACT
def test_names_do_not_matter(exact):
    laws.aggregation_ignores_names(mean_of_participants, exact=exact)
    with pytest.raises(laws.LawBroken) as caught:
        laws.aggregation_ignores_names(always_with_the_first, exact=exact)
    assert caught.value.law == "renaming of clients"


@EXACT
def test_absent_clients_do_not_matter(exact):
    with pytest.raises(laws.LawBroken) as caught:
        laws.aggregation_ignores_absent(momentum_of_everyone, exact=exact)
    assert caught.value.law == "absent clients"


def test_an_aggregate_of_another_shape_is_a_broken_law():
    with pytest.raises(laws.LawBroken, match=r"shape \(\), expected \(2,\)"):
        laws.unbiased_aggregation(lambda vectors, chosen: vectors.mean())


def test_the_function_may_change_what_it_gets():
    def careless(vectors, chosen):
        vectors *= 2
        return vectors[list(chosen)].mean(axis=0) / 2

    laws.unbiased_aggregation(careless)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"n": 2, "m": 3}, "participants m is 3; expected between 1 and n = 2"),
        ({"dimension": 0}, "dimension is 0; expected at least 1"),
        ({"n": 40, "m": 20}, "number of sets is 137846528820; expected at most 10000"),
        ({"sets": [((0,), Fraction(1, 2))]}, "sum of the probabilities is 1/2; expected exactly 1"),
    ],
)
def test_bad_input_is_refused(keywords, message):
    with pytest.raises(FedboundsError, match=message):
        laws.unbiased_aggregation(mean_of_participants, **keywords)
