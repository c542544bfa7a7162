"""``fedbounds new FILE``: a commented template that works, to be changed into one's own."""

import os
from pathlib import Path

import click

from fedbounds.errors import FedboundsError

from .options import OutputFile

_SUFFIX = ".py"


@click.command()
@click.argument("file", metavar="FILE", type=OutputFile())
@click.option("--key", default="me", show_default=True, help="Claims are called KEY/NAME.")
def new(file: Path, key: str) -> None:
    """Write a commented template for a theorem of your own; FILE ends in .py."""
    from fedbounds.theory.language.catalogue import PAPERS

    from ..results.files import write_text
    from ..setups.script_lines_of import TEMPLATES

    if file.suffix != _SUFFIX:
        raise FedboundsError(f"{str(file)!r} does not end in {_SUFFIX}; try {file}{_SUFFIX}")
    if not key.isidentifier() or key in PAPERS:
        raise FedboundsError(
            f"key {key!r}; expected a name of letters, digits and _, not a paper's"
        )
    if os.path.lexists(file):
        raise FedboundsError(f"{str(file)!r} exists; choose another name")
    write_text(file, TEMPLATES.get_template("my_theorem.py.txt").render(file=file.name, key=key))
    click.echo(f"{file}: a theory with one claim; try: fedbounds verify {file} --laws")
