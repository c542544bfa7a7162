"""The command ``alarms``."""

import json
from pathlib import Path

import click

from fedbounds.errors import ConflictError, FedboundsError

from ...own.names import entries_named
from ..options import OutputFolder


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="[CLAIM|PAPER|FILE]...")
@click.option("--out", metavar="DIR", type=OutputFolder(), help="Write a table per paper there.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
@click.option(
    "--wanted",
    default=100,
    show_default=True,
    type=click.IntRange(1),
    help="Instances to which each part is to apply.",
)
def alarms(names: tuple[str, ...], out: Path | None, seed: int, wanted: int) -> None:
    """Judge what is proved on many instances, half of them at edges: none may violate it.

    Proofs are replayed first. A part that is proved and violated is a conflict: an error of this
    suite, whose instance is printed.
    """
    entries = entries_named(names)
    from ...measure.threads import one_thread
    from ...results.files import file_of, make_folder, write_text
    from .counted import counted, stored
    from .rows import digest, judged_otherwise, proved_rows
    from .table import sums, text

    broken = []
    for theory in dict.fromkeys(entry.paper for entry in entries):
        own = [entry for entry in entries if entry.paper == theory]
        rows = proved_rows(theory, own)
        if not rows:
            raise FedboundsError(f"none of these claims of {theory} is proved")
        with one_thread():
            every = [(row, counted(row.claim, row.part, row.key, seed, wanted)) for row in rows]
        table = text(theory, seed, wanted, digest(own), every, judged_otherwise(own))
        if out is None:
            click.echo(table)
        else:
            make_folder(out)
            write_text(file_of(out, f"{theory}.md"), table)
            click.echo("\n".join((f"{theory}:", *sums(every, wanted))))
        broken += [(row, case) for row, found in every for case in found.violated]
    for row, case in broken:
        told = {"row": row.key, "method": case.method, "instance": stored(case)}
        click.echo(json.dumps(told, ensure_ascii=False), err=True)
    if broken:
        raise ConflictError(f"{len(broken)} instances violate what is proved")
