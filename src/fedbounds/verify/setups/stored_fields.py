"""The fields of a stored instance: their types, ranges and shapes, which one reader checks.

A description is data: a `Record` says which fields make an object, and of what kind each is. What
does not fit is refused in one line that names the field, what was expected and what was given.
Counts and sizes have names (n, d, K): where a name returns, the number must be the same.
"""

import re
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol

import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError, unknown_name
from fedbounds.problems.linear import rational

from .setup_data import class_name

Data = Any
MOST_COUNT = 1_000_000  # of anything
MOST_DIGITS = 60  # of a numerator or a denominator
_NUMBER = re.compile(r"(-?[0-9]+)(?:/([0-9]+))?")
_SHOWN = reprlib.Repr()
_SHOWN.maxlevel, _SHOWN.maxlist, _SHOWN.maxdict = 2, 4, 4


@dataclass
class Known:
    """What was read so far: counts by name, and the most digits of a number."""

    counts: dict[str, int] = field(default_factory=dict)
    digits: int = 1

    def count(self, of: int | str) -> int | None:
        """A count, a known one by its name, or a difference such as "n - 1"; None if not known."""
        if isinstance(of, int):
            return of
        first, _, less = of.partition(" - ")
        found = self.counts.get(first)
        if found is None or not less:
            return found
        other = int(less) if less.isdigit() else self.counts.get(less)
        return None if other is None else found - other

    def agree(self, name: int | str, count: int) -> bool:
        """Whether a count is the known one of that name; it becomes so if there is none."""
        known = self.count(name)
        if known is None and isinstance(name, str):
            self.counts[name] = count
        return known is None or known == count

    def text(self, of: int | str) -> str:
        """A count with its name."""
        count = self.count(of)
        return str(of) if count is None or isinstance(of, int) else f"{of} = {count}"


class Kind(Protocol):
    """What a field may hold."""

    def read(self, data: Data, where: str, known: Known) -> Any:
        """The value that the data stand for.

        Raises
        ------
        FedboundsError
            If they do not fit; the message names the place.
        """


Fields = Mapping[str, Kind]


def wrong(where: str, data: Data, expected: str) -> FedboundsError:
    """The error for a field that holds something else."""
    return FedboundsError(f"{where} is {_SHOWN.repr(data)}; expected {expected}")


def untagged(data: Data, tag: str) -> Data:
    """What stands under a tag of ``setup_data.encoded``, if it is the only one; else the data."""
    return data[tag] if isinstance(data, dict) and list(data) == [tag] else data


@dataclass(frozen=True)
class Whole:
    """An integer from ``least`` to ``most``, each a number or the name of a count.

    ``count`` is the name under which it counts.
    """

    least: int | str = 1
    most: int | str = MOST_COUNT
    count: str = ""

    def read(self, data: Data, where: str, known: Known) -> int:
        """See `Kind`."""
        low, high = (known.count(end) for end in (self.least, self.most))
        low, high = 0 if low is None else low, MOST_COUNT if high is None else high
        if type(data) is not int or not low <= data <= high:
            least, most = known.text(self.least), known.text(self.most)
            raise wrong(where, data, f"an integer, at least {least}, at most {most}")
        if self.count and not known.agree(self.count, data):
            raise wrong(where, data, f"{self.count} = {known.count(self.count)}, as before")
        return data


@dataclass(frozen=True)
class Number:
    """A rational, exactly: an integer or "p/q"; within the bounds that are given."""

    least: int | None = None
    above: int | None = None
    most: int | None = None

    def read(self, data: Data, where: str, known: Known) -> fmpq:
        """See `Kind`."""
        found = _rational(untagged(data, "rational"))
        if found is None:
            raise wrong(where, data, f'a number or "p/q", of at most {MOST_DIGITS} digits each')
        known.digits = max(known.digits, *(len(str(abs(int(x)))) for x in (found.p, found.q)))
        bounds = {">=": self.least, ">": self.above, "<=": self.most}
        asked = [f"{sign} {bound}" for sign, bound in bounds.items() if bound is not None]
        if not (
            (self.least is None or found >= self.least)
            and (self.above is None or found > self.above)
            and (self.most is None or found <= self.most)
        ):
            raise wrong(where, data, f"a number {' and '.join(asked)}")
        return found


