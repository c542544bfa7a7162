"""Changes of a user's algorithm that operators make in its source, each at each place."""

import ast
import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

_LONGEST = 60  # characters of code that are told
_LAWS = {  # other laws of a draw with the same arguments
    "participants": ("participants_with_replacement",),
    "participants_with_replacement": ("participants",),
    "signs": ("normal",),
    "normal": ("signs",),
}


class Slip(StrEnum):
    """What is changed."""

    CONSTANT = "constant of the algorithm"
    SIGN = "sign"
    FACTOR = "factor dropped"
    STEPS = "number of steps"
    LAW = "law of a draw"
    REUSE = "draw reused"
    NAME = "another name"
    STALE = "not updated"
    LINE = "line dropped"


@dataclass(frozen=True)
class Change:
    """A file with one change.

    Attributes
    ----------
    function : str
        In which it is.
    slip : Slip
    line : int
        Of the file as it was.
    told : str
        What becomes what.
    text : str
        The whole file, changed.
    """

    function: str
    slip: Slip
    line: int
    told: str
    text: str


def changes(text: str) -> tuple[Change, ...]:
    """Every change of the functions that a file hands to `Algorithm`, each once."""
    tree = ast.parse(text)
    found: dict[str, Change] = {}
    for function in _functions(tree):
        for node, slip, told, changed in _of_function(function, tree):
            line = getattr(node, "lineno", function.lineno)
            found.setdefault(changed, Change(function.name, slip, line, told, changed))
    found.pop(ast.unparse(tree), None)
    return tuple(found.values())


def _functions(tree: ast.Module) -> list[ast.FunctionDef]:
    """What `Algorithm` is made of."""
    calls = [x for x in ast.walk(tree) if isinstance(x, ast.Call)]
    made = [x for x in calls if isinstance(x.func, ast.Name) and x.func.id == "Algorithm"]
    names = {arg.id for call in made for arg in call.args if isinstance(arg, ast.Name)}
    return [x for x in tree.body if isinstance(x, ast.FunctionDef) and x.name in names]


def _of_function(
    function: ast.FunctionDef, tree: ast.Module
) -> Iterator[tuple[ast.AST, Slip, str, str]]:
    keys, names = _keys(tree), _parameters(tree)
    for node, parents in _walk(function):
        for slip, other in _of_node(node, parents, function, keys, names):
            told = f"{_short(node)} -> {'' if other is None else _short(other)}".rstrip()
            yield node, slip, told, _with(tree, node, other)


def _walk(node: ast.AST, parents: tuple[ast.AST, ...] = ()) -> Iterator[Any]:
    for child in ast.iter_child_nodes(node):
        yield child, (*parents, node)
        yield from _walk(child, (*parents, node))


def _with(tree: ast.Module, node: ast.AST, other: ast.AST | None) -> str:
    """The file with another node in one's place, or without it."""
    number = next(at for at, x in enumerate(ast.walk(tree)) if x is node)
    whole = copy.deepcopy(tree)
    place = next(x for at, x in enumerate(ast.walk(whole)) if at == number)
    return ast.unparse(ast.fix_missing_locations(_Put(place, other).visit(whole)))


class _Put(ast.NodeTransformer):
    def __init__(self, place: ast.AST, other: ast.AST | None) -> None:
        self._place, self._other = place, other

    def visit(self, node: ast.AST) -> Any:
        return self._other if node is self._place else self.generic_visit(node)


