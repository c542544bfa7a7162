"""Quantities of coupled runs, from everything that can happen: expectations in rationals.

Norms are not squared: sums of roots, rational where every root is, else narrow balls.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from flint import arb, fmpq

from fedbounds.problems.sampled_regression import Loss, SampledRegression

from .objectives_masks import root, total
from .stability_data import DataSets, Pair, SampleLaw
from .stability_runs import JointRound, JointRun

Array = Any
Number = Any  # a rational or a ball
_ZERO, _ONE = fmpq(0), fmpq(1)


@cache
def _root(square: tuple[int, int]) -> Number:
    return root(fmpq(*square))


def mean_root(chances: Array, squares: Array) -> Number:
    """E of the roots of rationals."""
    gathered: dict[tuple[int, int], fmpq] = {}
    for chance, square in zip(chances, squares, strict=True):
        key = (int(square.p), int(square.q))
        gathered[key] = gathered.get(key, _ZERO) + chance
    return total(_root(key) * chance for key, chance in gathered.items() if key[0])


def series(numbers: Iterable[Number]) -> Array:
    """Numbers over rounds."""
    listed = list(numbers)
    found = np.empty(len(listed), dtype=object)
    found[:] = listed
    return found


def squares(array: Array) -> Array:
    """Sum of squares over the last axis."""
    return (array * array).sum(axis=-1)


def largest(numbers: Iterable[Number]) -> Number:
    """The largest of rationals and balls; of balls that overlap, a ball around it."""
    listed = list(numbers)
    found = listed[0]
    for number in listed[1:]:
        if isinstance(found, arb) or isinstance(number, arb):
            if found < number:
                found = number
            elif not found >= number:
                found = (found if isinstance(found, arb) else arb(found)).max(number)
        else:
            found = max(found, number)
    return found


def distances(run: JointRun, pairs: list[Pair]) -> Array:
    """E ||w^t - w'^t|| over the pairs, t = 0, ..., R."""
    return series(
        total(
            pair.chance
            * mean_root(
                states.chance, squares(states.points[pair.base] - states.points[pair.other])
            )
            for pair in pairs
        )
        for states in run.states
    )


def loss_differences(run: JointRun, sets: DataSets, pairs: list[Pair]) -> Array:
    """E |l(w^t; z') - l(w'^t; z')| over the pairs, z' the new sample."""

    def at(states: Any, pair: Pair) -> Any:
        new = sets.problems[pair.other]
        feature, target = sample_of(new, pair)
        losses = new.loss.values(feature, target, states.points[[pair.base, pair.other]])
        return (states.chance * abs(losses[0] - losses[1])).sum() * pair.chance

    return series(sum((at(states, pair) for pair in pairs), _ZERO) for states in run.states)


def sample_of(problem: SampledRegression, pair: Pair) -> tuple[Array, Any]:
    """The sample in the place that a pair changes."""
    return problem.features[pair.client, pair.sample], problem.targets[pair.client, pair.sample]


@dataclass(frozen=True, eq=False)
class Pushes:
    """Gradients of the changed sample of one (i, j), masked, along both runs.

    Attributes
    ----------
    pair : array of numbers, shape (R,)
        G_pair: the old sample along the old run and the new one along the new run, over steps.
    largest : number
        G_m: the largest E ||m o grad l(m o y; z)|| of a step, of both samples along both runs.
    entry : rational
        The largest entry of their gradients at those points, off the masks too.
    """

    pair: Array
    largest: Number
    entry: fmpq


def pushes(run: JointRun, sets: DataSets, pairs: list[Pair]) -> Pushes:
    """The gradients of the changed sample over all rounds and steps."""
    sums, sizes, entries = [], [], [_ZERO]
    for found in run.rounds:
        steps = found.virtual.shape[1] - 1
        own = []
        for k in range(steps):
            every, entry = _step_norms(found, sets, pairs, k)
            entries.append(entry)
            sizes += list(every.values())
            own += [every[False, False], every[True, True]]
        sums.append(total(own))
    return Pushes(series(sums), largest(sizes), max(entries))


def _step_norms(
    found: JointRound, sets: DataSets, pairs: list[Pair], k: int
) -> tuple[dict[tuple[bool, bool], Number], fmpq]:
    """E ||m o grad l(m o y_k; z)|| by (new sample?, new run?), and the largest entry."""
    terms: dict[tuple[bool, bool], list[Number]] = {}
    entry = _ZERO
    for pair in pairs:
        mask = np.asarray((_ZERO, _ONE), dtype=object)[found.masks[pair.client].astype(int)]
        for new_sample in (False, True):
            owner = sets.problems[pair.other if new_sample else pair.base]
            feature, target = sample_of(owner, pair)
            for new_run in (False, True):
                y = found.virtual[pair.other if new_run else pair.base, k, pair.client]
                slopes = owner.loss.gradients(feature, target, y * mask)
                entry = max(entry, abs(slopes).max())
                norm = mean_root(found.chance, squares(slopes * mask))
                terms.setdefault((new_sample, new_run), []).append(norm * pair.chance)
    return {key: total(own) for key, own in terms.items()}, entry


def population_values(laws: tuple[SampleLaw, ...], loss: Loss, points: Array) -> Array:
    """F_pop at points of shape (P, d)."""
    found = points[:, 0] * 0
    for law in laws:
        values = loss.values(law.features, law.targets, points[:, None, :])
        found = found + (values * law.chances).sum(axis=1)
    return found / len(laws)


def empirical_values(problem: SampledRegression, points: Array) -> Array:
    """F_S at points of shape (P, d)."""
    features = problem.features.reshape(-1, points.shape[1])
    values = problem.loss.values(features, problem.targets.reshape(-1), points[:, None, :])
    return values.sum(axis=1) / len(features)


def generalization(run: JointRun, sets: DataSets, laws: tuple[SampleLaw, ...]) -> Array:
    """E [F_pop(w^t) - F_S(w^t)]."""

    def at(states: Any, number: int) -> Any:
        problem, points = sets.problems[number], states.points[number]
        gap = population_values(laws, problem.loss, points) - empirical_values(problem, points)
        return (gap * states.chance).sum() * sets.chances[number]

    every = range(len(sets.problems))
    return series(sum((at(states, number) for number in every), _ZERO) for states in run.states)
