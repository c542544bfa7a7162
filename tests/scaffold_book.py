"""The chapters on Lemmas 4.1 to 4.4, and steps of them with something changed."""

from dataclasses import replace
from functools import cache

from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.personalization.glossary import GLOSSARY
from fedbounds.theory.personalization.proofs import (
    definitions,
    fedavg_increments,
    fedavg_lemmas,
    scaffold_drift,
    scaffold_lemmas,
    scaffold_memory,
    scaffold_recursion,
    scaffold_steps,
    scopes,
    technical,
)
from fedbounds.theory.personalization.proofs.book import PER_CLIENT, PER_STEP
from fedbounds.theory.proof.language import Book
from fedbounds.theory.proof.multipliers import kept_by
from fedbounds.theory.proof.replay import Local, Replayed, certified, inherit
from fedbounds.theory.proof.text import theory_of

OWN = (scaffold_lemmas, scaffold_steps, scaffold_drift, scaffold_memory, scaffold_recursion)
CHAPTERS = (technical, fedavg_increments, fedavg_lemmas, *OWN)


@cache
def book():
    every = dict(scopes.SCOPES)
    for chapter in CHAPTERS:
        every |= getattr(chapter, "SCOPES", {})
    found = Book("personalization", theory_of(GLOSSARY, every, PER_CLIENT, PER_STEP))
    definitions.write(found)
    for chapter in CHAPTERS:
        getattr(chapter, "definitions", lambda _: None)(found)
    for chapter in CHAPTERS:
        chapter.write(found)
    return found


@cache
def own_steps():
    """Names, with the source, of the steps of these chapters."""
    others = Book("personalization", book().theory)
    for chapter in CHAPTERS[: -len(OWN)]:
        chapter.write(others)
    known = {step.id for step in others.steps}
    return tuple(s for s in book().steps if s.id not in known and s.rule != "given")


def earlier_than(written):
    steps = book().steps
    return {s.id: s.statement for s in steps[: steps.index(written)]}


def find(name, source=None):
    return next(s for s in own_steps() if s.id == name and source in (None, s.source))


def refuses(name, theory=None, source=None, **changed):
    """Whether the prover refuses the step with its statement or uses changed."""
    own = find(name, source)
    uses = changed.pop("uses", own.uses)
    planted = replace(own, uses=uses, statement=replace(own.statement, **changed))
    try:
        certified(theory or book().theory, planted, earlier_than(own))
    except Refused:
        return True
    return False


@cache
def replayed():
    """Own steps replayed, the chapters before them taken as proved; by id and source."""
    own, found, earlier = {id(s) for s in own_steps()}, [], {}
    kept = kept_by(book().paper)
    for written in book().steps:
        local, reason = Local.PROVED, ""
        if id(written) in own:
            try:
                certified(book().theory, written, earlier, kept)
            except Refused as error:
                local, reason = Local.OPEN, str(error)
        found.append(Replayed(written, local, reason, None, ()))
        earlier[written.id] = written.statement
    return {(s.written.id, s.written.source): s for s in inherit(found)}


def status(name, source="paper"):
    return replayed()[name, source]
