"""Rolling masks over many epochs, by exact moments, where nothing is projected."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.errors import require
from fedbounds.problems import FederatedQuadratic, Start, to_float
from fedbounds.problems.linear import spectral_norm
from fedbounds.problems.masked_laws import Rolling, outcomes
from fedbounds.problems.spectrum import in_rationals as rationals
from fedbounds.problems.spectrum import square_root, to_floats

from ..case import Found, find, in_rationals
from .frame import Frame
from .moments import Moments
from .rolling_constants import fixed_parameters
from .rolling_limits import rounds_of, shuffled
from .rolling_modes import mode_evidence
from .rolling_moments import rolling_moments

Array = Any
MOST_EXACT = 60  # epochs that are repeated in rationals: their digits grow with each
_MOST_ORDERS = 24
_UNIT = 2.0**-53


@dataclass(frozen=True, eq=False)
class RollingLong:
    """E epochs of rolling masks without projection.

    Attributes
    ----------
    problem : FederatedQuadratic
        In rationals; F_M has one minimiser.
    algorithm : RollingMasks
        Without a domain, its step size rational.
    start : Start
    epochs : int
        E.
    exact : bool
        Whether it is measured in rationals, rather than in floats with a bound of their rounding.
    """

    problem: FederatedQuadratic
    algorithm: RollingMasks
    start: Start
    epochs: int
    exact: bool = False

    def __post_init__(self) -> None:
        require(self.epochs >= 1, "epochs E", self.epochs, "at least 1")
        require(self.algorithm.domain is None, "domain", self.algorithm.domain, "None")


@dataclass(frozen=True, eq=False)
class Form:
    """y' curved y + sloped' y + level, of y = w - w*(M)."""

    curved: Array
    sloped: Array
    level: Any

    def expected(self, mean: Array, covariance: Array) -> Array:
        """At means (T, d) and covariances (T, d, d) of y."""
        second = covariance + mean[:, :, None] * mean[:, None, :]
        return (second * self.curved).sum(axis=(1, 2)) + mean @ self.sloped + self.level

    def floats(self) -> "Form":
        """The same, rounded."""
        level = to_floats(np.array([self.level], dtype=object))[0]
        return Form(to_floats(self.curved), to_floats(self.sloped), level)

    def sizes(self) -> "Form":
        """With the sizes of all entries."""
        return Form(abs(self.curved), abs(self.sloped), abs(self.level))


@in_rationals.register
def _(setup: RollingLong) -> RollingLong | None:
    return replace(setup, exact=True) if setup.epochs <= MOST_EXACT else None


@find.register
def _find(setup: RollingLong) -> Found:
    frame = Frame(setup.problem, Rolling(setup.algorithm.masks), None)
    parameters = fixed_parameters(frame, setup.algorithm, setup.start) | {"T": setup.epochs}
    parameters |= _largest_dissimilarity(setup, frame)
    series, errors = _series(setup, frame)
    return Found(
        family="rolling masks on quadratics over many epochs, exact moments",
        parameters=parameters,
        series=series,
        errors=errors,
        evidence=frame.evidence() | mode_evidence(setup.algorithm),
    )


def forms_of(frame: Frame) -> dict[str, Form]:
    """What depends on the start of an epoch alone."""
    masked, full = frame.masked, frame.full
    d = len(masked.minimiser)
    one = np.array([[fmpq(int(a == b)) for a in range(d)] for b in range(d)], dtype=object)
    nothing = masked.minimiser * 0
    value = Form(masked.matrix / 2, nothing, fmpq(0))
    found = {
        "D_opt": Form(one, nothing, fmpq(0)),
        "L_Fp": value,
        "D_br": value,
        "g_Fp": _square(masked.matrix, nothing),
        "B_M2_x": _dissimilarity(frame),
    }
    if full is not None:
        away = masked.minimiser - full.minimiser
        shrunk = one - masked.matrix / frame.smoothness.value
        found["L_hat"] = Form(
            shrunk.T @ full.matrix @ shrunk / 2,
            shrunk.T @ full.matrix @ away,
            away @ full.matrix @ away / 2,
        )
        found["Dl_w"] = _square(masked.matrix - full.matrix, -(full.matrix @ away))
    return found


def _square(matrix: Array, offset: Array) -> Form:
    """||matrix y + offset||^2."""
    return Form(matrix.T @ matrix, 2 * (offset @ matrix), offset @ offset)


def _dissimilarity(frame: Frame) -> Form:
    """(1/nS) sum ||grad h_is - grad F_M||^2."""
    problem, masked = frame.problem, frame.masked
    masks, _ = outcomes(frame.law, len(masked.minimiser), exact=True)
    n, epoch = masks.shape[:2]
    squares = [
        _square(
            m[:, None] * problem.hessian[i] * m - masked.matrix,
            m * (problem.hessian[i] @ (m * masked.minimiser) + problem.linear[i]),
        )
        for i in range(n)
        for m in masks[i]
    ]
    share = fmpq(1, n * epoch)
    return Form(
        sum((x.curved for x in squares), masked.matrix * 0) * share,
        sum((x.sloped for x in squares), masked.minimiser * 0) * share,
        sum((x.level for x in squares), fmpq(0)) * share,
    )


def _series(setup: RollingLong, frame: Frame) -> tuple[dict[str, Array], dict[str, Array]]:
    """Expectations at starts of epochs, and what rounding may have done to them."""
    found = _moments(setup)
    every = slice(None, None, setup.algorithm.epoch)
    away = rationals(found.centre) - frame.masked.minimiser
    covariance = found.covariance[every]
    forms = forms_of(frame)
    if setup.exact:
        mean = found.mean[every] + away
        return {name: form.expected(mean, covariance) for name, form in forms.items()}, {}
    mean = found.mean[every] + to_floats(away)
    rounded = {name: form.floats() for name, form in forms.items()}
    errors = found.mean_error[every], found.covariance_error[every]
    return (
        {name: form.expected(mean, covariance) for name, form in rounded.items()},
        {name: _error(form, mean, covariance, *errors) for name, form in rounded.items()},
    )


def _moments(setup: RollingLong) -> Moments:
    if setup.exact:
        return rolling_moments(setup.problem, setup.algorithm, setup.start, setup.epochs)
    floats = to_float(setup.problem)
    start = Start(to_floats(setup.start.u), to_floats(setup.start.v))
    return rolling_moments(floats, setup.algorithm, start, setup.epochs)


def _error(
    form: Form, mean: Array, covariance: Array, mean_error: Array, covariance_error: Array
) -> Array:
    """From errors of the moments in the 2-norm, and the rounding of the form itself."""
    curved, sloped = np.linalg.norm(form.curved), np.linalg.norm(form.sloped)
    length = np.linalg.norm(mean, axis=1)
    moved = (2 * curved * length + sloped) * mean_error + curved * mean_error**2
    spread = abs(form.curved).sum() * covariance_error
    made = form.sizes().expected(abs(mean), abs(covariance))
    found: Array = moved + spread + 16 * mean.shape[1] ** 2 * _UNIT * made
    return found


def _largest_dissimilarity(setup: RollingLong, frame: Frame) -> dict[str, Any]:
    """B_M^2 over a ball around w*(M) that the run does not leave.

    |y+| <= rho |y| + beta for every order, and the root of B_M^2 is a norm of an affine function.
    """
    if setup.problem.noise.scale_u != 0:
        return {}
    maps = shuffled(rounds_of(setup.problem, setup.algorithm))
    if len(maps) > _MOST_ORDERS:
        return {}
    rho = spectral_norm(np.stack([m.matrix for m in maps])).value
    if rho >= 1:
        return {}
    beta = square_root(max(m.shift @ m.shift for m in maps)).upper
    begun = setup.start.u - frame.masked.minimiser
    reach = max(square_root(begun @ begun).upper, beta / (1 - rho))
    form = _dissimilarity(frame)
    steepest = square_root(spectral_norm(form.curved[None]).value).upper
    root = square_root(form.level).upper + steepest * reach
    return {"B_M2": root * root}
