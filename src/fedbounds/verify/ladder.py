"""Instances that differ in one parameter, and what their steady states say of it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.errors import FedboundsError, require
from fedbounds.problems import Constants, Evidence, FederatedQuadratic
from fedbounds.vocabulary import Assumption, Method, Quantity

from .instance import Instance, constants_of, evidence_of, parameters_of
from .plateau import plateau

Array = Any


@dataclass(frozen=True, eq=False)
class Ladder:
    """Rungs of one ladder, in the order that claims count them by t.

    Attributes
    ----------
    name : str
        Unique within a plan.
    rungs : tuple of Instance
        On quadratics, in float64.
    parameter : str
        What changes from rung to rung: "gamma", "m", "K", "b^2" or "algorithm".
    values : tuple
        Its values.
    """

    name: str
    rungs: tuple[Instance, ...]
    parameter: str
    values: tuple[Any, ...]

    def __post_init__(self) -> None:
        require(len(self.rungs) >= 2, f"rungs of {self.name!r}", len(self.rungs), "at least 2")
        require(
            len(self.values) == len(self.rungs),
            f"values of {self.name!r}",
            len(self.values),
            f"one per rung, {len(self.rungs)}",
        )
        methods = {rung.method for rung in self.rungs}
        told = ", ".join(sorted(method.value for method in methods))
        one = methods == {Method.MOMENTS}
        require(one, f"methods of {self.name!r}", told, Method.MOMENTS.value)

    @property
    def method(self) -> Method:
        """How every rung is measured."""
        return Method.MOMENTS

    @property
    def algorithm_name(self) -> str:
        """The name that claims use, such as "FedAvg-P ladder in K"."""
        names = dict.fromkeys(rung.algorithm_name for rung in self.rungs)
        return f"{' to '.join(names)} ladder in {self.parameter}"


@constants_of.register
def _constants_of_ladder(ladder: Ladder) -> Constants:
    return _common([constants_of(rung) for rung in ladder.rungs])


@parameters_of.register
def _parameters_of_ladder(ladder: Ladder) -> dict[str, Any]:
    return _common([parameters_of(rung) for rung in ladder.rungs])


@evidence_of.register
def _evidence_of_ladder(ladder: Ladder, assumption: Assumption) -> Evidence:
    every = [evidence_of(rung, assumption) for rung in ladder.rungs]
    return next((evidence for evidence in every if evidence.holds is not True), every[0])


def _common(tables: list[dict[Any, Any]]) -> dict[Any, Any]:
    """What all rungs agree on: the parameter that changes has no single value."""
    first = tables[0]
    return {k: v for k, v in first.items() if all(k in t and t[k] == v for t in tables)}


def measure_ladder(ladder: Ladder) -> dict[str, Array]:
    """Steady states and rates by quantity name, one entry per rung.

    Raises
    ------
    NoPlateauError
        If a rung has no steady state.
    """
    rows = [_measure(rung) for rung in ladder.rungs]
    return {name.value: np.array([row[name] for row in rows]) for name in rows[0]}


def _measure(rung: Instance) -> dict[Quantity, Any]:
    problem, algorithm = rung.problem, rung.algorithm
    if not isinstance(problem, FederatedQuadratic) or not isinstance(algorithm, FedAvgP):
        raise FedboundsError(f"{rung.name}: a steady state needs a quadratic and iterates")
    found = plateau(problem, algorithm)
    g_u, g_v = (found.quantities[q] for q in (Quantity.GRADIENT_U, Quantity.GRADIENT_V))
    m, n = algorithm.participants, problem.clients
    return {
        Quantity.PLATEAU: g_u + g_v * (m / n),
        Quantity.PLATEAU_U: g_u,
        Quantity.PLATEAU_SUM: g_u + g_v,
        Quantity.RATE: found.rate,
    }


@dataclass(frozen=True)
class Exponent:
    """Slope of a series against a parameter, both in logarithms; for display, never a verdict.

    ``low`` and ``high`` bound it at level 95 % if the residuals were independent and Gaussian.
    """

    slope: float
    low: float
    high: float


def fitted_exponent(values: Array, series: Array) -> Exponent:
    """Least squares of log ``series`` on log ``values``; at least three positive points."""
    from scipy.stats import t as student

    x, y = (np.array([float(a) for a in array]) for array in (values, series))
    require(len(x) >= 3, "points of a fit", len(x), "at least 3")
    positive = bool((x > 0).all() and (y > 0).all())
    require(positive, "smallest point of a fit", float(min(x.min(), y.min())), "positive")
    x, y = np.log(x), np.log(y)
    x, y = x - x.mean(), y - y.mean()
    spread = float(x @ x)
    require(spread > 0, "spread of a fit's parameter", spread, "positive: different values")
    slope = float(x @ y) / spread
    left = y - slope * x
    width = float(np.sqrt(left @ left / (len(x) - 2) / spread)) * student.ppf(0.975, len(x) - 2)
    return Exponent(slope, slope - width, slope + width)
