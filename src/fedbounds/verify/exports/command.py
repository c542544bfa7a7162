"""The commands ``diff``, ``cite`` and ``symbols``."""

from pathlib import Path

import click

from fedbounds.verify.names import entries_named

from .option import TABLE, format_option, print_rows


@click.command()
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option(
    "--tolerance",
    default=1e-9,
    show_default=True,
    type=click.FloatRange(0.0, 1.0),
    help="Relative difference below which two numbers count as equal.",
)
@click.option("--fail-on-change", is_flag=True, help="Exit with status 1 if a result differs.")
@format_option
def diff(old: str, new: str, tolerance: float, fail_on_change: bool, form: str) -> None:
    """What changed between two result folders, or two results.json files.

    Settings of the run come first; they alone are no change of a result.
    """
    from .difference import RUN, as_table, differences, read_results, shared_settings

    before, after = read_results(Path(old)), read_results(Path(new))
    changes = differences(before, after, tolerance)
    if form == TABLE:
        from .print_diff import print_diff

        print_diff(changes, shared_settings(before, after), tolerance)
    else:
        print_rows(as_table(changes), form)
    if fail_on_change and any(change.what != RUN for change in changes):
        raise click.exceptions.Exit(1)


@click.command()
@click.argument("names", nargs=-1, metavar="[CLAIM|PAPER]...")
def cite(names: tuple[str, ...]) -> None:
    """BibTeX of the papers of these claims, and of this suite; all papers if none is named."""
    from .bibtex import bibliography

    click.echo(bibliography(entries_named(names), named=bool(names)), nl=False)


@click.command()
@click.argument("papers", nargs=-1, metavar="[PAPER]...")
@format_option
def symbols(papers: tuple[str, ...], form: str) -> None:
    """Every symbol with its type, meaning and sign, and the claims that use it."""
    from .symbols import print_symbols, symbol_table

    rows = symbol_table(entries_named(papers), all_symbols=not papers)
    if form == TABLE:
        print_symbols(rows)
    else:
        print_rows(rows, form)
