"""Pairs of a problem and a start, as a user's file gives them."""

from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any

from fedbounds.algorithms.traced import Algorithm
from fedbounds.errors import FedboundsError, require
from fedbounds.problems import FederatedQuadratic, to_rational
from fedbounds.problems.logistic import FederatedLogistic
from fedbounds.problems.problem import entries_of
from fedbounds.problems.spectrum import to_floats

from ..measure.clients import Clients
from ..measure.enumerated import one_state
from ..measure.subject import Subject
from ..measure.unknowns import Refused
from .families import Pair, exact_entries
from .objective import Objective

_OURS = "fedbounds.problems."


def checked(given: Any) -> Pair:
    """A problem and a start of its shape."""
    if not isinstance(given, tuple) or len(given) != 2 or not hasattr(given[0], "gradient"):
        raise FedboundsError(
            f"problems has {type(given).__name__} as an entry; expected a list of pairs "
            "(problem, start), such as [quadratic(...)] or [(objective(...), [0.0, 1.0])]"
        )
    problem = exactly_read(given[0])
    if not hasattr(problem, "noise") or isinstance(problem, FederatedLogistic):
        raise FedboundsError(
            f"{type(problem).__name__} has no additive noise of known law; expected a quadratic, "
            "or objective(...)"
        )
    if isinstance(problem, FederatedQuadratic) and type(problem) is not FederatedQuadratic:
        raise FedboundsError(
            f"{type(problem).__name__} is a subclass of FederatedQuadratic: its Hessians would be "
            "believed whatever its gradients are; expected quadratic(...) or objective(...)"
        )
    start = exact_entries(given[1])
    expected = (entries_of(problem),)
    require(start.shape == expected, "shape of a start", start.shape, f"{expected}")
    return problem, start if Clients(problem).exact else to_floats(start)


def exactly_read(problem: Any) -> Any:
    """With the rational numbers that its floats are; a class of the file's own as it is."""
    if not type(problem).__module__.startswith(_OURS) or not is_dataclass(problem):
        return problem
    found = to_rational(problem)
    return found if Clients(found).exact else problem


def begun(algorithm: Algorithm, problem: Any, start: Any, values: Mapping[str, Any]) -> Pair:
    """In floats, where ``init`` makes floats of an objective's exact start."""
    if isinstance(problem, Objective) and problem.exact:
        try:
            one_state(Subject(algorithm, Clients(problem), start, values, 0))
        except (FedboundsError, Refused) as error:
            return problem.in_floats(f"values in floats ({error})"), to_floats(start)
    return problem, start
