"""The command `fedbounds worst`."""

from pathlib import Path

import click

from fedbounds.errors import FedboundsError

from ...own.names import entry_named
from ..options import OutputFile, more_settings


@click.command()
@click.argument("claim_id", metavar="CLAIM")
@more_settings
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=NUMBER",
    help="n, m, K, T, d_u and d_v (0: no such block), gamma, eta_u, eta_v, L, F_0, b^2, B_0.",
)
@click.option("--part", "part", metavar="NAME", help="Which part of the claim; else the first.")
@click.option(
    "--json",
    "json_file",
    metavar="FILE",
    type=OutputFile(),
    help="Also write all of it to this file.",
)
@click.option(
    "--certificate",
    "certificate_file",
    metavar="FILE",
    type=OutputFile(),
    help="Write the certificate as `python -m fedbounds.theory.checker FILE` reads it.",
)
def worst(
    claim_id: str,
    more: tuple[str, ...],
    settings: tuple[str, ...],
    part: str | None,
    json_file: Path | None,
    certificate_file: Path | None,
) -> None:
    """The worst case of a claim's left side over all functions, as an interval.

    From below an exact instance of our families; from above PEPit's semidefinite program, an
    estimate, and its multipliers made rational, which are a proof. For few rounds and clients;
    needs the extra pep.
    """
    found = entry_named(claim_id)
    from fedbounds.theory.language.claims import Claim
    from fedbounds.theory.language.registry import encoded

    from ...results.files import write_text
    from ...results.records import dumps
    from .parameters import question
    from .show import as_data, lines
    from .solve import require_solver
    from .worst import refuse_conflict
    from .worst import worst as worst_of

    claim = encoded(found)
    if not isinstance(claim, Claim):
        raise FedboundsError(f"{found.id} has no inequality whose worst case could be sought")
    asked = question(claim, part, (*settings, *more))
    require_solver()
    answer = worst_of(asked)
    for line in lines(answer):
        click.echo(line)
    if json_file is not None:
        write_text(json_file, dumps(as_data(answer)))
    if certificate_file is not None:
        if answer.steps is None:
            raise FedboundsError("there is no certificate to write: nothing was certified")
        write_text(certificate_file, dumps({found.paper: answer.steps}))
    refuse_conflict(answer)
