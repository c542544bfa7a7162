"""The command ``fedbounds bound``."""

import json
from pathlib import Path

import click

from fedbounds.errors import FedboundsError
from fedbounds.verify.commands.options import OutputFile, more_settings, pairs
from fedbounds.verify.own.names import entry_named


@click.command()
@click.argument("claim_id", metavar="CLAIM")
@more_settings
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=NUMBER",
    help="A constant or parameter: n=100, sigma_u^2=1/4, L=1e-3. All are read exactly.",
)
@click.option("--reading", default="", help="A reading by its name; the first if left out.")
@click.option("--part", help="One part of the claim; all if left out.")
@click.option("--to", metavar="EPS", help="Find the rounds until the bound is at most EPS.")
@click.option("--outside", is_flag=True, help="Evaluate where conditions fail, too, and say so.")
@click.option(
    "--grid",
    "grids",
    multiple=True,
    metavar="NAME=LOW:HIGH[:COUNT][:log]",
    help="Write a table of values; several are combined.",
)
@click.option(
    "--csv",
    "csv_file",
    metavar="FILE",
    type=OutputFile(),
    help="Where --grid writes; else to the screen.",
)
@click.option(
    "--json",
    "json_file",
    metavar="FILE",
    type=OutputFile(),
    help="Also write the answer to this file.",
)
def bound(
    claim_id: str,
    more: tuple[str, ...],
    settings: tuple[str, ...],
    reading: str,
    part: str | None,
    to: str | None,
    outside: bool,
    grids: tuple[str, ...],
    csv_file: Path | None,
    json_file: Path | None,
) -> None:
    """Value of a bound, term by term, for given constants. Nothing is run.

    A step size that is left out is the best admissible one. An outer step size that is left out
    is the least that the conditions allow. Other numbers that are left out are usual ones, and
    told.

    \b
    fedbounds bound personalization/thm-3.7 --set n=100 m=10 K=5 T=1000 \\
        L=1 F_0=1 sigma_u^2=1 sigma_v^2=1 b^2=1
    """
    given = pairs("--set", (*settings, *more))
    axes = pairs("--grid", grids)
    if axes and (to is not None or json_file is not None):
        raise FedboundsError("--grid excludes --to and --json")
    if csv_file is not None and not axes:
        raise FedboundsError("--csv needs a --grid")
    found = entry_named(claim_id)
    from fedbounds.theory.language.claims import Claim
    from fedbounds.theory.language.registry import encoded

    claim = encoded(found)
    if not isinstance(claim, Claim):
        raise FedboundsError(
            f"{found.id} is of kind {found.kind.value}: it has no bound to evaluate"
        )
    if axes:
        from .grid import write_grid

        write_grid(claim, given, axes, csv_file, reading=reading, part=part, outside=outside)
        return
    from fedbounds.verify.results.files import write_text

    from .answer import answers
    from .tables import as_data, print_answers

    answered = answers(claim, given, reading=reading, part=part, outside=outside, to=to)
    print_answers(answered)
    if json_file:
        write_text(json_file, json.dumps(as_data(answered), indent=1, allow_nan=False) + "\n")
