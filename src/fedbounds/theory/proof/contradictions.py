"""Premises that contradict each other: a proved step whose conclusion no numbers can meet.

Which steps these are is computed from their conclusions; nobody marks them.
"""

from collections.abc import Iterable, Sequence

from fedbounds.theory.checker.check import remainders
from fedbounds.theory.checker.data import Certificate, Statement, Theory
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.expressions import NewVariable
from fedbounds.theory.language.claims import Condition

from .replay import Local, Replayed
from .text import comparisons


def absurd(theory: Theory, statement: Statement) -> bool:
    """Whether a statement in constants alone is false for all values of their declared signs.

    The statement's conditions are left out: it is false whether they hold or not.
    """
    if statement.scope:
        return False
    sides = Statement(statement.left, statement.relation, statement.right)
    try:
        (whole,) = remainders(theory, sides, Certificate("combine"), {})
        gap = whole.value.plain()  # refused where a measured quantity occurs
    except (Refused, NewVariable):
        return False
    return (-gap).positive() or (statement.relation == "==" and gap.positive())


def contradictions(theory: Theory, steps: Iterable[Replayed]) -> tuple[Replayed, ...]:
    """The proved steps that rest on proved ones only, and whose conclusion is absurd."""
    return tuple(
        step
        for step in steps
        if step.local is Local.PROVED and step.inherited and absurd(theory, step.written.statement)
    )


def contradicted(
    found: Iterable[Replayed],
    assumptions: Sequence[str],
    conditions: Sequence[Condition],
) -> tuple[str, ...]:
    """Ids of the contradictions that all of whose premises are among these."""
    assumed, required = set(assumptions), set(comparisons(tuple(conditions)))
    return tuple(
        step.written.id
        for step in found
        if set(step.written.statement.assumptions) <= assumed
        and set(step.written.statement.conditions) <= required
    )
