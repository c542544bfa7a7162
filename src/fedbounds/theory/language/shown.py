"""A claim as a notebook shows it: its words, and every reading with formulas and premises."""

import sympy as sp

from fedbounds.vocabulary import SIGNS

from ..proof.averages import printed
from .claims import Claim, Condition, Part, read
from .formula import means_in, to_latex
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
        parts = [f"- {_of_part(part, entry.paper, names)}" for part in read(claim, reading)]
        lines.append("\n".join((f"*{told}*", "", *parts)))
    means = means_in(lines, names)
    if means:
        lines.append(f"{means}.")
    return "\n\n".join(lines)


def _of_part(part: Part, paper: str, names: Glossary) -> str:
    name = f"{part.name}: " if part.name else ""
    left, right = printed(part, paper)
    own = _related(left, part.relation.value, right, names)
    given = [_of_condition(one, names) for one in part.conditions]
    premises = "; ".join((*given, *sorted(part.assumptions)))
    return f"{name}{own}" + (f", where {premises}" if premises else "")


def _of_condition(of: Condition, names: Glossary) -> str:
    return _related(of.left, of.relation, of.right, names)


def _related(left: sp.Expr, sign: str, right: sp.Expr, names: Glossary) -> str:
    sides = (to_latex(side, names) for side in (left, right))
    return f"${f' {SIGNS[sign]} '.join(sides)}$"
