"""Runs whose step size halves from stage to stage while stages double: the rate O(1/R) itself."""

from dataclasses import dataclass, replace

from flint import fmpq

from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.errors import FedboundsError, require
from fedbounds.problems import FederatedQuadratic, Start
from fedbounds.problems.linear import rational
from fedbounds.problems.masked_laws import Rolling

from ..case import Found, find
from .frame import Frame, rational_row
from .limits import after_many, expected, moment_map
from .moments import Moments
from .moments_forms import value_of
from .moments_rounding import State
from .rolling_constants import fixed_parameters
from .rolling_modes import mode_evidence


@dataclass(frozen=True, eq=False)
class StagedLadder:
    """Rolling masks on R^d, as one run of stages; a rung is the end of a stage.

    Attributes
    ----------
    problem : FederatedQuadratic
        In rationals; F has one minimiser.
    algorithm : RollingMasks
        With the step size of the first stage.
    start : Start
    first_stage : int
        Its epochs; every later stage lasts twice as long.
    stages : int
    """

    problem: FederatedQuadratic
    algorithm: RollingMasks
    start: Start
    first_stage: int
    stages: int

    def __post_init__(self) -> None:
        require(self.first_stage >= 1, "first stage", self.first_stage, "at least 1 round")
        require(self.stages >= 2, "stages", self.stages, "at least 2")
        require(self.algorithm.domain is None, "domain", self.algorithm.domain, "none: R^d")

    @property
    def rounds(self) -> tuple[int, ...]:
        """R at the end of every stage."""
        first = self.first_stage * self.algorithm.epoch
        return tuple(first * (2**stage - 1) for stage in range(1, self.stages + 1))


@find.register
def _find(setup: StagedLadder) -> Found:
    algorithm = setup.algorithm
    frame = Frame(setup.problem, Rolling(algorithm.masks), None)
    if frame.full is None:
        raise FedboundsError("F has no single minimiser; expected one to compare losses")
    loss = value_of(setup.problem, above=True)
    return Found(
        family="rolling masks on quadratics over stages",
        parameters=fixed_parameters(frame, algorithm, setup.start)
        | {"T": setup.stages, "first_stage": setup.first_stage},
        series={
            "F_r": rational_row([expected(last, loss) for last in _ends(setup)]),
            "R_r": rational_row([fmpq(rounds) for rounds in setup.rounds]),
        },
        evidence=frame.evidence() | mode_evidence(algorithm),
    )


def _ends(setup: StagedLadder) -> list[Moments]:
    """The moments at the end of every stage."""
    found: list[Moments] = []
    for stage in range(setup.stages):
        step = rational(setup.algorithm.inner_step_u) / 2**stage
        moves = moment_map(setup.problem, replace(setup.algorithm, inner_step_u=step), setup.start)
        if found:
            reached = State(found[-1].mean[-1], found[-1].covariance[-1], 0.0, 0.0)
            moves = replace(moves, begun=reached)
        found.append(after_many(moves, setup.first_stage * 2**stage))
    return found
