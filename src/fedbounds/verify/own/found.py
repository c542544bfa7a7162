"""What an own run shows: quantities, parameters, constants, evidence, and what no method knows."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from flint import arb, fmpq

from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.linear import is_exact, rational
from fedbounds.theory.typed import names_of
from fedbounds.vocabulary import Quantity

from ..case import Found, find
from ..measure.balls import enclosed, precise
from ..measure.contract import called, place, takes
from ..measure.methods import answer
from ..measure.subject import Subject
from .declare import Theory
from .known import subject_of, theory_of
from .objective import Objective
from .quantities import asked_of
from .setup import OwnRun, constants, evidence, sizes

_ROUNDING = 1e-9  # relative: what floats below zero may be off by


@find.register
def _find(run: OwnRun) -> Found:
    with precise():
        return _found(run)


def _found(run: OwnRun) -> Found:
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
    number: Any = exactly if run.exact else float
    asked = asked_of(theory, subject.problem, {x: number(value) for x, value in values.items()})
    shown = answer(subject, asked)
    series = {name: enclosed(own) for name, own in shown.series.items()}
    for name in (*theory.quantities, *theory.definitions):
        if name not in theory.glossary.signed:
            function = theory.quantities.get(name)
            line = theory.lines[name] if function is None else place(function)
            where = f"{line}: the quantity {name!r}"
            _refuse_negative(where, series.get(name, ()), "signed=True in its declaration")
    where = f"{theory.line}: the gap f"
    gap = series.get(Quantity.GAP.value, ())
    _refuse_negative(where, gap, "an infimum that is a lower bound of f", stated=True)
    return Found(
        family=f"{theory.algorithm.name} on {_kind(problem)}, {shown.how}",
        parameters=parameters,
        series=series,
        constants=known,
        evidence=evidence(problem, known),
        estimated=_estimated(theory, subject, series),
        missing=shown.missing,
    )


def _estimated(theory: Theory, subject: Subject, series: Mapping[str, Any]) -> dict[str, str]:
    """What rests on an estimate; the file's own quantities may ask for the minimiser."""
    problem = subject.problem.objective
    if not isinstance(problem, Objective):
        return {}
    floats = {
        name: "a number in floats"
        for name in theory.constants
        if isinstance(_called(theory, name, subject), float)
    }
    if problem.rounded:
        return floats | dict.fromkeys(series, problem.rounded)
    found = floats | dict(problem.estimated)
    if any(_is_negative(x) for x in series.get(Quantity.GAP.value, ())):
        found[Quantity.GAP.value] = "an infimum that is stated up to rounding"
    why = found.get(Quantity.DISTANCE.value)
    return (
        found
        if why is None
        else found | dict.fromkeys((*theory.quantities, *theory.definitions), why)
    )


def exactly(value: Any) -> Any:
    """A rational, or the ball that a number is known to within."""
    return value if isinstance(value, arb) else rational(value)


def _kind(problem: Any) -> str:
    quadratic = isinstance(problem, FederatedQuadratic)
    return "quadratics" if quadratic else type(problem).__name__


def own_constants(theory: Theory, subject: Subject) -> dict[str, Any]:
    """The constants that a theory declares of a problem and a start, whatever the parameters are.

    Raises
    ------
    FedboundsError
        If one is no exact number where the problem is exact, or has another sign than declared.
    """
    plain = (name for name, value in theory.constants.items() if not takes(value, 3))
    return {name: _constant(theory, name, subject) for name in plain}


def constants_of_run(theory: Theory, subject: Subject) -> dict[str, Any]:
    """All constants that a theory declares, those that see parameters too.

    Raises
    ------
    FedboundsError
        As `own_constants`; and if one asks for the round.
    """
    return {name: _constant(theory, name, subject) for name in theory.constants}


def _called(theory: Theory, name: str, subject: Subject) -> Any:
    """What a user's constant is."""
    value = theory.constants[name]
    arguments: tuple[Any, ...] = (subject.problem, subject.start)
    p = replace(subject, values={**subject.values, "T": subject.rounds}).parameters()
    if takes(value, 3):
        arguments = (*arguments, p)
    found = called(value, *arguments)
    if p.asked_round:
        raise FedboundsError(f"{place(value)}: constant {name!r} asks for the round; it has none")
    return found


def _constant(theory: Theory, name: str, subject: Subject) -> Any:
    value, found = theory.constants[name], _called(theory, name, subject)
    own = isinstance(subject.problem.objective, Objective)  # there floats are estimates
    try:
        if is_exact(subject.start) and not own and isinstance(found, float):  # NumPy's among them
            raise TypeError("rounded")
        number = exactly(enclosed(found))
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise FedboundsError(
            f"{place(value)}: constant {name!r} is {found!r}; expected an exact number"
        ) from error
    _refuse_negative(f"{place(value)}: the constant {name!r}", (number,), "a number >= 0")
    return number


def _refuse_negative(where: str, values: Any, expected: str, *, stated: bool = False) -> None:
    """Raise where a number is below zero that proofs take for at least zero.

    Parameters
    ----------
    stated : bool
        Whether it is what a file states: rounding is no error then, but makes it an estimate.
    """
    least = [x for x in values if _is_negative(x)]
    if not least:
        return
    sizes = [_near(abs(x)) for x in values]
    rounded = stated or isinstance(least[0], float)
    low = min(least, key=_near)
    if not rounded or _near(low) < -_ROUNDING * max(sizes):
        told = _near(low) if isinstance(low, arb) else low
        raise FedboundsError(f"{where} is {told} on a run; expected {expected}")


def _is_negative(number: Any) -> bool:
    return bool(number < 0)  # of a ball: for certain


def _near(number: Any) -> float:
    return int(number.p) / int(number.q) if isinstance(number, fmpq) else float(number)
