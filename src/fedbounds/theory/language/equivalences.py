"""Claims that one algorithm is another one under a restriction, as data.

Parameters are expressions in n, m, K and free step sizes. What runs algorithms is elsewhere.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import sympy as sp

from .catalogue import Entry
from .claims import Condition, Part, Reading

Parameter: TypeAlias = sp.Expr | tuple[sp.Expr, ...]
Parameters = dict[str, Parameter]
ANALYSIS = "the convergence analysis covers it too"


@dataclass(frozen=True, eq=False)
class Named:
    """An algorithm with its parameters.

    Attributes
    ----------
    name : str
        As claims call it.
    algorithm : str
        Module and name, such as "fedplt.ROUNDS".
    parameters : dict from name to expression, or to one for every coordinate
        Step sizes that stay symbols are free.
    """

    name: str
    algorithm: str
    parameters: Parameters


@dataclass(frozen=True, eq=False)
class Pair:
    """A general algorithm that is said to be a special one.

    Attributes
    ----------
    name : str
        Distinguishes the pairs of a claim.
    restriction : str
        In words.
    general, special : Named
    states, draws : mapping from name to name
        Fields of the general algorithm's state, and arrays that it draws, with what they are
        called in the special one. Fields without entries, and draws of one outcome, need none.
    conditions : tuple of Condition
        On n, m, K and the dimensions d_u and d_v of the blocks.
    reading : str
        Pairs with the same reading hold together or not at all; the first is the headline's.
    """

    name: str
    restriction: str
    general: Named
    special: Named
    states: Mapping[str, str]
    draws: Mapping[str, str]
    conditions: tuple[Condition, ...] = ()
    reading: str = "as printed"


@dataclass(frozen=True, eq=False)
class Shapes:
    """On which small problems algorithms are held against each other.

    Attributes
    ----------
    most : int
        Clients, and local steps.
    blocks : tuple of pairs
        Coordinates that are shared, and coordinates of a client's own.
    steps : mapping from step size to number
        Of those that stay free: no two, nor their products, agree by chance.
    rounds : int
        T, of the runs that look for a difference.
    convex : bool
        Whether every client is strongly convex: some algorithms show minimisers.
    """

    most: int
    blocks: tuple[tuple[int, int], ...]
    steps: Mapping[sp.Symbol, sp.Rational] = field(default_factory=dict)
    rounds: int = 3
    convex: bool = False


@dataclass(frozen=True, eq=False)
class Equivalence:
    """A claim that algorithms coincide on equal draws.

    ``analysis`` is what must hold for n and m so that a theorem about the general algorithm
    covers the special one; it is a reading of its own.
    """

    entry: Entry
    pairs: tuple[Pair, ...]
    shapes: Shapes
    analysis: Part | None = None

    @property
    def readings(self) -> tuple[Reading, ...]:
        """The readings of the pairs, and whether an analysis covers the special algorithm."""
        names = dict.fromkeys(pair.reading for pair in self.pairs)
        every = [*names, *([ANALYSIS] if self.analysis else [])]
        return tuple(Reading(name) for name in every)
