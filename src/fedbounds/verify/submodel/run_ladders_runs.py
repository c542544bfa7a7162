"""Runs of rolling masks whose rungs differ in their capacity q."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from flint import fmpq

from fedbounds.algorithms.rolling_masks import RollingMasks, coverage
from fedbounds.errors import FedboundsError, require
from fedbounds.problems import FederatedQuadratic, Start
from fedbounds.problems.masked_laws import Rolling

from ..case import Found, find
from .frame import Frame, rational_row
from .limits import after_many, expected, limit, moment_map
from .moments_forms import value_of

Array = Any


@dataclass(frozen=True, eq=False)
class CapacityLadder:
    """Rolling masks with growing q: the same steps and rounds.

    Attributes
    ----------
    problem : FederatedQuadratic
        In rationals; F has one minimiser.
    algorithms : tuple of RollingMasks
        On R^d, with the same K and eta; all clients have the same capacity.
    start : Start
    rounds : int
        R; whole epochs.
    """

    problem: FederatedQuadratic
    algorithms: tuple[Any, ...]
    start: Start
    rounds: int

    def __post_init__(self) -> None:
        first = self.algorithms[0]
        for rung in self.algorithms:
            for name in ("local_steps", "inner_step_u"):
                own, given = getattr(first, name), getattr(rung, name)
                require(given == own, f"{name} of a rung", given, f"{own}, as on the first")
            epochs = fmpq(self.rounds, rung.epoch)
            require(epochs.q == 1, "number of epochs", epochs, "a whole number")
        found = self.capacities
        growing = all(a < b for a, b in pairwise(found))
        require(growing, "capacities of the rungs", found, "growing")

    @property
    def capacities(self) -> tuple[fmpq, ...]:
        """q of every rung."""
        return tuple(map(_capacity, self.algorithms))


def _capacity(algorithm: RollingMasks) -> fmpq:
    shares = coverage(algorithm)
    require(len(set(shares)) == 1, "capacities of the clients", shares, "all alike")
    return shares[0]


@find.register
def _find_capacity(setup: CapacityLadder) -> Found:
    first = setup.algorithms[0]
    frame = Frame(setup.problem, Rolling(first.masks), None)
    if frame.full is None:
        raise FedboundsError("F has no single minimiser; expected one to compare losses")
    loss = value_of(setup.problem, above=True)
    after, limits = [], []
    for rung in setup.algorithms:
        moves = moment_map(setup.problem, rung, setup.start)
        after.append(expected(after_many(moves, setup.rounds // rung.epoch), loss))
        last = limit(moves)
        if last is not None:
            limits.append(expected(last, loss))
    series = {"L_r": rational_row(after)}
    if len(limits) == len(after):
        series["L_lim"] = rational_row(limits)
    known = frame.constants()
    return Found(
        family="rolling masks on quadratics over the capacity",
        parameters={name: known[name] for name in ("n", "dim", "L", "sigma^2")}
        | {"K": first.local_steps, "T": len(after), "eta": first.inner_step_u},
        series=series,
        evidence=frame.evidence(),
    )
