"""Errors that a theory's proofs and claims are given on purpose, which `fedbounds selftest` plants.

A theory lists its own in ``planted.py`` of its folder: ``PLANTED`` names steps and what is changed
there, ``CLAIMS`` parts of claims, and runs that break them, ``RULES`` functions of algorithms,
``PROBLEMS`` what is known of a problem, ``BOUNDS`` what is judged rightly, or beyond conditions.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

import sympy as sp

from fedbounds.facts import Constant
from fedbounds.vocabulary import Relation, Verdict

from ..checker.data import Comparison
from .setups import Setup


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


# ---- claims


@dataclass(frozen=True)
class Replaced:
    """In the right side, all at once."""

    pairs: tuple[tuple[sp.Expr, sp.Expr], ...]


@dataclass(frozen=True)
class Times:
    """The right side, multiplied."""

    factor: sp.Expr


@dataclass(frozen=True)
class TurnedRound:
    """The sides change places."""


@dataclass(frozen=True)
class Unconditional:
    """The conditions are dropped."""


Misprint: TypeAlias = "Replaced | Times | TurnedRound | Unconditional"


@dataclass(frozen=True, eq=False)
class WrongClaim:
    """An error in a part of a claim.

    Attributes
    ----------
    name : str
        Unique among all theories'.
    error : str
        What is wrong, in one line.
    claim, part : str
        Without the theory's key.
    change : Misprint
    setup : Setup
        Which violates what is wrong, and not what is printed.
    control : Verdict
        What is said of what is printed.
    relation : Relation or None
        Of both, if it is not the printed one.
    harmless : Setup or None
        Which does not violate what is wrong.
    """

    name: str
    error: str
    claim: str
    part: str
    change: Misprint
    setup: Setup
    control: Verdict = Verdict.NOT_VIOLATED
    relation: Relation | None = None
    harmless: Setup | None = None


# ---- algorithms

Rule: TypeAlias = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Identity:
    """A claim, without the theory's key, which its set-up violates with what is wrong alone."""

    claim: str
    setup: Setup


@dataclass(frozen=True)
class Reduces:
    """An equivalence: its first pair is one algorithm on a shape, such as "n=1 m=1 ..."."""

    claim: str
    shape: str


@dataclass(frozen=True, eq=False)
class Renamed:
    """A round with clients in another order is the round, in that order."""

    setup: Setup


@dataclass(frozen=True, eq=False)
class DrawLaw:
    """What is drawn in a round has its law.

    Attributes
    ----------
    setup : Setup
    draw : str
        The array.
    mean : nested numbers
        Of its entries.
    alike : int
        How many outcomes it has, each as likely as the others; 0 if they are not.
    """

    setup: Setup
    draw: str
    mean: tuple[Any, ...]
    alike: int = 0


@dataclass(frozen=True, eq=False)
class WrongRule:
    """An error in an algorithm.

    Attributes
    ----------
    name : str
        Unique among all theories'.
    error, where : str
        What is wrong, and where, in one line each.
    function : str
        Module and name of a function, such as "sub_models.server", or of an algorithm.
    wrong : function
        From the function, or the algorithm, to what takes its place.
    check : Identity, Reduces, Renamed or DrawLaw
        What shows it.
    """

    name: str
    error: str
    where: str
    function: str
    wrong: Callable[[Rule], Rule]
    check: Identity | Reduces | Renamed | DrawLaw


# ---- problems


@dataclass(frozen=True)
class Halved:
    """A constant is said to be half of what it is."""

    constant: Constant


@dataclass(frozen=True)
class Asserted:
    """A constant is said to be 0, and that the assumption of its name holds."""

    constant: Constant
    assumption: str


@dataclass(frozen=True)
class Misplaced:
    """The minimiser is one off in every coordinate."""


@dataclass(frozen=True, eq=False)
class WrongProblem:
    """An error in what is known of a problem, which makes a bound too small.

    Attributes
    ----------
    name : str
        Unique among all theories'.
    error, where : str
        What is wrong, and where, in one line each.
    change : Halved, Asserted or Misplaced
    claim, part : str
        Without the theory's key.
    setup : Setup
        Which attains the bound: it violates the claim with what is wrong, and not else.
    control : Verdict
        What is said of what is right.
    """

    name: str
    error: str
    where: str
    change: Halved | Asserted | Misplaced
    claim: str
    part: str
    setup: Setup
    control: Verdict = Verdict.NOT_VIOLATED


@dataclass(frozen=True, eq=False)
class Bound:
    """A claim with a bound whose constants the problem gives, among them L.

    Attributes
    ----------
    claim : str
        Without the theory's key.
    setup : Setup
        Which does not violate it, and violates a tenth of the bound.
    outside : Setup
        Beyond its conditions.
    """

    claim: str
    setup: Setup
    outside: Setup
