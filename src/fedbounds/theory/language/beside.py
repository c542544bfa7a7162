"""Set-ups of a theory side by side, and what is seen of them: data that one engine measures."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import sympy as sp

from .setups import Definition, Says, Setup


class Side(sp.Function):
    """What one of several set-ups shows: its name among them, and an expression of its own."""

    nargs = 2


class Reached(sp.Function):
    """What a first number is in the first round in which a second is at most a third."""

    nargs = 3


class Passed(sp.Function):
    """Likewise, in the round before that, where there is one and the second misses the third."""

    nargs = 3


@dataclass(frozen=True, eq=False)
class Sides:
    """What is seen of set-ups side by side.

    Attributes
    ----------
    told : str
        What was run, in a few words.
    runs : str
        What claims call it.
    views : mapping from name to view
        What each set-up is called here, in order, and the name of its view.
    varies : tuple of str
        Parameters of a run, and "rounds", in which set-ups may differ.
    series : mapping from quantity to expression
        A quantity of a `Side`; t counts the rounds of the longest run, and of others every so
        many of them.
    constants : mapping from constant to definition
        In numbers of a `Side`; with `Reached` and `Passed` of its quantities. Other constants are
        those of any side, on which those that have them agree.
    requires : tuple of Says
        Likewise: what set-ups must have in common to be looked at together.
    """

    told: str
    runs: str
    views: Mapping[str, str]
    varies: tuple[str, ...]
    series: Mapping[str, sp.Expr]
    constants: Mapping[str, Definition] = field(default_factory=dict)
    requires: tuple[Says, ...] = ()


@dataclass(frozen=True, eq=False)
class Beside:
    """Set-ups of one theory side by side: plain data.

    Attributes
    ----------
    theory : str
        Key of the theory.
    sides : str
        Name of what is seen of them.
    setups : tuple of Setup
        In the order of the sides.
    """

    theory: str
    sides: str
    setups: tuple[Setup, ...]


@dataclass(frozen=True)
class PlannedBeside:
    """Set-ups side by side with their name.

    Attributes
    ----------
    name : str
    beside : Beside
    quick : bool
        Whether they are also in a quick plan.
    """

    name: str
    beside: Beside
    quick: bool = False
