"""Who accepts a proved step: our checker, the second one, which shares nothing with it, and Coq.

The second checker reads every certificate that is shown. Coq takes minutes: what it said is kept
with a paper's proofs, with a digest of each statement and certificate, and is said of these alone.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Set
from pathlib import Path
from typing import Any

from fedbounds import second_checker
from fedbounds.theory.checker.recheck import with_identities
from fedbounds.theory.language.catalogue import package_of
from fedbounds.theory.language.claims import Claim
from fedbounds.theory.proof.library import certificates
from fedbounds.theory.proof.multipliers import file_of
from fedbounds.theory.proof.replay import Local

from ..judge.proofs import chain_of
from .engine import engine_of
from .store import Store

ACCEPTED, WITHHELD, NOT_ASKED = "accepted", "withheld", "not asked"
Record = dict[str, Any]
Answers = dict[str, dict[str, str]]  # by step: what "second" and "coq" say


def with_answers(
    proofs: Mapping[str, Record], ask: Callable[[str, Set[str]], Answers]
) -> dict[str, Record]:
    """Rows of proofs, in which every proved step has what the others say of it."""
    claims: dict[str, set[str]] = {}
    for key, row in proofs.items():
        own = claims.setdefault(key.partition("/")[0], set())
        own |= {step["claim"] for step in row["steps"] if step["claim"]}
    found = {paper: ask(paper, own) if own else {} for paper, own in claims.items()}
    return {
        key: row | {"steps": [_with(step, found[key.partition("/")[0]]) for step in row["steps"]]}
        for key, row in proofs.items()
    }


def _with(step: Record, answers: Answers) -> Record:
    """A step that is not proved may have the id of one that is: the paper's, beside ours."""
    said = answers.get(step["id"]) if step["local"] == Local.PROVED else None
    return step if said is None else step | {"accepted": said}


def answers_of(paper: str, claims: Set[str]) -> Answers:
    """Of every step of these claims, and inner line of their proofs, that our checker accepts.

    ``second`` is "accepted", or why the second checker refuses; ``coq`` is "accepted", "refused",
    "out of time", "withheld: " and why, or "not asked".
    """
    data = certificates(paper, claims)
    own = {*claims, ""}
    rows = [row if row["claim"] in own else row | {"certificate": None} for row in data["steps"]]
    # replay has had them accepted by our checker
    read = with_identities(data | {"steps": rows}, [True] * len(rows))
    asked = [row for row in rows if row["certificate"] is not None]
    table = _table(paper)
    steps = table.get("steps", {}) if table.get("theory") == data["hash"] else {}
    found: Answers = {}
    for row, (name, why) in zip(asked, second_checker.answers(read), strict=True):
        if row["certificate"]["rule"] == "given":
            continue
        said = {"second": f"refused: {why}" if why else ACCEPTED, "coq": _told(steps, row)}
        # of two certificates of one id, it is told which is not accepted
        before = found.get(name, said)
        found[name] = {x: said[x] if before[x] == ACCEPTED else before[x] for x in said}
    return found


def answered_chain(claim: Claim) -> Record | None:
    """The steps of a claim's proof, replayed, with their answers; None without a proof."""
    found = chain_of(claim)
    return None if found is None else with_answers({claim.id: found}, answers_of)[claim.id]


def kept_answers(store: Store) -> Callable[[str, Set[str]], Answers]:
    """The same, looked up in a store where they are known."""

    def ask(paper: str, claims: Set[str]) -> Answers:
        checker = Path(second_checker.__file__).read_bytes()
        told = (checker, _table(paper), sorted(claims))
        key = f"{engine_of(paper)}-accepted-{_digest(repr(told))}"
        known: dict[str, Answers] | None = store.note(paper, key)
        if known is None:
            known = {"accepted": answers_of(paper, claims)}
            store.save_note(paper, key, known)
        return known["accepted"]

    return ask


def _table(paper: str) -> Record:
    """What Coq said of a paper's steps; empty if it was never asked."""
    package = package_of(paper)
    file = file_of(package, "coq.json") if package else None
    known: Record = json.loads(file.read_text("utf-8")) if file and file.is_file() else {}
    return known


def _told(table: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    digest, said = table.get(row["id"], ("", NOT_ASKED))
    return said if digest == digest_of(row) else NOT_ASKED


def digest_of(row: Mapping[str, Any]) -> str:
    """Of a step's statement and certificate."""
    return _digest(json.dumps([row["statement"], row["certificate"]], sort_keys=True))


def _digest(told: str) -> str:
    return hashlib.sha256(told.encode()).hexdigest()[:16]
