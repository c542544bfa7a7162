"""Parts that hold for ever, that fail late, and those of which nothing is said."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from traced_runs import partial_training, scalar, square

from fedbounds.theory.language.claims import Part
from fedbounds.theory.language.symbols import D_W, Max_t, Mean_t, Sum_t, T, sigma2, t
from fedbounds.verify.measure.answers import Asked, by_moments
from fedbounds.verify.measure.evaluate import Numbers, evaluate
from fedbounds.verify.measure.every_round import holds_forever
from fedbounds.verify.measure.unknowns import Refused
from fedbounds.vocabulary import Index, Relation

c = sp.Symbol("c", positive=True)
HALF, QUARTER = sp.Rational(1, 2), sp.Rational(1, 4)


def runs(subject, **constants):
    """Numbers of runs of any length, measured once."""
    exact = by_moments(replace(subject, rounds=60), Asked(functions={"n": square})).series["n"]
    known = {name: fmpq(x) for name, x in constants.items()}

    def numbers(length):
        series = {"D_W": exact[: length + 1]}
        return Numbers({**known, "T": fmpq(length)}, series, lambda p, q: fmpq(p, q))

    return numbers


def halved(noise=0):
    """x+ = x/2, with a sign times the noise added: x^2 falls by 4 a round to 4/3 noise^2."""

    def draw(random, problem, p):
        return {"e": random.signs(1)}

    return scalar(
        lambda problem, p, state, drawn: {"x": state["x"] / 2 + drawn["e"] * noise},
        draw=draw,
        start=8,
    )


def part(left, right, index=Index.ROUND, **more):
    return Part(left=left, right=right, index=index, **more)


NOISY = runs(halved(fmpq(1)), c=1)
QUIET = runs(halved(), c=1)


@pytest.mark.parametrize(
    ("one", "first"),
    [
        (part(D_W(t + 1), D_W(t) / 4 + c), None),
        (part(D_W(t + 1), D_W(t) / 4 + c / 2), 0),
        (part(D_W(t + 1), D_W(t) / 3), 2),
        (part(D_W(T), QUARTER**T * D_W(0) + 4 * c / 3, Index.RUN), None),
        (part(D_W(T), HALF**T * D_W(0) + c, Index.RUN), 8),
        (part(Sum_t(D_W(t)), 84 + 2 * T * c, Index.RUN), None),
        (part(Sum_t(D_W(t)), 84 + T * c, Index.RUN), 4),
        (part(Mean_t(D_W(t)), 64 / T + 2 * c, Index.RUN), 2),
    ],
)
def test_where_a_part_fails_first_is_where_its_values_say(one, first):
    found = holds_forever(one, NOISY, 2)
    whole, gap = one.index is Index.RUN, one.right - one.left
    if whole:
        signs = {length: evaluate(gap, NOISY(length)) < 0 for length in range(1, 59)}
    else:
        signs = dict(enumerate(evaluate(gap, NOISY(59), range(58)) < 0))
    broken = [at for at, negative in signs.items() if negative]
    assert found.negative_at == first
    assert (broken[0] if broken else None) == first


def test_a_part_that_fails_after_hundreds_of_rounds_is_found_from_a_few():
    # 64/4^T against 64 (99/100)^T - tiny: holds until (99/100)^T falls below tiny/64
    tiny = sp.Rational(1, 10**3)
    one = part(D_W(T) + tiny, sp.Rational(99, 100) ** T * 65, Index.RUN)
    found = holds_forever(one, QUIET, 2)
    assert found.negative_at == 1103
    exact = [
        65 * fmpq(99, 100) ** n - fmpq(64) / fmpq(4) ** n - fmpq(1, 1000) for n in (1102, 1103)
    ]
    assert exact[0] >= 0 > exact[1]


@given(start=st.integers(1, 9), factor=st.fractions(0, 2, max_denominator=4))
def test_the_answer_is_that_of_long_runs(start, factor):
    def step(problem, p, state, drawn):
        return {"x": state["x"] * fmpq(factor.numerator, factor.denominator)}

    numbers = runs(scalar(step, start=start), c=5)
    one = part(D_W(t), c)
    try:
        found = holds_forever(one, numbers, 2)
    except Refused:
        assert factor in (0, 1)  # a gap without a leading part
        return
    gap = evaluate(one.right - one.left, numbers(59), range(59))
    broken = np.flatnonzero([x < 0 for x in gap])
    if len(broken):
        assert found.negative_at == broken[0]
    else:
        assert found.negative_at is None or found.negative_at >= 59


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (part(D_W(t), c, relation=Relation.EQUAL), "only bounds with <="),
        (part(D_W(t), c, Index.CLIENT), "only bounds with <="),
        (part(Max_t(D_W(t)), c, Index.RUN), "no linear recurrence"),
        (part(D_W(T), c / (T + 1), Index.RUN), "no linear recurrence"),
        (part(D_W(t), c * T), "whole run"),
        (part(D_W(T) ** 2 * sigma2, D_W(T) ** 9, Index.RUN), "order up to"),
    ],
)
def test_what_is_no_recurrence_is_refused(one, reason):
    with pytest.raises(Refused, match=reason):
        holds_forever(one, NOISY, 2)


def test_a_run_with_a_square_root_in_its_bound_is_refused():
    with pytest.raises(Refused):
        holds_forever(part(D_W(T), sp.sqrt(T) * c, Index.RUN), NOISY, 2)


def test_moments_of_a_larger_state_are_followed():
    numbers = runs(partial_training(tau=2), c=30)
    assert holds_forever(part(D_W(t), c), numbers, 6).negative_at is None
    assert holds_forever(part(c / 60, D_W(t)), numbers, 6).negative_at is None
    assert holds_forever(part(c / 45, D_W(t)), numbers, 6).negative_at is not None
