"""A run that is tried: every outcome where there are few, else moments, else the reasons.

Quantities are functions of the state or definitions; constants may be functions too.
"""

from collections.abc import Collection, Mapping
from dataclasses import is_dataclass, replace
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, fmpq

from fedbounds.errors import FedboundsError, require
from fedbounds.problems import Constants, Evidence, FederatedQuadratic
from fedbounds.problems.linear import is_exact, rational
from fedbounds.theory.language.glossary import Glossary
from fedbounds.theory.language.registry import glossary
from fedbounds.theory.language.setups import Says, Setup, View
from fedbounds.theory.language.typed import names_of
from fedbounds.vocabulary import Method

from ..decide.case import Found
from ..decide.conditions import UNMEASURED
from ..measure.answers import Answer
from ..measure.balls import enclosed, precise
from ..measure.contract import called, place, takes
from ..measure.known import Known, MissingError
from ..measure.methods import answer
from ..measure.objectives import every_constant, evidence, sizes
from ..measure.spoken import names_in
from ..measure.subject import Subject
from ..measure.trace import subject_of
from ..measure.unknowns import Refused, RootError, bare
from .standard import asked_of

_PARTICIPANTS = "m"  # what this parameter counts, in every theory
_MINIMISER = "minimiser"
_NOT_MEASURED = "the run is not measured"
_TYPED = 2**20  # a power of two above it is no denominator that a person types
_ROUNDING = 1e-9  # relative: what floats below zero may be off by
Functions = Mapping[str, Any]  # each takes (problem, start), or (problem, start, p)


def tried(setup: Setup, view: View) -> Found:
    """What the first method that answers says of every quantity.

    Raises
    ------
    FedboundsError
        If a function breaks its contract, or what is declared as no less than zero is less.
    """
    with precise():
        return _tried(setup, view)


def answered(setup: Setup, view: View) -> Answer:
    """What the first method that answers says; its constants are numbers, or definitions."""
    with precise():
        subject = subject_of(setup.run, view)
        known = every_constant(subject.problem.objective, subject.start)
        return _answered(subject, view, known, _parameters(setup, view, subject))


def _parameters(setup: Setup, view: View, subject: Subject) -> dict[str, Any]:
    """Parameters, sizes, and constants that are functions, by the names of symbols."""
    typed = names_of(glossary(setup.theory)).constants
    given = ((x, value) for x, value in subject.values.items() if not isinstance(value, tuple))
    found = {typed[x].name if x in typed else x: value for x, value in given}
    found |= {**sizes(subject.problem.objective), "T": subject.rounds}
    return found | constants_of_run(view.constants, subject)


def _answered(
    subject: Subject, view: View, known: Constants, parameters: Mapping[str, Any]
) -> Answer:
    values = {name.value: constant.value for name, constant in known.items()} | dict(parameters)
    number: Any = exactly if subject.exact else float
    numbers = {x: number(value) for x, value in values.items()}
    return answer(subject, asked_of(view, subject.problem, numbers | of_runs(view)))


def of_runs(view: View) -> dict[str, Any]:
    """Constants that are definitions."""
    return {x: value for x, value in view.constants.items() if not callable(value)}


def _tried(setup: Setup, view: View) -> Found:
    subject, names = subject_of(setup.run, view), glossary(setup.theory)
    problem = subject.problem.objective
    known = every_constant(problem, subject.start)
    parameters = _parameters(setup, view, subject)
    shown = _answered(subject, view, known, parameters)
    reason = next(iter(shown.missing.values()), _NOT_MEASURED)
    found, undefined = _of_run(of_runs(view), shown.known, reason)
    parameters |= found
    series = {name: enclosed(own) for name, own in shown.series.items()}
    for name in (*view.functions, *view.quantities):
        if name not in names.signed:
            function = view.functions.get(name)
            line = view.declared.get(name, "") if function is None else place(function)
            where = f"{line}: the quantity {name!r}"
            _refuse_negative(where, series.get(name, ()), "signed=True in its declaration")
    where = f"{view.declared.get('', view.told)}: the gap f"
    gap = series.get("f", ())
    _refuse_negative(where, gap, "an infimum that is a lower bound of f", stated=True)
    return Found(
        family=f"{subject.algorithm.name} on {_kind(subject)}, {shown.how}",
        parameters=parameters,
        series=series,
        constants=known,
        evidence=evidence(problem)
        | _decided(view.decided, subject, _minimiser_is_told(problem))
        | {name: _stated(says, shown.known, reason) for name, says in view.assumptions.items()},
        undefined=undefined,
        estimated=_estimated(view, subject, series),
        missing=shown.missing,
        method=Method.BALLS if shown.method is Method.BALLS else None,
    )


