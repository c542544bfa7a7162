"""``fedbounds new FILE``: a commented template that works, to be changed into one's own."""

from pathlib import Path

import click

from fedbounds.errors import FedboundsError

_SUFFIX = ".py"


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--key", default="me", show_default=True, help="Claims are called KEY/NAME.")
def new(file: str, key: str) -> None:
    """Write a commented template for a theorem of your own; FILE ends in .py."""
    from fedbounds.theory.catalogue import PAPERS

    from ..script_code import TEMPLATES

    path = Path(file)
    if path.suffix != _SUFFIX:
        raise FedboundsError(f"{file!r} does not end in {_SUFFIX}; try {file}{_SUFFIX}")
    if not key.isidentifier() or key in PAPERS:
        raise FedboundsError(
            f"key {key!r}; expected a name of letters, digits and _, not a paper's"
        )
    text = TEMPLATES.get_template("my_theorem.py.txt").render(file=path.name, key=key)
    try:
        with path.open("x", encoding="utf-8") as target:
            target.write(text)
    except FileExistsError as error:
        raise FedboundsError(f"{file!r} exists; choose another name") from error
    except OSError as error:
        raise FedboundsError(f"cannot write {file!r}: {error.strerror}") from error
    click.echo(f"{file}: a theory with one claim; try: fedbounds verify {file} --laws")
