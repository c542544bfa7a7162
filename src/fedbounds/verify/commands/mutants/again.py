"""Mutants of a table made again, on the set-ups that the table names."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fedbounds.theory.language.registry import claim

from ...decide.case import Case
from .rows import rows, subjects
from .table import Line, cell, key_of, line_of


def again(paper: str, lines: Sequence[Line], cases: Sequence[Case]) -> Iterator[tuple[Line, str]]:
    """Lines of one claim, each with what differs now; empty if nothing does.

    A line is made again on the set-ups alone that it names: how many others held is not seen.
    """
    (name,) = {line.claim for line in lines}
    every = subjects(paper, [claim(f"{paper}/{name}")])
    known = {
        key_of(subject.part.name, m): (subject, m) for subject in every for m in subject.mutants
    }
    for line in lines:
        key = (line.part, line.operator, line.place, line.change)
        if key not in known:
            yield line, "there is no such mutant"
            continue
        subject, mutant = known[key]
        named = [case for case in cases if cell(case.name) in (line.seen, line.first)]
        (found,) = map(line_of, rows(paper, [replace(subject, mutants=(mutant,))], named))
        same = (found.outcome, found.proof) == (line.outcome, line.proof)
        yield line, "" if same else f"now {found.outcome}, {found.proof}"
