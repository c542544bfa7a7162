"""Which clients Meerkat-vp stops early: GradIP scores over a calibration, and a rule of windows.

GradIP of a local step is <grad f_p, g z>, with f_p the pre-training objective, z the direction of
its seed and g the scalar that the client sent ("Mitigating Non-IID Drift in Zeroth-Order Federated
LLM Fine-Tuning with Transferable Sparsity", Definition 2.3). The rule is that of Algorithm 1. It
compares: unknowns refuse.
"""

from dataclasses import dataclass
from typing import Any

import array_api_compat

from fedbounds.errors import require

Array = Any


@dataclass(frozen=True)
class Calibration:
    """Windows and thresholds of Algorithm 1.

    Attributes
    ----------
    initial, later : int
        T_init and T_later, lengths of the two windows.
    quiet : number
        sigma: a score below it is quiet.
    ratio : number
        rho_later, which early over late mean may not exceed.
    share : number
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
    quiet: Any = 1.0
    ratio: Any = 2.0
    share: Any = 0.5
    latest: bool = True
    absolute: bool = False

    def __post_init__(self) -> None:
        for name in ("initial", "later"):
            require(getattr(self, name) >= 1, f"window {name}", getattr(self, name), "at least 1")
        require(self.quiet > 0, "threshold quiet", self.quiet, "above 0")
        require(self.ratio > 0, "threshold ratio", self.ratio, "above 0")
        require(0 <= self.share <= 1, "threshold share", self.share, "between 0 and 1")


@dataclass(frozen=True, eq=False)
class Windows:
    """What the rule looks at, shape (..., n) each.

    Attributes
    ----------
    early, late : array
        Means of the scores in the first window and in the later one.
    quiet : array
        Share of quiet scores in the later one.
    """

    early: Array
    late: Array
    quiet: Array


def gradip(scalars: Array, directions: Array, gradient: Array) -> Array:
    """Scores of every client and local step, shape (..., n, steps).

    Parameters
    ----------
    scalars : array, shape (..., n, steps)
    directions : array, shape (..., steps, u) or (..., 1 or n, steps, u)
    gradient : array, shape (u,)
        grad f_p on the coordinates that directions have.

    Raises
    ------
    FedboundsError
        If there are not as many directions as scalars of a client, or they have another length.
    """
    xp = array_api_compat.array_namespace(scalars)
    expected, given = (scalars.shape[-1], gradient.shape[0]), tuple(directions.shape[-2:])
    require(given == expected, "steps and length of the directions", given, f"{expected}")
    return scalars * xp.sum(directions * gradient, axis=-1)


def windows(scores: Array, by: Calibration) -> Windows:
    """Of the scores, shape (..., n, steps).

    Raises
    ------
    FedboundsError
        If a window is longer than the calibration.
    """
    xp, steps = array_api_compat.array_namespace(scores), scores.shape[-1]
    for name in ("initial", "later"):
        size = getattr(by, name)
        require(size <= steps, f"window {name}", size, f"at most the {steps} steps of the run")
    first = scores[..., : int(by.initial)]
    late = scores[..., steps - int(by.later) :] if by.latest else scores[..., : int(by.later)]
    one = late * 0 + 1
    is_quiet = (abs(late) if by.absolute else late) < by.quiet
    early, later, quiet = (
        xp.sum(own, axis=-1) / size
        for own, size in (
            (first, by.initial),
            (late, by.later),
            (xp.where(is_quiet, one, one * 0), by.later),
        )
    )
    return Windows(early, later, quiet)


def flagged(scores: Array, by: Calibration) -> Array:
    """Which clients are stopped early, shape (..., n): by the ratio, or by the share.

    The ratio of a late mean 0 exceeds everything if the early mean is above 0, and else nothing.
    """
    own = windows(scores, by)
    above = own.early - own.late * by.ratio  # of the same sign as late: the ratio exceeds
    exceeds = ((above > 0) & (own.late >= 0)) | ((above < 0) & (own.late < 0))
    return exceeds | (own.quiet > by.share)
