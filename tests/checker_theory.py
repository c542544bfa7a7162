"""A small theory for tests of the checker, and short ways to write steps and to evaluate them."""

from dataclasses import replace
from fractions import Fraction

from flint import fmpq

from fedbounds.theory.checker.charts import branches
from fedbounds.theory.checker.check import check
from fedbounds.theory.checker.data import (
    Assignment,
    Certificate,
    Premise,
    Scope,
    Square,
    Statement,
    Step,
    Theory,
)

ROUND = Scope(
    sources=("past", "S", "xi", "i", "k"),
    atoms=(
        ("u", ("past",)),
        ("v", ("past", "i")),
        ("p", ("past", "i", "k", "xi")),
        ("q", ("past", "i", "k", "xi")),
        ("au", ("past", "i")),
        ("w", ("past", "S", "xi", "i")),
        ("Y", ("past", "xi", "i", "k")),
        ("Z", ("past", "k")),
    ),
    centred=(("Y", "xi"),),
    derived=(("du", "-gamma*given(present(p), past, S, xi)"), ("u1", "u + du")),
    gradients=(("p", "u", "q", "v"), ("au", "u", "u", "v"), ("q", "v", "u", "v")),
    noises=(("Y", "sigma2"),),
    differences=("Y", "Z"),
    values=(("start", "u", "v"), ("end", "u1", "v")),
    sampled=True,
)
TWICE = Scope(
    sources=("past",),
    atoms=(("u", ("past",)), ("p", ("past",))),
    derived=(("du", "2*p"),),
    algorithm="twice",
)
ALIKE = replace(TWICE, derived=(("du", "3*p"),), algorithm="")
THEORY = Theory(
    symbols=dict.fromkeys(("n", "m", "K", "T"), "integer")
    | dict.fromkeys(("x", "y", "z", "gamma", "L"), "positive")
    | dict.fromkeys(("s", "b2", "sigma2", "F_0"), "nonnegative")
    | dict.fromkeys(("t", "k"), "index"),
    quantities={"A": True, "B": True, "f": False, "g": True, "h": True},
    per_client=frozenset({"g"}),
    per_step=frozenset({"h"}),
    scopes={"round": ROUND, "twice": TWICE, "alike": ALIKE},
    always=(("m", "<=", "n"), ("k", "<=", "K - 1")),
)


def claim(text, *conditions, **more):
    """A statement from "left <= right"; each condition is written the same way."""
    return Statement(*_sides(text), conditions=tuple(_sides(c) for c in conditions), **more)


def _sides(text):
    left, relation, right = next(
        text.partition(f" {word} ") for word in ("<=", ">=", "==", "<") if f" {word} " in text
    )
    return left.strip(), relation.strip(), right.strip()


def prove(statement, *premises, earlier=None, theory=THEORY, base=None, **more):
    """Run the checker on a step; squares, chart, scope and the rule are keywords."""
    squares = tuple(Square((times,), vector) for times, vector in more.pop("squares", ()))
    chart = tuple(Assignment(*row) for row in more.pop("chart", ()))
    more = {"rule": "combine", **more}
    if base is not None:
        base = Certificate("combine", premises=tuple(base), chart=chart)
    certificate = Certificate(
        premises=tuple(premises), squares=squares, chart=chart, base=base, **more
    )
    check(theory, Step("tested", statement, certificate), earlier or {})


def cite(name, times="1", **more):
    """An earlier step as a premise."""
    return Premise("step", name, _each(times), **more)


def fact(name, *arguments, times="1", **more):
    """A fact as a premise."""
    return Premise("fact", name, _each(times), arguments=arguments, **more)


def condition(position, times="1"):
    """A condition by position; theory's own come first."""
    return Premise("condition", position, _each(times))


def hypothesis(times="1"):
    """What an induction supposes."""
    return Premise("hypothesis", "hypothesis", _each(times))


def _each(times):
    return (times,) if isinstance(times, str) else times


def branches_of(*chart, conditions=(), theory=THEORY, scope=None, powers=None):
    """The branches of a chart."""
    rows = tuple(Assignment(*row) for row in chart)
    sides = tuple(_sides(c) for c in conditions)
    return list(branches(theory, scope, sides, rows, powers or {}))


def value_at(ratio, point):
    """A quotient of polynomials at rational values of its variables."""
    values = [_flint(point.get(name, 0)) for name in ratio.ring.names]
    above, below = ratio.above(*values), ratio.below(*values)
    return Fraction(int(above.p), int(above.q)) / Fraction(int(below.p), int(below.q))


def _flint(value):
    value = Fraction(value)
    return fmpq(value.numerator, value.denominator)


def slacks(branch, values, known=None):
    """Values of a branch's variables at which its parameters are the given ones, or None.

    ``known`` proposes the value of a slack.
    """
    point = dict(values)
    names = branch.reader.ring.names
    for name, ratio in branch.reader.parameters.items():
        own, x = f"{name}_", Fraction(values[name])
        if own not in names:
            if value_at(ratio, point) != x:
                return None
            continue
        found = [
            y
            for y in [*_candidates(ratio, own, point, x), (known or {}).get(own, -1)]
            if y >= 0 and value_at(ratio, point | {own: y}) == x
        ]
        if not found:
            return None
        point[own] = found[0]
    return point


def _candidates(ratio, own, point, x):
    start = value_at(ratio, point | {own: Fraction(0)})
    yield x - start
    yield start / x - 1
    for degree in (2, 3):
        yield rational_root(x, degree)
        if start > 0:
            yield rational_root(x / start, degree) - 1


def rational_root(value, degree):
    """The root, where it is a fraction; otherwise one nearby."""
    value = Fraction(value)
    above, below = (round(float(n) ** (1 / degree)) for n in (value.numerator, value.denominator))
    return Fraction(above, below or 1)
