"""Statements, premises, definitions and givens of a theory, each once, in the paper's order."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import sympy as sp
from sympy.core.function import AppliedUndef

from fedbounds.theory.language.catalogue import Entry, paper
from fedbounds.theory.language.registry import encoded
from fedbounds.theory.language.setting import readings_of
from fedbounds.theory.proof.language import Book, Written
from fedbounds.theory.proof.library import names_of
from fedbounds.vocabulary import Source

from ...page.steps import accepted_by
from ...results.accepted import answers_of
from . import defined, givens
from .stated import assumptions_of, expressions, stated


class Line(NamedTuple):
    """A line, and how far it is indented."""

    depth: int
    text: str


def lines(theory: str, entries: Sequence[Entry]) -> Iterator[Line]:
    """What is to be read of these claims of one theory."""
    about = paper(theory)
    yield Line(0, f"{about.title} ({', '.join(about.authors)})")
    if about.words:
        yield Line(1, f"words: {about.words}")
    proofs = givens.book(theory)
    if proofs is not None:
        yield from (Line(1, text) for text in givens.always_lines(proofs.theory))
    yield from (Line(1, text) for text in defined.view_lines(theory))
    told = _Told(theory, proofs)
    for entry in entries:
        yield from _claim(entry, told)


def deviations(entries: Sequence[Entry]) -> Iterator[str]:
    """How many claims are not, or not only, what is printed."""
    sources = Counter(entry.source for entry in entries)
    several = sum(entry.module != "" and len(readings_of(encoded(entry))) > 1 for entry in entries)
    yield f"{len(entries)} claims"
    yield from (f"{sources[word]} {word}" for word in Source if sources[word])
    yield f"{sum(entry.note != '' for entry in entries)} with a note on what is printed"
    yield f"{several} read in several ways"


@dataclass
class _Told:
    """What has been printed, so that it is printed once."""

    theory: str
    proofs: Book | None
    names: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.quantities = defined.quantities(self.theory)
        self.assumptions = defined.assumptions(self.theory)
        self.glossary = names_of(self.theory)
        proved = {step.claim for step in self.proofs.steps} if self.proofs is not None else set()
        self.answers = answers_of(self.theory, proved - {""}) if proved else {}

    def first(self, name: str) -> bool:
        """Whether it is the first time that a name is asked for."""
        new = name not in self.names
        self.names.add(name)
        return new


def _claim(entry: Entry, told: _Told) -> Iterator[Line]:
    source = "" if entry.source is Source.VERBATIM else f", {entry.source}"
    yield Line(0, f"{entry.id} [{entry.kind}{source}] {entry.place}: {entry.statement}")
    if entry.note:
        yield Line(1, f"printed otherwise, or read so: {entry.note}")
    if not entry.module:
        return
    claim = encoded(entry)
    yield from (Line(1, text) for text in stated(claim))
    yield from (Line(2, text) for text in _premises(claim, told))
    if text := accepted_by(_answered(entry, told)):
        yield Line(1, text)


def _answered(entry: Entry, told: _Told) -> Iterator[dict[str, Any]]:
    """Its proved steps, with who accepts them."""
    own = () if told.proofs is None else (s.id for s in told.proofs.steps if s.claim == entry.id)
    yield from ({"id": x, "accepted": told.answers[x]} for x in own if x in told.answers)


def _premises(claim: Any, told: _Told) -> Iterator[str]:
    """Assumptions, definitions and givens that no claim before has had."""
    waiting = list(expressions(claim))
    steps = [] if told.proofs is None else list(givens.rested_on(told.proofs, claim.entry.id))
    assumed = (*assumptions_of(claim), *(str(a) for step in steps for a in step.assumptions))
    for name in dict.fromkeys(assumed):
        if told.first(f"assumption {name}"):
            yield defined.assumption_line(name, told.assumptions)
            waiting += told.assumptions.speaks_of.get(name, ())
    new = [step for step in steps if step.rule == "given" and told.first(f"step {step.id}")]
    waiting += [side for step in new for side in (step.left, step.right)]
    yield from _definitions(waiting, told)
    yield from _scopes(steps, told)
    yield from givens.given_lines([step for step in new if not _defines(step, told)])


def _defines(step: Written, told: _Told) -> bool:
    """Whether it is a definition by which runs are measured too, which is printed as such."""
    name = getattr(step.left, "name", None) or step.left.func.__name__
    here = all(argument.is_Symbol for argument in step.left.args)  # not in the next round
    simple = step.left.is_Symbol or (isinstance(step.left, AppliedUndef) and here)
    plain = simple and step.relation == "==" and not step.conditions
    return plain and defined.is_defined(name, step.right, told.quantities)


def _definitions(waiting: list[sp.Basic], told: _Told) -> Iterator[str]:
    """Of all names in formulas, and in what these stand for; those without one share a line."""
    vectors: dict[str, str] = {}
    plain: list[str] = []
    derived: list[str] = []
    while waiting:
        expression = waiting.pop(0)
        vectors |= defined.vectors_in(expression)
        for name in defined.names_in(expression):
            meant, said = name in told.glossary.meanings, name in told.quantities.said
            if (meant or said) and told.first(name):
                line = defined.definition_line(name, told.quantities, told.glossary)
                if meant and said:
                    yield line
                else:
                    (plain if meant else derived).append(line)
                waiting += told.quantities.speaks_of.get(name, ())
    if plain:
        yield f"parameters {'; '.join(plain)}"
    notation = {x: latex for x, latex in vectors.items() if told.first(f"vector {x}")}
    if derived or notation:
        yield "vectors " + "; ".join([*(f"{x} is {y}" for x, y in notation.items()), *derived])


def _scopes(steps: Sequence[Written], told: _Told) -> Iterator[str]:
    for step in steps:
        if step.scope and told.proofs is not None and told.first(f"scope {step.scope}"):
            yield givens.scope_line(step.scope, told.proofs.theory.scopes[step.scope])
