"""How far conditions let a parameter go: their ends are found, whatever their form."""

from fractions import Fraction

import pytest
import sympy as sp
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from own_files import cases, judged, loaded, parameters_of

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import Condition
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.setups.ends import Ends, ends
from fedbounds.vocabulary import Verdict

L, eta, K, other = sp.symbols("L eta K other", positive=True)
KNOWN = {"L": fmpq(7, 3), "K": fmpq(3)}
THIRD = fmpq(9, 7)  # 3/L


@pytest.mark.parametrize(
    "condition",
    [
        Condition(eta, "<=", 3 / L),
        Condition(eta * L, "<=", sp.Integer(3)),
        Condition(eta**2, "<=", 9 / L**2),
        Condition(1 / eta, ">=", L / 3),
        Condition(L * eta * (1 + eta * L), "<=", sp.Integer(12)),
        Condition(sp.sqrt(eta * L), "<=", sp.sqrt(3)),
        Condition(3 / L, ">=", eta),
        Condition(sp.Max(eta * L, K), "<=", sp.Integer(3)),
        Condition((1 - eta * L / 6) ** 3, ">=", sp.Rational(1, 8)),
    ],
)
def test_an_end_above_is_found_exactly(condition):
    found = ends([condition], "eta", KNOWN)
    assert THIRD in found.largest


@pytest.mark.parametrize("condition", [Condition(eta * L, ">=", sp.Integer(3)),
                                       Condition(eta, ">=", 3 / L),
                                       Condition(1 / eta, "<=", L / 3)])  # fmt: skip
def test_an_end_below_too(condition):
    assert ends([condition], "eta", KNOWN) == Ends((), (THIRD,))


def test_an_equality_fixes_it():
    assert ends([Condition(eta * L, "==", sp.Integer(3))], "eta", KNOWN).largest == (THIRD,)
    assert ends([Condition(eta**2, "==", sp.Integer(2))], "eta", KNOWN) == Ends()


@given(st.fractions(Fraction(1, 1000), 1000, max_denominator=1000), st.integers(2, 4))
def test_an_irrational_end_is_approached_from_inside(bound, power):
    right = sp.Rational(bound.numerator, bound.denominator)
    found = ends([Condition(eta**power, "<=", right)], "eta", {})
    (end,) = found.largest
    assert end**power <= fmpq(bound.numerator, bound.denominator)
    assert (end * fmpq(1_000_002, 1_000_000)) ** power > fmpq(bound.numerator, bound.denominator)


@pytest.mark.parametrize("condition", [Condition(eta * L, "<", sp.Integer(3)),
                                       Condition(eta, "<", 3 / L), Condition(3 / L, ">", eta)])  # fmt: skip
def test_a_strict_end_is_approached_and_never_met(condition):
    (end,) = ends([condition], "eta", KNOWN).largest
    assert THIRD * fmpq(999_998, 1_000_000) < end < THIRD


def test_several_conditions_are_met_together_and_what_needs_more_is_passed_over():
    several = [Condition(eta * L, "<=", sp.Integer(3)), Condition(eta * K, "<=", sp.Integer(2))]
    assert ends(several, "eta", KNOWN).largest == (fmpq(2, 3),)
    assert ends([*several, Condition(eta * other, "<=", L)], "eta", KNOWN).largest == (fmpq(2, 3),)
    assert ends([Condition(eta * other, "<=", L)], "eta", KNOWN) == Ends()
    narrow = [
        Condition(eta * L, ">=", sp.Rational(11, 5)), Condition(eta * L, "<=", sp.Rational(12, 5)),
    ]  # fmt: skip
    assert ends(narrow, "eta", {"L": fmpq(1)}) == Ends((fmpq(12, 5),), (fmpq(11, 5),))
    away = [Condition(eta, "<=", sp.Integer(1)), Condition(eta, ">=", sp.Integer(2))]
    assert ends(away, "eta", KNOWN) == Ends()


DESCENT = """me.claim("descent", "f(t+1) <= f(t)", conditions=[{0!r}],
                      assumptions=["strongly convex clients"])"""
GD = {
    "draw": "return {}",
    "step": 'return {"x": state["x"] - p["eta"] * problem.full_gradient(state["x"])}',
    "parameters": '{"eta": "edges"}',
}


