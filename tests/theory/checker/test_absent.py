"""Where a block has dimension 0, what belongs to it may be chosen; nowhere else, and nothing else."""

from dataclasses import replace

import pytest
from checker_theory import THEORY, cite, claim, condition, prove

from fedbounds.theory.checker.data import Absent
from fedbounds.theory.checker.errors import Refused

FIRST = Absent("d", ("y", "s"), (("gamma", "==", "x*L"),), ("smooth",))
SECOND = Absent("e", ("x", "L"), (("gamma", "==", "y*z"),))
SYMBOLS = THEORY.symbols | {"d": "nonnegative", "e": "nonnegative"}
BLOCKS = replace(THEORY, symbols=SYMBOLS, absent=(FIRST, SECOND))
EARLIER = {"a": claim("f(t) <= (y + s)*A(t)", "y <= x"), "b": claim("f(t) <= A(t)", assumptions=("smooth",))}  # fmt: skip
CHOSEN = [("y", "equal", "x"), ("s", "equal", "0")]


def follows(statement, *premises, chart=CHOSEN, **more):
    prove(statement, *premises, earlier=EARLIER, theory=BLOCKS, chart=chart, **more)


def refused(match=None):
    return pytest.raises(Refused, match=match)


def test_a_step_size_of_an_absent_block_is_chosen():
    follows(claim("f(t) <= x*A(t)", "d == 0"), cite("a"))
    follows(claim("gamma <= x*L", "d == 0"), condition("3"), chart=[])
    follows(claim("f(t) <= A(t)", "d == 0"), cite("b"), chart=[])


@pytest.mark.parametrize("conditions", [(), ("d <= 0",), ("e == 0",), ("d == 1",), ("0 == d",)])
def test_only_where_the_block_is_absent(conditions):
    with refused("no condition says"):
        follows(claim("f(t) <= x*A(t)", *conditions), cite("a"))
    with refused():
        follows(claim("gamma <= x*L", *conditions), condition("3"), chart=[])
    with refused("assumes"):
        follows(claim("f(t) <= A(t)", *conditions), cite("b"), chart=[])


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("f(t) <= y*A(t)", ()),  # claimed for every y, also for y < x
        ("f(t) + y <= x*A(t) + y", ()),
        ("f(t) <= x*A(t)", ("y <= 1",)),
        ("f(t) <= x*A(t)", ("y <= x",)),
    ],
)
def test_what_the_statement_names_is_not_chosen(text, more):
    with refused("no condition says"):
        follows(claim(text, "d == 0", *more), cite("a"))


@pytest.mark.parametrize(
    "chart",
    [
        [("y", "equal", "x - 1"), ("s", "equal", "0")],
        [("y", "equal", "0"), ("s", "equal", "0")],  # a step size is positive
        [("y", "equal", "x"), ("s", "equal", "-1")],
        [("y", "below", "x"), ("s", "equal", "0")],
        [("y", "equal", "x"), ("x", "equal", "1")],
        [("y", "equal", "t + 1"), ("s", "equal", "0")],
        [("y", "equal", "2*y"), ("s", "equal", "0")],
    ],
)
def test_what_may_be_chosen(chart):
    with refused():
        follows(claim("f(t) <= x*A(t)", "d == 0"), cite("a"), chart=chart)


def test_vectors_are_those_of_the_parameters_as_they_are():
    with refused("no condition says"):
        follows(claim("f(t) <= x*A(t)", "d == 0"), cite("a"), scope="alike")
    with refused("assumes"):
        follows(claim("f(t) <= A(t)", "d == 0"), cite("b"), chart=[], scope="alike")


def test_no_two_blocks_are_absent_if_one_speaks_of_the_other():
    """gamma == x L holds without the first block; without the second, x and L are anything."""
    chart = [("x", "equal", "1/L"), ("gamma", "equal", "x*L")]
    with refused("no block is left"):
        follows(claim("gamma <= 1", "d == 0", "e == 0"), chart=chart)
