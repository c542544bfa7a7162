"""Charts: every choice of parameters that meets the conditions lies in a branch; wrong ones fail."""

from dataclasses import replace
from fractions import Fraction

import pytest
from checker_theory import THEORY, branches_of, claim, prove, rational_root, slacks
from each import each
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fedbounds.theory.checker.errors import Refused

positive = st.fractions(Fraction(1, 9), 9, max_denominator=9)
counts = st.integers(1, 6)
LEAST = {"x": lambda v: min(v["x"], v["y"], 1 / v["K"]) / 3}
CHARTS = [  # conditions, chart, and how the parameters that have to fit are drawn
    ([], [], {}),
    ([], [("m", "integer", "1"), ("n", "integer", "m")], {}),
    (["K >= 2"], [("K", "above", "2")], {"K": lambda v: max(v["K"], 2)}),
    (["n >= m + 2"], [("n", "above", "m + 2")], {"n": lambda v: v["n"] + 2}),
    (["x <= 1/(2*K)"], [("x", "below", "1/(2*K)")], {"x": lambda v: min(v["x"], 1 / v["K"] / 2)}),
    # the same condition, multiplied
    (["2*K*x <= 1"], [("x", "below", "1/(2*K)")], {"x": lambda v: min(v["x"], 1 / v["K"] / 2)}),
    (["x <= Min(y, 1/K)/3"], [("x", "below", "y/3")], LEAST),
    (["x <= Min(y, 1/K)/3"], [("y", "split", "1/K"), ("x", "below", "1/(3*K)")], LEAST),
    (
        ["x >= 2*Max(y, K)"],
        [("x", "above", "2*y")],
        {"x": lambda v: v["x"] + 2 * max(v["y"], v["K"])},
    ),
    (["gamma == x*y"], [("x", "equal", "gamma/y")], {"gamma": lambda v: v["x"] * v["y"]}),
    (["x == 3"], [("x", "equal", "3")], {"x": lambda v: Fraction(3)}),
    ([], [("x", "split", "y + s")], {}),
    ([], [("x", "split", "1"), ("y", "split", "x"), ("K", "integer", "1")], {}),
    ([], [("x", "root", "3")], {"x": lambda v: v["y"] ** 3}),
    (["n <= 2*K"], [("n", "below", "2*K")], {"K": lambda v: v["n"] + v["m"]}),
    (
        ["x >= sqrt(y)"],
        [("y", "root", "2"), ("x", "above", "sqrt(y)")],
        {"y": lambda v: v["s"] ** 2, "x": lambda v: v["s"] + v["gamma"]},
    ),
    (
        [],
        [("m", "scaled", "1", "2"), ("n", "scaled", "m", "2")],
        {"m": lambda v: 4, "n": lambda v: 36},
    ),
    # s x + y is the square of s + x
    (
        [],
        [("s", "solve", "(s_**2 - y)/x", "s*x + y")],
        {"y": lambda v: v["s"] ** 2 + v["s"] * v["x"] + v["x"] ** 2},
    ),
]
FUNCTIONS = {"Max": max, "Min": min, "sqrt": lambda x: rational_root(x, 2)}


def holds(condition, values):
    return eval(condition, FUNCTIONS | values)


parameters = st.fixed_dictionaries(
    {name: counts for name in ("n", "m", "K", "T")}
    | {name: positive for name in ("x", "y", "gamma", "s")}
).map(lambda v: {name: Fraction(x) for name, x in v.items()})


@pytest.mark.parametrize("chart", CHARTS)
@settings(max_examples=10, deadline=None)
@given(values=parameters)
def test_parameters_that_meet_the_conditions_lie_in_a_branch(chart, values):
    conditions, rows, fitted = chart
    values = dict(values)
    for name, number in fitted.items():
        values[name] = number(values)
    values["n"] = max(values["n"], values["m"])
    assume(all(holds(c, values) for c in conditions))
    solved = {"s_": values["s"] + values["x"]}
    found = [slacks(branch, values, solved) for branch in branches_of(*rows, conditions=conditions)]
    assert any(point is not None for point in found)


def test_counts_that_are_left_out_are_at_least_one():
    (branch,) = branches_of()
    assert set(branch.reader.parameters) == {"n", "m", "K", "T"}
    assert not branch.reader.ratio("n - 2").nonnegative()


