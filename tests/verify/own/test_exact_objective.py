"""Objectives in Python functions: exact, in balls, or estimates that say so."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpq
from own_files import cases, judged, loaded

from fedbounds.own import objective
from fedbounds.verify.decide.case import found
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.measure.balls import Ball
from fedbounds.verify.measure.unknowns import Refused
from fedbounds.verify.own.entries import MOST_BITS, Entry, through
from fedbounds.verify.own.objective import _to_safe_side
from fedbounds.vocabulary import Method

# f = 10^5 + x^2/2: in floats its gap above 10^5 is cut to 1e-11, wherever x is
HIGH = """
import numpy as np
def slopes(y):
    return y
def heights(y):
    return 1e5 + (y**2).sum(axis=2) / 2
"""
STATED = '{"L": (1, "exact"), "mu": (1, "exact")}'


def pieces(before=HIGH, constants=STATED, infimum='(10**5, "exact")', start="[2.0]", more="", n=1):
    made = (
        f"[(objective(clients={n}, dimension=1, gradient=slopes, value=heights, "
        f"constants={constants}, infimum={infimum}{more}), {start})]"
    )
    given = {"before": before, "problems": made, "parameters": '{"m": ("n",), "eta": ("1/(2*L)",)}'}
    return given | {"more": "rounds=(1, 2), horizon=12"}


def counts(row):
    return set(row["readings"][0]["counts"])


def test_a_high_parabola_is_exact_where_floats_cancel(tmp_path):
    body = """
me.claim("same", "G_u(t) == 2*f(t)")
me.claim("rate", "f(t+1) == (1 - eta*mu)**2*f(t)")
me.claim("almost", "f(t+1) <= (1 - eta*mu)**2*f(t)*(1 - 1/10**12)")
me.claim("moved", "G_u(t) >= 2*f(t) + 1/10**13")
"""
    rows = judged(tmp_path, body=body, **pieces())
    assert {name: counts(row) for name, row in rows.items()} == {
        "same": {"not violated"}, "rate": {"not violated"},
        "almost": {"violated"}, "moved": {"violated"},
    }  # fmt: skip
    assert {rows[name]["standing"] for name in ("almost", "moved")} == {"refuted"}


IN_FLOATS = {
    "a function that needs floats": (
        {"before": HIGH.replace("(y**2).sum(axis=2)", "np.hypot(y, 0).sum(axis=2)**2")},
        "values in floats",
    ),
    "one that makes floats": (
        {"before": HIGH.replace("return y", "return y.astype(float)")},
        "makes a float of a number",
    ),
    "a gradient that is the value's up to rounding": (
        {
            "before": HIGH.replace("return y", "return 0.3 * y").replace(
                "(y**2).sum(axis=2)", "0.1 * 3 * (y**2).sum(axis=2)"
            ),
            "constants": '{"L": (1, "certified"), "mu": (0.2, "certified")}',
        },
        "up to rounding only",
    ),
}  # fmt: skip


@pytest.mark.parametrize("how", IN_FLOATS)
def test_what_is_known_in_floats_only_gives_no_firm_verdict(tmp_path, how):
    given, told = IN_FLOATS[how]
    body = 'me.claim("true", "f(t) <= 100")\nme.claim("false", "f(t) <= 1/10**9")'
    body += '\nme.claim("plain", "eta*L <= 1")'
    rows = judged(tmp_path, body=body, **pieces(**given))
    for name in ("true", "false"):
        assert counts(rows[name]) == {"undecided"}, name
        assert rows[name]["standing"] == "open"
        assert told in rows[name]["reason"], rows[name]["reason"]
        assert "estimate" in rows[name]["reason"]
    assert counts(rows["plain"]) == {"not violated"}  # it measures nothing


WRITTEN_IN_FLOATS = {
    "a step": ({"step": 'return {"x": 0.5 * state["x"]}'}, "mine.py:", "write x / 2"),
    "a start": (
        {
            "init": 'return {"x": start * np.ones(1)}',
            "step": 'return {"x": state["x"] / 2}',
        },
        "mine.py:", "float",
    ),
    "a quantity": ({}, "mine.py:", "float"),
}  # fmt: skip


@pytest.mark.parametrize("how", WRITTEN_IN_FLOATS)
def test_a_theory_that_is_written_in_floats_has_estimates_with_the_line(tmp_path, how):
    own, where, told = WRITTEN_IN_FLOATS[how]
    body = "me.quantity('Z', 'a half', lambda p, s: 0.5 * (s['x'] ** 2).sum(axis=1))\n"
    body = (body if how == "a quantity" else "") + 'me.claim("a", "f(t+1) <= f(t)")'
    row = judged(tmp_path, body=body, **{**pieces(), **own})["a"]
    assert counts(row) == {"undecided"}
    assert where in row["reason"]
    assert told in row["reason"]


def first(theory):
    case = next(iter(cases(theory, Profile.QUICK, 0)))
    return case, found(case)


FOURTH = """
def slopes(y):
    return y**3
