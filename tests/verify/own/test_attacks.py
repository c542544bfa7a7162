"""What was tried against formulas and a user's file, and got through."""

import ast
from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from own_files import judged

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.symbols import SHARED
from fedbounds.theory.language.typed import names_of, relation

NAMES = names_of(SHARED)


def read(text):
    return relation(f"{text} <= 1", NAMES)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 28 + "mu" + "**1)" * 28,  # read twice per level
        "mu" + "+mu" * 300,
    ],
)
def test_a_formula_is_read_in_a_moment_and_its_text_too(text):
    assert ast.parse(read(text).left_text, mode="eval")


@pytest.mark.parametrize(
    "text",
    [
        "L**(" + "*".join(["(t+T+1)**64"] * 60) + ")",  # 46 million terms
        "max(" + ",".join(f"{i}*mu+{i * i}*L+{61 - i}*eta" for i in range(60)) + ")",
        "*".join(["(1e299)**64"] * 150),
        "(1e299)**64*mu",
        "(-8)**(1/3)",
        "-" * 1900 + "1",
    ],
)
def test_what_would_not_end_or_is_no_number_is_refused(text):
    with pytest.raises(FedboundsError):
        read(text)


POINT = {"mu": Fraction(2, 3), "L": Fraction(7, 2), "b2": Fraction(5, 4), "t": Fraction(3),
         "T": Fraction(5), "G_u": Fraction(9, 7)}  # fmt: skip
LEAVES = st.sampled_from(
    ["mu", "L", "b2", "t", "T", "G_u(t)", "1", "2", "0", ".5", "1e-1", "2.", "1_0", "3E-2"]
)
EXPONENTS = st.sampled_from(
    ["2", "-1", "3", "-2", "0", "t", "T", "-t", "t - T", "1", "2**2", "T - 1"]
)


def _grown(inner):
    binary = st.tuples(inner, st.sampled_from(["+", "-", "*", "/", " - -", "*-"]), inner)
    return st.one_of(
        binary.map("".join),
        binary.map(lambda parts: f"({''.join(parts)})"),
        inner.map("-{}".format),
        inner.map("+{}".format),
        st.tuples(inner, EXPONENTS).map(lambda p: f"({p[0]})**({p[1]})"),
        st.tuples(LEAVES, st.sampled_from(["2", "-1", "3", "-2"])).map("**".join),
        st.tuples(inner, inner).map(lambda p: f"max({p[0]}, {p[1]})"),
        st.tuples(inner, inner).map(lambda p: f"Min({p[0]}, {p[1]})"),
    )


def of_text(text):
    """The value of the checker's text, by Python's own precedence and in fractions."""
    tree = ast.parse(text, mode="eval").body

    def value(node):
        match node:
            case ast.Constant(value=int() as number):
                return Fraction(number)
            case ast.Name(id=name):
                return POINT[name]
            case ast.UnaryOp(op=ast.USub(), operand=inside):
                return -value(inside)
            case ast.Call(func=ast.Name(id="Max" | "Min" as name), args=inside):
                return {"Max": max, "Min": min}[name](map(value, inside))
            case ast.Call(func=ast.Name(id=name)):
                return POINT[name]
            case ast.BinOp(left=left, op=op, right=right):
                a, b = value(left), value(right)
                match op:
                    case ast.Add():
                        return a + b
                    case ast.Sub():
                        return a - b
                    case ast.Mult():
                        return a * b
                    case ast.Div():
                        return a / b
                    case ast.Pow():
                        assert b.denominator == 1
                        assert abs(b) < 200
                        return a ** int(b)
        raise AssertionError(ast.dump(node))

    return value(tree)


def of_sympy(side):
    quantities = {
        q: sp.Rational(str(POINT["G_u"])) for q in side.atoms(sp.core.function.AppliedUndef)
    }
    side = side.xreplace(quantities)
    values = {s: sp.Rational(str(POINT[s.name.replace("^", "")])) for s in side.free_symbols}
    found = side.xreplace(values)
    assert found.is_Rational, found
    return Fraction(int(found.p), int(found.q))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.recursive(LEAVES, _grown, max_leaves=6))
