"""False steps that one slip of the checker would let through: a sign, a bound, a missing word.

Each row was accepted by a copy of the checker with one change, and says what would have followed.
"""

from dataclasses import replace

import pytest
from checker_theory import THEORY, branches_of, cite, claim, condition, hypothesis, prove

from fedbounds.errors import FedboundsError
from fedbounds.theory.checker.check import check
from fedbounds.theory.checker.data import Certificate, Statement, Step
from fedbounds.theory.checker.errors import Refused

GIVEN = Certificate("given", origin="(1)")


def refused(match=None):
    return pytest.raises(Refused, match=match)


def named(*texts, **more):
    """Earlier steps a, b, ..."""
    return {name: claim(text, **more) for name, text in zip("abc", texts, strict=False)}


# ---- induction


def induction(statement, premises, base, variable="t", **more):
    prove(statement, *premises, base=base, rule="induction", variable=variable, **more)


@pytest.mark.parametrize(
    ("text", "variable"),
    [("x <= 1", "t"), ("x <= 1", "k"), ("f(0) <= 0", "t"), ("h(t, 0) <= 0", "k"), ("B(T) <= 0", "t")],
)  # fmt: skip
def test_the_hypothesis_is_no_base(text, variable):
    """What does not change from round to round follows from itself; it has to hold at 0 first."""
    with refused("hypothesis"):
        induction(claim(text), [hypothesis()], [hypothesis()], variable)
    with refused("negative"):
        induction(claim(text), [hypothesis()], [], variable)


def test_the_hypothesis_of_an_inequality_is_one():
    """f = (0, 2, ...) with f(t + 1) <= 2 - f(t): f(1) is not at most 1."""
    earlier = named("f(t + 1) <= 2 - f(t)", "f(0) <= 1", "f(t + 1) == f(t) + x")
    with refused("multiplier"):
        induction(claim("f(t) <= 1"), [cite("a"), hypothesis("-1")], [cite("b")], earlier=earlier)
    earlier["b"] = claim("f(0) == 0")
    equal = claim("f(t) == t*x")
    induction(equal, [cite("c"), hypothesis("1")], [cite("b")], earlier=earlier)
    with refused("equality"):
        earlier["c"] = claim("f(t + 1) <= f(t) + x")
        induction(equal, [cite("c"), hypothesis("1")], [cite("b")], earlier=earlier)


def test_an_induction_is_over_rounds_or_steps():
    """Of another index nothing is said of where it starts, or whether it goes by ones."""
    for name in ("t", "k", "j"):
        theory = replace(THEORY, symbols=THEORY.symbols | {name: "index"})
        statement, certain = claim(f"0 <= {name}"), [hypothesis()]
        if name == "j":
            with refused("index"):
                induction(statement, certain, [], name, theory=theory)
        else:
            induction(statement, certain, [], name, theory=theory)


def test_an_induction_is_over_an_index_and_no_parameter():
    """From t to t + 1 one gets to whole numbers only."""
    for name in ("t", "k"):
        theory = replace(THEORY, symbols=THEORY.symbols | {name: "positive"})
        with pytest.raises(FedboundsError):
            induction(claim(f"0 <= {name}"), [hypothesis()], [], name, theory=theory)


# ---- premises at other rounds


def test_a_given_round_is_given_from_whatever_round_the_statement_is():
    """f(0) <= A(0) is not claimed where f(t) <= A(t) is claimed from round 1 on."""
    earlier = {"a": claim("f(t) <= A(t)", first=1)}
    for target in (claim("f(0) <= A(0)", first=1), claim("f(0) <= A(0)")):
        with refused("round"):
            prove(target, cite("a", at=(("t", "0"),)), earlier=earlier)


def test_a_round_that_there_may_not_be():
    earlier = {"a": claim("f(t) <= A(t)")}
    for at, least in (("1", "2"), ("2", "3")):
        target, premise = claim(f"f({at}) <= A({at})", f"T >= {least}"), cite("a", at=(("t", at),))
        prove(target, premise, earlier=earlier, chart=[("T", "above", least)])
        with refused("may not be"):
            fewer = replace(target, conditions=(("T", ">=", at),))
            prove(fewer, premise, earlier=earlier, chart=[("T", "above", at)])


# ---- conditions


def test_an_equality_of_parameters_is_implied_by_no_inequality():
    """n == 1 is needed, and n >= 1 is known."""
    for needed in ("n == 1", "1 == n", "x == x + s", "x + s == x"):
        with refused("needs"):
            prove(claim("f(t) <= A(t)"), cite("a"), earlier={"a": claim("f(t) <= A(t)", needed)})
    prove(claim("f(t) <= A(t)"), cite("a"), earlier={"a": claim("f(t) <= A(t)", "x + s == s + x")})


