"""Constants of rolling masks that do not depend on a run, for runs of many epochs and limits."""

from typing import Any

from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.problems import Start
from fedbounds.problems.constrained import Minimum
from fedbounds.problems.linear import rational
from fedbounds.problems.submodel_optimum import constants_at

from .frame import Frame, squares


def fixed_parameters(frame: Frame, algorithm: RollingMasks, start: Start) -> dict[str, Any]:
    """What does not depend on the run."""
    begun, best = start.u[None], frame.masked.minimiser
    found = constants_at(frame.problem, frame.law, Minimum(best), frame.smoothness.value)
    assert found.position_spread is not None
    scale = rational(frame.problem.noise.scale_u)
    largest = max(sum(mask) for own in algorithm.masks for mask in own)
    numbers = frame.constants() | {
        "K": algorithm.local_steps,
        "S_sub": algorithm.epoch,
        "eta": rational(algorithm.inner_step_u),
        # the noise counts on the masks alone
        "sigma^2": largest * scale * scale,
        "Phi": frame.masked.value(begun)[0],
        "D_opt_0": squares(begun - best)[0],
        "a_bar2": found.gradient.value,
        "nu_M2": found.position_spread.value,
        "zeta_M2": found.heterogeneity.value,
        "nu_own2": found.mask_variance.value / frame.problem.clients,
    }
    if frame.full is not None:
        gap = frame.masked.at_minimiser - frame.full.gradient(best[None])[0]
        numbers["gap_full_at_p"] = squares(gap)
    return numbers
