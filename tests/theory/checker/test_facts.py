"""Facts tried on numbers, and refused where they do not apply."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import exp
from random import Random

import numpy as np
import pytest
from checker_theory import ROUND
from finite_space import FiniteSpace
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.theory.checker.data import Scope
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.facts import FACTS

small = st.integers(-4, 4).map(Fraction)
rates = st.fractions(0, 6, max_denominator=5)


def stated(name, *arguments, scope=ROUND):
    return FACTS[name](scope, arguments)


def holds(statement, evaluate):
    """Whether numbers satisfy a fact, its side conditions taken for granted."""
    left, right = evaluate(statement.left), evaluate(statement.right)
    return left == right if statement.relation == "==" else left <= right


def number(text, **values):
    return eval(text, {"__builtins__": {}, "Fraction": Fraction} | values)


@given(rates, st.integers(1, 60))
def test_growth(rate, count):
    bound = Fraction(exp(rate)).limit_denominator(10**6) + Fraction(1, 10**5)
    statement = stated("growth", str(rate), "N", str(bound))
    assert statement.conditions == (("N", ">=", "1"),)
    left = number(statement.left.replace(f"({rate})", "rate"), N=Fraction(count), rate=rate)
    assert left <= bound


@given(rates.filter(bool))
def test_growth_needs_a_bound_of_at_least_the_exponential(rate):
    below = Fraction(exp(rate)).limit_denominator(10**6) - Fraction(1, 10**5)
    with pytest.raises(Refused):
        stated("growth", str(rate), "N", str(below))


@pytest.mark.parametrize(
    "arguments",
    [
        ("1", "N", "27/10"),  # e = 2.718...
        ("2", "N", "7"),
        ("-1", "N", "1"),
        ("9", "N", "100000"),
        ("1", "N", "3/0"),
        ("1/0", "N", "3"),
        ("²", "N", "9"),
        ("1.0", "N", "3"),
        ("x", "N", "3"),
        ("1", "N", "y"),
    ],
)
def test_growth_refuses(arguments):
    with pytest.raises(Refused):
        stated("growth", *arguments)


@given(st.integers(0, 6), st.integers(0, 6), st.fractions(Fraction(1, 5), 5, max_denominator=5))
def test_powers_grow_or_fall(a, b, base):
    name = "power_grows" if base >= 1 else "power_falls"
    statement = stated(name, "q", "a", "b")
    values = {"q": base, "a": min(a, b), "b": max(a, b)}
    assert all(_compare(*c, values) for c in statement.conditions)
    assert holds(statement, lambda text: number(text, **values))


@given(st.integers(0, 9), st.integers(0, 9))
def test_roots_grow(a, b):
    statement = stated("root_grows", "x", "y")
    values = {"x": min(a, b) ** 2, "y": max(a, b) ** 2, "sqrt": lambda x: Fraction(x**0.5)}
    assert all(_compare(*c, values) for c in statement.conditions)
    assert holds(statement, lambda text: number(text, **values))


@given(st.lists(st.integers(0, 9), min_size=2, max_size=4))
def test_each_is_between_the_extremes(numbers):
    names = "wxyz"[: len(numbers)]
    values = dict(zip(names, numbers, strict=True), Max=max, Min=min)
    for name in ("largest", "least"):
        assert holds(stated(name, *names), lambda text: number(text, **values))


@pytest.mark.parametrize("arguments", [("x",), ("x", "x"), ("x", "y) - (5"), ("x", "y z")])
def test_extremes_of_what_are_no_two_numbers_are_refused(arguments):
    for name in ("largest", "least"):
        with pytest.raises(Refused):
            stated(name, *arguments)


def _compare(left, relation, right, values):
    gap = number(right, **values) - number(left, **values)
    return gap >= 0 if relation == "<=" else gap <= 0


@given(*[small] * 3, st.integers(0, 99))
def test_smoothness_of_a_quadratic_function(a, b, c, seed):
    """f = a u^2/2 + c u v + b v^2/2: its blocks are Lipschitz with constants |a|, |b|, |c|."""
    space = FiniteSpace(2, 1, Random(seed))
    u, v, up, vp = (space.vector(("past", "i", "xi")) for _ in range(4))
    scope = replace(
        ROUND,
        gradients=(
            *(("gu", "u", "u", "v"), ("gup", "u", "up", "vp"), ("gum", "u", "up", "v")),
            *(("gv", "v", "u", "v"), ("gvp", "v", "up", "vp")),
        ),
    )
    values = {
        "u": u, "v": v, "up": up, "vp": vp, "gu": a * u + c * v, "gup": a * up + c * vp,
        "gum": a * up + c * v, "gv": c * u + b * v, "gvp": c * up + b * vp,
        "L": max(abs(a), abs(b), abs(c)),
    }  # fmt: skip
    for pair in (("gu", "gup"), ("gv", "gvp"), ("gu", "gum"), ("gum", "gup"), ("gu", "gu")):
        statement = stated("smooth", *pair, scope=scope)
        assert holds(statement, lambda text: space.evaluate(text, **values))
        assert statement.assumptions == ("smooth",)
    with pytest.raises(Refused, match="different blocks"):
        stated("smooth", "gu", "gv", scope=scope)
    with pytest.raises(Refused, match="no gradient"):
        stated("smooth", "u", "gv", scope=scope)


def test_smoothness_in_both_blocks_attains_its_factor():
    """u + v moved by 1 in both: (1 + 1)^2 = 2 (1 + 1)."""
    statement = stated("smooth", "p", "au")
    one = {"L": 1, "p": 2, "au": 0, "q": 1, "u": 0, "v": 1}
    two = replace(ROUND, gradients=(("p", "u", "q", "w"), ("au", "u", "u", "v")))
    moved = stated("smooth", "p", "au", scope=two)
    values = one | {"v": 0, "w": 1, "sq": lambda x: x * x}
    assert number(moved.left, **values) == number(moved.right, **values)
    assert statement.right == "L**2*(sq((q) - (u)))"  # v agrees


class Signs:
    """Independent signs, one for every client and step, by enumeration."""

    def __init__(self, clients, steps, random):
        self.outcomes = list(product((-1, 1), repeat=clients * steps))
        self.clients, self.steps = clients, steps
        # a difference: its own sign, times what may depend on earlier ones
        scale = {}
        self.noise = np.array(
            [
                [
                    [
                        scale.setdefault((i, k, signs[: i * steps + k]), random.randint(1, 3))
                        * signs[i * steps + k]
                        for k in range(steps)
                    ]
                    for i in range(clients)
                ]
                for signs in self.outcomes
            ],
            dtype=object,
        )

    def given(self, x, *sources):
        axes = tuple(at for at, name in enumerate(("xi", "i", "k")) if name not in sources)
        count = int(np.prod([self.noise.shape[at] for at in axes]))
        return (x * Fraction(1)).sum(axis=axes, keepdims=True) / count

    def sq(self, x):
        return Fraction((x * x).sum()) / x.size


@pytest.mark.parametrize("averaged", ["k", "ik"])
def test_means_of_martingale_differences(averaged):
    statement = stated("martingale", "Y", averaged)
    for clients, steps in ((1, 2), (2, 1), (2, 3), (3, 2)):
        space = Signs(clients, steps, Random(clients))
        values = {"Y": space.noise, "given": space.given, "sq": space.sq, "n": clients, "K": steps}
        names = {name: name for name in ROUND.sources}
        assert holds(statement, lambda text, at=values | names: Fraction(number(text, **at)))


@pytest.mark.parametrize(
    "arguments", [("p", "k"), ("Y", "i"), ("Y", "xi"), ("Y", ""), ("Z", "ik"), ("u", "k")]
)
def test_what_is_no_family_of_martingale_differences(arguments):
    """Z is the same for all clients: its mean over them is no smaller."""
    with pytest.raises(Refused):
        stated("martingale", *arguments)
    assert stated("martingale", "Z", "k").right == "sq(Z)/K"


def test_variance():
    statement = stated("variance", "Y")
    assert (statement.left, statement.relation, statement.right) == ("sq(Y)", "<=", "sigma2")
    assert statement.assumptions
    with pytest.raises(Refused):
        stated("variance", "p")


@given(st.integers(0, 99), st.sampled_from([2, 3]))
def test_dissimilarity(seed, n):
    """With b^2 the largest mean square over clients, at any point of the shared block."""
    space = FiniteSpace(n, 1, Random(seed))
    au = space.vector(("past", "i"))
    spread = space.given(au - space.given(au, "past"), "past", "i") ** 2
    bound = space.given(spread, "past").max()
    statement = stated("dissimilarity", "au")
    assert holds(statement, lambda text: space.evaluate(text, au=au, b2=bound))


def test_dissimilarity_needs_a_point_common_to_all_clients():
    own = replace(
        ROUND, gradients=(("p", "u", "p", "v"), ("au", "u", "u1", "v"), ("q", "v", "u", "v"))
    )
    for name, reason in (
        ("p", "differs"),
        ("au", "differs"),
        ("q", "shared block"),
        ("u", "shared"),
    ):
        with pytest.raises(Refused, match=reason):
            stated("dissimilarity", name, scope=own)


DESCENT = replace(
    ROUND,
    gradients=(("au", "u", "u", "v"), ("av", "v", "u", "v"), ("nu", "u", "u1", "v")),
    values=(("a", "u", "v"), ("b", "u1", "v"), ("c", "u", "v1"), ("d", "u1", "v1")),
)


@given(*[small] * 3, st.integers(0, 99))
def test_descent_lemma_on_a_quadratic_function(a, b, c, seed):
    space = FiniteSpace(2, 1, Random(seed))
    u, u1 = (space.vector(("past", "xi")) for _ in range(2))
    v, v1 = (space.vector(("past", "i", "xi")) for _ in range(2))

    def value(x, y):
        return a / 2 * space.sq(x) + c * space.ip(x, y) + b / 2 * space.sq(y)

    values = {
        "u": u, "v": v, "u1": u1, "v1": v1, "au": a * u + c * v, "av": c * u + b * v,
        "a": value(u, v), "b": value(u1, v), "c": value(u, v1), "d": value(u1, v1),
        "L": max(abs(a), abs(b), abs(c)),
    }  # fmt: skip
    for arguments in (("a", "b", "au"), ("a", "c", "av")):
        statement = stated("descent", *arguments, scope=DESCENT)
        assert holds(statement, lambda text: space.evaluate(text, **values))


@pytest.mark.parametrize(
    "arguments",
    [
        ("a", "b", "av"),  # the gradient in the block that stays
        ("a", "b", "nu"),  # the gradient at the end
        ("a", "d", "au"),  # both blocks move
        ("b", "a", "au"),  # from the other end
        ("c", "d", "au"),  # at another v
        ("a", "nowhere", "au"),
        ("a", "b", "u"),
    ],
)
def test_descent_refuses(arguments):
    with pytest.raises(Refused):
        stated("descent", *arguments, scope=DESCENT)


def test_descent_of_the_mean_objective_needs_the_mean_over_clients():
    with pytest.raises(Refused):
        stated("descent", "a", "b", "au", scope=replace(DESCENT, sources=("past", "S", "xi")))


@pytest.mark.parametrize("name", sorted(FACTS))
def test_wrong_numbers_of_arguments_prove_nothing(name):
    with pytest.raises((Refused, ValueError)):
        FACTS[name](Scope(), ("x", "y", "z", "x", "y"))
