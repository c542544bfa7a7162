"""The functions of an algorithm, for scripts that quote them."""

import ast
import inspect
from collections.abc import Callable, Collection, Iterator
from textwrap import wrap
from types import CodeType, FunctionType, ModuleType
from typing import Any

from fedbounds.algorithms.traced import Algorithm
from fedbounds.errors import FedboundsError

from ..script_code import WIDTH
from .script_code import TAKEN
from .script_slice import sliced

_OURS = "fedbounds.algorithms"
# a script has NumPy alone, so that there is one array namespace
_STANDS_IN = {
    "numpy": "",
    "array_api_compat": "array_api_compat = SimpleNamespace(array_namespace=lambda *x: np)",
}
# names of a script until its run is over
_WHILE_RUN = frozenset({"run", "start", "models", "slope", "solve", "calls"})
_PLAIN = (int, float, str, bool, tuple)


def quoted(algorithm: Algorithm, unseen: Collection[str] = ()) -> str:
    """``init``, ``draw`` and ``step`` with all functions and constants that they use.

    Parameters
    ----------
    unseen : collection of str
        What a step shows and nobody looks at: it is left out, with what only serves it.

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
    trees = [_tree(function) for function in every]
    roots = [f.__name__ for f in (algorithm.init, algorithm.draw, algorithm.step)]
    texts = [ast.unparse(tree) for tree in sliced(trees, roots, unseen)]
    lines = [line for name, line in others.items() if line and any(name in x for x in texts)]
    return "\n\n\n".join(filter(None, ["\n".join(lines), *map(_narrow, texts)]))


def _tree(function: FunctionType) -> ast.FunctionDef:
    (found,) = ast.parse(inspect.getsource(function)).body
    assert isinstance(found, ast.FunctionDef)
    return found


def _narrow(text: str) -> str:
    """Long lines broken, where that is inside of brackets."""
    lines = []
    for line in text.splitlines():
        inside = " " * (len(line) - len(line.lstrip()) + 4)
        lines += wrap(line, WIDTH, subsequent_indent=inside, break_long_words=False,
                      break_on_hyphens=False) or [line]  # fmt: skip
    narrow = "\n".join(lines)
    try:
        same = ast.dump(ast.parse(narrow)) == ast.dump(ast.parse(text))
    except SyntaxError:
        return text
    return narrow if same else text


def _checked(function: Callable[..., Any]) -> str:
    """The name of a function that can be quoted."""
    name = getattr(function, "__name__", "<lambda>")
    plain = isinstance(function, FunctionType) and function.__closure__ is None
    if not plain or not name.isidentifier():
        raise FedboundsError(f"{name} is no plain function; a script quotes its text")
    if name in TAKEN | _WHILE_RUN:
        raise FedboundsError(f"no script quotes a function {name}: it has that name itself")
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
