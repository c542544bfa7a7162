"""Whether a step carries the assumptions and conditions that its vectors need."""

from collections.abc import Iterator

from .data import Certificate, Need, Scope, Statement, Step, Theory
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
            raise Refused(f"{about} needs {', '.join(lacking)}")


def needs_of(theory: Theory, step: Step) -> Iterator[tuple[str, Need]]:
    """What the vectors that a step itself names suppose, with the vectors that it is about."""
    for certificate in every_part(step.certificate):
        if not certificate.scope:
            continue
        scope = theory.scopes[certificate.scope]
        spoken = closed(scope, words(*_texts(scope, step.statement, certificate)))
        for need in scope.needs:
            about = sorted(spoken & set(need.vectors))
            if about:
                yield f"{', '.join(about)} of {certificate.scope!r}", need


def every_part(certificate: Certificate | None) -> Iterator[Certificate]:
    """A certificate, and that of its induction's base; each names a scope of its own."""
    while certificate is not None:
        yield certificate
        certificate = certificate.base


def _texts(scope: Scope, statement: Statement, certificate: Certificate) -> Iterator[str]:
    """Every expression in which a step itself names vectors of a scope."""
    if statement.scope:
        yield from (statement.left, statement.right)
    for square in certificate.squares:
        yield from (square.vector, *square.times)
    for premise in certificate.premises:
        yield from premise.times
        if premise.kind == "fact":
            fact = fact_of(scope, premise)
            yield from (fact.left, fact.right)


def closed(scope: Scope, names: set[str]) -> set[str]:
    """The names, what vectors are derived from, and the points at which values are taken."""
    inside = {name: words(text) for name, text in scope.derived}
    # there is no point in a block that a problem does not have
    inside |= {name: words(u or "0", v or "0") for name, u, v in scope.values}
    found: set[str] = set()
    while names:
        found |= names
        names = {n for name in names for n in inside.get(name, ())} - found
    return found
