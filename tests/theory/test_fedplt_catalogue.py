"""The fedplt catalogue lists the ids of its statement sheet and judges nothing.

The sheet writes `fedplt/A2` twice: for the second assumption and for the bound of its item 13.
The ledger holds an id once, so the bound is listed as `fedplt/A2-bound` where item 13 stands.
"""

import importlib.util
import re
from pathlib import Path

import pytest
from each import each
from listed_claims import JUDGING, assert_complete, catalogue_of, differences, ledger_of, reached

from fedbounds.theory.language import catalogue
from fedbounds.vocabulary import Kind, Source

TESTS = Path(__file__).parents[1]
LEDGER = ledger_of("fedplt")
CLAIMS = catalogue_of("fedplt")["claim"]
IDS = [claim["id"] for claim in CLAIMS]
SECOND_MEANING, AFTER = "fedplt/A2-bound", "fedplt/jensen-distance"


def expected_ids(ledger):
    """The ids of the ledger, with the second meaning of `fedplt/A2` at its place."""
    at = ledger.index(AFTER) + 1
    return [*ledger[:at], SECOND_MEANING, *ledger[at:]]


def test_the_catalogue_lists_the_ids_of_the_sheet_in_its_order():
    assert differences(expected_ids(LEDGER), IDS) == []


def test_the_ledger_is_whole():
    assert len(LEDGER) == len(set(LEDGER)) == 45
    assert all(re.fullmatch(r"fedplt/[A-Za-z0-9.-]+", name) for name in LEDGER)
    assert (LEDGER[0], LEDGER[-1]) == ("fedplt/psi", "fedplt/nonconvex")
    assert SECOND_MEANING not in LEDGER


@pytest.mark.parametrize("at", range(0, len(LEDGER), 9))
def test_a_planted_difference_is_named(at):
    expected, gone = expected_ids(LEDGER), IDS[at]
    assert differences(expected, IDS[:at] + IDS[at + 1 :]) == [f"{gone} is missing"]
    extra = [*IDS[:at], "fedplt/made-up", *IDS[at:]]
    assert differences(expected, extra) == ["fedplt/made-up is not on the sheet"]
    assert differences(expected, [gone, *IDS]) == [f"{gone} is listed 2 times"]
    assert differences(expected, [*IDS[1:], IDS[0]]) == [
        f"{IDS[1]} stands where {IDS[0]} is expected"
    ]


SHEET = r"""# Sheet `toy`
* **`toy/psi`** vector, see `toy/no-1`; **`toy/gamma-relax`** inside an item; `toy/no-2`
3. **`toy/A2.2-part1`**, chain: (a) $x$; **bold** (b) `toy/no-3`
* **`toy/any-masks`** (introduction): `toy/no-4`
| place | `toy/no-5` |
"""


def test_the_sheets_way_of_writing_ids_is_read():
    spec = importlib.util.spec_from_file_location("sheet_ids", TESTS / "sheet_ids.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    names = ["psi", "gamma-relax", "A2.2-part1", "any-masks"]
    assert script.sheet_ids(SHEET) == [f"toy/{name}" for name in names]


def test_the_paper_is_registered_under_its_key():
    found = catalogue.paper("fedplt")
    assert (found.key, found.authors) == ("fedplt", ("Ahmad Dabaja", "Rachid El-Azouzi"))
    own = [entry.id for entry in found.entries if entry.source is not Source.OURS]
    assert own == IDS
    assert "fedplt" in catalogue.PAPERS


@each("claim", CLAIMS)
def test_a_claim_is_complete(claim):
    assert_complete(claim)


@each("claim", CLAIMS)
def test_a_statement_judges_nothing(claim):
    assert not JUDGING.search(claim["statement"])


def test_no_two_claims_share_a_statement():
    assert len({claim["statement"] for claim in CLAIMS}) == len(CLAIMS)


def test_names_agree_with_kinds():
    kinds = {claim["id"].partition("/")[2]: claim["kind"] for claim in CLAIMS}
    assert {name for name, kind in kinds.items() if kind == Kind.ASSUMPTION} == {
        f"A{number}" for number in range(1, 7)
    }
    assert {name for name, kind in kinds.items() if kind == Kind.DEFINITION} == {"psi", "alg"}


def test_what_a_claim_uses_stands_in_the_list_and_runs_from_the_theorems_to_the_assumptions():
    assert {name for claim in CLAIMS for name in claim.get("uses", [])} <= set(IDS)
    of_results = reached(CLAIMS, "fedplt/constant-step")
    assert {f"fedplt/A{number}" for number in range(1, 7)} <= of_results
    assert reached(CLAIMS, "fedplt/recursion") <= reached(CLAIMS, "fedplt/decaying-step")
