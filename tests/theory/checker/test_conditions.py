"""Conditions as premises, those of cited steps, and assumptions."""

import pytest
from checker_theory import cite, claim, condition, fact, prove

from fedbounds.theory.checker.errors import Refused

SMOOTH, NOISE = "smooth", "unbiased noise of bounded variance"


def refused(match=None):
    return pytest.raises(Refused, match=match)


def about(*texts, **more):
    """Earlier steps a, b, ..."""
    return {name: claim(text, **more) for name, text in zip("abc", texts, strict=False)}


def test_a_condition_as_a_premise():
    prove(claim("x*A(t) <= A(t)", "x <= 1"), condition("2", "A(t)"))
    with refused():
        prove(claim("A(t) <= x*A(t)", "x <= 1"), condition("2", "A(t)"))
    with refused():
        prove(claim("x*f(t) <= f(t)", "x <= 1"), condition("2", "f(t)"))


@pytest.mark.parametrize("position", ["9", "-1", "x", "2 7", "", "squared"])
def test_a_condition_that_is_not_there(position):
    with refused():
        prove(claim("x <= 1", "x <= 1"), condition(position))


def test_a_condition_is_squared_between_what_is_not_negative():
    prove(claim("x**2 <= y**2", "x <= y"), condition("2 squared"))
    prove(claim("x**2 >= 4", "x >= 2"), condition("2 squared"))
    with refused("negative"):
        prove(claim("x**2 <= 1", "-x <= 1"), condition("2 squared"))
    with refused("negative"):
        prove(claim("(x - 3)**2 <= 1", "x - 3 <= 1"), condition("2 squared"))
    with refused():
        prove(claim("x**2 <= y**2", "y <= x"), condition("2 squared"))


def test_an_argument_of_max_or_min_as_a_condition():
    prove(claim("x <= y", "x <= Min(y, 1)"), condition("2 1"))
    prove(claim("2*y <= x", "x >= 2*Max(y, 1)"), condition("2 1"))
    for text, given in (
        ("x <= y", "x <= Max(y, 1)"),
        ("y <= x", "x >= Min(y, 1)"),
        ("x <= y", "x <= y - Min(1, y)"),
    ):
        with refused():
            prove(claim(text, given), condition("2 1"))


def test_conditions_of_a_cited_step_hold_where_it_is_cited():
    earlier = {"a": claim("f(t) <= A(t)", "x <= 1")}
    prove(claim("f(t) <= A(t)", "x <= 1"), cite("a"), earlier=earlier)
    prove(
        claim("f(t) <= A(t)", "x <= 1/2"), cite("a"), earlier=earlier, chart=[("x", "below", "1/2")]
    )
    for conditions in ((), ("x >= 1",), ("x <= 2",), ("y <= 1",)):
        with refused("needs"):
            prove(claim("f(t) <= A(t)", *conditions), cite("a"), earlier=earlier)
    with refused("needs"):
        chart = [("x", "split", "1")]
        prove(claim("f(t) <= A(t)"), cite("a"), earlier=earlier, chart=chart)
    equal = {"a": claim("f(t) <= A(t)", "n == m")}
    with refused("needs"):
        prove(claim("f(t) <= A(t)"), cite("a"), earlier=equal)


def test_the_larger_of_two_bounds_is_met_by_meeting_both():
    largest = {"a": claim("f(t) <= A(t)", "x >= Max(y, z)")}
    least = {"a": claim("f(t) <= A(t)", "s <= Min(y, 2*z)")}
    wanted = "f(t) <= A(t)"
    prove(claim(wanted, "x >= y", "x >= z"), cite("a"), earlier=largest)
    prove(claim(wanted, "x >= Max(z, y, 1)"), cite("a"), earlier=largest)
    prove(claim(wanted, "s <= y", "s <= 2*z"), cite("a"), earlier=least)
    for conditions in (("x >= y",), ("x >= z",), (), ("x >= Min(y, z)",), ("x >= Max(y, 1)",)):
        with refused():
            prove(claim(wanted, *conditions), cite("a"), earlier=largest)
    for conditions in (("s <= y",), ("s <= y", "s >= 2*z"), ("s <= Max(y, 2*z)",)):
        with refused():
            prove(claim(wanted, *conditions), cite("a"), earlier=least)


@pytest.mark.parametrize(
    "given", ["k <= 3", "t >= 1", "f(0) <= 1", "sq(u) <= 1", "n_ <= 1", "x < 1"]
)
def test_conditions_are_on_parameters(given):
    """A condition in k or t would not hold at the other steps and rounds of a sum."""
    with refused():
        prove(claim("0 <= 1", given))
    with refused():
        prove(claim("f(t) <= A(t)"), cite("a"), earlier={"a": claim("f(t) <= A(t)", given)})
    with refused():
        prove(claim("f(t) <= A(t)", given), cite("a"), earlier={"a": claim("f(t) <= A(t)", given)})


def test_assumptions_are_inherited():
    earlier = about("f(t) <= A(t)", assumptions=(SMOOTH,))
    with refused("assumes"):
        prove(claim("f(t) <= A(t)"), cite("a"), earlier=earlier)
    prove(claim("f(t) <= A(t)", assumptions=(SMOOTH, NOISE)), cite("a"), earlier=earlier)
    with refused("assumes"):
        prove(claim("sq(Y) <= sigma2", scope="round"), fact("variance", "Y"), scope="round")
