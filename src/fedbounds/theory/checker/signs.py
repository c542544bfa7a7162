"""Which declared signs a proof uses, that follow from no definition.

A theory declares which quantities are never negative. One whose definition says so, a squared norm
for example, needs no declaration; of any other the sign is supposed wherever a proof needs it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from .check import check
from .data import Premise, Square, Statement, Step, Theory
from .definitions import says_sign, supposed_of
from .errors import Refused
from .needs import every_part
from .text import words


def told_apart(
    theory: Theory, statements: Sequence[Statement], given: Sequence[bool]
) -> tuple[list[bool], Theory]:
    """Which statements of a book are supposed, and the theory with the signs that are shown.

    ``given`` are those that may be definitions: a given that is a claim itself is none. A constant
    that stands for a quantity of which the sign is only declared is supposed too.
    """
    supposed = supposed_of(theory, statements, given)
    rows = zip(statements, given, supposed, strict=True)
    shown = _with_shown_signs(theory, [s for s, taken, own in rows if taken and not own])
    return supposed_of(shown, statements, given), shown


def _with_shown_signs(theory: Theory, definitions: Iterable[Statement]) -> Theory:
    """The theory in which only those quantities are signed whose definitions say so."""
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
        See `told_apart`.
    """
    declared = {q for q, signed in theory.quantities.items() if signed and not shown.quantities[q]}
    named = sorted(declared & set(_named(step, earlier)))
    if not named or _holds(shown, step, earlier):
        return ()
    if len(named) == 1:
        return tuple(named)
    return tuple(q for q in named if not _holds(_without(theory, q), step, earlier))


def _named(step: Step, earlier: Mapping[str, Statement]) -> Iterator[str]:
    """Every name in a step's statement, its multipliers, and what it cites or takes as a fact."""
    yield from words(step.statement.left, step.statement.right)
    for part in every_part(step.certificate):
        entries: tuple[Premise | Square, ...] = (*part.premises, *part.squares)
        if part.rule != "unroll":  # which reads no multiplier
            yield from words(*(text for entry in entries for text in entry.times))
        for premise in part.premises:
            if premise.kind == "step":
                told = earlier[premise.name]
                yield from words(told.left, told.right)
            elif premise.kind == "fact":
                yield from words(*premise.arguments)


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
