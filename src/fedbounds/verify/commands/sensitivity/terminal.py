"""The rows of a sensitivity table on the terminal."""

import re
from collections.abc import Sequence
from fractions import Fraction

from rich.text import Text

from ...page.listing import columns, console
from ...page.numbers import listed, number
from ...page.plain import plain
from .row import Row

_LONGEST = 15  # characters of a fraction that is printed exactly
_STEPS = 3  # names of steps that are printed
_REASON = 150  # characters
_CELL = 80


def print_rows(rows: Sequence[Row]) -> None:
    """Numbers, how their bounds are known, then premises."""
    out = console()
    numbers = [row for row in rows if row.kind == "constant"]
    if numbers:
        table = columns(
            "part", "printed", "times", "where", "proof allows", "witness excludes", "so"
        )
        for row in numbers:
            cells = (row.part, row.printed, plain(row.times) if row.times else "", row.where)
            table.add_row(*map(Text, (*cells, short(row.proved), short(row.excluded), row.says)))
        out.print(table)
        out.print(
            "\none number at a time, the others as printed; of a condition the weakest number is "
            "asked for. The best one lies between what a witness excludes and what the proof "
            "allows.\n"
        )
        for row in numbers:
            out.print(Text(f"{_named(row)}{row.printed} in {row.where}"), soft_wrap=True)
            out.print(Text(f"  proof: {_cut(row.proved_by)}"), soft_wrap=True)
            out.print(Text(f"  witness: {_cut(row.excluded_by)}"), soft_wrap=True)
    else:
        out.print("no inequality of this claim has a right side with a number")
    premises = [row for row in rows if row.kind != "constant"]
    if premises:
        out.print()
        table = columns("part", "premise", "used in", "without it", "proof", "instances")
        for row in premises:
            cells = (row.part, row.printed, _used(row), row.says)
            table.add_row(*map(Text, (*cells, _cut(row.proved_by, _CELL), row.excluded_by)))
        out.print(table)


def short(text: str) -> str:
    """Long fractions as decimals; the exact ones are in the CSV.

    Examples
    --------
    >>> short("below 27/14"), short("above 123456789/987654321")
    ('below 27/14', 'above ≈0.125')
    """

    def decimal(found: re.Match[str]) -> str:
        text = found[0]
        return text if len(text) <= _LONGEST else f"≈{number(str(Fraction(text)), 4)}"

    return re.sub(r"-?\d+(/\d+)?", decimal, text)


def _named(row: Row) -> str:
    return f"part {row.part}: " if row.part else ""


def _cut(text: str, most: int = _REASON) -> str:
    return text if len(text) <= most else text[:most].rpartition(" ")[0] + " …"


def _used(row: Row) -> str:
    """Steps that use a premise directly; of the others only how many."""
    names = [*row.directly[:_STEPS]]
    left_out = len(row.directly) - len(names)
    names += [f"{left_out} more"] if left_out else []
    told = listed(names) if names else "no step directly"
    return told + (f"; through them {len(row.through)} more" if row.through else "")
