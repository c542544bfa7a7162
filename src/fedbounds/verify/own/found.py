"""What an own run shows: quantities, parameters, constants, evidence, and what no method knows."""

from dataclasses import replace
from typing import Any

from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.linear import is_exact, rational
from fedbounds.theory.typed import names_of

from ..case import Found, find
from ..measure.contract import called, place, takes
from ..measure.methods import answer
from ..measure.subject import Subject
from .declare import Theory
from .known import subject_of, theory_of
from .quantities import asked_of
from .setup import OwnRun, constants, evidence, sizes

_ROUNDING = 1e-9  # relative: what floats below zero may be off by


@find.register
def _find(run: OwnRun) -> Found:
    theory, subject = theory_of(run.theory), subject_of(run)
    problem = subject.problem.objective
    known = constants(problem, run.start)
    typed = names_of(theory.glossary).constants
    given = ((x, value) for x, value in run.values if not isinstance(value, tuple))
    parameters = {typed[x].name if x in typed else x: value for x, value in given} | {
        **sizes(problem),
        "T": run.rounds,
    }
    parameters |= constants_of_run(theory, subject)
    values = {name.value: constant.value for name, constant in known.items()} | parameters
    number: Any = rational if run.exact else float
    asked = asked_of(theory, subject.problem, {x: number(value) for x, value in values.items()})
    shown = answer(subject, asked)
    for name in (*theory.quantities, *theory.definitions):
        if name not in theory.glossary.signed:
            function = theory.quantities.get(name)
            line = theory.lines[name] if function is None else place(function)
            where = f"{line}: the quantity {name!r}"
            _refuse_negative(where, shown.series.get(name, ()), "signed=True in its declaration")
    where = f"{theory.line}: the gap f"
    gap = shown.series.get("f", ())
    _refuse_negative(where, gap, "an infimum that is a lower bound of f")
    return Found(
        family=f"{theory.algorithm.name} on {_kind(problem)}, {shown.how}",
        parameters=parameters,
        series=shown.series,
        constants=known,
        evidence=evidence(problem, known),
        estimated=_estimated(theory, problem),
        missing=shown.missing,
    )


def _estimated(theory: Theory, problem: Any) -> dict[str, str]:
    """What rests on an estimate; the file's own quantities may ask for the minimiser."""
    found = dict(getattr(problem, "estimated", {}))
    why = found.get("D_W")
    return (
        found
        if why is None
        else found | dict.fromkeys((*theory.quantities, *theory.definitions), why)
    )


def _kind(problem: Any) -> str:
    quadratic = isinstance(problem, FederatedQuadratic)
    return "quadratics" if quadratic else type(problem).__name__


def own_constants(theory: Theory, subject: Subject) -> dict[str, fmpq]:
    """The constants that a theory declares of a problem and a start, whatever the parameters are.

    Raises
    ------
    FedboundsError
        If one is no exact number where the problem is exact, or has another sign than declared.
    """
    plain = (name for name, value in theory.constants.items() if not takes(value, 3))
    return {name: _constant(theory, name, subject) for name in plain}


def constants_of_run(theory: Theory, subject: Subject) -> dict[str, fmpq]:
    """All constants that a theory declares, those that see parameters too.

    Raises
    ------
    FedboundsError
        As `own_constants`; and if one asks for the round.
    """
    return {name: _constant(theory, name, subject) for name in theory.constants}


def _constant(theory: Theory, name: str, subject: Subject) -> fmpq:
    value = theory.constants[name]
    arguments: tuple[Any, ...] = (subject.problem, subject.start)
    p = replace(subject, values={**subject.values, "T": subject.rounds}).parameters()
    if takes(value, 3):
        arguments = (*arguments, p)
    found = called(value, *arguments)
    if p.asked_round:
        raise FedboundsError(f"{place(value)}: constant {name!r} asks for the round; it has none")
    try:
        if is_exact(subject.start) and isinstance(found, float):  # NumPy's among them
            raise TypeError("rounded")
        number = rational(found)
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise FedboundsError(
            f"{place(value)}: constant {name!r} is {found!r}; expected an exact number"
        ) from error
    _refuse_negative(f"{place(value)}: the constant {name!r}", (number,), "a number >= 0")
    return number


def _refuse_negative(where: str, values: Any, expected: str) -> None:
    """Raise where a number is below zero that proofs take for at least zero."""
    low = min(values, default=0)
    if low < -_ROUNDING * max(abs(x) for x in values) if isinstance(low, float) else low < 0:
        raise FedboundsError(f"{where} is {low} on a run; expected {expected}")
