"""The table of a theory as Markdown, and read again."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from fedbounds.vocabulary import Method

from .counted import Counts
from .rows import Row

_METHODS = (Method.RATIONAL, Method.BALLS, Method.MOMENTS)
_OTHERS = "other methods"
COLUMNS = (
    "claim", "reading", "part", "drawn", "applies", "at an edge", *_METHODS, _OTHERS,
    "violated", "settled", "undecided", "not measured",
    "not applicable",
)  # fmt: skip
_NAMES = 3  # columns that name a row
_TOLD = 3  # reasons why a part does not apply
_CELL = re.compile(r"(?<!\\)\|")
Key = tuple[str, ...]


def cells(row: Row, found: Counts) -> tuple[str, ...]:
    """Of one row; no edge is counted where no condition can be an equality or more."""
    edged = any(condition.relation != "==" for condition in row.part.conditions)
    methods = [found.methods[method] for method in _METHODS]
    others = found.methods.total() - sum(methods)
    edge = str(found.at_edge) if edged else "-"
    open_ones = (found.settled, found.undecided, found.refused, found.outside)
    doubts = (len(found.violated), *(own.total() for own in open_ones))
    return (
        *row.key, str(found.drawn), str(found.applicable), edge,
        *map(str, (*methods, others, *doubts)),
    )  # fmt: skip


def text(
    theory: str,
    seed: int,
    wanted: int,
    statements: str,
    every: Sequence[tuple[Row, Counts]],
    otherwise: Sequence[str],
) -> str:
    """Head, sums, rows, and each kind of doubt with its reason.

    ``otherwise``: claims without parts that one instance could judge.
    """
    head = {"theory": theory, "statements": statements, "seed": str(seed), "wanted": str(wanted)}
    rows = [cells(row, found) for row, found in every]
    ruled = "|".join("---" for _ in COLUMNS)
    return "\n".join(
        (
            f"# What is proved of {theory}, on instances drawn by a seed",
            "",
            "Every part of every proved reading, judged alone; `fedbounds alarms` writes this.",
            "",
            *(f"- {name}: {value}" for name, value in head.items()),
            *(f"- {line}" for line in sums(every, wanted)),
            f"- judged otherwise, so not here: {', '.join(otherwise) or 'none'}",
            "",
            _line(COLUMNS),
            f"|{ruled}|",
            *map(_line, rows),
            *_reasons(
                "Left open by a method, and settled in rationals", [x.settled for _, x in every]
            ),
            *_reasons("Undecided", [found.undecided for _, found in every]),
            *_reasons("Not measured by the method that was asked", [x.refused for _, x in every]),
            *_thin(every, wanted),
            "",
        )
    )


def sums(every: Sequence[tuple[Row, Counts]], wanted: int) -> tuple[str, ...]:
    """What all rows come to."""
    applies = sum(found.applicable for _, found in every)
    settled = sum(found.settled.total() for _, found in every)
    doubts = sum(found.undecided.total() for _, found in every)
    edged = [x for row, x in every if cells(row, x)[COLUMNS.index("at an edge")] != "-"]
    inside = sum(found.applicable for found in edged)
    thin = [row for row, found in every if found.applicable < wanted]
    share = f"{100 * doubts / applies:.2f} %" if applies else "none applies"
    return (
        f"{len(every)} parts of {len({row.claim.id for row, _ in every})} claims apply to "
        f"{applies} instances, {len(thin)} of the parts to fewer than are wanted",
        f"where a condition can be an equality, it is one in {sum(x.at_edge for x in edged)} of "
        f"{inside} instances",
        f"violated: {sum(len(found.violated) for _, found in every)}",
        f"left open by a method, and settled in rationals: {settled}",
        f"undecided: {doubts} ({share})",
    )


def _reasons(title: str, every: Sequence[Counter[str]]) -> list[str]:
    found: Counter[str] = Counter()
    for own in every:
        found += own
    lines = [f"- {amount} {reason}" for reason, amount in sorted(found.items())]
    return ["", f"## {title}", "", *lines] if lines else []


def _thin(every: Sequence[tuple[Row, Counts]], wanted: int) -> list[str]:
    """Of parts that apply to fewer than are wanted, why not to others, the commonest first."""
    lines = []
    for row, found in every:
        if found.applicable < wanted:
            told = (f"{amount} {why}" for why, amount in found.outside.most_common(_TOLD))
            named = " ".join(filter(None, (row.claim.id, row.part.name)))
            lines.append(f"- {named}, {found.applicable}: {'; '.join(told) or 'no instance'}")
    return ["", f"## Why some apply to fewer than {wanted}", "", *lines] if lines else []


def _line(values: Sequence[str]) -> str:
    escaped = (value.replace("|", r"\|") for value in values)
    return f"| {' | '.join(escaped)} |"


def read_rows(table: str) -> dict[Key, dict[str, str]]:
    """Rows of a table, as cells by column, by claim, reading and part."""
    lines = [line for line in table.splitlines() if line.startswith("| ")][1:]
    rows = (
        tuple(cell.strip().replace(r"\|", "|") for cell in _CELL.split(line)[1:-1])
        for line in lines
    )
    return {row[:_NAMES]: dict(zip(COLUMNS, row, strict=True)) for row in rows}


def read_head(table: str) -> Mapping[str, str]:
    """What a table says of itself: theory, statements, seed, and how many are wanted."""
    lines = (line[2:].partition(": ") for line in table.splitlines() if line.startswith("- "))
    return {name: value for name, _, value in lines}
