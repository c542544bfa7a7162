"""How often the statements of a script use which name: counted once for each, until it changes."""

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

Node = TypeVar("Node", bound=ast.AST)
_LEAVES = ast.Name, ast.Constant
# fields that hold texts and numbers, or contexts and operators
_PLAIN = {"ctx", "op", "ops", "id", "attr", "arg", "name", "asname", "module", "level", "kind"}


@dataclass(frozen=True)
class Uses:
    """What one statement uses.

    Attributes
    ----------
    read : counter of str
        Names and attributes that are read, and texts: a name may be looked up by its text.
    named : counter of str
        Names, whether they are read or given a value.
    called : counter of str
        Names that are called.
    """

    read: Counter[str] = field(default_factory=Counter)
    named: Counter[str] = field(default_factory=Counter)
    called: Counter[str] = field(default_factory=Counter)


class Counts:
    """Uses of the statements of a module, and which of these changed."""

    def __init__(self) -> None:
        self._known = dict[ast.stmt, Uses]()
        self._total: Uses | None = None
        self._changed = set[ast.stmt]()

    def of(self, top: ast.stmt) -> Uses:
        """Of one statement."""
        if top not in self._known:
            self._known[top] = uses(top)
        return self._known[top]

    def forget(self, top: ast.stmt) -> None:
        """It may have changed."""
        self._known.pop(top, None)
        self._total = None

    def changes(self, top: ast.stmt) -> None:
        """It has changed, or is no longer there: others may change for that."""
        self.forget(top)
        self._changed.add(top)

    def changed(self) -> set[ast.stmt]:
        """What changed since this was asked last."""
        found, self._changed = self._changed, set()
        return found

    def total(self, tree: ast.Module) -> Uses:
        """Of all of them."""
        if self._total is None:
            self._total = found = Uses()
            for own in map(self.of, tree.body):
                found.read.update(own.read)
                found.named.update(own.named)
                found.called.update(own.called)
        return self._total


def uses(node: ast.AST) -> Uses:
    """What a node uses."""
    found = Uses()
    for one in walk(node):
        kind = type(one)
        if kind is ast.Name:
            found.named[one.id] += 1
            if type(one.ctx) is ast.Load:
                found.read[one.id] += 1
        elif kind is ast.Attribute:
            if type(one.ctx) is ast.Load:
                found.read[one.attr] += 1
        elif kind is ast.Constant:
            if type(one.value) is str:
                found.read[one.value] += 1
        elif kind is ast.Call and type(one.func) is ast.Name:
            found.called[one.func.id] += 1
    return found


def walk(node: ast.AST) -> Iterator[Any]:
    """As `ast.walk`, in the same order, but for contexts and operators, which have no names.

    Scripts are walked hundreds of times.
    """
    every: list[Any] = [node]
    for one in every:
        for name in _INSIDE[type(one)]:
            value = getattr(one, name, None)
            if type(value) is list:
                every += [x for x in value if isinstance(x, ast.AST)]
            elif isinstance(value, ast.AST):
                every.append(value)
        yield one


class _Inside(dict[type, tuple[str, ...]]):
    """Fields that hold nodes, or lists of them, by kind of node."""

    def __missing__(self, kind: type) -> tuple[str, ...]:
        fields = () if kind in _LEAVES else getattr(kind, "_fields", ())
        self[kind] = tuple(x for x in fields if x not in _PLAIN)
        return self[kind]


_INSIDE = _Inside()


def copied(node: Node) -> Node:
    """A tree of its own; contexts are shared. Copying is what scripts are made of."""
    found = node.__class__.__new__(node.__class__)
    for name, value in vars(node).items():
        if isinstance(value, list):
            value = [copied(x) if isinstance(x, ast.AST) else x for x in value]
        elif isinstance(value, ast.AST) and name != "ctx":
            value = copied(value)
        setattr(found, name, value)
    return found


def shape(node: Any) -> Any:
    """What is equal, and has the same hash, for equal code: as `ast.dump`, and not a text."""
    if isinstance(node, ast.AST):
        return (type(node), *[shape(getattr(node, name, None)) for name in node._fields])
    return (list, *map(shape, node)) if type(node) is list else (type(node), node)
