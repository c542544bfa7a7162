"""Claims about the setting of a paper: its assumptions and its experiments, as data."""

from dataclasses import dataclass
from enum import StrEnum

from fedbounds.vocabulary import Assumption

from .catalogue import Entry
from .claims import AS_PRINTED, Condition, Reading


@dataclass(frozen=True)
class AssumptionClaim:
    """An assumption: satisfied by some problems with known constants, or unsatisfiable."""

    entry: Entry
    assumption: Assumption
    readings: tuple[Reading, ...] = (AS_PRINTED,)


@dataclass(frozen=True)
class Asked:
    """What one reading asks for together.

    Attributes
    ----------
    name : str
        Of the reading.
    assumptions : tuple of Assumption
    conditions : tuple of Condition
        On parameters.
    strict : tuple of Condition
        Those that the paper has with a strict sign.
    """

    name: str
    assumptions: tuple[Assumption, ...] = ()
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


class Says(StrEnum):
    """What a claim in words says of every run that it is about."""

    STAYS = "W^0 = W* gives W^1 = W* with full gradients"
    BOUND = "D^{t+1} is at most the bound of the constant step"
    SETTLES = "D^t tends to a limit of at most eta B/z"
    LESS = "with half the step size D^t tends to a smaller limit, if it is not 0"
    SLOWER = "with half the step size the mean of W^t tends to its limit more slowly"
    REACHES = "D^t tends to eta B/z"
    LIMIT = "W^t tends to W* with steps 1/(z(t+1))"
    RATE = "D^t = O(1/t) if the recursion of the decaying step holds, with equality"


@dataclass(frozen=True)
class Universal:
    """A claim in words about every run that meets what is asked, reading by reading."""

    entry: Entry
    cases: tuple[tuple[Asked, Says], ...]

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
