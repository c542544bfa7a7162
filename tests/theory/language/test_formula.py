"""Formulas as LaTeX: every round and local step that is judged is shown."""

import xml.etree.ElementTree as ET

import pytest
import sympy as sp

from fedbounds.theory.language import formula
from fedbounds.theory.language.claims import read
from fedbounds.theory.language.registry import encoded_claims
from fedbounds.theory.language.symbols import (
    B,
    Du_2,
    G_u,
    G_v,
    K,
    Mean_t,
    b2,
    f,
    j,
    k,
    m,
    n,
    t,
)
from fedbounds.theory.personalization.symbols import (
    A_old,
    C,
    C_i,
    E_ik,
    P,
    U_ik,
    g_ui,
)
from fedbounds.theory.proof.library import names_of
from fedbounds.verify.page.formulas import tidy
from fedbounds.verify.page.mathml import to_mathml

r = sp.Symbol("r", integer=True)


def to_latex(expression):
    return formula.to_latex(expression, names_of("personalization"))


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


def test_two_calls_of_one_quantity_in_a_part_are_told_apart():
    applied = sp.core.function.AppliedUndef
    for claim in encoded_claims("personalization"):
        for part in read(claim, claim.readings[0]):
            calls = part.left.atoms(applied) | part.right.atoms(applied)
            assert len({to_latex(call) for call in calls}) == len(calls), (claim.id, part.name)


def test_no_symbol_gets_two_superscripts():
    assert to_latex(b2**2) == r"\left(b^2\right)^{2}"
