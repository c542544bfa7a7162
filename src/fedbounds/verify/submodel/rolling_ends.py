"""Set-ups whose limits are found: shuffling against other orders, and where one projects."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.errors import FedboundsError, require
from fedbounds.problems import FederatedQuadratic, Start
from fedbounds.problems.domain import Ball, Box, check_inside
from fedbounds.problems.masked_laws import Rolling

from ..case import Found, find
from .frame import Frame
from .rolling_constants import fixed_parameters
from .rolling_limits import (
    Affine,
    Rounds,
    drawn,
    every_order,
    in_order,
    joined,
    rounds_of,
    shuffled,
    spread,
    stationary,
)
from .rolling_modes import mode_evidence
from .rolling_projected import Bounds, projected_limit

Array = Any


@dataclass(frozen=True, eq=False)
class RollingLimit:
    """Rolling masks as epochs go on; nothing is run.

    Attributes
    ----------
    problem : FederatedQuadratic
        In rationals, strongly convex; without noise where there is a domain.
    algorithm : RollingMasks
        With no domain, or a box. Whether it projects each round plays no part: the limits without
        projection, and with projection per epoch and per round, are all found.
    start : Start
    """

    problem: FederatedQuadratic
    algorithm: RollingMasks
    start: Start

    def __post_init__(self) -> None:
        domain = self.algorithm.domain
        require(not isinstance(domain, Ball), "domain", domain, "None or a box: exact limits")
        check_inside(domain, self.start.u)


@find.register
def _find(setup: RollingLimit) -> Found:
    algorithm, problem = setup.algorithm, setup.problem
    frame = Frame(problem, Rolling(algorithm.masks), algorithm.domain)
    rounds = rounds_of(problem, algorithm)
    limits = _without_projection if algorithm.domain is None else _with_projection
    return Found(
        family="rolling masks on quadratics, limits of linear equations",
        parameters=fixed_parameters(frame, algorithm, setup.start)
        | {"T": 1}
        | limits(setup, frame, rounds),
        series={},
        evidence=frame.evidence() | mode_evidence(algorithm),
    )


def _without_projection(setup: RollingLimit, frame: Frame, rounds: Rounds) -> dict[str, Any]:
    """Floors of the three ways to choose sub-models; projections do nothing."""
    best = frame.masked.minimiser - rounds.centre
    epoch = shuffled(rounds)
    floor = stationary(epoch).distance(best)
    return {
        "shuffle_floor": floor,
        "fixed_floor": stationary(in_order(rounds)).distance(best),
        "drawn_floor": stationary(drawn(rounds)).distance(best),
        "order_spread": spread(epoch, setup.start.u - rounds.centre),
        "roll_floor": floor,
        "free_limit": floor,
        "round_limit": floor,
        "epoch_limit": floor,
    }


def _with_projection(setup: RollingLimit, frame: Frame, rounds: Rounds) -> dict[str, Any]:
    """Limits of the three ways to project, as far as there is a certificate."""
    if setup.problem.noise.scale_u != 0:
        raise FedboundsError("noise in a box; expected none: limits there are of full gradients")
    domain = setup.algorithm.domain
    assert isinstance(domain, Box)
    sides = domain.bounds(len(rounds.centre))
    lower, upper = (np.array(side, dtype=object) for side in zip(*sides, strict=True))
    box = Bounds(lower - rounds.centre, upper - rounds.centre)
    best, start = frame.masked.minimiser - rounds.centre, setup.start.u - rounds.centre
    orders = every_order(rounds)

    def once(order: list[Affine]) -> list[Affine]:
        return [joined(order, fmpq(1))]

    wanted: dict[str, Callable[[], fmpq]] = {
        "free_limit": lambda: stationary(shuffled(rounds)).distance(best),
        "round_limit": lambda: projected_limit(orders, box, best, start),
        "epoch_limit": lambda: projected_limit([once(x) for x in orders], box, best, start),
    }
    found = {}
    for name, value in wanted.items():
        try:
            found[name] = value()
        except FedboundsError:
            continue
    return found
