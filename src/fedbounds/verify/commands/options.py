"""Types of options that are checked before any work: where output goes, and a device. Light.

Every option that names an output has one of these types; a test walks all commands.
"""

from pathlib import Path
from typing import Any

import click

from fedbounds.errors import FedboundsError, require

from ..results.files import require_folder, require_writable

# `--set n=10 m=5`: what follows the first value is an argument to click
more_settings = click.argument("more", nargs=-1, metavar="[NAME=NUMBER]...")


def pairs(option: str, texts: tuple[str, ...]) -> dict[str, str]:
    """NAME=TEXT options as a mapping."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = (piece.strip() for piece in text.partition("="))
        if not (name and equals and value):
            raise FedboundsError(f"{option} {text!r}: expected NAME=VALUE, such as n=100")
        require(name not in found, f"{option} {name}", "given twice", "one value")
        found[name] = value
    return found


class OutputFile(click.Path):
    """A file to be written, or a device.

    Parameters
    ----------
    suffixes : str
        Endings that it may have, such as ".pdf"; any if none is given.
    """

    def __init__(self, *suffixes: str) -> None:
        super().__init__(dir_okay=False)  # which names it FILE in the help
        self.suffixes = suffixes

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path, if it can be written."""
        path = Path(value)
        try:
            known = not self.suffixes or path.suffix in self.suffixes
            require(known, f"format of {value!r}", path.suffix, ", ".join(self.suffixes))
            require_writable(path)
        except FedboundsError as error:
            self.fail(str(error), param, ctx)
        return path


class OutputFolder(click.Path):
    """A folder to write into, which may be missing."""

    def __init__(self) -> None:
        super().__init__(file_okay=False)  # which names it DIRECTORY in the help

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path, if it is a folder or one can be made there."""
        path = Path(value)
        try:
            require_folder(path)
        except FedboundsError as error:
            self.fail(str(error), param, ctx)
        return path


def _there(ctx: click.Context, param: click.Parameter, name: str) -> Any:
    """The device, if it and its library are there."""
    from ..measure.device import Device, namespace

    try:
        namespace(Device(name))
    except FedboundsError as error:
        raise click.BadParameter(str(error), ctx, param) from error
    return Device(name)


device_option = click.option(
    "--device",
    default="cpu",
    show_default=True,
    type=click.Choice(["cpu", "cuda"]),
    callback=_there,
    help="Where simulations run; cuda needs the extra of that name.",
)
