"""Induction and unrolling: what they prove, compared with sums; and how they might be misused."""

from dataclasses import replace
from fractions import Fraction

import pytest
from checker_theory import cite, claim, hypothesis, prove
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.theory.checker.errors import Refused

STEP = {"a": claim("f(t + 1) <= f(t) + x"), "b": claim("f(0) == 0"), "c": claim("f(1) <= x")}
LINEAR = claim("f(t) <= t*x")


def refused(match=None):
    return pytest.raises(Refused, match=match)


def induction(statement, premises, base, variable="t", earlier=STEP, **more):
    more = {"rule": "induction", "variable": variable, **more}
    prove(statement, *premises, earlier=earlier, base=base, **more)


def test_induction_over_rounds():
    induction(LINEAR, [cite("a"), hypothesis()], [cite("b")])
    from_one = claim("f(t) <= t*x", first=1)
    induction(from_one, [cite("a"), hypothesis()], [cite("c")])


def test_induction_over_steps():
    earlier = {"a": claim("h(t, k + 1) <= 2*h(t, k) + x"), "b": claim("h(t, 0) == 0")}
    bound = claim("h(t, k) <= (2**k - 1)*x")
    induction(bound, [cite("a"), hypothesis("2")], [cite("b")], "k", earlier)
    with refused("negative"):
        weaker = claim("h(t, k) <= (2**k - 2)*x")
        induction(weaker, [cite("a"), hypothesis("2")], [cite("b")], "k", earlier)
    with refused("negative"):
        induction(bound, [cite("a"), hypothesis("1")], [cite("b")], "k", earlier)


def test_an_induction_needs_its_base_where_it_starts():
    both = [cite("a"), hypothesis()]
    for statement, base in (
        (LINEAR, []),
        (LINEAR, [cite("c")]),  # at 1, of a statement from 0
        (replace(LINEAR, first=1), [cite("b")]),  # at 0, of a statement from 1
        (LINEAR, [hypothesis()]),
    ):
        with refused():
            induction(statement, both, base)
    with refused("base"):
        prove(LINEAR, *both, earlier=STEP, rule="induction", variable="t")


def test_steps_start_at_0_from_whatever_round_on():
    """First is a round: an induction over k that started there would leave out k = 0."""
    earlier = {"a": claim("h(t, k + 1) <= h(t, k)"), "b": claim("h(t, 1) <= x")}
    bound = claim("h(t, k) <= x", first=1)  # nothing is said of h(t, 0)
    with refused("negative"):
        induction(bound, [cite("a"), hypothesis()], [cite("b")], "k", earlier)


def test_an_induction_needs_its_step():
    for premises in ([hypothesis()], [cite("a")], [], [cite("a"), hypothesis("0")]):
        with refused():
            induction(LINEAR, premises, [cite("b")])
    for variable in ("x", "T", "n", "", "j"):
        with refused():
            induction(LINEAR, [cite("a"), hypothesis()], [cite("b")], variable)


def test_the_step_of_an_induction_uses_premises_at_t():
    earlier = {"a": claim("f(t) <= f(t - 1) + x", first=1), "b": claim("f(0) == 0")}
    with refused():  # at t + 1 it might be beyond T - 1
        at = (("t", "t + 1"),)
        induction(LINEAR, [cite("a", at=at), hypothesis()], [cite("b")], earlier=earlier)
    with refused():  # at t it is another inequality
        induction(LINEAR, [cite("a"), hypothesis()], [cite("b")], earlier=earlier)


def test_no_induction_over_what_vectors_satisfy():
    """u is the vector of one round: that |u|^2 <= f(t) says nothing of the next round's."""
    earlier = {"a": claim("sq(u) <= f(0)", scope="round"), "b": claim("f(t) <= f(t + 1)")}
    statement = claim("sq(u) <= f(t)", scope="round")
    with refused("vectors"):
        prove(statement, cite("b"), hypothesis(), earlier=earlier, rule="induction", variable="t",
              scope="round", base=[cite("a")])  # fmt: skip


def test_no_induction_under_a_condition_on_its_variable():
    earlier = {"a": claim("f(t + 1) <= f(t)", "t >= 3"), "b": claim("f(0) <= x")}
    with refused():
        induction(
            claim("f(t) <= x", "t >= 3"), [cite("a"), hypothesis()], [cite("b")], earlier=earlier
        )


# ---- unrolling

S = "((2)**({}) - 1)/((2) - 1)"
RECURSION = {"a": claim("B(t + 1) <= 2*B(t) + A(t)")}
SUM = f"{S.format('T')}*B(0) + {S.format('T - 1')}*Sum_t(A(t))"


def unroll(text, earlier=RECURSION, ratio="2", name="B", premise="a", **more):
    statement = claim(f"Sum_t({name}(t)) <= {text}", **more)
    prove(statement, cite(premise), earlier=earlier, rule="unroll", variable=name, origin=ratio)


@given(
    st.fractions(1, 4, max_denominator=4).filter(lambda r: r > 1),
    st.fractions(0, 5, max_denominator=4),
    st.lists(st.fractions(0, 5, max_denominator=4), min_size=1, max_size=6),
)
def test_the_bound_that_unrolling_gives_holds(ratio, start, added):
    """The largest B that satisfies the recursion, added up."""
    rounds, total, b = len(added), Fraction(0), start
    for y in added:
        total += b
        b = ratio * b + y

    def geometric(count):
        return (ratio**count - 1) / (ratio - 1)

    assert total <= geometric(rounds) * start + geometric(rounds - 1) * sum(added)


