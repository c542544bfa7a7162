"""An exact instance as JSON data, and back: what ``search --replay`` reads. Never run as code."""

from typing import Any

import numpy as np

from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.linear import rational
from fedbounds.vocabulary import Method

from .case import Case
from .judge import Subject
from .setup_data import encoded
from .stored.families import ALGORITHMS, STEPS, read

Data = dict[str, Any]


def from_data(data: Any) -> Subject:
    """The instance of a file that may be a stranger's; anything else is an error that names it."""
    return read(data)


def to_data(instance: Subject) -> Data:
    """All numbers of a rational instance, exactly."""
    if isinstance(instance, Case) and instance.method is not Method.RATIONAL:
        raise FedboundsError(f"{instance.name}: only what is in rationals is stored exactly")
    if isinstance(instance, Case):
        return {
            "family": "Case",
            "algorithm": instance.algorithm_name,
            "setup": encoded(instance.setup),
        }
    problem, algorithm, start = instance.problem, instance.algorithm, instance.start
    if not isinstance(problem, FederatedQuadratic) or type(algorithm) not in ALGORITHMS.values():
        raise FedboundsError(
            f"{instance.name}: only {' and '.join(ALGORITHMS)} on quadratics are stored exactly"
        )
    return {
        "family": "FederatedQuadratic",
        "algorithm": instance.algorithm_name,
        "hessian": _nested(problem.hessian),
        "linear": _nested(problem.linear),
        "shared_dimension": problem.shared_dimension,
        "noise": {
            "law": problem.noise.law.value,
            "scale_u": str(rational(problem.noise.scale_u)),
            "scale_v": str(rational(problem.noise.scale_v)),
        },
        "start": {"u": _nested(start.u), "v": _nested(start.v)},
        "rounds": instance.rounds,
        "participants": algorithm.participants,
        "local_steps": algorithm.local_steps,
    } | {name: str(rational(getattr(algorithm, name))) for name in STEPS}


def _nested(array: Any) -> Any:
    if np.ndim(array) == 0:
        return str(rational(array))
    return [_nested(row) for row in array]
