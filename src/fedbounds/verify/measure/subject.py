"""What is traced: an algorithm on a problem from a start, and what its step shows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.traced import Algorithm
from fedbounds.errors import FedboundsError, require
from fedbounds.problems.linear import is_exact, rational
from fedbounds.theory.language.setups import Shown

from .clients import Clients
from .contract import Parameters
from .count import Count

Array = Any
BEFORE, AFTER = "", "_next"  # of the name of a field of the state


@dataclass(frozen=True, eq=False)
class Subject:
    """Rounds of an algorithm.

    Attributes
    ----------
    algorithm : Algorithm
    problem : Clients
    start : array, shape (d,) or (d + n d_v,)
        Exact where everything is to be.
    values : mapping from parameter to number, or to nested tuples of numbers
    rounds : int
        T.
    shown : Shown
    changing : mapping from parameter to function of the round
        Parameters that are others in other rounds.
    steers : bool
        Whether it steers a search alone: a step is not held against itself, which is done where
        what was found is judged.
    """

    algorithm: Algorithm
    problem: Clients
    start: Array
    values: Mapping[str, Any]
    rounds: int
    shown: Shown = field(default_factory=Shown)
    changing: Mapping[str, Callable[[int], Any]] = field(default_factory=dict)
    steers: bool = False

    def __post_init__(self) -> None:
        require(self.rounds >= 0, "rounds T", self.rounds, "at least 0")
        steps = self.values.get("K", 1)
        if not isinstance(steps, tuple | list):
            require(rational(steps) >= 1, "local steps K", steps, "at least 1")

    @property
    def exact(self) -> bool:
        """Whether it is in rationals."""
        return bool(is_exact(self.start))

    def in_balls(self) -> "Subject":
        """The same, where what its steps compute need not be rational."""
        return replace(self, problem=replace(self.problem, enclosed=True))

    def rational(self, p: Any, q: Any) -> Any:
        """p/q as the run has numbers: exactly, or a float."""
        return fmpq(p, q) if self.exact else p / q

    def parameters(self, at: int = 0) -> Parameters:
        """The parameters as the algorithm gets them at a round: counts as int, lists as arrays."""
        values = {**self.values, **{name: own(at) for name, own in self.changing.items()}}
        plain = {name: self._there(as_parameter(x, self.exact)) for name, x in values.items()}
        return Parameters(plain, as_parameter(at, self.exact), frozenset(self.changing))

    def _there(self, value: Any) -> Any:
        """Lists of numbers as arrays of the problem's library."""
        return self.problem.xp.asarray(value) if isinstance(value, np.ndarray) else value

    def weights(self, index: str, length: int) -> Array:
        """Probabilities of an index's values, that add up to one."""
        name = self.shown.indices[index]
        given = [rational(x) for x in self.values[name]] if name else [fmpq(1)] * length
        if len(given) != length:
            raise FedboundsError(
                f"weights {name!r} of the index {index!r} are {len(given)}; expected {length}"
            )
        total = sum(given, fmpq(0))
        return numbers([x / total for x in given], self.exact)


def as_parameter(value: Any, exact: bool) -> Any:
    """A number as an algorithm gets it: whole ones as int, others exact or in floats."""
    if isinstance(value, tuple | list):
        nested = np.asarray(value, dtype=object)
        ragged = any(isinstance(x, tuple | list) for x in nested.reshape(-1))
        require(not ragged, "rows of a parameter", "not equally long", "a table")
        found = np.empty(nested.shape, dtype=object if exact else np.float64)
        flat = [rational(x) for x in nested.reshape(-1)]
        found.reshape(-1)[:] = flat if exact else [float(x) for x in flat]
        return found
    number = rational(value)
    if number.q == 1:
        return Count(int(number.p)) if exact else int(number.p)
    return number if exact else int(number.p) / int(number.q)


def numbers(values: list[Any], exact: bool) -> Array:
    """A vector of rationals, or of floats."""
    if not exact:
        return np.array([float(x) for x in values])
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def fields(before: Mapping[str, Array], after: Mapping[str, Array]) -> dict[str, Array]:
    """The state before and after a round, by the names under which definitions find it."""
    found = {name + BEFORE: array for name, array in before.items()}
    return found | {name + AFTER: array for name, array in after.items()}
