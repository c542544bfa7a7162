"""A claim without a formula for runs to break, on the terminal."""

from typing import Any

from rich.text import Text

from fedbounds.theory.language.equivalences import ANALYSIS, Equivalence
from fedbounds.theory.language.orders import ComparisonClaim
from fedbounds.theory.language.setting import (
    Announced,
    Asked,
    AssumptionClaim,
    Existence,
    Experiment,
    Universal,
)

from ..own.names import spelled
from .limits import limits
from .listing import console

Record = dict[str, Any]


def print_words(claim: Any, summary: Record | None) -> None:
    """Statement, what is compared, standing."""
    out = console()
    entry = claim.entry
    out.print(Text(f"{entry.id} - {entry.place} [{entry.kind}, {entry.source}]", style="bold"))
    out.print(Text(entry.statement))
    for line in described(claim):
        out.print(Text("  " + line), soft_wrap=True)
    if summary is None:
        out.print(Text(f"\nstanding: not judged yet; run `fedbounds verify {spelled(entry)}`"))
        return
    out.print(f"\nstanding: {summary['standing']}")
    if limits(summary):
        out.print(Text(f"  {limits(summary)}"), soft_wrap=True)
    for row in summary["readings"]:
        word = row.get("standing", row["statement"])
        out.print(Text(f"  {row['name']}: {word}, {row['counts']}"), soft_wrap=True)


def described(claim: Any) -> list[str]:
    """What the claim is about, line by line."""
    if isinstance(claim, Equivalence):
        said = [
            f"{p.general.name} is {p.special.name}: {p.restriction} ({p.reading})"
            for p in claim.pairs
        ]
        asked = claim.analysis
        if asked is not None:
            said.append(f"{ANALYSIS}: {asked.name}: {asked.left} {asked.relation} {asked.right}")
        return said
    if isinstance(claim, ComparisonClaim):
        return [f"{pair.name}: {pair.ours} against {pair.theirs}" for pair in claim.pairs]
    if isinstance(claim, AssumptionClaim):
        every = dict.fromkeys(map(claim.read, claim.readings))
        return [f"asked of every problem family: {assumption}" for assumption in every]
    if isinstance(claim, Existence):
        return [f"asked for together: {_asked(asked)}" for asked in claim.asked]
    if isinstance(claim, Universal):
        return [f"{stated.words}, under: {_asked(asked)}" for asked, stated in claim.cases]
    if isinstance(claim, Announced):
        return [f"announced, not stated: {', '.join(claim.unstated)}"]
    assert isinstance(claim, Experiment)
    return [f"stated: {', '.join(claim.stated)}", f"not stated: {', '.join(claim.unstated)}"]


def _asked(asked: Asked) -> str:
    """Assumptions and conditions of one reading, the strict ones as such."""
    strict = [f"{c.left} {c.relation.strip('=')} {c.right}" for c in asked.strict]
    words = [*asked.assumptions, *map(str, asked.conditions), *strict]
    return f"{'; '.join(words) or 'nothing'} ({asked.name})"
