"""What a contest asks: cells, step sizes, and when to stop."""

from dataclasses import dataclass
from enum import StrEnum
from itertools import product

from fedbounds.errors import FedboundsError, require, require_finite

from .field import Family, Shape

_MOST_CELLS = 10_000


class Steps(StrEnum):
    """How each algorithm gets its step size gamma in a cell."""

    OPTIMAL = "optimal"  # where its theorem's bound reaches eps first
    TUNED = "tuned"  # of a logarithmic grid, the one that is measured to reach eps first
    EQUAL = "equal"  # the same for all


@dataclass(frozen=True)
class Default:
    """What is asked of a family unless told otherwise: some ten seconds of work."""

    spreads: tuple[float, ...]
    steps: tuple[int, ...]
    limit: int
    mode: Steps
    eps: float


DEFAULTS = {
    Family.QUADRATIC: Default((0.0, 1.0, 10.0), (1, 4, 16), 1_000_000, Steps.OPTIMAL, 1e-2),
    Family.COSINE: Default((1.0, 10.0), (1, 4), 500, Steps.TUNED, 1e-1),
    Family.LOGISTIC: Default((0.0, 1.0), (1, 4), 500, Steps.TUNED, 1e-1),
}


@dataclass(frozen=True)
class Cell:
    """One point of the grid; ``spread`` is b^2, or the heterogeneity of logistic data."""

    spread: float
    steps: int
    participants: int


@dataclass(frozen=True)
class Plan:
    """A contest.

    Attributes
    ----------
    shape : Shape
    spreads, steps, participants : tuples
        Values of b^2 (or heterogeneity), K and m.
    eps : float
    mode : Steps
    step : float or None
        gamma of all algorithms in mode `EQUAL`; None: the largest that every theorem admits.
    limit : int
        Most rounds of a run.
    replicas : int
        Of each sampled run; quadratics are not sampled.
    """

    shape: Shape
    spreads: tuple[float, ...]
    steps: tuple[int, ...]
    participants: tuple[int, ...]
    eps: float
    mode: Steps
    step: float | None
    limit: int
    replicas: int

    def __post_init__(self) -> None:
        require_finite("eps", self.eps, positive=True)
        for spread in self.spreads:
            require_finite("b^2 (or heterogeneity)", spread, positive=False)
        for steps in self.steps:
            require(steps >= 1, "local steps K", steps, "at least 1")
        for participants in self.participants:
            most = self.shape.clients
            fits = 1 <= participants <= most
            told = f"between 1 and the number of clients n = {most}"
            require(fits, "participants m", participants, told)
        require(self.limit >= 1, "limit of rounds", self.limit, "at least 1")
        require(self.replicas >= 2, "replicas", self.replicas, "at least 2, for an interval")
        if self.step is not None:
            require_finite("step size gamma", self.step, positive=True)
            if self.mode is not Steps.EQUAL:
                raise FedboundsError(
                    f"a step size is given with --steps {self.mode}; expected --steps equal"
                )
        count = len(self.spreads) * len(self.steps) * len(self.participants)
        require(1 <= count <= _MOST_CELLS, "number of cells", count, f"1 to {_MOST_CELLS}")

    @property
    def exact(self) -> bool:
        """Whether expectations are exact, without sampling."""
        return self.shape.family is Family.QUADRATIC

    @property
    def cells(self) -> tuple[Cell, ...]:
        """All cells, b^2 outermost, m innermost."""
        return tuple(Cell(*x) for x in product(self.spreads, self.steps, self.participants))
