"""A claim's standing, computed from two axes: what measurement says, what proof replay says.

Nobody writes a standing, and nothing here reads an expected one.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import isfinite
from typing import Any

from fedbounds.theory.language.claims import Reading
from fedbounds.vocabulary import (
    Kind,
    ProofStatus,
    Relation,
    Standing,
    StatementStatus,
    Verdict,
)

from .tightest import closeness, equality, is_examined, tells

Record = dict[str, Any]

REFUSED = (Verdict.OUTSIDE, Verdict.NOT_APPLICABLE)  # say nothing of a claim: only counted


def status_of(reading: Reading, records: Sequence[Record]) -> Record:
    """Sum up the records of one reading of one claim.

    Returns
    -------
    dict
        As `evidence`; and ``counts`` of verdicts; ``coverage``: where the claim was examined.
    """
    return {
        "name": reading.name,
        "ambiguity": reading.ambiguity,
        **evidence(records),
        "counts": dict(sorted(Counter(record["verdict"] for record in records).items())),
        "coverage": coverage(records),
    }


def evidence(records: Sequence[Record], elsewhere: Iterable[str] = ()) -> Record:
    """What the records of a reading say.

    Parameters
    ----------
    records : sequence of dict
        All, or all but the refused ones, which only name parts.
    elsewhere : iterable of str
        Parts that records have which are not among these.

    Returns
    -------
    dict
        ``statement``: refuted by an exact violation; survived if every part has firm "not
        violated" verdicts and no violation in float64 waits for an exact replay (those are
        counted in ``open_candidates``); else untested, ``untested`` naming parts without a verdict.
        ``unresolved``, where there are any: cases, such as late rounds, in which no sign of the gap
        is known; the records that have them are undecided. ``least_relative_gap``: smallest
        (right - left) / sum of the sizes of all terms.
        ``uninformative``: the right side never beat its named trivial bound (None if none is
        named). And as `closeness` and `equality`.
    """
    parts = [part for record in records for part in record["parts"]]
    names = sorted({part["part"] for part in parts}.union(elsewhere))
    firm = {part["part"] for part in parts if part["verdict"] == Verdict.NOT_VIOLATED}
    candidates = sum(1 for part in parts if part["candidate"])
    untested = [name for name in names if name not in firm]
    if any(part["verdict"] == Verdict.VIOLATED for part in parts):
        statement = StatementStatus.REFUTED
    elif names and not untested and not candidates:
        statement = StatementStatus.SURVIVED
    else:
        statement = StatementStatus.UNTESTED
    beats = [part["beats_trivial"] for part in parts if part["beats_trivial"] is not None]
    unresolved = sum(part.get("unresolved", 0) for part in parts)
    return {
        "statement": statement.value,
        "untested": untested,
        **({"unresolved": unresolved} if unresolved else {}),
        "open_candidates": candidates,
        "least_relative_gap": min(
            (signed_gap(part) for part in parts if tells(part)), default=None
        ),
        "uninformative": not any(beats) if beats else None,
        **closeness(records),
        **equality(records),
    }


def signed_gap(part: Record) -> float:
    """The relative gap; for an identity any deviation counts as negative."""
    gap = float(part["relative_gap"])
    return -abs(gap) if part["relation"] == Relation.EQUAL else gap


RANGES = ("n", "m", "K", "T", "gamma L K", "L/mu", "b^2")  # of which coverage is told


def coverage(records: Sequence[Record]) -> Record:
    """Where a claim was examined: sizes, step sizes, corners, methods; refusals do not count."""
    seen = [record for record in records if is_examined(record)]
    rows = [_numbers(record) for record in seen]
    corners = {
        "m=1": any(row.get("m") == 1 < row.get("n", 1) for row in rows),
        "m=n": any("m" in row and row["m"] == row.get("n") for row in rows),
        "n=2": any(row.get("n") == 2 for row in rows),
        "K=1": any(row.get("K") == 1 for row in rows),
        "T=1": any(row.get("K") and row.get("T") == 1 for row in rows),
    }
    return {
        "instances": len(seen),
        "methods": dict(sorted(Counter(r["evidence"]["method"] for r in seen).items())),
        "ranges": {
            name: [min(values), max(values)]
            for name in RANGES
            if (values := [row[name] for row in rows if name in row])
        },
        "corners": sorted(name for name, hit in corners.items() if hit),
    }


def _numbers(record: Record) -> dict[str, float]:
    constants = {name: row["value"] for name, row in record["constants"].items()}
    both = record["parameters"] | constants
    every = {name: _finite(value) for name, value in both.items() if value is not None}
    found = {name: value for name, value in every.items() if value is not None}
    if {"gamma", "L", "K"} <= found.keys():
        found["gamma L K"] = found["gamma"] * found["L"] * found["K"]
    if found.get("mu", 0) > 0 and "L" in found:
        found["L/mu"] = found["L"] / found["mu"]
    return {name: value for name, value in found.items() if isfinite(value)}


def _finite(value: Any) -> float | None:
    """None of one too large for a float."""
    try:
        return float(Fraction(value))
    except OverflowError:
        return None


def standing(statement: StatementStatus, proof: ProofStatus, *, reached: bool = True) -> Standing:
    """The word for the two axes.

    What survived without its own edges, noise or length is not tested: see `reached.unreached`.

    A proof, by certificate or by solver, and an exact violation cannot both be right; nor can
    contradictory premises and an instance that meets them. That is a conflict, a bug of this suite.
    """
    proved = {
        ProofStatus.PROVED: Standing.CONFIRMED,
        ProofStatus.PROVED_BY_SOLVER: Standing.CONFIRMED_BY_SOLVER,
        ProofStatus.PROVED_OTHERWISE: Standing.PROVED_OTHERWISE,
    }
    if proof is ProofStatus.CONTRADICTORY:
        met = statement is not StatementStatus.UNTESTED
        return Standing.CONFLICT if met else Standing.UNSATISFIABLE
    if statement is StatementStatus.REFUTED:
        return Standing.CONFLICT if proof in proved else Standing.REFUTED
    if proof in proved:
        return proved[proof]
    if proof is ProofStatus.CONDITIONAL:
        return Standing.CONDITIONAL
    if proof is ProofStatus.GAP:
        return Standing.GAP
    survived = statement is StatementStatus.SURVIVED
    return Standing.TESTED if survived and reached else Standing.OPEN


def words_of(
    kind: Kind, statement: StatementStatus, proof: ProofStatus, *, reached: bool = True
) -> tuple[Standing | None, ...]:
    """The words that the two axes leave to a claim of a kind: one, for most kinds.

    What can be met together may be asked, or said in words of every run; an experiment may be
    described in full, or not.
    """
    met = Standing.SATISFIABLE if statement is StatementStatus.SURVIVED else Standing.OPEN
    judged = standing(statement, proof, reached=reached)
    if proof is ProofStatus.CONTRADICTORY:
        return (judged,)
    words: dict[Kind, tuple[Standing | None, ...]] = {
        Kind.DEFINITION: (None,),
        Kind.EXPERIMENT: (Standing.NOT_REPRODUCIBLE, Standing.OPEN),
        Kind.ASSUMPTION: (met,),
        Kind.FEASIBLE: (met, judged),
    }
    return words.get(kind, (judged,))
