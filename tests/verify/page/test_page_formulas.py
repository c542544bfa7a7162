"""Formulas on the page: equal to what is judged, with every index, as well-formed MathML."""

import random
import xml.etree.ElementTree as ET

import pytest
import sympy as sp
from markupsafe import Markup

from fedbounds.theory.language import registry
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, read
from fedbounds.theory.language.registry import encoded_claims
from fedbounds.theory.language.symbols import RunOperator
from fedbounds.verify.page.formulas import (
    NO_FORMULAS,
    PartView,
    formulas,
    tidy,
    with_equal_terms,
)
from fedbounds.verify.page.mathml import to_mathml

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
            '<mrow><mo stretchy="false">⟨</mo><mi>a</mi><mo stretchy="false">⟩</mo></mrow>',
        ),
        (r"\|", '<mo stretchy="false" lspace="0" rspace="0">‖</mo>'),
        (r"\mathrm{ab}", '<mi mathvariant="normal">ab</mi>'),
        (r"\sum_i", "<munder><mo>∑</mo><mi>i</mi></munder>"),
    ],
)
def test_latex_becomes_mathml(latex, mathml):
    assert to_mathml(latex) == mathml


@pytest.mark.parametrize("latex", ["", "{", r"\frac", r"\left(", "x^", r"\mathcal", r"\sqrt["])
def test_broken_latex_does_not_break_the_page(latex):
    ET.fromstring(f"<math>{to_mathml(latex)}</math>")


def test_parts_of_which_the_same_is_said_stand_together_in_their_order():
    def part(name, index="", conditions=(), assumptions=(), trivial=None):
        return PartView(name, index, "≤", Markup("x"), conditions, assumptions, trivial)

    bound = (("K >= 2", Markup("K")),)
    parts = [
        part("a"),
        part("b"),
        part("c", conditions=bound),
        part("d", conditions=bound),
        part("e", conditions=bound, assumptions=("smooth",)),
        part("f", "once per run", bound, ("smooth",)),
        part("g", "once per run", bound, ("smooth",), trivial=Markup("1")),
        part("h"),
    ]
    groups = [[one.name for one in group] for group in with_equal_terms(parts)]
    assert groups == [["a", "b"], ["c", "d"], ["e"], ["f"], ["g"], ["h"]]


def test_an_unknown_claim_has_no_formulas():
    assert not formulas("toy/claim-1").readings


def test_a_claim_in_words_alone_has_no_formulas(monkeypatch):
    class InWords:
        id = TEN

    monkeypatch.setattr(registry, "encoded", lambda found: InWords())
    assert formulas(TEN).readings == {}
    assert formulas(TEN).notation == ()


@pytest.mark.parametrize(
    ("claim_id", "texts"),
    [
        ("sc-fedavg", ("FedAvg-P is FedAvg", "d_v = 0 and eta_u = 1")),
        ("rem-3.10", ("improves on",)),
    ],
)
def test_a_claim_without_runs_shows_what_it_compares(claim_id, texts):
    view = formulas(f"personalization/{claim_id}")
    pieces = [part.formula for parts in view.readings.values() for part in parts]
    for piece in pieces:
        ET.fromstring(f"<p>{piece}</p>")
    assert all(any(text in piece for piece in pieces) for text in texts)


def test_an_experiment_shows_what_its_description_fixes_and_an_assumption_nothing_more():
    found = registry.encoded(entry("personalization/exp-setup"))
    assert formulas("personalization/exp-setup").stated == found.stated
    assert formulas("personalization/asm-2.1") == NO_FORMULAS


def test_what_t_counts_is_told():
    assert "rungs of a ladder" in formulas("personalization/fig-1a").counts
    assert "is its round" in formulas("personalization/thm-3.7").counts
    assert formulas("personalization/rem-3.9").counts == ""


def test_the_notation_covers_every_reading():
    meanings = [meaning for _, meaning in formulas("personalization/fig-1d").notation]
    assert "limit of G_u" in meanings  # of the second reading only
