"""Formulas on the page: equal to what is judged, with every index, as well-formed MathML."""

import random
import xml.etree.ElementTree as ET

import pytest
import sympy as sp

from fedbounds.theory import registry
from fedbounds.theory.claims import Claim, read
from fedbounds.theory.registry import encoded_claims
from fedbounds.theory.symbols import (
    A_old,
    B,
    C,
    C_i,
    Du_2,
    E_ik,
    G_u,
    G_v,
    K,
    Mean_t,
    P,
    RunOperator,
    U_ik,
    f,
    g_ui,
    j,
    k,
    m,
    n,
    t,
)
from fedbounds.verify.page.formulas import formulas, tidy
from fedbounds.verify.page.mathml import to_mathml
from fedbounds.verify.formula import to_latex

TEN = "personalization/rem-3.10"


def every_part():
    for one in encoded_claims("personalization"):
        for reading in one.readings if isinstance(one, Claim) else ():
            for part in read(one, reading):
                yield one.id, part


def number_at(expression):
    """Value with a number for every symbol and quantity, chosen by name; run operators dropped."""

    def value(name):
        return sp.Rational(random.Random(name).randint(2, 9))

    flat = expression.replace(lambda e: isinstance(e, RunOperator), lambda e: e.args[0])
    flat = flat.replace(
        lambda e: isinstance(e, sp.core.function.AppliedUndef), lambda e: value(str(e))
    )
    return flat.xreplace({symbol: value(symbol.name) for symbol in flat.free_symbols})


def test_what_is_shown_equals_what_is_judged():
    for claim_id, part in every_part():
        sides = [part.left, part.right, *(s for c in part.conditions for s in (c.left, c.right))]
        for side in sides if part.trivial is None else [*sides, part.trivial]:
            before, after = number_at(sp.sympify(side)), number_at(tidy(sp.sympify(side)))
            assert abs(sp.N(before - after, 40)) < 1e-30, (claim_id, side)


def test_every_formula_is_well_formed_and_whole():
    ids = {claim_id for claim_id, _ in every_part()}
    for claim_id in sorted(ids):
        view = formulas(claim_id)
        pieces = [p.formula for parts in view.readings.values() for p in parts]
        pieces += [f for parts in view.readings.values() for p in parts for _, f in p.conditions]
        pieces += [symbol for symbol, _ in view.notation]
        for piece in pieces:
            tree = ET.fromstring(f"<p>{piece}</p>")
            assert not list(tree.iter("mtext")), (claim_id, piece)
            texts = [node.text or "" for node in tree.iter()]
            assert not any(mark in text for text in texts for mark in "\\{}_^"), (claim_id, piece)


@pytest.mark.parametrize(
    ("latex", "mathml"),
    [
        ("x", "<mi>x</mi>"),
        (r"\gamma_u", "<msub><mi>γ</mi><mi>u</mi></msub>"),
        (r"\sigma_u^2", "<msubsup><mi>σ</mi><mi>u</mi><mn>2</mn></msubsup>"),
        (r"\tfrac1m", "<mfrac><mn>1</mn><mi>m</mi></mfrac>"),
        (r"\frac12", "<mfrac><mn>1</mn><mn>2</mn></mfrac>"),
        (r"\sqrt{32}", "<msqrt><mn>32</mn></msqrt>"),
        (r"\sqrt[3]{n}", "<mroot><mi>n</mi><mn>3</mn></mroot>"),
        (r"\mathcal B", "<mi>ℬ</mi>"),
        (r"\mathbb E", "<mi>𝔼</mi>"),
        (r"\unknown", r"<mtext>\unknown</mtext>"),
        ("<", "<mo>&lt;</mo>"),
        ("x^2^t", "<msup><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow><mi>t</mi></msup>"),
        (r"\hat u", '<mover accent="true"><mi>u</mi><mo stretchy="false">ˆ</mo></mover>'),
        (r"i\ne j", "<mrow><mi>i</mi><mo>≠</mo><mi>j</mi></mrow>"),
        (
            r"\langle a\rangle",
            '<mrow><mo stretchy="false" lspace="0" rspace="0">⟨</mo><mi>a</mi>'
            '<mo stretchy="false" lspace="0" rspace="0">⟩</mo></mrow>',
        ),
        (r"\sum_i", "<munder><mo>∑</mo><mi>i</mi></munder>"),
    ],
)
def test_latex_becomes_mathml(latex, mathml):
    assert to_mathml(latex) == mathml


