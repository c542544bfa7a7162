"""What a results document says is computed again when it is read, from its records and its steps.

Standings, statements, verdicts and tightness follow from what stands in the document itself, by the
functions that a run uses; so this needs no theory, and no file of a user's. What does not follow
from it (a severity, the statement of a step, the numbers of a record) rests on the digest alone.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from fedbounds.errors import FedboundsError
from fedbounds.theory.proof.replay import Local
from fedbounds.theory.proof.status import Told, summed_up
from fedbounds.vocabulary import Kind, ProofStatus, Standing, StatementStatus

from ..decide.judgement import GRAVITY
from ..judge.standing import evidence, words_of

Record = dict[str, Any]

_NUMBERS = ("verdict", "left", "right", "gap", "relative_gap", "tightness")
_FAILS = (Local.FALSE, Local.DOES_NOT_FOLLOW)
_RANK = {verdict.value: rank for rank, verdict in enumerate(GRAVITY)}


def audit(document: Record) -> None:
    """Compare what a document of the right shape says with what follows from it.

    Raises
    ------
    FedboundsError
        For the first difference, with the claim, what is said and what follows.
    """
    rows: dict[str, dict[str, list[Record]]] = {claim_id: {} for claim_id in document["claims"]}
    compared = {row["claim"] for row in document["results"] if "comparison" in row}
    for row in document["results"]:
        _record(row)
        if row["claim"] not in rows:
            raise FedboundsError(f"it has a record of {row['claim']!r}, which it does not list")
        rows[row["claim"]].setdefault(row["reading"], []).append(row)
    for key, proof in document["proofs"].items():
        if "/" not in key:
            _equal(key, "status", proof["status"], None)
        elif key not in rows:
            raise FedboundsError(f"it has a proof of {key!r}, which it does not list")
        for step in proof["steps"]:
            _step(key, step)
    for claim_id, claim in document["claims"].items():
        _equal(claim_id, "id", claim["id"], claim_id)
        for reading in claim["readings"]:
            _reading(claim_id, reading, rows[claim_id].pop(reading["name"], []))
        for name in rows[claim_id]:
            raise FedboundsError(f"{claim_id} has records of {name!r}, which is no reading of it")
        _claim(claim, _replayed(claim, document["proofs"]), claim_id in compared)


def _equal(about: str, name: str, told: Any, found: Any) -> None:
    if told != found:
        raise FedboundsError(f"{about}: {name} is {told!r}, and {found!r} follows from the rest")


def _record(row: Record) -> None:
    """A record's verdict and numbers are those of the part that decides."""
    about = f"{row['claim']}, record {row['key']}"
    gravest = min((part["verdict"] for part in row["parts"]), key=_RANK.__getitem__, default=None)
    _equal(about, "verdict", row["verdict"], gravest)
    own = [part for part in row["parts"] if part["part"] == row["at"]["part"]]
    if not any(all(part[name] == row[name] for name in _NUMBERS) for part in own):
        raise FedboundsError(f"{about}: no part of it has its verdict and numbers")


def _reading(claim_id: str, reading: Record, rows: Sequence[Record]) -> None:
    about = f"{claim_id}, reading {reading['name']!r}"
    for name, found in evidence(rows, reading["untested"]).items():
        _equal(about, name, reading[name], found)
    counted = Counter(row["verdict"] for row in rows)
    for reason, times in reading["refused"].items():
        counted[reason.partition(": ")[0]] += times
    _equal(about, "counts", reading["counts"], dict(sorted(counted.items())))
    if "proof" in reading:
        absurd = bool(reading["contradictions"])
        follows = ProofStatus.CONTRADICTORY if absurd else ProofStatus.OPEN
        _equal(about, "proof", reading["proof"], follows.value)


def _claim(claim: Record, proof: ProofStatus, compared: bool) -> None:
    """Of a claim without a reading only the words; it is a definition, or not encoded yet.

    ``compared``: its records are of pairs of bounds, each with certificates; a comparison may also
    be a formula that set-ups break.
    """
    about, kind, readings = claim["id"], Kind(claim["kind"]), claim["readings"]
    headline = readings[0] if readings else {"statement": StatementStatus.UNTESTED.value}
    said = None if kind is Kind.DEFINITION else headline["statement"]
    _equal(about, "statement", claim["statement"], said)
    if headline.get("contradictions"):
        proof = ProofStatus.CONTRADICTORY
    elif compared and headline["statement"] == StatementStatus.SURVIVED:
        proof = ProofStatus.PROVED_OTHERWISE
    _equal(about, "paper_proof", claim["paper_proof"], proof.value)
    statement, reached = StatementStatus(headline["statement"]), "unreached" not in headline
    words = words_of(kind, statement, proof, reached=reached)
    if any(reading.get("standing") == Standing.CONFLICT for reading in readings):
        words = (Standing.CONFLICT,)
    _one_of(about, claim["standing"], words)
    for reading in readings:
        if "standing" in reading:
            axes = StatementStatus(reading["statement"]), ProofStatus(reading["proof"])
            own = words_of(Kind.FEASIBLE, *axes)
            _one_of(f"{about}, reading {reading['name']!r}", reading["standing"], own)
    vague = headline.get("uninformative")
    _equal(about, "uninformative", claim.get("uninformative"), vague)
    words_said = {reading.get("standing", reading["statement"]) for reading in readings}
    _equal(about, "readings_differ", claim.get("readings_differ", False), len(words_said) > 1)


def _one_of(about: str, told: str | None, words: Sequence[Standing | None]) -> None:
    if told not in words:
        _equal(about, "standing", told, words[-1] and words[-1].value)


def _replayed(claim: Record, proofs: dict[str, Record]) -> ProofStatus:
    """What replay says of a claim's proof; its row says what follows from its steps."""
    proof, paper = proofs.get(claim["id"]), claim["id"].partition("/")[0]
    if proof is None:
        return ProofStatus.OPEN
    every = [
        step for key in proofs if key.partition("/")[0] == paper for step in proofs[key]["steps"]
    ]
    # of claims that are not in the document
    elsewhere = set(proof["failed"]) - {step["id"] for step in every}
    broken = {step["id"] for step in every if step["local"] in _FAILS}
    headline = claim["readings"][0]["name"] if claim["readings"] else ""
    own = [step for step in proof["steps"] if step["claim"] == claim["id"]]
    shown = [_told(step) for step in own if step["reading"] in ("", headline)]
    missing = [name for name in proof["open"] if name.startswith("part ")]
    found = summed_up(shown, missing, broken | elsewhere)
    _equal(claim["id"], "status of the proof", proof["status"], found.status.value)
    for name in ("failed", "open", "ours", "givens"):
        _equal(claim["id"], f"{name} steps", proof.get(name, []), list(getattr(found, name)))
    return found.status


def _told(step: Record) -> Told:
    lists = (tuple(step[name]) for name in ("missing", "failed", "givens"))
    return Told(step["id"], step["reading"], step["source"], Local(step["local"]), *lists)


def _step(claim_id: str, step: Record) -> None:
    about = f"{claim_id}, step {step['id']!r}"
    _equal(about, "inherited", step["inherited"], _told(step).inherited)
    given = step["certificate"] == Local.GIVEN
    if step["local"] == Local.PROVED and (given or step["certificate"] is None):
        raise FedboundsError(f"{about} is proved, and has no certificate")
    if "accepted" in step and step["local"] != Local.PROVED:
        raise FedboundsError(f"{about} is {step['local']}, and said to be accepted")
    if step["local"] == Local.GIVEN and not given:
        raise FedboundsError(f"{about} is given, and has a certificate of its own")
