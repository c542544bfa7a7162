"""Claims about the setting of a paper: its assumptions and its experiments, as data."""

from dataclasses import dataclass
from typing import Any, TypeAlias

import sympy as sp

from .catalogue import Entry
from .claims import AS_PRINTED, Claim, Condition, Part, Reading
from .setups import Says


@dataclass(frozen=True)
class AssumptionClaim:
    """An assumption: satisfied by some problems with known constants, or unsatisfiable.

    Attributes
    ----------
    entry : Entry
    assumption : str
        By its name.
    readings : tuple of Reading
    instead : pairs (name of a reading, name of an assumption)
        Of readings in which it is another one.
    """

    entry: Entry
    assumption: str
    readings: tuple[Reading, ...] = (AS_PRINTED,)
    instead: tuple[tuple[str, str], ...] = ()

    def read(self, reading: Reading) -> str:
        """The assumption in a reading."""
        return dict(self.instead).get(reading.name, self.assumption)


@dataclass(frozen=True)
class Asked:
    """What one reading asks for together.

    Attributes
    ----------
    name : str
        Of the reading.
    assumptions : tuple of str
    conditions : tuple of Condition
        On parameters.
    strict : tuple of Condition
        Those that the paper has with a strict sign.
    """

    name: str
    assumptions: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    strict: tuple[Condition, ...] = ()


@dataclass(frozen=True)
class Existence:
    """Assumptions and conditions that can be met together: by some instance, or by none."""

    entry: Entry
    asked: tuple[Asked, ...]

    @property
    def readings(self) -> tuple[Reading, ...]:
        """One for each list of what is asked."""
        return tuple(Reading(asked.name) for asked in self.asked)


@dataclass(frozen=True)
class Variant:
    """The same run with other parameters.

    Attributes
    ----------
    name : symbol
        By which limits name it.
    parameters : tuple of pairs (name, expression in the run's parameters)
    """

    name: sp.Symbol
    parameters: tuple[tuple[str, sp.Expr], ...]


@dataclass(frozen=True)
class OnRun:
    """What holds in the first rounds of every run that meets what is asked.

    Attributes
    ----------
    words : str
    parts : tuple of Part
        With constants that are admissible in all rounds.
    start : vector or None
        That steps show, and from which the run starts; None for its own start.
    """

    words: str
    parts: tuple[Part, ...]
    start: sp.Expr | None = None


@dataclass(frozen=True)
class InTheEnd:
    """What holds as t grows, of every run that meets what is asked.

    Attributes
    ----------
    words : str
    one_of : tuple of Says
        Of limits; one of them is enough.
    variants : tuple of Variant
        Other runs that are named; they meet what is asked too, or nothing is said.
    rests : str
        The assumption that the mean model stays where it starts: what a finite run shows of it
        starts where it settles. Empty: nothing says so, and no finite run shows it.
    """

    words: str
    one_of: tuple[Says, ...]
    variants: tuple[Variant, ...] = ()
    rests: str = ""


@dataclass(frozen=True)
class NoBound:
    """A bound up to some constant, which is refuted if every constant is exceeded.

    Attributes
    ----------
    words : str
    parts : tuple of Part
        The bound with larger and larger constants, to show where each first fails.
    step : str
        Of the theory's proofs, from what is given alone: it goes on without end.
    told : str
        What that step says.
    """

    words: str
    parts: tuple[Part, ...]
    step: str
    told: str


Stated: TypeAlias = "OnRun | InTheEnd | NoBound"


@dataclass(frozen=True)
class Universal:
    """A claim in words about every run that meets what is asked, reading by reading."""

    entry: Entry
    cases: tuple[tuple[Asked, Stated], ...]

    @property
    def asked(self) -> tuple[Asked, ...]:
        """Of every reading."""
        return tuple(asked for asked, _ in self.cases)

    @property
    def readings(self) -> tuple[Reading, ...]:
        """One for each list of what is asked."""
        return tuple(Reading(asked.name) for asked in self.asked)


@dataclass(frozen=True)
class Announced:
    """A result that the text announces and does not state: there is nothing to judge."""

    entry: Entry
    unstated: tuple[str, ...]
    readings: tuple[Reading, ...] = (AS_PRINTED,)


@dataclass(frozen=True)
class Experiment:
    """An experiment: what its description states, and what a repetition would have to guess."""

    entry: Entry
    stated: tuple[str, ...]
    unstated: tuple[str, ...]
    readings: tuple[Reading, ...] = (AS_PRINTED,)


def experiment_of(claim: Any) -> Experiment | None:
    """The experiment that a claim is, or reports; None if there is none."""
    if isinstance(claim, Claim):
        return claim.experiment
    return claim if isinstance(claim, Experiment) else None


def readings_of(claim: Any) -> tuple[Reading, ...]:
    """All of a claim; that of the experiment which it reports comes first."""
    reported = experiment_of(claim) if isinstance(claim, Claim) else None
    return (*(() if reported is None else reported.readings), *claim.readings)
