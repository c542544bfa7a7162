"""Which way the tests of a script come out, whenever they are asked, as a run of it tells."""

import ast
from collections.abc import Iterator
from fractions import Fraction
from types import CodeType

from . import script_rationals
from .script_counts import walk
from .script_inline import is_quoted

SEEN = "_seen_"
# functions of the frame whose branches are about what a run has, and check nothing
_OF_A_RUN = {"run", "rows_of", "a_round", "outcomes"}
CLASSES = {"Problem", "Random"}
# they tell kinds of numbers apart
_OF_KINDS = {"float", "getattr", "hasattr", "isinstance", "type"}


def may_be_quick(tree: ast.Module, imported: set[str]) -> bool:
    """Whether other rationals take the branches that those of Python do.

    They are equal to no float, of another kind, and know less: what fails may be caught.
    """
    every = [node for top in _with_tests(tree) for node in walk(top)]
    floats = any(isinstance(x, ast.Constant) and isinstance(x.value, float) for x in every)
    names = {x.id for x in every if isinstance(x, ast.Name)}
    caught = any(isinstance(x, ast.Try) for x in every)
    return Fraction.__module__ in imported and not (floats or caught or names & _OF_KINDS)


def _with_tests(tree: ast.Module) -> Iterator[ast.stmt]:
    """Functions and classes in which some may be decided."""
    for top in tree.body:
        inside = isinstance(top, ast.FunctionDef) and (top.name in _OF_A_RUN or is_quoted(top))
        if inside or (isinstance(top, ast.ClassDef) and top.name in CLASSES):
            yield top


def _tests(tree: ast.Module) -> Iterator[ast.If | ast.IfExp]:
    """Those that may be decided, in the order of the text."""
    for top in _with_tests(tree):
        yield from (node for node in walk(top) if isinstance(node, ast.If | ast.IfExp))


def watched(tree: ast.Module, *, quick: bool) -> CodeType:
    """The script, telling which way its tests come out; with rationals that are quick."""
    first = ast.parse(
        f"{SEEN} = {{}}\n"
        "def _ask_(at, found):\n"
        f"    {SEEN}.setdefault(at, set()).add(bool(found))\n"
        "    return found\n"
    ).body
    tests = [(node, node.test) for node in _tests(tree)]
    for at, (node, test) in enumerate(tests):
        node.test = ast.Call(ast.Name("_ask_", ast.Load()), [ast.Constant(at), test], [])
    body = [_in_quick(x) if quick else x for x in tree.body]
    whole = ast.fix_missing_locations(ast.Module([*first, *body], []))
    found = compile(whole, "script", "exec")
    for node, test in tests:
        node.test = test
    return found


def _in_quick(statement: ast.stmt) -> ast.stmt:
    """The import of fractions as that of quick ones."""
    if isinstance(statement, ast.ImportFrom) and statement.module == Fraction.__module__:
        return ast.ImportFrom(script_rationals.__name__, statement.names, 0)
    return statement


class Folded(ast.NodeTransformer):
    """With the branch that was taken in place of tests that came out one way."""

    def __init__(self, seen: dict[int, set[bool]]) -> None:
        self._seen, self._at = seen, dict[int, int]()

    def visit_Module(self, node: ast.Module) -> ast.Module:
        self._at = {id(test): at for at, test in enumerate(_tests(node))}
        self.generic_visit(node)
        return node

    def _way(self, node: ast.AST) -> bool | None:
        """None of one that stays; a test that was never asked stands in what is not run."""
        found = self._seen.get(self._at[id(node)]) if id(node) in self._at else None
        return next(iter(found)) if found is not None and len(found) == 1 else None

    def visit_If(self, node: ast.If) -> object:
        way = self._way(node)
        self.generic_visit(node)
        if way is None:
            return node
        return node.body if way else node.orelse

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        way = self._way(node)
        self.generic_visit(node)
        if way is None:
            return node
        return node.body if way else node.orelse
