"""``fedbounds export``: proofs in the language of another checker."""

import json
import tempfile
from pathlib import Path

import click

from fedbounds.verify.own.names import entries_named, named_alone

from .options import OutputFolder

_SEED, _FALSE = 0, 50  # false lemmas of each paper


@click.command()
@click.argument("language", type=click.Choice(["coq"]), expose_value=False)
@click.argument("names", nargs=-1, metavar="[CLAIM|PAPER|FILE]...")
@click.option(
    "--out", default="coq", show_default=True, type=OutputFolder(), help="The folder to write."
)
@click.option(
    "--table",
    metavar="DIR",
    type=OutputFolder(),
    help="Have coqc read all, and false lemmas too; write what it says to DIR.",
)
@click.option(
    "--jobs", default=2, show_default=True, type=click.IntRange(1), help="How many coqc at once."
)
def export(names: tuple[str, ...], out: Path, table: Path | None, jobs: int) -> None:
    """Write proved steps as lemmas of Coq: nothing is measured, and nothing admitted.

    Definitions, givens, declared signs and conditions are hypotheses by name. A step that cannot be
    written is withheld, and the reason is printed. `coqc` reads the files in the order in which
    they are printed.
    """
    from fedbounds.theory.checker.recheck import multiplied_out

    from ..page.exports.coq.book import book_of, files, reasons
    from ..results.files import make_folder, write_text
    from .prove import certificate_data, require_proofs

    entries = entries_named(names)
    require_proofs(named_alone(names, entries))
    books = certificate_data(entry.id for entry in entries)
    make_folder(out)
    for key, data in books.items():
        book = book_of(_file(key), multiplied_out(data))
        for name, text in files(book).items():
            write_text(out / name, text)
            click.echo(str(out / name))
        click.echo(
            f"{key}: {len(book.lemmas)} of {book.proved} proved steps, "
            f"{len(book.theorems)} theorems"
        )
        for why, number in reasons(book):
            click.echo(f"  withheld: {number}, {why}")
    if table is not None:
        _write_table(names, {_file(key): data for key, data in books.items()}, table, jobs)


def _write_table(
    names: tuple[str, ...], books: dict[str, dict[str, object]], table: Path, jobs: int
) -> None:
    from ..page.exports.coq.run import version
    from ..page.exports.coq.table import as_data, counted, text
    from ..results.files import make_folder, write_text

    coq = version()
    make_folder(table)
    with tempfile.TemporaryDirectory() as folder:
        for key, data in books.items():
            found = counted(key, data, Path(folder), _SEED, _FALSE, jobs)
            own = [name for name in names if _file(name.partition("/")[0]) == key] or [key]
            command = " ".join(["fedbounds export coq", *own, "--table DIR"])
            said = json.dumps(as_data(coq, found), indent=1, ensure_ascii=False)
            for kind, told in (("md", text(command, coq, found)), ("json", f"{said}\n")):
                write_text(table / f"{key}.{kind}", told)
                click.echo(f"table: {table / f'{key}.{kind}'}")


def _file(key: str) -> str:
    """A paper or a file of one's own as the name of a file that Coq accepts."""
    found = "".join(c if c.isalnum() and c.isascii() else "_" for c in key)
    return found if found[:1].isalpha() else f"book_{found}"
