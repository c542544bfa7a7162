"""Equal sides at the start say nothing of a bound: they are left out of tightness, and counted."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kinds import exact, floats

from fedbounds.theory.language.claims import Condition, Part
from fedbounds.theory.language.symbols import F_0, G_u, G_v, L, n, t
from fedbounds.verify.decide.part import decide
from fedbounds.verify.decide.start import starts
from fedbounds.verify.search.closest import closest
from fedbounds.vocabulary import Index, Method, Relation, Verdict

# G_u(t) <= G_u(0) / 2^t + (n - 1) G_v(0): at t = 0 the sides are equal where n = 1
BOUND = Part(left=G_u(t), right=G_u(0) / 2**t + (n - 1) * G_v(0))
CHOSEN = Part(left=G_u(t), right=L / (t + 1), conditions=(Condition(L, ">=", F_0),))
positive = st.lists(st.integers(1, 9), min_size=3, max_size=3)


@pytest.mark.parametrize(
    ("part", "told"),
    [
        (BOUND, True),
        (CHOSEN, True),
        (replace(BOUND, first_round=1), False),
        (replace(BOUND, relation=Relation.EQUAL), False),
        (replace(BOUND, index=Index.RUN, left=G_u(0)), False),
        (replace(BOUND, left=G_u(t + 1)), False),  # of the first round, which has run
        (Part(left=G_u(t), right=G_v(t)), False),  # of two quantities: a start as good as any
        (replace(BOUND, right=2 * G_u(0)), False),
        (replace(CHOSEN, conditions=()), False),
        (replace(CHOSEN, conditions=(Condition(L, "<=", F_0),)), False),  # L is bounded from above
    ],
)
def test_what_is_equal_by_the_initial_value_is_read_off_the_formula(part, told):
    assert starts(part) is told


@given(positive, st.integers(1, 4))
def test_the_start_is_left_out_where_its_sides_are_equal(left, clients):
    for numbers, method in (
        (exact(left, left, n=clients), Method.RATIONAL),
        (floats(left, left, n=clients), Method.MOMENTS),
    ):
        found = decide(BOUND, numbers, method)
        rights = [left[0] / 2**at + (clients - 1) * left[0] for at in range(3)]
        told = [a / b for a, b in zip(left, rights, strict=True)][1 if clients == 1 else 0 :]
        held = found.verdict is not Verdict.VIOLATED and not found.candidate
        assert found.tightness == pytest.approx(min(max(told), 1.0) if held else max(told))
        assert found.idle == (1 if clients == 1 else 0)
        assert found.rounds == 3
        assert found.at != 0 or clients > 1


def test_a_run_of_its_start_alone_has_no_tightness_and_still_a_verdict():
    found = decide(BOUND, exact([2], [2], n=1), Method.RATIONAL)
    assert (found.verdict, found.tightness) == (Verdict.NOT_VIOLATED, None)
    assert (found.rounds, found.equal, found.idle) == (1, 1, 1)


@given(positive)
def test_equal_cases_are_counted(left):
    right = [left[0], left[1] + 1, left[2]]
    part = Part(left=G_u(t), right=G_v(t))
    assert decide(part, exact(left, right), Method.RATIONAL).equal == 2
    assert decide(part, floats(left, right), Method.MOMENTS).equal == 2
    same = Part(left=G_u(t), right=G_u(t))
    found = decide(same, exact(left, right), Method.RATIONAL)
    assert (found.equal, found.rounds) == (3, 3)


def test_what_holds_is_never_tighter_than_one():
    part = Part(left=G_u(t), right=G_v(t))
    found = decide(part, floats([1.0 + 1e-13], [1.0], 1e-12), Method.MOMENTS)
    assert (found.verdict, found.tightness) == (Verdict.UNDECIDED, 1.0)


def test_a_search_does_not_stop_at_the_start():
    found = closest(BOUND, floats([4.0, 1.0, 0.5], [1.0, 1.0, 1.0], n=1))
    assert (found.at, found.left, found.right) == (1, 1.0, 2.0)
    assert closest(BOUND, floats([4.0], [1.0], n=1)) is None
