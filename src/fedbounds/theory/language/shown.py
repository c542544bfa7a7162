"""A claim as a notebook shows it: its words, and every reading with formulas and premises."""

from collections.abc import Iterator

import sympy as sp

from fedbounds.vocabulary import SIGNS

from .claims import Claim, Condition, Part, read
from .formula import to_latex
from .glossary import Glossary


def as_markdown(claim: Claim, names: Glossary) -> str:
    """Markdown with formulas between dollar signs.

    Parameters
    ----------
    names : Glossary
        How the claim's paper writes its names.
    """
    entry = claim.entry
    lines = [
        f"**{entry.id}**, {entry.place} ({entry.kind.value}, {entry.source.value})",
        entry.statement.replace("$", r"\$"),
    ]
    for reading in claim.readings:
        told = ", ".join(filter(None, (reading.name, reading.ambiguity)))
        parts = [f"- {line}" for part in read(claim, reading) for line in _of_part(part, names)]
        lines.append("\n".join((f"*{told}*", "", *parts)))
    return "\n\n".join(lines)


def _of_part(part: Part, names: Glossary) -> Iterator[str]:
    name = f"{part.name}: " if part.name else ""
    own = _related(part.left, part.relation.value, part.right, names)
    given = [_of_condition(one, names) for one in part.conditions]
    premises = "; ".join((*given, *sorted(part.assumptions)))
    yield f"{name}{own}" + (f", where {premises}" if premises else "")


def _of_condition(of: Condition, names: Glossary) -> str:
    return _related(of.left, of.relation, of.right, names)


def _related(left: sp.Expr, sign: str, right: sp.Expr, names: Glossary) -> str:
    sides = (to_latex(side, names) for side in (left, right))
    return f"${f' {SIGNS[sign]} '.join(sides)}$"
