"""What an own run shows: quantities, parameters, constants, evidence; moments held against rows."""

from dataclasses import replace
from typing import Any

from flint import fmpq

from fedbounds.errors import ConflictError, FedboundsError
from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.linear import is_exact, rational
from fedbounds.theory.typed import names_of
from fedbounds.vocabulary import Quantity

from ..case import Found, find
from ..measure.clients import Clients
from .algorithm import called, place
from .declare import Theory
from .enumerated import enumerated
from .known import problem_of, theory_of
from .polynomials import NotAffineError, moments
from .setup import OwnRun, constants, evidence

_ROUNDING = 1e-9  # relative: what floats below zero may be off by
_COMPARED = 1  # rounds at which moments are held against enumeration


@find.register
def _find(run: OwnRun) -> Found:
    theory = theory_of(run.theory)
    problem = problem_of(run)
    known = constants(problem, run.start)
    typed = names_of(theory.glossary).constants
    parameters = {typed[x].name if x in typed else x: value for x, value in run.values} | {
        "n": problem.clients,
        "d_u": problem.shared_dimension,
        "T": run.rounds,
        "sigma^2": problem.shared_dimension * problem.noise.scale_u**2,
    }
    parameters |= own_constants(theory, problem, run.start)
    series = _moments(run, theory) if run.moments else _enumerated(run, theory)
    for name in theory.quantities.keys() - theory.glossary.signed:
        where = f"{place(theory.quantities[name])}: the quantity {name!r}"
        _refuse_negative(where, series.get(name, ()), "signed=True in its declaration")
    where = f"{theory.line}: the gap f"
    gap = series.get(Quantity.GAP.value, ())
    _refuse_negative(where, gap, "an infimum that is a lower bound of f")
    how = "exact moments" if run.moments else "enumerated"
    return Found(
        family=f"{theory.algorithm.name} on {_kind(problem)}, {how}",
        parameters=parameters,
        series=series,
        constants=known,
        evidence=evidence(problem, known),
        estimated=_estimated(theory, problem),
    )


def _estimated(theory: Theory, problem: Any) -> dict[str, str]:
    """What rests on an estimate; the file's own quantities may ask for the minimiser."""
    found = dict(getattr(problem, "estimated", {}))
    why = found.get(Quantity.DISTANCE.value)
    return found if why is None else found | dict.fromkeys(theory.quantities, why)


def _kind(problem: Any) -> str:
    quadratic = isinstance(problem, FederatedQuadratic)
    return "quadratics" if quadratic else type(problem).__name__


def _enumerated(run: OwnRun, theory: Theory) -> dict[str, Any]:
    return enumerated(run, theory.algorithm, theory.quantities)


def _moments(run: OwnRun, theory: Theory) -> dict[str, Any]:
    """By moments; nothing is measured where the step is not affine in the state.

    Raises
    ------
    ConflictError
        If moments and enumeration disagree: an error of this suite.
    """
    try:
        found = moments(run, theory.algorithm, theory.quantities)
    except NotAffineError:
        return {}
    first = _enumerated(replace(run, rounds=_COMPARED, moments=False), theory)
    for name, values in found.items():
        own = first[name]
        if list(values[: len(own)]) != list(own):
            raise ConflictError(
                f"{name} of {run.theory}: moments and enumeration disagree within {_COMPARED} round"
            )
    return found


def own_constants(theory: Theory, problem: Any, start: Any) -> dict[str, fmpq]:
    """The constants that a theory declares, of a problem and a start.

    Raises
    ------
    FedboundsError
        If one is no exact number where the problem is exact, or has another sign than declared.
    """
    values = {}
    for name, value in theory.constants.items():
        found = called(value, Clients(problem), start)
        try:
            if is_exact(start) and isinstance(found, float):  # NumPy's among them
                raise TypeError("rounded")
            values[name] = rational(found)
        except (TypeError, ValueError, AttributeError, OverflowError) as error:
            raise FedboundsError(
                f"{place(value)}: constant {name!r} is {found!r}; expected an exact number"
            ) from error
        where = f"{place(value)}: the constant {name!r}"
        _refuse_negative(where, (values[name],), "a number >= 0")
    return values


def _refuse_negative(where: str, values: Any, expected: str) -> None:
    """Raise where a number is below zero that proofs take for at least zero."""
    low = min(values, default=0)
    if low < -_ROUNDING * max(abs(x) for x in values) if isinstance(low, float) else low < 0:
        raise FedboundsError(f"{where} is {low} on a run; expected {expected}")
