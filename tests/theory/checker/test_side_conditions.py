"""No fact holds without its side conditions: numbers say so, and the checker asks for each."""

import re
from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from checker_theory import ROUND, THEORY, claim, fact, prove

from fedbounds.theory.checker.data import Scope, Statement
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.facts import FACTS

SMOOTH, NOISE = "smooth", "unbiased noise of bounded variance"
ALIKE, BOUNDED = "bounded gradient dissimilarity", "bounded below"
COMPARED = {
    "<=": lambda x, y: x <= y,
    ">=": lambda x, y: x >= y,
    "==": lambda x, y: x == y,
}

# ---- what a statement carries: conditions and assumptions

USED = {  # every fact, as it is used, with what its statement carries for these arguments
    "growth": (("1", "K", "3"), "K >= 1"),
    "power_grows": (("3/2", "K", "T"), "3/2 >= 1", "K <= T"),
    "power_falls": (("1/2", "K", "T"), "1/2 <= 1", "1/2 >= 0", "K <= T"),
    "root_grows": (("x", "y"), "x >= 0", "x <= y"),
    "largest": (("x", "y"),),
    "least": (("x", "y"),),
    "mean_norm": (("p", "x"),),
    "smooth": (("p", "au"), SMOOTH),
    "variance": (("Y",), NOISE),
    "martingale": (("Y", "ik"), NOISE),
    "dissimilarity": (("au",), ALIKE),
    "descent": (("start", "end", "au"), SMOOTH),
    "infimum": ((), BOUNDED),
    "initial_gap": ((), BOUNDED),
}
WITHOUT = {  # the condition that is left out: arguments that meet the others, and break the fact
    ("growth", "K >= 1"): ("1", "-2", "3"),  # (1 - 1/2)^-2 = 4
    ("power_grows", "3/2 >= 1"): ("1/2", "0", "1"),
    ("power_grows", "K <= T"): ("2", "1", "0"),
    ("power_falls", "1/2 <= 1"): ("2", "0", "1"),
    ("power_falls", "1/2 >= 0"): ("-1", "1", "2"),
    ("power_falls", "K <= T"): ("1/2", "1", "0"),
    ("root_grows", "x >= 0"): ("-1", "0"),  # no real root
    ("root_grows", "x <= y"): ("4", "1"),
}
CARRIED = [(name, carried) for name, (_, *every) in USED.items() for carried in every]
NUMERIC = [row for row in CARRIED if row[1].split()[1:2] and row[1].split()[1] in COMPARED]
TWO_CLIENTS = (("m", "integer", "1"), ("n", "integer", "m"))  # or one
ASSUMED = [row for row in CARRIED if row not in NUMERIC]


def stated(name, arguments, scope=ROUND):
    return FACTS[name](scope, arguments)


def as_text(comparison):
    return " ".join(comparison)


def holds(comparison, **values):
    """Whether numbers satisfy a comparison; where a side has no real value they do not."""
    left, relation, right = comparison
    names = {"__builtins__": {}, "sqrt": sqrt, **values}
    try:
        return bool(COMPARED[relation](eval(left, names), eval(right, names)))
    except (ValueError, ZeroDivisionError):
        return False


def sides(statement):
    return statement.left, statement.relation, statement.right


def test_every_fact_is_tried_without_everything_that_it_carries():
    """A new fact, or a new side condition, needs a row in these tables."""
    assert set(USED) == set(FACTS)
    for name, (arguments, *carried) in USED.items():
        statement = stated(name, arguments)
        assert [*map(as_text, statement.conditions), *statement.assumptions] == carried
        assert {relation for _, relation, _ in statement.conditions} <= set(COMPARED)
        assert statement.relation in ("<=", "==")
        # nothing else restricts where a fact may be used
        assert statement == Statement(
            *sides(statement), conditions=statement.conditions, assumptions=statement.assumptions
        )
    assert set(WITHOUT) == set(NUMERIC)


