r"""``\fedbounds{ID}`` in the authors' own LaTeX: every claim has its mark, and text is never run.

Predicates look at the text; where there is a LaTeX engine, small documents are compiled too.
"""

import os
import re
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import LEMMA, LIKE, THEOREM, claim, gather, proved_document, small_document
from pylatexenc.latexwalker import LatexWalker

from fedbounds.verify.page.exports import latex_marks as marks
from fedbounds.verify.page.exports.latex_marks import key_of, latex_marks, symbol
from fedbounds.verify.page.standings import MEANING, word_of
from fedbounds.verify.page.summary import is_judged
from fedbounds.verify.page.written import site
from fedbounds.vocabulary import Standing

_LINE = re.compile(r"\\fedbounds@(claim|short|without)((?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})+)")
_GROUP = re.compile(r"\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}")
_SAFE = re.compile(r"[A-Za-z0-9._/+*-]+")
_ADDRESS = re.compile(r"[A-Za-z0-9._/+~-]+(\\#[A-Za-z0-9._+~-]+)?")
ODD = "me/a_b"


def document():
    """Claims of two papers that have the same name, and one with a sign of TeX in it."""
    found = small_document()
    more = gather(
        (claim("other/claim-1", "open", [], ()), []),
        (claim(ODD, "open", [], ()), []),
        (claim("me/50%~{x}#\\input{y}", "open", [], ()), []),
        (claim("me/A2+b/corrected", "open", [], (), source="ours"), []),
    )
    return found | {"claims": found["claims"] | more["claims"]}


def data_lines(text):
    """What follows the macros, line by line: the kind of a line and its groups."""
    found = []
    for line in text.splitlines():
        if line.startswith(r"\fedbounds@") and "#1" not in line and line != r"\fedbounds@after":
            match = _LINE.fullmatch(line)
            assert match is not None, line
            found.append((match[1], _GROUP.findall(match[2])))
    return found


# ---- checks of the text


def without_entry(text, document):
    """Claims that have neither a mark nor a reason why they have none."""
    known = {groups[0] for kind, groups in data_lines(text) if kind != "short"}
    return [key for key in document["claims"] if key_of(key) not in known]


def wrong_words(text, document):
    """Claims whose mark says another standing than the results."""
    told = {groups[0]: groups for kind, groups in data_lines(text) if kind == "claim"}
    return [
        key
        for key, one in document["claims"].items()
        if key_of(key) in told and (
            told[key_of(key)][1] != symbol(word_of(one))
            or told[key_of(key)][2].partition(";")[0] != word_of(one)
        )
    ]  # fmt: skip


def wrong_addresses(text, document):
    """Claims whose address is no page of the site, or no place on one."""
    files = site(document)
    wrong = []
    for kind, groups in data_lines(text):
        page, _, place = groups[3 if kind == "claim" else 0].partition(r"\#")
        there = page in files and (not place or f'id="{place}"' in files[page])
        if kind == "claim" and not there:
            wrong.append(groups[0])
    return wrong


def unsafe(text):
    """Lines in which a claim's id or address has a sign that TeX takes for more than a letter."""
    return [
        groups
        for kind, groups in data_lines(text)
        if not _SAFE.fullmatch(groups[0])
        or (kind == "claim" and not _ADDRESS.fullmatch(groups[3]))
        or (kind == "short" and not _SAFE.fullmatch(groups[1]))
    ]


@pytest.mark.parametrize("of", [document, proved_document])
def test_every_claim_has_its_mark(of):
    text = latex_marks(of())
    assert text.isascii()
    assert (without_entry(text, of()), wrong_words(text, of()), unsafe(text)) == ([], [], [])
    assert wrong_addresses(text, of()) == []
    judged = [key for key, one in of()["claims"].items() if is_judged(one)]
    marked = {groups[0] for kind, groups in data_lines(text) if kind == "claim"}
    assert {key_of(key) for key in judged} <= marked


