"""Functions without what nobody looks at: vectors that are not asked for, and what serves them.

What is left is the text that stood there, without annotations and comments. Assignments have no
effect but on their names: a step is deterministic, and leaves its arguments as they are.
"""

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from .script_counts import walk

Function = ast.FunctionDef
Node = ast.AST


def sliced(
    functions: Sequence[Function], roots: Collection[str], unseen: Collection[str]
) -> list[Function]:
    """The functions that are still called, without what only serves the unseen.

    Parameters
    ----------
    functions : sequence of function definitions
        They are changed.
    roots : collection of str
        Those that are called from outside.
    unseen : collection of str
        Names of what is shown that nobody looks at.
    """
    read = {text for function in functions for text in _texts(function)}
    dropped = set(unseen) - read
    for function in functions:
        _Plain().visit(function)
        _Unshown(dropped).visit(function)
    before = -1
    while before != (before := sum(1 for f in functions for _ in walk(f))):
        empty = {function.name for function in functions if _is_empty(function)} - {*roots}
        for function in functions:
            Filled(empty).visit(function)
            living(function)
    return _called(functions, roots)


def standing(functions: Sequence[Function], name: str) -> None:
    """A step that returns the state that it was given: what comes after is not looked at.

    Where the value that it returns is made by what shows vectors, that is left; a function that
    does both, and is called there alone, returns its first argument.
    """
    function = next(one for one in functions if one.name == name)
    given = [argument.arg for argument in function.args.args]
    state, shows = given[2], set(given[4:])
    named = {one.name: one for one in functions}
    while isinstance(last := function.body[-1], ast.Return) and last.value is not None:
        if not speaks(last.value, shows):
            last.value = ast.Name(state, ast.Load())
            return
        match last.value:
            case ast.Call(func=ast.Name(id=called), args=own) if called in {*named} - {name}:
                function = named[called]
                given = [argument.arg for argument in function.args.args]
            case _:
                return
        if not given or len(own) > len(given) or _times(functions, called) > 1:
            return
        shows = {one for one, x in zip(given, own, strict=False) if speaks(x, shows)}
        state = given[0]


def _times(functions: Sequence[Function], name: str) -> int:
    """How often a name stands in them."""
    return sum(own == name for function in functions for own in _names(function))


def living(function: Function) -> None:
    """Without assignments to names that are not used, unless they call what adds to lists."""
    adds = adding(function)
    made = {
        x.id for node in walk(function) if isinstance(node, ast.Assign) and speaks(node, adds)
        for target in node.targets for x in walk(target) if isinstance(x, ast.Name)
    }  # fmt: skip
    _Living(_used(function) | made).visit(function)


def adding(function: Function) -> set[str]:
    """Functions inside it that add to lists."""
    inner = [x for x in walk(function) if isinstance(x, ast.FunctionDef) and x is not function]
    return {x.name for x in inner if any(map(_added_to, walk(x)))}


def speaks(node: Node, names: Collection[str]) -> bool:
    """Whether it reads one of these."""
    every = (x for x in walk(node) if isinstance(x, ast.Name))
    return any(x.id in names and isinstance(x.ctx, ast.Load) for x in every)


def _texts(function: Function) -> Iterator[Any]:
    """Constants, but for keys of dicts: a name that is one may be read by it."""
    every = list(walk(function))
    keys = {id(key) for node in every if isinstance(node, ast.Dict) for key in node.keys}
    return (x.value for x in every if isinstance(x, ast.Constant) and id(x) not in keys)


class _Plain(ast.NodeTransformer):
    """Without annotations, and with what is carried as it is: outcomes are rows."""

    def __init__(self) -> None:
        self.arguments: set[str] = set()

    def visit_arg(self, node: ast.arg) -> Node:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Node:
        node.returns = None
        self.arguments.update(one.arg for one in (*node.args.posonlyargs, *node.args.args))
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> Node:
        carries = self._carries(node.func) and node.args and not node.keywords
        if not carries:
            self.generic_visit(node)
            return node
        own: list[ast.expr] = [self.visit(one) for one in node.args]
        return own[0] if len(own) == 1 else ast.Tuple(own, ast.Load())

    def visit_Attribute(self, node: ast.Attribute) -> Node:
        self.generic_visit(node)
        # handed on as a function, of one array
        return ast.parse("lambda y: y", mode="eval").body if self._carries(node) else node

    def _carries(self, node: ast.expr) -> bool:
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr="carry"):
                return name in self.arguments
        return False


