"""Claims about the setting of a paper: its assumptions and its experiments, as data."""

from dataclasses import dataclass

from fedbounds.vocabulary import Assumption

from .catalogue import Entry
from .claims import AS_PRINTED, Reading


@dataclass(frozen=True)
class AssumptionClaim:
    """An assumption: satisfied by some problems with known constants, or unsatisfiable."""

    entry: Entry
    assumption: Assumption
    readings: tuple[Reading, ...] = (AS_PRINTED,)


@dataclass(frozen=True)
class Experiment:
    """An experiment: what its description states, and what a repetition would have to guess."""

    entry: Entry
    stated: tuple[str, ...]
    unstated: tuple[str, ...]
    readings: tuple[Reading, ...] = (AS_PRINTED,)
