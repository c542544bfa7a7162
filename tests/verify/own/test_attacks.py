"""What was tried against formulas and a user's file, and got through."""

import ast
from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.theory.symbols import SHARED
from fedbounds.theory.typed import names_of, relation

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
