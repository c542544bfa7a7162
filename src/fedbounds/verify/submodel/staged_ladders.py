"""Runs whose step size halves from stage to stage while stages double: the rate O(1/R) itself."""

from dataclasses import dataclass, replace
from typing import Any

from flint import fmpq

from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.errors import FedboundsError, require
from fedbounds.problems import FederatedQuadratic, Start
from fedbounds.problems.linear import rational
from fedbounds.problems.masked_laws import Bernoulli, Rolling

from ..case import Found, find
from .frame import Frame, at_optimum, rational_row
from .limits import after_many, expected, moment_map
from .moments import Moments
from .moments_forms import value_of
from .moments_rounding import State
from .rolling_constants import fixed_parameters
from .rolling_modes import mode_evidence
from .run_ladders_runs import epoch_of


@dataclass(frozen=True, eq=False)
class StagedLadder:
    """Random or rolling masks on R^d, as one run of stages; a rung is the end of a stage.

    Attributes
    ----------
    problem : FederatedQuadratic
        In rationals; F has one minimiser.
    algorithm : RandomMasks or RollingMasks
        With the step size of the first stage.
    start : Start
    first_stage : int
        Its rounds, or its epochs where masks roll; every later stage lasts twice as long.
    stages : int
    """

    problem: FederatedQuadratic
    algorithm: Any
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
        first = self.first_stage * epoch_of(self.algorithm)
        return tuple(first * (2**stage - 1) for stage in range(1, self.stages + 1))


@find.register
def _find(setup: StagedLadder) -> Found:
    algorithm = setup.algorithm
    law = Rolling(algorithm.masks) if _rolls(algorithm) else Bernoulli(algorithm.keep)
    frame = Frame(setup.problem, law, None)
    if frame.full is None:
        raise FedboundsError("F has no single minimiser; expected one to compare losses")
    loss = value_of(setup.problem, above=True)
    return Found(
        family=f"{'rolling' if _rolls(algorithm) else 'random'} masks on quadratics over stages",
        parameters=_parameters(setup, frame)
        | {"T": setup.stages, "first_stage": setup.first_stage},
        series={
            "F_r": rational_row([expected(last, loss) for last in _ends(setup)]),
            "R_r": rational_row([fmpq(rounds) for rounds in setup.rounds]),
        },
        evidence=frame.evidence() | (mode_evidence(algorithm) if _rolls(algorithm) else {}),
    )


def _rolls(algorithm: RandomMasks | RollingMasks) -> bool:
    return isinstance(algorithm, RollingMasks)


def _parameters(setup: StagedLadder, frame: Frame) -> dict[str, Any]:
    algorithm = setup.algorithm
    if _rolls(algorithm):
        return fixed_parameters(frame, algorithm, setup.start)
    moved = setup.start.u - frame.masked.minimiser
    return (
        frame.constants()
        | at_optimum(frame)
        | {
            "D_opt_0": (moved * moved).sum(),
            "K": algorithm.local_steps,
            "eta": rational(algorithm.inner_step_u),
        }
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
