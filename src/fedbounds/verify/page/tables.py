"""What the terminal shows of a claim, and of a run with its findings first."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from rich.console import Console
from rich.text import Text

from fedbounds.theory.language.catalogue import Entry
from fedbounds.theory.language.claims import Claim, Part, read
from fedbounds.vocabulary import Kind, Method, Standing, StatementStatus, Verdict

from ..decide.conditions import UNMEASURED
from ..judge.standing import RANGES
from ..judge.tightest import is_unmeasured
from ..own.names import spelled
from .limits import limits
from .listing import columns, console
from .overview import print_overview
from .rows import planned_instances
from .steps import by_local, by_status, counts, elsewhere
from .summary import counted, equality_words, forever_words, idle_words, unresolved_words
from .words import described

Record = dict[str, Any]


_PASSING = (
    Standing.CONFIRMED,
    Standing.CONFIRMED_BY_SOLVER,
    Standing.PROVED_OTHERWISE,
    Standing.CONDITIONAL,
    Standing.TESTED,
    Standing.SATISFIABLE,
    Standing.REPRODUCED,
)
_ON = re.compile(
    r" on ([^,]+),(?: .*,)? (?:enumerated(?: in balls)?|exact moments|not measured)$"
)  # of how a run that is tried is told
_LONG = 12  # characters of a rational beside which stands its decimal
_REASONS = 3  # told of what was not measured, the most frequent ones
_NO_FILE = (Method.BALLS, Method.SAMPLING)  # numbers that no file and no script hold
_FEW = 8  # at most so many passing claims of one standing have a row each


def print_results(
    document: Record,
    paths: Sequence[str],
    before: Mapping[str, str] | None = None,
    *,
    verbose: bool = True,
) -> None:
    """Findings first, then a table, where many passing claims are one line, then the rest.

    Of many claims a screen, unless all is asked for.

    Parameters
    ----------
    before : mapping from claim to standing, or None
        Of the run whose results were in the folder.
    """
    out = console()
    claims = list(document["claims"].values())
    judged = [claim for claim in claims if claim["readings"]]
    if not verbose and len(judged) > _FEW:
        print_overview(out, document, before or {})
        for line in (*_left_out(document["run"]), *_unmeasured(document["results"]), *paths):
            out.print(Text(line), soft_wrap=True)
        return
    for claim in sorted(judged, key=_gravity):
        _print_finding(out, document, claim)
    for claim in judged:
        _print_equality(out, claim)
    quiet: dict[str, list[Record]] = {}
    for claim in judged:
        if _passes(claim):
            quiet.setdefault(claim["standing"], []).append(claim)
    folded = {word: group for word, group in quiet.items() if len(group) > _FEW}
    rows = [claim for claim in judged if not (_passes(claim) and claim["standing"] in folded)]
    if rows:
        _printcolumns(out, rows)
    for word, group in folded.items():
        out.print(Text(_summed_up(word, group)))
    _print_footer(out, document, claims, judged)
    for path in paths:
        out.print(path)


def _passes(claim: Record) -> bool:
    """Whether nothing about it calls for attention but what its finding has said."""
    headline = claim["readings"][0]
    remarkable = headline["uninformative"] or headline["equal_everywhere"]
    return claim["standing"] in _PASSING and not remarkable


def _summed_up(word: str, claims: Sequence[Record]) -> str:
    """Passing claims in one line: how many of which kind, and which is the tightest."""
    kinds = Counter(claim["kind"] for claim in claims)
    text = f"{len(claims)} {word}: " + ", ".join(f"{n} {kind}" for kind, n in kinds.most_common())
    limited = [claim["id"] for claim in claims if limits(claim)]
    if limited:
        text += f"; {len(limited)} of them refuted in another reading: {', '.join(limited)}"
    told = [claim for claim in claims if claim["readings"][0]["tightness"] is not None]
    if told:
        values = sorted(claim["readings"][0]["tightness"] for claim in told)
        middle = values[len(values) // 2]
        text += f"; tightness {_number(values[0])} to {_number(values[-1])}, median "
        text += f"{_number(middle)}; `fedbounds show CLAIM` tells of one"
    return text


def _print_finding(out: Console, document: Record, claim: Record) -> None:
    """The refuted readings of a claim with their witnesses; nothing if there is none."""
    refuted = [r for r in claim["readings"] if r["statement"] == StatementStatus.REFUTED]
    if not refuted:
        return
    headline = refuted[0] is claim["readings"][0]
    label = "refuted" if headline else "refuted in an alternative reading"
    out.print(Text(f"{claim['id']}: {label}", style="bold"))
    out.print(Text(f"  {claim['text']} [{claim['kind']}, {claim['source']}]"))
    for reading in refuted:
        named = f"{reading['name']}, {reading['ambiguity']}".rstrip(", ")
        broken = reading["counts"].get(Verdict.VIOLATED, 0)
        examined = reading["coverage"]["instances"]
        out.print(Text(f"  read {named!r}: violated in {broken} of {examined} records"))
        own = [
            row
            for row in document["results"]
            if row["claim"] == claim["id"] and row["reading"] == reading["name"]
        ]
        exact = [row for row in own if row["witness"] or row.get("instance")]
        for row in exact:
            _print_witness(out, row)
        if not exact:
            _print_seen(out, own)
        for row in [row for row in own if row.get("difference")][:1]:  # the smallest
            _print_witness(out, row)
    out.print()


def _print_seen(out: Console, rows: Sequence[Record]) -> None:
    """Where a reading is violated without a witness."""
    for row in rows:
        if row["verdict"] == Verdict.VIOLATED and row["evidence"]["method"] in _NO_FILE:
            seen, method = row["problem"]["instance"], row["evidence"]["method"]
            out.print(Text(f"    no witness in a file: seen in {method} on {seen}"), soft_wrap=True)
            return


def _print_equality(out: Console, claim: Record) -> None:
    """The readings of a claim of which no instance tells the two sides apart."""
    for reading in claim["readings"]:
        if reading["equal_everywhere"]:
            out.print(
                Text(f"{claim['id']}, read {reading['name']!r}: {equality_words(reading)}"),
                soft_wrap=True,
            )


def _with_decimal(value: Any) -> str:
    """A rational of many digits with about what it is beside it."""
    text = str(value)
    return f"{text} ({float(Fraction(text)):.4g})" if len(text) > _LONG and "/" in text else text


def _print_witness(out: Console, row: Record) -> None:
    found = row["parameters"]
    sizes = ", ".join(f"{k}={found[k]}" for k in ("n", "m", "K", "T") if k in found)
    part = f"part {row['at']['part']}, " if row["at"]["part"] else ""
    left, right, gap = (_with_decimal(row[name]) for name in ("left", "right", "gap"))
    out.print(f"    witness ({part}{sizes}): left {left}, right {right}, right - left {gap}")
    if row.get("difference"):
        apart = row["difference"]
        both = f"{apart['general']['name']} against {apart['special']['name']}"
        out.print(Text(f"    {both}, {apart['restriction']}: {apart['where']}"), soft_wrap=True)
    if row["witness"]:
        out.print(f"    script: {row['witness']}")
    elif row.get("no_script"):
        out.print(Text(f"    no script: {row['no_script']}"), soft_wrap=True)


def _printcolumns(out: Console, judged: Sequence[Record]) -> None:
    table = columns(
        "claim", "kind", "source", "standing", "tightness", "power", "relative gap", "evidence"
    )
    for claim in sorted(judged, key=_gravity):
        reading = claim["readings"][0]
        differ = limits(claim) or ("readings differ" if claim["readings_differ"] else "")
        standing = claim["standing"] + (f" ({differ})" if differ else "")
        standing += ", uninformative" if reading["uninformative"] else ""
        standing += ", equal everywhere" if reading["equal_everywhere"] else ""
        refuted = reading["statement"] == StatementStatus.REFUTED
        cells = (
            claim["id"],
            claim["kind"],
            claim["source"],
            standing,
            _number(reading["tightness"]),
            "-" if refuted else _number(reading["power"]),
            _number(reading["least_relative_gap"]),
            counted(reading),
        )
        table.add_row(*map(Text, cells))
    out.print(table)


def _gravity(claim: Record) -> tuple[bool, int]:
    """Sort key: what needs attention first, otherwise the order of the paper."""
    grave = (Standing.CONFLICT, Standing.REFUTED, Standing.UNSATISFIABLE, Standing.GAP)
    standing = Standing(claim["standing"])
    return (standing not in grave, list(Standing).index(standing))


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _print_footer(
    out: Console, document: Record, claims: Sequence[Record], judged: Sequence[Record]
) -> None:
    waiting = sum(
        1 for claim in claims if claim["standing"] == Standing.OPEN and not claim["readings"]
    )
    run = document["run"]
    out.print(
        f"\n{len(judged)} claims judged on {planned_instances(document['results'])} instances "
        f"({len(document['results'])} records, profile {run['profile']}, seed {run['seed']}, "
        f"{run['timing']['seconds']:.1f} s); {waiting} open: not encoded yet"
    )
    for line in (*_coverage(judged), *_families(document["results"]), *_left_out(run)):
        out.print(line)
    endless = [(claim, claim["readings"][0]["forever"]) for claim in judged
               if "forever" in claim["readings"][0]]  # fmt: skip
    for claim, runs in endless[:_FEW]:
        out.print(Text(f"closed form: {claim['id']} {forever_words(runs)}"), soft_wrap=True)
    for claim in judged:
        if claim["standing"] == Standing.OPEN and claim["reason"]:
            out.print(Text(f"open: {claim['id']}: {claim['reason']}"), soft_wrap=True)
    for line in _unmeasured(document["results"]):
        out.print(Text(line), soft_wrap=True)
    out.print(
        "tightness is the largest left/right seen, by plan or by search; power is its inverse: a "
        "bound that many times smaller would have passed too."
    )
    idle = sum(claim["readings"][0]["idle"] for claim in judged)
    if idle:
        out.print(idle_words(idle))
    if document["proofs"]:
        told = counts(document["proofs"])
        every = [", ".join(by_local(told.steps)) or "none", elsewhere(told)]
        out.print(
            f"proofs replayed: {', '.join(by_status(told.claims)) or 'none'}; steps: "
            f"{'; '.join(filter(None, every))}; `fedbounds prove` tells of each"
        )
    else:
        out.print("No proof was replayed: 'tested' means that no instance broke the statement.")


def _unmeasured(rows: Sequence[Record]) -> list[str]:
    """Instances of the plan that no method measured for some claim: how many, and why."""
    left = {row["problem"]["instance"]: row["reason"] for row in rows if is_unmeasured(row)}
    if not left:
        return []
    reasons = Counter(reason.removeprefix(UNMEASURED) for reason in left.values()).most_common()
    told = "; ".join(f"{reason} ({count})" for reason, count in reasons[:_REASONS])
    more = f"; {len(reasons) - _REASONS} more reasons" if len(reasons) > _REASONS else ""
    return [f"not measured: {len(left)} planned instances, which say nothing: {told}{more}"]


def _left_out(run: Record) -> Iterator[str]:
    """What a plan has beyond a profile."""
    for key, amount in run.get("left_out", {}).items():
        yield f"left out by profile {run['profile']}: {amount} planned runs of {key}"
    for key, amount in run.get("irrational", {}).items():
        yield f"without a run: {amount} values of parameters of {key} that are no rationals"


def _coverage(judged: Sequence[Record]) -> list[str]:
    """Where the headline readings were examined, over all claims."""
    seen = [claim["readings"][0]["coverage"] for claim in judged]
    ranges = []
    for name in RANGES:
        ends = [c["ranges"][name] for c in seen if name in c["ranges"]]
        if ends:
            ranges.append(f"{name} {min(a for a, _ in ends):.3g} to {max(b for _, b in ends):.3g}")
    corners = sorted({corner for c in seen for corner in c["corners"]})
    return [f"covered: {', '.join(ranges)}; corners {', '.join(corners)}"] if ranges else []


def _families(rows: Sequence[Record]) -> list[str]:
    """On which kinds of problems runs of a file's algorithm were, where there are several."""
    seen = {row["problem"]["instance"]: _ON.search(row["problem"]["family"]) for row in rows}
    counted = Counter(found[1] for found in seen.values() if found)
    told = ", ".join(f"{kind} {amount}" for kind, amount in counted.most_common())
    return [f"planned runs on: {told}"] if len(counted) > 1 else []