def test_groups_match_and_macros_end_where_they_began():
    text = latex_marks(document())
    LatexWalker(text, tolerant_parsing=False).get_latex_nodes()
    assert text.index("fedbounds@after") < text.index(r"\fedbounds@claim")
    assert text.endswith("\\fedbounds@after\n")
    assert "EXAMPLE" not in text


def test_a_mark_tells_whose_text_it_is_and_whether_readings_differ():
    lines = data_lines(latex_marks(document()))
    told = {groups[0]: groups[2] for kind, groups in lines if kind == "claim"}
    assert told[THEOREM] == "tested; readings differ"
    assert told[LEMMA] == "refuted; reconstructed"
    assert told[LIKE] == "tested"
    assert told["me/A2+b/corrected"] == "open; ours"


def test_a_definition_and_a_name_of_two_claims_say_why_they_have_no_mark():
    told = [groups for kind, groups in data_lines(latex_marks(document())) if kind == "without"]
    assert ["toy/def-1", "it is a definition, and not judged"] in told
    assert ["claim-1", "it may be toy/claim-1 or other/claim-1; name one of these"] in told
    short = [groups for kind, groups in data_lines(latex_marks(document())) if kind == "short"]
    assert ["thm-3.7", THEOREM] in short
    assert "claim-1" not in {name for name, _ in short}


def test_every_standing_has_a_symbol_of_its_own_and_no_package_is_needed():
    symbols = [symbol(word) for word in Standing] + [symbol("not judged")]
    assert len(set(symbols)) == len(symbols)
    assert all(re.fullmatch(r"\(?(\\[a-z]+|[?!=-]+)\)?(\^\{\*\})?", one) for one in symbols)
    assert "usepackage" not in latex_marks(document())


def test_the_legend_has_the_standings_that_occur():
    (legend,) = (x for x in latex_marks(document()).splitlines() if r"\def\fedboundslegend" in x)
    found = set(re.findall(r"\\fedboundsmark\{[^}]*\}\{([^}]*)\}", legend))
    assert found == {"tested", "refuted", "open"}
    assert MEANING[Standing.REFUTED] in legend
    assert "profile quick, seed 3" in legend


@given(st.lists(st.text(st.characters(codec="utf-8")), unique=True))
def test_no_two_ids_are_typed_alike_and_none_has_a_sign_of_tex(ids):
    keys = [key_of(one) for one in ids]
    assert len(set(keys)) == len(keys)
    assert all(_SAFE.fullmatch(key) for key in keys if key)


# ---- planted errors


def test_a_claim_without_a_mark_is_noticed():
    text = latex_marks(document())
    lines = [x for x in text.splitlines(keepends=True) if f"@claim{{{LEMMA}}}" not in x]
    assert without_entry("".join(lines), document()) == [LEMMA]


def test_another_standing_is_noticed():
    text = latex_marks(document())
    assert wrong_words(text.replace("{refuted;", "{confirmed;"), document()) == [LEMMA]
    assert wrong_words(text.replace(r"{\times}{refuted;", r"{\surd}{refuted;"), document()) == [
        LEMMA
    ]


def test_an_address_that_leads_nowhere_is_noticed():
    text = latex_marks(document())
    assert wrong_addresses(text.replace("lem-A.2.html", "lem-A.3.html"), document()) == [LEMMA]
    assert wrong_addresses(text.replace("claim-toy-claim-2}", "x}"), document()) == ["toy/claim-2"]


def test_a_sign_that_is_not_escaped_is_noticed(monkeypatch):
    monkeypatch.setattr(marks, "_RARE", re.compile("(?!)"))
    assert [groups for groups in unsafe(latex_marks(document())) if "input" in groups[0]]
    one = gather((claim("me/a~b", "open", [], ()), []))
    assert len(unsafe(latex_marks(one))) == 2


# ---- with an engine