def _of_run(
    names: Collection[str], known: Known | None, reason: str
) -> tuple[dict[str, Any], dict[str, str]]:
    """Constants by definition; of others why they have no value, or why no run is measured."""
    if known is None:
        return {}, dict.fromkeys(names, UNMEASURED + reason)
    found, undefined = dict[str, Any](), dict[str, str]()
    for name in names:
        try:
            found[name] = enclosed(known.constant(name))
        except MissingError as error:
            undefined[name] = str(error)
    return found, undefined


def _stated(says: tuple[Says, ...], known: Known | None, reason: str) -> Evidence:
    """Whether all statements hold where the run goes, if it is measured."""
    if known is None:
        return Evidence(None, UNMEASURED + reason)
    why = next((why for one in says if (why := known.holds(one)[1])), "")
    return Evidence(not why, why or "; ".join(map(str, says)))


def _estimated(view: View, subject: Subject, series: Mapping[str, Any]) -> dict[str, str]:
    """What rests on an estimate; quantities of the view may ask for the minimiser."""
    problem = subject.problem.objective
    if not _is_stated(problem):
        return {}
    floats = {
        name: "a number in floats"
        for name, value in view.constants.items()
        if callable(value) and isinstance(_called(f"constant {name!r}", value, subject), float)
    }
    if problem.rounded:
        return floats | dict.fromkeys(series, problem.rounded)
    found = floats | dict(problem.estimated)
    if "D_W" in found:
        steps = subject.algorithm.init, subject.algorithm.draw, subject.algorithm.step
        if any(_MINIMISER in names_in(one) for one in steps):
            found |= dict.fromkeys((*series, *view.constants), found["D_W"])
        asked = [x for x, y in view.constants.items() if _asks_minimiser(x, y, subject)]
        found |= dict.fromkeys(asked, found["D_W"])
    if any(_is_negative(x) for x in series.get("f", ())):
        found["f"] = "an infimum that is stated up to rounding"
    why = found.get("D_W")
    return found if why is None else found | dict.fromkeys(view.functions, why)


def _asks_minimiser(name: str, value: Any, subject: Subject) -> bool:
    """Whether a constant that is a function is another one, or none, without the minimiser."""
    if not callable(value):
        return False  # a definition is of what steps show
    if _MINIMISER in names_in(value):
        return True
    objective = replace(subject.problem.objective, minimiser=None)
    without = replace(subject, problem=replace(subject.problem, objective=objective))
    try:
        other = _called(f"constant {name!r}", value, without)
    except Exception:  # whatever a user's function does with None
        return True
    return bool(bare(other) != bare(_called(f"constant {name!r}", value, subject)))


def _is_stated(problem: Any) -> bool:
    """Whether a problem says of itself what is an estimate."""
    return hasattr(problem, "estimated")


def _kind(subject: Subject) -> str:
    problem = subject.problem.objective
    quadratic = isinstance(problem, FederatedQuadratic)
    kind = "quadratics" if quadratic else getattr(problem, "told", type(problem).__name__)
    return f"{kind}, floats read as the rationals they are" if _were_floats(subject) else kind


def _were_floats(subject: Subject) -> bool:
    """Whether numbers of the problem, the start or the parameters look as floats do, in full."""
    problem = subject.problem.objective
    own = vars(problem).values() if is_dataclass(problem) else ()
    arrays = [subject.start, *(x for x in own if isinstance(x, np.ndarray))]
    given = [x for one in arrays if is_exact(one) for x in one.reshape(-1)]
    given += [x for x in subject.values.values() if isinstance(x, fmpq)]
    return any(isinstance(x, fmpq) and is_float(x) for x in given)


def is_float(number: fmpq) -> bool:
    """Whether a rational has the many binary digits of a float, and is one."""
    below = int(number.q)
    return below > _TYPED and below & (below - 1) == 0 and rational(_near(number)) == number


def exactly(value: Any) -> Any:
    """A rational, or the ball that a number is known to within."""
    return value if isinstance(value, arb) else rational(value)


def sees(value: Any) -> bool:
    """Whether a constant depends on the parameters or on the run."""
    return not callable(value) or takes(value, 3)


