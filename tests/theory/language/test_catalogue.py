"""The personalization catalogue lists the ids of its statement sheet and judges nothing."""

import importlib.util
import re
from pathlib import Path

import pytest
from each import each
from listed_claims import JUDGING, assert_complete, catalogue_of, differences, ledger_of

from fedbounds.vocabulary import Kind, Source

TESTS = Path(__file__).parents[2]
LEDGER = ledger_of("personalization")
CATALOGUE = catalogue_of("personalization")
CLAIMS = CATALOGUE["claim"]
IDS = [claim["id"] for claim in CLAIMS]


def sheet_ids(text):
    spec = importlib.util.spec_from_file_location("sheet_ids", TESTS / "sheet_ids.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script.sheet_ids(text)


def test_the_catalogue_lists_the_ids_of_the_sheet_in_its_order():
    assert differences(LEDGER, IDS) == []


def test_the_ledger_is_whole():
    assert len(LEDGER) == len(set(LEDGER)) == 104
    assert all(re.fullmatch(r"personalization/[A-Za-z0-9.-]+", name) for name in LEDGER)
    assert LEDGER[0] == "personalization/prob-1.1"
    assert LEDGER[-1] == "personalization/fig-1d"
    assert not [name for name in LEDGER if "/amb-" in name]


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        (["p/a", "p/c"], "p/b is missing"),
        (["p/a", "p/b", "p/c", "p/d"], "p/d is not on the sheet"),
        (["p/a", "p/c", "p/b"], "p/c stands where p/b is expected"),
        (["p/a", "p/b", "p/b", "p/c"], "p/b is listed 2 times"),
    ],
)
def test_a_planted_difference_is_named(listed, said):
    assert differences(["p/a", "p/b", "p/c"], listed) == [said]


@pytest.mark.parametrize("at", range(0, len(LEDGER), 25))
def test_a_difference_planted_in_the_real_list_is_caught(at):
    assert differences(LEDGER, IDS[:at] + IDS[at + 1 :])
    assert differences(LEDGER, [*IDS[:at], "personalization/made-up", *IDS[at:]])
    swapped = IDS.copy()
    swapped[at - 1], swapped[at] = swapped[at], swapped[at - 1]
    assert differences(LEDGER, swapped)


def test_the_head_names_the_paper():
    paper = CATALOGUE["paper"]
    assert paper["key"] == "personalization"
    assert paper["title"]
    assert len(paper["authors"]) == 4


@each("claim", CLAIMS)
def test_a_claim_is_complete(claim):
    assert_complete(claim)


@each("claim", CLAIMS)
def test_a_statement_judges_nothing(claim):
    # "right side" names a side of an inequality
    assert not JUDGING.search(claim["statement"].replace("right side", ""))


def test_the_word_list_finds_planted_verdicts():
    for planted in (
        "E ≤ B, which holds",
        "Refuted at n = 2",
        "the constant is wrong",
        "false for K = 1",
    ):
        assert JUDGING.search(planted)


def test_no_two_claims_share_a_statement():
    assert len({claim["statement"] for claim in CLAIMS}) == len(CLAIMS)


def test_what_the_sheet_marks_reconstructed_is_marked_so():
    marked = {claim["id"] for claim in CLAIMS if claim["source"] == Source.RECONSTRUCTED}
    assert marked == {"personalization/table-1", "personalization/alg-3.1"}


def test_names_agree_with_kinds():
    kind_of_prefix = {
        "prob": Kind.DEFINITION,
        "def": Kind.DEFINITION,
        "asm": Kind.ASSUMPTION,
        "sc": Kind.EQUIVALENCE,
        "thm": Kind.INEQUALITY,
        "cor": Kind.INEQUALITY,
        "spec": Kind.INEQUALITY,
        "fig": Kind.SCALING,
        "exp": Kind.EXPERIMENT,
    }
    for claim in CLAIMS:
        prefix = claim["id"].partition("/")[2].partition("-")[0]
        assert claim["kind"] == kind_of_prefix.get(prefix, claim["kind"]), claim["id"]


def test_a_module_is_named_by_a_python_name():
    modules = {claim["id"]: claim["module"] for claim in CLAIMS if "module" in claim}
    assert all(name.isidentifier() for name in modules.values())
    assert modules["personalization/lem-A.2"] == modules["personalization/lem-3.5"] == "lemmas"
    assert modules["personalization/thm-3.7"] == modules["personalization/cor-3.8"] == "theorems"


SHEET = r"""# Statement sheet `toy`

An id written `/x` abbreviates `toy/x`. See `toy/lem-1` and `README.md`.

**`toy/prob-1.1`** $\min f$.  **`toy/prob-1.2`** $\sqrt{n/m}$, by `toy/no-5`, **`toy/prob-1.1`**.
## 2. Notation -- `toy/table-1` *[reconstructed]*
- **`toy/lem-1`** bound, **imposed throughout, see `toy/asm-8`**.
 Steps: **`/lem-1-pair`** $=1$; **`/lem-1-exact`** $\frac1{n-1}\le\frac2n$, used in `/eq-A.2`.
 - **`/eq-A.2`**, **`/eq-A.3` title.** then **`/a`, `/b`** and **$c_i^0$ for `/no-1`**
* `toy/item` in a plain list, unlike `toy/no-2` here
```
**`toy/in-a-fence`**
```
| id | claim |
|---|---|
| `toy/fig-1a`, `/fig-2a` | smaller, cf. `/no-3` |
| $u$ | see `toy/no-4` |
- **amb-1 sampling** of `toy/lem-1`, $\mathcal G/x$.
"""


def test_ids_are_read_from_defining_positions_only():
    names = [
        "prob-1.1",
        "prob-1.2",
        "table-1",
        "lem-1",
        "lem-1-pair",
        "lem-1-exact",
        "eq-A.2",
        "eq-A.3",
        "a",
        "b",
        "item",
    ]
    assert sheet_ids(SHEET) == [f"toy/{name}" for name in [*names, "fig-1a", "fig-2a"]]


@pytest.mark.parametrize("sheet", ["**`/x`** before any full id", "**`toy/x`** then **`other/y`**"])
def test_an_id_without_its_paper_is_an_error(sheet):
    with pytest.raises(ValueError, match=r"/[xy]: "):
        sheet_ids(sheet)
