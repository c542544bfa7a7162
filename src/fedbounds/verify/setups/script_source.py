"""The functions of an algorithm as they stand in their files, for scripts that quote them."""

import inspect
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from fedbounds.algorithms.traced import Algorithm
from fedbounds.errors import FedboundsError

_OURS = "fedbounds.algorithms"
# a script has NumPy alone, so that there is one array namespace
_STANDS_IN = {
    "numpy": "",
    "array_api_compat": "array_api_compat = SimpleNamespace(array_namespace=lambda *x: np)",
}
_PLAIN = (int, float, str, bool, tuple)


def quoted(algorithm: Algorithm) -> str:
    """``init``, ``draw`` and ``step`` with all functions and constants that they use.

    Raises
    ------
    FedboundsError
        If one cannot be quoted: it is no plain function, or uses what is no part of algorithms.
    """
    found: dict[str, FunctionType] = {}
    others: dict[str, str] = {}
    waiting: list[Any] = [algorithm.init, algorithm.draw, algorithm.step]
    while waiting:
        function = waiting.pop()
        name = _checked(function)
        if found.setdefault(name, function) is not function:
            raise FedboundsError(f"two functions of the name {name}: no script quotes both")
        for used in sorted(set(_names(function.__code__)) & function.__globals__.keys()):
            value = function.__globals__[used]
            if isinstance(value, FunctionType) and value.__name__ == used:
                waiting += [value] if found.get(used) is not value else []
            elif not _is_type(value):
                others[used] = _line(used, value)
    every = sorted(found.values(), key=lambda f: (f.__module__, f.__code__.co_firstlineno))
    texts = [inspect.getsource(function).rstrip() for function in every]
    return "\n\n\n".join([*filter(None, ["\n".join(filter(None, others.values()))]), *texts])


def _checked(function: Callable[..., Any]) -> str:
    """The name of a function that can be quoted."""
    name = getattr(function, "__name__", "<lambda>")
    plain = isinstance(function, FunctionType) and function.__closure__ is None
    if not plain or not name.isidentifier():
        raise FedboundsError(f"{name} is no plain function; a script quotes its text")
    if not function.__module__.startswith(f"{_OURS}."):
        raise FedboundsError(f"{name} is of {function.__module__}; a script quotes {_OURS} alone")
    return name


def _names(code: CodeType) -> Iterator[str]:
    """Of everything that a function, or one inside it, looks up."""
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


def _is_type(value: Any) -> bool:
    """Whether it stands in annotations, which a script does not evaluate."""
    return isinstance(value, type) or type(value).__module__ in ("typing", "types")


def _line(name: str, value: Any) -> str:
    """What makes a name known in a script."""
    if isinstance(value, ModuleType) and value.__name__ in _STANDS_IN:
        return _STANDS_IN[value.__name__]
    if isinstance(value, _PLAIN):
        return f"{name} = {value!r}"
    raise FedboundsError(f"no script quotes {name}, which the algorithm uses")
