"""A neutral paragraph for the authors of a claim, from a results document and from nothing else.

No verdict is formed here: every sentence repeats what the record of the run says.
"""

from collections.abc import Sequence
from typing import Any

from fedbounds.errors import FedboundsError, unknown_name
from fedbounds.vocabulary import Kind, Source, Standing, StatementStatus, Verdict

from .. import steps
from ..numbers import count, listed
from ..rows import is_witness
from ..summary import is_refuted, judged_claims, titles, typed, verify_again
from . import words
from .formulas import corrections, statement
from .instance import evidence

Record = dict[str, Any]

_TOLD = 3  # at most so many steps are told in full
_FAILS = (Standing.REFUTED, Standing.UNSATISFIABLE, Standing.GAP)


def referee_paragraph(document: dict[str, Any], claim_id: str) -> str:
    """What a run found about one claim, as a paragraph that can be sent to its authors.

    Parameters
    ----------
    document : dict
        A results document, as `fedbounds.verify.results.results_file.read_document` reads it.
    claim_id : str

    Returns
    -------
    str
        One paragraph: the place and statement; whose text was judged; what is proved, which step
        fails and how; the witness with both sides; what survives; a suggested correction, and the
        command that computes it all again.

    Raises
    ------
    FedboundsError
        If the document does not judge the claim.
    """
    claim = _judged(document, claim_id)
    proofs = document.get("proofs", {})
    row = proofs.get(claim_id)
    refuted = [reading for reading in claim["readings"] if is_refuted(reading)]
    fails = claim["standing"] in _FAILS or bool(row and row["failed"])
    sentences = [
        _place(claim),
        *words.of_source(Source(claim["source"])),
        words.of_standing(claim),
        *(_failing(row) if row else ()),
        *_violated(document, claim, refuted),
        *(_survives(claim, row) if fails or refuted else ()),
        *(_suggested(claim, proofs) if fails else ()),
        _again(document, claim, refuted),
    ]
    return " ".join(sentences)


def _judged(document: Record, claim_id: str) -> Record:
    claims = document["claims"]
    if claim_id not in claims:
        raise unknown_name("claim of these results", claim_id, claims)
    if claims[claim_id]["kind"] == Kind.DEFINITION:
        raise FedboundsError(f"{claim_id} is a definition: not judged, nothing to tell its authors")
    found = [claim for claim in judged_claims(document) if claim["id"] == claim_id]
    if not found:
        raise FedboundsError(
            f"{claim_id} is not judged in these results ({claims[claim_id]['reason']}); "
            f"run `{verify_again([typed(claims[claim_id])], document)}` first"
        )
    return found[0]


def _place(claim: Record) -> str:
    """Where it is and what it says; of a paper that this version does not know, only its id."""
    ((_, title, authors),) = titles({"claims": {claim["id"]: claim}})
    whose = f" of “{title}” ({authors})" if authors else ""
    shown = statement(claim["id"])
    formula = f" In formulas: {shown}." if shown else ""
    text = claim["text"].rstrip(".")
    return f"This note concerns {claim['id']} ({claim['place']}){whose}: {text}.{formula}"


def _failing(row: Record) -> list[str]:
    """Steps of the headline reading that fail, and steps elsewhere that the proof rests on."""
    own = [step for step in steps.failing(row) if not steps.alternative(row, step)]
    told = [_step(step) for step in own[:_TOLD]]
    if len(own) > _TOLD:
        rest = listed(step["id"] for step in own[_TOLD:])
        told.append(f"{count(len(own) - _TOLD, 'more step')} of the proof fail as well: {rest}.")
    elsewhere = [name for name in row["failed"] if name not in {step["id"] for step in own}]
    if elsewhere:
        also = "also " if own else ""
        verb = "fails" if len(elsewhere) == 1 else "fail"
        told.append(f"Its proof {also}rests on {listed(elsewhere)}, which {verb}.")
    unsettled = [step["id"] for step in steps.unsettled(row["steps"]) if step["source"] != "ours"]
    if unsettled:
        told.append(
            f"For {listed(unsettled)} we have neither a proof nor numbers against it, which may "
            "be a limit of our tools."
        )
    return told


def _step(step: Record) -> str:
    place = f" ({step['place']})" if step["place"] else ""
    formula = words.formula(step["left"], step["relation"], step["right"])
    how = "does not follow from what it cites"
    if step["local"] == steps.FALSE:
        how = "is false: an exact instance within the assumptions breaks it"
    told = f"Step {step['id']}{place}, {formula}, {how}."
    values = steps.values(step)
    if values:
        numbers = listed(f"{name} = {value}" for name, value in values)
        left, right = steps.sides(step)
        sides = f" (left side {left}, right side {right})" if left else ""
        told += f" Everything it cites holds, and it does not{sides}, at {numbers}"
        told += f"; {steps.SIGNS}." if "[" in numbers else "."
    return told


def _violated(document: Record, claim: Record, refuted: Sequence[Record]) -> list[str]:
    """The witness of the first refuted reading, and how often the others are violated."""
    if not refuted:
        return []
    first, *others = refuted
    rows = [
        row
        for row in document["results"]
        if (row["claim"], row["reading"]) == (claim["id"], first["name"])
        and row["verdict"] == Verdict.VIOLATED
    ]
    # without a witness the most exposed violated record
    rows.sort(key=lambda row: (not is_witness(row), -abs(row["relative_gap"] or 0.0), row["key"]))
    told = [f"{words.reading(claim, first)}, it is violated {_often(first)}"]
    told[0] += f": {evidence(rows[0])}." if rows else "."
    told += [f"{words.reading(claim, r)}, it is violated {_often(r)} too." for r in others]
    return told


def _often(reading: Record) -> str:
    broken = reading["counts"].get(Verdict.VIOLATED, 0)
    return f"in {broken} of {count(reading['coverage']['instances'], 'record')}"


def _survives(claim: Record, row: Record | None) -> list[str]:
    """Readings that measurement did not break."""
    told = []
    for reading in claim["readings"]:
        firm = reading["counts"].get(Verdict.NOT_VIOLATED, 0)
        if reading["statement"] == StatementStatus.SURVIVED and firm:
            proved = ", and its steps have certificates" if row and _proved(row, reading) else ""
            told.append(
                f"{words.reading(claim, reading)}, it held wherever a record is firm "
                f"({count(firm, 'record')}){proved}."
            )
    return told


def _proved(row: Record, reading: Record) -> bool:
    """Whether steps are written for every part of a reading, and all of them hold."""
    own = [s for s in row["steps"] if s["reading"] == reading["name"] and s["source"] != "ours"]
    return bool(own) and all(map(steps.holds, own)) and not steps.missing_parts(row)


def _suggested(claim: Record, proofs: Record) -> list[str]:
    """Proved statements in place of what fails, and how much the least correction changes."""
    found = corrections(claim["id"], proofs)
    told = words.of_severity(claim["severity"])
    return [*told, f"We can prove in its place: {'; '.join(found)}."] if found else told


def _again(document: Record, claim: Record, refuted: Sequence[Record]) -> str:
    command = verify_again([typed(claim)], document)
    run = document["run"]
    about = f"fedbounds {run['fedbounds']}, profile {run['profile']}, seed {run['seed']}"
    told = f"The command `{command}` computes all this again ({about})"
    scripts = [reading["witness"] for reading in refuted if reading["witness"]]
    if scripts:
        several = len(scripts) > 1
        told += f"; in its folder of results {listed(scripts)} "
        told += f"{'show' if several else 'shows'} the violation without fedbounds"
    return told + "."
