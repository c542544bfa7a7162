"""Runs on several data sets under the same masks and the same sample indices, in full.

What is enumerated is the joint law of w^r on all data sets; equal joint states are merged.
"""

from dataclasses import dataclass
from itertools import product
from types import ModuleType
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms import random_masks, rolling_masks, submodel_parts
from fedbounds.algorithms.fedavg_p import Carry
from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.algorithms.submodel_parts import drawn_with
from fedbounds.errors import require
from fedbounds.problems import SILENT, Start
from fedbounds.problems.sampled_regression import SampledRegression

from .rounds_branches import Branches, Visited, branches, nothing_visited
from .stability_data import Masked

Array = Any
MOST_ROWS = 60_000  # outcomes (state, masks, indices) of one round, times data sets
_MODULES: dict[type, ModuleType] = {RandomMasks: random_masks, RollingMasks: rolling_masks}


@dataclass(frozen=True, eq=False)
class JointStates:
    """The joint law of w^r on D data sets: points (D, P, d), chances (P,), and what is visited."""

    points: Array
    chance: Array
    visited: list[Visited]


@dataclass(frozen=True, eq=False)
class JointRound:
    """All that happens in a round; rows are states times outcomes.

    Attributes
    ----------
    chance : array, shape (rows,)
    masks : bool array, shape (n, rows, d)
    virtual : array, shape (D, K + 1, n, rows, d)
        y_i^0 = w^r, ..., y_i^K on every data set.
    """

    chance: Array
    masks: Array
    virtual: Array


@dataclass(frozen=True, eq=False)
class JointRun:
    """States before the rounds 0, ..., R - 1 and after the last, and the rounds."""

    states: tuple[JointStates, ...]
    rounds: tuple[JointRound, ...]


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What is drawn in a round: chances (B,), masks (n, B, d), indices (K, n, B), visited sets."""

    chance: Array
    masks: Array
    indices: Array
    visited: list[Visited]


def joint_run(
    problems: tuple[SampledRegression, ...],
    algorithm: Masked,
    start: Array,
    rounds: int,
    most_rows: int = MOST_ROWS,
) -> JointRun:
    """Every outcome of R rounds on all data sets, one draw for all of them.

    Raises
    ------
    FedboundsError
        If a round has too many outcomes.
    """
    begun = _begun(problems[0], algorithm, start)
    states = [
        JointStates(
            np.stack([begun] * len(problems)),
            np.array([fmpq(1)], dtype=object),
            [nothing_visited(algorithm)],
        )
    ]
    found: list[JointRound] = []
    for r in range(rounds):
        before = states[-1]
        every = {
            seen: outcomes(problems[0], algorithm, seen) for seen in dict.fromkeys(before.visited)
        }
        parts = [every[seen] for seen in before.visited]
        rows = sum(len(part.chance) for part in parts) * len(problems)
        require(rows <= most_rows, f"number of outcomes of round {r}", rows,
                f"at most {most_rows} to enumerate them")  # fmt: skip
        at = np.repeat(np.arange(len(parts)), [len(part.chance) for part in parts])
        drawn = _together(parts)
        chance = before.chance[at] * drawn.chance
        driven = [
            _drive(problem, algorithm, points[at], drawn, r)
            for problem, points in zip(problems, before.points, strict=True)
        ]
        found.append(JointRound(chance, drawn.masks, np.stack([each[0] for each in driven])))
        after = np.stack([each[1] for each in driven])
        states.append(_merged(after, chance, drawn.visited))
    return JointRun(tuple(states), tuple(found))


def _begun(problem: SampledRegression, algorithm: Masked, start: Array) -> Array:
    """The checked start, shape (1, d)."""
    given = Start(start, np.zeros((problem.clients, 0), dtype=object))
    found: Array = _MODULES[type(algorithm)].init(problem, algorithm, given, 1).u
    return found


def outcomes(problem: SampledRegression, algorithm: Masked, visited: Visited) -> Outcomes:
    """Masks times indices; those of a client without a coordinate change nothing and are 0."""
    masked = branches(algorithm, SILENT, visited, problem.shared_dimension)
    return _with_indices(masked, problem.noise_outcomes(algorithm.local_steps), problem.clients)


def _with_indices(masked: Branches, draws: np.ndarray, clients: int) -> Outcomes:
    chances, at, indices = [], [], []
    live = masked.masks.any(axis=2)  # (n, B)
    for b, chance in enumerate(masked.chance):
        each = [draws if on else draws[:1] * 0 for on in live[:, b]]
        picks = [np.stack(picked, axis=1) for picked in product(*each)]
        chances += [chance / len(picks)] * len(picks)
        at += [b] * len(picks)
        indices += picks
    return Outcomes(
        chance=np.array(chances, dtype=object),
        masks=masked.masks[:, at],
        indices=np.stack(indices, axis=2),
        visited=[masked.visited[b] for b in at],
    )


def _together(parts: list[Outcomes]) -> Outcomes:
    return Outcomes(
        np.concatenate([part.chance for part in parts]),
        np.concatenate([part.masks for part in parts], axis=1),
        np.concatenate([part.indices for part in parts], axis=2),
        [seen for part in parts for seen in part.visited],
    )


def _drive(
    problem: SampledRegression, algorithm: Masked, points: Array, drawn: Outcomes, r: int
) -> tuple[Array, Array]:
    """One round of the algorithm's own `local` and `server`: virtual iterates and w^{r+1}."""
    module, n = _MODULES[type(algorithm)], problem.clients
    v = points[None, :, :0].repeat(n, axis=0)
    carry = Carry(u=points, v=v)
    if isinstance(algorithm, RollingMasks):
        carry = rolling_masks.Carry(u=points, v=v, position=r % algorithm.epoch)
    draw = drawn_with(drawn.masks, drawn.indices.reshape(algorithm.local_steps, -1))
    kept: list[Array] = []

    def visit(k: int, y: Array, gradient: Array, noisy: Array) -> None:
        kept.append(y.reshape(drawn.masks.shape))

    reached = module.local(problem, algorithm, carry, draw, visit)
    kept.append(submodel_parts.filled(carry, draw, reached))
    return np.stack(kept), module.server(algorithm, carry, draw, reached).u


def _merged(after: Array, chance: Array, visited: list[Visited]) -> JointStates:
    """Joint states, equal ones added up."""
    sets, rows, d = after.shape
    flat = np.swapaxes(after, 0, 1).reshape(rows, sets * d).tolist()
    found: dict[tuple[tuple[fmpq, ...], Visited], fmpq] = {}
    for row, seen, share in zip(flat, visited, chance, strict=True):
        key = (tuple(row), seen)
        found[key] = found.get(key, fmpq(0)) + share
    points = np.array([row for row, _ in found], dtype=object).reshape(-1, sets, d)
    return JointStates(
        np.swapaxes(points, 0, 1),
        np.array(list(found.values()), dtype=object),
        [seen for _, seen in found],
    )
