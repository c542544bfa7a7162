"""The overparam catalogue lists the ids of its statement sheet and judges nothing."""

import pytest
from each import each
from listed_claims import JUDGING, assert_complete, catalogue_of, differences, ledger_of, reached

from fedbounds.theory.language import catalogue
from fedbounds.vocabulary import Kind, Source

LEDGER = ledger_of("overparam")
CLAIMS = catalogue_of("overparam")["claim"]
IDS = [claim["id"] for claim in CLAIMS]


def test_the_catalogue_lists_the_ids_of_the_sheet_in_its_order():
    assert differences(LEDGER, IDS) == []


def test_the_ledger_is_whole():
    assert len(LEDGER) == len(set(LEDGER)) == 65
    assert (LEDGER[0], LEDGER[-1]) == ("overparam/eq-1-2", "overparam/exp-2")
    assert {x for x in LEDGER if "lemma" in x} == {f"overparam/lemma-a{n}" for n in range(1, 10)}
    assert [x for x in LEDGER if "/thm" in x] == ["overparam/thm-iv.2", "overparam/thm-iv.3"]
    numbers = {n for name in LEDGER for n in numbers_of(name)}
    elsewhere = {3, 4, 5, 6, 9, 19, 27, 29, 30, *range(31, 40), 45, 46, 47, 48}
    elsewhere |= set(range(71, 79))  # of models, theorems and lemmas
    assert numbers | elsewhere == set(range(1, 79))


def numbers_of(name):
    """The numbers of formulas in an id; a range has its ends, and three numbers all between."""
    _, is_formula, rest = name.partition("/eq-")
    ends = [int(n) for n in rest.split("-")] if is_formula else []
    return range(ends[0], ends[-1] + 1) if ends else ()


@pytest.mark.parametrize("at", range(0, len(LEDGER), 13))
def test_a_planted_difference_is_named(at):
    assert differences(LEDGER, IDS[:at] + IDS[at + 1 :]) == [f"{IDS[at]} is missing"]
    extra = [*IDS[:at], "overparam/made-up", *IDS[at:]]
    assert differences(LEDGER, extra) == ["overparam/made-up is not on the sheet"]


def test_the_paper_is_registered_under_its_key():
    found = catalogue.paper("overparam")
    assert (found.key, len(found.authors)) == ("overparam", 7)
    assert [entry.id for entry in found.entries if entry.source is not Source.OURS] == IDS
    assert "overparam" in catalogue.PAPERS


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
    assert marked[Source.RECONSTRUCTED] == {"width-iv.2"}
    assert marked[Source.RESTORED] >= {"eq-18", "hyp-C", "eq-53-56", "a1-split", "lemma-a8"}
    assert marked[Source.VERBATIM] >= {"thm-iv.2", "thm-iv.3", "rem-iv.2", "hyp-A", "width-iv.3"}
    assert not marked[Source.OURS]


def test_names_agree_with_kinds():
    of_kind = {kind: {c["id"] for c in CLAIMS if c["kind"] == kind} for kind in Kind}
    assert of_kind[Kind.EXPERIMENT] == {f"overparam/exp-{x}" for x in ("settings", "1", "2")}
    assert of_kind[Kind.INEQUALITY] >= {"overparam/thm-iv.2", "overparam/thm-iv.3"}
    assert of_kind[Kind.IDENTITY] >= {f"overparam/{x}" for x in ("eq-7", "eq-17", "eq-18", "eq-49")}
    assert not of_kind[Kind.ASSUMPTION]
    for name in IDS:
        if "/eq-" not in name:
            continue
        kinds = (Kind.DEFINITION, Kind.IDENTITY, Kind.INEQUALITY)
        assert any(name in of_kind[kind] for kind in kinds)


@pytest.mark.parametrize(
    ("theorem", "used"),
    [
        ("thm-iv.2", ("hyp-A", "lemma-a1", "lemma-a4", "lemma-a7", "eq-18", "eq-20", "term-4")),
        ("thm-iv.3", ("eq-53-56", "eq-59", "eq-69", "lemma-a8", "lemma-a9", "h-inf")),
    ],
)
def test_the_theorems_rest_on_their_proofs(theorem, used):
    found = reached(CLAIMS, f"overparam/{theorem}")
    assert found >= {f"overparam/{name}" for name in used}
    other = {"thm-iv.2": "thm-iv.3", "thm-iv.3": "thm-iv.2"}[theorem]
    assert f"overparam/{other}" not in found
