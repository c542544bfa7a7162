"""Which given statements are definitions: they introduce a name, and so suppose nothing."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from .check import remainders
from .data import Certificate, Scope, Statement, Step, Theory
from .errors import Refused
from .names import INDICES
from .needs import closed, needs_of
from .text import parsed, parsed_anew, words

Spoken = Mapping[str, frozenset[str]]  # what earlier statements name, by their scope
_SUMS = ("Sum_t", "Mean_t", "Sum_i", "Sum_ik", "sqrt")
_BOUND = {"Sum_t": {"t"}, "Mean_t": {"t"}, "Sum_i": {"i"}, "Sum_ik": {"i", "k"}}
_OF_FACTS = frozenset({"L", "b2"})  # constants that facts speak of


def is_definition(theory: Theory, statement: Statement, spoken: Spoken) -> bool:
    """Whether a given statement only says what one quantity or constant stands for.

    What is taken to be non-negative is so by the form of what it stands for, and what it stands for
    differs in no round, step or client in which the name does not: s == B(t) supposes. In vectors
    of a scope, a name is said once per round; otherwise it was not spoken of before, at no round
    and in no scope: a value at the start, say, is supposed. It is said under what its vectors need
    and nothing else.

    Parameters
    ----------
    spoken : mapping from scope to names
        See `spoken_of`.
    """
    named = _introduced(theory, statement)
    if named is None or statement.relation != "==":
        return False
    if _beyond_needs(theory, statement) or _head(named) in words(statement.right):
        return False
    own, meant = (_varies(theory, parsed(side)) for side in (statement.left, statement.right))
    if not meant | _in_vectors(theory, statement) <= own:
        return False
    if _of_vectors(theory, statement):
        return named not in spoken.get(statement.scope, ())
    return not any(_head(named) == _head(other) for own in spoken.values() for other in own)


def supposed_of(
    theory: Theory, statements: Sequence[Statement], given: Sequence[bool]
) -> list[bool]:
    """Of the statements of a book in order, which are taken as given and are no definitions."""
    spoken: dict[str, frozenset[str]] = {}
    defined: list[Statement] = []
    found = []
    for statement, own in zip(statements, given, strict=True):
        says = own and (
            is_definition(theory, statement, spoken)
            or any(_at_another_index(theory, statement, other) for other in defined)
        )
        defined += [statement] if says else []
        found.append(own and not says)
        scope = statement.scope
        spoken[scope] = spoken.get(scope, frozenset()) | spoken_of(statement)
    return found


def _at_another_index(theory: Theory, statement: Statement, defined: Statement) -> bool:
    """Whether it is a definition read at the next round or step, or at the last round.

    Vectors are those of one round or step: what is said in them is said of no other.
    """
    if _of_vectors(theory, statement):
        return False
    if replace(statement, left="", right="") != replace(defined, left="", right=""):
        return False
    sides = [_read_at(side, "", "0") for side in (statement.left, statement.right)]
    return any(
        sides == [_read_at(side, name, at) for side in (defined.left, defined.right)]
        for name, at in (("t", "t + 1"), ("k", "k + 1"), ("t", "T"))
    )


@cache
def _read_at(side: str, name: str, at: str) -> str:
    """An expression with an index replaced; no index has the empty name."""
    return ast.unparse(_Replaced(name, at).visit(parsed_anew(side)))


class _Replaced(ast.NodeTransformer):
    """A name replaced by an expression."""

    def __init__(self, name: str, at: str) -> None:
        self._name, self._at = name, at

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return parsed(self._at) if node.id == self._name else node


def spoken_of(statement: Statement) -> frozenset[str]:
    """Every quantity at its round, and every constant, that a statement names."""
    sides = (parsed(side) for side in (statement.left, statement.right))
    nodes = [node for side in sides for node in ast.walk(side)]
    return frozenset(ast.unparse(n) for n in nodes if isinstance(n, ast.Call | ast.Name))


def says_sign(theory: Theory, definition: Statement) -> bool:
    """Whether what a quantity stands for cannot be negative, by its form."""
    named = isinstance(parsed(definition.left), ast.Call)
    return named and _nonnegative(theory, parsed(definition.right))


def _beyond_needs(theory: Theory, statement: Statement) -> bool:
    """Whether it is said under premises that its vectors do not ask for."""
    where = statement.scope if statement.scope in theory.scopes else ""
    step = Step("", statement, Certificate("given", scope=where))
    needs = [need for _, need in needs_of(theory, step)]
    asked = {a for need in needs for a in need.assumptions}
    under = {c for need in needs for c in need.conditions}
    return not (set(statement.assumptions) <= asked and set(statement.conditions) <= under)


def _introduced(theory: Theory, statement: Statement) -> str | None:
    """The quantity at a round, or the constant, alone on the left; its sign is no supposition."""
    right = parsed(statement.right)
    match parsed(statement.left):
        case ast.Call(func=ast.Name(id=name)) as call if name in theory.quantities:
            signed = not theory.quantities[name]
            return ast.unparse(call) if signed or _nonnegative(theory, right) else None
        case ast.Name(id=name) if theory.symbols.get(name) == "nonnegative":
            free = name not in _supposed(theory)
            return name if free and _nonnegative(theory, right) else None
    return None


def _supposed(theory: Theory) -> set[str]:
    """Constants of which a theory, or a fact, says something already."""
    scopes = theory.scopes.values()
    held = [*theory.always, *(c for block in theory.absent for c in block.holds)]
    held += [c for scope in scopes for need in scope.needs for c in need.conditions]
    noises = [bound for scope in scopes for _, bound in scope.noises]
    named = words(*(side for c in held for side in c[::2]), *noises)
    return {*named, *_OF_FACTS, *(name for block in theory.absent for name in block.free)}


def _of_vectors(theory: Theory, statement: Statement) -> bool:
    """Whether the right side speaks of vectors, or of values, of the statement's scope."""
    if statement.scope not in theory.scopes:
        return False
    scope = theory.scopes[statement.scope]
    named = {row[0] for row in (*scope.atoms, *scope.derived, *scope.values)}
    return bool(named & words(statement.right))


