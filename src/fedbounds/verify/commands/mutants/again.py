"""A mutant of a table made again, on the set-ups that the table names."""

from collections.abc import Sequence
from dataclasses import replace

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.registry import claim

from ...decide.case import Case
from .rows import rows, subjects
from .table import Line, key_of, line_of


def again(paper: str, line: Line, cases: Sequence[Case]) -> Line:
    """The line of the same mutant, from what is found now.

    Raises
    ------
    FedboundsError
        If there is no such mutant.
    """
    named = [x for x in cases if x.name == line.seen or line.original.endswith(f" by {x.name}")]
    for subject in subjects(paper, [claim(f"{paper}/{line.claim}")]):
        for mutant in subject.mutants:
            if key_of(mutant) == (line.part, line.operator, line.place, line.change):
                (found,) = rows(paper, [replace(subject, mutants=(mutant,))], named)
                return line_of(found)
    raise FedboundsError(f"{line.claim} {line.part} has no mutant {line.place} {line.change}")
