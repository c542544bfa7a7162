"""Findings about what can be met together, and about claims in words, instance by instance."""

from collections.abc import Iterator
from dataclasses import replace

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.setting import Asked, Existence, InTheEnd, Stated, Universal
from fedbounds.theory.language.setups import Alone
from fedbounds.vocabulary import Method, Verdict

from ..finding import Finding
from .premises import Met, met
from .scripts import refuse_unshown, script_in_words
from .stated import tell
from .subjects import Examined, SubjectOf, subjects


def existence(claim: Existence) -> Iterator[Finding]:
    """Every instance for every reading: it meets what is asked, or it says nothing."""
    for asked in claim.asked:
        for name, subject in subjects(claim.entry.paper):
            found = met(subject, asked)
            yield _finding(asked, name, subject, _verdict(found), found)


def _verdict(found: Met) -> Verdict:
    return Verdict.NOT_VIOLATED if found.holds else Verdict.NOT_APPLICABLE


def universal(claim: Universal, *, scripts_of_all: bool = False) -> Iterator[Finding]:
    """What the claim says of every instance that meets what it asks for.

    Parameters
    ----------
    scripts_of_all : bool
        Whether every violation that can has a script; else the first one of each reading.
    """
    scripts = set[str]()  # readings that have one
    for asked, stated in claim.cases:
        for name, subject in subjects(claim.entry.paper):
            needed = scripts_of_all or asked.name not in scripts
            found = _told(claim, asked, stated, name, subject, needed)
            if found.script:
                scripts.add(asked.name)
            yield found


def _told(
    claim: Universal, asked: Asked, stated: Stated, name: str, subject: SubjectOf, needed: bool
) -> Finding:
    compared = [subject]
    if isinstance(stated, InTheEnd) and isinstance(subject, Examined):
        compared += [subject.varied(variant) for variant in stated.variants]
    for each in compared:
        found = met(each, asked)
        if not found.holds:
            return _finding(asked, name, subject, Verdict.NOT_APPLICABLE, found)
    found = met(subject, asked)
    told = tell(subject, stated, claim.entry.paper)
    shown = Met(found.holds, told.reason, found.numbers)
    finding = _finding(asked, name, subject, told.verdict, shown, told.sides)
    if told.verdict is not Verdict.VIOLATED:
        return finding
    try:
        if needed:
            return replace(finding, script=script_in_words(claim, asked, stated, subject))
        refuse_unshown(stated, subject)
        return finding
    except FedboundsError as error:
        return replace(finding, reason=f"{told.reason}; no script: {error}")


def _finding(
    asked: Asked,
    name: str,
    subject: SubjectOf,
    verdict: Verdict,
    found: Met,
    extra: dict[str, str] | None = None,
) -> Finding:
    exact = isinstance(subject, Examined | Alone)
    return Finding(
        reading=asked.name,
        part="",
        instance=name,
        verdict=verdict,
        reason=found.reason,
        family=_family(subject),
        method=Method.RATIONAL if exact else Method.CONSTANTS,
        premise=(
            "computed in rationals, for all rounds and outcomes of the noise"
            if exact
            else "the problem's constants are exact or certified at all points"
        ),
        parameters=found.numbers,
        extra=extra or {},
    )


def _family(subject: SubjectOf) -> str:
    """What was looked at."""
    if isinstance(subject, Alone):
        return "constants alone"
    return subject.view.told if isinstance(subject, Examined) else type(subject).__name__
