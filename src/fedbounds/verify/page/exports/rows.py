"""Rows of every listing, built once from the catalogue and the records, for every format."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fedbounds.theory.language.catalogue import Entry
from fedbounds.vocabulary import SIGNS, Kind, Verdict

from .table import Column, Table, table

Record = dict[str, Any]

_STATEMENT = Column("statement", width=0.4)
_FORMULA = Column("latex", math=True)

_HEADLINE = (
    "claim", "kind", "source", "place", "standing", "statement", "paper_proof", "severity",
)  # fmt: skip
_READING = ("reading", "ambiguity", "headline", "reading_statement", "tightness", "power")
_RESULTS_DATA = (
    "place", "statement", "paper_proof", "ambiguity", "headline", "tightest_by",
    "tightest_instance", "uninformative", "equal_everywhere", *Verdict,
)  # fmt: skip
_AFTER = (
    "least_relative_gap", "tightest_by", "tightest_instance", "uninformative", "equal_everywhere",
    "instances",
)  # fmt: skip


def listing(entries: Sequence[Entry]) -> Table:
    """A row per claim: what ``fedbounds list`` prints."""
    return table(
        ["claim", "kind", "source", "place", _STATEMENT, "encoded"],
        [(e.id, e.kind.value, e.source.value, e.place, e.statement, _encoded(e)) for e in entries],
    )


def _encoded(entry: Entry) -> bool | None:
    """Whether formulas are written; None for a definition, which needs none."""
    return None if entry.kind is Kind.DEFINITION else bool(entry.module)


def results(document: Record) -> Table:
    """A row per claim and reading of a results document; a claim without a reading has one row."""
    # the page imports this module for its download
    from fedbounds.verify.page.summary import in_order, judged_claims, power

    verdicts = [verdict.value for verdict in Verdict]
    judged = {claim["id"]: claim for claim in judged_claims(document)}
    rows: list[Sequence[Any]] = []
    for claim in in_order(document):
        head = [claim["id"], *(claim[name] for name in _HEADLINE[1:])]
        if claim["id"] not in judged:
            blank = [None] * (len(_READING) + len(_AFTER) + len(verdicts))
            rows.append([*head, *blank, claim["text"]])
            continue
        for at, reading in enumerate(judged[claim["id"]]["readings"]):
            own = [
                reading["name"],
                reading["ambiguity"],
                at == 0,
                reading["statement"],
                reading["tightness"],
                power(reading),
                reading["least_relative_gap"],
                (reading["tightest"] or {}).get("how"),
                (reading["tightest"] or {}).get("instance"),
                reading["uninformative"],
                reading["equal_everywhere"],
                reading["coverage"]["instances"],
                *(reading["counts"].get(verdict, 0) for verdict in verdicts),
            ]
            rows.append([*head, *own, claim["text"]])
    columns = [*_HEADLINE, *_READING, *_AFTER, *verdicts, "text"]
    return table(columns, rows, data=(*_RESULTS_DATA, "text"))


def formulas(entry: Entry, claim: Any, summary: Record | None) -> Table:
    """A row per reading and part of a claim: what ``fedbounds show`` prints.

    Parameters
    ----------
    entry : Entry
    claim : object or None
        The encoded claim; None if it is only listed.
    summary : dict or None
        Its line in a results document, if it was judged.
    """
    judged = {row["name"]: row for row in (summary or {}).get("readings", ())}
    standing = None if summary is None else summary["standing"]
    head = (entry.id, entry.kind.value, entry.source.value, entry.place)
    rows: list[Sequence[Any]] = []
    for reading, ambiguity, *cells in _parts(entry, claim):
        own = judged.get(reading, {})
        evidence = (own.get("statement"), own.get("tightness"))
        rows.append((*head, reading, ambiguity, *cells, standing, *evidence))
    columns: tuple[Column | str, ...] = (
        "claim", "kind", "source", "place", "reading", "ambiguity", "part", "formula", _FORMULA,
        "index", "assumptions", "conditions", "standing", "reading_statement", "tightness",
    )  # fmt: skip
    return table(columns, rows, data=("kind", "source", "place", "index", "assumptions"))


def _parts(entry: Entry, claim: Any) -> Iterator[tuple[Any, ...]]:
    """Reading, ambiguity, part, formula, LaTeX, index, assumptions and conditions of each part."""
    if claim is None:
        yield None, None, None, entry.statement, None, None, [], []
        return
    from fedbounds.theory.language.claims import Claim, read
    from fedbounds.theory.language.formula import to_latex
    from fedbounds.theory.language.registry import glossary
    from fedbounds.theory.proof.averages import printed
    from fedbounds.verify.page.words import described

    if not isinstance(claim, Claim):
        for line in described(claim):
            yield None, None, None, line, None, None, [], []
        return
    names = glossary(entry.paper)
    for reading in claim.readings:
        for part in read(claim, reading):
            sign, sides = part.relation.value, printed(part, entry.paper)
            left, right = (to_latex(side, names) for side in sides)
            yield (
                reading.name,
                reading.ambiguity,
                part.name,
                f"{part.left} {sign} {part.right}",
                f"{left} {SIGNS[sign]} {right}",
                part.index.value,
                list(map(str, part.assumptions)),
                [str(condition) for condition in part.conditions],
            )


def steps(proofs: Mapping[str, Record]) -> Table:
    """A row per step of replayed proofs; statements taken as given have no claim."""
    # a correction stands with its claim and by itself
    every = {(s["claim"], s["id"], s["reading"]): s for p in proofs.values() for s in p["steps"]}
    columns: tuple[Column | str, ...] = (
        "claim", "step", "part", "reading", "source", "place", "status", "rests_on_proved",
        _FORMULA, "conditions", "by", "missing", "certificate", "numbers", "reason",
    )  # fmt: skip
    return table(
        columns,
        [
            (
                step["claim"],
                step["id"],
                step["part"],
                step["reading"],
                step["source"],
                step["place"],
                step["local"],
                step["inherited"],
                f"{step['left']} {SIGNS[step['relation']]} {step['right']}",
                step["conditions"],
                [use["name"] for use in step["by"] if use["kind"] != "square"],
                step["missing"],
                step["certificate"],
                [f"{name} = {value}" for name, value in (step["numbers"] or {}).items()],
                step["reason"],
            )
            for step in every.values()
        ],
        data=("part", "reading", "place", "by", "missing", "certificate", "numbers", "reason"),
    )
