"""Every law's outcomes and chances, against plain enumeration by hand."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb, factorial

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from masked_moments_cases import quadratic

from fedbounds.errors import FedboundsError
from fedbounds.problems import Noise, NoiseLaw
from fedbounds.problems.linear import rational
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.random import answered, outcomes, sources_of
from fedbounds.verify.measure.sources import TooManyError


def every_draw(draw, exact=True):
    """What a draw makes of all outcomes, and their chances."""
    every = outcomes(sources_of(draw, exact), exact)
    return answered(draw, every.sources, every.answers), every.chances


def law(ask, exact=True):
    """Chance of every outcome of one call, as fractions."""
    drawn, chances = every_draw(lambda random: {"z": ask(random)}, exact)
    total = Counter()
    for row, chance in zip(drawn["z"], chances, strict=True):
        total[tuple(np.asarray(row).reshape(-1).tolist())] += Fraction(str(chance))
    assert sum(total.values()) == 1
    return dict(total)


def rationals(counter):
    return {tuple(map(rational, row)): chance for row, chance in counter.items()}


@given(st.data())
def test_participants_are_every_set_of_m_with_equal_chance(data):
    n = data.draw(st.integers(1, 5))
    m = data.draw(st.integers(1, n))
    chance = Fraction(1, comb(n, m))
    expected = {tuple(int(i in s) for i in range(n)): chance for s in combinations(range(n), m)}
    assert law(lambda random: random.participants(n, m)) == rationals(expected)


@given(st.integers(1, 4), st.integers(1, 4))
def test_draws_with_replacement_are_multinomial(n, m):
    expected = {}
    for counts in product(range(m + 1), repeat=n):
        if sum(counts) == m:
            ways = factorial(m)
            for count in counts:
                ways //= factorial(count)
            expected[counts] = Fraction(ways, n**m)
    assert law(lambda random: random.participants_with_replacement(n, m)) == rationals(expected)


def cohort(clients, times):
    """The law of presence and weights, of a number or of a list."""
    listed = times if isinstance(times, int) else np.array(times, dtype=object)
    return law(lambda random: np.concatenate(random.cohort(clients, listed), axis=1))


@given(st.data())
def test_cohorts_weigh_one_over_their_size(data):
    n = data.draw(st.integers(1, 4))
    times = data.draw(st.lists(st.tuples(*[st.integers(0, 2)] * n).filter(any), min_size=1))
    expected = Counter()
    for row in times:
        weights = tuple(Fraction(x, sum(row)) for x in row)
        expected[(*(int(x > 0) for x in row), *weights)] += Fraction(1, len(times))
    assert cohort(n, times) == rationals(expected)


@given(st.data())
def test_all_sets_of_a_size_are_participants_without_replacement(data):
    n = data.draw(st.integers(1, 4))
    m = data.draw(st.integers(1, n))
    every = [tuple(int(i in s) for i in range(n)) for s in combinations(range(n), m)]
    assert cohort(n, every) == cohort(n, m)


@given(st.integers(1, 3), st.integers(1, 3))
def test_all_draws_in_order_are_draws_with_replacement(n, m):
    every = [tuple(s.count(i) for i in range(n)) for s in product(range(n), repeat=m)]
    counts = law(lambda random: random.participants_with_replacement(n, m))
    found = cohort(n, every)
    assert {tuple(x * m for x in row[n:]): chance for row, chance in found.items()} == counts


@pytest.mark.parametrize(
    ("times", "told"),
    [
        ([(1, 0, 1)], "cohort is (1, 0, 1); expected for each of n = 2 clients"),
        ([(0, 0)], "cohort is (0, 0)"),
        ([(1, -1)], "cohort is (1, -1)"),
        ([(Fraction(1, 2), 1)], "times that a client is in a cohort is 1/2"),
        (3, "participants m is 3; expected between 1 and n = 2"),
    ],
)
def test_a_cohort_that_cannot_be_is_told(times, told):
    with pytest.raises(FedboundsError) as caught:
        cohort(2, times)
    assert told in str(caught.value)


@given(st.fractions(0, 1, max_denominator=7), st.integers(1, 3))
def test_bernoulli_is_binomial_and_a_sure_one_has_one_outcome(p, count):
    found = law(lambda random: random.bernoulli(p, count))
    for k in range(count + 1):
        total = sum(chance for row, chance in found.items() if sum(row) == k)
        assert total == comb(count, k) * p**k * (1 - p) ** (count - k)
    assert len(found) == (1 if p in (0, 1) else 2**count)


def test_signs_index_and_permutation():
    assert law(lambda random: random.signs(2)) == rationals(
        dict.fromkeys(product((-1, 1), repeat=2), Fraction(1, 4))
    )
    assert law(lambda random: random.index(3)) == {(i,): Fraction(1, 3) for i in range(3)}
    assert law(lambda random: random.permutation(3)) == dict.fromkeys(
        permutations(range(3)), Fraction(1, 6)
    )


def test_index_and_permutation_select_in_exact_runs():
    found, _ = every_draw(lambda random: {"i": random.index(2), "o": random.permutation(2)})
    values = np.array([fmpq(5), fmpq(7)], dtype=object)
    assert sorted(values[found["i"]].tolist()) == [5, 5, 7, 7]
    assert all(sorted(values[order].tolist()) == [5, 7] for order in found["o"])


def test_calls_are_independent_of_each_other():
    found, chances = every_draw(lambda r: {"a": r.bernoulli(fmpq(1, 3), 1), "b": r.index(3)})
    pairs = Counter()
    rows = zip(found["a"][:, 0], found["b"], chances, strict=True)
    for a, b, chance in rows:
        pairs[int(a.p), int(b)] += chance
    expected = {(a, b): fmpq(a + (1 - a) * 2, 9) for a in (0, 1) for b in range(3)}
    assert dict(pairs) == expected


@pytest.mark.parametrize(
    "ask",
    [
        lambda r: r.participants(2, 3),
        lambda r: r.participants(2, 0),
        lambda r: r.participants_with_replacement(2, 0),
        lambda r: r.bernoulli(fmpq(3, 2), 1),
        lambda r: r.bernoulli(fmpq(-1, 2), 1),
        lambda r: r.index(0),
    ],
)
def test_laws_that_do_not_exist_are_refused(ask):
    with pytest.raises(FedboundsError):
        law(ask)


def test_calls_that_depend_on_outcomes_are_refused():
    def first(random):
        if random.index(2)[0] == 1:
            random.index(3)
        return {"z": random.index(2)}

    def fewer(random):
        if random.index(2)[0] == 0:
            random.index(3)
        return {}

    def shaped(random):
        return {"z": random.signs(len(random.index(2)))}

    for draw in (first, fewer, shaped):
        with pytest.raises(FedboundsError, match="depend on outcomes"):
            every_draw(draw)


def test_too_many_outcomes_are_an_error_of_its_own():
    with pytest.raises(TooManyError, match="8192"):
        every_draw(lambda random: {"z": random.signs(13)})


@pytest.mark.parametrize(
    "ask",
    [
        lambda random: random.signs(3, 4, 2),
        lambda random: random.bernoulli(fmpq(1, 2), 40),
        lambda random: random.permutation(12),
        lambda random: random.participants(30, 15),
        lambda random: random.participants_with_replacement(9, 9),
    ],
)
def test_so_many_outcomes_are_refused_before_they_are_listed(ask):
    with pytest.raises(TooManyError, match="outcomes"):
        every_draw(lambda random: {"x": ask(random)})


@pytest.mark.parametrize("ask", [lambda r: r.signs(20_000), lambda r: r.permutation(5_000)])
def test_a_number_of_outcomes_with_thousands_of_digits_is_told_in_a_few_letters(ask):
    with pytest.raises(TooManyError, match=r"more than 2\*\*\d+ outcomes") as error:
        every_draw(lambda random: {"x": ask(random)})
    assert len(str(error.value)) < 100


def test_noise_counts_only_where_it_is_kept():
    kept = np.array([[[1, 0], [1, 1]]], dtype=object)
    loud = Clients(replace(quadratic(1, 2), noise=Noise(NoiseLaw.RADEMACHER, fmpq(1, 3), fmpq(0))))
    third = fmpq(1, 3)
    expected = {
        (a, fmpq(0), b, c): Fraction(1, 8) for a, b, c in product((-third, third), repeat=3)
    }
    assert law(lambda random: random.noise_on(loud, kept)) == expected
    silent = Clients(quadratic(1, 2))
    assert law(lambda random: random.noise_on(silent, kept)) == {(fmpq(0),) * 4: 1}
    wild = Clients(replace(quadratic(1, 2), noise=Noise(NoiseLaw.GAUSSIAN, fmpq(1), fmpq(0))))
    with pytest.raises(TooManyError, match="infinitely many"):
        law(lambda random: random.noise_on(wild, kept))
