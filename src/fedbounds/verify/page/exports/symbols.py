"""Every symbol of the claims: its name to type, its notation, its sign, and who uses it.

A constant is one of `fedbounds.facts.Constant`, which a record states with its provenance;
every other number of a claim is a parameter, of the algorithm or of the setting.
"""

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import sympy as sp
from rich.text import Text

from fedbounds.facts import Constant
from fedbounds.theory.language.catalogue import PAPERS, Entry
from fedbounds.theory.language.registry import encoded
from fedbounds.theory.language.symbols import (
    SHARED,
    Max_t,
    Mean_t,
    Min_t,
    Min_to,
    Prod_to,
    RunOperator,
    Sum_t,
    VectorSymbol,
    constants_in,
    quantities_in,
)
from fedbounds.theory.proof.library import names_of
from fedbounds.verify.page.listing import columns, console

from .table import Column, Table, table

Row = tuple[str, str, str, str, str, bool]

_OPERATORS = {
    Mean_t: r"\frac1T\sum_{t=0}^{T-1}",
    Sum_t: r"\sum_{t=0}^{T-1}",
    Max_t: r"\max_{0\le t<T}",
    Min_t: r"\min_{0\le t<T}",
    Prod_to: r"\prod_{s=0}^{t}",
    Min_to: r"\min_{0\le s\le t}",
}
_SOURCES = ("past", "S", "xi", "i", "k")
_PRINTED = ("name", "kind", "sign", "meaning", "papers", "claims")


def symbol_table(entries: Sequence[Entry], *, all_symbols: bool) -> Table:
    """A row per symbol.

    Parameters
    ----------
    entries : sequence of Entry
        Whose claims are asked about; the claims of a row are among them.
    all_symbols : bool
        Also those that no claim uses: some stand in proofs alone.
    """
    # a name may stand for one thing in one theory and for another in the next
    claims: dict[Row, list[str]] = {}
    for key in dict.fromkeys(entry.paper for entry in entries):
        used = _used([entry for entry in entries if entry.paper == key])
        for row in _rows(key):
            claims.setdefault(row, []).extend(used.get(row[0], []))
    names = ("name", "kind", Column("latex", math=True), Column("meaning", width=0.3))
    return table(
        (*names, "sign", "integer", "papers", "claims"),
        [
            (*row, list(dict.fromkeys(c.partition("/")[0] for c in own)), own)
            for row, own in claims.items()
            if own or all_symbols
        ],
        data=["claims"],
    )


def _rows(theory: str) -> Iterator[Row]:
    """Name, kind, LaTeX, meaning, sign and whether it is an integer."""
    names, constants = names_of(theory), set(Constant)
    own = frozenset() if theory in PAPERS else names.quantities - SHARED.quantities
    for name, meaning in names.meanings.items():
        if name in names.constants:
            symbol = names.constants[name]
            kind = "constant" if name in constants else "parameter"
            yield name, kind, meaning.latex, meaning.text, _sign(symbol), bool(symbol.is_integer)
        else:
            kind = "own quantity" if name in own else "quantity"
            sign = "any" if name in names.signed else ">= 0"
            yield name, kind, meaning.latex, meaning.text, sign, False
    for operator, latex in _OPERATORS.items():
        words = str(operator.__doc__).rstrip(".")
        yield operator.__name__, "run operator", latex, words, "of its argument", False
    for name, latex in names.vectors.items():
        kind = "source of randomness" if name in _SOURCES else "vector"
        yield name, kind, latex, "", "", False


def _sign(symbol: sp.Symbol) -> str:
    if symbol.is_positive:
        return "> 0"
    return ">= 0" if symbol.is_nonnegative else "any"


def _used(entries: Sequence[Entry]) -> dict[str, list[str]]:
    """Names of symbols with the ids of the claims whose expressions have them."""
    found: dict[str, list[str]] = {}
    for entry in entries:
        if entry.module:
            names: set[str] = set()
            for expression in _expressions(encoded(entry)):
                names |= _names(expression)
            for name in sorted(names):
                found.setdefault(name, []).append(entry.id)
    return found


def _names(expression: sp.Basic) -> set[str]:
    symbols = {s.name for s in expression.atoms(VectorSymbol)}
    operators = {type(one).__name__ for one in expression.atoms(RunOperator)}
    return symbols | operators | constants_in(expression) | quantities_in(expression)


def _expressions(thing: Any) -> Iterator[sp.Basic]:
    """Every SymPy expression in a claim of whatever kind."""
    if isinstance(thing, sp.Basic):
        yield thing
    elif isinstance(thing, dict):
        yield from _expressions(list(thing.values()))
    elif isinstance(thing, (list, tuple)):
        for one in thing:
            yield from _expressions(one)
    elif is_dataclass(thing) and not isinstance(thing, type):
        for field in fields(thing):
            yield from _expressions(getattr(thing, field.name))


def print_symbols(found: Table) -> None:
    """Print them without their LaTeX, and of the claims only how many."""
    out = console()
    shown = columns(*_PRINTED)
    for row in found.rows:
        cells = dict(zip(found.names, row, strict=True))
        cells["sign"] += ", integer" if cells["integer"] else ""
        cells["papers"] = ", ".join(cells["papers"])
        cells["claims"] = str(len(cells["claims"]))
        shown.add_row(*(Text(cells[name]) for name in _PRINTED))
    out.print(shown)
    out.print(f"\n{len(found.rows)} symbols; `--format` gives their LaTeX and claims")
