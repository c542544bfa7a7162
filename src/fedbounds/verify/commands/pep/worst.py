"""An interval for a claim's worst case: our families below, solver and certificate above."""

from dataclasses import dataclass
from typing import Any

import sympy as sp
from flint import arb, fmpq

from fedbounds.errors import ConflictError
from fedbounds.theory.language.claims import Condition

from ...decide.conditions import failure, sides
from ...measure.evaluate import Numbers
from .certificate import Certificate, certify
from .checker_step import as_data, refusal_of, steps_of
from .families import Reached, reached
from .forms import Form
from .formulate import WorstCase, formulate
from .parameters import Question, left_side
from .solve import Solved, solve

_RELATIVE = 1e-6  # of what the solver says, beside its own gap
_MEASURED = sp.Symbol("worst_case")


@dataclass(frozen=True, eq=False)
class Worst:
    """What is known of the worst case of a part's left side at given numbers.

    Attributes
    ----------
    asked : Question
    problem : WorstCase
    objective : Form
    reached : Reached or None
        From below, exact.
    solved : Solved or None
        An estimate; None where the solver finds no finite value.
    certificate : Certificate or None
        From above, certified.
    refused : str or None
        Why the proof checker does not accept the certificate.
    steps : dict or None
        The certificate as the checker reads it.
    right : number
        The claim's right side: rational, or a ball.
    tight : bool
        Whether the problem's value is the worst case itself.
    """

    asked: Question
    problem: WorstCase
    objective: Form
    reached: Reached | None
    solved: Solved | None
    certificate: Certificate | None
    refused: str | None
    steps: dict[str, Any] | None
    right: Any
    tight: bool

    @property
    def tolerance(self) -> float:
        """Within which the solver's value is not told from another number."""
        assert self.solved is not None
        gap = abs(self.solved.primal - self.solved.dual)
        return gap + _RELATIVE * max(abs(self.solved.dual), abs(self.solved.primal))


def worst(asked: Question) -> Worst:
    """Formulate, solve, certify, check, and search from below.

    Raises
    ------
    FedboundsError
        If PEPit is not installed, or its solver gives up.
    """
    problem = formulate(asked.setting, asked.last, asked.part.quantities)
    series = Numbers(asked.numbers, problem.series, lambda p, q: fmpq(p, q))
    objective: Form = left_side(asked, series)
    solved = solve(problem, objective)
    certificate = None if solved is None else certify(problem, objective, solved)
    refused, steps = None, None
    if certificate is not None:
        name = f"{asked.claim.id}, worst case"
        theory, every = steps_of(problem, objective, certificate, name)
        refused, steps = refusal_of(theory, every), as_data(theory, every)
    constants = Numbers(asked.numbers, {}, lambda p, q: fmpq(p, q))
    _, right = sides(Condition(sp.Integer(0), "<=", asked.part.right), constants)
    setting = asked.setting
    one_block = not (setting.shared and setting.personal)
    return Worst(
        asked,
        problem,
        objective,
        reached(asked),
        solved,
        certificate,
        refused,
        steps,
        right,
        tight=one_block and (setting.clients == 1 or not setting.shared),
    )


def _holds(found: Worst, value: fmpq, relation: str) -> bool:
    """Whether a number and the right side compare so: exactly, or in balls that decide it."""
    numbers = Numbers({**found.asked.numbers, str(_MEASURED): value}, {}, lambda p, q: fmpq(p, q))
    return failure(Condition(_MEASURED, relation, found.asked.part.right), numbers) is None


def proved(found: Worst) -> bool:
    """Whether the claim's bound holds at these numbers for all functions, by the certificate."""
    return (
        found.certificate is not None
        and found.refused is None
        and _holds(found, found.certificate.bound, "<=")
    )


def violated(found: Worst) -> bool:
    """Whether an exact instance exceeds the claim's bound."""
    if found.reached is None:
        return False
    left = found.reached.left
    return _holds(found, left, ">=") and not _holds(found, left, "<=")


def refuse_conflict(found: Worst) -> None:
    """Raise if the worst from below exceeds the worst from above: a bug of ours.

    Raises
    ------
    ConflictError
    """
    if found.reached is None or found.solved is None:
        return
    left = found.reached.left
    if found.certificate is not None and left > found.certificate.bound:
        above = f"the certified bound {found.certificate.bound}"
    elif found.solved.accurate and float(left) > found.solved.dual + found.tolerance:
        above = f"the solver's worst case {found.solved.dual:.9g}"
    else:
        return
    raise ConflictError(
        f"{found.asked.claim.id}: an exact instance reaches {float(left):.9g}, above {above}"
    )


def conclusion(found: Worst) -> str:
    """What follows for the claim at these numbers, in a sentence."""
    if violated(found):
        return "violated: the bound is below the worst case, as the instance of our families shows"
    if proved(found):
        return "holds at these numbers for all functions, given the inequalities named: certified"
    if found.solved is None:
        return "no verdict: the solver finds no finite worst case, which is an estimate"
    if found.certificate is None and not found.solved.accurate:
        return (
            "no verdict: the solver calls its numbers inaccurate, and nothing is certified; the "
            "worst case may be unbounded"
        )
    right = float(found.right.mid()) if isinstance(found.right, arb) else float(found.right)
    if right >= found.solved.dual - found.tolerance:
        return "no verdict: the solver's estimate is not above the bound, but nothing is certified"
    whose = "the worst case" if found.tight else "a problem that may lie above the worst case"
    return f"no verdict: the bound is below the solver's estimate of {whose}; there is no witness"
