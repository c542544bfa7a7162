"""The submodel catalogue lists the ids of its statement sheet and judges nothing.

The sheet writes two ranges, `asm-1`..`asm-7` and `def-1`..`def-5`, and defines `lem-2-quad` inside
the text of `lem-2`: the ledger has every id written out, where the sheet has it. `claim-scale` of the
sheet's table is left out: by the sheet's corrections it is no claim of the paper.
"""

import re
from collections import Counter

import pytest
import sympy as sp
from each import each
from listed_claims import JUDGING, assert_complete, catalogue_of, ledger_of, reached

from fedbounds.theory.language import catalogue
from fedbounds.theory.language.registry import claim as claim_of
from fedbounds.theory.language.symbols import constants_in
from fedbounds.vocabulary import Kind, Source

LEDGER = ledger_of("submodel")
CLAIMS = catalogue_of("submodel")["claim"]
IDS = [claim["id"] for claim in CLAIMS]


def test_the_catalogue_lists_the_ids_of_the_sheet_in_its_order():
    assert IDS == LEDGER


def test_the_ledger_is_whole():
    assert len(LEDGER) == len(set(LEDGER)) == 57
    names = [name.removeprefix("submodel/") for name in LEDGER]
    assert [n for n in names if n.startswith("asm-")] == [f"asm-{k}" for k in range(1, 8)]
    assert [n for n in names if n.startswith("def-")] == [f"def-{k}" for k in range(1, 6)]
    numbered = {int(n[4:]) for n in names if re.fullmatch(r"lem-\d+", n)}
    assert numbered == set(range(1, 13))
    assert {n for n in names if n.startswith("thm-")} == {f"thm-{k}" for k in range(1, 7)}
    assert sum(n.startswith("claim-") for n in names) == 15
    assert (names[0], names[-1]) == ("problem", "claim-recover")


def test_the_paper_is_registered_under_its_key():
    found = catalogue.paper("submodel")
    assert found.key in catalogue.PAPERS
    assert [entry.id for entry in found.entries if entry.source is not Source.OURS] == IDS


@each("claim", CLAIMS)
def test_a_claim_is_complete(claim):
    assert_complete(claim)
    assert not JUDGING.search(claim["statement"])


def test_only_claims_in_words_are_the_papers_own():
    """Every formula is missing in the text: whatever has one is a reconstruction."""
    counted = Counter(claim["source"] for claim in CLAIMS)
    assert counted.keys() == {"reconstructed", "restored", "verbatim"}
    own = [claim["id"] for claim in CLAIMS if claim["source"] != "reconstructed"]
    assert all(name.startswith("submodel/claim-") for name in own)


WORDS = re.compile(r"[A-Za-z0-9 ,.;:()'-]+")


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c["source"] == "verbatim"])
def test_a_verbatim_claim_has_no_formula(claim):
    """Neither in its words nor in what is judged: numbers that are measured, side by side."""
    assert WORDS.fullmatch(claim["statement"])
    given = {"sigma^2", "eta", "K", "L", "S_sub", "T"}  # of conditions
    for part in claim_of(claim["id"]).parts:
        for side in (part.left, part.right):
            assert all(term.is_Symbol or term.is_Function for term in sp.Add.make_args(side))
        assert not constants_in(part.gap) & given - {"T"}


@pytest.mark.parametrize("name", ["virtual", "rate", "K-speedup", "stationary"])
def test_claims_whose_formula_is_lost_are_reconstructed(name):
    (found,) = (c for c in CLAIMS if c["id"] == f"submodel/claim-{name}")
    assert found["source"] == "reconstructed"


def test_no_two_claims_share_a_statement():
    assert len({claim["statement"] for claim in CLAIMS}) == len(CLAIMS)


def test_names_agree_with_kinds():
    for claim in CLAIMS:
        name = claim["id"].partition("/")[2]
        defines = name == "problem" or name.startswith(("def-", "alg-"))
        assert (claim["kind"] == Kind.DEFINITION) == defines
        assert (claim["kind"] == Kind.ASSUMPTION) == name.startswith("asm-")


def test_theorems_rest_on_assumptions():
    assert {name for claim in CLAIMS for name in claim.get("uses", [])} <= set(IDS)
    assert {f"submodel/asm-{k}" for k in range(1, 6)} <= reached(CLAIMS, "submodel/thm-1")
    assert {"submodel/thm-1", "submodel/thm-5"} <= reached(CLAIMS, "submodel/cor-1")
    assert "submodel/asm-7" in reached(CLAIMS, "submodel/thm-6")
