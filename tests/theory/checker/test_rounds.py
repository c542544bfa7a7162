"""Premises at other rounds and steps, and summed: false statements that might seem to follow."""

from dataclasses import replace

import pytest
from checker_theory import cite, claim, prove

from fedbounds.theory.checker.errors import Refused


def refused(match=None):
    return pytest.raises(Refused, match=match)


def about(*texts):
    """Earlier steps a, b, ..."""
    return {name: claim(text) for name, text in zip("abc", texts, strict=False)}


def test_premises_at_other_rounds():
    earlier = {"a": claim("f(t + 1) <= f(t)"), "b": claim("f(t) <= A(t)", first=1)}
    later = claim("f(t) <= f(t - 1)", first=1)
    prove(later, cite("a", at=(("t", "t - 1"),)), earlier=earlier)
    prove(claim("f(1) <= f(0)"), cite("a", at=(("t", "0"),)), earlier=earlier)
    prove(claim("f(2) <= f(1)", "T >= 2"), cite("a", at=(("t", "1"),)), earlier=earlier,
          chart=[("T", "above", "2")])  # fmt: skip
    for statement, at in (
        (replace(later, first=0), "t - 1"),  # there is no round -1
        (claim("f(t + 2) <= f(t + 1)"), "t + 1"),  # nor a round T
        (claim("f(T + 1) <= f(T)"), "T"),
        (claim("f(2) <= f(1)"), "1"),  # nor round 1, if T is 1
        (claim("f(0) <= f(-1)"), "-1"),
        (claim("f(t + t + 1) <= f(t + t)"), "2*t"),
        (claim("f(1 - t) <= f(-t)"), "-t"),
        (claim("f(k + 1) <= f(k)"), "k"),
        (claim("f(t) <= f(t - 1)", first=1), "t-1)"),
    ):
        with refused():
            prove(statement, cite("a", at=(("t", at),)), earlier=earlier)
    with refused():
        prove(claim("f(t) <= A(t)"), cite("b"), earlier=earlier)
    with refused():
        prove(claim("f(0) <= A(0)"), cite("b", at=(("t", "0"),)), earlier=earlier)
    with refused():
        prove(
            claim("f(t - 1) <= A(t - 1)", first=1), cite("b", at=(("t", "t - 1"),)), earlier=earlier
        )


def test_a_cited_step_speaks_of_the_same_parameters():
    """f and A are measured at n clients: nothing is known of them at one."""
    earlier = about("f(t) <= n*x*A(t)")
    for name, value in (("n", "1"), ("x", "0"), ("T", "1"), ("gamma", "0"), ("u", "0")):
        with refused():
            prove(claim("f(t) <= x*A(t)"), cite("a", at=((name, value),)), earlier=earlier)


def test_premises_at_other_steps():
    earlier = about("h(t, k + 1) <= h(t, k)")
    prove(claim("h(t, 1) <= h(t, 0)"), cite("a", at=(("k", "0"),)), earlier=earlier)
    for statement, at in (
        (claim("h(t, k + 2) <= h(t, k + 1)"), "k + 1"),
        (claim("h(t, K + 1) <= h(t, K)"), "K"),
        (claim("h(t, k) <= h(t, k - 1)"), "k - 1"),
        (claim("h(t, t + 1) <= h(t, t)"), "t"),
        (claim("h(t, 2) <= h(t, 1)"), "1"),
    ):
        with refused():
            prove(statement, cite("a", at=(("k", at),)), earlier=earlier)


def test_vectors_of_another_round():
    """value "end" less "start" is the step from t to t + 1, in round t alone."""
    earlier = {
        "a": claim("f(t + 1) - f(t) == end - start", scope="round"),
        "b": claim("A(t) == sq(u)", scope="round"),
    }
    second = claim("f(t + 1) - f(t) == f(t) - f(t - 1)", first=1)
    with refused("another round"):
        prove(
            second, cite("a"), cite("a", "-1", at=(("t", "t - 1"),)), earlier=earlier, scope="round"
        )
    with refused("another round"):
        prove(claim("A(t) == A(0)"), cite("b"), cite("b", "-1", at=(("t", "0"),)), earlier=earlier,
              scope="round")  # fmt: skip
    with refused("vectors"):
        prove(claim("f(T) - f(0) == T*(end - start)", scope="round"), cite("a", over="t"),
              earlier=earlier, scope="round")  # fmt: skip
    with refused("vectors"):
        prove(claim("Sum_t(A(t)) == T*sq(u)", scope="round"), cite("b", over="t"), earlier=earlier,
              scope="round")  # fmt: skip


