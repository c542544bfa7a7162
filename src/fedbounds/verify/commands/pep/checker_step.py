"""A certificate as a step for the proof checker, at these numbers.

The inequalities are given steps with their origin named: what the checker accepts is that the
bound follows from them.
"""

from typing import Any

from flint import fmpq

from fedbounds.theory.checker import data
from fedbounds.theory.checker.check import check
from fedbounds.theory.checker.data import Premise, Scope, Square, Statement, Step, Theory
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.files import book_data, step_data

from .certificate import Certificate
from .forms import Form, Vector
from .formulate import WorstCase

_SCOPE = "worst case"


def steps_of(
    problem: WorstCase, objective: Form, certificate: Certificate, name: str
) -> tuple[Theory, tuple[Step, ...]]:
    """The inequalities used, as given steps, and last the step that combines them.

    Parameters
    ----------
    name : str
        Id of the last step.
    """
    scope = Scope(
        atoms=tuple((vector, ()) for vector in problem.vectors),
        values=tuple((value, "0", "0") for value in problem.values),
    )
    theory = Theory({"T": "integer"}, quantities={}, scopes={_SCOPE: scope})
    given = [
        Step(
            problem.inequalities[at].name,
            Statement(_text(problem, problem.inequalities[at].form), "<=", "0", scope=_SCOPE),
            data.Certificate("given", origin=problem.inequalities[at].origin, scope=_SCOPE),
        )
        for at, _ in certificate.multipliers
    ]
    last = Step(
        name,
        Statement(_text(problem, objective), "<=", str(certificate.bound), scope=_SCOPE),
        data.Certificate(
            "combine",
            premises=tuple(
                Premise("step", problem.inequalities[at].name, (str(times),))
                for at, times in certificate.multipliers
            ),
            squares=tuple(
                Square((str(weight),), _vector(problem, vector))
                for weight, vector in certificate.squares
            ),
            scope=_SCOPE,
        ),
    )
    return theory, (*given, last)


def refusal_of(theory: Theory, steps: tuple[Step, ...]) -> str | None:
    """None if the checker accepts every step; else why it does not."""
    earlier: dict[str, Statement] = {}
    for step in steps:
        try:
            check(theory, step, earlier)
        except Refused as error:
            return str(error)
        earlier[step.id] = step.statement
    return None


def as_data(theory: Theory, steps: tuple[Step, ...]) -> dict[str, Any]:
    """Plain data, as ``python -m fedbounds.theory.checker`` reads it."""
    return book_data(theory, [step_data(step) for step in steps])


def _text(problem: WorstCase, form: Form) -> str:
    names = problem.vectors
    terms = [
        *(
            _term(c, f"sq({names[a]})" if a == b else f"ip({names[a]}, {names[b]})")
            for (a, b), c in sorted(form.products.items())
        ),
        *(_term(c, problem.values[at]) for at, c in sorted(form.values.items())),
    ]
    if form.constant != 0:
        terms.append(f"({form.constant})")
    return " + ".join(terms) or "0"


def _vector(problem: WorstCase, vector: Vector) -> str:
    return " + ".join(_term(c, problem.vectors[at]) for at, c in vector.entries)


def _term(coefficient: fmpq, name: str) -> str:
    return name if coefficient == 1 else f"({coefficient})*{name}"