def test_unrolling():
    unroll(SUM)
    unroll(f"{SUM} + A(0)")
    unroll("(2**T - 1)*B(0) + (2**(T - 1) - 1)*Sum_t(A(t))")
    unroll("(2**T - 1)*B(0) + (2**(T - 1) - 1)*T*x", {"a": claim("B(t + 1) <= 2*B(t) + x")})
    unroll(SUM, {"a": claim("B(t) <= 2*B(t - 1) + A(t - 1)", first=1)})
    later = SUM.replace("Sum_t(A(t))", "(Sum_t(A(t)) - A(0) + A(T))")
    unroll(later, {"a": claim("B(t) <= 2*B(t - 1) + A(t)", first=1)})
    power = "(1 + 1/T)"
    unroll(
        f"T*({power}**T - 1)*B(0) + T*({power}**(T - 1) - 1)*Sum_t(A(t))",
        {"a": claim(f"B(t + 1) <= {power}*B(t) + A(t)")},
        ratio=power,
    )


@pytest.mark.parametrize(
    "text",
    [
        f"{S.format('T - 1')}*(B(0) + Sum_t(A(t)))",
        f"{S.format('T')}*B(0) + {S.format('T - 2')}*Sum_t(A(t))",
        f"({SUM})/2",
        "2**T*B(0)",
        f"{S.format('T - 1')}*Sum_t(A(t))",
        "T*B(0) + T*Sum_t(A(t))",
    ],
)
def test_an_unrolled_bound_that_is_too_small(text):
    with refused():
        unroll(text)


@pytest.mark.parametrize(
    ("recursion", "ratio"),
    [
        ("B(t + 1) <= 3*B(t) + A(t)", "2"),
        ("B(t + 1) <= 2*B(t) - A(t)", "2"),  # what is added is negative
        ("B(t + 1) <= 2*B(t) + f(t)", "2"),  # or may be
        ("B(t + 1) >= 2*B(t) + A(t)", "2"),
        ("B(t) <= 2*B(t - 1) + A(t)", "2"),  # of round 0 as well, where there is none before
        ("B(t + 2) <= 2*B(t + 1) + A(t)", "2"),
        ("B(t) <= 2*B(t) + A(t)", "2"),
        ("A(t + 1) <= 2*A(t)", "2"),
        ("B(t + 1) <= B(t) + A(t)", "1"),
        ("B(t + 1) <= x*B(t) + A(t)", "x"),  # x > 1 is not known
        ("B(t + 1) <= B(t)/2 + A(t)", "1/2"),
        ("B(t + 1) <= (t + 2)*B(t) + A(t)", "t + 2"),  # the factor grows
        ("B(t + 1) <= (1 + 2**t)*B(t) + A(t)", "1 + 2**t"),
        ("B(t + 1) <= 2*B(t) + t*A(t)", "2"),
        ("B(t + 1) <= 2*B(t) + Sum_i(g(t))", "2"),
    ],
)
def test_recursions_that_cannot_be_unrolled(recursion, ratio):
    bound = "(({r})**T - 1)/(({r}) - 1)*B(0) + (({r})**(T - 1) - 1)/(({r}) - 1)*Sum_t(A(t))"
    with refused():
        unroll(bound.format(r=ratio), {"a": claim(recursion)}, ratio)
    # nor with another bound
    with refused():
        unroll("2**T*(B(0) + Sum_t(A(t)) + Sum_t(f(t)))", {"a": claim(recursion)}, ratio)


def test_what_a_recursion_takes_away_is_not_added_up():
    """B(0) = 1, A = (0, 1, 0), T = 3: the sum is 1 + 2 + 3 = 6, and 7 B(0) - 3 is 4."""
    earlier = {"a": claim("B(t + 1) <= 2*B(t) - A(t)")}
    with refused("adds"):
        unroll(f"{S.format('T')}*B(0) - {S.format('T - 1')}*Sum_t(A(t))", earlier)


def test_an_unrolled_recursion_keeps_what_it_needs():
    for cited in (
        claim("B(t + 1) <= 2*B(t) + A(t)", "x <= 1"),
        claim("B(t + 1) <= 2*B(t) + A(t)", assumptions=("smooth",)),
        claim("B(t + 1) <= 2*B(t) + A(t)", first=1),
        claim("B(t) <= 2*B(t - 1) + A(t)", first=1),  # adds A(t + 1)
        claim("B(t + 1) <= 2*B(t) + A(t)", algorithm="twice"),
        claim("B(t + 1) <= 2*B(t) + sq(u)", scope="round"),
    ):
        with refused():
            unroll(SUM, {"a": cited})
    kept = {"a": claim("B(t + 1) <= 2*B(t) + A(t)", assumptions=("smooth",), algorithm="twice")}
    unroll(SUM, kept, assumptions=("smooth",), algorithm="twice")
    with refused("earlier step"):
        unroll(SUM, premise="z")


def test_what_is_unrolled_is_a_quantity():
    """f(t + 1) - B(t) at t + 1 is not f(t + 1) - B(t + 1)."""
    name = "f(t + 1) - B"
    earlier = {"a": claim(f"{name}(t + 1) <= 2*({name}(t)) + A(t)")}
    with refused("undeclared quantity"):
        unroll(SUM, earlier, name=name)
    with refused("one premise"):
        prove(
            claim(f"Sum_t(B(t)) <= {SUM}"),
            earlier=RECURSION,
            rule="unroll",
            variable="B",
            origin="2",
        )
