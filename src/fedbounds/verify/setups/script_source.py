"""The functions of an algorithm, for scripts that quote them."""

import ast
import inspect
from collections.abc import Callable, Collection, Iterator, Sequence
from fractions import Fraction
from textwrap import wrap
from types import CodeType, FunctionType, ModuleType
from typing import Any

from fedbounds.algorithms.traced import Algorithm, Stages
from fedbounds.errors import FedboundsError

from .script_code import TAKEN
from .script_lines_of import WIDTH
from .script_slice import sliced, standing

_OURS = "fedbounds.algorithms"
# a script has NumPy alone, so that there is one array namespace
_STANDS_IN = {
    "numpy": "",
    "array_api_compat": "array_api_compat = SimpleNamespace(array_namespace=lambda *x: np)",
}
# names of a script until its run is over
_WHILE_RUN = frozenset({"run", "start", "solve", "solve_in", "calls", "Problem"})
_PLAIN = (int, float, str, bool, tuple)


def quoted(
    algorithm: Algorithm,
    unseen: Collection[str] = (),
    others: Sequence[Callable[..., Any]] = (),
    *,
    ends: bool = True,
) -> str:
    """``init``, ``draw`` and ``step`` with all functions and constants that they use.

    Parameters
    ----------
    unseen : collection of str
        What a step shows and nobody looks at: it is left out, with what only serves it.
    others : sequence of functions
        More that are called.
    ends : bool
        Whether the state after a round is looked at.

    Raises
    ------
    FedboundsError
        If one cannot be quoted: it is no plain function, or uses what its file computes.
    """
    stages = algorithm.stages
    steps = [algorithm.step] if stages is None else [stages.begin, stages.stage]
    roots: list[Any] = [algorithm.init, algorithm.draw, *steps, *others]
    own = {getattr(root, "__module__", "") for root in roots}
    found: dict[str, FunctionType] = {}
    known: dict[str, str] = {}
    waiting = list(roots)
    while waiting:
        function = waiting.pop()
        name = _checked(function)
        if found.setdefault(name, function) is not function:
            raise FedboundsError(f"two functions of the name {name}: no script quotes both")
        for used in sorted(set(_names(function.__code__)) & function.__globals__.keys()):
            value = function.__globals__[used]
            if _is_quoted(value, used, own):
                waiting += [value] if found.get(used) is not value else []
            elif (line := _line(used, value)) is not None:
                known[used] = line
    every = sorted(found.values(), key=lambda f: (f.__module__, f.__code__.co_firstlineno))
    trees = [_tree(function) for function in every]
    names = [f.__name__ for f in roots]
    if stages is not None:
        trees.append(_through(stages, algorithm.step.__name__))
        names.append(algorithm.step.__name__)
    if not ends and stages is None:
        standing(trees, algorithm.step.__name__)
    texts = [ast.unparse(tree) for tree in sliced(trees, names, unseen)]
    lines = [line for name, line in known.items() if line and any(name in x for x in texts)]
    return "\n\n\n".join(filter(None, ["\n".join(lines), *map(narrowed, texts)]))


def _is_quoted(value: Any, name: str, own: Collection[str]) -> bool:
    """Whether it is a function of the files that are quoted, and not of a package."""
    plain = isinstance(value, FunctionType) and value.__name__ == name
    return plain and (value.__module__ in own or value.__module__.startswith(f"{_OURS}."))


def _tree(function: FunctionType) -> ast.FunctionDef:
    try:
        (found,) = ast.parse(inspect.getsource(function)).body
    except (OSError, SyntaxError, ValueError):
        found = ast.Pass()
    if not isinstance(found, ast.FunctionDef):
        raise FedboundsError(f"{function.__name__} stands in no file by itself; a script quotes it")
    return found


def _through(stages: Stages, name: str) -> ast.FunctionDef:
    """The step that is made of stages."""
    order = repr(stages.order)
    (found,) = ast.parse(
        f"def {name}(problem, p, state, drawn, see):\n"
        f"    {stages.begin.__name__}(problem, p, state, see)\n"
        f"    for s in range(drawn[{order}].shape[-1]):\n"
        f"        own = {{**drawn, {order}: drawn[{order}][..., s]}}\n"
        f"        state = {stages.stage.__name__}(problem, p, state, own)\n"
        "    return state\n"
    ).body
    assert isinstance(found, ast.FunctionDef)
    return found


def narrowed(text: str) -> str:
    """Long lines broken, where that is inside of brackets."""
    meant = ast.dump(ast.parse(text))
    lines = text.splitlines()
    for at, line in enumerate(lines):
        if len(line) <= WIDTH:
            continue
        inside = " " * (len(line) - len(line.lstrip()) + 4)
        own = wrap(line, WIDTH, subsequent_indent=inside, break_long_words=False,
                   break_on_hyphens=False)  # fmt: skip
        broken = [*lines[:at], "\n".join(own), *lines[at + 1 :]]
        if _dumped("\n".join(broken)) == meant:
            lines = broken
    return "\n".join(lines)


def _dumped(text: str) -> str:
    try:
        return ast.dump(ast.parse(text))
    except SyntaxError:
        return ""


def _checked(function: Callable[..., Any]) -> str:
    """The name of a function that can be quoted."""
    name = getattr(function, "__name__", "<lambda>")
    plain = isinstance(function, FunctionType) and function.__closure__ is None
    if not plain or not name.isidentifier():
        raise FedboundsError(f"{name} is no plain function; a script quotes its text")
    if name in TAKEN | _WHILE_RUN:
        raise FedboundsError(f"no script quotes a function {name}: it has that name itself")
    return name


def _names(code: CodeType) -> Iterator[str]:
    """Of everything that a function, or one inside it, looks up."""
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


def _line(name: str, value: Any) -> str | None:
    """What makes a name known in a script; None for types, which stand in annotations.

    Raises
    ------
    FedboundsError
        If it is known in its own file alone.
    """
    if isinstance(value, ModuleType):
        if value.__name__ in _STANDS_IN and name in (value.__name__, "np"):
            return _STANDS_IN[value.__name__]
        return f"import {value.__name__} as {name}"
    if isinstance(value, type) and issubclass(value, Fraction):
        return f"{name} = Q"
    if isinstance(value, type) or type(value).__module__ in ("typing", "types"):
        return None
    if isinstance(value, _PLAIN):
        return f"{name} = {value!r}"
    module = getattr(value, "__module__", None) or ""
    if callable(value) and module and module.partition(".")[0] not in ("fedbounds", "__main__"):
        return f"from {module} import {value.__name__} as {name}"
    raise FedboundsError(f"no script quotes {name}, which the algorithm uses")
