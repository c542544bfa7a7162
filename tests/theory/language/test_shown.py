"""A claim in a notebook: every reading with its formulas, conditions and assumptions."""

import re

import pytest
from tex_rules import check_formula

from fedbounds.theory.language.catalogue import PAPERS
from fedbounds.theory.language.claims import read
from fedbounds.theory.language.registry import claim, encoded_claims


@pytest.mark.parametrize("paper", PAPERS)
def test_every_reading_of_every_claim_is_shown_whole(paper):
    for one in encoded_claims(paper):
        text = one._repr_markdown_()
        assert text.startswith(f"**{one.id}**, {one.entry.place} (")
        for reading in one.readings:
            assert f"*{reading.name}" in text
        parts = [part for reading in one.readings for part in read(one, reading)]
        formulas = re.findall(r"(?<!\\)\$(.*?)(?<!\\)\$", text)
        assert len(formulas) == len(parts) + sum(len(part.conditions) for part in parts)
        for formula in formulas:
            check_formula(formula)


def test_a_condition_and_an_assumption_are_told():
    text = claim("personalization/thm-3.7")._repr_markdown_()
    assert r"$\gamma \le \frac{1}{32 K L}$; bounded below; bounded gradient dissimilarity" in text
