"""One round of an epoch given the visited sets, and what rounding does to an epoch's moments.

Within an epoch errors grow by at most the largest norm of a round; from epoch to epoch they shrink
as the epoch's own mean map and its map of covariances do.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .moments_rounding import Sizes, State, norm
from .rolling_orders import Layer, Transition

Array = Any
_SLACK = 1.0 + 1e-9


@dataclass(frozen=True, eq=False)
class Known:
    """Moments given each set: means (P, d), covariances (P, d, d).

    The errors bound what rounding did since the epoch began, for every set.
    """

    mean: Array
    covariance: Array
    mean_error: float
    covariance_error: float


@dataclass(frozen=True, eq=False)
class EpochLimits:
    """How errors grow: in a round (``largest``), and over a whole epoch.

    ``whole`` and ``shift`` are norms of the clients' mean sizes, with and without x; ``rounds`` is
    S.
    """

    sizes: Sizes
    whole: float
    shift: float
    rounds: int
    largest: float
    contraction: float
    second: float


def given_sets(
    maps: Array, noise: Array, layer: Layer, known: Known, limits: EpochLimits | None
) -> Known:
    """Moments after one more round, given each of the sets that are then possible."""
    count, d = layer.count, known.mean.shape[1]
    mean = np.zeros((count, d), dtype=known.mean.dtype) + known.mean.reshape(-1)[0] * 0
    covariance = np.zeros((count, d, d), dtype=known.mean.dtype) + mean[0, 0]
    moved = []
    for each in layer.transitions:
        matrix, shift = _map(maps, each)
        here = known.mean[each.before] @ matrix.T + shift
        spread = matrix @ known.covariance[each.before] @ matrix.T
        mean[each.after] = mean[each.after] + here
        own = sum(noise[o, turn] for o, turn in enumerate(each.turns))
        covariance[each.after] = covariance[each.after] + spread + own
        moved.append(here)
    mean = mean / layer.ways
    farthest = 0.0
    for each, here in zip(layer.transitions, moved, strict=True):
        apart = here - mean[each.after]
        covariance[each.after] = covariance[each.after] + apart[:, :, None] * apart[:, None, :]
        if limits is not None:
            farthest = max(farthest, float(np.sqrt((apart * apart).sum(axis=1).max(initial=0.0))))
    covariance = covariance / layer.ways
    after = Known(mean, covariance, 0.0, 0.0)
    return after if limits is None else _with_errors(limits, known, after, farthest)


def _map(maps: Array, each: Transition) -> tuple[Array, Array]:
    """(A, b) of a round."""
    found = sum(maps[o, turn] for o, turn in enumerate(each.turns))
    return found[:, :-1], found[:, -1]


def _with_errors(limits: EpochLimits, before: Known, after: Known, farthest: float) -> Known:
    unit = limits.sizes.unit
    length = float(np.sqrt((before.mean**2).sum(axis=1).max()))
    trace = float(before.covariance.trace(axis1=1, axis2=2).max())
    reach = limits.whole * length + limits.shift
    mean = limits.largest * before.mean_error + unit * reach
    made = 8 * unit * (limits.whole**2 * trace + limits.sizes.noise + farthest**2)
    moved = 4 * (farthest + mean) * mean
    covariance = limits.largest**2 * before.covariance_error + moved + made
    return Known(after.mean, after.covariance, mean, covariance)


def mixed_errors(
    limits: EpochLimits, start: State, known: Known, apart: Array, covariance: Array, rounds: int
) -> tuple[float, float]:
    """Errors of the moments over all sets after so many rounds, those of the start included."""
    fresh, e = known.mean_error, start.mean_error
    farthest = float(np.sqrt((apart * apart).sum(axis=1).max()))
    grown = limits.largest**rounds
    ended = rounds == limits.rounds
    mean = (limits.contraction if ended else grown) * e + fresh
    own = known.covariance_error + 4 * (farthest + fresh) * fresh
    own += 8 * limits.sizes.unit * (farthest**2 + float(abs(covariance).max()))
    shrunk = (limits.second if ended else grown**2) * start.covariance_error
    # the start's error moves each order's mean: Cauchy-Schwarz with the spread of these means
    moved = grown * e * (2 * float(np.sqrt(abs(covariance.trace()))) + grown * e)
    return mean, shrunk + own + moved


def epoch_limits(sizes: Sizes | None, maps: Array, layers: tuple[Layer, ...]) -> EpochLimits | None:
    """How errors grow; None in rationals."""
    if sizes is None:
        return None
    d, average = maps.shape[2], sizes.own.mean(axis=0)
    nothing = np.zeros((*maps.shape[:2], d, d))
    linear = maps.copy()
    linear[..., -1] = 0.0
    known = Known(np.zeros((1, d)), np.eye(d)[None], 0.0, 0.0)
    mean, largest = np.eye(d)[None], 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        whole = norm(average[:, :-1]) * _SLACK
        for layer in layers:
            known = given_sets(linear, nothing, layer, known, None)
            after = np.zeros((layer.count, d, d))
            for each in layer.transitions:
                matrix, _ = _map(linear, each)
                largest = max(largest, norm(matrix))
                after[each.after] += matrix @ mean[each.before] / layer.ways
            mean = after
        left = sizes.unit * len(layers) * max(whole, 1.0) ** (2 * len(layers))
        return EpochLimits(
            sizes=sizes,
            whole=whole,
            shift=float(np.linalg.norm(average[:, -1])),
            rounds=len(layers),
            largest=largest * _SLACK + sizes.unit * whole,
            contraction=norm(mean[0]) * _SLACK + left,
            second=norm(known.covariance[0]) * _SLACK + left,
        )