def test_sums_over_rounds():
    earlier = {
        "a": claim("f(t + 1) <= f(t) - A(t) + x"),
        "b": claim("f(t) <= A(t)", first=1),
        "c": claim("B(t) == Sum_i(g(t))"),
        "d": claim("B(t) <= t*A(t)"),
        "e": claim("B(t) <= 2**t*A(t)"),
    }
    telescoped = "Sum_t(A(t)) <= f(0) - f(T) + T*x"
    prove(claim(telescoped), cite("a", over="t"), earlier=earlier)
    prove(claim("Sum_t(f(t)) - f(0) <= Sum_t(A(t)) - A(0)"), cite("b", over="t"), earlier=earlier)
    for text, name in (
        ("Sum_t(A(t)) <= f(0) - f(T)", "a"),  # x forgotten
        ("Sum_t(A(t)) <= f(0) - f(T - 1) + T*x", "a"),
        ("Sum_t(A(t)) <= f(0) - f(T) + (T - 1)*x", "a"),
        ("Sum_t(f(t)) <= Sum_t(A(t))", "b"),  # not claimed at 0
        ("Sum_t(B(t)) == T*Sum_i(g(t))", "c"),
        ("Sum_t(B(t)) <= t*Sum_t(A(t))", "d"),
        ("Sum_t(B(t)) <= 2**t*Sum_t(A(t))", "e"),
    ):
        with refused():
            prove(claim(text), cite(name, over="t"), earlier=earlier)
    for at in ("t + 1", "t - 1", "0", "1", "2*t"):
        with refused("summed over the same"):
            prove(claim(telescoped), cite("a", over="t", at=(("t", at),)), earlier=earlier)
    with refused("unknown sum"):
        prove(claim(telescoped), cite("a", over="j"), earlier=earlier)


def test_a_slack_that_depends_on_the_round_is_no_constant():
    """With x = t + 1 + x_, the coefficient x - t reads 1 + x_: it would pass for a constant."""
    earlier = about("B(t) <= (x - t)*A(t)", "B(t) <= (K - k)*A(t)")
    with refused():
        prove(claim("Sum_t(B(t)) <= (x - t)*Sum_t(A(t))"), cite("a", over="t"), earlier=earlier,
              chart=[("x", "split", "t + 1")])  # fmt: skip
    with refused():
        prove(claim("n*K*B(t) <= n*K*(K - k)*A(t)"), cite("b", over="ik"), earlier=earlier,
              chart=[("K", "above", "k + 1")])  # fmt: skip


def test_sums_over_clients_and_steps():
    earlier = {
        "a": claim("h(t, k) <= x*g(t) + A(t)"),
        "b": claim("g(t) <= A(t)"),
        "c": claim("h(t, k) <= 2**k*g(t)"),
        "d": claim("h(t, k) <= k*g(t)"),
        "e": claim("A(t) == sq(u)", scope="round"),
        "f": claim("A(t) <= Sum_t(g(t))"),
    }
    whole = "Sum_ik(h(t, k)) <= x*K*Sum_i(g(t)) + n*K*A(t)"
    prove(claim(whole), cite("a", over="ik"), earlier=earlier)
    prove(claim("Sum_i(g(t)) <= n*A(t)"), cite("b", over="i"), earlier=earlier)
    for text, name, over in (
        ("Sum_ik(h(t, k)) <= x*Sum_i(g(t)) + n*K*A(t)", "a", "ik"),
        ("Sum_ik(h(t, k)) <= x*K*Sum_i(g(t)) + K*A(t)", "a", "ik"),
        ("Sum_i(h(t, k)) <= x*Sum_i(g(t)) + n*A(t)", "a", "i"),
        ("Sum_i(g(t)) <= A(t)", "b", "i"),
        ("Sum_ik(h(t, k)) <= 2**k*K*Sum_i(g(t))", "c", "ik"),
        ("Sum_ik(h(t, k)) <= k*K*Sum_i(g(t))", "d", "ik"),
        ("n*A(t) == sq(u)", "e", "i"),
        ("n*A(t) <= n*Sum_t(g(t))", "f", "i"),
    ):
        with refused():
            prove(claim(text), cite(name, over=over), earlier=earlier)
    with refused("summed over the same"):
        prove(claim(whole), cite("a", over="ik", at=(("k", "0"),)), earlier=earlier)


def test_sums_in_statements_keep_their_factors():
    for text in (
        "Sum_i(2*g(t)) == Sum_i(g(t))",
        "Sum_i(-g(t)) >= 0",
        "Sum_i(-3) >= 0",
        "Sum_ik(h(t, k) - g(t)) >= 0",
        "Sum_t(Sum_i(g(t))) == T*Sum_i(g(t))",
        "Sum_t(f(t)) >= 0",
        "Sum_i(f(t)) >= 0",
    ):
        with refused():
            prove(claim(text))
    prove(claim("Sum_i(2*g(t)) >= Sum_i(g(t))"))
    prove(claim("Sum_t(A(t)) >= 0"))
