"""A table as CSV, JSON, Markdown or LaTeX text; read by programs or printed."""

import csv
import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .escape import latex_text, markdown_math, markdown_text
from .table import Column, Table

_LINE_END = "\r\n"  # with which the writer quotes every cell that holds one of the two
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_NUMBER = re.compile(r"[+-]?([0-9]+/[0-9]+|([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?)")
_PACKAGES = "% needs \\usepackage{amsmath,amssymb,longtable}"


def render(table: Table, form: str) -> str:
    """The table as text that ends with a line break; ``form`` is one of `FORMS`."""
    return FORMS[form](table)


def csv_text(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows below their names as CSV: the one place that writes it."""
    found = _Lines()
    lines = csv.writer(found, lineterminator=_LINE_END)
    lines.writerow([_no_formula(name) for name in names])
    lines.writerows([_csv_cell(cell) for cell in row] for row in rows)
    return "".join(line.removesuffix(_LINE_END) + "\n" for line in found)


class _Lines(list[str]):
    """A file to the writer of CSV, which writes a row at a time."""

    write = list.append


def _csv_cell(value: Any) -> str:
    return _plain(value) if isinstance(value, (int, float)) else _no_formula(_plain(value))


def _no_formula(text: str) -> str:
    """Text that a spreadsheet shows and never evaluates, as OWASP advises; numbers as they are."""
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text


def _csv(table: Table) -> str:
    return csv_text(table.names, table.rows)


def _json(table: Table) -> str:
    rows = [dict(zip(table.names, row, strict=True)) for row in table.rows]
    return json.dumps(rows, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _markdown(whole: Table) -> str:
    table = whole.printed()

    def cell(column: Column, value: Any) -> str:
        text = _plain(value)
        return markdown_math(text) if column.math and text else markdown_text(text)

    lines = [
        [markdown_text(name) for name in table.names],
        ["---"] * len(table.columns),
        *([cell(c, v) for c, v in zip(table.columns, row, strict=True)] for row in table.rows),
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _latex(whole: Table) -> str:
    table = whole.printed()

    def cell(column: Column, value: Any) -> str:
        text = _plain(value)
        # braces: a line break may be followed by a cell that starts with "[" or "*"
        return f"${text}$" if column.math and text else f"{{{latex_text(text)}}}"

    widths = "".join(rf"p{{{c.width}\linewidth}}" if c.width else "l" for c in table.columns)
    head = " & ".join(latex_text(name) for name in table.names)
    lines = [
        " & ".join(cell(c, v) for c, v in zip(table.columns, row, strict=True))
        for row in table.rows
    ]
    body = "".join(f"{line} \\\\\n" for line in lines)
    return (
        f"{_PACKAGES}\n\\begin{{longtable}}{{{widths}}}\n\\hline\n{head} \\\\\n\\hline\n"
        f"\\endhead\n{body}\\hline\n\\end{{longtable}}\n"
    )


def _plain(value: Any) -> str:
    """A cell as one text: nothing for None, a list joined by semicolons, reals in full."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return "; ".join(map(str, value))
    return str(value)


FORMS: dict[str, Callable[[Table], str]] = {
    "csv": _csv,
    "json": _json,
    "md": _markdown,
    "tex": _latex,
}