@pytest.mark.parametrize(
    ("text", "given"),
    [("25 <= x**2", "x >= -5"), ("(y - 3)**2 <= x**2", "x >= y - 3"), ("9 <= x**2", "x >= -3")],
)
def test_both_sides_of_a_condition_that_is_squared_are_not_negative(text, given):
    """x = 1 is at least -5, and 1 is not at least 25."""
    with refused("negative"):
        prove(claim(text, given), condition("2 squared"))


def test_an_argument_of_a_bound_is_squared():
    prove(claim("x**2 <= y**2", "x <= Min(y, 1)"), condition("2 1 squared"))
    prove(claim("x**2 <= 1", "x <= Min(y, 1)"), condition("2 2 squared"))
    with refused("negative"):
        prove(claim("x**2 <= y**2", "x <= Min(y, 1)"), condition("2 2 squared"))


# a condition, and what its bound would say with one argument of Max or Min in its place
FALLING = [
    # y = 1, z = 1/9: s = 4 is at least 5 - Max(z, 1), and less than 5 - z
    ("s - 5 >= (y - 2)*Max(z, 1)", "s - 5 >= (y - 2)*z", "1"),
    ("s - 5 >= Max(z, 1)*(y - 2)", "s - 5 >= z*(y - 2)", "1"),
    ("s - 5 >= -2*Max(z, 1)", "s - 5 >= -2*z", "1"),
    ("s - 5 >= Max(z, 1)*(-2)", "s - 5 >= z*(-2)", "1"),
    ("s - 5 >= Max(z, 1)/(-2)", "s - 5 >= z/(-2)", "1"),
    ("s >= y*(2 - Max(z, 1))", "s >= y*(2 - z)", "1"),
    ("s >= (2 - Max(z, 1))*y", "s >= (2 - z)*y", "1"),
    ("s >= (2 - Max(z, 1))/y", "s >= (2 - z)/y", "1"),
    # z = 9: x = 1 is at most Min(z, 1), its inverse, and 2 - Min(z, 1)
    ("x <= (2 - Min(z, 1))/2", "x <= (2 - z)/2", "1"),
    ("x <= 2*(2 - Min(z, 1))", "x <= 2*(2 - z)", "1"),
    ("x <= 2 - Min(z, 1)", "x <= 2 - z", "1"),
    ("x - 2 <= -Min(z, 1)", "x - 2 <= -z", "1"),
    ("x <= 1/Min(z, 1)", "x <= 1/z", "1"),
    ("x <= 9/Min(z, 2*z)", "x <= 9/(2*z)", "2"),
    ("x <= Min(z, 1)**(-1)", "x <= z**(-1)", "1"),
]


@pytest.mark.parametrize(("given", "text", "option"), FALLING)
def test_a_bound_increases_in_the_part_that_is_taken_from_it(given, text, option):
    with refused():
        prove(claim(text, given), condition(f"2 {option}"))
    with refused("needs"):
        prove(claim("f(t) <= A(t)", given), cite("a"), earlier={"a": claim("f(t) <= A(t)", text)})


def test_a_chart_takes_no_part_of_a_bound_that_falls():
    given = "s - 5 >= (y - 2)*Max(z, 1)"
    with refused("no condition"):
        prove(claim("5 + (y - 2)*z <= s", given), chart=[("s", "above", "5 + (y - 2)*z")])


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("x <= 2*Min(y, 1)/z", "x <= 2*y/z"),
        ("x <= Min(y, 1)*z", "x <= y*z"),
        ("x <= z*(Min(y, 1)/2)", "x <= z*y/2"),
        ("s >= 3*x*Max(y, z)", "s >= 3*x*y"),
    ],
)
def test_a_positive_multiple_of_a_part_is_a_bound(given, text):
    prove(claim(text, given), condition("2 1"))


FOREIGN = ["t", "k", "f(0)", "sq(u)", "x(0)", "n_", "nobody"]


