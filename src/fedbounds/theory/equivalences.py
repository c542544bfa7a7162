"""Claims that one algorithm is another one under a restriction, as data.

Algorithms are named as in claims; parameters are named by field, as expressions in n, m, K and
free step sizes. What runs them is elsewhere.
"""

from dataclasses import dataclass

import sympy as sp

from .catalogue import Entry
from .claims import Condition, Part, Reading

Parameters = dict[str, sp.Expr]
ANALYSIS = "the convergence analysis covers it too"


@dataclass(frozen=True, eq=False)
class Pair:
    """A general algorithm that is said to be a special one.

    Attributes
    ----------
    name : str
        Distinguishes the pairs of a claim.
    restriction : str
        In words.
    general, special : str
        Names of the two algorithms.
    general_parameters, special_parameters : dict from field to expression
        Step sizes that stay symbols are free.
    conditions : tuple of Condition
        On n, m, K and the dimensions d_u and d_v of the blocks.
    reading : str
        Pairs with the same reading hold together or not at all; the first is the headline's.
    """

    name: str
    restriction: str
    general: str
    special: str
    general_parameters: Parameters
    special_parameters: Parameters
    conditions: tuple[Condition, ...] = ()
    reading: str = "as printed"


@dataclass(frozen=True, eq=False)
class Equivalence:
    """A claim that algorithms coincide on equal draws.

    ``analysis`` is what must hold for n and m so that a theorem about the general algorithm
    covers the special one; it is a reading of its own.
    """

    entry: Entry
    pairs: tuple[Pair, ...]
    analysis: Part | None = None

    @property
    def readings(self) -> tuple[Reading, ...]:
        """The readings of the pairs, and whether an analysis covers the special algorithm."""
        names = dict.fromkeys(pair.reading for pair in self.pairs)
        every = [*names, *([ANALYSIS] if self.analysis else [])]
        return tuple(Reading(name) for name in every)
