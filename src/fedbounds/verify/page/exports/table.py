"""A table as data: what is rendered as CSV, JSON, Markdown or LaTeX."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any


@dataclass(frozen=True)
class Column:
    """A column: its name, and how its cells are typeset.

    Attributes
    ----------
    name : str
    math : bool
        Cells are LaTeX formulas, without dollar signs.
    width : float
        Share of a line that a LaTeX table gives it, so that long text folds; 0: as wide as it is.
    data : bool
        For programs only: CSV and JSON have it, Markdown and LaTeX do not.
    """

    name: str
    math: bool = False
    width: float = 0.0
    data: bool = False


@dataclass(frozen=True)
class Table:
    """Columns and rows; a cell is a JSON value: text, a number, a list of texts or None.

    Raises
    ------
    ValueError
        If a row has another number of cells than there are columns.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"{len(row)} cells for {len(self.columns)} columns: {row!r}")

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [column.name for column in self.columns]

    def printed(self) -> "Table":
        """The same without the columns for programs only."""
        kept = [at for at, column in enumerate(self.columns) if not column.data]
        return Table(
            tuple(self.columns[at] for at in kept),
            tuple(tuple(row[at] for at in kept) for row in self.rows),
        )

    def __repr__(self) -> str:
        return f"<table of {len(self.rows)} rows: {', '.join(self.names)}>"

    def _repr_html_(self) -> str:
        """As a notebook shows it."""
        shown = self.printed()
        head = "".join(f"<th>{escape(name)}</th>" for name in shown.names)
        rows = ("".join(map(_cell, shown.columns, row)) for row in shown.rows)
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(column: Column, cell: Any) -> str:
    """Formulas between dollar signs, which a notebook typesets."""
    text = escape(_told(cell))
    return f"<td>{f'${text}$' if column.math and text else text}</td>"


def _told(cell: Any) -> str:
    if cell is None:
        return ""
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)


def table(
    columns: Sequence[Column | str], rows: Sequence[Sequence[Any]], data: Sequence[str] = ()
) -> Table:
    """A table; a column of text may be given by its name, and columns for programs in ``data``."""
    return Table(
        tuple(Column(c, data=c in data) if isinstance(c, str) else c for c in columns),
        tuple(tuple(row) for row in rows),
    )
