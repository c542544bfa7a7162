"""Numbers against many statements in the place of one: what they cite is evaluated once."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from fedbounds.theory.checker.data import Comparison, Premise, Square, Statement, Theory
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.proof.instances import Instance, restated
from fedbounds.theory.proof.language import Written
from fedbounds.theory.proof.points import Question
from fedbounds.theory.proof.refute import broken_at, instances_of
from fedbounds.theory.proof.refute_vectors import Numbers
from fedbounds.theory.proof.replay import draft

_Key = tuple[
    str, str, int, tuple[Comparison, ...], tuple[str, ...], tuple[str | Premise | Square, ...]
]


@dataclass(eq=False)
class Breaking:
    """Of one step: its instances, by what it cites and under which premises."""

    _known: dict[_Key, tuple[Question, list[Instance]]] = field(default_factory=dict)

    def numbers(
        self, theory: Theory, written: Written, known: Mapping[str, Statement]
    ) -> Numbers | None:
        """Numbers that satisfy what a step cites and break it; None if none are found."""
        statement = written.statement
        key = (written.id, statement.scope, statement.first, statement.conditions,
               statement.assumptions, written.uses)  # fmt: skip
        try:
            if key not in self._known:
                first = Question(theory, statement, draft(theory, written), known)
                self._known[key] = first, list(instances_of(first))
            first, every = self._known[key]
            question = replace(first, statement=statement)
            alike = [restated(question, one) for one in every]
            if None in alike:
                alike = list(instances_of(question))
            found = (broken_at(question, one) for one in alike if one is not None)
            return next(filter(None, found), None)
        except (Refused, ZeroDivisionError, ValueError):
            return None
