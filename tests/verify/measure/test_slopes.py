"""Means over a cell by slopes: they hold the true ones, whatever is computed."""

from dataclasses import replace

import numpy as np
import pytest
from flint import arb, fmpq
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.verify.measure.balls import Ball, precise
from fedbounds.verify.measure.cells import cells
from fedbounds.verify.measure.slopes import Sloped, over_all, over_some
from fedbounds.verify.measure.tails import Tail

CELLS = cells(16)
ONE, OTHER = CELLS[3][0], CELLS[9][0]
_UNARY = ["sin", "cos", "tanh", "exp", "square", "inverse", "root", "log", "log1p", "abs", "minus"]


def call(name, x):
    return getattr(x, name)() if isinstance(x, Ball) else getattr(np, name)(x)


def unary(name, x):
    """Where all are defined: of 2 + sin(x), which is between 1 and 3."""
    own = 2 + call("sin", x)
    made = {
        "exp": lambda: call("exp", own),
        "square": lambda: x**2,
        "inverse": lambda: 1 / own,
        "root": lambda: call("sqrt", own),
        "log": lambda: call("log", own),
        "log1p": lambda: call("log1p", own),
        "abs": lambda: abs(x),
        "minus": lambda: -x,
    }
    return made[name]() if name in made else call(name, x)


expressions = st.recursive(
    st.sampled_from(["a", "b", fmpq(3, 7), -2, "constant"]),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(_UNARY), inner),
        st.tuples(st.sampled_from(["+", "-", "*", "/"]), inner, inner),
    ),
    max_leaves=6,
)


def computed(tree, known):
    """Of an expression, with numbers of any kind."""
    if not isinstance(tree, tuple):
        return known.get(tree, tree) if isinstance(tree, str) else known["number"](tree)
    name, *inside = tree
    values = [computed(one, known) for one in inside]
    if len(values) == 1:
        return unary(name, values[0])
    x, y = values
    return {
        "+": lambda: x + y,
        "-": lambda: x - y,
        "*": lambda: x * y,
        "/": lambda: x / (2 + call("sin", y)),
    }[name]()


def points(draw):
    """Midpoints of a fine grid of a cell, with weights of the normal law."""
    low, high = float(draw.ball.lower()), float(draw.ball.upper())
    edges = np.linspace(low, high, 401)
    middle = (edges[1:] + edges[:-1]) / 2
    weight = np.exp(-(middle**2) / 2)
    return middle, weight / weight.sum()


@given(expressions)
def test_the_mean_is_in_the_ball(tree):
    a, wa = points(ONE)
    b, wb = points(OTHER)
    with precise():
        one, other = (Sloped.of(replace(x)) for x in (ONE, OTHER))
        third = Ball(arb(1) / 3)
        exact = {"a": one, "b": other, "constant": third, "number": lambda x: Ball(arb(x))}
        found = computed(tree, exact)
    floats = {"a": a[:, None], "b": b[None], "constant": 1 / 3,
              "number": lambda x: int(fmpq(x).p) / int(fmpq(x).q)}  # fmt: skip
    with np.errstate(all="ignore"):
        values = np.broadcast_to(computed(tree, floats), (len(a), len(b)))
    true = float(wa @ values @ wb)
    ball = over_all(found).ball
    assert abs(float(ball.mid()) - true) <= float(ball.rad()) + 1e-4 * (1 + abs(values).max())
    whole = found.ball
    assert float(whole.lower()) - 1e-6 * abs(values).max() <= values.min()
    assert values.max() <= float(whole.upper()) + 1e-6 * abs(values).max()


def width(ball):
    return float(ball.rad())


def test_slopes_tell_more_than_the_ball():
    z = Sloped.of(replace(ONE))
    for found in (z * z, z.sin() * z, 1 / (2 + z.cos()), z**3):
        assert width(found.mean.ball) < 0.2 * width(found.ball)


def test_two_draws_of_one_cell_have_slopes_of_their_own():
    one, other = (Sloped.of(replace(ONE)) for _ in range(2))
    assert len((one * other).slopes) == 2
    apart = (one - other) * (one - other)
    variance = (one * one).mean.ball - one.mean.ball * one.mean.ball
    assert abs(float((apart.mean.ball - 2 * variance).mid())) <= width(apart.mean.ball)
    assert (one - one) == 0


def test_a_mean_over_some_draws_has_no_slopes():
    z = Sloped.of(replace(ONE))
    some = over_some(z * z)
    assert some.slopes is None
    assert (some * z).slopes is None
    assert width(over_all(some * z).ball) == width((some * z).ball)


@pytest.mark.parametrize("ask", [lambda z, x: z + x, lambda z, x: x + z, lambda z, x: z * x,
                                 lambda z, x: x * z, lambda z, x: z - x, lambda z, x: x - z])  # fmt: skip
def test_with_a_draw_beyond_all_cells_it_is_a_number_of_the_tail(ask):
    assert isinstance(ask(Sloped.of(replace(ONE)), CELLS[-1][0]), Tail)


def test_a_constant_before_or_after_leaves_slopes():
    z = Sloped.of(replace(ONE))
    for constant in (2, fmpq(2, 3), Ball(arb(2) / 3)):
        for found in (z + constant, constant + z, z * constant, constant * z, constant - z,
                      z / constant, constant / (z + 9)):  # fmt: skip
            assert isinstance(found, Sloped)
            assert found.slopes


def test_every_operation_of_balls_is_one_of_slopes_too():
    """One that were not would answer a plain ball, which is taken for a constant."""
    compared = {"__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__", "__hash__", "__bool__"}
    others = {
        "__init__",
        "__repr__",
        "__float__",
        "__module__",
        "__doc__",
        "__slots__",
        "ball",
        "bare",
    }
    operations = vars(Ball).keys() - compared - others
    assert {"sin", "__add__", "__rtruediv__"} <= operations
    assert not operations - vars(Sloped).keys()
