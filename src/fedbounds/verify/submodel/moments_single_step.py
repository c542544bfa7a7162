"""Random masks with one local step, any dimension: second moments over Bernoulli masks.

A client moves w by D_m (Q D_m w + s) with D_m = diag(m): Q and s are read off full masks. With
O = Q without its diagonal, T = p O + diag Q, v = s + T w and m_a, m_b, m_c of different
coordinates independent, the deviation of the move has
cov_aa = p (1 - p) v_a^2 + p^2 (1 - p) sum_c O_ac^2 w_c^2,
cov_ab = p^2 (1 - p) [O_ab w_b v_b + O_ba w_a v_a + (1 - p) O_ab O_ba w_a w_b
                      + p sum_c O_ac O_bc w_c^2].
In x = w - c, v = (s + T c) + T x, whose constants are small where the masked slopes at c are.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from fedbounds.algorithms import random_masks
from fedbounds.problems.linear import rational

from .moments import Round
from .moments_check import check_rounds
from .moments_drive import (
    Driver,
    masks_for_all,
    noise_reach,
    noise_scale,
    own_models,
    slopes_at_centre,
    zeros,
)
from .moments_rounding import limits_of, sizes_of

Array = Any


@dataclass(frozen=True, eq=False)
class Moves:
    """The clients' moves.

    Attributes
    ----------
    keep : array, shape (n, 1)
        p_i.
    between : array, shape (n, d, d)
        O_i.
    towards : array, shape (n, d, d)
        T_i.
    slope : array, shape (n, d)
        s_i + T_i c.
    centre : array, shape (d,)
        c.
    """

    keep: Array
    between: Array
    towards: Array
    slope: Array
    centre: Array


def single_step_round(driver: Driver) -> Round:
    """The round of random masks with K = 1."""
    n, d = driver.problem.linear.shape
    whole, moves = read_off(driver)
    one = np.eye(d, dtype=driver.problem.hessian.dtype) + driver.zero
    matrix = (moves.towards * moves.keep[:, :, None]).sum(axis=0) / n + one
    shift = (moves.slope * moves.keep).sum(axis=0) / n
    mean = np.concatenate([matrix, shift[:, None]], axis=1)
    spread, sizes = partial(single_step_spread, moves), sizes_of(driver)
    pushed = noise_reach(driver, masks_for_all(np.ones((1, d)), n))[:, 0]
    check_rounds(driver, random_masks.step, partial(_predicted, driver, whole, pushed), sizes)
    noise = zeros(driver, d, d)
    at = np.arange(d)
    noise[at, at] = (pushed * pushed * moves.keep).sum(axis=0) / n**2
    return Round(driver, mean, spread, noise, limits_of(sizes, mean, spread))


def read_off(driver: Driver) -> tuple[Array, Moves]:
    """(Q, s + Q c) of shape (n, d, d + 1) from full masks, and the moves."""
    n, d = driver.problem.linear.shape
    one = np.eye(d, dtype=driver.problem.hessian.dtype) + driver.zero
    full, nothing = masks_for_all(np.ones((d, d)), n), zeros(driver, 1, d)
    whole = (own_models(driver, full, one) - one).transpose(0, 2, 1)
    off = whole * (1 - np.eye(d, dtype=int))
    single = full[:, :1]
    # the slope at c under full masks is s + Q c: what the diagonal and p O leave of it is T c
    at_centre = own_models(driver, single, nothing, slopes_at_centre(driver, single))[:, 0]
    keep = np.array([rational(p) if driver.exact else float(p) for p in driver.algorithm.keep],
                    dtype=one.dtype)[:, None]  # fmt: skip
    slope = at_centre - (off @ driver.centre) * (1 - keep)
    towards = whole - off * (1 - keep[:, :, None])
    read = np.concatenate([whole, at_centre[:, :, None]], axis=2)
    return read, Moves(keep, off, towards, slope, driver.centre)


def single_step_spread(moves: Moves, mean: Array, covariance: Array) -> Array:
    """E[D S D'] from E x and Cov x."""
    n, p, q = len(moves.keep), moves.keep, 1 - moves.keep
    state = moves.centre + mean
    seconds = covariance + state[:, None] * state[None, :]
    lean = moves.slope + moves.towards @ mean
    turned = moves.towards @ covariance
    cross = lean * state + turned.diagonal(axis1=1, axis2=2)
    squares = lean * lean + (turned * moves.towards).sum(axis=2)
    half = moves.between * cross[:, None, :]
    kept = moves.between * seconds.diagonal()
    both = kept @ moves.between.transpose(0, 2, 1)
    pairs = moves.between * moves.between.transpose(0, 2, 1) * seconds
    off = half + half.transpose(0, 2, 1) + pairs * q[:, :, None] + both * p[:, :, None]
    found = (off * (p * p * q)[:, :, None]).sum(axis=0)
    alone = both.diagonal(axis1=1, axis2=2) * p + squares
    at = np.arange(len(mean))
    found[at, at] = (alone * p * q).sum(axis=0)
    return found / n**2


def _predicted(
    driver: Driver, read: Array, pushed: Array, masks: Array, states: Array, noise: Array
) -> Array:
    """The clients' models w + D_m (Q D_m w + s) + noise, minus c."""
    whole, scale = read[:, :, :-1], noise_scale(driver)
    slope = read[:, :, -1] - whole @ driver.centre
    seen = np.where(masks, driver.centre + states, driver.zero)
    moved = seen @ whole.transpose(0, 2, 1) + slope[:, None]
    if scale != 0:
        moved = moved + noise[0] / scale * pushed[:, None]
    return states + np.where(masks, moved, driver.zero)
