"""How far coupled runs part, rung by rung of p: after R rounds, and as R grows.

E ||delta|| is exact where everything is enumerated, or where delta, on the line, keeps its sign.
Otherwise it lies between ||E delta|| and the root of E ||delta||^2: a ball that holds both.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.errors import require
from fedbounds.problems.linear import rational
from fedbounds.problems.sampled_regression import SampledRegression
from fedbounds.problems.spectrum import square_root
from fedbounds.theory.setups import Objective, Run, Setup

from ..case import Found, find
from ..setups.found import known_of, view_of
from .stability_moments import AffineRound, affine_round, contracts, limit

Array = Any
_MOST = 4_000  # outcomes of all rounds to enumerate


@dataclass(frozen=True, eq=False)
class StabilityLadder:
    """One data set and one changed sample, for keep probabilities that grow.

    Attributes
    ----------
    problem : SampledRegression
        In rationals, with squares.
    client, sample : int
        i and j of the changed sample.
    feature, target : array, shape (d,), and rational
        The new sample z'.
    keeps : tuple of rationals
        p of all clients, rung by rung, ascending.
    local_steps : int
    step : rational
        eta.
    start : array, shape (d,)
    rounds : int
        R of the first reading.
    """

    problem: SampledRegression
    client: int
    sample: int
    feature: Array
    target: Any
    keeps: tuple[Any, ...]
    local_steps: int
    step: Any
    start: Array
    rounds: int

    def __post_init__(self) -> None:
        growing = all(low < high for low, high in pairwise(self.keeps))
        require(growing, "keep probabilities", self.keeps, "growing")


@find.register
def _find(setup: StabilityLadder) -> Found:
    problems = both(setup)
    affine = [affine_round(problems, rung(setup, p)) for p in setup.keeps]
    rungs = zip(setup.keeps, affine, strict=True)
    found = {"dl_r": _series(_after(setup, keep, own) for keep, own in rungs)}
    if all(contracts(own, at) for own in affine for at in range(2)):
        found["dl_lim"] = _series(parted(own, limit(own)) for own in affine)
    problem = setup.problem
    return Found(
        family="coupled runs with squares over p",
        parameters={
            "n": problem.clients,
            "n_s": problem.samples,
            "dim": problem.shared_dimension,
            "K": setup.local_steps,
            "eta": setup.step,
            "L": max(each.smoothness() for each in problems),
            "T": len(setup.keeps),
        },
        series=found,
    )


def rung(setup: StabilityLadder, keep: Any) -> RandomMasks:
    """The algorithm of a rung."""
    return RandomMasks((rational(keep),) * setup.problem.clients, setup.local_steps, setup.step)


def both(setup: StabilityLadder) -> tuple[SampledRegression, SampledRegression]:
    """The data set and the one with a sample changed."""
    place = (setup.client, setup.sample)
    features, targets = setup.problem.features.copy(), setup.problem.targets.copy()
    features[place], targets[place] = setup.feature, setup.target
    return setup.problem, SampledRegression(features, targets, setup.problem.loss)


def enumerated(setup: StabilityLadder, keep: Any) -> Setup:
    """A rung as a set-up of the theory: the new sample is the last one of every pool."""
    problem = setup.problem
    data = {
        name: [[*own, new] for own in every]
        for name, every, new in (
            ("features", problem.features, setup.feature),
            ("targets", problem.targets, setup.target),
        )
    }
    parameters = {
        "keep": [rational(keep)] * problem.clients,
        "K": setup.local_steps,
        "eta": setup.step,
        "n_s": problem.samples,
        "changed": [setup.client, setup.sample],
    }
    objective = Objective("regression", _pairs({**data, "ridge": problem.loss.ridge}))
    start = tuple(map(str, setup.start))
    return Setup("submodel", "two data sets",
                 Run(objective, start, _pairs(parameters), setup.rounds))  # fmt: skip


def _pairs(named: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple((name, _plain(value)) for name, value in named.items())


def _plain(value: Any) -> Any:
    if isinstance(value, list | np.ndarray):
        return tuple(map(_plain, value))
    return str(rational(value))


def _series(numbers: Iterable[Any]) -> Array:
    listed = list(numbers)
    found = np.empty(len(listed), dtype=object)
    found[:] = listed
    return found


def _after(setup: StabilityLadder, keep: Any, affine: AffineRound) -> Any:
    """E ||w^R - w'^R||."""
    n, n_s, d = setup.problem.features.shape
    count = 2 ** (n * d) * n_s ** (n * setup.local_steps)
    if count**setup.rounds <= _MOST:
        one = enumerated(setup, keep)
        return known_of(one, view_of(one)).series("dl_w")[-1]
    state = np.concatenate([setup.start, setup.start, [fmpq(1)]])
    moment = np.outer(state, state)
    for _ in range(setup.rounds):
        moment = affine.second(moment)
    return parted(affine, moment)


def difference(affine: AffineRound, moment: Array) -> Array:
    """E[(delta, 1)(delta, 1)'] from E[x x']."""
    d = affine.dimension
    one = np.eye(2 * d + 1, dtype=int).astype(object)
    rows = np.concatenate([one[:d] - one[d : 2 * d], one[2 * d :]])
    found: Array = rows @ moment @ rows.T
    return found


def parted(affine: AffineRound, moment: Array) -> Any:
    """E ||delta|| from E[x x'], where delta starts at 0 and follows this round."""
    own = difference(affine, moment)
    mean, d = own[:-1, -1], affine.dimension
    low, high = _root((mean * mean).sum()), _root(own.trace() - 1)
    if low == high or (d == 1 and _keeps_sign(affine)):
        return low
    with ctx.workprec(512):
        below, above = arb(low), arb(high)
        middle, radius = (below + above) / 2, (above - below) / 2
        # a ball around the middle whose radius holds the balls at both ends
        return arb(middle.mid(), radius.upper() + below.rad() + above.rad())


def _keeps_sign(affine: AffineRound) -> bool:
    """On the line: delta+ = c delta + b with c >= 0 and every b on one side of 0."""
    pushes = []
    for _, maps in affine.clients:
        if (maps[:, 0, 0] != maps[:, 1, 1]).any() or (maps[:, 0, 0] < 0).any():
            return False
        pushes.append(maps[:, 0, -1] - maps[:, 1, -1])
    every = np.concatenate(pushes)
    return bool((every >= 0).all() or (every <= 0).all())


def _root(square: Any) -> fmpq | arb:
    """Exact where it is rational, else a ball."""
    found = square_root(square)
    if found.lower == found.upper:
        return found.lower
    with ctx.workprec(512):
        return arb(rational(square)).sqrt()
