"""Findings about what can be met together, and about claims in words, instance by instance."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from fedbounds.theory.setting import Asked, Existence, Says, Universal
from fedbounds.vocabulary import Assumption, Method, Verdict

from ..finding import Finding
from .exhibits import Exhibit, exhibits
from .families import families, parameters
from .premises import Met, Parameters, Sequence, met
from .says import halved, tell
from .scripts import script_in_words


@cache
def subjects() -> tuple[tuple[str, Any], ...]:
    """Everything on which readings are examined, by name."""
    runs = [(exhibit.name, exhibit) for exhibit in exhibits()]
    points = [(point.name, point) for point in parameters()]
    sequences = [
        Sequence(f"the recursion of the {steps} step, with equality", recursion)
        for steps, recursion in (
            ("constant", Assumption.RECURSION),
            ("decaying", Assumption.RECURSION_DECAYING),
        )
    ]
    return (*runs, *points, *((each.name, each) for each in sequences), *families())


def existence(claim: Existence) -> Iterator[Finding]:
    """Every instance for every reading: it meets what is asked, or it says nothing."""
    for asked in claim.asked:
        for name, subject in subjects():
            found = met(subject, asked)
            yield _finding(asked, name, subject, _verdict(found), found)


def _verdict(found: Met) -> Verdict:
    return Verdict.NOT_VIOLATED if found.holds else Verdict.NOT_APPLICABLE


def universal(claim: Universal) -> Iterator[Finding]:
    """What the claim says of every instance that meets what it asks for."""
    for asked, says in claim.cases:
        for name, subject in subjects():
            yield _told(claim.entry.id, asked, says, name, subject)


def _told(claim_id: str, asked: Asked, says: Says, name: str, subject: Any) -> Finding:
    compared = (subject, halved(subject)) if says in (Says.LESS, Says.SLOWER) else (subject,)
    for each in compared:
        found = met(each, asked)
        if not found.holds:
            return _finding(asked, name, subject, Verdict.NOT_APPLICABLE, found)
    told = tell(subject, says)
    shown = Met(found.holds, told.reason, found.numbers)
    finding = _finding(asked, name, subject, told.verdict, shown, told.numbers)
    if told.verdict is not Verdict.VIOLATED:
        return finding
    script = script_in_words(claim_id, asked, says, subject, told.numbers)
    return replace(finding, script=script)


def _finding(
    asked: Asked,
    name: str,
    subject: Any,
    verdict: Verdict,
    found: Met,
    extra: dict[str, str] | None = None,
) -> Finding:
    exact = isinstance(subject, Exhibit | Parameters | Sequence)
    return Finding(
        reading=asked.name,
        part="",
        instance=name,
        verdict=verdict,
        reason=found.reason,
        family=type(subject.problem if isinstance(subject, Exhibit) else subject).__name__,
        method=Method.RATIONAL if exact else Method.CONSTANTS,
        premise=(
            "computed in rationals, for all rounds and outcomes of the noise"
            if exact
            else "the problem's constants are exact or certified at all points"
        ),
        parameters=found.numbers,
        extra=extra or {},
    )
