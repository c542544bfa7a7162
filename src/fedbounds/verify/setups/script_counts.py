"""How often the statements of a script use which name: counted once for each, until it changes."""

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeVar

Node = TypeVar("Node", bound=ast.AST)
_LEAVES = ast.Name, ast.Constant, ast.operator, ast.unaryop, ast.cmpop, ast.boolop


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
        self._changed = set[ast.stmt]()

    def of(self, top: ast.stmt) -> Uses:
        """Of one statement."""
        if top not in self._known:
            self._known[top] = uses(top)
        return self._known[top]

    def forget(self, top: ast.stmt) -> None:
        """It may have changed."""
        self._known.pop(top, None)

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
        found = Uses()
        for own in map(self.of, tree.body):
            found.read.update(own.read)
            found.named.update(own.named)
            found.called.update(own.called)
        return found


def uses(node: ast.AST) -> Uses:
    """What a node uses."""
    found = Uses()
    for one in walk(node):
        if isinstance(one, ast.Name):
            found.named[one.id] += 1
            if isinstance(one.ctx, ast.Load):
                found.read[one.id] += 1
        elif isinstance(one, ast.Attribute):
            if isinstance(one.ctx, ast.Load):
                found.read[one.attr] += 1
        elif isinstance(one, ast.Constant):
            if isinstance(one.value, str):
                found.read[one.value] += 1
        elif isinstance(one, ast.Call) and isinstance(one.func, ast.Name):
            found.called[one.func.id] += 1
    return found


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """As `ast.walk`, in the same order, but for contexts: scripts are walked hundreds of times."""
    every = [node]
    for one in every:
        for name in () if isinstance(one, _LEAVES) else one._fields:
            value = getattr(one, name, None)
            if isinstance(value, list):
                every += [x for x in value if isinstance(x, ast.AST)]
            elif isinstance(value, ast.AST) and name != "ctx":
                every.append(value)
        yield one


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


def shape(node: object) -> object:
    """What is equal for equal code: as `ast.dump`, and not a text."""
    if isinstance(node, ast.AST):
        return (type(node), *[shape(getattr(node, name, None)) for name in node._fields])
    return [*map(shape, node)] if isinstance(node, list) else (type(node), node)
