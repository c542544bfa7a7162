"""What running algorithms show of a step, and when that contradicts its proof."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import sympy as sp

from fedbounds.errors import ConflictError, FedboundsError
from fedbounds.theory.claims import Condition
from fedbounds.theory.proof.language import Written
from fedbounds.theory.proof.replay import Local, Replayed

from .outcome_values import Evaluated

MARGIN = 1e-13  # of the size of a statement's terms
_CLOSE = 1e-12  # sides of a condition that differ by less are equal

Value = Callable[[sp.Expr], Evaluated]


@dataclass(frozen=True)
class Seen:
    """On how many instances a step was evaluated, and the least right - left over the size."""

    instances: int
    least: float


def judged(
    steps: Sequence[Replayed], gaps: Callable[[Written], Sequence[float]]
) -> dict[str, Seen]:
    """What was seen of every step that some instance can evaluate.

    Parameters
    ----------
    gaps : function
        `gap` of a step on every instance that says something of it.

    Raises
    ------
    ConflictError
        If a proved step is broken, or what is taken as given.
    """
    found: dict[str, Seen] = {}
    for step in steps:
        every = gaps(step.written)
        if not every:
            continue
        seen = Seen(len(every), min(every))
        if seen.least < -MARGIN and step.local in (Local.PROVED, Local.GIVEN) and step.inherited:
            raise ConflictError(
                f"step {step.written.id} is {step.local.value}, and broken on a run: right - left "
                f"is {seen.least:.3g} of its terms' size"
            )
        found[step.written.id] = seen
    return found


def gap(written: Written, value: Value) -> float | None:
    """(right - left) / size, that of an identity with a negative sign.

    None where a condition does not hold, or a quantity or constant has no value.
    """
    try:
        if not all(_holds(condition, value) for condition in written.conditions):
            return None
        left, right = value(written.left), value(written.right)
    except FedboundsError:
        return None
    size = left.size + right.size or 1.0
    found = float(right.value - left.value) / size
    if written.relation == "==":
        return -abs(found)
    return -found if written.relation == ">=" else found


def _holds(condition: Condition, value: Value) -> bool:
    left, right = (
        value(sp.sympify(side, strict=True)).value for side in (condition.left, condition.right)
    )
    close = bool(abs(left - right) <= _CLOSE * (abs(left) + abs(right)))
    if condition.relation == "==":
        return close
    return close or bool(left < right if condition.relation == "<=" else left > right)
