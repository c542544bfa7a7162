"""`Fraction` in a user's file: literals, parameters, arrays; exact, unknown, in balls and in floats."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from flint import arb, fmpq
from own_files import cases, judged, loaded

from fedbounds.verify.decide.case import found
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.measure.balls import Ball
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.unknowns import variables
from fedbounds.verify.own.entries import Entry
from fedbounds.verify.own.families import quadratic
from fedbounds.verify.own.run_fractions import RunFraction

HALF = RunFraction(1, 2)
KINDS = {
    "rationals": [fmpq(1, 2), fmpq(3)],
    "floats": [0.5, 3.0],
    "balls": [Ball(arb(1) / 2), Ball(arb(3))],
    "unknowns": list(variables({"x": (1, 2)}, ()).state()["x"][0]),
    "entries": [Entry(fmpq(1, 2)), Entry(fmpq(3))],
}
SUMS = {
    "sum": lambda a, h: h + a - h + (a + h) - (a - h) + (h - a),
    "product": lambda a, h: h * a + a * h,
    "quotient": lambda a, h: a / h,
    "power": lambda a, h: h**2 * a**2,
    "matrices": lambda a, h: a @ np.array([[h], [h + 1]], dtype=object),
    "list": lambda a, h: np.array([h, 2 * h]) * a,
    "whole numbers": lambda a, h: a * (h * 2) + 3 * h - np.int64(1) * h,
}
NOT_FOR_UNKNOWNS = {
    "turned quotient": lambda a, h: h / a,
    "smaller": lambda a, h: np.where(a < h, h, a * h),
    "largest": lambda a, h: np.maximum(a, h + Fraction(1, 3)) + np.minimum(h * 2, a),
    "order": lambda a, h: (h <= a).sum() + (a >= 2 * h).sum() + (h > a).sum() + (a != h + 1).sum(),
}


def told(value):
    """Numbers of any kind as floats and polynomials as text."""
    if isinstance(value, Entry):
        return told(value.value)
    if isinstance(value, Ball):
        return pytest.approx(float(value.ball.mid()))
    if isinstance(value, fmpq):
        return float(Fraction(int(value.p), int(value.q)))
    return str(value.bare) if hasattr(value, "bare") else pytest.approx(float(value))


@pytest.mark.parametrize("kind", KINDS)
def test_a_fraction_beside_an_array_is_the_number_that_it_is(kind):
    array = np.array([KINDS[kind]], dtype=None if kind == "floats" else object)
    every = SUMS if kind == "unknowns" else {**SUMS, **NOT_FOR_UNKNOWNS}
    half = 0.5 if kind == "floats" else fmpq(1, 2)
    for name, own in every.items():
        given = own(array, HALF)
        expected = own(array, half) if name != "largest" else None
        if name == "largest":
            third = 1 / 3 if kind == "floats" else fmpq(1, 3)
            expected = np.maximum(array, half + third) + np.minimum(half * 2, array)
        found_, right = np.asarray(given).reshape(-1), np.asarray(expected).reshape(-1)
        assert [told(x) for x in found_] == [told(x) for x in right], name


def test_a_fraction_meets_single_rationals_of_a_run():
    half = fmpq(1, 2)
    assert half == HALF
    assert half == HALF
    assert half + 1 != HALF
    assert half * 3 > HALF
    assert half / 3 < HALF <= half
    assert max(HALF, half * 3) == fmpq(3, 2)
    assert RunFraction(1, half) == 2
    assert RunFraction(half, half) == 1
    assert HALF ** fmpq(2) == Fraction(1, 4)
    assert hash(HALF) == hash(Fraction(1, 2))
    assert HALF == Fraction(1, 2) == HALF
    assert HALF != "1/2"
    assert np.float64(2) * HALF == 1
    assert isinstance(RunFraction(1, 3).limit_denominator(2) * half, fmpq)


STEPS = {
    "literals": 'return {"x": state["x"] * Fraction(3, 4)}',
    "of text": 'return {"x": Fraction("0.75") * state["x"]}',
    "of parameters": 'return {"x": state["x"] * (1 - Fraction(p["m"]) * 2 * p["eta"])}',
    "parameters below": 'return {"x": state["x"] - state["x"] / Fraction(1, p["eta"]) * 2}',
    "arrays of them": 'return {"x": state["x"] * np.array([Fraction(3, 4)] * problem.dimension)}',
    "on the left of a gradient": (
        'g = problem.full_gradient(state["x"])\n'
        'return {"x": state["x"] - Fraction(p["eta"]) * 2 * g}'
    ),
    "models of clients": (
        'y = problem.spread(state["x"])\ny = y - Fraction(1, 4) * problem.gradient(y)\n'
        'return {"x": Fraction(1, problem.clients) * problem.xp.sum(y, axis=1)}'
    ),
    "a choice": (
        'large = state["x"] > Fraction(10**6)\n'
        'return {"x": np.where(large, Fraction(1, 3), state["x"] * Fraction(3, 4))}'
    ),
}
BEFORE = "import numpy as np\nfrom fractions import Fraction"
PARAMETERS = '{"m": (1,), "eta": ("1/(8*L)",)}'
ONE = "[quadratic([[[1]]], [[0]], [Fraction(7, 3)])]"


@pytest.mark.parametrize("how", STEPS)
def test_fractions_in_a_step_are_exact(tmp_path, how):
    body = 'me.claim("a", "D_W(t+1) == 9*D_W(t)/16")'
    row = judged(
        tmp_path, before=BEFORE, step=STEPS[how], parameters=PARAMETERS, problems=ONE, body=body
    )["a"]
    assert row["readings"][0]["counts"] == {"not violated": 3}


def test_fractions_in_draws_starts_quantities_constants_and_moments(tmp_path):
    """x+ = x/2 + Z/3 with a Gaussian Z: E x+^2 = E x^2/4 + 1/9."""
    theory = loaded(
        tmp_path,
        before=BEFORE,
        init='return {"x": start, "c": np.full(start.shape, Fraction(1, 3), dtype=object)}',
        draw='return {"z": Fraction(1, 3) * random.normal(problem.dimension)}',
        step='return {"x": Fraction(1, 2) * state["x"] + drawn["z"], "c": state["c"]}',
        parameters="{}",
        problems=ONE,
        body="""
            def own(problem, state, p):
                return Fraction(1, 2) * (state["x"] ** 2).sum(axis=1) + Fraction(p["T"], 3) * 0
            me.quantity("Z", "half a square", lambda q, s: Fraction(1, 2) * (s["x"]**2).sum(axis=1))
            me.quantity("Kept", "what is kept", lambda q, s: s["c"].sum(axis=1))
            me.constant("c0", "a ninth", lambda q, s, p: Fraction(1, 9) + 0 * Fraction(p["T"]))
            me.claim("a", "2*Z(t+1) == Z(t)/2 + c0")
            me.claim("b", "Kept(t) == 3*c0")
        """,
    )
    for case in cases(theory, Profile.QUICK, 0):
        shown = found(case)
        assert "moments" in shown.family
        assert not shown.missing
        squares = [2 * x for x in shown.series["Z"]]
        assert squares[0] == fmpq(49, 9)
        assert all(b == a / 4 + fmpq(1, 9) for a, b in pairwise(squares))
        assert set(map(str, shown.series["Kept"])) == {"1/3"}
        assert shown.parameters["c0"] == fmpq(1, 9)


def test_python_s_own_fractions_are_told_how_to_help(tmp_path):
    """Of a module that the file imports: they do not know the numbers of a run."""
    helper = tmp_path / "halves_of_a_user.py"
    helper.write_text("from fractions import Fraction\nHALF = Fraction(1, 2)\n")
    before = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\nimport halves_of_a_user as h"
    with pytest.raises(Exception, match="import Fraction in the file of the theory itself"):
        judged(
            tmp_path, before=before, step='return {"x": state["x"] * h.HALF}',
            parameters=PARAMETERS, body='me.claim("a", "D_W(t+1) <= D_W(t)")',
        )  # fmt: skip


def test_problems_take_fractions():
    problem, start = quadratic([[[Fraction(1, 3)]]], [[Fraction(2, 7)]], [Fraction(1, 2)])
    rows = np.array([start])
    assert Clients(problem).full_gradient(rows)[0, 0] == fmpq(1, 6) + fmpq(2, 7)
