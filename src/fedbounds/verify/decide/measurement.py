"""Measure one instance once, for all claims: expectations, or sums of gaps over replicas."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb

from fedbounds.problems.linear import rational

from ..measure.evaluate import Numbers, apart, around
from ..measure.lazily import Lazily, Mapped, together
from ..measure.roots import Roots
from .case import Case, constants_of, found, parameters_of
from .part import EXACT

Array = Any


@dataclass(frozen=True, eq=False)
class Measurement:
    """Expectations of an instance's quantities with its constants."""

    numbers: Numbers
    diverged_at: int | None = None


def numbers_of(
    instance: Case, series: Mapping[str, Array], errors: Mapping[str, Array] | None = None
) -> Numbers:
    """Constants, parameters and series of an instance, exact if the instance is rational."""
    of_problem = {name.value: c.value for name, c in constants_of(instance).items()}
    values = together(parameters_of(instance), of_problem)
    if instance.method in EXACT:
        return Numbers(Mapped(values, _exact), series, lambda p, q: rational(p) / q)
    floats = Mapped(values, _near)
    near = Mapped(floats, lambda pair: pair[0])
    wrong = Lazily(floats, lambda name: floats[name][1] or None)
    return Numbers(near, series, errors=together(wrong, {} if errors is None else errors))


def _near(value: Any) -> tuple[float, float]:
    """A float, and how far off it is; a float that is given is the number itself."""
    if isinstance(value, float):
        return value, 0.0
    near, wrong = apart(around(np.array([_exact(value)], dtype=object), 0.0))
    return float(near[0]), float(wrong[0])


def _exact(value: Any) -> Any:
    return value if isinstance(value, Roots | arb) else rational(value)


def measure(case: Case) -> Measurement:
    """Expectations without sampling."""
    shown = found(case)
    return Measurement(numbers_of(case, shown.series, shown.errors), shown.diverged_at)


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
    elif isinstance(data, frozenset):  # whose order differs from process to process
        digest.update(repr(sorted(data)).encode())
    else:
        digest.update(repr(data).encode())
