"""What the checker accepts holds at random numbers: right - left is no less than what is combined.

Both sides, premises, multipliers and squares are evaluated by Python and by enumeration, at numbers
that need not satisfy the premises; only then does an accepted combination prove anything.
"""

from fractions import Fraction
from random import Random

import pytest
from checker_theory import ROUND, THEORY, cite, claim, prove
from finite_space import FiniteSpace
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.theory.checker.errors import Refused

weights = st.sampled_from(["0", "1", "2", "x", "1/x", "n", "n - 1", "x - 1", "s", "-1", "1 - s/2"])
places = ["f(t)", "f(t + 1)", "A(t)", "B(0)", "1"]
vectors = ["u", "v", "p", "p - given(p, past)", "given(p, past, i) - v", "w"]
linear = st.dictionaries(st.sampled_from(places), weights, max_size=3).map(
    lambda terms: " + ".join(f"({w})*{q}" for q, w in terms.items()) or "0"
)
relations = st.sampled_from(["<=", ">=", "=="])
statements = st.tuples(linear, relations, linear)
numbers = st.fractions(Fraction(1, 4), 4, max_denominator=4)
counts = {"n": st.integers(1, 4), "s": st.one_of(st.just(Fraction(0)), numbers), "x": numbers}
parameters = st.fixed_dictionaries(counts)


def model(seed, values):
    """Numbers for all quantities: f of either sign."""
    random = Random(seed)
    table = {}

    def quantity(name, low):
        return lambda t: table.setdefault((name, t), Fraction(random.randint(low, 9), 3))

    own = {"f": quantity("f", -9), "A": quantity("A", 0), "B": quantity("B", 0), "t": 3}
    return own | {name: Fraction(x) for name, x in values.items()}


def gap(sides, at):
    left, relation, right = (
        side if side in ("<=", ">=", "==") else _number(side, at) for side in sides
    )
    return left - right if relation == ">=" else right - left


def _number(text, at):
    return eval(text, {"__builtins__": {}}, at)


@given(
    statements, st.lists(st.tuples(statements, weights), max_size=3), parameters, st.integers(0, 99)
)
def test_an_accepted_combination_is_one(target, premises, values, seed):
    judge(target, premises, values, seed)


@given(
    st.lists(st.tuples(statements, weights), min_size=1, max_size=3),
    st.sampled_from(["0", "A(t)", "x*B(0)", "s", "1", "-A(t)", "-s", "(x - 1)*A(t)", "f(t)", "-1"]),
    st.sampled_from(["<=", "=="]),
    parameters,
    st.integers(0, 99),
)
def test_what_is_made_to_follow_holds_or_is_refused(premises, more, relation, values, seed):
    """The statement is the combination itself, and something more."""
    rows = [
        f"({times})*(({right}) - ({left}))" if r != ">=" else f"({times})*(({left}) - ({right}))"
        for (left, r, right), times in premises
    ]
    judge(("0", relation, " + ".join([*rows, f"({more})"])), premises, values, seed)


def judge(target, premises, values, seed):
    """Whether the checker accepts; then the numbers have to agree."""
    earlier = {f"p{i}": claim(" ".join(row)) for i, (row, _) in enumerate(premises)}
    cited = [cite(f"p{i}", times) for i, (_, times) in enumerate(premises)]
    try:
        prove(claim(" ".join(target)), *cited, earlier=earlier)
    except Refused:
        return False
    at = model(seed, values)
    taken = 0
    for sides, times in premises:
        number = _number(times, at)
        assert number >= 0 or sides[1] == "=="
        assert target[1] != "==" or number == 0 or sides[1] == "=="
        taken += number * gap(sides, at)
    rest = gap(target, at) - taken
    assert rest == 0 if target[1] == "==" else rest >= 0
    return True


def test_some_are_accepted():
    follows = ("0", "<=", "x*(A(t) - f(t)) + s")
    assert judge(follows, [(("f(t)", "<=", "A(t)"), "x")], {"n": 2, "s": 0, "x": 1}, 0)
    assert not judge(follows, [(("f(t)", "<=", "A(t)"), "x - 1")], {"n": 2, "s": 0, "x": 1}, 0)


@given(
    st.lists(st.tuples(st.sampled_from(vectors), st.sampled_from(vectors), weights), max_size=3),
    st.lists(st.tuples(weights, st.sampled_from(vectors), st.sampled_from(vectors)), max_size=2),
    st.sampled_from([(2, 1), (3, 2)]),
    st.integers(0, 99),
)
def test_squares_of_vectors(products, squares, counts, seed):
    """0 <= a sum of inner products, from squares: the sum less the squares is no less than 0."""
    n, m = counts
    right = " + ".join(f"({c})*ip({a}, {b})" for a, b, c in products) or "0"
    taken = [(times, f"{a} - ({b})") for times, a, b in squares]
    right += "".join(f" + ({times})*sq({vector})" for times, vector in taken)
    try:
        prove(claim(f"0 <= {right}", scope="round"), squares=taken, scope="round")
    except Refused:
        return
    space = FiniteSpace(n, m, Random(seed))
    at = {name: space.vector(depends) for name, depends in ROUND.atoms}
    at |= {"x": Fraction(3, 2), "n": n, "s": Fraction(1, 2)}
    rest = space.evaluate(right, **at)
    for times, vector in taken:
        number = space.evaluate(times, **at)
        assert number >= 0
        rest -= number * space.evaluate(f"sq({vector})", **at)
    assert rest >= 0


@pytest.mark.parametrize("name", sorted(THEORY.quantities))
def test_a_quantity_is_non_negative_only_if_declared_so(name):
    places = {"h": "(t, k)"}.get(name, "(t)")
    if THEORY.quantities[name]:
        prove(claim(f"0 <= {name}{places}"))
    else:
        with pytest.raises(Refused):
            prove(claim(f"0 <= {name}{places}"))
