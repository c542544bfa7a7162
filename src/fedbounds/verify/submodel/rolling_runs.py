"""Epochs of rolling masks on small rational quadratics: every order and every noise."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.problems import FederatedQuadratic, Start
from fedbounds.problems.constrained import Minimum
from fedbounds.problems.domain import project
from fedbounds.problems.linear import rational
from fedbounds.problems.masked import rolling_dissimilarity_at
from fedbounds.problems.masked_laws import Rolling
from fedbounds.problems.submodel_optimum import constants_at

from ..case import Found, find
from .frame import Frame, rational_row, squares
from .rolling_epochs import Epoch, Epochs, Starts, enumerate_epochs
from .rolling_modes import mode_evidence
from .rolling_paths import Path, of_lemmas, of_outcomes, of_virtual

Array = Any


@dataclass(frozen=True, eq=False)
class RollingRun:
    """E epochs of rolling masks from a start.

    Attributes
    ----------
    problem : FederatedQuadratic
        In rationals, with noise of finitely many outcomes.
    algorithm : RollingMasks
        With uniform coverage, and no domain or a box.
    start : Start
    epochs : int
        E, the T of claims about epochs.
    """

    problem: FederatedQuadratic
    algorithm: RollingMasks
    start: Start
    epochs: int


@find.register
def _find(setup: RollingRun) -> Found:
    algorithm = setup.algorithm
    frame = Frame(setup.problem, Rolling(algorithm.masks), algorithm.domain)
    run = enumerate_epochs(setup.problem, algorithm, setup.start, setup.epochs)
    points = np.concatenate([starts.points for starts in run.starts[:-1]])
    parameters = fixed_parameters(frame, algorithm, setup.start) | {
        "T": setup.epochs,
        # the claims need it at starts of epochs that are run alone
        "B_M2": max(rolling_dissimilarity_at(frame.problem, frame.law, w) for w in points),
    }
    return Found(
        family="rolling masks on quadratics, enumerated",
        parameters=parameters,
        series=_of_starts(run, frame) | _of_epochs(run, frame, algorithm),
        evidence=frame.evidence() | mode_evidence(algorithm),
    )


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


def _of_starts(run: Epochs, frame: Frame) -> dict[str, Array]:
    """What depends on the start of an epoch alone."""
    masked, full, step = frame.masked, frame.full, 1 / frame.smoothness.value

    def dissimilarity(w: Array) -> Array:
        return rational_row([rolling_dissimilarity_at(frame.problem, frame.law, x) for x in w])

    wanted: dict[str, Callable[[Array], Array]] = {
        "D_opt": lambda w: squares(w - masked.minimiser),
        "L_Fp": masked.value,
        "g_Fp": lambda w: squares(masked.gradient(w)),
        "D_br": masked.bregman,
        "B_M2_x": dissimilarity,
    }
    if full is not None:
        wanted["L_hat"] = lambda w: full.value(project(frame.domain, w - masked.gradient(w) * step))
        wanted["Dl_w"] = lambda w: squares(masked.gradient(w) - full.gradient(w))
    return {
        name: rational_row([_mean(starts, value(starts.points)) for starts in run.starts])
        for name, value in wanted.items()
    }


def _of_epochs(run: Epochs, frame: Frame, algorithm: RollingMasks) -> dict[str, Array]:
    """What happens in an epoch; lemmas about rounds that are not projected need such rounds."""
    unprojected = algorithm.domain is None or not algorithm.project_each_round
    paths = [Path(frame.problem, algorithm, frame.masked, epoch) for epoch in run.epochs]
    rows = [
        {name: _mean(path.epoch, values) for name, values in _values(path, unprojected).items()}
        for path in paths
    ]
    found = {name: rational_row([row[name] for row in rows]) for name in rows[0]}
    return found | _padded([of_outcomes(path) for path in paths]) if unprojected else found


def _values(path: Path, unprojected: bool) -> dict[str, Array]:
    return of_virtual(path) | (of_lemmas(path) if unprojected else {})


def _padded(epochs: list[dict[str, list[Any]]]) -> dict[str, Array]:
    """Outcomes by epoch, shape (outcomes, E): where there are fewer, the first is repeated."""
    most = max(len(epoch["A_sum"]) for epoch in epochs)
    return {
        name: np.array(
            [epoch[name] + [epoch[name][0]] * (most - len(epoch[name])) for epoch in epochs],
            dtype=object,
        ).T
        for name in epochs[0]
    }


def _mean(found: Starts | Epoch, values: Array) -> fmpq:
    mean: fmpq = (found.chance * values).sum()
    return mean
