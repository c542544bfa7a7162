"""LaTeX of every claim of every paper is what TeX accepts: groups, scripts, text and formulas."""

import re

import pytest
from pages import LIKE, proved_document
from pylatexenc.latexwalker import LatexWalker
from tex_rules import TexError, check_formula

from fedbounds.theory.language.catalogue import PAPERS, paper
from fedbounds.theory.language.formula import to_latex
from fedbounds.theory.language.registry import encoded
from fedbounds.theory.proof.library import book_of, names_of
from fedbounds.verify.page.exports.claim_latex import claim_latex, steps_latex
from fedbounds.verify.page.exports.rows import formulas, listing, steps

_DISPLAY = re.compile(r"\\begin\{equation\*\}\n(.*?)\n\\end\{equation\*\}|(?<!\\)\$(.*?)\$", re.S)
_TAG = re.compile(r" \\tag\*\{.*\}$")


def check_document(text):
    """Formulas obey TeX; the text between has no sign of mathematics and matching groups."""
    LatexWalker(text, tolerant_parsing=False).get_latex_nodes()
    for display, inline in _DISPLAY.findall(text):
        check_formula(_TAG.sub("", display or inline))
    words = re.sub(
        r"\\ensuremath\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}", "", _DISPLAY.sub("", text)
    )
    words = re.sub(r"^%.*$", "", words, flags=re.M)
    wrong = re.search(r"(?<!\\)[_^#%&$]", words)
    assert wrong is None, words[max(0, wrong.start() - 40) : wrong.end() + 20]


@pytest.mark.parametrize("key", PAPERS)
def test_every_claim_of_a_paper_is_latex(key):
    for entry in paper(key).entries:
        claim = encoded(entry) if entry.module else None
        text = claim_latex(entry, claim, None, None)
        check_document(text)
        assert text.startswith("% needs")
        assert r"\paragraph{" in text
        for latex in [row[8] for row in formulas(entry, claim, None).rows if row[8]]:
            check_formula(latex)
            assert latex in text


@pytest.mark.parametrize("key", PAPERS)
def test_both_sides_of_every_step_of_a_paper_are_latex(key):
    names = names_of(key)
    for step in book_of(key).steps:
        check_formula(f"{to_latex(step.left, names)} = {to_latex(step.right, names)}")


def test_steps_are_latex_whatever_they_are_called():
    rows = proved_document()["proofs"]
    rows[LIKE]["steps"][0] |= {"id": "a_b & 50 %", "place": "eq. (1) #2", "missing": ["x^2"]}
    for row in rows.values():
        check_document(steps_latex(row))
    for latex in [row[8] for row in steps(rows).rows]:
        check_formula(latex)


def test_a_superscript_too_many_would_be_caught(monkeypatch):
    monkeypatch.setattr("fedbounds.theory.language.formula._RAISED", re.compile("(?!)"))
    with pytest.raises(TexError, match="double script"):
        test_every_claim_of_a_paper_is_latex("submodel")


@pytest.mark.parametrize("paper", PAPERS)
def test_every_notation_is_latex(paper):
    names = names_of(paper)
    for latex in [*(m.latex for m in names.meanings.values()), *names.vectors.values()]:
        check_formula(latex)


def test_the_standing_and_the_proof_are_told():
    document = proved_document()
    entry = next(e for e in paper("personalization").entries if e.id == "personalization/thm-3.7")
    text = claim_latex(
        entry, encoded(entry), document["claims"][entry.id], document["proofs"][entry.id]
    )
    check_document(text)
    assert "Standing: tested." in text
    assert "Proof: gap." in text
    assert r"\tag*" not in text  # one part, without a name
    assert r"if $\gamma \eta_u" in text or r"$\gamma \le \frac{1}{32 K L}$" in text


@pytest.mark.parametrize(
    "wrong",
    ["x^2^{t}", "x_1_2", "{x", "x}", "x^", r"\left(x", "x^{a^b^c}", "x^2'", "ψ", "a & b", "50%"],
)
def test_what_tex_refuses_is_caught(wrong):
    with pytest.raises(TexError):
        check_formula(wrong)


@pytest.mark.parametrize("right", ["x'^{2}_1", "x''", "x_{a_b}^{c^d}", r"F_p^{\inf}", r"(F^*)^{t}"])
def test_what_tex_accepts_passes(right):
    check_formula(right)


def test_raw_text_is_caught():
    with pytest.raises(AssertionError):
        check_document("a_b")


def test_the_list_of_claims_is_latex():
    from fedbounds.verify.page.exports.render import render

    every = [entry for key in PAPERS for entry in paper(key).entries]
    body = render(listing(every), "tex").partition("\\endhead\n")[2]
    check_document(re.sub(r"(?<!\\)&|\\end\{longtable\}", "", body))