@pytest.mark.parametrize(("name", "missing"), NUMERIC)
def test_without_a_condition_the_fact_is_false_and_refused(name, missing):
    position = USED[name].index(missing) - 1
    arguments = WITHOUT[name, missing]
    statement = stated(name, arguments)
    assert [holds(c) for c in statement.conditions] == [
        at != position for at in range(len(statement.conditions))
    ]
    assert not holds(sides(statement))
    with pytest.raises(Refused):
        prove(Statement(*sides(statement)), fact(name, *arguments))
    with pytest.raises(Refused, match=re.escape(as_text(statement.conditions[position]))):
        prove(claim("0 <= 0"), fact(name, *arguments))


PARAMETERS = {  # the same in parameters: conditions under which the fact holds
    "growth": (("2", "x", "8"), ("x >= 1",)),
    "power_grows": (("x", "y", "z"), ("x >= 1", "y <= z")),
    "power_falls": (("x", "y", "z"), ("x <= 1", "y <= z")),
    "root_grows": (("x", "y"), ("x <= y",)),
}


@pytest.mark.parametrize("name", sorted({name for name, _ in NUMERIC}))
def test_a_statement_needs_the_conditions_of_a_fact_that_it_uses(name):
    arguments, conditions = PARAMETERS[name]
    text = as_text(sides(stated(name, arguments)))
    prove(claim(text, *conditions), fact(name, *arguments))
    for left_out in conditions:
        kept = (c for c in conditions if c != left_out)
        with pytest.raises(Refused, match=re.escape(left_out)):
            prove(claim(text, *kept), fact(name, *arguments))


@pytest.mark.parametrize(("name", "missing"), ASSUMED)
def test_a_statement_needs_the_assumptions_of_a_fact_that_it_uses(name, missing):
    arguments, *assumptions = USED[name]
    statement, used = replace(stated(name, arguments), scope="round"), fact(name, *arguments)
    prove(statement, used, scope="round", chart=TWO_CLIENTS)
    kept = tuple(a for a in assumptions if a != missing)
    with pytest.raises(Refused, match=re.escape(missing)):
        prove(replace(statement, assumptions=kept), used, scope="round", chart=TWO_CLIENTS)


# ---- what the arguments have to be

# gradients and noise of one client or more: a number for each, or one for all
OWN = Scope(
    sources=("past", "xi", "i", "k"),
    atoms=(
        *((name, ("past",)) for name in ("u", "v", "mx", "my", "w")),
        *((name, ("past", "i")) for name in ("ui", "au", "av", "aui", "gx", "gv", "gw")),
        *((name, ("past", "xi", "i", "k")) for name in ("Y", "Z", "drift")),
        ("one", ("past", "xi", "i")),
        ("same", ("past", "xi", "k")),
    ),
    gradients=(
        ("au", "u", "u", "v"),
        ("av", "v", "u", "v"),
        ("aui", "u", "ui", "v"),
        ("gx", "u", "mx", "v"),
        ("gv", "u", "u", "my"),
        ("gw", "u", "w", "v"),
    ),
    noises=(("Y", "sigma2"),),
    differences=("Y", "one", "same"),
    values=(("a", "u", "v"), ("b", "mx", "v"), ("c", "u", "my"), ("d", "mx", "my")),
)
FIXED = replace(OWN, sources=("past", "xi", "k"))
CLIENTS = np.array([1, -1])  # two clients that differ in sign


def mean(x, *kept):
    """Over the clients, unless the client is given."""
    return x if "i" in kept else np.mean(x) * np.ones(2)


def squared(x):
    return float(np.mean(np.square(x)))


def product(x, y):
    return float(np.mean(np.multiply(x, y)))


