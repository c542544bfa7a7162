"""The commands ``diff``, ``cite`` and ``symbols``."""

from pathlib import Path

import click

from fedbounds.verify.own.names import entries_named

from ..page.exports.option import TABLE, format_option, print_rows


@click.command()
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option(
    "--content",
    is_flag=True,
    help="Compare what was judged by its numbers: names, keys, methods and order do not count. "
    "Reads older schemas too.",
)
@click.option(
    "--tolerance",
    show_default="1e-9; 1e-12 with --content",
    type=click.FloatRange(0.0, 1.0),
    help="Relative difference below which two numbers count as equal.",
)
@click.option("--fail-on-change", is_flag=True, help="Exit with status 1 if a result differs.")
@format_option
def diff(
    old: str, new: str, content: bool, tolerance: float | None, fail_on_change: bool, form: str
) -> None:
    """What changed between two result folders, or two results.json files.

    Settings of the run come first; they alone are no change of a result.
    """
    compared = _contents if content else _documents
    changed = compared(Path(old), Path(new), tolerance, form)
    if fail_on_change and changed:
        raise click.exceptions.Exit(1)


def _documents(old: Path, new: Path, tolerance: float | None, form: str) -> bool:
    """Print what differs, record by record of one name; whether a result does."""
    from ..page.exports.difference import (
        RUN,
        TOLERANCE,
        as_table,
        differences,
        read_results,
        shared_settings,
    )

    near = TOLERANCE if tolerance is None else tolerance
    before, after = read_results(old), read_results(new)
    changes = differences(before, after, near)
    if form == TABLE:
        from ..page.exports.print_diff import print_diff

        print_diff(changes, shared_settings(before, after), near)
    else:
        print_rows(as_table(changes), form)
    return any(change.what != RUN for change in changes)


def _contents(old: Path, new: Path, tolerance: float | None, form: str) -> bool:
    """Print what differs of what was judged; whether anything does."""
    from ..page.exports.content import as_table, compare
    from ..page.exports.difference import results_file
    from ..page.exports.judged import read_content
    from ..page.exports.pairing import SAME

    before, after = (read_content(results_file(place)) for place in (old, new))
    comparison = compare(before, after, SAME if tolerance is None else tolerance)
    if form == TABLE:
        from ..page.exports.print_content import print_content

        print_content(comparison, before, after)
    else:
        print_rows(as_table(comparison), form)
    return bool(comparison.differences)


@click.command()
@click.argument("names", nargs=-1, metavar="[CLAIM|PAPER]...")
def cite(names: tuple[str, ...]) -> None:
    """BibTeX of the papers of these claims, and of this suite; all papers if none is named."""
    from ..page.exports.bibtex import bibliography

    click.echo(bibliography(entries_named(names), named=bool(names)), nl=False)


@click.command()
@click.argument("papers", nargs=-1, metavar="[PAPER]...")
@format_option
def symbols(papers: tuple[str, ...], form: str) -> None:
    """Every symbol with its type, meaning and sign, and the claims that use it."""
    from ..page.exports.symbols import print_symbols, symbol_table

    rows = symbol_table(entries_named(papers), all_symbols=not papers)
    if form == TABLE:
        print_symbols(rows)
    else:
        print_rows(rows, form)
