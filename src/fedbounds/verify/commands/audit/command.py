"""The command ``audit``."""

import click

from fedbounds.errors import FedboundsError

from ...own.names import entries_named

WIDTH = 100  # of a line when lines are counted
INDENT = "  "


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="[PAPER|CLAIM|FILE]...")
def audit(names: tuple[str, ...]) -> None:
    """What to read against a paper: its statements, premises, definitions and givens.

    Each once, in the paper's order, with its place and what is read otherwise than printed.
    Nothing is measured. Who accepts the proved steps of a claim is told with it.
    """
    from .lines import deviations, lines

    entries = entries_named(names)
    if not entries:
        raise FedboundsError(f"{' '.join(names)} has no claims")
    for theory in dict.fromkeys(entry.paper for entry in entries):
        own = [entry for entry in entries if entry.paper == theory]
        found = [INDENT * line.depth + line.text for line in lines(theory, own)]
        click.echo("\n".join(found))
        wide = sum(-(-len(text) // WIDTH) for text in found)
        click.echo(f"\n{theory}: {len(found)} lines to read, {wide} of {WIDTH} characters")
        click.echo(f"{', '.join(deviations(own))}\n")
