"""Recurrences found on exact values continue the run, and their sign is decided for every round."""

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from traced_runs import partial_training, square

from fedbounds.verify.measure.answers import Asked, by_moments
from fedbounds.verify.measure.recurrences import recurrence, sign
from fedbounds.verify.measure.unknowns import Refused

_small = st.fractions(min_value=-3, max_value=3, max_denominator=5).map(
    lambda x: fmpq(x.numerator, x.denominator)
)


def continued(coefficients, first, count):
    """The obvious way."""
    values = list(first)
    while len(values) < count:
        last = values[len(values) - len(first) :]
        values.append(sum((c * x for c, x in zip(coefficients, last, strict=True)), fmpq(0)))
    return values[:count]


@given(st.lists(st.tuples(_small, _small), min_size=1, max_size=5))
def test_what_is_found_continues_the_sequence(pairs):
    coefficients, first = zip(*pairs, strict=True)
    values = continued(coefficients, first, 24)
    found = recurrence(values[: 2 * len(first)], len(first))
    assert found.order <= len(first)
    assert continued(found.coefficients, found.first, 24) == values or not any(values)


@given(st.lists(st.tuples(_small, _small), min_size=1, max_size=4))
def test_the_sign_is_that_of_the_values(pairs):
    coefficients, first = zip(*pairs, strict=True)
    values = continued(coefficients, first, 60)
    negative = [t for t, value in enumerate(values) if value < 0]
    try:
        found = sign(recurrence(values[: 2 * len(first)], len(first)))
    except Refused:
        return
    if found.negative_at is None:
        assert not negative
    elif negative:
        assert found.negative_at == negative[0]
    else:
        assert found.negative_at >= 60


def test_a_run_satisfies_its_recurrence_long_after_what_it_was_found_on():
    subject = partial_training(tau=2, rounds=60)
    values = list(by_moments(subject, Asked(functions={"n": square})).series["n"])
    found = recurrence(values[:12], 6)
    assert continued(found.coefficients, found.first, 61) == values


def test_a_bound_that_fails_late_is_found_at_its_round():
    # 1/1000 + 1/2^t against 2^-(t + 1) + 1/500: negative only once 2^-t is below 1/500
    values = [fmpq(1, 2**t) - fmpq(1, 500) for t in range(4)]
    assert sign(recurrence(values, 2)).negative_at == 9


@pytest.mark.parametrize(
    ("value", "first"),
    [
        (lambda t: t, None),
        (lambda t: 5 - t, 6),
        (lambda t: t * t - 40 * t + 399, 20),  # negative at 20 alone
        (lambda t: t * t - 40 * t + 401, None),
        (lambda t: t * fmpq(3, 2) ** t - 5 * fmpq(5, 4) ** t * t**2, 1),
        (lambda t: 2**t - t**3 + 30, 4),
    ],
)
def test_roots_that_are_multiple_are_told_by_their_powers(value, first):
    values = [fmpq(value(t)) for t in range(16)]
    assert sign(recurrence(values, 8)).negative_at == first


def test_too_few_values_are_refused():
    with pytest.raises(Refused, match="needs 6"):
        recurrence([fmpq(1), fmpq(2), fmpq(4)], 3)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([1, -1, 1, -1], "dominates"),  # root -1
        ([0, 1, 0, 1, 0, 1], "dominates"),  # roots 1 and -1
    ],
)
def test_what_the_dominant_root_does_not_decide_is_open(values, reason):
    with pytest.raises(Refused, match=reason):
        sign(recurrence([fmpq(x) for x in values], len(values) // 2))