def test_the_checkers_text_has_the_value_of_the_formula(text):
    try:
        typed = read(text)
    except FedboundsError:
        return
    try:
        expected = of_text(typed.left_text)
    except ZeroDivisionError:
        return  # nothing is cancelled there
    assert of_sympy(typed.left) == expected


SMALL = {"parameters": '{"m": ("n",), "eta": ("1/(8*L)",)}', "more": "rounds=(2,), horizon=4"}


def refusal(folder, body, **pieces):
    """The one line that a file ends in."""
    with pytest.raises(FedboundsError) as caught:
        judged(folder, body=body, **{**SMALL, **pieces})
    assert "mine.py:" in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", ["b^2", "G^2", "sigma^2", "sigma_u^2", "", "a b", "sqrt", "k"])
def test_a_parameter_has_a_name_that_is_read_as_itself(name, tmp_path):
    """b^2 stood for the problem's own constant: claims were judged at any value of it."""
    values = f'{{"m": ("n",), "eta": ("1/(8*L)",), "{name}": (1000,)}}'
    body = 'me.claim("a", "b2 >= 1000")'
    assert "parameter" in refusal(tmp_path, body, parameters=values)


def test_a_constant_is_no_parameter_too(tmp_path):
    """The algorithm ran with c = 3, and c >= 7 held."""
    values = '{"m": ("n",), "eta": ("1/(8*L)",), "c": (3,)}'
    body = 'me.constant("c", "c", lambda problem, start: 7)\nme.claim("a", "c >= 7")'
    assert "'c'" in refusal(tmp_path, body, parameters=values)


@pytest.mark.parametrize("name", [r"a\nme: confirmed", r"a\x1b[2J", r"a\tb", "a,b", "a[b]"])
def test_a_claim_has_a_name_of_one_word(name, tmp_path):
    assert "claim name" in refusal(tmp_path, f'me.claim("{name}", "D_W(t) >= 0")')


def test_a_given_that_the_checker_cannot_read_is_told_with_its_line(tmp_path):
    body = (
        'me.given("g", "D_W(t+1) <= D_W(t)", "why", first=2)\nme.claim("a", "1 <= 1", uses=["g"])'
    )
    assert "round 2" in refusal(tmp_path, body)


@pytest.mark.parametrize(
    "formula", ["1/t <= 5", "(1 - 8*eta*L)**(-t) >= 0", "Sum_t(1/t) <= 5", "1/(T - 2) <= 9"]
)
def test_a_division_by_zero_says_nothing(formula, tmp_path):
    """At the first round, or in the only run; it ended in a traceback."""
    more = {**SMALL, "more": "rounds=(2,), horizon=2"}
    row = judged(tmp_path, body=f'me.claim("a", "{formula}")', **more)["a"]
    assert row["statement"] == "untested"


def test_a_division_by_a_quantity_counts_where_it_is_not_zero(tmp_path):
    body = 'me.claim("a", "1/D_W(t) >= 0")\nme.claim("b", "D_W(t)/D_W(t) == 2")'
    rows = judged(tmp_path, body=body, **SMALL)
    assert rows["a"]["statement"] == "survived"
    assert rows["b"]["statement"] == "refuted"


def test_a_condition_that_divides_by_zero_holds_nowhere(tmp_path):
    """b2/b2 was cancelled, so that a claim was judged where its condition says nothing."""
    body = 'me.claim("a", "D_W(t+1) <= -1", conditions=["eta*b2/b2 <= 1/L"])'
    one = "quadratics(clients=(1,), dimensions=(1,))"  # one client: b2 = 0
    assert judged(tmp_path, body=body, problems=one, **SMALL)["a"]["statement"] == "untested"
