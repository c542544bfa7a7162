"""Values by name, each made when it is first asked for: what no claim speaks of costs nothing."""

from collections import ChainMap
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(eq=False)
class Lazily(Mapping[str, Any]):
    """A mapping that makes its values.

    Attributes
    ----------
    names : collection of str
        All that may be there.
    make : function
        Of a name: its value; None where there is none, and the name is not there.
    """

    names: Collection[str]
    make: Callable[[str], Any]
    _made: dict[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = _value(name, self.make, name) if name in self.names else None
        if self._made[name] is None:
            raise KeyError(name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name in self.names if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


@dataclass(eq=False)
class Mapped(Mapping[str, Any]):
    """The values of a mapping as others, each made when it is first asked for.

    Attributes
    ----------
    values_of : mapping
    make : function
        Of a value there: the value here.
    """

    values_of: Mapping[str, Any]
    make: Callable[[Any], Any]
    _made: dict[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = _value(name, self.make, self.values_of[name])
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self.values_of

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_of)

    def __len__(self) -> int:
        return len(self.values_of)


def _value(name: str, make: Callable[[Any], Any], given: Any) -> Any:
    """What is missing while a value is made does not mean that there is none."""
    try:
        return make(given)
    except KeyError as error:
        raise RuntimeError(f"no {error} while {name!r} was made") from error


def together(*every: Mapping[str, Any]) -> Mapping[str, Any]:
    """All names; what the first says that has one."""
    maps: Any = every  # a chain of maps is written to nowhere
    return ChainMap(*maps)
