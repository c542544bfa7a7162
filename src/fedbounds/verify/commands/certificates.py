"""``fedbounds certificates``: every certificate with its identity, for checkers of other people."""

from pathlib import Path

import click

from fedbounds.verify.own.names import entries_named, named_alone

from .options import OutputFile


@click.command()
@click.argument("names", nargs=-1, metavar="[CLAIM|PAPER|FILE]...")
@click.option(
    "--out",
    default="certificates.json",
    show_default=True,
    type=OutputFile(),
    help="The file to write.",
)
def certificates(names: tuple[str, ...], out: Path) -> None:
    """Write certificates with their identities multiplied out: nothing is measured.

    The page "Certificates as a format" says what the file means; a checker needs no more.
    """
    from fedbounds.theory.checker.recheck import multiplied_out

    from ..results.files import write_text
    from ..results.records import dumps
    from .prove import certificate_data, require_proofs

    entries = entries_named(names)
    require_proofs(named_alone(names, entries))
    books = certificate_data(entry.id for entry in entries)
    found = {key: multiplied_out(book) for key, book in books.items()}
    write_text(out, dumps(found))
    for key, book in found.items():
        every = [row["certificate"] for row in book["steps"]]
        proved = [one for one in every if one is not None and one["rule"] != "given"]
        given = sum(1 for one in every if one is not None) - len(proved)
        click.echo(f"{key}: {len(proved)} certificates, {given} given statements")
    click.echo(f"certificates: {out}")
