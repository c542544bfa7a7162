"""Which declared signs a proof uses, that follow from no definition.

A theory declares which quantities are never negative. One whose definition says so, a squared norm
for example, needs no declaration; of any other the sign is supposed wherever a proof needs it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from .check import check
from .data import Statement, Step, Theory
from .definitions import says_sign
from .errors import Refused


def with_shown_signs(theory: Theory, definitions: Iterable[Statement]) -> Theory:
    """The theory in which only those quantities are signed whose definitions say so.

    Parameters
    ----------
    definitions : iterable of Statement
        Those of the book, see `is_definition`.
    """
    waiting = list(definitions)
    bare = replace(theory, quantities=dict.fromkeys(theory.quantities, False))
    while found := [s for s in waiting if says_sign(bare, s)]:
        waiting = [s for s in waiting if s not in found]
        named = {s.left.partition("(")[0] for s in found}
        signs = {q: q in named or bare.quantities[q] for q in theory.quantities}
        signs = {q: sign and theory.quantities[q] for q, sign in signs.items()}
        bare = replace(theory, quantities=signs)
    return bare


def signs_taken(
    theory: Theory, shown: Theory, step: Step, earlier: Mapping[str, Statement]
) -> tuple[str, ...]:
    """Quantities whose sign a certificate needs, and that only the declaration gives.

    Parameters
    ----------
    theory : Theory
        With all declared signs; the step is proved in it.
    shown : Theory
        See `with_shown_signs`.
    """
    if _holds(shown, step, earlier):
        return ()
    declared = [q for q, signed in theory.quantities.items() if signed and not shown.quantities[q]]
    return tuple(q for q in declared if not _holds(_without(theory, q), step, earlier))


def sign_of(name: str) -> str:
    """What a declared sign is called among the givens."""
    return f"sign of {name}"


def _without(theory: Theory, name: str) -> Theory:
    return replace(theory, quantities=theory.quantities | {name: False})


def _holds(theory: Theory, step: Step, earlier: Mapping[str, Statement]) -> bool:
    try:
        check(theory, step, earlier)
    except Refused:
        return False
    return True
