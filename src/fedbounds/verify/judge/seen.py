"""What running algorithms show of the steps of a proof, and when that contradicts it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import sympy as sp
from sympy.core.function import AppliedUndef

from fedbounds.errors import ConflictError
from fedbounds.theory.language.contributed import declared
from fedbounds.theory.proof.language import Written
from fedbounds.theory.proof.library import book_of
from fedbounds.theory.proof.replay import Local, Replayed

from ..setups import steps as of_setups

MARGIN = 1e-13  # of the size of a statement's terms


@dataclass(frozen=True)
class Seen:
    """On how many instances a step was evaluated, and the least right - left over the size."""

    instances: int
    least: float


def evaluated(steps: Sequence[Replayed], theory: str) -> dict[str, Seen]:
    """What was seen of steps of a theory that can be evaluated on its set-ups.

    Raises
    ------
    ConflictError
        If a proved step is broken, or a vector depends on more than the proofs declare, or what
        they take for no negative number is negative; of what these steps speak of.
    """
    if declared(theory) is not None:
        return {}  # every step is a claim, and judged on the cases
    spoken = book_of(theory).theory
    scopes = {step.written.scope for step in steps}
    names = set().union(*map(_quantities, steps))
    of_setups.check_declared(theory, {x: y for x, y in spoken.scopes.items() if x in scopes})
    of_setups.check_signs(theory, {x: y for x, y in spoken.quantities.items() if x in names})
    return judged(steps, partial(of_setups.gaps, theory))


def _quantities(step: Replayed) -> set[str]:
    """Names of those in a step's statement, and those whose sign its certificate uses."""
    written = step.written
    conditions = (side for c in written.conditions for side in (c.left, c.right))
    sides = (written.left, written.right, *conditions)
    calls = (sp.sympify(side, strict=True).atoms(AppliedUndef) for side in sides)
    return {call.func.__name__ for own in calls for call in own} | {*step.signs}


def judged(
    steps: Sequence[Replayed], gaps: Callable[[Written], Sequence[float]]
) -> dict[str, Seen]:
    """What was seen of every step that some set-up can evaluate.

    Parameters
    ----------
    gaps : function
        (right - left) / size of a step on every set-up that says something of it.

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
