"""Whether a step carries the assumptions and conditions that its vectors need."""

import ast
from collections.abc import Iterator

from .data import Certificate, Scope, Step, Theory
from .errors import Refused
from .expressions import parsed
from .facts import fact_of


def refuse_unmet(theory: Theory, step: Step) -> None:
    """Raise if a step speaks of a vector and leaves out what it supposes.

    What a cited step supposes is among its own assumptions and conditions.
    """
    certificate, statement = step.certificate, step.statement
    if not certificate.scope:
        return
    scope = theory.scopes[certificate.scope]
    spoken = _closed(scope, {n for text in _texts(scope, step) for n in _names(text)})
    conditions = {*theory.always, *statement.conditions}
    for need in scope.needs:
        about = sorted(spoken & set(need.vectors))
        lacking = sorted(set(need.assumptions) - set(statement.assumptions))
        lacking += [" ".join(one) for one in need.conditions if one not in conditions]
        if about and lacking:
            raise Refused(f"{', '.join(about)} of {certificate.scope!r} needs {', '.join(lacking)}")


def _texts(scope: Scope, step: Step) -> Iterator[str]:
    """Every expression in which a step itself names vectors."""
    if step.statement.scope:
        yield from (step.statement.left, step.statement.right)
    certificate: Certificate | None = step.certificate
    while certificate is not None:
        yield from (square.vector for square in certificate.squares)
        for premise in certificate.premises:
            if premise.kind == "fact":
                fact = fact_of(scope, premise)
                yield from (fact.left, fact.right)
        certificate = certificate.base


def _closed(scope: Scope, names: set[str]) -> set[str]:
    """The names, what vectors are derived from, and the points at which values are taken."""
    inside = {name: _names(text) for name, text in scope.derived}
    inside |= {name: _names(u) | _names(v) for name, u, v in scope.values}
    found: set[str] = set()
    while names:
        found |= names
        names = {n for name in names for n in inside.get(name, ())} - found
    return found


def _names(text: str) -> set[str]:
    """Names in an expression; there is none where a point has one block only."""
    return {n.id for n in ast.walk(parsed(text or "0")) if isinstance(n, ast.Name)}
