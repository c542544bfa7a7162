"""Rolling masks beside random or static ones: same problem, start, steps, rounds and shares."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.algorithms.rolling_masks import RollingMasks, coverage
from fedbounds.algorithms.static_masks import StaticMasks, holders
from fedbounds.errors import FedboundsError, require
from fedbounds.problems import FederatedQuadratic, Start
from fedbounds.problems.linear import rational
from fedbounds.problems.masked_laws import Bernoulli, Rolling
from fedbounds.problems.spectrum import in_rationals

from ..case import Found, find
from .frame import Frame, rational_row
from .limits import Algorithm, expected, limit, moment_map
from .moments import Moments
from .moments_forms import AroundPoint, distance_to, expectation, value_of
from .moments_random import random_moments
from .moments_static import static_moments
from .rolling_moments import rolling_moments

Array = Any
Forms = dict[str, AroundPoint]


@dataclass(frozen=True, eq=False)
class SideBySide:
    """E epochs of rolling masks, and as many rounds of others, on R^d.

    Attributes
    ----------
    problem : FederatedQuadratic
        In rationals; F has one minimiser.
    rolling : RollingMasks
    other : RandomMasks or StaticMasks
    start : Start
    epochs : int
        E; R = E S rounds.
    """

    problem: FederatedQuadratic
    rolling: RollingMasks
    other: RandomMasks | StaticMasks
    start: Start
    epochs: int

    def __post_init__(self) -> None:
        rolling, other = self.rolling, self.other
        for name in ("local_steps", "inner_step_u"):
            own, given = getattr(rolling, name), getattr(other, name)
            require(own == given, f"{name} of the other masks", given, f"{own}, as rolling ones")
        shares, given = coverage(rolling), shares_of(other)
        require(given == shares, "shares of the other masks", given, f"{shares}, as rolling ones")
        require(self.epochs >= 1, "epochs", self.epochs, "at least 1")

    @property
    def rounds(self) -> int:
        """R."""
        return self.epochs * self.rolling.epoch


def shares_of(algorithm: RandomMasks | StaticMasks) -> tuple[Any, ...]:
    """p_i, or the share of the coordinates that client i always holds."""
    if isinstance(algorithm, RandomMasks):
        return tuple(rational(p) for p in algorithm.keep)
    return tuple(fmpq(sum(mask), len(mask)) for mask in algorithm.masks)


@find.register
def _find(setup: SideBySide) -> Found:
    frame = Frame(setup.problem, Rolling(setup.rolling.masks), None)
    if frame.full is None:
        raise FedboundsError("F has no single minimiser; expected one to compare losses")
    rolled = rolling_moments(setup.problem, setup.rolling, setup.start, setup.epochs)
    loss = value_of(setup.problem, above=True)
    forms = {"L_roll": loss, "D_roll": distance_to(frame.masked.minimiser)}
    series = _series(rolled, forms)
    limits = _limits(setup, setup.rolling, forms)
    if isinstance(setup.other, RandomMasks):
        own = Frame(setup.problem, Bernoulli(setup.other.keep), None).masked.minimiser
        forms = {"L_rand": loss, "D_rand": distance_to(own)}
        series |= _series(random_moments(*_run(setup, setup.other)), forms)
    else:
        forms = {"L_stat": loss}
        moments = static_moments(*_run(setup, setup.other))
        series |= _series(moments, forms) | _unheld(setup, setup.other, moments)
    limits |= _limits(setup, setup.other, forms)
    parameters = frame.constants() | {
        "K": setup.rolling.local_steps,
        "T": setup.rounds,
        "eta": setup.rolling.inner_step_u,
        "S_sub": setup.rolling.epoch,
    }
    return Found(
        family="two kinds of masks on quadratics, exact moments",
        parameters=parameters | limits,
        series=series,
        evidence=frame.evidence(),
    )


def _run(setup: SideBySide, algorithm: Any) -> tuple[Any, ...]:
    return setup.problem, algorithm, setup.start, setup.rounds


def _series(moments: Moments, forms: Forms) -> dict[str, Array]:
    return {name: expectation(moments, form).values for name, form in forms.items()}


def _unheld(setup: SideBySide, algorithm: StaticMasks, moments: Moments) -> dict[str, Array]:
    """How far the coordinates without a holder went, beside the size of the start."""
    missing = [float(count == 0) for count in holders(algorithm)]
    if not any(missing):
        return {}
    begun = setup.start.u
    moved = AroundPoint(in_rationals(np.diag(missing)), begun, fmpq(0))
    size = (begun * begun).sum()
    return {
        "Eu_2": expectation(moments, moved).values,
        "Su_2": rational_row([size] * (setup.rounds + 1)),
    }


_LIMITS = {
    "L_roll": "roll_loss",
    "D_roll": "roll_floor",
    "L_rand": "rand_loss",
    "D_rand": "rand_floor",
    "L_stat": "stat_loss",
}


def _limits(setup: SideBySide, algorithm: Algorithm, forms: Forms) -> dict[str, fmpq]:
    """Where there are limits, as the number of whole epochs grows."""
    found = limit(moment_map(setup.problem, algorithm, setup.start))
    if found is None:
        return {}
    return {_LIMITS[name]: expected(found, form) for name, form in forms.items()}
