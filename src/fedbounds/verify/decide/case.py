"""What a verdict is about: set up as data, found out by one function.

``find`` is registered for each kind of set-up. Everything else, from conditions to records, asks
for what was found.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, singledispatch
from typing import Any

from fedbounds.errors import FedboundsError
from fedbounds.problems import Constants, Evidence
from fedbounds.problems.constants import not_known
from fedbounds.vocabulary import Method

from ..measure.evaluate import Numbers

Array = Any
Products = Callable[[Any], Any]  # sq(x) or ip(x, y) as its value per round


@dataclass(frozen=True, eq=False)
class Case:
    """What is set up, and how it is measured.

    Attributes
    ----------
    name : str
        Unique within a plan.
    algorithm_name : str
        The name that claims use.
    setup : frozen dataclass
        Determines everything; ``find`` is registered for its type.
    method : Method
        Exact rationals, exact moments or enumeration.
    work : int
        What finding costs, counted in a unit of the plan's own: the smallest broken one becomes
        the witness.
    """

    name: str
    algorithm_name: str
    setup: Any
    method: Method
    work: int = 0


@dataclass(frozen=True, eq=False)
class Found:
    """What a set-up shows.

    Attributes
    ----------
    family : str
        What was run, in a few words.
    parameters : mapping from symbol name to number
        Those of the algorithm, and counts; T, the number of rounds examined, among them.
    constants : dict of ConstantValue
        Of the problem.
    series : mapping from quantity name to array
        Last axis: round 0, 1, ...; quantities of a client have shape (n, rounds).
    evidence : mapping from assumption to evidence
        Assumptions that are missing here are not known.
    products : function or None
        Values of ``sq(x)`` or ``ip(x, y)`` per round, for statements about vectors; raises a
        FedboundsError for a vector that is not there.
    errors : mapping from quantity name to array
        What rounding may have done to a quantity; empty in rationals.
    estimated : mapping from quantity name to what it rests on that is an estimate
    missing : mapping from quantity name to the reason why no method measured it
    diverged_at : int or None
    scopes : frozenset of str, or None
        Of the statements about vectors that it can evaluate; None: all whose vectors are there.
    undefined : mapping from name to reason
        Constants and quantities that are defined, and have no value here.
    method : Method or None
        How it was measured, where that is not what was planned.
    """

    family: str
    parameters: Mapping[str, Any]
    series: Mapping[str, Array]
    constants: Constants = field(default_factory=dict)
    evidence: Mapping[str, Evidence] = field(default_factory=dict)
    products: Products | None = None
    errors: Mapping[str, Array] = field(default_factory=dict)
    estimated: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    diverged_at: int | None = None
    scopes: frozenset[str] | None = None
    undefined: Mapping[str, str] = field(default_factory=dict)
    method: Method | None = None


@singledispatch
def find(setup: Any) -> Found:
    """Everything that a set-up shows."""
    raise TypeError(f"{type(setup).__name__} cannot be measured")


@singledispatch
def without_floats(setup: Any) -> tuple[Any, Method] | None:
    """The same set-up in rationals or balls, to confirm or settle floats; None if it has none."""
    return None


@singledispatch
def sampled_by(setup: Any) -> Any:
    """How its replicas are made: see `setups.sampled.Sampled`."""
    raise TypeError(f"{type(setup).__name__} is not sampled")


@singledispatch
def ladder_shown(setup: Any) -> dict[str, Any] | None:
    """What rungs that differ in one parameter show, as plain JSON.

    The parameter, its values, the series per rung, and a fitted exponent beside the symbolic one.
    """
    return None


@singledispatch
def script_of(setup: Any, judgement: Any, part: Any, numbers: Numbers) -> str:
    """A program that runs without this package, at most with NumPy, and prints the gap.

    Raises
    ------
    FedboundsError
        If none can be written; the message says why.
    """
    raise FedboundsError(f"no script is written for {type(setup).__name__}")


@lru_cache(maxsize=2)  # it, and its replay in rationals; large ones hold 100 MiB
def found(case: Case) -> Found:
    """What a case shows."""
    return find(case.setup)


def constants_of(case: Case) -> Constants:
    """The problem's constants for this start."""
    return found(case).constants


def evidence_of(case: Case, assumption: str) -> Evidence:
    """Whether what is judged satisfies an assumption."""
    try:
        return found(case).evidence[assumption]
    except KeyError:
        return not_known(assumption)


def parameters_of(case: Case) -> Mapping[str, Any]:
    """n, m, K, T, dimensions and step sizes by symbol name, as far as they are fixed."""
    return found(case).parameters


def products_of(case: Case) -> Products | None:
    """How products of vectors are measured; None where they are not."""
    return found(case).products


def scopes_of(case: Case) -> frozenset[str] | None:
    """What the vectors of a statement may be; None where names tell."""
    return found(case).scopes


def undefined_of(case: Case) -> Mapping[str, str]:
    """Constants and quantities that are defined and have no value here, each with the reason."""
    return found(case).undefined


def estimated_of(case: Case) -> Mapping[str, str]:
    """Quantities that rest on an estimate, each with what is one: no firm verdict rests on them."""
    return found(case).estimated


def missing_of(case: Case) -> Mapping[str, str]:
    """Quantities that were to be measured and that no method measured, each with the reason."""
    return found(case).missing
