"""Where instances of claims are searched: a theory's folder says which there are.

A function of a `Seeking` asks for every number of a set-up. Who searches answers, remembers, and
may answer otherwise the next time: by hypothesis, which shrinks what it finds, or by steps towards
the instance on which a claim is tightest.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol, TypeVar

import sympy as sp

from .beside import Beside
from .setups import Ladder, Number, Objective, Setup

_Option = TypeVar("_Option")
Row = tuple[int, ...]
Counts = Mapping[str, Number]  # by symbol name; the number of rounds may be a formula


@dataclass(frozen=True)
class Steps:
    """Parameters that conditions bound, in the order in which they are chosen.

    Attributes
    ----------
    least : mapping from name to expression
        Of which conditions say how small they may be; this is it where none does.
    largest : mapping from name to expression
        Of which conditions say how large they may be; this is it where none does.
    derived : mapping from name to expression
        What follows from these.
    told : frozenset of str
        What a run tells, and nobody before: conditions that speak of it are looked at then.
    """

    least: Mapping[str, sp.Expr] = field(default_factory=dict)
    largest: Mapping[str, sp.Expr] = field(default_factory=dict)
    derived: Mapping[str, sp.Expr] = field(default_factory=dict)
    told: frozenset[str] = frozenset()


class Seeking(Protocol):
    """Who searches for an instance of a statement; numbers are rational."""

    assumptions: frozenset[str]  # facts that the statement takes for granted
    constants: frozenset[str]  # of which it speaks

    def counts(self) -> dict[str, int]:
        """One of the `Sought.counts` that the statement's conditions admit."""

    def choice(self, options: Sequence[_Option]) -> _Option:
        """One of them."""

    def share(self) -> Fraction:
        """A number from 0 to 1, often at an end."""

    def size(self, least: Number, most: Number) -> Fraction:
        """A positive number from ``least`` to ``most``, whatever its scale; often at an end."""

    def schedule(self, clients: int, least: int, most: int, rows: int) -> tuple[Row, ...]:
        """Who takes part, in up to ``rows`` rows that rounds take in turn: 1 if so, 0 if not.

        Of each row from ``least`` to ``most`` clients, both of which there are; the first ones at
        first.
        """

    def steps(
        self, problem: Objective, start: Sequence[Any], known: Mapping[str, Number] = ...
    ) -> dict[str, Any]:
        """The `Sought.steps` inside the statement's conditions, often at their edge; and T.

        Conditions may speak of numbers that are ``known`` besides, by symbol name.
        """


@dataclass(frozen=True, eq=False)
class Sought:
    """Set-ups of an algorithm, ladders of them, or such side by side: there instances are searched.

    Attributes
    ----------
    runs : str
        What claims call the algorithm, the ladder, or those side by side.
    counts : tuple of mappings from name to count
        Numbers of clients, of rounds, and the like: the simplest first.
    steps : Steps
    make : function of a `Seeking`
        What its answers make.
    doublings : int
        How often the number of rounds may be doubled where sides of a whole run come closer
        with it.
    view : str
        In which all set-ups are: what it does not show is not searched there. Empty: whatever is
        asked is.
    """

    runs: str
    counts: tuple[Counts, ...]
    steps: Steps
    make: Callable[[Seeking], Setup | Ladder | Beside]
    doublings: int = 0
    view: str = ""
