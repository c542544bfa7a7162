"""What every paper's list of claims is asked: its ids beside a ledger, its words, what uses what."""

import importlib.resources
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fedbounds.vocabulary import Kind, Source

REQUIRED = {"id", "kind", "source", "place", "statement"}
JUDGING = re.compile(
    r"\b(confirm(s|ed)?|refut(es|ed)|prove[sdn]?|disprove[sdn]?|violate[sd]?|contradict(s|ory)?"
    r"|unsatisfiable|survive[sd]?|holds?|fails?|true|false|right|wrong|(in)?correct(ly)?|(in)?valid"
    r"|mistaken?|typo|flaw(ed)?|indeed)\b",
    re.IGNORECASE,
)


def ledger_of(paper: str) -> list[str]:
    """The ids that the statement sheet of a paper defines, in its order."""
    file = Path(__file__).parent / "data" / f"{paper}_ids.txt"
    return file.read_text(encoding="utf-8").splitlines()


def catalogue_of(paper: str) -> dict[str, Any]:
    """The catalogue of a paper as it is written."""
    folder = importlib.resources.files(f"fedbounds.theory.{paper}")
    return tomllib.loads(folder.joinpath("catalogue.toml").read_text(encoding="utf-8"))


def differences(expected: Sequence[str], listed: Sequence[str]) -> list[str]:
    """What keeps two lists of ids from being the same, in words; empty if nothing does."""
    found = [
        f"{name} is listed {count} times" for name, count in Counter(listed).items() if count > 1
    ]
    found += [f"{name} is missing" for name in expected if name not in listed]
    found += [f"{name} is not on the sheet" for name in listed if name not in expected]
    if not found and list(expected) != list(listed):
        first = next(pair for pair in zip(expected, listed, strict=True) if pair[0] != pair[1])
        found.append(f"{first[1]} stands where {first[0]} is expected")
    return found


def assert_complete(claim: Mapping[str, Any]) -> None:
    """A claim has what it needs and nothing else, in one line that is neither short nor long."""
    assert claim.keys() >= REQUIRED
    assert claim.keys() <= REQUIRED | {"module", "note", "uses"}
    assert claim["kind"] in list(Kind)
    assert claim["source"] in list(Source)
    assert claim["place"].strip() == claim["place"] != ""
    assert claim["statement"].strip() == claim["statement"]
    assert "\n" not in claim["statement"]
    assert 20 <= len(claim["statement"]) <= 140


def reached(claims: Iterable[Mapping[str, Any]], name: str) -> set[str]:
    """A claim and all that it rests on, directly or not."""
    uses = {claim["id"]: claim.get("uses", []) for claim in claims}
    found, waiting = set(), [name]
    while waiting:
        if (one := waiting.pop()) not in found:
            found.add(one)
            waiting += uses[one]
    return found
