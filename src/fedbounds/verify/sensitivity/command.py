"""The command ``fedbounds sensitivity``."""

from pathlib import Path

import click

from fedbounds.errors import FedboundsError

from ..names import entry_named


@click.command()
@click.argument("claim_id", metavar="CLAIM")
@click.option("--out", metavar="DIR", help="Write sensitivity.csv, .tex and .json there.")
@click.option("--csv", "csv_file", metavar="FILE", help="Write the rows to this file.")
@click.option("--latex", is_flag=True, help="Print LaTeX in place of the table.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON in place of the table.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
def sensitivity(
    claim_id: str, out: str | None, csv_file: str | None, latex: bool, as_json: bool, seed: int
) -> None:
    """How much each constant and assumption of CLAIM matters.

    For each number that it prints: the sharpest one that the proof allows, and what an exact
    instance excludes. For each premise: which steps use it, and what happens without it.
    """
    if latex and as_json:
        raise FedboundsError("--latex and --json exclude each other")
    entry = entry_named(claim_id)
    from fedbounds.theory.claims import Claim
    from fedbounds.theory.registry import encoded

    claim = encoded(entry)
    if not isinstance(claim, Claim):
        raise FedboundsError(
            f"{entry.id} is of kind {entry.kind}, without a formula; "
            "sensitivity needs a claim with an inequality"
        )
    from ..store import write_text
    from . import exports
    from .rows import sensitivity as rows_of

    folder = _folder(out)
    rows = rows_of(claim, seed)
    written = [] if csv_file is None else [(Path(csv_file), exports.to_csv)]
    if folder is not None:
        forms = {"csv": exports.to_csv, "tex": exports.to_latex, "json": exports.to_json}
        written += [(folder / f"sensitivity.{ending}", form) for ending, form in forms.items()]
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


def _folder(out: str | None) -> Path | None:
    """The folder, made before any work."""
    if out is None:
        return None
    try:
        Path(out).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FedboundsError(f"cannot make the folder {out!r}: {error.strerror}") from error
    return Path(out)
