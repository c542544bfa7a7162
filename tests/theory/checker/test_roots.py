"""Bounds by a root of a measured quantity, and means of norms: what proves them, and what not."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from checker_theory import ROUND, THEORY, cite, claim, fact, prove
from finite_space import FiniteSpace
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.theory.checker.data import Scope, Statement
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.facts import FACTS

ANY, NORM = "any_d", "given(sqrt(dot(v, v)))"
TANGENTS = {"a": claim("A(t) <= sqrt(B(t))")}
SUMMED = claim("Sum_t(A(t)) <= sqrt(T*Sum_t(B(t)))")
DEFINED = {
    "def A": claim(f"A(t) == {NORM}", scope="round"),
    "def B": claim("B(t) == sq(v)", scope="round"),
}
MEAN = [
    cite("def A"),
    cite("def B", f"-1/(2*{ANY})"),
    fact("mean_norm", "v", ANY, times=f"1/(2*{ANY})"),
]


def root(statement, *premises, earlier=TANGENTS, **more):
    prove(statement, *premises, earlier=earlier, **{"rule": "root", **more})


def refused(statement, *premises, match=None, **more):
    with pytest.raises(Refused, match=match):
        root(statement, *premises, **more)


def tangent(where, times="1", name="a", **more):
    return cite(name, times, arguments=(where,), **more)


def test_a_mean_of_norms_is_below_the_root_of_that_of_squares():
    root(claim("A(t) <= sqrt(B(t))"), *MEAN, earlier=DEFINED, scope="round")
    refused(claim("A(t) <= sqrt(B(t)/2)"), *MEAN, earlier=DEFINED, scope="round", match="negative")
    # at one d it is proved at this d alone
    once = [cite("def A"), cite("def B", "-1/2"), fact("mean_norm", "v", "1", times="1/2")]
    refused(claim("A(t) <= sqrt(B(t))"), *once, earlier=DEFINED, scope="round", match="negative")
    prove(claim("A(t) <= 1/2 + B(t)/2"), *once, earlier=DEFINED, scope="round")


def test_a_sum_of_roots_is_below_the_root_of_a_sum():
    root(SUMMED, tangent(f"{ANY}/T", over="t"))
    refused(SUMMED, tangent(ANY, over="t"), match="negative")
    refused(claim("Sum_t(A(t)) <= sqrt(Sum_t(B(t)))"), tangent(f"{ANY}/T", over="t"),
            match="negative")  # fmt: skip
    refused(SUMMED, tangent(f"2*{ANY}/T", over="t"), match="negative")
    root(claim("Sum_t(A(t)) <= sqrt(4*T*Sum_t(B(t)))"), tangent(f"{ANY}/(2*T)", "1", over="t"))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=6), st.fractions(Fraction(1, 9), 9))
def test_what_is_summed_is_so_of_numbers(squares, d):
    roots, count = [float(b) ** 0.5 for b in squares], len(squares)
    assert sum(roots) <= (count * sum(squares)) ** 0.5 + 1e-9
    assert sum(roots) <= float(d) / 2 + count * sum(squares) / (2 * float(d)) + 1e-9


def test_a_tangent_is_used_as_an_inequality_at_any_positive_number():
    prove(claim("A(t) <= x/2 + B(t)/(2*x)"), tangent("x"), earlier=TANGENTS)
    for below in ("A(t) <= x/2 + B(t)/(3*x)", "A(t) <= x/3 + B(t)/(2*x)", "A(t) == x/2 + B(t)/2"):
        with pytest.raises(Refused):
            prove(claim(below), tangent("x"), earlier=TANGENTS)
    for at in ("0", "-x", "x - y", "s", "B(t)", "A(t)", "1) + (x", "x_", "unknown"):
        with pytest.raises(Refused):
            prove(claim("A(t) <= 9 + 9*B(t)"), tangent(at), earlier=TANGENTS)
    with pytest.raises(Refused, match="at one number"):
        prove(claim("A(t) <= 1/2 + B(t)/2"), cite("a", arguments=("1", "1")), earlier=TANGENTS)


def test_a_bound_without_a_root_has_no_tangent_and_one_with_a_root_says_nothing_else():
    for plain in ("A(t) <= B(t)", "A(t) >= sqrt(B(t))", "A(t) == sqrt(B(t))", "A(t) <= x*sqrt(B(t))",
                  "A(t) <= sqrt(B(t)) + 1"):  # fmt: skip
        with pytest.raises(Refused, match="bounds by no root"):
            prove(claim("A(t) <= 1/2 + B(t)/2"), tangent("1"), earlier={"a": claim(plain)})
    with pytest.raises(Refused):
        prove(claim("A(t) <= 1/2 + B(t)/2"), cite("a"), earlier=TANGENTS)
    refused(claim("A(t) <= sqrt(B(t))"), cite("a"))
    for target in ("A(t) == sqrt(B(t))", "A(t) >= sqrt(B(t))", "A(t) <= B(t)"):
        refused(claim(target), tangent(ANY), match="no root")


def test_what_is_under_a_root_is_not_negative():
    earlier = {"a": claim("A(t) <= sqrt(f(t))")}
    refused(claim("A(t) <= sqrt(f(t))"), tangent(ANY), earlier=earlier, match="negative")
    root(claim("A(t) <= sqrt(B(t))"), tangent(ANY))
    refused(claim("A(t) <= sqrt(B(t) - 1)"), tangent(ANY), match="negative")


def test_of_the_number_nothing_else_is_known():
    ours = claim("A(t) <= sqrt(B(t))")
    bounded = {"b": claim(f"A(t) <= {ANY}/2 + B(t)/(2*{ANY})")}
    for theory in (
        replace(THEORY, symbols=THEORY.symbols | {ANY: "positive"}),
        replace(THEORY, quantities=THEORY.quantities | {ANY: True}),
        replace(THEORY, always=(*THEORY.always, (ANY, "<=", "1"))),
        replace(THEORY, scopes={"round": replace(ROUND, noises=(("Y", ANY),))}),
    ):
        refused(ours, tangent(ANY), theory=theory, match="spoken of elsewhere")
    refused(ours, cite("b"), earlier=bounded, match="spoken of elsewhere")
    small = claim("A(t) <= sqrt(B(t))", f"{ANY} <= 1")
    refused(small, tangent(ANY))
    refused(claim(f"A(t) <= sqrt({ANY}*B(t))"), tangent(ANY), match="not declared")
    for kind in ("split", "above", "equal", "integer", "root"):
        refused(ours, tangent(ANY), chart=[(ANY, kind, "1")])
    refused(ours, tangent(ANY), base=[tangent(ANY)], match="nothing else")
    # outside the rule it is no name
    with pytest.raises(Refused):
        prove(claim("A(t) <= 9 + 9*B(t)"), tangent(ANY), earlier=TANGENTS)


def test_premises_are_asked_for_as_ever():
    ours = claim("A(t) <= sqrt(B(t))")
    for more in ({"assumptions": ("smooth",)}, {"algorithm": "twice"}, {"first": 1},
                 {"conditions": (("x", "<=", "1"),)}):  # fmt: skip
        refused(ours, tangent(ANY), earlier={"a": replace(TANGENTS["a"], **more)})
    refused(ours, tangent(ANY), tangent(ANY, "0", name="b"),
            earlier=TANGENTS | {"b": TANGENTS["a"]}, match="multiplier is zero")  # fmt: skip
    refused(ours, tangent(ANY, "-1"))
    refused(claim("A(0) <= sqrt(B(0))"), tangent(ANY, at=(("t", "1"),)))
    root(claim("A(0) <= sqrt(B(0))"), tangent(ANY, at=(("t", "0"),)))


@pytest.mark.parametrize("text", [
    "given(sqrt(dot(v, u)))", "given(sqrt(dot(u, 2*u)))", "given(sqrt(sq(v)))",
    "given(sqrt(dot(v + u, v + u)))", "given(sqrt(dot(2*v, 2*v)))", "given(sqrt(dot(v)))",
    "given(sqrt(dot(present(v), present(v))))", "given(dot(v, v))", "sqrt(dot(v, v))",
    "given(sqrt(dot(v, v)), past)",
])  # fmt: skip
def test_of_one_vector_as_it_stands_there_is_a_norm(text):
    with pytest.raises(Refused):
        prove(claim(f"0 <= {text}", scope="round"), scope="round")


def test_a_norm_is_not_negative_and_belongs_to_its_vector():
    prove(claim(f"0 <= {NORM}", scope="round"), scope="round")
    for other in ("u", "given(v, past)"):
        text = f"{NORM} <= given(sqrt(dot({other}, {other})))"
        with pytest.raises(Refused, match="negative"):
            prove(claim(text, scope="round"), scope="round")
    with pytest.raises(Refused, match="summed"):
        root(SUMMED, tangent("1", over="t"), earlier={"a": claim(f"{NORM} <= sqrt(sq(v))",
             scope="round")}, scope="round")  # fmt: skip


@given(st.integers(0, 10**6), st.fractions(-9, 9))
def test_the_fact_is_so_of_numbers(seed, d):
    space = FiniteSpace(2, 1, Random(seed))
    x = space.vector(("past", "i"))
    assert 2 * d * space.ip(abs(x), 1 + space.zero()) <= d**2 + space.sq(x)
    assert FACTS["mean_norm"](Scope(), ("x", "d")) == Statement(
        "2*(d)*given(sqrt(dot(x, x)))", "<=", "(d)**2 + sq(x)"
    )


def test_the_fact_is_of_a_vector_and_a_number():
    for x, d in (("v) + 0*sq(v", "1"), ("v, v", "1"), ("", "1"), ("v", "A(t)"), ("v", "1) + (1")):
        with pytest.raises(Refused):
            prove(claim(f"{NORM} <= 1/2 + sq(v)/2", scope="round"),
                  fact("mean_norm", x, d, times="1/2"), scope="round")  # fmt: skip
