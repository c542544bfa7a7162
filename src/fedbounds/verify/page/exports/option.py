"""The option ``--format`` and where data goes: to standard output alone. Light: click only."""

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from .table import Table

TABLE = "table"
FORMATS = (TABLE, "csv", "json", "md", "tex")

format_option = click.option(
    "--format",
    "form",
    default=TABLE,
    show_default=True,
    type=click.Choice(FORMATS),
    help="The same rows for another program: data alone on standard output.",
)


def print_rows(table: "Table", form: str) -> None:
    """Print a table in one of the machine formats."""
    from .render import render

    click.echo(render(table, form), nl=False)
