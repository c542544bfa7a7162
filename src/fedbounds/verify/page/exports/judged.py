"""What a run judged, by its content: read from results documents of this schema and of older ones.

A schema that keeps its records elsewhere needs a reader of its own, a line of `READERS`; what
compares two runs knows `Judged` alone.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from pathlib import Path
from typing import Any

from flint import fmpq, fmpz

from fedbounds.border import (
    Shape,
    Unfit,
    count,
    fit,
    holding,
    listed,
    load,
    matching,
    named,
    number,
    optional,
    text,
)
from fedbounds.errors import FedboundsError
from fedbounds.verify.judge.standing import REFUSED
from fedbounds.verify.results.records import DIGEST, is_sealed
from fedbounds.verify.results.results_file import with_records

Record = dict[str, Any]

_LARGEST_FILE = 2**30  # bytes
_LONGEST = 100_000  # characters of a number
_WHOLE = re.compile(r"(-?\d+)(?:/(\d+))?", re.ASCII)
_ZERO = re.compile(r"/0+$", re.ASCII)
_MEND = "expected results.json as a run wrote it"


@dataclass(frozen=True)
class Number:
    """A number of a document.

    Attributes
    ----------
    value : fmpq
        Of a real, the float or decimal itself.
    exact : bool
        It was written as a whole number or as "p/q".
    """

    value: fmpq
    exact: bool

    def __hash__(self) -> int:
        return hash((self.value.p, self.value.q))  # that of fmpq makes a Fraction first

    @property
    def plain(self) -> str | float:
        """As it is shown: "p/q", or a real."""
        return str(self.value) if self.exact else float(self.value)


Facts = tuple[tuple[str, Number | str], ...]


@dataclass(frozen=True)
class Sides:
    """What was judged of one part: its two sides, and what was said of them."""

    part: str
    relation: str
    left: Number | None
    right: Number | None
    gap: Number | None
    round: int | None
    verdict: str
    word: str  # of a comparison of bounds: who dominates

    @property
    def numbers(self) -> tuple[Number | None, Number | None, Number | None]:
        """Left, right and gap."""
        return self.left, self.right, self.gap


@dataclass(frozen=True)
class Judged:
    """One set-up under one reading of a claim.

    Attributes
    ----------
    setup : pairs of a name and its value, by name
        Parameters, constants, sizes and noise: what tells set-ups apart.
    called : str
        What the document calls the set-up, to be shown and never compared.
    verdict : str
        The gravest of its parts.
    parts : tuple of Sides
        By name.
    """

    claim: str
    reading: str
    setup: Facts
    called: str
    verdict: str
    parts: tuple[Sides, ...]


@dataclass(frozen=True)
class ReadingSummary:
    """What a run says of a reading; ``applicable`` counts records that were not refused."""

    statement: str
    tightness: Number | None
    applicable: int


@dataclass(frozen=True)
class ClaimSummary:
    """What a run says of a claim."""

    standing: str | None
    paper_proof: str
    severity: str | None
    readings: Mapping[str, ReadingSummary]


@dataclass(frozen=True)
class Content:
    """What a run judged; ``run`` has its settings in words."""

    run: str
    claims: Mapping[str, ClaimSummary]
    judged: tuple[Judged, ...]


def read_content(path: Path) -> Content:
    """The content of a results document, whose schema may be an older one.

    Raises
    ------
    FedboundsError
        If there is none, it was edited, is too large, lacks a part that is compared, or is of a
        schema that nobody reads.
    """
    if path.is_file() and path.stat().st_size > _LARGEST_FILE:
        size = path.stat().st_size
        raise FedboundsError(
            f"{str(path)!r} has {size} bytes; expected at most {_LARGEST_FILE}: {_MEND}"
        )
    document, raw = load(path, _MEND)
    schema = document.get("schema")
    if type(schema) is not int or schema not in READERS:
        known = " or ".join(map(str, READERS))
        raise FedboundsError(f"{str(path)!r} has schema {str(schema)[:20]}; expected {known}")
    fit(path, document, _DOCUMENT, _MEND)
    if not is_sealed(document[DIGEST], raw):
        raise FedboundsError(f"results file {str(path)!r} was edited after it was written; {_MEND}")
    run = document["run"]
    settings = (f"{name} {run[name]}" for name in ("fedbounds", "profile", "seed", "device"))
    return Content(
        ", ".join((f"schema {schema}", *settings)),
        {name: _claim(claim) for name, claim in document["claims"].items()},
        tuple(READERS[schema](path, document)),
    )


# ---- schemas 2 and 3: one list of records


def _listed_records(path: Path, document: Record) -> Iterator[Judged]:
    fit(path, document, holding({"results": listed(_RECORD)}), _MEND)
    for row in document["results"]:
        problem, called = row["problem"], row["problem"]["instance"]
        yield Judged(
            row["claim"],
            row["reading"],
            _facts(row),
            f"{called}, {row['algorithm']}" if row["algorithm"] != problem["family"] else called,
            row["verdict"],
            tuple(sorted(_parts(row), key=lambda sides: sides.part)),
        )


def _facts(row: Record) -> Facts:
    """Of the problem all but its names; a size that is not told is no fact."""
    problem = {k: v for k, v in row["problem"].items() if k in _SIZES and v is not None}
    constants = {name: constant["value"] for name, constant in row["constants"].items()}
    groups = (("", row["parameters"]), ("constant ", constants), ("problem ", problem))
    told = {kind + name: value for kind, group in groups for name, value in group.items()}
    noise = row["problem"].get("noise")
    words: dict[str, Number | str] = {} if noise is None else {"problem noise": noise}
    for name, value in told.items():
        words[name] = _number(value) or "not finite"
    return tuple(sorted(words.items()))


def _parts(row: Record) -> Iterator[Sides]:
    word = row.get("comparison", {}).get("word", "")
    seen: Counter[str] = Counter()
    for part in row["parts"]:
        name = part["part"]
        seen[name] += 1
        yield Sides(
            part=name if seen[name] == 1 else f"{name}, number {seen[name]}",
            relation=part["relation"],
            left=_number(part["left"]),
            right=_number(part["right"]),
            gap=_number(part["gap"]),
            round=part["round"],
            verdict=part["verdict"],
            word=word,
        )


# ---- schema 4: keys of records, which lie beside the document


def _packed_records(path: Path, document: Record) -> Iterator[Judged]:
    return _listed_records(path, with_records(path, document))


READERS: Mapping[int, Callable[[Path, Record], Iterator[Judged]]] = {
    2: _listed_records,
    3: _listed_records,
    4: _packed_records,
}


# ---- what is read of a document


def _claim(claim: Record) -> ClaimSummary:
    readings = {}
    for reading in claim["readings"]:
        counts = reading["counts"]
        applicable = sum(times for verdict, times in counts.items() if verdict not in REFUSED)
        tightness = _number(reading["tightness"])
        readings[reading["name"]] = ReadingSummary(reading["statement"], tightness, applicable)
    words = (claim["standing"], claim["paper_proof"], claim["severity"])
    return ClaimSummary(*words, readings)


def _number(value: str | float | None) -> Number | None:
    """Whole numbers and "p/q" are exact; a decimal is a real."""
    if value is None:
        return None
    if isinstance(value, float):
        return Number(fmpq(*value.as_integer_ratio()), exact=False)
    whole = _WHOLE.fullmatch(str(value))
    if whole is None:
        return Number(fmpq(*Fraction(value).as_integer_ratio()), exact=False)
    above, below = whole.groups()
    return Number(fmpq(fmpz(above), fmpz(below or "1")), exact=True)


def _numeral(value: Any) -> None:
    """A number that can be read in a moment."""
    number(value)
    if type(value) is str:
        if len(value) > _LONGEST:
            raise Unfit(f"has {len(value)} characters; expected at most {_LONGEST}")
        if _ZERO.search(value):
            raise Unfit(f"is {value[:20]!r}; expected no zero below the line")
        if not _WHOLE.fullmatch(value) and not isfinite(float(value)):
            raise Unfit(f"is {value[:20]!r}; expected a number that a float can hold")


_maybe = optional(Shape(_numeral, number.schema))
_SIZES = (
    "clients", "dimension", "shared_dimension", "personal_dimension",
    "noise_scale_u", "noise_scale_v",
)  # fmt: skip
_SIDES = {"left": _maybe, "right": _maybe, "gap": _maybe}
_PART = holding(
    {"part": text, "relation": text, "verdict": text, "round": optional(count), **_SIDES}
)
_PROBLEM = holding(
    {"family": text, "instance": text}, {"noise": text, **dict.fromkeys(_SIZES, _maybe)}
)
_RECORD = holding(
    {
        "claim": text,
        "reading": text,
        "verdict": text,
        "algorithm": text,
        "problem": _PROBLEM,
        "parameters": named(_maybe),
        "constants": named(holding({"value": _maybe})),
        "parts": listed(_PART),
    },
    {"comparison": holding({"word": text})},
)
_READING = holding({"name": text, "statement": text, "tightness": _maybe, "counts": named(count)})
_CLAIM = holding(
    {
        "standing": optional(text),
        "paper_proof": text,
        "severity": optional(text),
        "readings": listed(_READING),
    }
)
_RUN = holding({"fedbounds": text, "profile": text, "seed": count, "device": text})
_DOCUMENT = holding(
    {DIGEST: matching("[0-9a-f]{64}", "a digest"), "run": _RUN, "claims": named(_CLAIM)}
)
