"""An exact instance as JSON data, and back: what ``search --replay`` reads. Never run as code."""

from collections.abc import Callable
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.algorithms.participant_mean import ParticipantMean
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.errors import FedboundsError, unknown_name
from fedbounds.problems import ClientVectors, FederatedQuadratic, Noise, NoiseLaw, Start
from fedbounds.problems.linear import rational
from fedbounds.vocabulary import Method

from .case import Case
from .instance import Instance, Point
from .judge import Subject
from .ladder import Ladder
from .setup_data import decoded, encoded

Data = dict[str, Any]
_ALGORITHMS: dict[str, type[FedAvgP]] = {"FedAvg-P": FedAvgP, "Scaffold-P": ScaffoldP}
_KINDS: tuple[type, ...] = tuple(_ALGORITHMS.values())


def to_data(instance: Subject) -> Data:
    """All numbers of a rational instance, exactly."""
    if isinstance(instance, Point):
        return {"family": "Point", "values": {k: str(rational(v)) for k, v in instance.values}}
    if isinstance(instance, Case):
        return {
            "family": "Case",
            "algorithm": instance.algorithm_name,
            "setup": encoded(instance.setup),
        }
    if isinstance(instance, Ladder):
        return {
            "family": "Ladder",
            "parameter": instance.parameter,
            "values": [
                x if isinstance(x, int | str) else str(rational(x)) for x in instance.values
            ],
            "rungs": [to_data(rung) for rung in instance.rungs],
        }
    problem, algorithm, start = instance.problem, instance.algorithm, instance.start
    if isinstance(problem, ClientVectors):
        return {
            "family": "ClientVectors",
            "vectors": _nested(problem.vectors),
            "participants": algorithm.participants,
        }
    if not isinstance(problem, FederatedQuadratic) or type(algorithm) not in _KINDS:
        raise FedboundsError(
            f"{instance.name}: only vectors, and {' and '.join(_ALGORITHMS)} on quadratics, "
            "are stored exactly"
        )
    assert isinstance(algorithm, FedAvgP)
    if start is None:
        raise FedboundsError(f"{instance.name} has no start")
    steps = ("inner_step_u", "inner_step_v", "outer_step_u", "outer_step_v")
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
    } | {name: str(rational(getattr(algorithm, name))) for name in steps}


def from_data(data: Data) -> Subject:
    """The instance that `to_data` described.

    Raises
    ------
    FedboundsError
        If a key is missing, a number is not one, or the instance is not a valid one.
    """
    builders: dict[str, Callable[[Data], Subject]] = {
        "ClientVectors": _vectors,
        "FederatedQuadratic": _quadratic,
        "Ladder": _ladder,
        "Case": _case,
        "Point": _point,
    }
    family = str(_get(data, "family"))
    if family not in builders:
        raise unknown_name("problem family", family, builders)
    return builders[family](data)


def _point(data: Data) -> Point:
    values = _get(data, "values")
    if not isinstance(values, dict):
        raise FedboundsError(f"values is {values!r}; expected numbers by name")
    return Point("replay", tuple((name, _fraction(name, v)) for name, v in values.items()))


def _case(data: Data) -> Case:
    from .plan import load_plans  # which imports this file's own users

    load_plans()
    return Case("replay", str(data["algorithm"]), decoded(data["setup"]), Method.RATIONAL)


def _ladder(data: Data) -> Ladder:
    parameter = _get(data, "parameter")
    rungs, values = (_list(data, key) for key in ("rungs", "values"))
    if not isinstance(parameter, str):
        raise FedboundsError(f"parameter is {parameter!r}; expected a name")
    found = []
    for rung in rungs:
        if _get(rung, "family") != "FederatedQuadratic":
            raise FedboundsError(f"rungs holds {rung['family']!r}; expected FederatedQuadratic")
        found.append(_quadratic(rung))
    kept = (
        x if type(x) is int or x in tuple(_ALGORITHMS) else _fraction("values", x) for x in values
    )
    return Ladder("replay", tuple(found), parameter, tuple(kept))


def _list(data: Data, key: str) -> list[Any]:
    value = _get(data, key)
    if not isinstance(value, list):
        raise FedboundsError(f"{key} is {value!r}; expected a list")
    return value


def _vectors(data: Data) -> Instance:
    vectors = _array(data, "vectors", 2)
    return Instance(
        "replay",
        ClientVectors(vectors),
        ParticipantMean(_integer(data, "participants")),
        1,
        Method.RATIONAL,
    )


def _quadratic(data: Data) -> Instance:
    noise, start = _get(data, "noise"), _get(data, "start")
    law = str(_get(noise, "law"))
    if law not in [member.value for member in NoiseLaw]:
        raise unknown_name("noise law", law, [member.value for member in NoiseLaw])
    hessian = _array(data, "hessian", 3)
    d_u = _integer(data, "shared_dimension")
    problem = FederatedQuadratic(
        hessian,
        _array(data, "linear", 2),
        d_u,
        Noise(NoiseLaw(law), _number(noise, "scale_u"), _number(noise, "scale_v")),
    )
    name = str(_get(data, "algorithm"))
    if name not in _ALGORITHMS:
        raise unknown_name("algorithm", name, _ALGORITHMS)
    algorithm = _ALGORITHMS[name](
        _integer(data, "participants"),
        _integer(data, "local_steps"),
        *(_number(data, name) for name in ("inner_step_u", "inner_step_v")),
        *(_number(data, name) for name in ("outer_step_u", "outer_step_v")),
    )
    n, d_v = problem.clients, problem.personal_dimension
    begin = Start(u=_shaped(start, "u", (d_u,)), v=_shaped(start, "v", (n, d_v)))
    rounds = _integer(data, "rounds")
    return Instance("replay", problem, algorithm, rounds, Method.RATIONAL, begin)


def _get(data: Any, key: str) -> Any:
    if not isinstance(data, dict) or key not in data:
        raise FedboundsError(f"the instance has no {key!r}; expected the data of a witness record")
    return data[key]


def _integer(data: Data, key: str) -> int:
    value = _get(data, key)
    if isinstance(value, bool) or not isinstance(value, int):
        raise FedboundsError(f"{key} is {value!r}; expected an integer")
    return value


def _number(data: Data, key: str) -> fmpq:
    return _fraction(key, _get(data, key))


def _fraction(key: str, value: Any) -> fmpq:
    try:
        return fmpq(value) if isinstance(value, str) else rational(value)
    except (ValueError, TypeError, AttributeError, ZeroDivisionError, OverflowError) as error:
        raise FedboundsError(f'{key} holds {value!r}; expected a number or "p/q"') from error


def _array(data: Data, key: str, dimensions: int) -> np.ndarray:
    rows = np.array(_get(data, key), dtype=object)
    if rows.ndim != dimensions:
        raise FedboundsError(f"{key} has {rows.ndim} dimensions; expected {dimensions}")
    out = np.empty(rows.shape, dtype=object)
    out.reshape(-1)[:] = [_fraction(key, value) for value in rows.reshape(-1)]
    return out


def _shaped(data: Data, key: str, shape: tuple[int, ...]) -> np.ndarray:
    found = _array(data, key, len(shape))
    if found.shape != shape:
        raise FedboundsError(f"{key} of the start has shape {found.shape}; expected {shape}")
    return found


def _nested(array: Any) -> Any:
    if np.ndim(array) == 0:
        return str(rational(array))
    return [_nested(row) for row in array]
