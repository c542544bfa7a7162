"""What a replay may cost, counted before anything is run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log2
from types import SimpleNamespace
from typing import Any

from fedbounds.errors import FedboundsError

from .stored_fields import Data, Known, Record, made

MOST_WORK = 1e8  # about a minute
_SHORT = 100  # digits of numbers that cost twice as much as the shortest
_GROWS = 1.25  # the power of their length that longer ones cost
KEPT = 20  # a number that is kept costs as much as so many that are not: it takes memory
_LARGEST = 1000  # as a power of two


@dataclass(frozen=True)
class Cost:
    """How many multiplications, and how many of them follow on one another.

    Digits grow with each that follows.
    """

    operations: float
    depth: float = 1


@dataclass(frozen=True)
class Setup:
    """A set-up that a case may have.

    Attributes
    ----------
    record : Record
        Its fields.
    cost : function
        From an object with the values of the fields, before they are put together.
    algorithm : str or function of the set-up
        The name that claims use.
    fits : function of the set-up, or None
        Raises where what is defined elsewhere does not admit it.
    """

    record: Record
    cost: Callable[[Any], Sequence[Cost]]
    algorithm: str | Callable[[Any], str]
    fits: Callable[[Any], None] | None = None

    def read(self, data: Data, where: str) -> Any:
        """The set-up, if it is one and not too large."""
        known = Known()
        values = self.record.values(data, where, known)
        check(self.cost(SimpleNamespace(**values)), known, where)
        found = made(self.record.make, values, where)
        if self.fits is not None:
            self.fits(found)
        return found

    def algorithm_of(self, setup: Any) -> str:
        """The name for a set-up that was read."""
        return self.algorithm if isinstance(self.algorithm, str) else self.algorithm(setup)


def power(base: float, exponent: float) -> float:
    """``base ** exponent`` for a base of at least 1; what is too large for a float is 2^1000."""
    return float(2.0 ** min(exponent * log2(base), _LARGEST))


def check(costs: Sequence[Cost], known: Known, where: str) -> None:
    """Raise unless a replay that costs so much is to be run."""
    lengths = [1 + cost.depth * known.digits / _SHORT for cost in costs]
    work = sum(
        cost.operations * power(length, _GROWS) for cost, length in zip(costs, lengths, strict=True)
    )
    if work > MOST_WORK:
        counts = ", ".join(f"{name} = {count}" for name, count in known.counts.items())
        raise FedboundsError(
            f"{where} would cost about {work:.2g} operations ({counts}, {known.digits} digits); "
            f"expected at most {MOST_WORK:.2g}"
        )