@pytest.mark.parametrize("foreign", FOREIGN)
@pytest.mark.parametrize("sides", [("{}", "1"), ("1", "{}"), ("x + y*{}", "2"), ("2", "x + y*{}")])
def test_conditions_are_on_parameters_on_either_side(foreign, sides):
    """Also of a given statement, and of one that is cited, where all would seem to be implied."""
    theory = replace(THEORY, quantities=THEORY.quantities | {"x": True})
    left, right = (side.format(foreign) for side in sides)
    for relation in ("<=", ">="):
        stated = Statement("f(t)", "<=", "A(t)", conditions=((left, relation, right),))
        with refused():
            check(theory, Step("s", stated, GIVEN), {})
        with refused():
            prove(replace(stated, left="0"), theory=theory)
    for trivial in ((foreign, "<=", foreign), ("0", "<=", f"0*{foreign}")):
        stated = Statement("f(t)", "<=", "A(t)", conditions=(trivial,))
        with refused():
            prove(claim("f(t) <= A(t)"), cite("a"), earlier={"a": stated}, theory=theory)
        with refused():
            recursion = replace(stated, left="B(t + 1)", right="2*B(t) + A(t)")
            unroll(SUM, recursion, theory=theory)


def test_given_statements_are_claimed_of_their_algorithm():
    for algorithm, scope in (("twice", "twice"), ("twice", "alike"), ("", "alike"), ("", "")):
        own = claim("f(t) <= A(t)", scope=scope, algorithm=algorithm)
        check(THEORY, Step("s", own, replace(GIVEN, scope=scope)), {})
        used = {"scope": scope, "earlier": {"a": own}}
        prove(own, cite("a"), **used)
        prove(replace(own, algorithm="twice"), cite("a"), **used)
    with refused("another algorithm"):
        check(
            THEORY, Step("s", claim("0 <= f(t)", scope="twice"), replace(GIVEN, scope="twice")), {}
        )


# ---- charts

NOT_COVERED = [  # conditions, and a chart that leaves out what meets them
    ([], [("x", "scaled", "1", "2")]),  # x < 1
    (["x >= 0"], [("x", "scaled", "0", "2")]),  # all but 0
    (["s >= 0"], [("s", "scaled", "0", "2")]),
    (["s == 0", "x >= s"], [("s", "equal", "0"), ("x", "scaled", "s", "2")]),
    ([], [("x", "solve", "0", "x + x_**2")]),  # x > 0
]
NOT_SHOWN = [  # bounds of unknown sign, or that come later; what is solved is not linear
    (["x >= s"], [("x", "scaled", "s", "2")]),
    ([], [("x", "solve", "x_", "x**2")]),
    (["x >= y - 1"], [("x", "above", "y - 1")]),
    (["n >= x - 1"], [("n", "above", "x - 1")]),
    (["x <= s"], [("x", "below", "s")]),
    (["x <= y - 1"], [("x", "below", "y - 1")]),
    ([], [("x", "split", "y_ + 1"), ("y", "split", "1")]),
]


@pytest.mark.parametrize(("conditions", "chart"), [*NOT_COVERED, *NOT_SHOWN])
def test_charts_that_may_leave_something_out_are_refused(conditions, chart):
    with refused():
        branches_of(*chart, conditions=conditions)


def test_what_would_follow_from_such_charts():
    for text, conditions, chart in (
        ("1 <= x", [], [("x", "scaled", "1", "2")]),
        ("x <= 0", ["x >= 0"], [("x", "scaled", "0", "2")]),
        ("s <= 0", ["s >= 0"], [("s", "scaled", "0", "2")]),
        ("x <= 0", [], [("x", "solve", "0", "x + x_**2")]),
    ):
        with refused():
            prove(claim(text, *conditions), chart=chart)


def test_charts_that_leave_nothing_out():
    for text, conditions, chart in (
        ("1 <= s + y", ["s >= 1 - y"], [("s", "above", "1 - y")]),  # s may be zero
        ("1/n <= 1", [], [("n", "scaled", "1", "2")]),
        ("1/x <= 1/x + 1/sqrt(x)", [], [("x", "root", "2")]),
        ("1/n <= 1/n + 1/sqrt(n)", [], [("n", "root", "2")]),
        # what is known of n and x while they are not assigned yet
        ("x <= 1", ["n*x <= n"], [("x", "below", "1"), ("n", "above", "1")]),
        ("1 <= x", ["z >= sqrt(y + 2)", "x >= 1"], [("x", "above", "1")]),
    ):
        prove(claim(text, *conditions), chart=chart)


def test_one_multiplier_is_that_of_every_branch():
    chart = [("x", "split", "1"), ("y", "split", "1")]
    earlier = named("f(t) <= A(t)")
    prove(claim("f(t) <= A(t)"), cite("a"), earlier=earlier, chart=chart)
    prove(claim("f(t) <= A(t)"), cite("a", ("1",) * 4), earlier=earlier, chart=chart)
    for times in (("1", "1"), ("1", "1", "1")):
        with refused("multipliers"):
            prove(claim("f(t) <= A(t)"), cite("a", times), earlier=earlier, chart=chart)


