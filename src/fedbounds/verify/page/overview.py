"""A run on one screen: counts of each paper, what is refuted or in doubt, what has changed."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from rich.console import Console
from rich.text import Text

from fedbounds.theory.language.catalogue import known
from fedbounds.vocabulary import Relation, Severity, Standing, StatementStatus, Verdict

from .numbers import count
from .rows import by_claim, is_witness, planned_instances, sizes
from .steps import CORRECTED, FAILS
from .summary import is_judged, is_refuted, judged_claims, papers, short_id, typed

Record = dict[str, Any]

DOUBTFUL = (Standing.CONFLICT, Standing.REFUTED, Standing.UNSATISFIABLE, Standing.GAP)
_LINES = 24  # of findings, over all papers
_CHANGED = 6  # at most so many changes are named
_MAIN = ("Theorem", "Corollary")
_HOLDS = (
    Standing.CONFIRMED,
    Standing.CONFIRMED_BY_SOLVER,
    Standing.PROVED_OTHERWISE,
    Standing.CONDITIONAL,
    Standing.TESTED,
)
_GRAVE = (Severity.RATE, Severity.CONDITION, Severity.CONSTANT, None, Severity.TYPO)
_BREAKING = {Relation.AT_MOST: ">", Relation.BELOW: "is not <", Relation.EQUAL: "is not"}
_LONG = 7  # characters of a rational that is told as it is


def print_overview(out: Console, document: Record, before: Mapping[str, str]) -> None:
    """At most a screen; ``before``: standings of the run whose results were here."""
    found, records = papers(document), by_claim(document["results"])
    judged = judged_claims(document)
    for key in found:
        own = [claim for claim in judged if claim["id"].partition("/")[0] == key]
        _print_paper(out, document, records, key, own, max(3, _LINES // len(found)))
    for line in (*_open(document, judged), *_changes(judged, before)):
        out.print(Text(line), soft_wrap=True)
    run, rows = document["run"], document["results"]
    undecided = sum(row["verdict"] == Verdict.UNDECIDED for row in rows)
    out.print(
        f"\n{count(len(judged), 'claim')} judged on {planned_instances(rows)} instances "
        f"({len(rows)} records, {undecided} of them undecided, profile {run['profile']}, seed "
        f"{run['seed']}, {run['timing']['seconds']:.1f} s)"
    )
    out.print("`fedbounds show CLAIM` tells all of one, -v all of the run")


def by_standing(claims: Sequence[Record]) -> list[tuple[str, int]]:
    """Each standing that occurs among claims, and how often."""
    counted = Counter(claim["standing"] for claim in claims)
    return [(word.value, counted[word]) for word in Standing if counted[word]]


def doubtful(claims: Sequence[Record]) -> list[Record]:
    """Claims that are refuted or in doubt, the gravest first."""
    return sorted((claim for claim in claims if claim["standing"] in DOUBTFUL), key=rank)


def _print_paper(
    out: Console,
    document: Record,
    records: Mapping[str, list[Record]],
    key: str,
    own: Sequence[Record],
    most: int,
) -> None:
    words = ", ".join(f"{amount} {word}" for word, amount in by_standing(own))
    out.print(Text(f"{key}: {count(len(own), 'claim')}: {words or 'none judged'}", style="bold"))
    found = doubtful(own)
    for claim in found[:most]:
        line = Text(f"  {claim['standing']} ", style="red")
        rows = records.get(claim["id"], ())
        told = "; ".join(filter(None, (fails(document, claim, rows), instead(document, claim))))
        line.append(Text(f"{_called(claim)}: {told}", style="default"))
        line.truncate(out.width, overflow="ellipsis")
        out.print(line)
    if len(found) > most:
        out.print(f"  ... and {len(found) - most} more")


def _called(claim: Record) -> str:
    """How it is typed, and where it stands in the paper."""
    name = typed(claim)
    return name if name != claim["id"] else f"{name} ({claim['place']})"


def rank(claim: Record) -> tuple[bool, bool, int]:
    """Main results before displays, a wrong one before a misprint, our text of it last."""
    grave = claim["severity"]
    main = claim["place"].startswith(_MAIN)
    return not main, claim["source"] != "verbatim", _GRAVE.index(grave) if grave in _GRAVE else 0


def fails(
    document: Record,
    claim: Record,
    records: Sequence[Record],
    write: Callable[[Any], str] | None = None,
) -> str:
    """What fails of a claim in doubt, from its records; ``write`` is how a number is written."""
    headline = claim["readings"][0]
    if headline["statement"] == StatementStatus.REFUTED:
        return broken(headline, records, write)
    if claim["standing"] == Standing.GAP:
        proof = document["proofs"].get(claim["id"], {"steps": ()})
        failed = [step["id"] for step in proof["steps"] if step["local"] in FAILS]
        return (
            f"its proof fails at {failed[0]}" if failed else "its proof rests on a step that fails"
        )
    return str(claim["reason"] or "")


def broken(
    reading: Record, records: Sequence[Record], write: Callable[[Any], str] | None = None
) -> str:
    """The numbers that break a reading: of its smallest witness, or else of a violated record."""
    said = reading["name"], Verdict.VIOLATED
    own = [row for row in records if (row["reading"], row["verdict"]) == said]
    row = next(filter(is_witness, own), own[0] if own else None)
    return "false" if row is None else _broken(row, write or _short)


def _broken(row: Record, write: Callable[[Any], str]) -> str:
    if row["left"] is None:
        return f"false: {row['reason']}" if row["reason"] else "false"
    left, right, gap = (write(row[name]) for name in ("left", "right", "gap"))
    signs = {part["part"]: part["relation"] for part in row["parts"]}
    sign = _BREAKING[Relation(signs.get(row["at"]["part"], Relation.AT_MOST))]
    told = f"{left} {sign} {right}" + (f", by {gap.lstrip('-−')}" if left == right else "")
    where = sizes(row).replace(" ", "").replace(",", ", ")
    return f"{told} at {where}" if where else told


def _short(value: Any) -> str:
    text = str(value)
    try:
        return text if len(text) <= _LONG else f"{float(Fraction(text)):.4g}"
    except (ValueError, OverflowError):
        return text


def instead(document: Record, claim: Record) -> str:
    """What holds instead of a claim in doubt; empty if nothing is known."""
    mended = document["claims"].get(claim["id"] + CORRECTED)
    if mended is not None and mended["standing"] in _HOLDS:
        return f"{short_id(mended['id'])} is {mended['standing']}"
    if mended is None and known(claim["id"] + CORRECTED) is not None:
        return f"see {short_id(claim['id'])}{CORRECTED}"
    if not is_refuted(claim["readings"][0]):
        return ""
    held = [r["name"] for r in claim["readings"][1:]
            if r["statement"] == StatementStatus.SURVIVED]  # fmt: skip
    return f"not violated if read “{held[0]}”" if held else ""


def _open(document: Record, judged: Sequence[Record]) -> Iterator[str]:
    """What was not reached, or has no formula, with its reason; and what is not encoded."""
    every = [claim for claim in judged if claim["standing"] == Standing.OPEN]
    for claim in every[:_CHANGED]:
        yield f"open: {typed(claim)}: {claim['reason'] or 'no firm record'}"
    if len(every) > _CHANGED:
        yield f"open: {len(every) - _CHANGED} more claims"
    waiting = [claim for claim in document["claims"].values()
               if claim["standing"] == Standing.OPEN and not is_judged(claim)]  # fmt: skip
    if waiting:
        told = count(len(waiting), "claim")
        yield f"open: {told} without a judgement, such as {waiting[0]['id']}"


def _changes(judged: Sequence[Record], before: Mapping[str, str]) -> Iterator[str]:
    """Standings that are others than those of the run before; nothing where there was none."""
    now = {claim["id"]: claim["standing"] for claim in judged}
    other = [name for name in now if name in before and before[name] != now[name]]
    for name in other[:_CHANGED]:
        yield f"changed: {name}: {before[name]} -> {now[name]}"
    if len(other) > _CHANGED:
        yield f"changed: {len(other) - _CHANGED} more standings"
    new = sorted(now.keys() - before.keys()) if before else []
    if new:
        more = f" and {len(new) - 1} more" if len(new) > 1 else ""
        yield f"new: {new[0]}{more}"
