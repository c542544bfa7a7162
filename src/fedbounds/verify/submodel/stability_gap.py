"""The gap between test and training loss: random masks beside full models, all in rationals.

F_train is F_S of a random data set S, F_test the loss of a fresh sample, F_pop. With squares both
are quadratic in w, so that moments of w on every data set are enough, for any number of rounds.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.problems.linear import rational
from fedbounds.problems.sampled_regression import Loss

from ..case import Found, find
from .stability_data import SampleLaw, drawn
from .stability_moments import affine_round

Array = Any
_ZERO = fmpq(0)


@dataclass(frozen=True, eq=False)
class TrainTestGap:
    """Random masks and full models on all data sets that laws of samples give.

    Attributes
    ----------
    laws : tuple of n SampleLaw
    samples : int
        n_s.
    loss : Loss
        Squares, with or without a ridge.
    keep : tuple of n rationals
        p_i of the random masks.
    local_steps : int
    step : rational
        eta, of both.
    start : array, shape (d,)
    rounds : int
        R.
    level : rational
        Training loss at which both are compared: each at the first round, up to R, that is at or
        below it.
    """

    laws: tuple[SampleLaw, ...]
    samples: int
    loss: Loss
    keep: tuple[Any, ...]
    local_steps: int
    step: Any
    start: Array
    rounds: int
    level: Any


@dataclass(frozen=True, eq=False)
class Losses:
    """E F_train and E [F_test - F_train] at t = 0, ..., R."""

    train: Array
    gap: Array


@find.register
def _find(setup: TrainTestGap) -> Found:
    keep = tuple(rational(p) for p in setup.keep)
    masked, full = losses(setup, keep), losses(setup, (fmpq(1),) * len(keep))
    parameters: dict[str, Any] = {
        "n": len(keep),
        "n_s": setup.samples,
        "dim": len(setup.start),
        "K": setup.local_steps,
        "eta": setup.step,
        "T": setup.rounds,
        "p_mean": sum(keep, _ZERO) / len(keep),
    }
    reached = [first_below(each, rational(setup.level)) for each in (masked, full)]
    ours, theirs = reached
    # between two rounds the level is met: the order must not depend on where
    if ours and theirs and (max(ours) <= min(theirs) or min(ours) > max(theirs)):
        parameters |= {"gap_rand_eq": ours[-1], "gap_full_eq": theirs[-1]}
    return Found(
        family="training and test loss of regression, random masks and full models",
        parameters=parameters,
        series={"tg_rand": abs(masked.gap), "tg_full": abs(full.gap)} | _scaled(setup, keep),
    )


def _scaled(setup: TrainTestGap, keep: tuple[fmpq, ...]) -> dict[str, Array]:
    """The gap at p w: a scalar module multiplies every weight, where p is one for all clients."""
    if len(set(keep)) > 1:
        return {}
    return {"tg_scaled": abs(losses(setup, keep, scale=keep[0]).gap)}


def first_below(found: Losses, level: fmpq) -> list[fmpq]:
    """|gap| at the first round at or below a level, and before it the one above; empty if none."""
    for t, train in enumerate(found.train):
        if train <= level:
            exact = t == 0 or train == level
            return [abs(gap) for gap in found.gap[t if exact else t - 1 : t + 1]]
    return []


def losses(setup: TrainTestGap, keep: tuple[fmpq, ...], *, scale: fmpq | int = 1) -> Losses:
    """Training loss and gap at scale w, in expectation over data, masks and indices."""
    sets = drawn(setup.laws, setup.samples, setup.loss)
    algorithm = RandomMasks(keep, setup.local_steps, setup.step)
    factors = np.array([scale] * len(setup.start) + [1], dtype=object)
    scaled = factors[:, None] * factors
    test = scaled * _population(setup.laws, setup.loss)
    state = np.concatenate([setup.start, [fmpq(1)]])
    train, gap = np.full((2, setup.rounds + 1), _ZERO, dtype=object)
    for problem, chance in zip(sets.problems, sets.chances, strict=True):
        affine, moment = affine_round((problem,), algorithm), np.outer(state, state)
        own = scaled * _loss_form(problem.features, problem.targets, _even(problem), setup.loss)
        for t in range(setup.rounds + 1):
            train[t] += chance * (own * moment).sum()
            gap[t] += chance * ((test - own) * moment).sum()
            moment = affine.second(moment)
    return Losses(train, gap)


def _even(problem: Any) -> Array:
    count = problem.clients * problem.samples
    return np.full(problem.targets.shape, fmpq(1, count), dtype=object)


def _population(laws: tuple[SampleLaw, ...], loss: Loss) -> Array:
    parts = [_loss_form(law.features, law.targets, law.chances, loss) for law in laws]
    found: Array = sum(parts) / len(laws)
    return found


def _loss_form(features: Array, targets: Array, weights: Array, loss: Loss) -> Array:
    """The matrix Q with x' Q x the weighted mean of losses, x = (w, 1)."""
    d = features.shape[-1]
    rows = np.concatenate([features, -targets[..., None]], axis=-1).reshape(-1, d + 1)
    found = (weights.reshape(-1, 1, 1) * rows[:, :, None] * rows[:, None, :]).sum(axis=0)
    ridge = np.diag([*[1] * d, 0]).astype(object) * rational(loss.ridge)
    total: Array = (found + ridge) / 2
    return total