# ---- signs of quantities


@pytest.mark.parametrize("name", ["Bad", "AB", "A2"])
def test_a_quantity_has_the_sign_of_its_own_name(name):
    """Not that of a shorter one, A or B."""
    theory = replace(THEORY, quantities=THEORY.quantities | {name: False})
    for text in (f"0 <= {name}(t)", f"0 <= Sum_t({name}(t))", f"0 <= {name}(t + 1)"):
        with refused("negative"):
            prove(claim(text), theory=theory)
        prove(claim(text), theory=replace(theory, quantities=theory.quantities | {name: True}))


def test_what_is_never_negative():
    for text in ("Sum_ik(h(t, k))", "Sum_i(g(t))", "Sum_t(A(t))", "Mean_t(A(t))", "A(T)", "s"):
        prove(claim(f"0 <= {text}"))
    for text in ("sq(u)", "sq(given(p, past))", "sq(u) + 2*ip(u, v) + sq(v)"):
        prove(claim(f"0 <= {text}", scope="round"), scope="round", squares=SQUARE.get(text, ()))
    for text in ("ip(u, v)", "start", "-sq(u)", "sq(u) + ip(u, v)"):
        with refused("negative"):
            prove(claim(f"0 <= {text}", scope="round"), scope="round")


SQUARE = {"sq(u) + 2*ip(u, v) + sq(v)": [("1", "u + v")]}

# ---- unrolling

RECURSION = claim("B(t + 1) <= 2*B(t) + A(t)")
SUM = "Sum_t(B(t)) <= (2**T - 1)*B(0) + (2**(T - 1) - 1)*Sum_t(A(t))"


def unroll(text, recursion=RECURSION, **more):
    prove(claim(text) if isinstance(text, str) else text, cite("a"), earlier={"a": recursion},
          rule="unroll", variable="B", origin="2", **more)  # fmt: skip


@pytest.mark.parametrize(
    "recursion",
    [  # of something else, or of B in no next round
        claim("x <= 2*B(t - 1) + A(t - 1)", first=1),
        claim("A(t) <= 2*B(t - 1) + A(t - 1)", first=1),
        claim("B(0) <= 2*B(t - 1) + A(t - 1)", first=1),
        claim("A(t + 1) <= 2*B(t) + A(t)"),
        claim("B(t) <= 2*B(t - 1) + A(t - 1)"),  # of round 0 too, after no round
        claim("B(t + 1) <= 2*B(t) + A(t)", first=1),
        claim("B(t) >= 2*B(t - 1) + A(t - 1)", first=1),
    ],
)
def test_what_is_unrolled_bounds_the_next_round(recursion):
    with refused():
        unroll(SUM, recursion)


@pytest.mark.parametrize(
    "text",
    [
        SUM.replace("Sum_t(B(t))", "Sum_t(A(t))"),
        SUM.replace("Sum_t(B(t))", "T*B(T)"),
        SUM.replace("Sum_t(B(t))", "x"),
        SUM.replace("<=", ">="),
        SUM.replace("<=", "=="),
    ],
)
def test_what_unrolling_bounds_is_the_sum(text):
    with refused("not about the sum"):
        unroll(text)


def test_the_factor_of_a_recursion_is_the_one_that_is_named():
    more = f"{SUM} + 2**T*Sum_t(B(t)) + 2**T*B(T)"
    for text in ("3*B(t) + A(t)", "2*B(t) + B(t + 1) + A(t)", "2*B(t) + B(0) + A(t)"):
        with refused("factor"):
            unroll(f"{more} + 2**T*T*B(0)", claim(f"B(t + 1) <= {text}"))


def test_what_a_recursion_needs_may_be_met():
    needing = replace(RECURSION, conditions=(("x", "<=", "1"),), assumptions=("smooth",))
    unroll(claim(SUM, "x <= 1", assumptions=("smooth",), algorithm="twice"), needing)
    unroll(claim(SUM, "x <= 1/2", assumptions=("smooth",)), needing, chart=[("x", "below", "1/2")])
    for conditions, assumptions in (
        ((), ("smooth",)),
        (("x <= 2",), ("smooth",)),
        (("x <= 1",), ()),
    ):
        with refused():
            unroll(claim(SUM, *conditions, assumptions=assumptions), needing)


# ---- sums