def _varies(theory: Theory, node: ast.AST) -> set[str]:
    """In what an expression may differ: the round t, the step k, the client i."""
    match node:
        case ast.Name(id=name):
            return {name} & INDICES
        case ast.Call(func=ast.Name(id="given"), args=[inner, *_]):  # the rest are sources
            return _varies(theory, inner)
        case ast.Call(func=ast.Name(id=name), args=arguments):
            found = set().union(*(_varies(theory, argument) for argument in arguments))
            found |= {"i"} if name in theory.per_client | theory.per_step else set()
            return found - _BOUND.get(name, set())
    return set().union(*(_varies(theory, inner) for inner in ast.iter_child_nodes(node)))


def _in_vectors(theory: Theory, statement: Statement) -> set[str]:
    """The round, if a vector on the right depends on the past, or is made of one that does."""
    scope = theory.scopes.get(statement.scope, Scope())
    past = {name for name, depends in scope.atoms if "past" in depends}
    return {"t"} if past & closed(scope, words(statement.right)) else set()


def _nonnegative(theory: Theory, node: ast.expr) -> bool:
    """Whether an expression cannot be negative, by its form."""
    match node:
        case ast.Constant(value=int()):
            return True
        case ast.Name(id=name):
            return name in theory.symbols
        case ast.Call(func=ast.Name(id="sq")):
            return True
        case ast.Call(func=ast.Name(id="given"), args=[ast.Call(func=ast.Name(id="sqrt"))]):
            return True
        case ast.Call(func=ast.Name(id=name), args=[inner]) if name in _SUMS:
            return _nonnegative(theory, inner)
        case ast.Call(func=ast.Name(id=name)):
            return theory.quantities.get(name, False)
        case ast.BinOp(left=left, op=ast.Pow()):
            return _nonnegative(theory, left)
        case ast.BinOp(left=left, op=ast.Add() | ast.Mult() | ast.Div(), right=right):
            return _nonnegative(theory, left) and _nonnegative(theory, right)
        case ast.BinOp(op=ast.Sub()):
            return _is_shown(theory, ast.unparse(node))
    return False


def _is_shown(theory: Theory, text: str) -> bool:
    """Such as K - 1."""
    try:
        return all(r.ok for r in remainders(theory, Statement("0", "<=", text), _BARE, {}))
    except Refused:
        return False


_BARE = Certificate("combine")


def _head(named: str) -> str:
    return named.partition("(")[0]
