"""What the page of a judged claim tells: its numbers and figures, reading by reading."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fedbounds.vocabulary import Relation, Standing, StatementStatus, Verdict

from .comparisons import ComparisonView, comparison_view
from .coverage import coverage
from .figures import Strips, Waterfall, strips, waterfalls
from .findings import RefutedReading, refuted_reading
from .formulas import ClaimView, PartView
from .numbers import exact, number
from .proofs import Chain, ProofView
from .rows import instance_name, is_witness, sizes
from .runs import CurveView, LadderView, curve_view, ladder_view
from .summary import VERDICTS, is_refuted, power, unread

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
_ROUNDS = 64  # drawn per curve
_OTHERS = 2  # instances listed of the headline reading for one of another


Rows = tuple[tuple[str, str], ...]
Table = tuple[tuple[str, Rows], ...]  # rows of names and values, in named groups


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
class ReadingView:
    """All that is told of one reading of a claim, and of no other.

    Attributes
    ----------
    refuted : RefutedReading or None
        What breaks and what does not, where it is refuted.
    data : tuple of tuple of str
        The numbers of the strips, the most exposed instances first; ``left_out`` more are not here.
    """

    reading: Record
    parts: tuple[PartView, ...]
    refuted: RefutedReading | None
    chain: Chain | None
    strips: Strips | None
    data: tuple[tuple[str, ...], ...]
    left_out: int
    comparison: ComparisonView | None
    table: Table


@dataclass(frozen=True)
class Section:
    """Everything about one judged claim: of its headline reading, and then of each other one."""

    claim: Record
    formulas: ClaimView
    proof: ProofView | None
    headline: ReadingView
    others: tuple[ReadingView, ...]
    measure: str
    waterfalls: tuple[Waterfall, ...]
    curve: CurveView | None
    ladders: tuple[LadderView, ...]
    ladders_left_out: int
    tightest: Tightest | None

    @property
    def small(self) -> bool:
        """Whether a smallest witness is kept, which can be judged again."""
        told = (one.refuted for one in (self.headline, *self.others) if one.refuted is not None)
        return any(witness.small for one in told for witness in one.witnesses)


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
    records: Sequence[Record],
    view: ClaimView,
    proof: ProofView | None,
    folder: Path | None,
    instances: int,
) -> Section:
    """Formulas, proof, numbers and figures of one claim.

    Parameters
    ----------
    instances : int
        Listed of its headline reading at most; of each other reading fewer.
    """
    name, value = measure_of(claim)
    headline = of_headline(claim, records)
    ladders = ladders_of(claim, records)
    first, *others = (
        _reading(
            reading,
            [row for row in records if row["reading"] == reading["name"]],
            view,
            _chain_of(proof, claim, reading),
            folder,
            value,
            instances if at == 0 else instances // _OTHERS,
        )
        for at, reading in enumerate(_readings(claim, proof))
    )
    return Section(
        claim=claim,
        formulas=view,
        proof=proof,
        headline=first,
        others=tuple(others),
        measure=name,
        waterfalls=waterfalls(headline),
        curve=curve_view(headline, _ROUNDS),
        ladders=tuple(ladder_view(claim["id"], row) for row in ladders[:MOST_LADDERS]),
        ladders_left_out=max(0, len(ladders) - MOST_LADDERS),
        tightest=_tightest(first.reading["tightest"]),
    )


def _readings(claim: Record, proof: ProofView | None) -> list[Record]:
    """Those of the claim, and then those of which the proof alone has steps."""
    known = {reading["name"] for reading in claim["readings"]}
    more = () if proof is None else (name for name in proof.others if name not in known)
    alone = unread(claim) | {"statement": StatementStatus.UNTESTED.value}
    return [*claim["readings"], *(alone | {"name": name} for name in more)]


def _chain_of(proof: ProofView | None, claim: Record, reading: Record) -> Chain | None:
    if proof is None:
        return None
    return proof.headline if reading is claim["readings"][0] else proof.others.get(reading["name"])


def _reading(
    reading: Record,
    own: Sequence[Record],
    view: ClaimView,
    chain: Chain | None,
    folder: Path | None,
    value: "Value",
    instances: int,
) -> ReadingView:
    data = _data(own, value)
    return ReadingView(
        reading=reading,
        parts=view.readings.get(reading["name"], ()),
        refuted=refuted_reading(reading, own, view, folder) if is_refuted(reading) else None,
        chain=chain,
        strips=strips(_points(own, value)),
        data=tuple(data[:instances]),
        left_out=max(0, len(data) - instances),
        comparison=comparison_view([reading], own),
        table=_table(reading, own),
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


def _points(own: Sequence[Record], value: Value) -> dict[str, list[tuple[float, bool]]]:
    """Values per method."""
    found: dict[str, list[tuple[float, bool]]] = {}
    for row in own:
        number_of = value(row)
        if number_of is not None:
            point = (number_of, row["verdict"] == Verdict.VIOLATED)
            found.setdefault(row["evidence"]["method"], []).append(point)
    return found


def column_of(reading: Record) -> str:
    """The short name of a reading."""
    return str(reading["ambiguity"] or reading["name"])


def _data(own: Sequence[Record], value: Value) -> list[tuple[str, ...]]:
    """Per instance: name, method and value; violated and most exposed first."""
    found: dict[tuple[str, str], tuple[Rank, str]] = {}
    for row in own:
        number_of = value(row)
        if number_of is not None:
            name = f"witness, {sizes(row)}" if is_witness(row) else instance_name(row)
            broken = row["verdict"] == Verdict.VIOLATED
            rank = (not broken, -number_of if value is _tightness else number_of)
            text = f"{number(number_of, 4)}{' (violated)' if broken else ''}"
            found[name, row["evidence"]["method"]] = rank, text
    ordered = sorted(found.items(), key=lambda item: item[1][0])
    return [(*key, text) for key, (_, text) in ordered]


def _table(reading: Record, own: Sequence[Record]) -> Table:
    """All numbers of a reading, in named groups."""
    groups = (
        ("Judgement", _cells(_judgement(reading))),
        ("Coverage", _cells(coverage(reading))),
        ("Records by verdict", _cells(_counts(reading))),
        ("Those that were examined, by method", _counted(own, _method)),
        ("Reasons", (*_counted(own, _reason), *_cells(_refused(reading)))),
    )
    return tuple(group for group in groups if group[1])


def _cells(told: dict[str, str]) -> Rows:
    return tuple(told.items())


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


def _counted(own: Sequence[Record], label: Callable[[Record], str]) -> Rows:
    """Counted records: a row per label, by verdict and then most frequent."""
    total = Counter((row["verdict"], label(row)) for row in own)
    words = [verdict.value for verdict in VERDICTS]
    names = sorted(total, key=lambda name: (words.index(name[0]), -total[name], name))
    return tuple((f"{verdict}{text}", str(total[verdict, text])) for verdict, text in names if text)


def _method(row: Record) -> str:
    return f", {row['evidence']['method']}"


def _reason(row: Record) -> str:
    """Why a record decides nothing."""
    if not row["reason"] or row["verdict"] in (Verdict.VIOLATED, Verdict.NOT_VIOLATED):
        return ""
    return f": {re.sub(r'at round [0-9]+', 'at some round', row['reason'])}"
