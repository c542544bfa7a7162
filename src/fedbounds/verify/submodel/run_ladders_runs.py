"""Runs whose rungs differ in one parameter: the rounds R, the steps K, or the capacity p or q."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import comb
from typing import Any

import numpy as np
from flint import arb, fmpq

from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.algorithms.rolling_masks import RollingMasks, coverage
from fedbounds.errors import FedboundsError, require
from fedbounds.problems import FederatedQuadratic, Start
from fedbounds.problems.linear import is_positive_definite, rational, solve
from fedbounds.problems.masked_laws import Bernoulli, Rolling

from ..case import Found, find
from .frame import Frame, at_optimum, rational_row
from .limits import after_many, expected, limit, moment_map
from .moments_forms import distance_to, value_of
from .moments_random import random_round

Array = Any
_PLACES = 2**16  # binary places kept of logarithms


def log_between(rounds: int) -> tuple[fmpq, fmpq]:
    """Rationals of few digits below and above ln R."""
    enclosed = arb(rounds).log()
    floor = (enclosed * _PLACES).floor().unique_fmpz()
    assert floor is not None
    below, above = fmpq(floor, _PLACES), fmpq(floor + 1, _PLACES)
    assert arb(below) < enclosed < arb(above)
    return below, above


@dataclass(frozen=True, eq=False)
class RoundsLadder:
    """Random masks on R^d with eta K = 2 l / (mu pbar R), l a rational just above ln R.

    That is 2 ln R / (mu' pbar R) with mu' = mu ln(R)/l, which no client's curvature falls below.

    Attributes
    ----------
    problem : FederatedQuadratic
        In rationals.
    keep : tuple
        p_i.
    local_steps : int
        K.
    start : Start
    rounds : tuple of int
        R of each rung, growing.
    """

    problem: FederatedQuadratic
    keep: tuple[Any, ...]
    local_steps: int
    start: Start
    rounds: tuple[int, ...]

    def __post_init__(self) -> None:
        growing = all(a < b for a, b in pairwise(self.rounds))
        require(growing and min(self.rounds) >= 3, "rounds R", self.rounds, "growing, from 3 on")
        most = 1 / (10 * self.frame.smoothness.value)
        for rounds in self.rounds:
            given = self.step(rounds) * self.local_steps
            require(given <= most, f"eta K at R = {rounds}", given, f"at most 1/(10 L) = {most}")

    @cached_property
    def frame(self) -> Frame:
        """F_p and the constants."""
        return Frame(self.problem, Bernoulli(self.keep), None)

    def step(self, rounds: int) -> fmpq:
        """eta."""
        known, (_, above) = self.frame.constants(), log_between(rounds)
        if "mu" not in known:
            raise FedboundsError("least eigenvalue is 0; expected strongly convex clients")
        step: fmpq = 2 * above / (known["mu"] * known["p_mean"] * rounds * self.local_steps)
        return step


@find.register
def _find_rounds(setup: RoundsLadder) -> Found:
    frame = setup.frame
    if frame.full is None:
        raise FedboundsError("F has no single minimiser; expected one")
    best = frame.masked.minimiser
    distance, value = distance_to(best), value_of(setup.problem)
    rows = []
    for rounds in setup.rounds:
        algorithm = RandomMasks(setup.keep, setup.local_steps, setup.step(rounds))
        last = after_many(moment_map(setup.problem, algorithm, setup.start), rounds)
        away = abs(expected(last, value) - value(best))
        rows.append((expected(last, distance), away, log_between(rounds)[0] ** 2 / rounds))
    series = dict(zip(("D_r", "A_r", "ln2_r"), zip(*rows, strict=True), strict=True))
    moved = setup.start.u - best
    parameters = frame.constants() | at_optimum(frame) | {"D_opt_0": (moved * moved).sum()}
    shortest = setup.rounds[0]
    parameters |= {"R_least": fmpq(shortest), "log_R": log_between(shortest)[1]}
    return Found(
        family="random masks on quadratics over R",
        parameters=parameters | {"K": setup.local_steps, "T": len(rows)},
        series={name: rational_row(list(column)) for name, column in series.items()},
        evidence=frame.evidence(),
    )


@dataclass(frozen=True, eq=False)
class StepsLadder:
    """Random masks with full gradients on R^d, at one small eta K.

    Attributes
    ----------
    problem : FederatedQuadratic
        In rationals, without noise; F_p strongly convex.
    keep : tuple
        p_i.
    local_steps : tuple of int
        K of each rung, growing.
    """

    problem: FederatedQuadratic
    keep: tuple[Any, ...]
    local_steps: tuple[int, ...]

    def __post_init__(self) -> None:
        steps = self.local_steps
        growing = all(a < b for a, b in pairwise(steps))
        require(growing and min(steps) >= 1, "local steps K", steps, "growing, from 1 on")
        scale = self.problem.noise.scale_u
        require(scale == 0, "scale of the noise", scale, "0: the claim is about sigma = 0")


@find.register
def _find_steps(setup: StepsLadder) -> Found:
    frame = Frame(setup.problem, Bernoulli(setup.keep), None)
    errors = [leading_error(frame, setup.keep, steps) for steps in setup.local_steps]
    return Found(
        family="random masks on quadratics over K",
        parameters=frame.constants() | {"T": len(errors)},
        series={
            "K_r": rational_row([fmpq(steps) for steps in setup.local_steps]),
            "G_lead": rational_row(errors),
        },
        evidence=frame.evidence(),
    )


def leading_error(frame: Frame, keep: tuple[Any, ...], steps: int) -> fmpq:
    """The limit as x = eta K -> 0 of (1/x) lim_R E ||grad F_p(w^R)||^2.

    With x a round maps w - w*(p) by I + x A + O(x^2) in the mean, and adds the covariance
    x^2 B + O(x^3) at w*(p): the stationary covariance is x C + O(x^2) with A C + C A' + B = 0, and
    the stationary mean is O(x).
    """
    count = 2 * steps + 1
    d = frame.problem.shared_dimension
    nothing = np.full((d, d), fmpq(0), dtype=object)
    one = nothing + np.eye(d, dtype=int)
    turn, added = nothing, nothing
    for j in range(1, count + 1):
        # the value at 0 of a polynomial of degree below ``count``, from those at j x
        weight, x = (-1) ** (j - 1) * comb(count, j), fmpq(j, 16)
        found = random_round(frame.problem, RandomMasks(keep, steps, x / steps))
        assert found.spread is not None
        turn = turn + weight * (found.mean[:, :-1] - one) / x
        added = added + weight * found.spread(nothing[0], nothing) / x**2
    if not is_positive_definite(-(turn + turn.T) / 2):
        raise FedboundsError("F_p is not strongly convex; expected it for a limit")
    flat = solve(np.kron(turn, one) + np.kron(one, turn), -added.reshape(-1, 1))
    assert flat is not None
    slope = frame.masked.matrix
    error: fmpq = (slope @ flat.reshape(d, d) @ slope).trace()
    return error


@dataclass(frozen=True, eq=False)
class CapacityLadder:
    """Random masks with growing p, or rolling ones with growing q: the same steps and rounds.

    Attributes
    ----------
    problem : FederatedQuadratic
        In rationals; F has one minimiser.
    algorithms : tuple of RandomMasks, or of RollingMasks
        On R^d, with the same K and eta; all clients have the same capacity.
    start : Start
    rounds : int
        R; whole epochs where the masks roll.
    """

    problem: FederatedQuadratic
    algorithms: tuple[Any, ...]
    start: Start
    rounds: int

    def __post_init__(self) -> None:
        first = self.algorithms[0]
        for rung in self.algorithms:
            require(type(rung) is type(first), "masks of a rung", type(rung), f"{type(first)}")
            for name in ("local_steps", "inner_step_u"):
                own, given = getattr(first, name), getattr(rung, name)
                require(given == own, f"{name} of a rung", given, f"{own}, as on the first")
            epochs = fmpq(self.rounds, epoch_of(rung))
            require(epochs.q == 1, "number of epochs", epochs, "a whole number")
        found = self.capacities
        growing = all(a < b for a, b in pairwise(found))
        require(growing, "capacities of the rungs", found, "growing")

    @property
    def capacities(self) -> tuple[fmpq, ...]:
        """p or q of every rung."""
        return tuple(map(_capacity, self.algorithms))


def epoch_of(algorithm: RandomMasks | RollingMasks) -> int:
    """S, or 1."""
    return algorithm.epoch if isinstance(algorithm, RollingMasks) else 1


def _capacity(algorithm: RandomMasks | RollingMasks) -> fmpq:
    if isinstance(algorithm, RollingMasks):
        shares = coverage(algorithm)
    else:
        shares = tuple(map(rational, algorithm.keep))
    require(len(set(shares)) == 1, "capacities of the clients", shares, "all alike")
    return shares[0]


@find.register
def _find_capacity(setup: CapacityLadder) -> Found:
    first = setup.algorithms[0]
    rolling = isinstance(first, RollingMasks)
    frame = Frame(setup.problem, Rolling(first.masks) if rolling else Bernoulli(first.keep), None)
    if frame.full is None:
        raise FedboundsError("F has no single minimiser; expected one to compare losses")
    loss = value_of(setup.problem, above=True)
    after, limits = [], []
    for rung in setup.algorithms:
        moves = moment_map(setup.problem, rung, setup.start)
        after.append(expected(after_many(moves, setup.rounds // epoch_of(rung)), loss))
        last = limit(moves)
        if last is not None:
            limits.append(expected(last, loss))
    series = {"L_r": rational_row(after)}
    if len(limits) == len(after):
        series["L_lim"] = rational_row(limits)
    known = frame.constants()
    return Found(
        family=f"{'rolling' if rolling else 'random'} masks on quadratics over the capacity",
        parameters={name: known[name] for name in ("n", "dim", "L", "sigma^2")}
        | {"K": first.local_steps, "T": len(after), "eta": first.inner_step_u},
        series=series,
        evidence=frame.evidence(),
    )