ENGINE = next(filter(None, map(shutil.which, ("pdflatex", "lualatex", "xelatex", "latex"))), None)
engine = pytest.mark.skipif(ENGINE is None, reason="no LaTeX engine is on this machine")
MARKED = r"""\documentclass{article}
%s
\input{marks}
\newcommand\here{https://example.org/~me/a\%%20b_c/}
\renewcommand\fedboundsbase{\here results/}
\newtheorem{theorem}{Theorem}
\begin{document}
\tableofcontents
\section{Rates \fedbounds{me/a_b}}
\begin{theorem}[Main \fedbounds{thm-3.7}] \fedbounds{me/A2+b/corrected} holds.\end{theorem}
\[ x = 1 \quad \fedbounds{personalization/lem-A.2} \]
\begin{figure}\caption{As \fedbounds{claim-2} says}\end{figure}
%s
\fedboundslegend
\end{document}
"""
SHOWN = r"""\renewcommand\fedboundsmark[2]{\typeout{MARK #2.}}
\makeatletter\def\href#1#2{\typeout{LINK #1.}#2}\makeatother
\fedbounds{thm-3.7}\fedbounds{me/A2+b/corrected}\fedbounds{toy/claim-2}\fedbounds{me/50*25**7e*%
*7b*x*7d**23**5c*input*7b*y*7d*}"""


def compiled(folder, package="", body="", *, twice=False):
    """The log of a document with marks; the engine must not complain."""
    (folder / "marks.tex").write_text(latex_marks(document()))
    (folder / "paper.tex").write_text(MARKED % (package, body))
    log = run(folder)
    return run(folder) if twice else log


def run(folder):
    """The engine on a paper, once."""
    done = subprocess.run(
        [ENGINE, "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=folder,
        env=os.environ | {"max_print_line": "10000"},
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    return (folder / "paper.log").read_text(errors="replace")


def has(package):
    """Whether the engine finds a package."""
    finder = shutil.which("kpsewhich")
    found = finder and subprocess.run([finder, package], capture_output=True, check=False)
    return bool(found and found.stdout.strip())


@engine
@pytest.mark.parametrize("package", ["", "hyperref"])
def test_a_paper_with_marks_compiles(package, tmp_path):
    if package and not has(f"{package}.sty"):
        pytest.skip(f"no {package} is on this machine")
    log = compiled(tmp_path, package and rf"\usepackage{{{package}}}", twice=True)
    assert "fedbounds Warning" not in log
    assert "Token not allowed in a PDF string" not in log
    assert r"\fedbounds {me/a_b}" in (tmp_path / "paper.toc").read_text()


@engine
def test_marks_link_to_the_pages(tmp_path):
    log = compiled(tmp_path, body=SHOWN)
    base = "https://example.org/~me/a%20b_c/results/"
    assert f"LINK {base}claims/claim-personalization-thm-3.7.html.\nMARK tested; readings" in log
    assert f"LINK {base}index.html#claim-me-A2~2b~b+corrected.\nMARK open; ours." in log
    assert f"LINK {base}index.html#claim-toy-claim-2.\nMARK open." in log
    assert f"LINK {base}index.html#claim-me-50~25~~7e~" in log
    assert "fedbounds Warning" not in log


@engine
@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("thm-3.8", "these results have no such claim"),
        ("me/a_c+d", "these results have no such claim"),
        ("toy/def-1", "it is a definition, and not judged"),
        ("claim-1", "it may be toy/claim-1 or other/claim-1; name one of these"),
    ],
)
def test_an_id_without_a_mark_is_a_warning_that_names_it_and_is_seen(typed, why, tmp_path):
    log = compiled(tmp_path, body=rf"\setbox0\hbox{{\fedbounds{{{typed}}}}}\typeout{{\the\wd0}}")
    assert f"Package fedbounds Warning: claim '{typed}': {why} on input line" in log
    assert re.search(r"^[1-9]\d*\.\d+pt$", log, re.M)  # what is printed has a width


@engine
@pytest.mark.parametrize("code", [11, 12])
def test_the_sign_at_is_what_it_was(code, tmp_path):
    (tmp_path / "marks.tex").write_text(latex_marks(document()))
    (tmp_path / "paper.tex").write_text(
        f"\\documentclass{{article}}\\catcode64={code} \\input{{marks}}\\typeout{{CODE \\the\\catcode64}}"
        "\\begin{document}x\\end{document}"
    )
    assert f"CODE {code}\n" in run(tmp_path)
