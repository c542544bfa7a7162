"""Set-ups of random numbers: a theory says how they are made, whoever measures them draws."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from .setups import Number, Objective, Planned, PlannedLadder

_Option = TypeVar("_Option")


class Chance(Protocol):
    """Random numbers of a seed; arrays are nested lists."""

    given: int  # the seed

    def integers(self, low: int, high: int, shape: Any = ()) -> Any:
        """Whole numbers from ``low`` to ``high - 1``; one, if there is no shape."""

    def normal(self, shape: Any) -> Any:
        """Standard normal floats."""

    def choice(self, options: Sequence[_Option]) -> _Option:
        """One of them."""

    def randint(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``."""

    def random(self) -> float:
        """A number from 0 to 1."""

    def edges(
        self,
        algorithm: str,
        objective: Objective,
        start: Any,
        counts: Mapping[str, int],
        completed: Callable[[Mapping[str, Any]], Mapping[str, Any]],
    ) -> Iterable[tuple[str, dict[str, Number]]]:
        """Parameters at the edge of every claim's conditions that a problem can meet, once each.

        ``algorithm`` is what claims call it; ``counts`` are its sizes, and ``completed`` makes all
        parameters of those that claims prescribe. Numbers are rational, and inside the conditions.
        """


@dataclass(frozen=True)
class Drawn:
    """Set-ups of random numbers.

    Attributes
    ----------
    make : function of a `Chance` and a number
        So many times what one is.
    quick, default, thorough : int
        How many, in a plan of that name.
    floats : bool
        Whether none is to be measured in rationals.
    """

    make: Callable[[Chance, int], Iterator[Planned | PlannedLadder]]
    quick: int
    default: int
    thorough: int
    floats: bool = False
