"""A table as CSV, JSON, Markdown or LaTeX text; read by programs or printed."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

from .escape import latex_text, markdown_math, markdown_text
from .table import Column, Table

_PACKAGES = "% needs \\usepackage{amsmath,amssymb,longtable}"


def render(table: Table, form: str) -> str:
    """The table as text that ends with a line break; ``form`` is one of `FORMS`."""
    return FORMS[form](table)


def _csv(table: Table) -> str:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(table.names)
    rows.writerows([_plain(cell) for cell in row] for row in table.rows)
    return text.getvalue()


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
