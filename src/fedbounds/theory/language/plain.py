"""Numbers and formulas of set-ups as plain data."""

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

import sympy as sp

from fedbounds.errors import FedboundsError

from ..proof.read_text import read_text
from .symbols import t


def numbers(value: Any) -> Any:
    """Numbers, or nested sequences of them, as plain data: whole ones as int, others as "p/q".

    Raises
    ------
    FedboundsError
        If an entry is no rational number, nor a formula.
    """
    if type(value) is int:  # most entries are: nothing is read of them
        return value
    if isinstance(value, list | tuple):
        kinds = set(map(type, value))  # long starts are of one kind
        if kinds <= {int}:
            return tuple(value)
        return tuple(map(_text if kinds == {str} else numbers, value))
    return _text(value) if isinstance(value, str) else _number(value)


@lru_cache(maxsize=1 << 16)  # most entries of a long start are among a few
def _text(value: str) -> int | str:
    if value.replace("_", "").isidentifier():
        return value
    try:
        return _number(value)
    except FedboundsError:
        if not is_formula(value):
            raise
    formula(value)
    return value


def _number(value: Any) -> int | str:
    try:
        found = Fraction(str(value))
    except ValueError as error:
        raise FedboundsError(f"{value!r} in a set-up; expected a rational number") from error
    return int(found) if found.denominator == 1 else str(found)


def is_formula(value: Any) -> bool:
    """Whether data are a formula with names in it, rather than a number."""
    return isinstance(value, str) and any(letter.isalpha() for letter in value)


def formula(text: str) -> sp.Expr:
    """What a formula of a set-up says: sums, products and powers of t, constants and numbers."""
    return read_text(text, lambda name: t if name == t.name else sp.Symbol(name), {})


def pairs(given: Any) -> tuple[tuple[str, Any], ...]:
    """Pairs of a name and such data."""
    every = given.items() if isinstance(given, Mapping) else given
    return tuple((str(name), numbers(value)) for name, value in every)
