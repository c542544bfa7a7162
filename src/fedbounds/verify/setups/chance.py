"""What a theory's set-ups of random numbers are drawn from."""

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np

from fedbounds.errors import require
from fedbounds.theory.language.registry import drawn
from fedbounds.theory.language.setups import Number
from fedbounds.vocabulary import Method

from ..decide.case import Case
from ..decide.profile import Profile
from .edges import edges
from .plan import case_of


class Seeded(Random):
    """Random numbers of a seed; see `fedbounds.theory.language.drawn.Chance`."""

    def __init__(self, seed: int, theory: str = "") -> None:
        super().__init__(seed)
        self.given, self._arrays, self._theory = seed, np.random.default_rng(seed), theory

    def integers(self, low: int, high: int, shape: Any = ()) -> Any:
        """Whole numbers from ``low`` to ``high - 1``, as nested lists."""
        return self._arrays.integers(low, high, shape).tolist()

    def normal(self, shape: Any) -> Any:
        """Standard normal floats, as nested lists."""
        return self._arrays.standard_normal(shape).tolist()

    def edges(self, *given: Any) -> Iterator[tuple[str, dict[str, Number]]]:
        """At the conditions of the theory's claims; see `edges`."""
        return edges(self._theory, *given)


def drawn_cases(
    theory: str, name: str, profile: Profile, seed: int, *, floats: bool = True
) -> Iterator[Case]:
    """Set-ups of random numbers as many as a profile has; ``name`` as in `case_of`."""
    for one in (one for one in drawn(theory) if floats or not one.floats):
        for planned in one.make(Seeded(seed, theory), getattr(one, profile.value)):
            case = case_of(planned, name)
            kept = not one.floats or case.method is not Method.RATIONAL
            require(kept, "set-up drawn for floats alone", case.name, "not one in rationals")
            yield case
