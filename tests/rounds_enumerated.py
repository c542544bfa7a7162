"""An oracle: runs of rolling masks round by round, every noise sign, every order, in rationals.

States that are equal (the same w, and in an epoch the same sub-models visited) are merged between
rounds, so that their number and not that of histories is what limits a run.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from flint import fmpq
from rounds_branches import (
    Branches,
    Visited,
    branches,
    count_branches,
    nothing_visited,
)

from fedbounds.algorithms import rolling_masks, submodel_parts
from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.errors import require
from fedbounds.problems import Problem, Start, to_rational
from fedbounds.problems.linear import rational
from fedbounds.problems.spectrum import in_rationals
from fedbounds.verify.submodel.moments_drive import draws

Array = Any
Point = tuple[fmpq, ...]
MOST_ROWS = 100_000  # outcomes (state, masks, noise) of one round


@dataclass(frozen=True, eq=False)
class States:
    """The law of w^r: points of shape (P, d), their chances, and what is visited at each."""

    points: Array
    chance: Array
    visited: list[Visited]


@dataclass(frozen=True, eq=False)
class EnumeratedRound:
    """All that happens in round r; the row axis lists the states times the outcomes.

    Attributes
    ----------
    chance : array, shape (rows,)
        Probabilities; their sum is 1.
    state : array of int, shape (rows,)
        Which of the states before the round a row starts from.
    before, after : arrays, shape (rows, d)
        w^r and w^{r+1}.
    masks : bool array, shape (n, rows, d)
        m_i^r.
    virtual : array, shape (K + 1, n, rows, d)
        y_i^{r,0}, ..., y_i^{r,K}; the client's own model is m_i o y_i.
    gradients, noisy : arrays, shape (K, n, rows, d)
        Exact and stochastic gradients of f_i at m_i o y_i^{r,k}, before the mask; the noise is
        left out off the mask, where nothing follows it.
    """

    chance: Array
    state: Array
    before: Array
    after: Array
    masks: Array
    virtual: Array
    gradients: Array
    noisy: Array


@dataclass(frozen=True, eq=False)
class EnumeratedRun:
    """States before each of the rounds 0, ..., R - 1 and after the last, and the rounds."""

    problem: Problem
    algorithm: Any
    states: tuple[States, ...]
    rounds: tuple[EnumeratedRound, ...]


def enumerate_rounds(
    problem: Problem,
    algorithm: RollingMasks,
    start: Start,
    rounds: int,
    most_rows: int = MOST_ROWS,
) -> EnumeratedRun:
    """Every outcome of R rounds; floats are read as the rationals they are.

    Parameters
    ----------
    algorithm : RollingMasks
        With no domain, or a box.
    most_rows : int
        Refuse rounds with more outcomes.

    Raises
    ------
    FedboundsError
        If a round has too many outcomes, or the noise infinitely many.
    """
    require(rounds >= 0, "rounds", rounds, "at least 0")
    kind = type(algorithm).__name__
    require(isinstance(algorithm, RollingMasks), "algorithm", kind, "rolling masks")
    problem = to_rational(problem)
    algorithm = replace(algorithm, inner_step_u=rational(algorithm.inner_step_u))
    begun = Start(in_rationals(np.asarray(start.u)), in_rationals(np.asarray(start.v)))
    u = rolling_masks.init(problem, algorithm, begun, 1).u
    one = np.array([fmpq(1)], dtype=object)
    states = [States(u, one, [nothing_visited(algorithm)])]
    found: list[EnumeratedRound] = []
    for r in range(rounds):
        at, outcomes = _outcomes(problem, algorithm, states[-1], r, most_rows)
        found.append(_one_round(problem, algorithm, states[-1], at, outcomes, r))
        states.append(_merged(found[-1], outcomes.visited))
    return EnumeratedRun(problem, algorithm, tuple(states), tuple(found))


def _outcomes(
    problem: Any, algorithm: Any, states: States, r: int, most_rows: int
) -> tuple[Array, Branches]:
    """The state of every row, and the outcomes of all rows."""
    noise, d = problem.noise, states.points.shape[1]
    kinds = {seen: count_branches(algorithm, noise, seen, d) for seen in set(states.visited)}
    rows = sum(kinds[seen] for seen in states.visited)
    require(rows <= most_rows, f"number of outcomes of round {r}", rows,
            f"at most {most_rows} to enumerate them")  # fmt: skip
    every = {seen: branches(algorithm, noise, seen, d) for seen in kinds}
    parts = [every[seen] for seen in states.visited]
    return (
        np.repeat(np.arange(len(parts)), [len(part.chance) for part in parts]),
        Branches(
            chance=np.concatenate([part.chance for part in parts]),
            masks=np.concatenate([part.masks for part in parts], axis=1),
            noise=None
            if parts[0].noise is None
            else np.concatenate([part.noise for part in parts], axis=2),
            visited=[seen for part in parts for seen in part.visited],
        ),
    )


def _one_round(
    problem: Any, algorithm: Any, states: States, at: Array, outcomes: Branches, r: int
) -> EnumeratedRound:
    before = states.points[at]
    v = before[None, :, :0].repeat(problem.clients, axis=0)
    carry = rolling_masks.Carry(u=before, v=v, position=r % algorithm.epoch)
    drawn = draws(outcomes.masks, outcomes.noise)
    kept: list[tuple[Array, ...]] = []

    def visit(k: int, y: Array, gradient: Array, noisy: Array) -> None:
        kept.append((y, gradient, noisy))

    reached = rolling_masks.local(problem, algorithm, carry, drawn, visit)
    points, gradients, noisy = (
        np.stack([a.reshape(outcomes.masks.shape) for a in each])
        for each in zip(*kept, strict=True)
    )
    last = submodel_parts.filled(carry, drawn, reached)
    return EnumeratedRound(
        chance=states.chance[at] * outcomes.chance,
        state=at,
        before=before,
        after=rolling_masks.server(algorithm, carry, drawn, reached).u,
        masks=outcomes.masks,
        virtual=np.concatenate([points, last[None]]),
        gradients=gradients,
        noisy=noisy,
    )


def _merged(found: EnumeratedRound, visited: list[Visited]) -> States:
    """The states reached, equal ones added up."""
    chances: dict[tuple[Point, Visited], fmpq] = {}
    for point, seen, chance in zip(found.after.tolist(), visited, found.chance, strict=True):
        key = (tuple(point), seen)
        chances[key] = chances.get(key, fmpq(0)) + chance
    return States(
        points=np.array([point for point, _ in chances], dtype=object),
        chance=np.array(list(chances.values()), dtype=object),
        visited=[seen for _, seen in chances],
    )


def expectation(found: EnumeratedRound | States, values: Array) -> Any:
    """E of values whose first axis is that of the rows, or of the states."""
    shape = (-1, *(1,) * (np.ndim(values) - 1))
    return (found.chance.reshape(shape) * values).sum(axis=0)
