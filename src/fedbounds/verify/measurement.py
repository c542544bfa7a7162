"""Measure one instance once, for all claims: expectations, or sums of gaps over replicas."""

import hashlib
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np
from flint import arb

from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.linear import rational

from .case import Case, found
from .decide import EXACT
from .evaluate import Numbers, apart, around
from .instance import Instance, constants_of, parameters_of
from .moments import exact_moments
from .roots import Roots

Array = Any


@dataclass(frozen=True, eq=False)
class Measurement:
    """Expectations of an instance's quantities with its constants."""

    numbers: Numbers
    diverged_at: int | None = None


def numbers_of(
    instance: Any, series: dict[str, Array], errors: dict[str, Array] | None = None
) -> Numbers:
    """Constants, parameters and series of an instance, exact if the instance is rational."""
    values: dict[str, Any] = {name.value: c.value for name, c in constants_of(instance).items()}
    values |= parameters_of(instance)
    if instance.method in EXACT:
        exact = {name: _exact(value) for name, value in values.items()}
        return Numbers(exact, series, lambda p, q: rational(p) / q)
    floats = {name: _near(value) for name, value in values.items()}
    wrong = {name: own for name, (_, own) in floats.items() if own}
    near = {name: value for name, (value, _) in floats.items()}
    return Numbers(near, series, errors={**wrong, **(errors or {})})


def _near(value: Any) -> tuple[float, float]:
    """A float, and how far off it is; a float that is given is the number itself."""
    if isinstance(value, float):
        return value, 0.0
    near, wrong = apart(around(np.array([_exact(value)], dtype=object), 0.0))
    return float(near[0]), float(wrong[0])


def _exact(value: Any) -> Any:
    return value if isinstance(value, Roots | arb) else rational(value)


@singledispatch
def measure(instance: Any, names: frozenset[str] | None = None) -> Measurement:
    """Expectations without sampling.

    Parameters
    ----------
    names : set of quantity names, or None
        All that is needed; costly ones may be left out otherwise. None: everything.

    Raises
    ------
    FedboundsError
        If the method does not fit the problem.
    """
    raise TypeError(f"{type(instance).__name__} is not measured")


@measure.register
def _measure_case(case: Case, names: frozenset[str] | None = None) -> Measurement:
    shown = found(case)
    return Measurement(numbers_of(case, dict(shown.series), dict(shown.errors)), shown.diverged_at)


@measure.register
def _measure_instance(instance: Instance, names: frozenset[str] | None = None) -> Measurement:
    arguments = (instance.algorithm, instance.start, instance.rounds)
    if not isinstance(instance.problem, FederatedQuadratic):
        raise FedboundsError(
            f"{instance.name}: exact moments need a quadratic; "
            f"{type(instance.problem).__name__} is not one"
        )
    moments = exact_moments(instance.problem, *arguments, names)
    known, exact = moments.series, instance.method in EXACT
    errors = {} if exact else {x: _guessed(y, moments.errors.get(x, 0.0)) for x, y in known.items()}
    return Measurement(numbers_of(instance, moments.series, errors), moments.diverged_at)


def _guessed(values: Array, wrong: Array | float) -> Array:
    """Of the engine without bounds of its own."""
    peak = np.maximum.accumulate(abs(values), axis=-1)
    inherited = 1e-15 * np.sqrt(abs(values)) * np.sqrt(peak) + 1e-30 * peak
    return 1e-10 * abs(values) + inherited + wrong


def fingerprint(data: Any) -> str:
    """A hash of everything in a dataclass: numbers by value, arrays by content."""
    digest = hashlib.sha256()
    _feed(digest, data)
    return digest.hexdigest()


def _feed(digest: Any, data: Any) -> None:
    if hasattr(data, "__dataclass_fields__"):
        digest.update(type(data).__name__.encode())
        for name in data.__dataclass_fields__:
            digest.update(name.encode())
            _feed(digest, getattr(data, name))
    elif isinstance(data, np.ndarray) and data.dtype != object:
        digest.update(str((data.dtype.str, data.shape)).encode())
        digest.update(np.ascontiguousarray(data).tobytes())
    elif isinstance(data, np.ndarray):
        digest.update(str((data.shape, [str(x) for x in data.reshape(-1)])).encode())
    else:
        digest.update(repr(data).encode())
