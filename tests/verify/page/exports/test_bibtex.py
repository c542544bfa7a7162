"""BibTeX says what the catalogue and the package say, in entries that a parser reads back."""

import re

import pytest
from pylatexenc.latex2text import LatexNodes2Text

import fedbounds
from fedbounds.errors import FedboundsError
from fedbounds.theory.language import catalogue
from fedbounds.theory.language.catalogue import PAPERS, Entry, entry, paper, select
from fedbounds.verify.page.exports import bibtex
from fedbounds.verify.page.exports.bibtex import bibliography
from fedbounds.vocabulary import Kind, Source


def parsed(text):
    """Entries as BibTeX reads them: braces counted, a comma or the end after each value."""
    found, at = {}, 0
    while (head := re.compile(r"@(\w+)\{([^,\s{}]+),\s*").search(text, at)) is not None:
        fields, at = {}, head.end()
        while (name := re.compile(r"\s*(\w+) = \{").match(text, at)) is not None:
            depth, start = 1, name.end()
            at = start
            while depth:
                depth += {"{": 1, "}": -1}.get(text[at], 0)
                at += 1
            fields[name[1]] = text[start : at - 1]
            assert text[at] == ","
            at += 1
        assert re.compile(r"\s*\}").match(text, at), text[at:]
        found[head[2]] = (head[1], fields)
    return found


def words(latex):
    return LatexNodes2Text().latex_to_text(latex)


def test_every_paper_and_the_suite():
    found = parsed(bibliography(select(()), named=False))
    assert list(found) == [*PAPERS, "fedbounds"]
    for key in PAPERS:
        kind, fields = found[key]
        assert kind == "misc"
        assert words(fields["title"]) == paper(key).title
        assert fields["title"].startswith("{")
        assert words(fields["author"]).split(" and ") == list(paper(key).authors)
        assert set(fields) == {"title", "author"}  # nothing that nobody told us
    _, suite = found["fedbounds"]
    assert f"Version {fedbounds.__version__}." in suite["note"]


def test_a_claim_names_its_place():
    found = parsed(bibliography([entry("fedplt/alpha")], named=True))
    assert list(found) == ["fedplt", "fedbounds"]
    assert found["fedplt"][1]["annote"] == "Step 4.2, Part 1: fedplt/alpha"
    assert "annote" not in parsed(bibliography(select(("fedplt",)), named=True))["fedplt"][1]


def test_names_of_any_letters_are_escaped(monkeypatch):
    odd = catalogue.Paper("fedplt", "A {B}_c & 50 % of K\u0142", ("J\u00f6rg \u0141a",), ())
    monkeypatch.setattr(bibtex, "paper", lambda key: odd)
    text = bibliography([entry("fedplt/alpha")], named=False)
    fields = parsed(text)["fedplt"][1]
    assert text.isascii()
    assert not re.search(r"(?<!\\)[_&%]", fields["title"])
    assert words(fields["author"]) == odd.authors[0]


def test_a_claim_of_no_paper_is_refused():
    own = Entry("me/rate", Kind.INEQUALITY, Source.OURS, "here", "a rate")
    with pytest.raises(FedboundsError, match="me/rate belongs to no paper"):
        bibliography([own], named=True)
