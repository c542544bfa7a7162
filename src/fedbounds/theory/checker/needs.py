"""Whether a step carries the assumptions and conditions that its vectors need."""

from collections.abc import Iterator

from .data import Certificate, Need, Scope, Step, Theory
from .errors import Refused
from .facts import fact_of
from .text import words


def refuse_unmet(theory: Theory, step: Step) -> None:
    """Raise if a step speaks of a vector and leaves out what it supposes.

    What a cited step supposes is among its own assumptions and conditions.
    """
    statement = step.statement
    conditions = {*theory.always, *statement.conditions}
    for about, need in needs_of(theory, step):
        lacking = sorted(set(need.assumptions) - set(statement.assumptions))
        lacking += [" ".join(one) for one in need.conditions if one not in conditions]
        if lacking:
            scope = step.certificate.scope
            raise Refused(f"{', '.join(about)} of {scope!r} needs {', '.join(lacking)}")


def needs_of(theory: Theory, step: Step) -> Iterator[tuple[list[str], Need]]:
    """What the vectors that a step itself names suppose, with the vectors that it is about."""
    if not step.certificate.scope:
        return
    scope = theory.scopes[step.certificate.scope]
    spoken = _closed(scope, words(*_texts(scope, step)))
    for need in scope.needs:
        about = sorted(spoken & set(need.vectors))
        if about:
            yield about, need


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
    inside = {name: words(text) for name, text in scope.derived}
    # there is no point in a block that a problem does not have
    inside |= {name: words(u or "0", v or "0") for name, u, v in scope.values}
    found: set[str] = set()
    while names:
        found |= names
        names = {n for name in names for n in inside.get(name, ())} - found
    return found