def print_entry(entry: Entry) -> None:
    """What is known of a claim that is only listed."""
    out = console()
    out.print(Text(f"{entry.id} - {entry.place} [{entry.kind}, {entry.source}]", style="bold"))
    out.print(Text(entry.statement))
    judged = entry.kind is not Kind.DEFINITION
    out.print("\nopen: not encoded yet" if judged else "\na definition: not judged")


def print_claim(claim: Claim, summary: Record | None) -> None:
    """Statement, conditions, readings, standing."""
    out = console()
    entry = claim.entry
    out.print(Text(f"{entry.id} - {entry.place} [{entry.kind}, {entry.source}]", style="bold"))
    out.print(Text(entry.statement))
    if claim.experiment is not None:
        for line in described(claim.experiment):
            out.print(Text("  " + line), soft_wrap=True)
    for reading in claim.readings:
        out.print(Text(f"\nreading: {reading.name} {reading.ambiguity}".rstrip()))
        for part in read(claim, reading):
            for line in _describe_part(part):
                out.print(Text("  " + line), soft_wrap=True)
    for multiplier in claim.proof_weights:
        out.print(
            Text(f"rests on {multiplier.claim} {multiplier.part} with weight {multiplier.weight}"),
            soft_wrap=True,
        )
    if summary is None:
        out.print(Text(f"\nstanding: not judged yet; run `fedbounds verify {spelled(entry)}`"))
        return
    out.print(
        f"\nstanding: {summary['standing']} (statement {summary['statement']}, "
        f"paper's proof {summary['paper_proof']})"
    )
    for said in filter(None, (summary.get("reason"), limits(summary))):
        out.print(Text(f"  {said}"), soft_wrap=True)
    for row in summary["readings"]:
        tightness = _number(row["tightness"])
        out.print(
            Text(f"  {row['name']}: {row['statement']}, tightness {tightness}, {counted(row)}")
        )
        for line in _sides(row):
            out.print(Text(f"    {line}"), soft_wrap=True)
    for row in summary.get("displays", ()):
        for line in [_scaling(row)] if row["ladder"]["fit"] else _beside(row):
            out.print(Text(f"  {line}"), soft_wrap=True)


