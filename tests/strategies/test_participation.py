"""Laws of participation: probabilities against closed forms; simplest ones are small."""

from fractions import Fraction
from math import prod

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from fedbounds import laws, strategies
from fedbounds.errors import FedboundsError

SHRUNK = settings(max_examples=2000, database=None, phases=(Phase.generate, Phase.shrink))


@given(strategies.participation_laws())
def test_probabilities_are_positive_and_add_up_to_one(law):
    assert all(chance > 0 for _, chance in law.sets)
    assert sum(chance for _, chance in law.sets) == 1
    assert len({chosen for chosen, _ in law.sets}) == len(law.sets)
    assert all(law.inclusion(i) == law.pair(i, i) > 0 for i in range(law.clients))


@given(n=st.integers(2, 6), data=st.data())
def test_inclusion_is_the_closed_form(n, data):
    m = data.draw(st.integers(1, n))
    law = strategies.without_replacement(n, m)
    pair = Fraction(m * (m - 1), n * (n - 1))
    assert (law.inclusion(n - 1), law.pair(0, n - 1)) == (Fraction(m, n), pair)
    again = strategies.with_replacement(n, min(m, 4))
    missed = Fraction(n - 1, n) ** min(m, 4)
    assert again.inclusion(0) == 1 - missed
    assert again.pair(0, 1) == 1 - 2 * missed + Fraction(n - 2, n) ** min(m, 4)


@given(st.lists(st.integers(1, 8).map(lambda x: Fraction(x, 8)), min_size=1, max_size=4))
def test_independent_clients(chances):
    law = strategies.bernoulli(tuple(chances))
    assert [law.inclusion(i) for i in range(law.clients)] == chances
    everyone = sum(chance for chosen, chance in law.sets if len(chosen) == law.clients)
    assert everyone == prod(chances)


@given(strategies.participation_laws())
def test_inverse_probabilities_are_unbiased_under_every_law(law):
    def weighted(vectors, chosen):
        return sum((vectors[i] / law.inclusion(i) for i in set(chosen)), vectors[0] * 0)

    n = law.clients
    check = dict(n=n, m=n, sets=law.sets, target=lambda v: v.sum(axis=0), exact=True)
    laws.unbiased_aggregation(weighted, **check)
    with pytest.raises(laws.LawBroken):
        laws.unbiased_aggregation(lambda v, chosen: 2 * weighted(v, chosen), **check)


def test_the_simplest_law_is_one_client_who_is_always_there():
    assert find(strategies.participation_laws(), lambda law: True, settings=SHRUNK) == (
        strategies.full(1)
    )
    skewed = find(
        strategies.participation_laws(),
        lambda law: law.inclusion(0) != law.inclusion(law.clients - 1),
        settings=SHRUNK,
    )
    assert skewed.clients == 2


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: strategies.without_replacement(2, 3),
            "participants m is 3; expected between 1 and n = 2",
        ),
        (lambda: strategies.with_replacement(10, 9), "number of sequences n\\^m is 1000000000"),
        (lambda: strategies.bernoulli((Fraction(0),)), "probability of client 0 is 0"),
        (lambda: strategies.full(0), "clients n is 0"),
        (lambda: strategies.participation_laws((3, 2)).example(), "clients is \\(3, 2\\)"),
    ],
)
@pytest.mark.filterwarnings("ignore::hypothesis.errors.NonInteractiveExampleWarning")
def test_bad_input_is_refused(build, message):
    with pytest.raises(FedboundsError, match=message):
        build()
