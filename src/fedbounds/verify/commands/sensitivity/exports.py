"""The rows of a sensitivity table as CSV, JSON and LaTeX."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, astuple, fields

from ...page.exports.render import csv_text
from ...results.records import dumps
from .row import Row

_OF_NUMBERS = ("part", "printed", "factor", "where", "proof allows", "witness excludes", "")
_OF_PREMISES = ("part", "premise", "used directly in", "proof", "witness")
_SPECIAL = {
    "\\": r"\textbackslash{}",
    **{c: rf"\{c}" for c in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}


def to_csv(rows: Sequence[Row]) -> str:
    """One line per row with a header; lists of steps are joined by semicolons."""
    return csv_text([field.name for field in fields(Row)], map(astuple, rows))


def to_json(rows: Sequence[Row]) -> str:
    """A list of objects in canonical JSON."""
    return dumps([asdict(row) for row in rows])


def to_latex(rows: Sequence[Row]) -> str:
    """Two tabulars: numbers, then premises."""
    numbers = [
        (
            row.part,
            row.printed,
            f"${row.times}$" if row.times else "",
            row.where,
            row.proved,
            row.excluded,
            row.says,
        )
        for row in rows
        if row.kind == "constant"
    ]
    premises = [
        (row.part, row.printed, ", ".join(row.directly), row.proved, row.excluded)
        for row in rows
        if row.kind != "constant"
    ]
    return "\n".join((_tabular(_OF_NUMBERS, numbers, math=2), _tabular(_OF_PREMISES, premises)))


def _tabular(heads: Sequence[str], rows: Iterable[Sequence[str]], math: int | None = None) -> str:
    """A tabular; the column ``math`` is LaTeX already."""
    lines = [rf"\begin{{tabular}}{{{'l' * len(heads)}}}", r"\hline"]
    lines.append(" & ".join(heads) + r" \\ \hline")
    for row in rows:
        cells = (cell if at == math else _escaped(cell) for at, cell in enumerate(row))
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\hline", r"\end{tabular}", ""])


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(c, c) for c in text)