@pytest.mark.parametrize("condition", ["eta*L <= 3", "eta <= 3*sqrt(2)/L", "eta**2 <= 9/L**2",
                                       "1/eta >= L/3", "eta <= 3/(L*sqrt(T))", "eta < 3/L"])  # fmt: skip
def test_descent_beyond_two_over_l_is_refuted(tmp_path, condition):
    rows = judged(tmp_path, body=DESCENT.format(condition), **GD)
    assert rows["descent"]["standing"] == "refuted"


@pytest.mark.parametrize(
    "condition", ["eta*L <= 2", "eta**2 <= 4/L**2", "1/eta >= L/2", "eta < 2/L"]
)
def test_descent_up_to_two_over_l_is_not(tmp_path, condition):
    rows = judged(tmp_path, body=DESCENT.format(condition), **GD)
    assert rows["descent"]["standing"] == "tested"


def test_values_may_name_the_number_of_rounds(tmp_path):
    pieces = GD | {"parameters": '{"eta": ("1/(L*T)",)}', "problems": "quadratics((1,), (1,))"}
    theory = loaded(tmp_path, body=DESCENT.format("eta <= 1/L"), **pieces)
    for case in cases(theory, Profile.QUICK, 0):
        most = parameters_of(case)["eta"] * case.setup.run.rounds
        assert most in (1, fmpq(1, 2), fmpq(1, 4))  # 1/L


def test_what_holds_strictly_inside_is_proved_and_at_the_end_it_is_outside(tmp_path):
    body = 'me.claim("a", "eta*L <= 2", conditions=["eta < 2/L"], uses=["conditions"])'
    assert judged(tmp_path, body=body, **GD)["a"]["standing"] == "confirmed"
    theory = loaded(tmp_path, body=body, **GD | {"parameters": '{"eta": ("2/L", "1/L")}'})
    claims = [statement.claim for statement in theory.statements]
    seen = set()
    for case in cases(theory, Profile.QUICK, 0):
        (found,) = judge(claims, case).judgements
        at_the_end = parameters_of(case)["eta"] * numbers_of(case)["L"] == 2
        assert (found.verdict is Verdict.OUTSIDE) is at_the_end
        seen.add(at_the_end)
    assert seen == {True, False}


def numbers_of(case):
    return measure(case).numbers.constants


def test_a_condition_with_given_values_that_come_later_is_told(tmp_path):
    """Else a default far inside would be taken in silence."""
    body = 'me.parameter("beta", "momentum", (2,))\n' + DESCENT.format("eta*beta*L <= 6")
    with pytest.raises(FedboundsError, match="depend on beta, which come later"):
        list(cases(loaded(tmp_path, body=body, **GD), Profile.QUICK, 0))


@pytest.mark.parametrize("premises", ["", 'conditions=["eta >= 1/L"], '])
def test_a_claim_without_an_end_above_is_looked_at_far_out(tmp_path, premises):
    """Else a default far inside would stand for every step."""
    premises += 'assumptions=["strongly convex clients"]'
    body = f'me.claim("a", "f(t+1) <= f(t)", {premises})'
    assert judged(tmp_path, body=body, **GD)["a"]["standing"] == "refuted"
    bounded = 'me.claim("b", "f(t+1) <= f(t)", conditions=["eta <= 1/L"], '
    bounded += 'assumptions=["strongly convex clients"])'
    theory = loaded(tmp_path, body=bounded, **GD)
    for case in cases(theory, Profile.QUICK, 0):
        assert parameters_of(case)["eta"] * numbers_of(case)["L"] <= 1


def test_runs_are_as_short_and_as_long_as_conditions_let_them_be(tmp_path):
    """T > 3 begins at 4, T >= 8 L/mu at 12, and T**2 <= 50 ends at 7; beyond 200 none is planned."""
    conditions = ("T > 3", "T >= 8*L/mu", "T**2 <= 50", "T >= 1000")
    body = "\n".join(
        f'me.claim("c{at}", "D_W(T) <= D_W(0)", conditions=["{text}"])'
        for at, text in enumerate(conditions)
    )
    theory = loaded(
        tmp_path, body=body, parameters='{"m": ("n",), "eta": ("1/(8*L)",)}',
        problems="[quadratic([[[2, 0], [0, 3]]], [[0, 0]], [1, 1])]", more="rounds=(1, 2), horizon=3",
    )  # fmt: skip
    planned = {case.setup.run.rounds for case in cases(theory, Profile.QUICK, 0)}
    assert planned == {1, 2, 3, 4, 7, 12}
