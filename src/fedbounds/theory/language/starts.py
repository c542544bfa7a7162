"""Statements about random starts, which hold with some probability: data."""

from dataclasses import dataclass

import sympy as sp

from .plain import pairs
from .setups import Number, Objective, Says


@dataclass(frozen=True, eq=False)
class Event:
    """What is to hold at a start, and what its failing is called.

    Attributes
    ----------
    told : str
        What was drawn, in a few words.
    runs : str
        What claims call it.
    says : tuple of Says
        A number of a start, on the left, and constants; all of it.
    failing : Symbol
        The probability that it does not.
    """

    told: str
    runs: str
    says: tuple[Says, ...]
    failing: sp.Symbol


@dataclass(frozen=True, eq=False)
class Starts:
    """Independent random starts of a problem: plain data.

    Attributes
    ----------
    theory : str
        Key of the theory whose event it is.
    event : str
        Name of the event.
    problem : Objective
    count : int
        How many are drawn; 0: none, where the law of the event is known.
    chosen : tuple of pairs (constant, number)
    seed : int
    """

    theory: str
    event: str
    problem: Objective
    count: int
    chosen: tuple[tuple[str, Number], ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "chosen", pairs(self.chosen))


@dataclass(frozen=True)
class PlannedStarts:
    """Starts with their name.

    Attributes
    ----------
    name : str
    starts : Starts
    quick : bool
        Whether they are also in a quick plan.
    """

    name: str
    starts: Starts
    quick: bool = False
