"""Random vectors on a finite space, written out."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from .finite import INDICES, Finite, Function, Index

Values = Mapping[Function, tuple[Fraction, ...]]


def shown(space: Finite, vectors: Mapping[str, Values]) -> Iterator[tuple[str, str]]:
    """Every vector, outcome by outcome of what it depends on; zero where nothing is said."""
    for atom, values in vectors.items():
        places: dict[Index, list[str]] = {}
        for function, vector in values.items():
            signs = " ".join(str(space.signs[j]) for j in sorted(function.signs))
            places.setdefault(function.index, []).append(_term_text(vector, signs))
        texts = []
        for index, terms in places.items():
            at = ", ".join(
                f"{name}={_outcome(space, name, x)}"
                for name, x in zip(INDICES, index, strict=True)
                if x is not None
            )
            texts.append(f"{at}: {_joined(terms)}" if at else _joined(terms))
        yield atom, "; ".join(texts) or "0"


def _joined(terms: Sequence[str]) -> str:
    return " + ".join(terms).replace("+ -", "- ")


def _outcome(space: Finite, name: str, at: int) -> str:
    if name == INDICES[0]:
        return "{" + ",".join(str(client + 1) for client in space.members[at]) + "}"
    return str(at if name == INDICES[2] else at + 1)


def _term_text(vector: Sequence[Fraction], signs: str) -> str:
    if len(vector) > 1:
        return f"({', '.join(map(str, vector))}) {signs}".strip()
    if not signs or abs(vector[0]) != 1:
        return f"{vector[0]} {signs}".strip()
    return signs if vector[0] == 1 else f"-{signs}"
