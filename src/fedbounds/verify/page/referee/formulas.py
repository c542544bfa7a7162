"""Formulas of a note for authors: the statement as encoded, and what is proved in its place."""

from typing import Any

from fedbounds.errors import FedboundsError

from .. import steps
from ..formulas import latex
from . import words

Record = dict[str, Any]

_MOST = 3  # corrections that are written out


def statement(claim_id: str) -> str:
    """The parts of a claim as encoded here, in one line; empty if it has no formulas here."""
    from fedbounds.theory.language.catalogue import entry
    from fedbounds.theory.language.claims import Claim
    from fedbounds.theory.language.formula import means_in
    from fedbounds.theory.language.registry import encoded, glossary
    from fedbounds.theory.proof.averages import printed

    try:
        found = encoded(entry(claim_id))
    except FedboundsError:
        return ""
    if not isinstance(found, Claim):
        return ""
    names = glossary(found.entry.paper)
    lines, sides = [], list[str]()
    for part in found.parts:
        left, right = (latex(side, names) for side in printed(part, found.entry.paper))
        name = f"({part.name}) " if part.name else ""
        lines.append(name + words.formula(left, part.relation.value, right))
        sides += left, right
    means = means_in(sides, names)
    return "; ".join(lines) + (f" ({means})" if means else "")


def corrections(claim_id: str, proofs: Record) -> list[str]:
    """Proved statements in place of a claim or of its failing steps, each once."""
    row = proofs.get(claim_id)
    if row is None:
        return []
    found: dict[str, None] = {}
    for failed in steps.failing(row):
        if not steps.alternative(row, failed):
            for one in steps.survivors(claim_id, failed, proofs):
                if one.step is not None:
                    found[_written(one.step)] = None
    own = [s for s in row["steps"] if s["claim"] == claim_id + steps.CORRECTED]
    if not found:
        found = {_written(step): None for step in own if steps.holds(step)}
    shown = list(found)[:_MOST]
    left_out = len(found) - len(shown)
    return [*shown, f"and {left_out} more, which `fedbounds show` lists"] if left_out else shown


def _written(step: Record) -> str:
    conditions = f" if {' and '.join(step['conditions'])}" if step["conditions"] else ""
    whose = f" ({step['claim']})" if step["claim"].endswith(steps.CORRECTED) else ""
    return f"{words.formula(step['left'], step['relation'], step['right'])}{conditions}{whose}"
