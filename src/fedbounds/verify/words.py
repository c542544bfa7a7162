"""A claim without a formula for runs to break, on the terminal."""

from typing import Any

from rich.text import Text

from fedbounds.theory.equivalences import Equivalence
from fedbounds.theory.orders import ComparisonClaim
from fedbounds.theory.setting import AssumptionClaim, Experiment

from .listing import console

Record = dict[str, Any]


def print_words(claim: Any, summary: Record | None) -> None:
    """Statement, what is compared, standing."""
    out = console()
    entry = claim.entry
    out.print(Text(f"{entry.id} - {entry.place} [{entry.kind}, {entry.source}]", style="bold"))
    out.print(Text(entry.statement))
    for line in _lines(claim):
        out.print(Text("  " + line), soft_wrap=True)
    if summary is None:
        out.print(f"\nstanding: not judged yet; run `fedbounds verify {entry.id}`")
        return
    out.print(f"\nstanding: {summary['standing']}")
    for row in summary["readings"]:
        out.print(Text(f"  {row['name']}: {row['statement']}, {row['counts']}"))


def _lines(claim: Any) -> list[str]:
    if isinstance(claim, Equivalence):
        return [f"{p.general} is {p.special}: {p.restriction}" for p in claim.pairs]
    if isinstance(claim, ComparisonClaim):
        return [f"{pair.name}: {pair.ours} against {pair.theirs}" for pair in claim.pairs]
    if isinstance(claim, AssumptionClaim):
        return [f"asked of every problem family: {claim.assumption.value}"]
    assert isinstance(claim, Experiment)
    return [f"stated: {', '.join(claim.stated)}", f"not stated: {', '.join(claim.unstated)}"]