# the fact, its arguments, what it would say of them, and a case in which that is false
WRONG = [
    # f = (u^2 - v^2)/2 at u = v = 1: the gradients in the blocks are 1 and -1
    ("smooth", ("au", "av"), "sq(au - av) <= L**2*(0)", {"au": 1, "av": -1, "L": 1}, OWN),
    # Y is noise and no gradient: it may change though no point moves
    ("smooth", ("au", "Y"), "sq(au - Y) <= L**2*(0)", {"au": 0, "Y": 1, "L": 1}, OWN),
    ("smooth", ("Y", "au"), "sq(Y - au) <= L**2*(0)", {"au": 0, "Y": 1, "L": 1}, OWN),
    ("variance", ("drift",), "sq(drift) <= sigma2", {"drift": 1, "sigma2": 0}, OWN),
    # a drift that does not vanish in the mean keeps its size
    (
        "martingale",
        ("drift", "k"),
        "sq(given(drift, past, xi, i)) == sq(drift)/K",
        {"drift": 1, "K": 2},
        OWN,
    ),
    # one noise for all steps, and one for all clients
    ("martingale", ("one", "ik"), "sq(given(one, past, xi)) == sq(one)/(n*K)",
     {"one": CLIENTS, "n": 2, "K": 2}, OWN),
    ("martingale", ("one", "k"), "sq(given(one, past, xi, i)) == sq(one)/K",
     {"one": 1, "K": 2}, OWN),
    ("martingale", ("same", "ik"), "sq(given(same, past, xi)) == sq(same)/(n*K)",
     {"same": 1, "n": 2, "K": 1}, OWN),
    ("martingale", ("Y", "i"), "sq(given(Y, past, xi, k)) == sq(Y)/(n*K)",
     {"Y": CLIENTS, "n": 2, "K": 2}, OWN),
    ("martingale", ("Y", ""), "sq(given(Y, past, xi, i, k)) == sq(Y)/(n*K)",
     {"Y": 1, "n": 2, "K": 1}, OWN),
    # every f_i is (u^2 - v^2)/2; clients at u = 1 and -1 have different gradients, with b = 0
    ("dissimilarity", ("aui",), "sq(aui - given(aui, past)) <= b2",
     {"aui": CLIENTS, "b2": 0}, OWN),
    # f_i = +-v: nothing is assumed of the gradients in the personal blocks
    ("dissimilarity", ("av",), "sq(av - given(av, past)) <= b2",
     {"av": CLIENTS, "b2": 0}, OWN),
    ("dissimilarity", ("Y",), "sq(Y - given(Y, past, xi, k)) <= b2",
     {"Y": CLIENTS, "b2": 0}, OWN),
    # f = u^2/2 from u = 0 to x = 1: 1/2 is not below 0, what the block that stays would give
    ("descent", ("a", "b", "av"), "b - a <= ip(av, (v) - (v)) + L/2*sq((v) - (v))",
     {"a": 0, "b": 0.5, "av": 0, "v": 0, "L": 1}, OWN),
    # nor below 1/2 - 5, with the gradient at w = -5
    ("descent", ("a", "b", "gw"), "b - a <= ip(gw, (mx) - (u)) + L/2*sq((mx) - (u))",
     {"a": 0, "b": 0.5, "gw": -5, "u": 0, "mx": 1, "L": 1}, OWN),
    # f = 5 u v: the gradient at v = 0 says nothing of v = 1
    ("descent", ("c", "d", "au"), "d - c <= ip(au, (mx) - (u)) + L/2*sq((mx) - (u))",
     {"c": 0, "d": 5, "au": 0, "u": 0, "mx": 1, "L": 5}, OWN),
    # f = 5 v where both blocks move
    ("descent", ("a", "d", "au"), "d - a <= ip(au, (mx) - (u)) + L/2*sq((mx) - (u))",
     {"a": 0, "d": 5, "au": 0, "u": 0, "mx": 1, "L": 1}, OWN),
    ("descent", ("a", "d", "av"), "d - a <= ip(av, (my) - (v)) + L/2*sq((my) - (v))",
     {"a": 0, "d": 5, "av": 0, "v": 0, "my": 1, "L": 1}, OWN),
    # f_1 = 10 u and f_2 = 0: their mean grows by 5, the second client's gradient is 0
    ("descent", ("a", "b", "au"), "b - a <= ip(au, (mx) - (u)) + L/2*sq((mx) - (u))",
     {"a": 0, "b": 5, "au": 0, "u": 0, "mx": 1, "L": 1}, FIXED),
    ("descent", ("a", "b", "Y"), "b - a <= ip(Y, (mx) - (u)) + L/2*sq((mx) - (u))",
     {"a": 0, "b": 5, "Y": 0, "u": 0, "mx": 1, "L": 1}, OWN),
    # the exponential is the least bound
    ("growth", ("1", "2", "2"), "(1 + (1)/(2))**(2) <= 2", {}, OWN),
    ("growth", ("2", "10", "6"), "(1 + (2)/(10))**(10) <= 6", {}, OWN),
    ("growth", ("8", "99", "1000"), "(1 + (8)/(99))**(99) <= 1000", {}, OWN),
    ("growth", ("-4", "2", "1/2"), "(1 + (-4)/(2))**(2) <= 1/2", {}, OWN),
]  # fmt: skip
EVERY = (SMOOTH, NOISE, ALIKE, BOUNDED)


