"""Page, terminal and `prove` tell the same numbers of steps: each step once, and all of them."""

import re

import pytest
from pages import LEMMA, LIKE, gather, proved_document, step
from rich.console import Console

from fedbounds.verify.page import proof_tables, steps, tables
from fedbounds.verify.page.proof_findings import failing
from fedbounds.verify.page.sentences import sentences

WORDS = {"is": "", "are": "", "do not follow": "does not follow"}
OTHER = {"inherited": False, "reading": "client means"}


@pytest.fixture
def document():
    """With steps of an alternative reading, and a correction shown at its claim and its own."""
    found = proved_document()
    rows = found["proofs"]
    for key, row in rows.items():
        for one in row["steps"]:
            one["claim"] = key if "/" in key else ""
    mended = step("lem-A.2: line 3/corrected", source="ours", claim=f"{LEMMA}/corrected")
    rows[f"{LEMMA}/corrected"] = {
        "status": "proved", "failed": [], "open": [], "ours": [], "steps": [mended],
    }  # fmt: skip
    rows[LEMMA]["steps"].append(mended)
    for name in ("false", "does not follow", "open"):
        rows[LIKE]["steps"].append(step(f"claim-1:{name}", name, claim=LIKE, **OTHER))
    return found


def printed(monkeypatch, module, show, *arguments):
    out = Console(record=True, width=400)
    monkeypatch.setattr(module, "console", lambda: out)
    show(*arguments)
    return out.export_text()


def numbers(text):
    """Steps by status: before and after the mention of alternative readings."""
    said = re.sub(r"\([^)]*\)", "", text)
    pattern = r"(\d+) (?:is |are )?(false|do(?:es)? not follow|open|proved)"
    halves = said.partition("in alternative readings")
    return [
        {WORDS.get(word, word): int(amount) for amount, word in re.findall(pattern, half)}
        for half in (halves[0], halves[2])
    ]


def test_every_place_tells_the_same_numbers(document, monkeypatch):
    proofs = document["proofs"]
    found = steps.counts(proofs)
    expected = [dict(found.steps), dict(found.elsewhere)]
    (line,) = [s for s in sentences(document) if "replayed" in s]
    assert numbers(line.partition(" of ")[2]) == expected
    end = printed(monkeypatch, tables, tables.print_results, document, ())
    (line,) = [x for x in end.splitlines() if "proofs replayed" in x]
    assert numbers(line.partition("steps: ")[2].partition("; `")[0]) == expected
    end = printed(monkeypatch, proof_tables, proof_tables.print_proofs, proofs, (), 0.0)
    (line,) = [x for x in end.splitlines() if " givens" in x]
    assert numbers(line.partition(": ")[2].partition(" certificate")[0]) == expected


def test_every_step_of_a_claim_is_counted_once(document):
    found = steps.counts(document["proofs"])
    own = {
        (key, one["id"], one["reading"])
        for key, row in steps.claims_of(document["proofs"]).items()
        for one in row["steps"]
        if one["claim"] == key
    }
    assert found.steps.total() + found.elsewhere.total() == len(own)
    told = sum(side[word] for side in (found.steps, found.elsewhere) for word in steps.FAILS)
    assert len(failing(document)) == told


def test_nothing_is_said_of_alternative_readings_without_any():
    assert "alternative" not in " ".join(sentences(gather()))
