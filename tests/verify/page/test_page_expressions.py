"""Text of certificates as LaTeX and as plain text: equal in value to what the checker reads."""

import ast
import re
import xml.etree.ElementTree as ET
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.verify.page.expressions import latex_of
from fedbounds.verify.page.mathml import to_mathml
from fedbounds.verify.page.plain import plain

NAMES = {"a": Fraction(3, 7), "b": Fraction(-5, 2), "e": Fraction(11, 3)}
DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def expressions():
    leaves = st.sampled_from([*NAMES, "1", "2", "3", "-1"])

    def grown(inner):
        pair = st.tuples(inner, inner)
        return st.one_of(
            pair.map(lambda p: f"({p[0]}) + ({p[1]})"),
            pair.map(lambda p: f"({p[0]}) - ({p[1]})"),
            pair.map(lambda p: f"({p[0]})*({p[1]})"),
            pair.map(lambda p: f"({p[0]})/({p[1]})"),
            inner.map(lambda x: f"-({x})"),
            st.tuples(inner, st.sampled_from(["2", "3"])).map(lambda p: f"({p[0]})**{p[1]}"),
        )

    return st.recursive(leaves, grown, max_leaves=9)


def value(text):
    """A Python expression in rationals; None where it divides by zero."""
    tree = ast.parse(text, mode="eval").body

    def of(node):
        match node:
            case ast.Constant(value=number):
                return Fraction(number)
            case ast.Name(id=name):
                return NAMES[name]
            case ast.UnaryOp(operand=inner):
                return -of(inner)
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                return of(left) ** int(of(right))
        one, other = of(node.left), of(node.right)
        match node.op:
            case ast.Add():
                return one + other
            case ast.Sub():
                return one - other
            case ast.Mult():
                return one * other
            case ast.Div():
                return one / other
        raise AssertionError(ast.dump(node))

    try:
        return of(tree)
    except ZeroDivisionError:
        return None


def as_python(text):
    """The text that a reader sees, with the signs that a reader adds."""
    raised = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda found: f"**{found[0].translate(DIGITS)}", text)
    spaced = raised.replace(" + ", "+").replace(" − ", "-").replace("−", "-").replace(" ⋅ ", "*")
    return spaced.replace(" ", "*")


@settings(max_examples=400, deadline=None)
@given(expressions())
def test_what_a_reader_sees_has_the_value_of_the_text(text):
    expected = value(text)
    if expected is not None:
        assert value(as_python(plain(latex_of(text, "personalization")))) == expected


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("((1) / (1))", "1"),
        ("((-1*gamma**2) / (1*n_ + 2))", "−γ²/(n′ + 2)"),
        ("((1/2*K*gamma) / (1))", "(K γ)/2"),
        ("K == 2 + K_", "K = 2 + K′"),
        ("K_**2*gamma_u**2", "K′² γ_u²"),
        ("sigma_u2*(a - (b - e))", "σ_u² (a − (b − e))"),
        ("1*(a - b) - 1*(a - b)", "a − b − (a − b)"),
        ("sq(x)**2", "(𝔼‖x‖²)²"),
        ("given(present(x), past, S)", "𝔼[1_{i∈S}(x) ∣ F^t, S^t]"),
        ("eta_u >= sqrt(n)", "η_u ≥ √n"),
        ("Sum_t(G_u(t))", "∑_t [G_u^t]"),
        ("E_ik(t + 1, k)", "E_{i,k}^{t+1}"),
        ("growth(2, K - 1, 8)", "growth(2, K − 1, 8)"),
    ],
)
def test_certificates_are_readable(text, shown):
    assert plain(latex_of(text, "personalization")) == shown


@pytest.mark.parametrize(
    "text",
    ["2 squared", "def G_u (FedAvg-P)", "lem-3.2:u", "", "x.y", "f(x=1)", "'a'", "?", "a, b"],
)
def test_what_is_no_expression_is_said_to_be_none(text):
    assert latex_of(text, "personalization") is None


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\mathbb E\|\hat u^t - u^t\|^2", "𝔼‖û^t − u^t‖²"),
        (r"\mathcal E^{t}", "E^t"),  # the drift, which is not the expectation
        (r"\hat u_{i,k+1}^{t}", "û_{i,k+1}^t"),
        (r"\langle -a,b\rangle", "⟨−a, b⟩"),
        (r"\|a\|^2 + \|b\|^2", "‖a‖² + ‖b‖²"),
        (r"\frac{a + b}{n} c", "(a + b)/n c"),
        (r"\sum_{i,k} x", "∑_{i,k} x"),
        (r"\sqrt{32} x", "√32 x"),
        (r"\sqrt[3]{n}", "³√n"),
        (r"\mathrm{smooth}(x)", "smooth(x)"),
        (r"a \circ b", "a ∘ b"),
        (r"\overline\psi^{2} + \underline\psi", "ψ̄² + ψ̲"),
    ],
)
def test_formulas_in_one_line(latex, text):
    assert plain(latex) == text
    ET.fromstring(f"<math>{to_mathml(latex)}</math>")
