"""The sections of the page: one per judged claim, with its numbers per reading and figures."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from fedbounds.vocabulary import Relation, Standing, Verdict

from .comparisons import ComparisonView, comparison_view
from .coverage import coverage
from .detail import Detail
from .figures import Strips, Waterfall, strips, waterfalls
from .formulas import ClaimView
from .numbers import NONE, exact, number
from .proofs import ProofView
from .rows import instance_name, is_witness, sizes
from .runs import CurveView, LadderView, curve_view, ladder_view
from .summary import VERDICTS, is_refuted, power

Record = dict[str, Any]

_GRAVE = (
    Standing.CONFLICT,
    Standing.REFUTED,
    Standing.UNSATISFIABLE,
    Standing.GAP,
    Standing.NOT_REPRODUCED,
    Standing.NOT_REPRODUCIBLE,
)
MOST_LADDERS = 4  # per claim


@dataclass(frozen=True)
class Table:
    """Rows of values per reading, in named groups."""

    readings: tuple[Record, ...]
    groups: tuple[tuple[str, tuple[tuple[str, tuple[str, ...]], ...]], ...]


@dataclass(frozen=True)
class Tightest:
    """Where both sides are closest, by plan or by search."""

    measure: str
    value: str
    place: str
    instance: str
    how: str
    parameters: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Section:
    """Everything about one judged claim."""

    claim: Record
    quiet: bool
    formulas: ClaimView
    proof: ProofView | None
    table: Table
    measure: str
    strips: Strips | None
    data: tuple[tuple[str, ...], ...]
    left_out: int
    waterfalls: tuple[Waterfall, ...]
    curve: CurveView | None
    ladders: tuple[LadderView, ...]
    ladders_left_out: int
    comparison: ComparisonView | None
    tightest: Tightest | None


def by_gravity(claims: Iterable[Record]) -> list[Record]:
    """What needs attention first, otherwise the order of the document."""
    words = list(Standing)

    def key(claim: Record) -> tuple[bool, int, bool]:
        standing = Standing(claim["standing"])
        return standing not in _GRAVE, words.index(standing), not claim["readings_differ"]

    return sorted(claims, key=key)


def verdicts_seen(claims: Iterable[Record]) -> list[str]:
    """Verdicts that occur, gravest first: columns of the table of claims."""
    seen = {verdict for claim in claims for r in claim["readings"] for verdict in r["counts"]}
    return [verdict.value for verdict in VERDICTS if verdict in seen]


def section(
    claim: Record,
    records: list[Record],
    view: ClaimView,
    proof: ProofView | None,
    detail: Detail,
) -> Section:
    """Formulas, proof, numbers per reading, and figures of one claim."""
    readings = claim["readings"]
    name, value = measure_of(claim)
    data = _data(readings, records, value)
    headline = of_headline(claim, records)
    ladders = ladders_of(claim, records)
    return Section(
        claim=claim,
        quiet=_is_quiet(claim) and not (proof is not None and proof.grave),
        formulas=view,
        proof=proof,
        table=_table(readings, records),
        measure=name,
        strips=strips(_points(readings, records, value)),
        data=tuple(data[: detail.instances]),
        left_out=max(0, len(data) - detail.instances),
        waterfalls=waterfalls(records),
        curve=curve_view(headline, detail.rounds),
        ladders=tuple(ladder_view(claim["id"], row) for row in ladders[:MOST_LADDERS]),
        ladders_left_out=max(0, len(ladders) - MOST_LADDERS),
        comparison=comparison_view(readings, records),
        tightest=_tightest(readings[0]["tightest"]),
    )


def of_headline(claim: Record, records: Sequence[Record]) -> list[Record]:
    """Records of the first reading."""
    return [row for row in records if row["reading"] == claim["readings"][0]["name"]]


def ladders_of(claim: Record, records: Sequence[Record]) -> list[Record]:
    """Ladders of the first reading and those the paper displays, in the order they are shown."""
    told = [row for row in of_headline(claim, records) if row.get("ladder")]
    return _most_told([*told, *claim.get("displays", ())])


def _most_told(ladders: Sequence[Record]) -> list[Record]:
    """One ladder of each kind before a second one; violated and long ones before others."""
    ordered = sorted(
        ladders,
        key=lambda row: (row["verdict"] != Verdict.VIOLATED, -len(row["ladder"]["values"])),
    )
    seen: Counter[str] = Counter()
    turn = []
    for row in ordered:
        turn.append(seen[row["algorithm"]])
        seen[row["algorithm"]] += 1
    pairs = sorted(zip(turn, range(len(ordered)), strict=True))
    return [ordered[at] for _, at in pairs]


def _tightest(found: Record | None) -> Tightest | None:
    if found is None:
        return None
    measure = "relative_gap" if found["tightness"] is None else "tightness"
    place = f"part {found['part']}" if found["part"] else ""
    if found["round"] is not None:
        place += f"{', ' if place else ''}round {found['round']}"
    parameters = tuple((name, exact(v)) for name, v in sorted(found["parameters"].items()))
    value = number(found[measure], 4)
    name = measure.replace("_", " ")
    return Tightest(name, value, place, found["instance"], found["how"], parameters)


def _is_quiet(claim: Record) -> bool:
    """Whether nothing about it calls for attention: its section may then be folded."""
    refuted = any(map(is_refuted, claim["readings"]))
    grave = Standing(claim["standing"]) in (*_GRAVE, Standing.OPEN)
    told = any(row["uninformative"] or row["equal_everywhere"] for row in claim["readings"])
    return not (refuted or grave or told)


def _tightness(row: Record) -> float | None:
    """Largest left / right of any part, as in the standing."""
    found = [part["tightness"] for part in row["parts"] if part["tightness"] is not None]
    return max(found, default=None)


def _relative_gap(row: Record) -> float | None:
    """Smallest relative gap of any part; of an identity, the size of its relative gap."""
    found = [
        abs(part["relative_gap"]) if part["relation"] == Relation.EQUAL else part["relative_gap"]
        for part in row["parts"]
        if part["relative_gap"] is not None
    ]
    return min(found, default=None)


Value = Callable[[Record], float | None]
Rank = tuple[bool, float]


def measure_of(claim: Record) -> tuple[str, "Value"]:
    """What is shown per instance, and how it is found: tightness where there is any."""
    tight = claim["readings"][0]["tightness"] is not None
    return ("tightness", _tightness) if tight else ("relative gap", _relative_gap)


def _points(
    readings: Sequence[Record], records: Sequence[Record], value: Value
) -> dict[str, list[tuple[float, bool]]]:
    """Values per reading and method."""
    found: dict[str, list[tuple[float, bool]]] = {}
    for reading in readings:
        for row in records:
            number_of = value(row)
            if row["reading"] == reading["name"] and number_of is not None:
                label = f"{column_of(reading)}, {row['evidence']['method']}"
                point = (number_of, row["verdict"] == Verdict.VIOLATED)
                found.setdefault(label, []).append(point)
    return found


def column_of(reading: Record) -> str:
    """The short name of a reading."""
    return str(reading["ambiguity"] or reading["name"])


def _data(
    readings: Sequence[Record], records: Sequence[Record], value: Value
) -> list[tuple[str, ...]]:
    """Per instance: name, method and a value per reading; violated and most exposed first."""
    found: dict[tuple[str, str], dict[str, tuple[Rank, str]]] = {}
    for row in records:
        number_of = value(row)
        if number_of is not None:
            name = f"witness, {sizes(row)}" if is_witness(row) else instance_name(row)
            broken = row["verdict"] == Verdict.VIOLATED
            rank = (not broken, -number_of if value is _tightness else number_of)
            cells = found.setdefault((name, row["evidence"]["method"]), {})
            text = f"{number(number_of, 4)}{' (violated)' if broken else ''}"
            cells[row["reading"]] = (rank, text)
    ordered = sorted(found.items(), key=lambda item: min(rank for rank, _ in item[1].values()))
    return [(*key, *(_cell(cells, reading) for reading in readings)) for key, cells in ordered]


def _cell(cells: dict[str, tuple[Rank, str]], reading: Record) -> str:
    return cells[reading["name"]][1] if reading["name"] in cells else NONE


def _table(readings: Sequence[Record], records: Sequence[Record]) -> Table:
    """All numbers of a claim, a column per reading."""
    own = [[r for r in records if r["reading"] == reading["name"]] for reading in readings]
    groups = (
        ("Judgement", _rows(_judgement, readings)),
        ("Coverage", _rows(coverage, readings)),
        ("Records by verdict", _rows(_counts, readings)),
        ("Those that were examined, by method", _pivot(own, _method)),
        ("Reasons", (*_pivot(own, _reason), *_rows(_refused, readings, "0"))),
    )
    return Table(tuple(readings), tuple(group for group in groups if group[1]))


Rows = tuple[tuple[str, tuple[str, ...]], ...]


def _rows(
    describe: Callable[[Record], dict[str, str]], readings: Sequence[Record], missing: str = NONE
) -> Rows:
    columns = [describe(reading) for reading in readings]
    names = dict.fromkeys(name for column in columns for name in column)
    return tuple((name, tuple(column.get(name, missing) for column in columns)) for name in names)


def _judgement(reading: Record) -> dict[str, str]:
    beats = {None: "none is named", False: "yes, somewhere", True: "never (uninformative)"}
    return {
        "statement": reading["statement"],
        "planned runs on which it holds for all T, by closed form": str(reading.get("forever", 0)),
        "not reached": "; ".join(reading.get("unreached", ())) or "nothing",
        "parts without a firm verdict": ", ".join(n or "the only one" for n in reading["untested"])
        or "none",
        "tightness, largest left / right": number(reading["tightness"]),
        "power, its inverse": number(power(reading)),
        "cases left out, equal at t = 0 by the initial value": str(reading["idle"]),
        "cases not resolved, whose records are undecided": str(reading.get("unresolved", 0)),
        "least relative gap": number(reading["least_relative_gap"]),
        "equal wherever examined": "every part"
        if reading["equal_everywhere"]
        else ", ".join(n or "the only part" for n in reading["equal_parts"]) or "no part",
        "beats the trivial bound": beats[reading["uninformative"]],
    }


def _counts(reading: Record) -> dict[str, str]:
    return {word.value: str(reading["counts"].get(word, 0)) for word in VERDICTS}


def _refused(reading: Record) -> dict[str, str]:
    """Records that say nothing of the claim, which the document counts by reason, most first."""
    found = sorted(reading["refused"].items(), key=lambda item: (-item[1], item[0]))
    return {reason: str(amount) for reason, amount in found}


def _pivot(own: Sequence[Sequence[Record]], label: Callable[[Record], str]) -> Rows:
    """Counted records: a row per label, by verdict and then most frequent; a column per reading."""
    counted = [Counter(_labelled(row, label) for row in rows) for rows in own]
    total: Counter[tuple[str, str]] = sum(counted, start=Counter())
    words = [verdict.value for verdict in VERDICTS]
    names = sorted(total, key=lambda name: (words.index(name[0]), -total[name], name))
    return tuple(
        (f"{verdict}{text}", tuple(str(column[verdict, text]) for column in counted))
        for verdict, text in names
        if text
    )


def _labelled(row: Record, label: Callable[[Record], str]) -> tuple[str, str]:
    return row["verdict"], label(row)


def _method(row: Record) -> str:
    return f", {row['evidence']['method']}"


def _reason(row: Record) -> str:
    """Why a record decides nothing."""
    if not row["reason"] or row["verdict"] in (Verdict.VIOLATED, Verdict.NOT_VIOLATED):
        return ""
    return f": {re.sub(r'at round [0-9]+', 'at some round', row['reason'])}"
