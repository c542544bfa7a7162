"""A worst-case problem handed to PEPit: its numbers are estimates."""

import warnings
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from fedbounds.errors import FedboundsError, require_extra

from .forms import Form
from .formulate import WorstCase

SOLVER = "CLARABEL"  # comes with CVXPY; deterministic, interior points


@dataclass(frozen=True)
class Solved:
    """What the solver says.

    Attributes
    ----------
    primal, dual : float
        Below and above the problem's value if the solver were exact.
    multipliers : tuple of float
        One for every inequality.
    accurate : bool
        Whether the solver met its own tolerance (1e-8, relative).
    """

    primal: float
    dual: float
    multipliers: tuple[float, ...]
    accurate: bool


def require_solver() -> None:
    """Raise unless PEPit is installed.

    Raises
    ------
    FedboundsError
    """
    if find_spec("PEPit") is None:
        raise require_extra("pep", "PEPit")


def solve(problem: WorstCase, objective: Form) -> Solved | None:
    """Maximise the objective; None where the solver finds no finite value.

    Raises
    ------
    FedboundsError
        If PEPit is not installed, or the solver gives up.
    """
    require_solver()
    from cvxpy.error import SolverError
    from PEPit import PEP, Expression, Point

    pep = PEP()  # its counters are global: nothing else may be built at the same time
    points = [Point() for _ in problem.vectors]
    values = [Expression() for _ in problem.values]

    def expression(form: Form) -> Any:
        terms: dict[Any, float] = {
            (points[a], points[b]): float(c) for (a, b), c in form.products.items()
        }
        terms |= {values[at]: float(c) for at, c in form.values.items()}
        terms[1] = float(form.constant)
        return Expression(is_leaf=False, decomposition_dict=terms)

    constraints = []
    for inequality in problem.inequalities:
        constraints.append(expression(inequality.form) <= 0)
        pep.add_constraint(constraints[-1])
    metric = expression(objective)
    pep.set_performance_metric(metric)
    with warnings.catch_warnings(record=True) as said:  # that a solution may be inaccurate
        warnings.simplefilter("always")
        try:
            dual = pep.solve(verbose=0, solver=SOLVER)
        except SolverError as error:
            raise FedboundsError(f"the solver gave up: {error}") from error
    if dual is None:
        return None
    multipliers = tuple(float(constraint.eval_dual()) for constraint in constraints)
    return Solved(float(metric.eval()), float(dual), multipliers, not said)
