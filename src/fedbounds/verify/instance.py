"""One problem, one start, one algorithm, one horizon: what a verdict is about."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache, singledispatch
from typing import Any

from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.algorithms.participation import check_participants
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.errors import require
from fedbounds.problems import (
    Constants,
    CoupledCosine,
    Evidence,
    FederatedLogistic,
    FederatedQuadratic,
    Start,
    to_rational,
)
from fedbounds.problems.linear import is_exact
from fedbounds.vocabulary import Method

Products = Callable[[Any], Any]  # sq(x) or ip(x, y) as its value per round

ALGORITHM_NAMES = {FedAvgP: "FedAvg-P", ScaffoldP: "Scaffold-P"}


@dataclass(frozen=True, eq=False)
class Instance:
    """What is run, and how it is measured.

    Attributes
    ----------
    name : str
        Unique within a plan.
    problem : FederatedQuadratic, CoupledCosine or FederatedLogistic
    algorithm : FedAvgP
    rounds : int
        T.
    method : Method
    start : Start
    """

    name: str
    problem: FederatedQuadratic | CoupledCosine | FederatedLogistic
    algorithm: FedAvgP
    rounds: int
    method: Method
    start: Start

    def __post_init__(self) -> None:
        require(self.rounds >= 1, "rounds T", self.rounds, "at least 1")
        check_participants(self.algorithm.participants, self.problem.clients)
        exact = all(is_exact(array) for array in self._arrays())
        floats = not any(is_exact(array) for array in self._arrays())
        wanted = self.method is Method.RATIONAL
        require(
            exact if wanted else floats,
            f"method of {self.name!r}",
            self.method.value,
            "exact rationals if and only if every array of problem and start is rational",
        )

    def _arrays(self) -> list[Any]:
        sources = [self.problem, self.start]
        values = [getattr(source, f.name) for source in sources for f in fields(source)]
        return [value for value in values if hasattr(value, "dtype")]

    @property
    def algorithm_name(self) -> str:
        """The name that claims use."""
        return ALGORITHM_NAMES[type(self.algorithm)]


@singledispatch
def constants_of(instance: Any) -> Constants:
    """The problem's constants for this start."""
    return {}


@constants_of.register
@lru_cache(maxsize=64)
def _constants_of_instance(instance: Instance) -> Constants:
    return instance.problem.constants(instance.start)


@singledispatch
def evidence_of(instance: Any, assumption: str) -> Evidence:
    """Whether what is judged satisfies an assumption; where nothing is run, nothing is assumed."""
    return Evidence(True, "nothing is run")


@evidence_of.register
def _evidence_of_instance(instance: Instance, assumption: str) -> Evidence:
    return instance.problem.satisfies(assumption)


@singledispatch
def products_of(instance: Any) -> Products | None:
    """How products of vectors are measured; None where they are not."""
    return None


@singledispatch
def scopes_of(instance: Any) -> frozenset[str] | None:
    """What the vectors of a statement may be; None where names tell."""
    return None


@singledispatch
def undefined_of(instance: Any) -> Mapping[str, str]:
    """Constants and quantities that are defined and have no value here, each with the reason."""
    return {}


@singledispatch
def estimated_of(instance: Any) -> Mapping[str, str]:
    """Quantities that rest on an estimate, each with what is one: no firm verdict rests on them."""
    return {}


@singledispatch
def missing_of(instance: Any) -> Mapping[str, str]:
    """Quantities that were to be measured and that no method measured, each with the reason."""
    return {}


@singledispatch
def parameters_of(instance: Any) -> dict[str, Any]:
    """n, m, K, T, dimensions and step sizes by symbol name, as far as they are fixed."""
    raise TypeError(f"no parameters of {type(instance).__name__}")


@parameters_of.register
def _parameters_of_instance(instance: Instance) -> dict[str, Any]:
    algorithm, problem = instance.algorithm, instance.problem
    shared = problem.shared_dimension > 0
    inner, outer = (
        (algorithm.inner_step_u, algorithm.outer_step_u)
        if shared
        else (algorithm.inner_step_v, algorithm.outer_step_v)
    )
    return {
        "n": problem.clients,
        "m": algorithm.participants,
        "T": instance.rounds,
        "d_u": problem.shared_dimension,
        "d_v": problem.personal_dimension,
        "K": algorithm.local_steps,
        "gamma_u": algorithm.inner_step_u,
        "gamma_v": algorithm.inner_step_v,
        "eta_u": algorithm.outer_step_u,
        "eta_v": algorithm.outer_step_v,
        "gamma": inner * outer,
    }


def rational(instance: Instance) -> Instance:
    """The same instance in exact rationals, to be measured in rationals."""
    return replace(
        instance,
        problem=to_rational(instance.problem),
        start=to_rational(instance.start),
        algorithm=to_rational(instance.algorithm),
        method=Method.RATIONAL,
    )
