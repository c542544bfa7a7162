"""What several ways to run reach over a parameter: measured, or estimated from replicas; shown.

An estimate is called one, and stands between two numbers. Where it is certain by how much replicas
differ at most, the mean is between them with probability 1 - LEVEL; else they are three standard
errors away, and only say how far replicas scatter.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.contests import Contest, Tries
from fedbounds.theory.language.setups import Number, Setup

from ..decide.case import find, sampled_by
from ..decide.interval import half_width, sums_of
from ..decide.profile import Profile
from ..measure.known import MissingError
from ..measure.objectives import exact
from ..measure.samples import CHUNK
from ..measure.unknowns import Refused
from .found import InFloats
from .sampled import InSamples

Array = Any
Record = dict[str, Any]

LEVEL = 1e-3  # of one estimate
_ERRORS = 3  # standard errors


def contest(one: Contest, profile: Profile) -> Record:
    """Every way at every value; of a quick profile at the first and the last: plain JSON."""
    last = len(one.values) - 1
    kept = sorted({0, last}) if profile is Profile.QUICK else range(last + 1)
    series: dict[str, list[float | None]] = {}
    missing: list[str] = []
    for name, every in one.ways.items():
        names = _names(one, name)
        for at in kept:
            alone = len(every) == 1
            tries, rounds = every[0 if alone else at], one.values[at] if alone else None
            ends = _best(one, tries, rounds, missing) or (None,) * len(names)
            for told, x in zip(names, ends, strict=True):
                series.setdefault(told, []).append(x)
        if one.rates:
            _over_the_last([series[told] for told in names])
    for name, values in one.beside.items():
        series[name] = [float(exact(values[at])) for at in kept]
    told = f" (tries not measured: {len(missing)}, {missing[0]})" if missing else ""
    return {
        "name": f"{one.name}: {one.told}{told}",
        "parameter": one.over,
        "values": [float(exact(one.values[at])) for at in kept],
        "series": series,
        "fit": None,
    }


def _names(one: Contest, way: str) -> tuple[str, ...]:
    """A number, or an estimate and between which two it stands."""
    estimated = f"{way}, estimate"
    return (estimated, f"{estimated}, from", f"{estimated}, to") if one.replicas else (way,)


def _over_the_last(every: list[list[float | None]]) -> None:
    """Estimates, and between which two they stand, over the last; none unless those are above 0."""
    middle, low, high = (own[-1] or 0.0 for own in every)
    for own, unit in zip(every, (middle, high, low), strict=True):
        own[:] = [None if x is None or low <= 0 else x / unit for x in own]


def _best(
    one: Contest, tries: Tries, rounds: Number | None, missing: list[str]
) -> Sequence[float] | None:
    """The least mean of a try, with its ends if it is an estimate; None if there is none."""
    found = []
    for own in tries:
        try:
            found.append(_mean([_reached(one, setup, rounds) for setup in own]))
        except (FedboundsError, Refused) as error:
            missing.append(str(error))
    least = min(found, default=[np.inf])
    return least if np.isfinite(least[0]) else None


def _mean(every: Sequence[Sequence[float]]) -> list[float]:
    return [sum(own) / len(every) for own in zip(*every, strict=True)]


def _reached(one: Contest, setup: Setup, rounds: Number | None) -> Sequence[float]:
    """What one set-up reaches in a round, or in the last; infinite where it diverges."""
    with np.errstate(over="ignore", invalid="ignore"):
        at = -1 if rounds is None else int(rounds)
        if not one.replicas:
            series = _measured(setup, one.quantity)
            return (float(series[at]) if -1 <= at < len(series) else np.inf,)
        every = _sampled(setup, one.quantity, one.replicas).astype(float)
        values = every[:, at]
        if one.rates:
            values = np.log(every[:, 0] / values) / (at % every.shape[1])
        mean, count = float(values.mean()), len(values)
        if one.spread:
            half = float(half_width(sums_of(values), one.spread, LEVEL / 2))
        else:
            half = _ERRORS * float(values.std(ddof=1)) / count**0.5
    return (mean, mean - half, mean + half) if np.isfinite(mean) else (np.inf,) * 3


@lru_cache(maxsize=1024)  # a set-up is looked at for several values, and beside several claims
def _measured(setup: Setup, quantity: str) -> Array:
    """In floats, by moments; nothing where the run diverges."""
    found = find(InFloats(setup))
    if found.diverged_at is not None:
        return ()
    if quantity not in found.series:
        raise MissingError(found.missing.get(quantity, f"{quantity} is not measured"))
    return found.series[quantity]


@lru_cache(maxsize=64)
def _sampled(setup: Setup, quantity: str, replicas: int) -> Array:
    """Rows of replicas: of every round, and after the last where draws do not enter."""
    own, names = sampled_by(InSamples(setup, replicas)), frozenset({quantity})
    return np.concatenate(
        [own.chunk(names, 0, at, np)[quantity] for at in range(replicas // CHUNK)]
    )
