"""The chapters on Appendix A and section 3.2.1, and steps of them with something changed."""

from dataclasses import replace
from functools import cache

from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.personalization.glossary import GLOSSARY
from fedbounds.theory.personalization.proofs import (
    definitions,
    fedavg_drift,
    fedavg_gradients,
    fedavg_increments,
    fedavg_lemmas,
    scopes,
    technical,
)
from fedbounds.theory.personalization.proofs.book import PER_CLIENT, PER_STEP
from fedbounds.theory.proof.language import Book
from fedbounds.theory.proof.replay import certified, replay
from fedbounds.theory.proof.text import theory_of

CHAPTERS = (technical, fedavg_increments, fedavg_lemmas, fedavg_drift, fedavg_gradients)


@cache
def written():
    """The definitions and the steps of these chapters."""
    every = dict(scopes.SCOPES)
    for chapter in CHAPTERS:
        every |= getattr(chapter, "SCOPES", {})
    book = Book("personalization", theory_of(GLOSSARY, every, PER_CLIENT, PER_STEP))
    definitions.write(book)
    for chapter in CHAPTERS:
        if hasattr(chapter, "definitions"):
            chapter.definitions(book)
    for chapter in CHAPTERS:
        chapter.write(book)
    return book


@cache
def steps():
    return {step.written.id: step for step in replay(written())}


def certify(name, step=lambda own: own, theory=lambda own: own):
    """Certify a step, with it or the theory changed; raises Refused."""
    book = written()
    own = next(s for s in book.steps if s.id == name)
    earlier = {s.id: s.statement for s in book.steps[: book.steps.index(own)]}
    certified(theory(book.theory), step(own), earlier)


def proves(name, *, scope=lambda own: own, without="nothing", **changed):
    """Whether a step is certified with its statement or scope changed, or less a premise."""

    def step(own):
        kept = tuple(use for use in own.uses if without not in (use, getattr(use, "name", use)))
        return replace(own, statement=replace(own.statement, **changed), uses=kept)

    def theory(own):
        used = {s.id: s.scope for s in written().steps}[name]
        other = {used: scope(own.scopes[used])} if used else {}
        return replace(own, scopes=own.scopes | other)

    try:
        certify(name, step, theory)
    except Refused:
        return False
    return True


def statement(name):
    return steps()[name].written.statement


def expression(name):
    return steps()[name].written.right
