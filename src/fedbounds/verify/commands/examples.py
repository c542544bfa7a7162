"""``fedbounds examples``: theorems of the literature that come with the package."""

import click


@click.command()
def examples() -> None:
    """List theorems of the literature; `fedbounds verify example:NAME` judges one."""
    from ..own.examples import ALL, EXAMPLE, described, names

    for name in names():
        one = described(name)
        click.echo(f"{EXAMPLE}{name}\n    {one.about}\n    {one.reference}")
    click.echo(f"judge one: fedbounds verify {EXAMPLE}{names()[0]}; all: fedbounds verify {ALL}")
