"""Pairs of a problem and a start, as a user's file gives them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from fedbounds.algorithms.traced import Algorithm
from fedbounds.errors import FedboundsError, require
from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.linear import rational
from fedbounds.problems.logistic import FederatedLogistic
from fedbounds.problems.problem import entries_of
from fedbounds.problems.spectrum import to_floats

from ..measure.clients import Clients
from ..measure.enumerated import one_state
from ..measure.subject import Subject
from ..measure.unknowns import Refused
from .families import Pair
from .objective import Objective


def checked(given: Any) -> Pair:
    """A problem and a start of its shape."""
    if not isinstance(given, tuple) or len(given) != 2 or not hasattr(given[0], "gradient"):
        raise FedboundsError(
            f"problems has {type(given).__name__} as an entry; expected a list of pairs "
            "(problem, start), such as [quadratic(...)] or [(objective(...), [0.0, 1.0])]"
        )
    problem, start = given
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
    own = isinstance(problem, Objective)
    found = np.asarray(start) if hasattr(start, "dtype") else np.asarray(start, dtype=np.float64)
    if own and not problem.exact:
        found = to_floats(found)
    elif own:
        found = np.frompyfunc(rational, 1, 1)(np.asarray(start, dtype=object)).astype(object)
    expected = (entries_of(problem),)
    require(found.shape == expected, "shape of a start", found.shape, f"{expected}")
    exact = getattr(problem, "hessian", found).dtype == object
    if not own and (found.dtype == object) != exact:
        raise FedboundsError("problem and start differ: one in rationals and one in floats")
    return problem, found


def begun(algorithm: Algorithm, problem: Any, start: Any, values: Mapping[str, Any]) -> Pair:
    """In floats, where ``init`` makes floats of an objective's exact start."""
    if isinstance(problem, Objective) and problem.exact:
        try:
            one_state(Subject(algorithm, Clients(problem), start, values, 0))
        except (FedboundsError, Refused) as error:
            return problem.in_floats(f"values in floats ({error})"), to_floats(start)
    return problem, start
