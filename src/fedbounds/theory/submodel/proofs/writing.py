"""How the chapters of this paper's proofs add their steps."""

from collections.abc import Sequence
from typing import Any

from fedbounds.theory.checker.data import Premise, Square
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.registry import claim as claim_of
from fedbounds.theory.proof.language import Book, Uses

Use = str | Premise | Square


def prove(
    book: Book, claim: str, part: str = "", uses: Uses = (), *, scope: str = "", **options: Any
) -> None:
    """A part of a claim in the reading that has it; ``scope`` says what its vectors are."""
    readings = claim_of(f"submodel/{claim}").readings
    reading = next(r for r in readings if not r.parts or part in r.parts)
    book.prove(claim, part, uses, scope=scope, reading=reading, **options)


Row = tuple[str, Any, str, Any, str, tuple[str, ...]]


def suppose(
    book: Book,
    scope: str,
    rows: Sequence[Row],
    conditions: Sequence[Condition] = (),
    restates: Sequence[str] = (),
) -> None:
    """What is given in one scope: name, left, relation, right, origin, assumptions.

    ``restates`` names the steps that the rows say in other symbols.
    """
    for name, left, relation, right, origin, assumptions in rows:
        book.suppose(
            f"{name} ({scope})", left, right, origin, assumptions, relation, scope, conditions,
            restates,
        )  # fmt: skip


def supposed(scope: str, *names: str) -> list[Use]:
    """Ids of what is supposed in a scope."""
    return [f"asm {name} ({scope})" for name in names]


def defined(scope: str, *names: str) -> list[Use]:
    """Ids of definitions in a scope."""
    return [f"def {name} ({scope})" for name in names]
