"""Numbers as a program of the settings states them."""

from textwrap import wrap
from typing import Any

from flint import fmpq

from ..script_code import assigned

_LONG = 80  # characters of a number on one line


def given_numbers(numbers: dict[str, Any]) -> str:
    """Names and their numbers, one statement a line; a long number is written in pieces."""
    long = {name: str(fmpq(x)) for name, x in numbers.items() if len(str(fmpq(x))) > _LONG}
    short = {name: x for name, x in numbers.items() if name not in long}
    lines = [assigned(short)] if short else []
    for name, text in long.items():
        pieces = wrap(text, _LONG)
        lines.append(f"{name} = Q(" + "\n    ".join(f'"{piece}"' for piece in pieces) + ")")
    return "\n".join(lines)