@pytest.mark.parametrize(("name", "arguments", "text", "values", "scope"), WRONG)
def test_what_a_fact_would_say_of_other_arguments_is_false_and_refused(
    name, arguments, text, values, scope
):
    ones = {key: x * np.ones(2) if isinstance(x, int) else x for key, x in values.items()}
    plain = {key: values[key] for key in ("a", "b", "c", "d", *"LKn", "b2", "sigma2") if key in values}  # fmt: skip
    sources = {source: source for source in ("past", "xi", "i", "k")}
    functions = {"sq": squared, "ip": product, "given": mean}
    statement = claim(text, scope="own", assumptions=EVERY)
    assert not holds(sides(statement), **sources, **functions, **(ones | plain))
    theory = replace(THEORY, scopes={"own": scope})
    if name == "growth":
        statement = replace(statement, scope="")
    with pytest.raises(Refused):
        prove(statement, fact(name, *arguments), scope="own", theory=theory)


SAYS = [  # of the right arguments, the same facts
    ("smooth", ("au", "gx"), "sq(au - gx) <= L**2*sq(u - mx)"),
    ("smooth", ("gx", "gv"), "sq(gx - gv) <= 2*L**2*(sq(mx - u) + sq(v - my))"),
    ("smooth", ("au", "au"), "sq(au - au) <= 0"),
    ("variance", ("Y",), "sq(Y) <= sigma2"),
    ("martingale", ("Y", "ik"), "sq(given(Y, past, xi)) == sq(Y)/(n*K)"),
    ("martingale", ("Y", "k"), "sq(given(Y, past, xi, i)) == sq(Y)/K"),
    ("martingale", ("same", "k"), "sq(given(same, past, xi)) == sq(same)/K"),
    ("dissimilarity", ("au",), "sq(au - given(au, past)) <= b2"),
    ("descent", ("a", "b", "au"), "b - a <= ip(au, mx - u) + L*sq(mx - u)/2"),
    ("descent", ("a", "c", "av"), "c - a <= ip(av, my - v) + L*sq(my - v)/2"),
    ("descent", ("c", "d", "gv"), "d - c <= ip(gv, mx - u) + L*sq(mx - u)/2"),
]


@pytest.mark.parametrize(("name", "arguments", "text"), SAYS)
def test_what_a_fact_says(name, arguments, text):
    theory = replace(THEORY, scopes={"own": OWN})
    statement = claim(text, scope="own", assumptions=EVERY)
    prove(statement, fact(name, *arguments), scope="own", theory=theory)
    if statement.relation == "<=":  # and no more than that
        less = replace(statement, right=f"({statement.right})/2 - x*sq(w)")
        with pytest.raises(Refused):
            prove(less, fact(name, *arguments), scope="own", theory=theory)
