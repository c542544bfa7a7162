"""Whether one statement follows from another by itself, with a certificate that the kernel accepts.

No definition, no fact and no other step is used: the other statement, the conditions of the one
that is to follow, and the signs of names. No certificate is sought where numbers satisfy the other
statement and break the one.
"""

from collections.abc import Sequence
from dataclasses import replace

from fedbounds.theory.checker.data import Assignment, Statement, Theory
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.language.claims import Part
from fedbounds.theory.proof.language import Written, cite, condition
from fedbounds.theory.proof.replay import certified
from fedbounds.theory.proof.text import statement_of

from .breaking import Breaking

_OTHER = "the other"


def follows(
    theory: Theory,
    one: Part,
    other: Part,
    scope: str,
    charts: Sequence[tuple[Assignment, ...]],
    breaking: Breaking,
) -> bool:
    """Whether ``one`` follows from ``other``, in some of these charts of parameters."""
    known = {_OTHER: statement_of(other, scope)}
    every = [stated(one, scope, chart) for chart in dict.fromkeys(charts)]
    if breaking.numbers(theory, every[-1], known) is not None:
        return False
    return any(_holds(theory, written, known) for written in every)


def alone(theory: Theory, one: Part, scope: str, charts: Sequence[tuple[Assignment, ...]]) -> bool:
    """Whether ``one`` follows from its conditions and signs, in some of these charts."""
    every = (stated(one, scope, chart) for chart in dict.fromkeys(charts))
    return any(_holds(theory, replace(w, uses=w.uses[1:]), {}) for w in every)


def stated(one: Part, scope: str, chart: tuple[Assignment, ...]) -> Written:
    """A step that is to prove a statement from the other one, which it cites first."""
    uses = (cite(_OTHER), *(condition(c) for c in one.conditions if c.relation != "=="))
    return Written(
        "mutant", statement_of(one, scope), one.left, one.relation.value, one.right, uses, chart,
        scope=scope, conditions=one.conditions, assumptions=one.assumptions,
    )  # fmt: skip


def _holds(theory: Theory, written: Written, known: dict[str, Statement]) -> bool:
    try:
        certified(theory, written, known)
    except (Refused, ZeroDivisionError, ValueError):
        return False
    return True
