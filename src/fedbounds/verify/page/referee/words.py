"""The fixed phrases of a note for authors: source, standing, severity, reading."""

from typing import Any

from fedbounds.vocabulary import Severity, Source, Standing, Verdict

from ..numbers import count
from ..plain import plain
from ..standings import MEANING

Record = dict[str, Any]

_SOURCE = {
    Source.RESTORED: (
        "Our copy of the text is damaged at this place and the formula was restored by us from "
        "its context; please compare it with your own text first."
    ),
    Source.RECONSTRUCTED: (
        "The formula judged here was reconstructed by us, because our text of the paper lacks "
        "it; what follows is about our formula and says nothing about the authors or their text."
    ),
    Source.OURS: "This statement is ours, offered in place of the printed one.",
}
_STANDING = {
    Standing.CONFIRMED: (
        "Every step of its proof, and all that it rests on, has a certificate that a "
        "small separate program has checked again."
    ),
    Standing.CONFIRMED_BY_SOLVER: (
        "Every step of its proof is proved, some by a solver alone, without a certificate."
    ),
    Standing.PROVED_OTHERWISE: (
        "The statement itself is proved with certificates, though not by the steps of its own "
        "proof alone."
    ),
    Standing.CONDITIONAL: (
        "The statement is proved with certificates from suppositions that we could not derive from "
        "the definitions and assumptions; each is named, and it is said whether runs measured it."
    ),
    Standing.GAP: (
        "The statement is neither proved nor refuted here: a step of its proof, or one that it "
        "rests on, fails."
    ),
    Standing.REFUTED: (
        "As read first here, the statement is violated exactly by an instance that meets its "
        "assumptions and conditions."
    ),
    Standing.UNSATISFIABLE: (
        "As read first here, its premises contradict each other, so that no instance meets them "
        "and nothing was measured."
    ),
    Standing.OPEN: "We could not judge it firmly.",
    Standing.SATISFIABLE: "Problems that we examined satisfy it.",
    Standing.REPRODUCED: "The stated outcome was seen here too.",
    Standing.NOT_REPRODUCED: "The stated outcome was not seen here.",
    Standing.NOT_REPRODUCIBLE: "The text does not fix this well enough to be repeated.",
    Standing.CONFLICT: (
        "It came out both proved and violated, which is an error of fedbounds and says nothing "
        "about the paper."
    ),
}
_SEVERITY = {
    Severity.TYPO: "changes only the relation sign",
    Severity.CONSTANT: "changes only numerical constants",
    Severity.CONDITION: "changes its premises",
    Severity.RATE: "changes its terms",
}


def of_source(source: Source) -> list[str]:
    """Whose text was judged; nothing where it is the authors' own."""
    return [_SOURCE[source]] if source in _SOURCE else []


def of_standing(claim: Record) -> str:
    """What the run says of the claim as a whole, with the reason that it gives."""
    word = Standing(claim["standing"])
    if word is Standing.TESTED:
        firm = claim["readings"][0]["counts"].get(Verdict.NOT_VIOLATED, 0)
        told = (
            "No complete proof of it was replayed; measurement found no violation in "
            f"{count(firm, 'record')} with a firm verdict, which is evidence and no proof."
        )
    else:
        told = _STANDING.get(word, f"Its standing is “{word}”: {MEANING[word]}.")
    reason = str(claim.get("reason", "")).rstrip(".")
    return f"{told} The record says: {reason}." if reason else told


def of_severity(word: str | None) -> list[str]:
    """What the least proved correction changes; nothing where none is graded."""
    return (
        []
        if word is None
        else [f"The least correction that we can prove {_SEVERITY[Severity(word)]}."]
    )


def reading(claim: Record, found: Record) -> str:
    """The reading of which a sentence speaks."""
    if len(claim["readings"]) == 1:
        return "As printed" if found["name"] == "as printed" else f"Read as “{found['name']}”"
    which = "first" if found is claim["readings"][0] else "alternative"
    named = f"{found['name']}, {found['ambiguity']}".rstrip(", ")
    return f"In the {which} reading (“{named}”)"


def formula(left: str, relation: str, right: str) -> str:
    """LaTeX of two sides as one line of text."""
    sign = {"<=": "≤", ">=": "≥", "==": "=", "<": "<", ">": ">"}[relation]
    return f"{plain(left)} {sign} {plain(right)}"
