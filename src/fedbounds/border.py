"""Data from outside: a file of JSON becomes plain data of a known shape, or one line says why not.

A shape is a function of a value that raises `Unfit`; shapes are built from smaller ones and say
everything that the reader relies on: every field, its type, the words that it may hold. What JSON
itself lets through (NaN, a name twice, half of a character) fits no shape.
"""

import gc
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from math import isfinite
from pathlib import Path
from typing import Any

from fedbounds.errors import FedboundsError

Shape = Callable[[Any], None]

_LONGEST = 60  # characters of a value that a message shows
_DEEPEST = 40  # levels of data without a shape of their own
_FEW = 8  # at most so many words are told
_MOST = 10**15  # of anything that is counted
_LARGEST = 10**300
_NUMBER = re.compile(r"-?\d++(?:/\d++|(?:\.\d++)?+(?:[eE][-+]?\d{1,3})?+)", re.ASCII)


class Unfit(Exception):
    """A value that does not fit: why, and where it stands."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.place: tuple[str | int, ...] = ()

    def within(self, name: str | int) -> "Unfit":
        """The same, one level further out."""
        self.place = (name, *self.place)
        return self

    def __str__(self) -> str:
        return f"{''.join(map(_step, self.place)).removeprefix('.') or 'it'} {super().__str__()}"


def _step(name: str | int) -> str:
    short = isinstance(name, str) and name.isidentifier() and len(name) <= _LONGEST
    return f".{name}" if short else f"[{_shown(name)}]"


def _unfit(value: Any, expected: str) -> Unfit:
    return Unfit(f"is {_shown(value)}; expected {expected}")


def _shown(value: Any) -> str:
    match value:
        case _Foreign(what=what):
            return what
        case dict():
            return "an object"
        case list():
            return "a list"
        case str() if len(value) > _LONGEST:
            return f"{value[:_LONGEST]!r}..."
    shown = repr(value)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}..."


# ---- reading


@dataclass(frozen=True)
class _Foreign:
    """What JSON has no value for; it fits no shape."""

    what: str


def load(path: Path, mend: str) -> tuple[dict[str, Any], bytes]:
    """The object in a file, and the file's bytes.

    Parameters
    ----------
    path : Path
    mend : str
        What to do where it cannot be read.

    Raises
    ------
    FedboundsError
        If there is no such file, or no object in it.
    """
    try:
        raw = path.read_bytes()
    except FileNotFoundError as error:
        raise FedboundsError(f"no results file {str(path)!r}") from error
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise FedboundsError(f"cannot read {str(path)!r}: {why}; {mend}") from error
    try:
        data = _parsed(raw)
    except (ValueError, RecursionError) as error:
        why = "nested too deeply" if isinstance(error, RecursionError) else error
        raise _corrupt(path, why, mend) from error
    if not isinstance(data, dict):
        raise _corrupt(path, f"it holds {_shown(data)}, expected an object", mend)
    return data, raw


def fit(path: Path, data: Any, shape: Shape, mend: str) -> None:
    """Raise unless the data of a file have this shape.

    Raises
    ------
    FedboundsError
        In one line, with the file and the field.
    """
    try:
        shape(data)
    except (Unfit, RecursionError) as error:
        why = "nested too deeply" if isinstance(error, RecursionError) else error
        raise _corrupt(path, why, mend) from error


def _corrupt(path: Path, why: object, mend: str) -> FedboundsError:
    return FedboundsError(f"results file {str(path)!r} is corrupt ({why}); {mend}")


def _parsed(raw: bytes) -> Any:
    text = raw.decode("utf-8")
    hooks: dict[str, Any] = {"object_pairs_hook": _object, "parse_constant": _Foreign}
    collecting = gc.isenabled()
    gc.disable()  # a million small objects, none of them in a cycle
    try:
        return json.loads(text, **hooks)
    except json.JSONDecodeError:
        raise
    except ValueError:  # an integer of more digits than Python reads
        return json.loads(text, parse_int=_integer, **hooks)
    finally:
        if collecting:
            gc.enable()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        found |= {name: _Foreign("given twice") for name in names if names.count(name) > 1}
    return found


def _integer(text: str) -> int | _Foreign:
    try:
        return int(text)
    except ValueError:
        return _Foreign(f"a number of {len(text)} digits")


# ---- shapes of single values


def text(value: Any) -> None:
    """Characters that can be shown: no control characters, no halves."""
    if type(value) is not str or not (value.isprintable() or _can_be_shown(value)):
        raise _unfit(value, "text")


def _can_be_shown(value: str) -> bool:
    return all(c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs") for c in value)


def flag(value: Any) -> None:
    """True or false."""
    if type(value) is not bool:
        raise _unfit(value, "true or false")


def count(value: Any) -> None:
    """A whole number of things."""
    if type(value) is not int or not 0 <= value <= _MOST:
        raise _unfit(value, f"a whole number, 0 to {_MOST:.0e}")


def real(value: Any) -> None:
    """A finite number; a whole one no larger than a float can be."""
    finite = type(value) is float and isfinite(value)
    if not finite and not (type(value) is int and abs(value) <= _LARGEST):
        raise _unfit(value, "a finite number")


def number(value: Any) -> None:
    """A finite number, or one as text: "p/q" or a decimal."""
    if type(value) is str:
        if not _NUMBER.fullmatch(value):
            raise _unfit(value, 'a number or "p/q"')
    else:
        real(value)


def anything(value: Any, depth: int = 0) -> None:
    """Plain data of any form, such as the numbers of an instance, which its own reader checks."""
    if depth > _DEEPEST:
        raise _unfit(value, f"at most {_DEEPEST} levels")
    if isinstance(value, dict):
        for name, inner in value.items():
            _inside(name, inner, lambda x: anything(x, depth + 1))
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            _inside(at, inner, lambda x: anything(x, depth + 1))
    elif type(value) is str:
        text(value)
    elif value is not None and type(value) is not bool:
        real(value)


def _inside(name: str | int, value: Any, shape: Shape) -> None:
    try:
        if type(name) is str:
            text(name)
        shape(value)
    except Unfit as error:
        raise error.within(name) from None


# ---- shapes made of others


def word(words: Iterable[str]) -> Shape:
    """One of these words."""
    known = frozenset(map(str, words))
    several = ", ".join(sorted(known)) if len(known) <= _FEW else "a word that is known here"

    def check(value: Any) -> None:
        if type(value) is not str or value not in known:
            raise _unfit(value, several)

    return check


def matching(pattern: str, meaning: str) -> Shape:
    """Text of this form."""
    form = re.compile(pattern, re.ASCII)

    def check(value: Any) -> None:
        if type(value) is not str or not form.fullmatch(value):
            raise _unfit(value, meaning)

    return check


def optional(shape: Shape) -> Shape:
    """That, or null."""

    def check(value: Any) -> None:
        if value is not None:
            shape(value)

    return check


def listed(shape: Shape) -> Shape:
    """A list of such values."""

    def check(value: Any) -> None:
        if type(value) is not list:
            raise _unfit(value, "a list")
        for at, inner in enumerate(value):
            try:
                shape(inner)
            except Unfit as error:
                raise error.within(at) from None

    return check


def pair(shape: Shape) -> Shape:
    """A list of two such values."""
    each = listed(shape)

    def check(value: Any) -> None:
        each(value)
        if len(value) != 2:
            raise _unfit(value, "two values")

    return check


def named(shape: Shape, names: Shape = text) -> Shape:
    """An object of such values by names of a shape."""

    def check(value: Any) -> None:
        if type(value) is not dict:
            raise _unfit(value, "an object")
        for name, inner in value.items():
            try:
                names(name)
                shape(inner)
            except Unfit as error:
                raise error.within(name) from None

    return check


def fields(required: Mapping[str, Shape], also: Mapping[str, Shape] | None = None) -> Shape:
    """An object with these fields, perhaps some of the others, and none besides."""
    first, more = tuple(required.items()), dict(also or {})

    def check(value: Any) -> None:
        if type(value) is not dict:
            raise _unfit(value, "an object")
        name = ""
        try:
            for name, shape in first:
                shape(value[name])
            if len(value) > len(first):
                for name in sorted(value.keys() - required.keys()):
                    more[name](value[name])
        except Unfit as error:
            raise error.within(name) from None
        except KeyError:
            raise _absent(name, value, [*required, *more]).within(name) from None

    return check


def holding(required: Mapping[str, Shape], also: Mapping[str, Shape] | None = None) -> Shape:
    """An object with these fields, perhaps some of the others; what else it has is not read."""
    every = (*required.items(), *(also or {}).items())

    def check(value: Any) -> None:
        if type(value) is not dict:
            raise _unfit(value, "an object")
        for name, shape in every:
            if name in value:
                _inside(name, value[name], shape)
            elif name in required:
                raise Unfit("is missing").within(name)

    return check


def _absent(name: str, value: Mapping[str, Any], known: Iterable[str]) -> Unfit:
    if name not in value:
        return Unfit("is missing")
    nearest = get_close_matches(name, known, 1)
    return Unfit("is no known field" + (f"; expected {nearest[0]!r}" if nearest else ""))
