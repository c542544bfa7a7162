"""Errors that a theory's proofs are given on purpose: data. `fedbounds selftest` plants them.

A theory lists its own in ``planted.py`` of its folder; each names a step and what is changed there.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from .checker.data import Comparison


class Caught(StrEnum):
    """What is said of a wrong step."""

    REFUSED = "refused"  # no certificate passes the checker
    DOES_NOT_FOLLOW = "does not follow"  # and numbers satisfy what it cites and break it


@dataclass(frozen=True)
class Without:
    """Steps, facts and (as "square") squares of these names are not used; nothing is, if none."""

    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Stated:
    """Another right side, or other conditions."""

    right: str | None = None
    conditions: tuple[Comparison, ...] | None = None


@dataclass(frozen=True)
class Cites:
    """Another step is cited, instead of all that is used."""

    step: str


@dataclass(frozen=True)
class WithoutStart:
    """An induction has no start."""


@dataclass(frozen=True)
class Assumed:
    """An induction's hypothesis is used without an induction: the claim is taken as given."""


@dataclass(frozen=True)
class DependsToo:
    """A vector is declared to depend on one more source."""

    vector: str
    source: str


@dataclass(frozen=True)
class Multiplied:
    """The multiplier of the first fact of the certificate, with {} for what it is."""

    by: str


@dataclass(frozen=True)
class Circle:
    """An earlier step cites this one."""

    earlier: str


@dataclass(frozen=True)
class DoesNotSee:
    """A vector of a scope is declared not to depend on a source that it depends on."""

    scope: str
    vector: str
    source: str


Change: TypeAlias = (
    "Without | Stated | Cites | WithoutStart | Assumed | DependsToo | Multiplied | Circle"
    " | DoesNotSee"
)


@dataclass(frozen=True)
class WrongProof:
    """An error in a proof.

    Attributes
    ----------
    name : str
        Unique among all theories'.
    error : str
        What is wrong, in one line.
    step : str
        Id of the step; empty where the change names a scope.
    change : Change
    caught : Caught
    """

    name: str
    error: str
    step: str
    change: Change
    caught: Caught = Caught.REFUSED
