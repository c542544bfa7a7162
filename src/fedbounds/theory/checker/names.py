"""Which names a theory may have: none that is read as something else, and no two as one.

The one table of reserved names; whoever declares a name asks here, and the checker asks again.
"""

import ast
import keyword
import re
from collections.abc import Iterable, Iterator, Mapping

from .data import Scope, Statement, Theory
from .errors import Refused
from .text import parsed

SUMS = frozenset({"Sum_t", "Mean_t", "Max_t", "Min_t", "Sum_i", "Sum_ik", "Sum"})
FUNCTIONS = frozenset(
    {"sqrt", "log", "Max", "Min", "max", "min", "sq", "ip", "dot", "given", "present"}
)
INDICES = frozenset({"t", "k"})
SIGNS = ("integer", "positive", "nonnegative", "index", "varying")
# what sums and participation speak of: clients, participants, local steps and rounds
_SPOKEN_OF = dict.fromkeys(("n", "m", "K", "T"), "integer")
RESERVED = SUMS | FUNCTIONS | INDICES
# a name that ends in an underscore is the slack of another, and Python's own names are no names
_NAME = re.compile(r"[A-Za-z]([A-Za-z0-9_]*[A-Za-z0-9])?", re.ASCII)


def identifier(name: str) -> str:
    """A symbol's name as it is typed and as the checker reads it: sigma_u^2 is sigma_u2."""
    return name.replace("^", "")


def fault_of(name: str) -> str | None:
    """Why a name cannot be declared; None if it can."""
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        return "expected ASCII letters, digits and _, from a letter to a letter or digit"
    return "it is a function or an index of formulas" if name in RESERVED else None


def refuse_unknown(theory: Theory, statement: Statement) -> None:
    """Raise for a statement that cannot be read, or that names what is not declared."""
    scope = theory.scopes[statement.scope] if statement.scope else Scope()
    varying = {name for name, sign in theory.symbols.items() if sign == "varying"}
    known = {*theory.symbols, *scope.sources, *_vectors(scope), *(row[0] for row in scope.values)}
    known -= varying  # which are said of a round
    for side in (statement.left, statement.right):
        tree = parsed(side)
        called = {n.func for n in ast.walk(tree) if isinstance(n, ast.Call)}
        bound = {n.id for one in ast.walk(tree) for n in _bound(one)}
        for node in ast.walk(tree):
            if not isinstance(node, ast.Name):
                continue
            allowed = {*theory.quantities, *RESERVED, *varying} if node in called else known | bound
            if node.id not in allowed:
                raise Refused(f"{side} names {node.id!r}, which is not declared")


def _bound(node: ast.AST) -> Iterator[ast.Name]:
    """The index of a geometric sum."""
    match node:
        case ast.Call(func=ast.Name(id="Sum"), args=[_, ast.Tuple(elts=[ast.Name() as index, *_])]):
            yield index


def refuse_names(theory: Theory, scope: str) -> None:
    """Raise for a name, of a theory or of one scope, that is reserved or stands for two things."""
    for name, sign in theory.symbols.items():
        if sign not in SIGNS:
            raise Refused(f"the sign of {name!r} is {sign!r}; expected one of {', '.join(SIGNS)}")
        if sign != _SPOKEN_OF.get(name, sign) or (sign == "index") != (name in INDICES):
            raise Refused(f"{name!r} is {sign}, which the checker takes for something else")
    symbols = theory.symbols.keys() - INDICES
    _refuse_shared({"a symbol": symbols, "a quantity": theory.quantities})
    if scope and scope not in theory.scopes:
        raise Refused(f"unknown scope {scope!r}")
    if scope:
        _refuse_scope(scope, theory.scopes[scope], {*symbols, *theory.quantities})


def _refuse_scope(label: str, scope: Scope, known: set[str]) -> None:
    # k is a source too: a uniform local step
    sources = [source for source in scope.sources if source != "k"]
    values = [name for name, *_ in scope.values]
    vectors = list(_vectors(scope))
    if len(set(vectors)) < len(vectors):
        raise Refused(f"a vector of {label!r} is named twice: {sorted(vectors)}")
    _refuse_shared(
        {"a name": known, "a source": sources, "a vector": vectors, "a value": values}, label
    )


def _vectors(scope: Scope) -> Iterator[str]:
    yield from (name for name, _ in scope.atoms)
    yield from (name for name, _ in scope.derived)


def _refuse_shared(kinds: Mapping[str, Iterable[str]], label: str = "") -> None:
    """Raise for a name that cannot be declared, or that is of two kinds."""
    seen: dict[str, str] = {}
    where = f" of {label!r}" if label else ""
    for kind, names in kinds.items():
        for name in names:
            fault = fault_of(name)
            if fault is not None:
                raise Refused(f"{kind}{where} is called {name!r}: {fault}")
            if seen.setdefault(name, kind) != kind:
                raise Refused(f"{name!r}{where} is {seen[name]} and {kind}")
