"""What is shown beside claims: ladders, courses and trends, and ways to run beside each other."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from .setups import Course, Family, Number, Setup, Trend

Tries: TypeAlias = tuple[tuple[Setup, ...], ...]


@dataclass(frozen=True, eq=False)
class Contest:
    """What several ways to run reach, over a parameter: of each way the best of some tries.

    Attributes
    ----------
    name : str
    over : str
        What the parameter is called.
    values : tuple of numbers
    ways : mapping from name to tuples of tries
        One for each value; or one alone, and the values are its rounds. A try is a tuple of
        set-ups of which the mean is taken; the best has the least.
    quantity : str
        Which is looked at after the last round, or before it where draws enter; of a value that is
        a round, in that one.
    told : str
        What it is called.
    replicas : int
        How many of each set-up are sampled: an estimate; 0 if it is measured.
    spread : int
        By how much replicas differ at most, where that is certain; 0 if it is not.
    rates : bool
        Whether what is shown is how fast the quantity decays in a replica, its logarithm by round,
        over how fast it does at the last value.
    beside : mapping from name to tuple of numbers
        What is said of every value.
    """

    name: str
    over: str
    values: tuple[Number, ...]
    ways: Mapping[str, tuple[Tries, ...]]
    quantity: str
    told: str
    replicas: int = 0
    spread: int = 0
    rates: bool = False
    beside: Mapping[str, tuple[Number, ...]] = field(default_factory=dict)


Displayed: TypeAlias = tuple[Family | Course | Trend | Contest, ...]
