"""What the terminal shows of a claim, and of a run with its findings first."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from fedbounds.theory.catalogue import Entry
from fedbounds.theory.claims import Claim, Part, read
from fedbounds.vocabulary import Kind, Standing, StatementStatus

from .formula import to_latex
from .listing import columns, console

Record = dict[str, Any]


def print_results(document: Record, paths: Sequence[str]) -> None:
    """Findings first, then the table of judged claims, then what was not judged."""
    out = console()
    claims = list(document["claims"].values())
    judged = [claim for claim in claims if claim["readings"]]
    for claim in judged:
        for reading in claim["readings"]:
            if reading["statement"] == StatementStatus.REFUTED:
                _print_finding(out, document, claim, reading)
    if judged:
        _printcolumns(out, judged)
    _print_footer(out, document, claims, judged)
    for path in paths:
        out.print(path)


def _print_finding(out: Console, document: Record, claim: Record, reading: Record) -> None:
    headline = reading is claim["readings"][0]
    label = "refuted" if headline else f"refuted in an alternative reading, {reading['ambiguity']}"
    out.print(Text(f"{claim['id']}: {label}", style="bold"))
    out.print(
        Text(f"  {claim['text']} [{claim['kind']}, {claim['source']}; read: {reading['name']}]")
    )
    rows = [
        r
        for r in document["results"]
        if r["witness"] and r["claim"] == claim["id"] and r["reading"] == reading["name"]
    ]
    for row in rows:
        sizes = ", ".join(
            f"{k}={row['parameters'][k]}" for k in ("n", "m", "K", "T") if k in row["parameters"]
        )
        out.print(
            f"  witness ({sizes}): left {row['left']}, right {row['right']}, "
            f"right - left {row['gap']}"
        )
        out.print(f"  script: {row['witness']}")
    out.print()


def _printcolumns(out: Console, judged: Sequence[Record]) -> None:
    table = columns(
        "claim", "kind", "source", "standing", "tightness", "power", "relative gap", "evidence"
    )
    for claim in sorted(judged, key=_gravity):
        reading = claim["readings"][0]
        standing = claim["standing"] + (" (readings differ)" if claim["readings_differ"] else "")
        standing += ", uninformative" if reading["uninformative"] else ""
        counts = ", ".join(f"{count} {verdict}" for verdict, count in reading["counts"].items())
        table.add_row(
            *(
                Text(cell)
                for cell in (
                    claim["id"],
                    claim["kind"],
                    claim["source"],
                    standing,
                    _number(reading["tightness"]),
                    _number(reading["power"]),
                    _number(reading["least_relative_gap"]),
                    counts,
                )
            )
        )
    out.print(table)


def _gravity(claim: Record) -> tuple[bool, int, str]:
    """Sort key: what needs attention first."""
    grave = (Standing.CONFLICT, Standing.REFUTED, Standing.UNSATISFIABLE, Standing.GAP)
    return (
        claim["standing"] not in grave,
        list(Standing).index(Standing(claim["standing"])),
        claim["id"],
    )


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _print_footer(
    out: Console, document: Record, claims: Sequence[Record], judged: Sequence[Record]
) -> None:
    waiting = sum(
        1 for claim in claims if claim["standing"] == Standing.OPEN and not claim["readings"]
    )
    instances = {row["problem"]["instance"] for row in document["results"]}
    run = document["run"]
    out.print(
        f"\n{len(judged)} claims judged on {len(instances)} instances "
        f"({len(document['results'])} records, profile {run['profile']}, seed {run['seed']}, "
        f"{run['timing']['seconds']:.1f} s); {waiting} open: not encoded yet"
    )
    for line in _coverage(judged):
        out.print(line)
    out.print(
        "tightness is the largest left/right seen; power is its inverse: a bound that many times "
        "smaller would have passed too."
    )
    if not document["proofs"]:
        out.print("No proof was replayed: 'tested' means that no instance broke the statement.")


def _coverage(judged: Sequence[Record]) -> list[str]:
    """Where the headline readings were examined, over all claims."""
    seen = [claim["readings"][0]["coverage"] for claim in judged]
    ranges = []
    for name in ("n", "m", "K", "T", "gamma L K", "b^2"):
        ends = [c["ranges"][name] for c in seen if name in c["ranges"]]
        if ends:
            ranges.append(f"{name} {min(a for a, _ in ends):.3g} to {max(b for _, b in ends):.3g}")
    corners = sorted({corner for c in seen for corner in c["corners"]})
    return [f"covered: {', '.join(ranges)}; corners {', '.join(corners)}"] if ranges else []


def print_entry(entry: Entry) -> None:
    """What is known of a claim that is only listed."""
    out = console()
    out.print(Text(f"{entry.id} - {entry.place} [{entry.kind}, {entry.source}]", style="bold"))
    out.print(Text(entry.statement))
    judged = entry.kind is not Kind.DEFINITION
    out.print("\nopen: not encoded yet" if judged else "\na definition: not judged")


def print_claim(claim: Claim, latex: bool, summary: Record | None) -> None:
    """Statement, conditions, readings, standing."""
    out = console()
    entry = claim.entry
    out.print(Text(f"{entry.id} - {entry.place} [{entry.kind}, {entry.source}]", style="bold"))
    out.print(Text(entry.statement))
    for reading in claim.readings:
        out.print(Text(f"\nreading: {reading.name} {reading.ambiguity}".rstrip()))
        for part in read(claim, reading):
            for line in _describe_part(part, latex):
                out.print(Text("  " + line), soft_wrap=True)
    for multiplier in claim.proof_weights:
        out.print(
            Text(f"rests on {multiplier.claim} {multiplier.part} with weight {multiplier.weight}"),
            soft_wrap=True,
        )
    if summary is None:
        out.print("\nstanding: not judged yet; run `fedbounds verify " + entry.id + "`")
        return
    out.print(
        f"\nstanding: {summary['standing']} (statement {summary['statement']}, "
        f"paper's proof {summary['paper_proof']})"
    )
    for row in summary["readings"]:
        tightness = _number(row["tightness"])
        out.print(
            Text(f"  {row['name']}: {row['statement']}, tightness {tightness}, {row['counts']}")
        )


def _describe_part(part: Part, latex: bool) -> list[str]:
    name = f"({part.name}) " if part.name else ""
    if latex:
        relation = r"\le" if part.relation == "<=" else "="
        return [f"{name}{to_latex(part.left)} {relation} {to_latex(part.right)}"]
    lines = [f"{name}{part.left} {part.relation} {part.right}", f"  {part.index}"]
    if part.assumptions:
        lines.append("  assuming: " + ", ".join(part.assumptions))
    if part.conditions:
        lines.append("  if: " + "; ".join(str(condition) for condition in part.conditions))
    return lines
