"""Every figure of the page as files: PDF or SVG, and the numbers it shows as CSV."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fedbounds.verify.page.figures import by_regime, decomposed
from fedbounds.verify.page.graph import graph
from fedbounds.verify.page.incomplete import complete
from fedbounds.verify.page.numbers import to_float
from fedbounds.verify.page.rows import instance_name, is_witness, sizes
from fedbounds.verify.page.runs import (
    BAND,
    LEFT,
    MEAN,
    RIGHT,
    curve_data,
    drawn_series,
    reals,
    slopes,
)
from fedbounds.verify.page.sections import (
    MOST_LADDERS,
    column_of,
    ladders_of,
    measure_of,
    of_headline,
)
from fedbounds.verify.page.summary import in_order, judged_claims
from fedbounds.verify.results.files import file_of, make_folder, write_bytes, write_text
from fedbounds.vocabulary import Verdict

from . import draw
from .render import render
from .table import Table, table

Record = dict[str, Any]
FORMATS = ("pdf", "svg")


@dataclass(frozen=True)
class Figure:
    """A figure: the name of its files, the numbers it shows, and how it is drawn.

    Attributes
    ----------
    draw : function of a matplotlib figure, or None
        None where no number can be drawn, such as a ladder of algorithms.
    """

    name: str
    data: Table
    draw: draw.Draw | None


def write_figures(document: Record, folder: Path, formats: Sequence[str]) -> list[Path]:
    """Write every figure of a results document; returns the paths, in order.

    Raises
    ------
    FedboundsError
        If the document lacks a part of what a run writes, or the folder cannot be written.
    """
    with complete():
        found = list(figures(document))
    make_folder(folder)
    paths = []
    for figure in found:
        data = file_of(folder, f"{figure.name}.csv")
        write_text(data, render(figure.data, "csv"))
        paths.append(data)
        for form in formats if figure.draw else ():
            path = file_of(folder, f"{figure.name}.{form}")
            assert figure.draw is not None
            write_bytes(path, draw.drawn(figure.draw, form))
            paths.append(path)
    return paths


def figures(document: Record) -> Iterator[Figure]:
    """The figures of the page, claim by claim, and the graph of the claims."""
    records: dict[str, list[Record]] = {}
    for row in document["results"]:
        records.setdefault(row["claim"], []).append(row)
    for claim in judged_claims(document):
        own = records.get(claim["id"], [])
        name = re.sub(r"[^A-Za-z0-9.]+", "-", claim["id"])
        yield from _strips(name, claim, own)
        for at, rows in enumerate(by_regime(of_headline(claim, own)), start=1):
            yield from _waterfall(f"{name}-slack-{at}", claim, rows)
        yield from _curve(f"{name}-rounds", claim, own)
        for at, row in enumerate(ladders_of(claim, own)[:MOST_LADDERS], start=1):
            yield _ladder(f"{name}-ladder-{at}", claim, row)
    yield from _graph(document)


def _strips(name: str, claim: Record, records: Sequence[Record]) -> Iterator[Figure]:
    """The measure of every instance, by reading and method."""
    measure, value_of = measure_of(claim)
    rows = []
    groups: dict[str, list[tuple[float, bool]]] = {}
    for reading in claim["readings"]:
        for record in records:
            value = value_of(record)
            if record["reading"] == reading["name"] and value is not None:
                method = record["evidence"]["method"]
                broken = record["verdict"] == Verdict.VIOLATED
                groups.setdefault(f"{column_of(reading)}, {method}", []).append((value, broken))
                where = f"witness, {sizes(record)}" if is_witness(record) else instance_name(record)
                rows.append((reading["name"], method, where, value, record["verdict"]))
    if rows:
        data = table(("reading", "method", "instance", measure, "verdict"), rows)
        yield Figure(
            f"{name}-{measure.replace(' ', '-')}", data, draw.strips(claim["id"], measure, groups)
        )


def _waterfall(name: str, claim: Record, records: Sequence[Record]) -> Iterator[Figure]:
    """Where the slack of the tightest record is lost."""
    found = decomposed(records)
    if found is None:
        return
    row, _ = found
    left, right = to_float(row["left"]) or 0.0, to_float(row["right"]) or 1.0
    losses = [(loss["name"], loss["amount"]) for loss in row["slack"]]
    rows = [
        ("measured, left side", row["left"], None),
        *((loss["name"], loss["amount"], loss["share"]) for loss in row["slack"]),
        ("bound, right side", row["right"], None),
    ]
    title = f"{claim['id']}, {row.get('regime') or 'slack'}: {row['problem']['instance']}"
    data = table(("loss", "amount", "share"), rows)
    yield Figure(name, data, draw.waterfall(title, left, right, losses))


def _curve(name: str, claim: Record, records: Sequence[Record]) -> Iterator[Figure]:
    """Both sides per round, of the tightest record of the headline reading that tells them."""
    found = curve_data([r for r in records if r["reading"] == claim["readings"][0]["name"]])
    if found is None:
        return
    styles = {LEFT: "left", MEAN: "mean", RIGHT: "right"}
    sides = {key: (style, found.sides[key]) for key, style in styles.items() if key in found.sides}
    ratios = {
        key: (style, values)
        for (key, values), style in zip(found.ratios.items(), ("left", "mean"), strict=False)
    }
    low, high = (found.sides.get(end) for end in BAND)
    band = (low, high) if low is not None and high is not None else None
    every = found.sides | found.ratios
    data = table(("round t", *every), list(zip(found.rounds, *every.values(), strict=True)))
    title = f"{claim['id']}: {found.record['problem']['instance']}"
    yield Figure(name, data, draw.curve(title, found.rounds, sides, ratios, band))


def _ladder(name: str, claim: Record, row: Record) -> Figure:
    """What was measured over one parameter, with lines of the exponents."""
    ladder, fit = row["ladder"], row["ladder"]["fit"]
    x = [v for v in reals(ladder["values"]) if v is not None and v > 0]
    series = {key: reals(values) for key, values in sorted(ladder["series"].items())}
    panels, columns = {}, dict(series)
    for key, values in series.items():
        shown, drawn = drawn_series(claim["id"], key, values)
        if drawn != values:
            columns[shown] = drawn
        if len(x) != len(drawn) or not any(v is not None and v > 0 for v in drawn):
            continue
        lines = slopes(x, key, drawn, fit)
        panels[shown] = (drawn, lines)
        columns |= {f"{line} of {shown}": along for line, _, along in lines}
    rows = list(zip(ladder["values"], *columns.values(), strict=True))
    title = f"{claim['id']}: {row['problem']['instance']}"
    drawing = draw.ladder(title, ladder["parameter"], x, panels) if panels else None
    return Figure(name, table((ladder["parameter"], *columns), rows), drawing)


def _graph(document: Record) -> Iterator[Figure]:
    """What rests on what."""
    found = graph(in_order(document))
    if found is not None:
        rows = [(node.id, word, list(uses)) for node, word, uses in found.table]
        data = table(("claim", "standing", "rests directly on"), rows)
        yield Figure("dependences", data, draw.dependences(found))