def _rational(data: Data) -> fmpq | None:
    """An int, a finite float or text as a rational of few digits; None for anything else."""
    if isinstance(data, str):
        matched = _NUMBER.fullmatch(data)
        if matched is None or max(len(x or "") for x in matched.groups()) > MOST_DIGITS + 1:
            return None
        top, bottom = int(matched[1]), int(matched[2] or 1)
        found = fmpq(top, bottom) if bottom else None
    elif type(data) is int or (type(data) is float and np.isfinite(data)):
        found = rational(data)
    else:
        return None
    few = found is not None and max(abs(found.p), found.q) < 10**MOST_DIGITS
    return found if few else None


@dataclass(frozen=True)
class WholeNumber:
    """The same as an integer, written like a `Number`."""

    whole: Whole

    def read(self, data: Data, where: str, known: Known) -> fmpq:
        """See `Kind`."""
        found = Number().read(data, where, known)
        self.whole.read(int(found.p) if found.q == 1 else str(found), where, known)
        return found


@dataclass(frozen=True)
class Text:
    """A text of at most 200 characters."""

    def read(self, data: Data, where: str, known: Known) -> str:
        """See `Kind`."""
        if not isinstance(data, str) or len(data) > 200 or not data.isprintable():
            raise wrong(where, data, "a short text")
        return data


@dataclass(frozen=True)
class Word:
    """One of these words."""

    words: tuple[str, ...]

    def read(self, data: Data, where: str, known: Known) -> str:
        """See `Kind`."""
        if not isinstance(data, str):
            raise wrong(where, data, f"a name, one of {', '.join(self.words)}")
        if data not in self.words:
            raise unknown_name(where, data[:60], self.words)
        return data


@dataclass(frozen=True)
class Choice:
    """One of some members of an enumeration."""

    members: tuple[Enum, ...]

    def read(self, data: Data, where: str, known: Known) -> Enum:
        """See `Kind`."""
        value = data
        if isinstance(data, dict):
            if data.keys() != {"enum", "value"} or data["enum"] != class_name(
                type(self.members[0])
            ):
                raise wrong(where, data, f"one of {class_name(type(self.members[0]))}")
            value = data["value"]
        by_word = {str(member.value): member for member in self.members}
        return by_word[Word(tuple(by_word)).read(value, where, known)]


@dataclass(frozen=True)
class Either:
    """One of several kinds, by the tag of ``setup_data.encoded``; "" stands for data without."""

    kinds: Mapping[str, Kind]

    def read(self, data: Data, where: str, known: Known) -> Any:
        """See `Kind`."""
        tag = next(iter(data), "") if isinstance(data, dict) else ""
        kind = self.kinds.get(tag) or next(iter(self.kinds.values()))
        return kind.read(data, where, known)


@dataclass(frozen=True)
class Maybe:
    """A kind, or nothing."""

    kind: Kind

    def read(self, data: Data, where: str, known: Known) -> Any:
        """See `Kind`."""
        return None if data is None else self.kind.read(data, where, known)


@dataclass(frozen=True)
class Listed:
    """A tuple of one kind; ``length`` is a number or the name of a count.

    ``own`` names the counts that differ from entry to entry.
    """

    kind: Kind
    length: int | str = ""
    own: tuple[str, ...] = ()
    least: int = 1

    def read(self, data: Data, where: str, known: Known) -> tuple[Any, ...]:
        """See `Kind`."""
        items = untagged(data, "tuple")
        if not isinstance(items, list) or len(items) < self.least:
            raise wrong(where, data, f"a list of at least {self.least}")
        if self.length and not known.agree(self.length, len(items)):
            raise FedboundsError(
                f"{where} has {len(items)} entries; expected {known.text(self.length)}"
            )
        found = []
        for at, item in enumerate(items):
            for name in self.own:
                known.counts.pop(name, None)
            found.append(self.kind.read(item, f"{where}[{at}]", known))
        return tuple(found)


@dataclass(frozen=True)
class Row:
    """A tuple with an entry of each of these kinds."""

    kinds: tuple[Kind, ...]

    def read(self, data: Data, where: str, known: Known) -> tuple[Any, ...]:
        """See `Kind`."""
        items = untagged(data, "tuple")
        if not isinstance(items, list) or len(items) != len(self.kinds):
            raise wrong(where, data, f"a list of {len(self.kinds)}")
        rows = enumerate(zip(self.kinds, items, strict=True))
        return tuple(kind.read(item, f"{where}[{at}]", known) for at, (kind, item) in rows)


