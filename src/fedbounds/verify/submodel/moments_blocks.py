"""Random masks by enumeration, block by block of coordinates that no Hessian couples.

Masks of different blocks are independent and act on different coordinates, so deviations of a
client's blocks are uncorrelated, and so are those of different clients: E[D S D'] is a sum over
(client, block), each a linear function of S on the block.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from fedbounds.algorithms import random_masks
from fedbounds.algorithms.masks import every_mask, mask_chances
from fedbounds.problems.linear import rational

from .moments import Round
from .moments_check import check_rounds
from .moments_drive import (
    Driver,
    coupled,
    driven_column,
    masks_for_all,
    noise_columns,
    noise_reach,
    noise_scale,
    own_models,
    slopes_at_centre,
    zeros,
)
from .moments_rounding import limits_of, sizes_of

Array = Any


@dataclass(frozen=True, eq=False)
class Block:
    """Coordinates, and E[D S D'] on them: ``matrix`` times the bordered S as a vector."""

    coordinates: np.ndarray
    matrix: Array


def largest_block(driver: Driver) -> int:
    """Coordinates of the largest block."""
    return max(len(block) for block in coupled(driver.problem.hessian))


def blocks_round(driver: Driver) -> Round:
    """The round of random masks, from every mask of every block."""
    groups = coupled(driver.problem.hessian)
    n, d = driver.problem.clients, len(driver.centre)
    masks = _patterns(driver, groups)
    chances = [_chances(driver, every_mask(len(group))) for group in groups]
    maps, noise = _responses(driver, groups, masks, chances)
    mean, blocks = zeros(driver, d, d + 1), []
    for group, own, weights in zip(groups, maps, chances, strict=True):
        here, deviations = _deviations(own, weights)
        mean[np.ix_(group, np.append(group, d))] = here
        blocks.append(Block(group, _second(deviations, weights)))
    spread, sizes = partial(block_spread, tuple(blocks)), sizes_of(driver, masks.shape[1])
    check_rounds(driver, random_masks.step, partial(_predicted, driver, groups, maps), sizes)
    return Round(driver, mean, spread, noise / n**2, limits_of(sizes, mean, spread))


def block_spread(blocks: tuple[Block, ...], mean: Array, covariance: Array) -> Array:
    """E[D S D'] from E x and Cov x."""
    found = covariance * 0
    for block in blocks:
        at, size = block.coordinates, len(block.coordinates)
        own = mean[at]
        one = np.concatenate([own, own[:1] * 0 + 1])
        second = one[:, None] * one[None, :]
        second[:-1, :-1] += covariance[np.ix_(at, at)]
        found[np.ix_(at, at)] = (block.matrix @ second.reshape(-1)).reshape(size, size)
    return found


def _patterns(driver: Driver, groups: list[Array]) -> Array:
    """Masks (n, P, d): every pattern of each block among the first 2^B."""
    count = 2 ** max(len(group) for group in groups)
    masks = np.zeros((count, len(driver.centre)), dtype=bool)
    for group in groups:
        own = every_mask(len(group))
        masks[:, group] = np.tile(own, (count // len(own), 1))
    return masks_for_all(masks, driver.problem.clients)


def _responses(
    driver: Driver, groups: list[Array], masks: Array, chances: list[Array]
) -> tuple[list[Array], Array]:
    """J and r of every block and pattern, (n, 2^B, B, B + 1), and sum_i E of noise squared."""
    count, d = masks.shape[1:]
    columns: list[list[Array]] = [[] for _ in groups]
    noise, reach = zeros(driver, d, d), noise_reach(driver, masks)
    noisy = noise_scale(driver) != 0
    for position in range(max(len(group) for group in groups)):
        column, way = driven_column(driver, masks, groups, position)
        for group, kept, weights in zip(groups, columns, chances, strict=True):
            if position >= len(group):
                continue
            patterns = weights.shape[1]
            kept.append(column[:, :patterns, group])
            if noisy:
                pushed = noise_columns(reach, way, group, position)[:, :, :patterns]
                flat, weighted = (
                    a.reshape(-1, len(group)) for a in (pushed, pushed * weights[:, :, None])
                )
                noise[np.ix_(group, group)] += weighted.T @ flat
    shift = own_models(driver, masks, zeros(driver, count, d), slopes_at_centre(driver, masks))
    maps = [
        np.stack([*kept, shift[:, : kept[0].shape[1], group]], axis=3)
        for group, kept in zip(groups, columns, strict=True)
    ]
    return maps, noise


def _predicted(
    driver: Driver,
    groups: list[Array],
    maps: list[Array],
    masks: Array,
    states: Array,
    noise: Array,
) -> Array:
    """The clients' models from the responses."""
    models, scale = zeros(driver, *masks.shape), noise_scale(driver)
    reach = noise_reach(driver, masks)
    for group, own in zip(groups, maps, strict=True):
        pattern = masks[:, :, group] @ 2 ** np.arange(len(group))
        here = np.take_along_axis(own, pattern[:, :, None, None], axis=1)
        moved = (here[:, :, :, :-1] * states[:, None, group]).sum(axis=3)
        models[:, :, group] = moved + here[:, :, :, -1]
    if scale != 0:
        for position in range(max(len(group) for group in groups)):
            _, way = driven_column(driver, masks, groups, position)
            for group in groups:
                if position < len(group):
                    pushed = noise_columns(reach, way, group, position)
                    given = noise[:, :, :, group[position], None] / scale
                    models[:, :, group] += (pushed * given).sum(axis=0)
    return models


def _chances(driver: Driver, masks: Array) -> Array:
    """Probabilities of masks (P, B) of every client, shape (n, P)."""
    rows = []
    for p in driver.algorithm.keep:
        rows.append(mask_chances(rational(p) if driver.exact else float(p), masks))
    return np.array(rows, dtype=object if driver.exact else np.float64)


def _deviations(maps: Array, chances: Array) -> tuple[Array, Array]:
    """The mean map (B, B + 1) of a round, and the clients' deviations, divided by n."""
    own = (maps * chances[:, :, None, None]).sum(axis=1)
    return own.sum(axis=0) / len(maps), (maps - own[:, None]) / len(maps)


def _second(deviations: Array, chances: Array) -> Array:
    """The matrix of S -> sum_i E[D_i S D_i'], shape (B B, (B + 1)^2)."""
    n, patterns, size, width = deviations.shape
    total = deviations.reshape(-1)[0] * 0
    for i in range(n):
        flat = deviations[i].reshape(patterns, size * width)
        total = total + (flat * chances[i][:, None]).T @ flat
    # entry ((a, c), (b, e)) multiplies S[c, e] in place (a, b)
    found = total.reshape(size, width, size, width).transpose(0, 2, 1, 3)
    return found.reshape(size * size, width * width)