EXACT = [  # what is summed over rounds, from which on, and the sum
    (0, "f(t)", "Sum_t(f(t))"),
    (0, "f(t + 1)", "Sum_t(f(t)) - f(0) + f(T)"),
    (0, "f(t + 2)", "Sum_t(f(t)) - f(0) - f(1) + f(T) + f(T + 1)"),
    (0, "x", "T*x"),
    (0, "f(T)", "T*f(T)"),
    (0, "f(0)", "T*f(0)"),
    (0, "Sum_t(f(t))", "T*Sum_t(f(t))"),
    (0, "Sum_i(g(0))", "T*Sum_i(g(0))"),
    (1, "f(t)", "Sum_t(f(t)) - f(0)"),
    (1, "f(t + 1)", "Sum_t(f(t)) - f(0) - f(1) + f(T)"),
    (1, "f(t - 1)", "Sum_t(f(t)) - f(T - 1)"),
    (1, "x", "(T - 1)*x"),
    (1, "f(T)", "(T - 1)*f(T)"),
]


@pytest.mark.parametrize(("first", "each", "total"), EXACT)
def test_a_sum_over_rounds_is_exact_at_its_ends(first, each, total):
    """One round more or less would make a false equality of a true one."""
    earlier = {"a": claim(f"A(t) == {each}", first=first)}
    left = "Sum_t(A(t)) - A(0)" if first else "Sum_t(A(t))"
    summed = cite("a", over="t")
    prove(claim(f"{left} == {total}", first=first), summed, earlier=earlier)
    for more in ("f(0)", "f(1)", "f(T)", "f(T - 1)", "f(T + 1)", "x", "A(0)", "A(T)", "f(t)"):
        for sign in "+-":
            with refused():
                prove(claim(f"{left} == {total} {sign} {more}"), summed, earlier=earlier)


@pytest.mark.parametrize("each", ["f(t - 1)", "f(t - 2)", "f(t + 1 - 2)"])
def test_there_is_no_round_before_the_first(each):
    """The sum of f(t - 1) is no sum of f(0), ..., f(T - 2): it begins at round -1."""
    earlier = {"a": claim(f"A(t) == {each}")}
    for total in ("Sum_t(f(t)) - f(T - 1)", "Sum_t(f(t)) - f(T - 1) + f(-1)", "Sum_t(f(t))"):
        with refused():
            prove(claim(f"Sum_t(A(t)) == {total}"), cite("a", over="t"), earlier=earlier)
        with refused():
            prove(claim(f"Sum_t({each}) == {total}"))


@pytest.mark.parametrize(
    ("over", "each", "total"),
    [
        ("i", "g(t)", "Sum_i(g(t))"),
        ("i", "f(t)", "n*f(t)"),
        ("i", "x", "n*x"),
        ("i", "Sum_ik(h(t, k))", "n*Sum_ik(h(t, k))"),
        ("ik", "h(t, k)", "Sum_ik(h(t, k))"),
        ("ik", "g(t)", "K*Sum_i(g(t))"),
        ("ik", "f(t)", "n*K*f(t)"),
        ("ik", "Sum_i(g(t))", "n*K*Sum_i(g(t))"),
    ],
)
def test_a_sum_over_clients_and_steps_is_exact(over, each, total):
    earlier = {"a": claim(f"A(t) == {each}")}
    left = "n*A(t)" if over == "i" else "n*K*A(t)"
    prove(claim(f"{left} == {total}"), cite("a", over=over), earlier=earlier)
    for wrong in (
        f"n*({total})",
        f"({total})/n",
        f"K*({total})",
        f"({total})/K",
        f"{total} + A(t)",
    ):
        with refused():
            prove(claim(f"{left} == {wrong}"), cite("a", over=over), earlier=earlier)


def test_a_round_or_a_step_is_the_same_however_it_is_written():
    for left, right in (
        ("f(t + T)", "f(T + t)"),
        ("f(1 + t)", "f(t + 1)"),
        ("f(T - 1 - t)", "f(T - t - 1)"),
        ("f(t - t)", "f(0)"),
        ("f(T - T + 1)", "f(1)"),
        ("h(t, k)", "h(t + 1 - 1, k)"),
    ):
        prove(claim(f"{left} == {right}"))
    for left, right in (
        ("f(t + 1)", "f(t - 1)"),
        ("f(T - t)", "f(t - T)"),
        ("f(t)", "f(-t)"),
        ("f(t + 2)", "f(t + 1)"),
        ("f(t + t)", "f(t)"),
        ("f(1)", "f(-1)"),
        ("h(t, k)", "h(k, t)"),
        ("f(x)", "f(y)"),
    ):
        with refused("negative"):
            prove(claim(f"{left} == {right}"))
