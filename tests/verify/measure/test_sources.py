"""Laws of sources: E of a monomial against the sum over outcomes, and against pairings."""

from fractions import Fraction
from itertools import combinations_with_replacement
from math import prod

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.verify.measure import sources
from fedbounds.verify.measure.sources import (
    Index,
    LikeNormal,
    Normal,
    Participants,
    Permutation,
    listed,
)

MOST = 4  # degree of the monomials
sizes = st.integers(1, 4)
chances = st.fractions(0, 1, max_denominator=7)
cohorts = sizes.flatmap(
    lambda n: st.lists(st.tuples(*[st.integers(0, 2)] * n).filter(any), min_size=1, max_size=4).map(
        lambda times: sources.Cohorts(tuple(times), n)
    )
)
copies = st.builds(
    lambda n, m, times: sources.Copies(sources.WithReplacement(n, m), times),
    st.integers(1, 3),
    st.integers(1, 2),
    st.sampled_from([(2,), (1, 2), (3,)]),
)
FINITE = {
    "copies": copies,
    "cohorts": cohorts,
    "participants": sizes.flatmap(lambda n: st.integers(1, n).map(lambda m: Participants(n, m))),
    "with replacement": st.builds(sources.WithReplacement, sizes, st.integers(1, 3)),
    "signs": st.lists(st.integers(1, 2), max_size=2).map(lambda shape: sources.signs(*shape)),
    "bernoulli": st.builds(sources.bernoulli, chances, st.integers(1, 4)),
    "silence": st.builds(sources.zeros, sizes),
}


def monomials(source):
    """Powers of every monomial up to degree four in the first four entries."""
    entries = range(min(prod(source.shape), 4))
    for degree in range(MOST + 1):
        for chosen in combinations_with_replacement(entries, degree):
            yield {entry: chosen.count(entry) for entry in chosen}


def summed(source, powers):
    """E of the monomial over the listed outcomes."""
    total = fmpq(0)
    for row, chance in listed(source):
        total += chance * prod(row[entry] ** power for entry, power in powers.items())
    return total


@pytest.mark.parametrize("name", FINITE)
@given(data=st.data())
def test_a_moment_is_the_sum_over_outcomes(name, data):
    source = data.draw(FINITE[name])
    for powers in monomials(source):
        assert source.moment(powers) == summed(source, powers), powers


def test_a_wrong_moment_shows():
    """The oracle is not blind: sets of two of three clients are no independent coins."""
    three, coins = Participants(3, 2), sources.bernoulli(fmpq(2, 3), 3)
    pair = {0: 1, 1: 1}
    assert coins.moment(pair) != summed(three, pair) == fmpq(1, 3)


def pairings(entries):
    """Ways to pair equal entries off: E of their product, by Isserlis."""
    if not entries:
        return 1
    first, *rest = entries
    return sum(
        pairings(rest[:at] + rest[at + 1 :]) for at, other in enumerate(rest) if other == first
    )


@given(st.lists(st.integers(0, 2), max_size=8))
def test_gaussian_moments_are_pairings(chosen):
    powers = {entry: chosen.count(entry) for entry in chosen}
    assert Normal((3,)).moment(powers) == pairings(chosen)


@given(st.lists(st.integers(0, 2), max_size=8))
def test_entries_like_gaussian_ones_have_their_moments_up_to_the_fifth(chosen):
    powers = {entry: chosen.count(entry) for entry in chosen}
    low = all(power <= 5 for power in powers.values())
    like, gaussian = (source((3,)).moment(powers) for source in (LikeNormal, Normal))
    assert (like == gaussian) is (low or gaussian == 0)
    assert like == summed(LikeNormal((3,)), powers)


@pytest.mark.parametrize("source", [Index(3), Permutation(3)])
def test_what_selects_has_no_moments(source):
    with pytest.raises(FedboundsError, match="selects"):
        source.moment({0: 1})


@pytest.mark.parametrize(
    "source",
    [
        Participants(4, 2),
        sources.WithReplacement(3, 2),
        sources.signs(2, 2),
        sources.bernoulli(Fraction(1, 3), 3),
        Index(3),
        Permutation(3),
    ],
    ids=lambda source: source.name,
)
def test_samples_are_outcomes_as_often_as_they_should_be(source):
    rows = source.sample(np.random.default_rng(0), 20_000).astype(int).tolist()
    seen = {}
    for row in map(tuple, rows):
        seen[row] = seen.get(row, 0) + 1 / len(rows)
    expected = {row: float(Fraction(str(chance))) for row, chance in listed(source)}
    assert seen.keys() == expected.keys()
    assert all(abs(seen[row] - chance) < 0.02 for row, chance in expected.items())


def test_what_has_one_outcome_draws_nothing():
    random, other = (np.random.default_rng(0) for _ in range(2))
    silent = sources.zeros(4, 3)
    assert not silent.sample(random, 5).any()
    assert silent.sample(random, 5).shape == (5, 12)
    assert random.random() == other.random()
    sources.signs(2).sample(random, 1)
    assert random.random() != other.random()
