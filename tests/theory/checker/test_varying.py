"""Counts that each round has its own of: what may be said of one round, and of no other."""

from dataclasses import replace

import pytest
from checker_theory import THEORY, cite, claim, condition, prove

from fedbounds.theory.checker.data import Premise
from fedbounds.theory.checker.errors import Refused

SIZES = replace(
    THEORY,
    symbols=THEORY.symbols | {"size": "varying"},
    always=(*THEORY.always, ("size", "<=", "n"), ("size", ">=", "m")),
)
HYPOTHESIS = Premise("hypothesis", "hypothesis", ("1",))


def proved(statement, *premises, **more):
    prove(statement, *premises, theory=SIZES, **more)


def refused(statement, *premises, match=None, **more):
    with pytest.raises(Refused, match=match):
        proved(statement, *premises, **more)


def test_it_stands_in_coefficients_and_lies_between_its_bounds():
    earlier = {"a": claim("A(t) <= B(t)/size(t)")}
    proved(claim("size(t)*A(t) <= B(t)"), cite("a", "size"), earlier=earlier)
    proved(claim("A(t) <= B(t)"), cite("a"), earlier=earlier)  # it is at least 1
    proved(claim("A(t) <= B(t)/m"), cite("a"), earlier=earlier, chart=[("size", "above", "m")])
    fewest = claim("B(t)/n <= B(t)/size(t)")
    proved(fewest, chart=[("size", "below", "n")])
    refused(claim("B(t)/m <= B(t)/size(t)"), chart=[("size", "below", "n")])
    refused(fewest, chart=[("size", "below", "m")], match="no condition says")
    proved(claim("size(t) <= n"), condition("2"))


def test_nothing_is_known_of_it_in_another_round():
    earlier = {"a": claim("A(t + 1) <= A(t)/size(t)")}
    back = (("t", "t - 1"),)
    for statement, at in (
        (claim("A(t) <= A(t - 1)/size(t)", first=1), back),
        (claim("A(t) <= A(t - 1)/size(t - 1)", first=1), back),
        (claim("A(1) <= A(0)/size(0)"), (("t", "0"),)),
    ):
        refused(statement, cite("a", at=at), earlier=earlier, match="where only that of the round")
    refused(claim("size(t + 1) <= n"), condition("2"), match="where only that of the round")


def test_it_is_no_constant_in_a_sum_over_rounds():
    earlier = {"a": claim("A(t) <= size(t)*B(t)"), "b": claim("A(t) <= B(t)")}
    for text in ("Sum_t(A(t)) <= size(t)*Sum_t(B(t))", "Mean_t(A(t)) <= size(t)*Mean_t(B(t))"):
        refused(claim(text), cite("a", over="t"), earlier=earlier, match="depends on the round")
    # nor does a chart make it one
    refused(claim("Sum_t(A(t)) <= n*Sum_t(B(t))"), cite("a", over="t"), earlier=earlier,
            chart=[("size", "below", "n")], match="depends on the round")  # fmt: skip
    refused(claim("Sum_t(size(t)*A(t)) <= size(t)*Sum_t(A(t))"), match="depends on the round")
    proved(claim("size(t)*Sum_t(A(t)) <= size(t)*Sum_t(B(t))"), cite("b", "size", over="t"),
           earlier=earlier)  # fmt: skip


def test_an_induction_over_rounds_is_of_statements_without_it():
    earlier = {"a": claim("A(t + 1) <= A(t)/size(t)")}
    more = {"rule": "induction", "variable": "t", "base": [], "earlier": earlier}
    refused(claim("A(t) <= A(0)/size(t)**t"), cite("a"), HYPOTHESIS, **more)
    proved(claim("A(t) <= A(0)"), cite("a"), HYPOTHESIS, **more)
    few = Premise("hypothesis", "hypothesis", ("1/m",))
    proved(claim("A(t) <= A(0)/m**t"), cite("a"), few, **more, chart=[("size", "above", "m")])


def test_an_unrolled_recursion_has_one_factor():
    earlier = {"a": claim("A(t + 1) <= (1 + size(t))*A(t)")}
    for factor in ("1 + size", "1 + size(t)"):
        refused(claim(f"Sum_t(A(t)) <= (({factor})**T - 1)/({factor} - 1)*A(0)"), cite("a"),
                rule="unroll", variable="A", origin=factor, earlier=earlier)  # fmt: skip


def test_no_condition_and_no_bound_names_it():
    refused(claim("A(t) <= size(t)*A(t)", "x <= size"), match="no parameter")
    refused(claim("A(t) <= size(t)*A(t)", "x <= size(t)"), match="no expression in parameters")
    refused(claim("A(t) <= A(t)"), chart=[("x", "above", "size")], match="not yet assigned")
    refused(claim("size <= n"), condition("2"), match="not declared")  # of which round is not said
    refused(claim("size(t, 0) <= n"), condition("2"), match="where only that of the round")


def test_it_is_a_name_like_others():
    for changed in (
        {"symbols": SIZES.symbols | {"n": "varying"}},
        {"symbols": SIZES.symbols | {"k": "varying"}},
        {"quantities": SIZES.quantities | {"size": True}},
    ):
        with pytest.raises(Refused):
            prove(claim("A(t) <= A(t)"), theory=replace(SIZES, **changed))
