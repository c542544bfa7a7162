"""The command ``fedbounds selftest``: plant every known error, and show what catches it."""

from typing import TYPE_CHECKING

import click

from fedbounds.errors import unknown_name

if TYPE_CHECKING:
    from .planted import Planted

_BUG = 3  # the exit status of a bug of this suite


@click.command()
@click.option(
    "--only", multiple=True, metavar="NAME", help="This error, or all of this kind; repeatable."
)
@click.option("--list", "listed", is_flag=True, help="List the errors; run nothing.")
def selftest(only: tuple[str, ...], listed: bool) -> None:
    """Plant known errors; show which check catches each.

    Every check is also asked of the original, which it must not flag. The exit status is 0 if
    every error is caught and no original is flagged, and 3, a bug of this suite, if not.
    """
    from .catalogue import CATALOGUE
    from .planted import Outcome, attempt
    from .tables import print_list, print_trials

    chosen = _chosen(CATALOGUE, only)
    if listed:
        print_list(chosen)
        return
    trials = [attempt(planted) for planted in chosen]
    print_trials(trials)
    failed = [trial.planted.name for trial in trials if trial.outcome is not Outcome.CAUGHT]
    if failed:
        click.echo(
            f"fedbounds: a bug of fedbounds, please report it: {', '.join(failed)}", err=True
        )
        raise click.exceptions.Exit(_BUG)


def _chosen(every: "tuple[Planted, ...]", only: tuple[str, ...]) -> "tuple[Planted, ...]":
    """The errors of these names and kinds, in order; all if none is named."""
    known = {error.name for error in every} | {error.kind.value for error in every}
    for name in only:
        if name not in known:
            raise unknown_name("planted error", name, known)
    if not only:
        return every
    return tuple(error for error in every if error.name in only or error.kind.value in only)