def plain_constants(constants: Functions, subject: Subject) -> dict[str, Any]:
    """Those of a problem and a start, whatever the parameters are.

    Raises
    ------
    FedboundsError
        If one is no exact number where the problem is exact, or has another sign than declared.
    """
    plain = {name: value for name, value in constants.items() if not sees(value)}
    return constants_of_run(plain, subject)


def constants_of_run(constants: Functions, subject: Subject) -> dict[str, Any]:
    """All of them, those that see parameters too.

    Raises
    ------
    FedboundsError
        As `plain_constants`; and if one asks for the round.
    """
    functions = ((name, value) for name, value in constants.items() if callable(value))
    return {name: _constant(name, value, subject) for name, value in functions}


def _minimiser_is_told(problem: Any) -> str:
    """Why the minimiser is an estimate; empty if it is none."""
    return str(problem.estimated.get("D_W", "")) if _is_stated(problem) else ""


def _decided(functions: Functions, subject: Subject, estimate: str) -> dict[str, Evidence]:
    """Assumptions that are functions; nothing is known of those that ask for an estimate."""
    found = {}
    for name, function in functions.items():
        if estimate and _MINIMISER in names_in(function):
            found[name] = Evidence(None, f"it rests on {estimate}")
            continue
        try:
            holds = _called(f"assumption {name!r}", function, subject)
        except Refused as error:  # what balls do not decide, say
            found[name] = Evidence(None, f"{UNMEASURED}{error}")
            continue
        if holds is not None and not isinstance(holds, bool | np.bool_):
            raise FedboundsError(
                f"{place(function)}: assumption {name!r} is {holds!r}; expected True, False or None"
            )
        told = "not known, as the theory tells" if holds is None else "decided by the theory"
        found[name] = Evidence(None if holds is None else bool(holds), told)
    return found


def _called(what: str, value: Any, subject: Subject) -> Any:
    """What a constant or an assumption is that is a function."""
    arguments: tuple[Any, ...] = (subject.problem, subject.start)
    p = replace(subject, values={**subject.values, "T": subject.rounds}).parameters()
    if takes(value, 3):
        arguments = (*arguments, p)
    try:
        found = called(value, *arguments)
    except RootError:
        found = called(value, subject.in_balls().problem, *arguments[1:])
    if p.asked_round:
        raise FedboundsError(f"{place(value)}: {what} asks for the round; it has none")
    return found


def _constant(name: str, value: Any, subject: Subject) -> Any:
    found = _called(f"constant {name!r}", value, subject)
    stated = _is_stated(subject.problem.objective)  # there floats are estimates
    try:
        if (
            is_exact(subject.start) and not stated and isinstance(found, float)
        ):  # NumPy's among them
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


def check_tried(setup: Setup, view: View) -> None:
    """Raise unless the theory has such problems and parameters."""
    subject = subject_of(setup.run, view)
    require(subject.exact, "problem", setup.run.problem.family, "one in rationals")
    given, expected = subject.start.shape, (subject.problem.entries,)
    require(given == expected, "shape of the start", given, f"{expected}")
    where, names = view.declared.get("", view.told), glossary(setup.theory)
    for name, value in subject.values.items():
        check_parameter(where, names, name, value, subject.problem.clients)


def check_parameter(where: str, names: Glossary, name: str, value: Any, clients: Any) -> None:
    """Raise unless a parameter may have a value, with so many clients."""
    symbol = names_of(names).constants.get(name)
    where = f"{where}: parameter {name!r} is {told(value)}"
    if isinstance(value, tuple):
        if symbol is not None or len(value) != clients:
            raise FedboundsError(f"{where}; expected a number, or of weights n = {clients}")
        return
    if name == _PARTICIPANTS and value > clients:
        raise FedboundsError(
            f"{where} where n = {clients}; it counts participants, at most n: "
            'try "1:n", or a parameter of another name'
        )
    if symbol is not None and not _may_be(symbol, value):
        sign = "positive" if symbol.is_positive else "not negative"
        whole = "whole and " if symbol.is_integer else ""
        raise FedboundsError(f"{where}; expected {whole}{sign}, as proofs take it")


def _may_be(symbol: sp.Symbol, value: fmpq) -> bool:
    """Whether a value has the sign that is declared; proofs rest on it."""
    if symbol.is_integer and value.q != 1:
        return False
    return bool(value > 0 if symbol.is_positive else value >= 0)


def told(value: Any) -> str:
    """A parameter as text."""
    if isinstance(value, tuple):
        return f"({', '.join(map(told, value))})"
    if isinstance(value, fmpq) and is_float(value):
        return f"{_near(value)!r} (a float)"
    return str(value)