@pytest.mark.parametrize("latex", ["", "{", r"\frac", r"\left(", "x^", r"\mathcal", r"\sqrt["])
def test_broken_latex_does_not_break_the_page(latex):
    ET.fromstring(f"<math>{to_mathml(latex)}</math>")


def test_an_unknown_claim_has_no_formulas():
    assert not formulas("toy/claim-1").readings


def test_a_claim_in_words_alone_has_no_formulas(monkeypatch):
    class InWords:
        id = TEN

    monkeypatch.setattr(registry, "claim", lambda name: InWords())
    assert formulas(TEN).readings == {}
    assert formulas(TEN).notation == ()


r = sp.Symbol("r", integer=True)


@pytest.mark.parametrize(
    ("expression", "latex"),
    [
        (E_ik(t, k), r"\mathcal E_{i,k}^{t}"),
        (E_ik(t, k + 1), r"\mathcal E_{i,k+1}^{t}"),
        (U_ik(t, k + 1), r"\mathbb E\|\hat u_{i,k+1}^{t-1}-u^{t}\|^2"),
        (A_old(t, k), r"\mathbb E\|\alpha_{i,k}^{t-2}-u^{t}\|^2"),
        (A_old(t - 1, k), r"\mathbb E\|\alpha_{i,k}^{t-3}-u^{t-1}\|^2"),
        (C_i(t), r"\textstyle\sum_k\mathcal C_{i,k}^{t}"),
        (g_ui(t), r"\mathbb E\|\nabla_uf_i\|^2"),
        (g_ui(t - 1), r"\left(\mathbb E\|\nabla_uf_i\|^2\right)^{t-1}"),
        (Du_2(t - 1), r"\left(\mathbb E\|\Delta u\|^2\right)^{t-1}"),
        (P(t + 1), r"\mathcal P^{t+1}"),
        (B(0), r"\mathcal B^{0}"),
        (G_u(t) ** 2, r"\left(\mathcal G_u^{t}\right)^{2}"),
        (G_v(t - 1), r"\mathcal G_{\mathbf v}^{t-1}"),
        (f(t + 1) - f(t), "f^{t+1} - f^{t}"),
        (sp.Min(1, m / n ** sp.Rational(2, 3)), r"\min\left(1, \frac{m}{n^{2/3}}\right)"),
        (sp.Sum(K**r, (r, 0, j - 1)), r"\sum_{r=0}^{k - 1} K^{r}"),
        (Mean_t(C(t)), r"\frac1T\sum_{t=0}^{T-1}\left[\mathcal C^{t}\right]"),
    ],
)
def test_every_index_is_shown(expression, latex):
    assert to_latex(tidy(expression)) == latex
    tree = ET.fromstring(f"<math>{to_mathml(latex)}</math>")
    assert not list(tree.iter("mtext"))


def test_two_rounds_or_steps_of_one_quantity_never_look_the_same():
    for quantity in (g_ui, Du_2, C_i, G_u, f):
        shown = {to_latex(quantity(when)) for when in (t - 2, t - 1, t, t + 1, sp.Integer(0))}
        assert len(shown) == 5, shown
    for quantity in (E_ik, U_ik, A_old):
        at = [(t, k), (t, k + 1), (t, sp.Integer(0)), (t - 1, k), (t + 1, k + 1)]
        assert len({to_latex(quantity(*index)) for index in at}) == 5


def test_a_step_is_shown_even_where_the_notation_has_no_place_for_it():
    assert to_latex(G_u(t, k + 1)) == r"\left(\mathcal G_u\right)_{k+1}^{t}"