def _of_node(
    node: ast.AST,
    parents: Sequence[ast.AST],
    function: ast.FunctionDef,
    keys: Sequence[str],
    names: Sequence[str],
) -> Iterator[tuple[Slip, ast.AST | None]]:
    inside = any(isinstance(x, ast.Subscript | ast.keyword) for x in parents)
    match node:
        case ast.Constant(value=int() | float() as number) if not inside and number:
            yield Slip.CONSTANT, ast.Constant(2 * number)
        case ast.BinOp(op=ast.Add() | ast.Sub()) if not inside:
            turned = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
            yield Slip.SIGN, ast.BinOp(node.left, turned, node.right)
        case ast.BinOp(op=ast.Mult()) if not inside:
            yield Slip.FACTOR, node.left
            yield Slip.FACTOR, node.right
        case ast.BinOp(op=ast.Div()) if not inside:
            yield Slip.FACTOR, node.left
        case ast.Call(func=ast.Name(id="range"), args=[count]):
            for op in (ast.Add(), ast.Sub()):
                more = ast.BinOp(count, op, ast.Constant(1))
                yield Slip.STEPS, ast.Call(node.func, [more], [])
        case ast.Call(func=ast.Attribute(value=ast.Name(id="random"), attr=name)):
            for other in _LAWS.get(name, ()):
                law = ast.Attribute(ast.Name("random"), other)
                yield Slip.LAW, ast.Call(law, node.args, node.keywords)
            if name == "bernoulli":
                rest = ast.BinOp(ast.Constant(1), ast.Sub(), node.args[0])
                yield Slip.LAW, ast.Call(node.func, [rest, *node.args[1:]], node.keywords)
        case ast.Subscript(value=ast.Name(id="state"), slice=ast.Constant(value=str() as key)):
            for other in keys:
                if other != key:
                    yield Slip.NAME, ast.Subscript(node.value, ast.Constant(other))
        case ast.Subscript(value=ast.Name(id="p"), slice=ast.Constant(value=str() as key)):
            for other in names:
                if other != key:
                    yield Slip.NAME, ast.Subscript(node.value, ast.Constant(other))
        case ast.Attribute(value=ast.Name(id="problem"), attr="clients") if "m" in names:
            yield Slip.NAME, ast.Subscript(ast.Name("p"), ast.Constant("m"))
        case ast.Name(id=name, ctx=ast.Load()) if name in _counters(function):
            if any(isinstance(x, ast.Subscript) for x in parents):
                yield Slip.REUSE, ast.Constant(0)
        case ast.Name(id=name, ctx=ast.Load()) if not inside:
            before = _before(function, name, node.lineno)
            if before is not None:
                yield Slip.NAME, ast.Name(before)
        case ast.Assign(targets=[ast.Name(id=name)]) if _is_again(function, name, node):
            alone = isinstance(parents[-1], ast.For) and len(parents[-1].body) == 1
            yield Slip.LINE, ast.Pass() if alone else None
        case ast.Dict() if isinstance(parents[-1], ast.Return) and function.name != "draw":
            for at, field in enumerate(node.keys):
                if "state" in {arg.arg for arg in function.args.args}:
                    own = ast.Subscript(ast.Name("state"), field or ast.Constant(""))
                    values = [*node.values[:at], own, *node.values[at + 1 :]]
                    yield Slip.STALE, ast.Dict(node.keys, list(values))


def _keys(tree: ast.Module) -> tuple[str, ...]:
    """Fields of the state: keys of the dicts that functions with a state return."""
    found: dict[str, None] = {}
    for function in _functions(tree):
        if "state" not in {arg.arg for arg in function.args.args}:
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Return) and isinstance(node.value, ast.Dict):
                keys = (key.value for key in node.value.keys if isinstance(key, ast.Constant))
                found |= {key: None for key in keys if isinstance(key, str)}
    return tuple(found)


def _parameters(tree: ast.Module) -> tuple[str, ...]:
    """Of the algorithm, that its functions ask for."""
    found: dict[str, None] = {}
    for node in (x for function in _functions(tree) for x in ast.walk(function)):
        match node:
            case ast.Subscript(value=ast.Name(id="p"), slice=ast.Constant(value=str() as key)):
                found |= {key: None}
    return tuple(found)


def _counters(function: ast.FunctionDef) -> set[str]:
    """Variables of loops."""
    loops = (x for x in ast.walk(function) if isinstance(x, ast.For))
    return {x.target.id for x in loops if isinstance(x.target, ast.Name)}


def _assigned(function: ast.FunctionDef) -> list[tuple[int, str]]:
    every = (x for x in ast.walk(function) if isinstance(x, ast.Name))
    own = [(x.lineno, x.id) for x in every if isinstance(x.ctx, ast.Store)]
    return sorted(own)


def _before(function: ast.FunctionDef, name: str, line: int) -> str | None:
    """The variable that was assigned last before a line, but for that one."""
    skipped = {name} | _counters(function)
    own = [other for at, other in _assigned(function) if at < line and other not in skipped]
    return own[-1] if own and name in {other for _, other in _assigned(function)} else None


def _is_again(function: ast.FunctionDef, name: str, node: ast.Assign) -> bool:
    """Whether the variable has a value without this line."""
    return any(at < node.lineno and other == name for at, other in _assigned(function))


def _short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
