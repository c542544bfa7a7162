"""Numbers against many statements in the place of one: what they cite is evaluated once."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from fedbounds.theory.checker.data import Comparison, Premise, Square, Statement, Theory
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.proof.instances import Instance, restated
from fedbounds.theory.proof.language import Written
from fedbounds.theory.proof.points import Question
from fedbounds.theory.proof.refute import broken_at, instances_of
from fedbounds.theory.proof.refute_vectors import Numbers
from fedbounds.theory.proof.replay import draft

_MOST = 6  # choices of the parameters: what these do not break, more of them seldom do
_Key = tuple[
    str, str, int, tuple[Comparison, ...], tuple[str, ...], tuple[str | Premise | Square, ...]
]


class _Asked:
    """The instances of a step, found as far as they are asked for."""

    def __init__(self, question: Question) -> None:
        self._found: list[Instance] = []
        self._rest = instances_of(question)

    def __iter__(self) -> Iterator[Instance]:
        yield from self._found
        for one in self._rest:
            self._found.append(one)
            yield one


@dataclass(eq=False)
class Breaking:
    """Of one part: the instances of steps, by what they cite and under which premises."""

    _known: dict[_Key, _Asked] = field(default_factory=dict)

    def numbers(
        self, theory: Theory, written: Written, known: Mapping[str, Statement]
    ) -> Numbers | None:
        """Numbers that satisfy what a step cites and break it; None if none are found."""
        statement = written.statement
        key = (written.id, statement.scope, statement.first, statement.conditions,
               statement.assumptions, written.uses)  # fmt: skip
        try:
            question = Question(theory, statement, draft(theory, written), known)
            every = self._known.setdefault(key, _Asked(question))
            found = (broken_at(question, one) for one in _restated(question, every))
            return next(filter(None, found), None)
        except (Refused, ZeroDivisionError, ValueError):
            return None


def _restated(question: Question, every: _Asked) -> Iterator[Instance]:
    """The instances with this statement; found anew where it names what they do not."""
    for one in islice(every, _MOST):
        own = restated(question, one)
        if own is None:
            yield from islice(instances_of(question), _MOST)
            return
        yield own
