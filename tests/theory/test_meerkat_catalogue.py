"""The meerkat catalogue lists the ids of its statement sheet and judges nothing.

The sheet defines four ids inside the text of Theorems 2.1 and 2.2, where `sheet_ids.py` reads
nothing: the ledger has them where the sheet has them.
"""

import pytest
from each import each
from listed_claims import JUDGING, assert_complete, catalogue_of, differences, ledger_of, reached

from fedbounds.theory.language import catalogue
from fedbounds.vocabulary import Kind, Source

LEDGER = ledger_of("meerkat")
CLAIMS = catalogue_of("meerkat")["claim"]
IDS = [claim["id"] for claim in CLAIMS]
IN_THE_TEXT = {f"meerkat/thm-2.{k}-{form}" for k in (1, 2) for form in ("explicit", "O")}
ASSUMPTIONS = {f"meerkat/B.{number}" for number in range(1, 7)}


def test_the_catalogue_lists_the_ids_of_the_sheet_in_its_order():
    assert differences(LEDGER, IDS) == []


def test_the_ledger_is_whole():
    assert len(LEDGER) == len(set(LEDGER)) == 62 + len(IN_THE_TEXT)
    assert (LEDGER[0], LEDGER[-1]) == ("meerkat/problem", "meerkat/rq3")
    assert set(LEDGER) >= IN_THE_TEXT | ASSUMPTIONS
    numbered = {name for name in LEDGER if name.startswith("meerkat/eq-")}
    without_a_claim = {18, 22}  # (18) is (2), and (22) is (21) with the display before it
    assert numbered == {f"meerkat/eq-{n}" for n in range(6, 29) if n not in without_a_claim}


@pytest.mark.parametrize("at", range(0, len(LEDGER), 13))
def test_a_planted_difference_is_named(at):
    assert differences(LEDGER, IDS[:at] + IDS[at + 1 :]) == [f"{IDS[at]} is missing"]
    extra = [*IDS[:at], "meerkat/made-up", *IDS[at:]]
    assert differences(LEDGER, extra) == ["meerkat/made-up is not on the sheet"]


def test_the_paper_is_registered_under_its_key():
    found = catalogue.paper("meerkat")
    assert (found.key, len(found.authors)) == ("meerkat", 10)
    assert [entry.id for entry in found.entries if entry.source is not Source.OURS] == IDS
    assert "meerkat" in catalogue.PAPERS


@each("claim", CLAIMS)
def test_a_claim_is_complete_and_judges_nothing(claim):
    assert_complete(claim)
    assert not JUDGING.search(claim["statement"])


def test_no_two_claims_share_a_statement():
    assert len({claim["statement"] for claim in CLAIMS}) == len(CLAIMS)


def test_what_is_not_the_papers_own_text_is_marked():
    marked = {source: set() for source in Source}
    for claim in CLAIMS:
        marked[Source(claim["source"])].add(claim["id"].partition("/")[2])
    assert marked[Source.RECONSTRUCTED] == {"baselines", "alg-3"}
    assert marked[Source.RESTORED] == {"alg-1", "alg-2", "eq-14"}
    assert not marked[Source.OURS]


def test_names_agree_with_kinds():
    of_kind = {kind: {c["id"] for c in CLAIMS if c["kind"] == kind} for kind in Kind}
    assert of_kind[Kind.ASSUMPTION] == ASSUMPTIONS
    assert of_kind[Kind.COMPARISON] == {"meerkat/vp-vs-meerkat"}
    assert of_kind[Kind.DEFINITION] >= {"meerkat/thm-2.1", "meerkat/thm-2.2"}
    for name in IDS:
        if name.startswith("meerkat/eq-"):
            assert name in of_kind[Kind.IDENTITY] | of_kind[Kind.INEQUALITY]


@pytest.mark.parametrize("theorem", [1, 2])
def test_the_theorems_rest_on_every_assumption(theorem):
    assert reached(CLAIMS, f"meerkat/thm-2.{theorem}-explicit") >= ASSUMPTIONS


def test_the_comparison_rests_on_both_bounds():
    assert reached(CLAIMS, "meerkat/vp-vs-meerkat") >= {
        "meerkat/thm-2.1-explicit",
        "meerkat/thm-2.2-explicit",
    }