class _Unshown(ast.NodeTransformer):
    """Without entries, and arguments of ``see``, of these names."""

    def __init__(self, dropped: Collection[str]) -> None:
        self.dropped = dropped

    def visit_Dict(self, node: ast.Dict) -> Node:
        self.generic_visit(node)
        kept = [pair for pair in _entries(node) if not self._is_dropped(pair[0])]
        node.keys, node.values = [key for key, _ in kept], [value for _, value in kept]
        return node

    def _is_dropped(self, key: ast.expr | None) -> bool:
        return isinstance(key, ast.Constant) and key.value in self.dropped

    def visit_Call(self, node: ast.Call) -> Node:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "see":
            node.keywords = [one for one in node.keywords if one.arg not in self.dropped]
        return node


def _entries(node: ast.Dict) -> Iterator[tuple[ast.expr | None, ast.expr]]:
    """Of a dict, those of the dicts that it is put together from among them."""
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None and isinstance(value, ast.Dict):
            yield from _entries(value)
        else:
            yield key, value


def _is_empty(function: Function) -> bool:
    """Whether nothing is left of the dicts that it returns."""
    every = [node for node in walk(function) if isinstance(node, ast.Return)]
    return bool(every) and all(
        isinstance(node.value, ast.Dict) and not node.value.values for node in every
    )


class Filled(ast.NodeTransformer):
    """Without the entries that functions would give which return none."""

    def __init__(self, empty: Collection[str]) -> None:
        self.empty = empty

    def visit_Dict(self, node: ast.Dict) -> Node:
        self.generic_visit(node)
        kept = [pair for pair in _entries(node) if pair[0] or not self._gives_none(pair[1])]
        node.keys, node.values = [key for key, _ in kept], [value for _, value in kept]
        return node

    def visit_Call(self, node: ast.Call) -> Node:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "see":
            every = node.keywords
            node.keywords = [one for one in every if one.arg or not self._gives_none(one.value)]
        return node

    def _gives_none(self, node: ast.expr) -> bool:
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in self.empty
        )


def _used(function: Function) -> set[str]:
    """Names that are read, but for lists that are only added to."""
    loads = Counter(
        node.id
        for node in walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    )
    loads.subtract(name for node in walk(function) if (name := _added_to(node)))
    return {name for name, times in loads.items() if times > 0}


def _added_to(node: Node) -> str:
    """The list of a statement ``name.append(...)``; empty for others."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"))):
            return name
    return ""


class _Living(ast.NodeTransformer):
    """Without assignments to names that are not used."""

    def __init__(self, used: Collection[str]) -> None:
        self.used = used

    def visit_Expr(self, node: ast.Expr) -> Node | None:
        name = _added_to(node)
        return node if not name or name in self.used else None

    def visit_Assign(self, node: ast.Assign) -> Node | None:
        (target, *_), value = node.targets, node.value
        names = [x.id for x in walk(target) if isinstance(x, ast.Name)]
        plain = all(isinstance(x, ast.Name | ast.Tuple | ast.Store) for x in walk(target))
        if not plain or len(node.targets) > 1:
            return node
        if not any(name in self.used for name in names):
            return None
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = zip(target.elts, value.elts, strict=True)
            kept = [pair for pair in pairs if self._is_used(pair[0])]
            target.elts, value.elts = [one for one, _ in kept], [one for _, one in kept]
            if len(kept) == 1:
                node.targets, node.value = [kept[0][0]], kept[0][1]
        return node

    def _is_used(self, target: ast.expr) -> bool:
        return any(isinstance(x, ast.Name) and x.id in self.used for x in walk(target))


def _called(functions: Sequence[Function], roots: Collection[str]) -> list[Function]:
    """Those that the roots still lead to."""
    named = {function.name: function for function in functions}
    found, waiting = set[str](), list(roots)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [x for x in _names(named[name]) if x in named]
    return [function for function in functions if function.name in found]


def _names(function: Function) -> Iterator[str]:
    return (node.id for node in walk(function) if isinstance(node, ast.Name))