def _beside(row: Record) -> Iterator[str]:
    """Numbers over a parameter, series by series."""
    ladder = row["ladder"]
    at = ", ".join(f"{x:.3g}" if isinstance(x, float) else str(x) for x in ladder["values"])
    yield f"shown, no verdict: {row['problem']['instance']}, over {ladder['parameter']} {at}"
    for name, values in ladder["series"].items():
        yield f"  {name}: {', '.join(map(_number, values))}"


def _scaling(row: Record) -> str:
    """A measured exponent with its interval beside the predicted one."""
    fit, parameter = row["ladder"]["fit"], row["ladder"]["parameter"]
    predicted = "" if fit["symbolic"] is None else f", predicted {fit['symbolic']}"
    return (
        f"{fit['series']} over {parameter}, {row['problem']['instance']}: exponent "
        f"{fit['exponent']:.3f} [{fit['low']:.3f}, {fit['high']:.3f}]{predicted}"
    )


def _sides(reading: Record) -> Iterator[str]:
    """Where the two sides of a reading are equal, where they are closest, what is left out."""
    if reading["equal_parts"]:
        yield equality_words(reading)
    best = reading["tightest"]
    if best is not None:
        place = f" in part {best['part']}" if best["part"] else ""
        place += "" if best["round"] is None else f", at round {best['round']}"
        numbers = ", ".join(f"{name} = {value}" for name, value in best["parameters"].items())
        yield f"tightest{place}, by {best['how']}: {_tight(best)}, {best['instance']}, {numbers}"
    if reading["idle"]:
        yield idle_words(reading["idle"])
    if "unresolved" in reading:
        yield unresolved_words(reading["unresolved"])
    if "forever" in reading:
        yield f"closed form: {forever_words(reading['forever'])}"
    if "unreached" in reading:
        yield f"not reached: {'; '.join(reading['unreached'])}"


def _tight(best: Record) -> str:
    """Left/right, or the relative gap where a side has negative terms."""
    if best["tightness"] is not None:
        return f"left/right {_number(best['tightness'])}"
    return f"relative gap {_number(best['relative_gap'])}"


def _describe_part(part: Part) -> list[str]:
    name = f"({part.name}) " if part.name else ""
    lines = [f"{name}{part.left} {part.relation} {part.right}", f"  {part.index}"]
    if part.assumptions:
        lines.append("  assuming: " + ", ".join(part.assumptions))
    if part.conditions:
        lines.append("  if: " + "; ".join(str(condition) for condition in part.conditions))
    return lines
