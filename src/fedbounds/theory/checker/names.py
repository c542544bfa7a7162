"""Which names a theory may have: none that is read as something else, and no two as one.

The one table of reserved names; whoever declares a name asks here, and the checker asks again.
"""

import keyword
import re
from collections.abc import Iterable, Iterator, Mapping

from .data import Scope, Theory
from .errors import Refused

SUMS = frozenset({"Sum_t", "Mean_t", "Max_t", "Sum_i", "Sum_ik", "Sum"})
FUNCTIONS = frozenset({"sqrt", "Max", "Min", "max", "min", "sq", "ip", "given", "present"})
INDICES = frozenset({"t", "k"})
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


def refuse_names(theory: Theory, scope: str) -> None:
    """Raise for a name, of a theory or of one scope, that is reserved or stands for two things."""
    indices = {name for name, sign in theory.symbols.items() if sign == "index"}
    if not indices <= INDICES:
        raise Refused(f"indices are {sorted(INDICES)}, not {sorted(indices - INDICES)}")
    symbols = theory.symbols.keys() - indices
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