WRONG = [  # conditions, a chart that they do not justify
    ([], [("x", "above", "1")]),
    ([], [("x", "below", "1")]),
    ([], [("K", "above", "2")]),
    ([], [("n", "above", "m + 1")]),
    (["x >= 1"], [("x", "above", "2")]),
    (["x >= 1"], [("x", "below", "1")]),
    (["x <= 1"], [("x", "above", "1")]),
    (["x <= 1"], [("x", "below", "1/2")]),
    (["x*y <= 1"], [("x", "below", "y")]),
    (["x >= y", "x <= y"], [("x", "equal", "y")]),  # true, but no condition says so
    (["x**3 <= 2*x"], [("x", "below", "2")]),  # the same
    (["x**2 == y**2"], [("x", "equal", "-y")]),
    (["(x - 1)*(x - 2) >= 0"], [("x", "above", "1")]),  # or both are negative
    (["(x - 1)*(x - y) == 0"], [("x", "equal", "1")]),
    (["x >= Min(y, 1)"], [("x", "above", "y")]),
    (["x <= Max(y, 1)"], [("x", "below", "y")]),
    (["x >= Max(y, 1) - 2"], [("x", "above", "y")]),
    (["x <= 1/Min(y, 1)"], [("x", "below", "1/y")]),
    (["x >= 1/Max(y, 1)"], [("x", "above", "1/y")]),
    # not increasing in the larger of the two, though it is at 0, 1 and 2
    (["s >= ((Max(y, z) - 2)**2 - 7/2)**2 - 1/4"], [("s", "above", "((y - 2)**2 - 7/2)**2 - 1/4")]),
    (["x <= 1 - Min(y, 1)"], [("x", "below", "1 - y")]),
    ([], [("x", "above", "y"), ("y", "above", "0")]),
    (["x >= y"], [("x", "above", "y"), ("y", "split", "1")]),  # y comes later
    ([], [("x", "split", "y_"), ("y", "split", "1")]),
    ([], [("x", "split", "2**y"), ("y", "split", "1")]),  # inside a power
    ([], [("x", "split", "5*(1 + x_)")]),  # leaves out x < 5
    ([], [("x", "split", "2**x_")]),
    ([], [("x", "split", "x")]),
    ([], [("x", "split", "y - 1")]),
    ([], [("s", "split", "1")]),  # s = 0 has no place below
    ([], [("x", "integer", "1")]),
    ([], [("n", "integer", "2")]),
    ([], [("n", "integer", "K")]),
    (["n >= x"], [("n", "integer", "x")]),
    (["n >= m/2"], [("n", "integer", "m/2")]),
    ([], [("s", "root", "2")]),
    ([], [("x", "root", "0")]),
    ([], [("x", "root", "-2")]),
    ([], [("x", "scaled", "2", "2")]),
    ([], [("n", "scaled", "2", "2")]),
    ([], [("s", "scaled", "0", "2")]),
    ([], [("x", "solve", "5", "x_**2")]),  # says nothing of x
    ([], [("x", "solve", "x_**2 + 5", "x - 5")]),  # x may be less than 5
    ([], [("x", "solve", "x_**2/(1 + x_**2)**2", "x_**2")]),
    ([], [("x", "solve", "x_", "x")]),
    ([], [("x", "solve", "x_", "x**2 + y")]),
    ([], [("x", "solve", "1/x_", "1/x**2")]),  # not linear in x: asked to be
    ([], [("x", "solve", "x_**2*y", "x/y"), ("y", "split", "1")]),
    ([], [("t", "solve", "t_**2", "t")]),  # a round is no parameter
    (["t >= 1"], [("t", "above", "1")]),
    ([], [("x", "split", "t + 1")]),
    ([], [("K", "above", "k + 1")]),  # a slack that depends on the step
    ([], [("x", "split", "1"), ("x", "split", "2")]),
    ([], [("nobody", "split", "1")]),
    ([], [("x", "guess", "1")]),
    (["x_ >= 1"], []),
    (["f(0) >= 1"], []),
    (["k >= 1"], []),
    (["x < 1"], []),
    (["sq(u) <= 1"], []),
]  # fmt: skip


@each("conditions, chart", WRONG)
def test_wrong_charts_are_refused(conditions, chart):
    powers = {f"((2) / (1))**((1*{name}) / (1))": True for name in ("y", "x_")}
    with pytest.raises(Refused):
        branches_of(*chart, conditions=conditions, powers=powers)


def test_a_condition_may_be_multiplied_by_what_is_positive():
    for condition in ("x**2 <= 1", "(x - 1)*(y + 1) <= 0", "K - K*x >= 0"):
        branches_of(("x", "below", "1"), conditions=[condition])


def test_a_symbol_with_the_name_of_a_slack_is_refused():
    clash = replace(THEORY, symbols=THEORY.symbols | {"n_": "positive"})
    with pytest.raises(Refused, match="slack"):
        branches_of(theory=clash)


def test_with_wrong_charts_false_statements_would_follow():
    """x <= 1 is false; each of these charts would prove it."""
    for chart in (
        [("x", "below", "1")],
        [("x", "equal", "1")],
        [("x", "solve", "1", "x_**2")],
    ):
        with pytest.raises(Refused):
            prove(claim("x <= 1"), chart=chart)
    prove(claim("x <= 1", "x <= 1"), chart=[("x", "below", "1")])