@dataclass(frozen=True)
class Numbers:
    """An array of rationals; each axis is a number or the name of a count."""

    axes: tuple[int | str, ...]
    entry: Number = Number()

    def read(self, data: Data, where: str, known: Known) -> np.ndarray:
        """See `Kind`."""
        if isinstance(data, dict):
            shape, flat = self._tagged(data, where)
        else:
            shape, flat = _shape(data), _flat(data)
        if len(shape) != len(self.axes):
            raise FedboundsError(
                f"{where} has {len(shape)} dimensions; expected {len(self.axes)}: {self._expected}"
            )
        if not all(known.agree(axis, size) for axis, size in zip(self.axes, shape, strict=True)):
            axes = ", ".join(map(known.text, self.axes))
            raise FedboundsError(f"{where} has shape {shape}; expected ({axes})")
        if len(flat) != np.prod(shape):
            raise FedboundsError(f"{where} has rows of different lengths; expected {shape}")
        found = np.empty(len(flat), dtype=object)
        found[:] = [self.entry.read(x, f"an entry of {where}", known) for x in flat]
        return found.reshape(shape)

    @property
    def _expected(self) -> str:
        return f"({', '.join(map(str, self.axes))})"

    def _tagged(self, data: Data, where: str) -> tuple[tuple[int, ...], list[Data]]:
        match data:
            case {"array": list(flat), "shape": list(shape), "dtype": "|O"} if len(data) == 3:
                if all(type(x) is int and 0 <= x <= MOST_COUNT for x in shape):
                    return tuple(shape), flat
        raise wrong(where, data, f"an array {self._expected} of rationals, with its shape")


def _shape(data: Data) -> tuple[int, ...]:
    """Of nested lists, as their first entries tell."""
    found: list[int] = []
    while isinstance(data, list) and len(found) < 4:
        found.append(len(data))
        data = data[0] if data else None
    return tuple(found)


def _flat(data: Data) -> list[Data]:
    rows = [data]
    for _ in _shape(data):
        rows = [x for row in rows for x in (row if isinstance(row, list) else [row])]
    return rows


@dataclass(frozen=True)
class Record:
    """An object of a dataclass, made from exactly these fields.

    Attributes
    ----------
    make : type or function
        Called with the values by name.
    fields : mapping from name to kind
        Read in this order.
    tagged : bool
        Whether the data name the type, as ``setup_data.encoded`` does.
    """

    make: Callable[..., Any]
    fields: Fields
    tagged: bool = True

    def read(self, data: Data, where: str, known: Known) -> Any:
        """See `Kind`."""
        return made(self.make, self.values(data, where, known), where)

    def values(self, data: Data, where: str, known: Known) -> dict[str, Any]:
        """The values of the fields."""
        if not self.tagged:
            return values_of(self.fields, data, where, known)
        name = class_name(self.make)
        if not isinstance(data, dict) or data.keys() != {"type", "fields"} or data["type"] != name:
            raise wrong(where, data, f"a stored {name.partition(':')[2]}")
        return values_of(self.fields, data["fields"], where, known)


def values_of(fields: Fields, data: Data, where: str, known: Known) -> dict[str, Any]:
    """The value of every field, and of no other."""
    check_names(tuple(fields), data, where)
    return {name: kind.read(data[name], f"{where}.{name}", known) for name, kind in fields.items()}


def check_names(names: tuple[str, ...], data: Data, where: str) -> None:
    """Raise unless the data are an object with these fields, and no others."""
    if not isinstance(data, dict):
        raise wrong(where, data, f"an object with {', '.join(names)}")
    for name in names:
        if name not in data:
            raise FedboundsError(f"{where} has no {name!r}; expected {', '.join(names)}")
    for name in data:
        if name not in names:
            raise unknown_name(f"field of {where}", name[:60], names)


def made(make: Callable[..., Any], values: Mapping[str, Any], where: str) -> Any:
    """The object of these values; what it refuses is told with its place."""
    try:
        return make(**values)
    except FedboundsError as error:
        raise FedboundsError(f"{where}: {error}") from error
