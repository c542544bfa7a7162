"""What running algorithms show of the steps of a proof, and when that contradicts it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

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
    """What was seen of every step of a theory that can be evaluated on its set-ups.

    Raises
    ------
    ConflictError
        If a proved step is broken, or a vector depends on more than the proofs declare.
    """
    if declared(theory) is not None:
        return {}  # every step is a claim, and judged on the cases
    spoken = book_of(theory).theory
    of_setups.check_declared(theory, spoken.scopes)
    of_setups.check_signs(theory, spoken.quantities)
    return judged(steps, partial(of_setups.gaps, theory))


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