def heights(y):
    return (y**4).sum(axis=2) / 4
"""
HUBER = """
import numpy as np
def slopes(y):
    return np.where(abs(y) <= 1, y, np.where(y > 0, 1, -1))
def heights(y):
    return np.where(abs(y) <= 1, y**2 / 2, abs(y) - 1 / 2).sum(axis=2)
"""


@pytest.mark.parametrize(
    ("before", "method", "kind"), [(FOURTH, Method.BALLS, arb), (HUBER, Method.RATIONAL, fmpq)]
)
def test_functions_in_pieces_are_known_exactly_and_those_of_other_degrees_in_balls(
    tmp_path, before, method, kind
):
    body = 'me.claim("a", "f(t+1) <= f(t)")\nme.claim("b", "f(t+1) >= f(t)")'
    given = pieces(before, '{"L": (50, "certified")}', '(0, "exact")')
    given["more"] = "rounds=(1, 2), horizon=20"
    theory = loaded(tmp_path, body=body, **given)
    case, shown = first(theory)
    assert case.method is method
    assert all(isinstance(x, kind) for x in shown.series["f"])
    rows = judged(tmp_path, body=body, **given)
    assert counts(rows["a"]) == {"not violated"}
    assert counts(rows["b"]) == {"violated"}


def test_an_affine_gradient_has_moments_under_many_outcomes(tmp_path):
    """Eleven clients of whom five take part: 462 outcomes a round, 10^32 in twelve."""
    given = pieces(n=11)
    given["parameters"] = '{"m": (5,), "eta": ("1/(2*L)",)}'
    theory = loaded(tmp_path, body='me.claim("a", "f(t+1) <= f(t)")', **given)
    long = [case for case in cases(theory, Profile.QUICK, 0) if case.setup.run.rounds == 12]
    shown = found(long[0])
    assert "exact moments" in shown.family
    assert not shown.missing
    # all clients are alike: x is halved in every round
    assert list(shown.series["G_u"]) == [fmpq(4, 4**t) for t in range(13)]


def test_long_runs_of_floats_are_told_not_dropped(tmp_path):
    given = pieces(n=11, before=HIGH.replace("return y", "return y.astype(float)"))
    given["parameters"] = '{"m": (5,), "eta": ("1/(2*L)",)}'
    theory = loaded(tmp_path, body='me.claim("a", "f(t+1) <= f(t)")', **given)
    (long,) = (one for one in cases(theory, Profile.QUICK, 0) if one.setup.run.rounds == 12)
    assert "12 rounds have more than 8192 outcomes" in found(long).missing["f"]
    assert "it is in floats" in found(long).missing["f"]


def test_a_rounded_minimiser_is_a_ball_or_an_estimate(tmp_path):
    """f = x^4/4 + x: its minimiser -1 is stated a little off."""
    before = FOURTH.replace("y**3", "y**3 + 4*y + 5").replace(
        "(y**4)", "(y**4 + 8*y**2 + 20*y)")  # fmt: skip
    body = 'me.claim("far", "D_W(t) >= 1")\nme.claim("near", "D_W(t) <= 100")'
    off = ', minimiser=([-1.0000000000000002], "certified")'
    # the mean gradient is 7 too large at most for the points' check: mu = 4
    convex = pieces(
        before, '{"L": (50, "certified"), "mu": (4, "certified")}', '(-10, "certified")',
        more=off + ', assumptions=["strongly convex clients"]',
    )  # fmt: skip
    plain = pieces(before, '{"L": (50, "certified")}', '(-10, "certified")', more=off)
    shown = first(loaded(tmp_path, body=body, **convex))[1]
    distance = shown.series["D_W"][0]
    assert bool(distance.contains(arb(9)))
    assert 1e-17 < float(distance.rad()) < 1e-13
    assert counts(judged(tmp_path, body=body, **convex)["near"]) == {"not violated"}
    row = judged(tmp_path, body=body, **plain)["near"]
    assert counts(row) == {"undecided"}
    assert "stated up to rounding" in row["reason"]


def test_statements_that_are_floats_move_to_the_safe_side():
    assert _to_safe_side(1.5, lower=False) == fmpq(3, 2)
    assert _to_safe_side(Fraction(1, 3), lower=False) == fmpq(1, 3)
    for number, lower in ((0.1, True), (0.1, False), (1.2, True), (1.2, False)):
        moved = _to_safe_side(number, lower=lower)
        both = (fmpq(*number.as_integer_ratio()), fmpq(*Fraction(str(number)).as_integer_ratio()))
        assert moved == (min(both) if lower else max(both))
    third = fmpq(*(1 / 3).as_integer_ratio())
    assert _to_safe_side(1 / 3, lower=True) < third < _to_safe_side(1 / 3, lower=False)


def test_entries_answer_as_numbers_do():
    x = np.array([[Entry(fmpq(3, 2))]], dtype=object)
    told = {
        "sums": x + 0.5 - 1 + np.float64(2) - Fraction(1, 2),
        "products": 0.5 * x * 2 / 4 * np.array([[2.0]]),
        "quotients": 3 / x,
        "powers": x**2 + x**-1 + x**2.0,
        "sizes": abs(-x) + np.maximum(x, 1) + np.where(x > 1, x, 0),
    }
    expected = {
        "sums": fmpq(5, 2), "products": fmpq(3, 4), "quotients": fmpq(2),
        "powers": fmpq(9, 2) + fmpq(2, 3), "sizes": fmpq(9, 2),
    }  # fmt: skip
    assert {name: own.item().value for name, own in told.items()} == expected
    for name in ("sin", "cos", "exp", "log", "log1p", "tanh", "sqrt"):
        ball = getattr(np, name)(x).item().value.ball
        assert bool(abs(ball - getattr(np, name)(1.5)) < arb("1e-14")), name
    assert bool(((x**1.5).item().value.ball - arb(27).sqrt() / arb(8).sqrt()).contains(0))
    long = Entry(fmpq(2) ** MOST_BITS)
    assert isinstance((long * 2).value, Ball)


@pytest.mark.parametrize(
    "ask",
    [float, hash, lambda x: x**0.3, lambda x: x + "a", lambda x: x * float("nan"),
     lambda x: (x - 2).sqrt()],
)  # fmt: skip
def test_entries_refuse_what_only_a_float_answers(ask):
    with pytest.raises(Refused):
        ask(Entry(fmpq(3, 2)))


def test_floats_stay_floats():
    assert through(lambda y: y * 2, np.ones((1, 1, 1))).dtype == np.float64


@pytest.mark.parametrize("number", [float("inf"), (float("nan"), "exact")])
def test_what_is_stated_is_finite(number):
    def same(y):
        return y

    def half(y):
        return (y**2).sum(axis=2) / 2

    with pytest.raises(Exception, match="a finite number"):
        objective(clients=1, dimension=1, gradient=same, value=half, constants={"L": number})
