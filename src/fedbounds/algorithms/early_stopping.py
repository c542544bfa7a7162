"""Which clients Meerkat-vp stops early: GradIP scores over a calibration, and two ratios.

GradIP of a local step is <grad f_p, g z>, with f_p the pre-training objective, z the direction of
its seed and g the scalar that the client sent (Definition 2.3).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fedbounds.errors import require

from .seeded import direction

Array = Any


@dataclass(frozen=True)
class Calibration:
    """Thresholds of Algorithm 1.

    Attributes
    ----------
    initial, later : int
        T_init and T_later, lengths of the two windows.
    quiet : float
        sigma: a score below it is quiet.
    ratio : float
        rho_later, which early over late mean may not exceed.
    share : float
        rho_quie, which the share of quiet scores may not exceed.
    latest : bool
        Whether the later window is that of the last steps, as Table 3 has it; else it is that of
        the first T_later ones, as Algorithm 1 is printed.
    absolute : bool
        Whether a score is quiet by its size; as printed, every negative one is.

    Raises
    ------
    FedboundsError
        If a window has no step, or a threshold is out of its range.
    """

    initial: int = 20
    later: int = 20
    quiet: float = 1.0
    ratio: float = 2.0
    share: float = 0.5
    latest: bool = True
    absolute: bool = False

    def __post_init__(self) -> None:
        for name in ("initial", "later"):
            require(getattr(self, name) >= 1, f"window {name}", getattr(self, name), "at least 1")
        require(self.quiet > 0, "threshold quiet", self.quiet, "above 0")
        require(self.ratio > 0, "threshold ratio", self.ratio, "above 0")
        require(0 <= self.share <= 1, "threshold share", self.share, "between 0 and 1")


def gradip(scalars: Array, seeds: Sequence[int], gradient: Array) -> Array:
    """Scores of every client and local step, shape (n, steps).

    Parameters
    ----------
    scalars : array, shape (n, steps)
    seeds : sequence of int
    gradient : array, shape (u,)
        grad f_p on the coordinates that the mask keeps: the estimate is 0 elsewhere.

    Raises
    ------
    FedboundsError
        If there are not as many seeds as scalars of a client.
    """
    scalars, gradient = np.asarray(scalars, dtype=float), np.asarray(gradient, dtype=float)
    require(len(seeds) == scalars.shape[1], "length of the seed list", len(seeds),
            f"{scalars.shape[1]}, one for each local step")  # fmt: skip
    along = np.array([direction(int(seed), gradient.size) @ gradient for seed in seeds])
    return scalars * along


def ratios(scores: Array, by: Calibration) -> tuple[Array, Array]:
    """Early over late mean, and share of quiet scores, of every client.

    Raises
    ------
    FedboundsError
        If a window is longer than the calibration.
    """
    scores = np.asarray(scores, dtype=float)
    steps = scores.shape[1]
    for name in ("initial", "later"):
        size = getattr(by, name)
        require(size <= steps, f"window {name}", size, f"at most the {steps} steps of the run")
    late = scores[:, steps - by.later :] if by.latest else scores[:, : by.later]
    quiet = (abs(late) if by.absolute else late) < by.quiet
    with np.errstate(divide="ignore", invalid="ignore"):
        return scores[:, : by.initial].mean(axis=1) / late.mean(axis=1), quiet.mean(axis=1)


def flagged(scores: Array, by: Calibration) -> Array:
    """Which clients are stopped early, shape (n,)."""
    ratio, share = ratios(scores, by)
    return (ratio > by.ratio) | (share > by.share)
