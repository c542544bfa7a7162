"""A claim's line in the results: its standing from the two axes, and evidence per reading."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from fedbounds.theory.language.catalogue import Entry
from fedbounds.theory.language.claims import Claim, read
from fedbounds.theory.language.contributed import declared
from fedbounds.theory.language.orders import ComparisonClaim
from fedbounds.theory.language.registry import encoded
from fedbounds.theory.language.setting import (
    Announced,
    Existence,
    Universal,
    experiment_of,
    readings_of,
)
from fedbounds.theory.language.symbols import T
from fedbounds.theory.language.typed import names_of
from fedbounds.vocabulary import Kind, ProofStatus, Standing, StatementStatus, Verdict

from .proofs import NOTHING_PROVED, Proofs
from .reached import unreached
from .settings.standing import contradictory, reading_of
from .severity import severity
from .standing import REFUSED, standing, status_of

Record = dict[str, Any]
Witnesses = dict[tuple[str, str], Record]


def summarise(
    entry: Entry,
    records: Sequence[Record],
    witnesses: Witnesses,
    proofs: Proofs = NOTHING_PROVED,
) -> Record:
    """Standing and evidence of one claim, from its records."""
    summary: Record = {
        "id": entry.id,
        "kind": entry.kind.value,
        "source": entry.source.value,
        "place": entry.place,
        "text": entry.statement,
        "uses": list(entry.uses),
        "paper_proof": ProofStatus.OPEN.value,
        "severity": None,
        "readings": [],
    }
    if entry.kind is Kind.DEFINITION:
        return summary | {"standing": None, "statement": None, "reason": "a definition: not judged"}
    if not entry.module:
        return summary | {
            "standing": Standing.OPEN.value,
            "statement": StatementStatus.UNTESTED.value,
            "reason": "not encoded yet",
        }
    claim = encoded(entry)
    absurd = contradictory(claim, proofs) if isinstance(claim, Claim) else ()
    if isinstance(claim, Claim):
        proof = ProofStatus.CONTRADICTORY if absurd else proofs.of(claim).status
        summary["paper_proof"] = proof.value
        summary["severity"] = severity(claim, proofs)
    own = [row for row in records if row["claim"] == entry.id]
    readings = []
    for reading in readings_of(claim):
        rows = [row for row in own if row["reading"] == reading.name]
        witness = witnesses.get((entry.id, reading.name))
        settled = next((row["witness"] for row in rows if row.get("witness")), None)
        readings.append(
            status_of(reading, rows)
            | {
                "refused": _refused(rows),
                **_unreached(claim, reading, rows),
                "witness": settled if witness is None else witness["witness"],
            }
        )
    headline = readings[0]
    if absurd:
        headline["contradictions"] = list(absurd)
    if isinstance(claim, Existence | Universal):
        for asked, row in zip(claim.asked, readings, strict=True):
            row |= reading_of(claim, asked, StatementStatus(row["statement"]), proofs)
        summary["paper_proof"] = headline["proof"]
    if isinstance(claim, ComparisonClaim) and headline["statement"] == StatementStatus.SURVIVED:
        # every pair of bounds has certificates for the whole region; the paper gives no proof
        summary["paper_proof"] = ProofStatus.PROVED_OTHERWISE.value
    word = _standing(claim, headline, summary["paper_proof"])
    if any(row.get("standing") == Standing.CONFLICT for row in readings):
        word = Standing.CONFLICT
    return summary | {
        "standing": word.value,
        "statement": headline["statement"],
        "uninformative": headline["uninformative"],
        "readings": readings,
        "readings_differ": len({row.get("standing", row["statement"]) for row in readings}) > 1,
        "reason": _reason(claim, headline, own),
    }


def _refused(rows: Sequence[Record]) -> Record:
    """Why records say nothing: reasons with how often; numbers of failed conditions left out."""
    counted: Counter[str] = Counter()
    for row in rows:
        if row["verdict"] in REFUSED:
            counted[f"{row['verdict']}: {re.sub(r' fails: .*', ' fails', row['reason'])}"] += 1
    return dict(sorted(counted.items()))


def _unreached(claim: Any, reading: Any, rows: Sequence[Record]) -> Record:
    if not isinstance(claim, Claim):
        return {}
    found = unreached(read(claim, reading), rows, _takes(claim.entry.paper))
    return {"unreached": found} if found else {}


def _takes(paper: str) -> frozenset[str] | None:
    """What runs of a user's file take, by the names of symbols; None of a paper."""
    other = declared(paper)
    if other is None:
        return None
    typed = names_of(other.glossary).constants
    every = (name for view in other.views.values() for name in view.takes)
    return frozenset(typed[name].name if name in typed else name for name in every) | {T.name}


def _standing(claim: Any, headline: Record, proof: str) -> Standing:
    statement = StatementStatus(headline["statement"])
    if isinstance(claim, Existence | Universal):
        return Standing(headline["standing"])
    if isinstance(claim, Announced):
        return Standing.OPEN
    reported = experiment_of(claim)
    if reported is not None:
        return Standing.NOT_REPRODUCIBLE if reported.unstated else Standing.OPEN
    if claim.entry.kind is Kind.ASSUMPTION:
        survived = statement is StatementStatus.SURVIVED
        return Standing.SATISFIABLE if survived else Standing.OPEN
    return standing(statement, ProofStatus(proof), reached="unreached" not in headline)


def _reason(claim: Any, headline: Record, rows: Sequence[Record]) -> str:
    reported = experiment_of(claim)
    if reported is not None:
        return "not stated: " + "; ".join(reported.unstated)
    if isinstance(claim, Announced):
        return "announced; the text states no formula: " + "; ".join(claim.unstated)
    if headline.get("contradictions"):
        return "premises contradict each other: " + ", ".join(headline["contradictions"])
    if headline["statement"] == StatementStatus.UNTESTED and headline["open_candidates"]:
        return f"{headline['open_candidates']} violations in float64 wait for an exact replay"
    if headline["untested"] and headline["statement"] == StatementStatus.UNTESTED:
        named = ", ".join(filter(None, headline["untested"]))
        return (
            "no firm verdict" + (f" on part {named}" if named else "") + _undecided(headline, rows)
        )
    if "unreached" in headline and headline["statement"] == StatementStatus.SURVIVED:
        return "not reached: " + "; ".join(headline["unreached"])
    return ""


def _undecided(headline: Record, rows: Sequence[Record]) -> str:
    """Why most records of a reading are undecided; empty if none is."""
    reasons = Counter(
        part["reason"]
        for row in rows
        if row["reading"] == headline["name"]
        for part in row["parts"]
        if part["verdict"] == Verdict.UNDECIDED and part["reason"]
    )
    return f": {reasons.most_common(1)[0][0]}" if reasons else ""
