"""The command ``fedbounds sensitivity``."""

from pathlib import Path

import click

from fedbounds.errors import FedboundsError

from ...own.names import entry_named
from ..options import OutputFile, OutputFolder


@click.command()
@click.argument("claim_id", metavar="CLAIM")
@click.option(
    "--out", metavar="DIR", type=OutputFolder(), help="Write sensitivity.csv, .tex and .json there."
)
@click.option(
    "--csv", "csv_file", metavar="FILE", type=OutputFile(), help="Write the rows to this file."
)
@click.option("--latex", is_flag=True, help="Print LaTeX in place of the table.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON in place of the table.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
def sensitivity(
    claim_id: str, out: Path | None, csv_file: Path | None, latex: bool, as_json: bool, seed: int
) -> None:
    """How much each constant and assumption of CLAIM matters.

    For each number that it prints: the sharpest one that the proof allows, and what an exact
    instance excludes. For each premise: which steps use it, and what happens without it.
    """
    if latex and as_json:
        raise FedboundsError("--latex and --json exclude each other")
    entry = entry_named(claim_id)
    from fedbounds.theory.language.claims import Claim
    from fedbounds.theory.language.registry import encoded

    claim = encoded(entry)
    if not isinstance(claim, Claim):
        raise FedboundsError(
            f"{entry.id} is of kind {entry.kind}, without a formula; "
            "sensitivity needs a claim with an inequality"
        )
    from ...results.files import file_of, make_folder, write_text
    from . import exports
    from .rows import sensitivity as rows_of

    written = [] if csv_file is None else [(csv_file, exports.to_csv)]
    if out is not None:
        make_folder(out)
        forms = {"csv": exports.to_csv, "tex": exports.to_latex, "json": exports.to_json}
        written += [(file_of(out, f"sensitivity.{end}"), form) for end, form in forms.items()]
    rows = rows_of(claim, seed)
    for path, form in written:
        write_text(path, form(rows))
    if latex:
        click.echo(exports.to_latex(rows), nl=False)
    elif as_json:
        click.echo(exports.to_json(rows), nl=False)
    else:
        from .terminal import print_rows

        print_rows(rows)
    for path, _ in written:
        click.echo(f"written: {path}", err=True)
