"""What is set up to judge claims about FedPLT: plain data, in exact rationals.

A run is looked at in one of three views. One setup shows only what statements of one kind speak
of: sums over the clients, each client alone, models of a round, or one client's numbers.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from fedbounds.algorithms.fedplt_rows import FedPLT, untrained
from fedbounds.errors import require
from fedbounds.problems import FederatedQuadratic, Start
from fedbounds.vocabulary import Assumption

Array = Any


class View(StrEnum):
    """What t counts, and what W_k^t is."""

    FREE = "one step from free vectors"
    STEPS = "local steps, aggregated virtually"
    ROUNDS = "rounds of the algorithm"


class Shows(StrEnum):
    """What a setup shows of a run."""

    STEP = "sums over the clients, in one step"
    DISTANCES = "distances to W* and between models"
    VECTORS = "models and updates"
    CLIENTS = "each client alone"
    CLIENT = "numbers of one client"


@dataclass(frozen=True, eq=False)
class Run:
    """A problem, FedPLT, and where it starts.

    Attributes
    ----------
    count : int
        Rounds; local steps in `View.STEPS`, where tau is that of the algorithm; 1 in `View.FREE`.
    own : array, shape (n, d), or None
        W_1, ..., W_n in `View.FREE`, where W is the start.
    dependent : bool
        All clients have the same noise, each with the law that it has alone; `View.FREE` only.
    """

    problem: FederatedQuadratic
    algorithm: FedPLT
    start: Start
    count: int
    own: Array = None
    dependent: bool = False


@dataclass(frozen=True, eq=False)
class Analysed:
    """A run in one view.

    Attributes
    ----------
    run : Run
    view : View
    shows : Shows
    rho_min : rational or Assumption
        A number; or the largest that an alignment allows: Assumption 6 (the least rho_k), or that
        of the compensated masked gradient.
    gradients : Assumption
        What G^2 bounds, as sharply as the run allows: gradients of F, or of every F_k.
    client, coordinate : int
        Whose numbers are shown in `Shows.CLIENT`.
    free : rational or None
        psi_i where nobody trains i: extremes of psi are taken over all coordinates, and shown by
        names of their own. None: over those that somebody trains.
    """

    run: Run
    view: View
    shows: Shows
    rho_min: Any = Assumption.ALIGNED
    gradients: Assumption = Assumption.GLOBAL_GRADIENT
    client: int = 0
    coordinate: int = 0
    free: Any = None

    def __post_init__(self) -> None:
        nobody = untrained(self.run.algorithm)
        known = self.free is None or bool(nobody)
        require(known, "coordinates that nobody trains", "none", "some, as psi is free there")
        if self.view is View.FREE:
            _check_free(self.run)


def _check_free(run: Run) -> None:
    """Raise unless a run is one step from free vectors."""
    require(run.own is not None, "W_1, ..., W_n", run.own, "an array of shape (n, d)")
    require(run.count == 1, "steps from free vectors", run.count, "1")


@dataclass(frozen=True, eq=False)
class Attenuated:
    """One step from free vectors, alpha_k chosen: any number for which masking shortens as said.

    Attributes
    ----------
    run : Run
    attenuation : tuple of n rationals
    rho_min : rational
    """

    run: Run
    attenuation: tuple[Any, ...]
    rho_min: Any

    def __post_init__(self) -> None:
        _check_free(self.run)


class Rate(StrEnum):
    """The least C of a condition."""

    BASE = "D^0 + B/z^2"
    ANY = "B/z^2"
    LONGER = "max(D^0, 4 B/z^2)"


@dataclass(frozen=True, eq=False)
class Decaying:
    """Rounds of the algorithm with a step size of their own each, and the recursion's numbers.

    Attributes
    ----------
    run : Run
    steps : tuple of rationals
        eta^t of every round.
    z : rational
    B_step : rational or None
        None: the least with which D^{t+1} <= (1 - z eta^t) D^t + (eta^t)^2 B in every round.
    C_rate : rational or Rate
    """

    run: Run
    steps: tuple[Any, ...]
    z: Any
    B_step: Any
    C_rate: Any


@dataclass(frozen=True)
class Recursion:
    """No algorithm: D^{t+1} = (1 - z eta^t) D^t + (eta^t)^2 B.

    Attributes
    ----------
    D_0, z, B_step : rational
    C_rate : rational or Rate
    steps : tuple of rationals
        eta^t of every round.
    """

    D_0: Any
    z: Any
    B_step: Any
    C_rate: Any
    steps: tuple[Any, ...]
