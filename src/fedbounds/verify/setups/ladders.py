"""Families of set-ups that differ in one parameter, courses, trends, contests: shown, no verdict.

Limits are exact; exponents are fitted to be looked at.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.contests import Contest, Displayed
from fedbounds.theory.language.registry import displayed
from fedbounds.theory.language.setups import Course, Family, Planned, Setup, Trend

from ..decide.case import Case
from ..decide.exponent import fitted_exponent
from ..decide.profile import Profile
from ..measure.evaluate import Numbers, evaluate
from ..measure.limits import limit_of
from ..measure.many import Many
from ..measure.unknowns import Refused
from .contests import contest
from .found import known_of, many_of, view_of
from .plan import about, case_of

Record = dict[str, Any]
Shown = Family | Course | Trend | Contest
_QUICK_RUNGS, _QUICK_ROUNDS = 4, 1_000
_JUDGED = 3  # set-ups of a family: the later ones repeat what these say
_POINTS = 60  # of a course, spaced evenly in log t


def displays(theory: str, profile: Profile, claims: Collection[str]) -> dict[str, list[Record]]:
    """What is shown beside these claims; it is called the same whichever they are."""
    called: dict[Any, str] = {}
    for every in displayed(theory).values():
        called = {**dict.fromkeys(every, _called(every)), **called}
    known: dict[Any, Record] = {}  # courses stand beside several claims
    found: dict[str, list[Record]] = {}
    for claim, every in displayed(theory).items():
        if claim in claims:
            for one in every:
                if one not in known:
                    known[one] = _shown(one, called[one], profile)
            found[claim] = [known[one] for one in every]
    return found


def _called(every: Displayed) -> str:
    """What claims call what is run; of rungs, what these are a ladder of."""
    setups = (setup for one in every for setup in _setups_of(one))
    return next((about(view_of(setup)).partition(" ladder in ")[0] for setup in setups), "")


def _setups_of(one: Shown) -> tuple[Setup, ...]:
    if isinstance(one, Family):
        return one.setups
    if isinstance(one, Contest):
        return tuple(x for every in one.ways.values() for own in every for x in chain(*own))
    what = one.setup if isinstance(one, Trend) else one.what
    return (what,) if isinstance(what, Setup) else ()


def _shown(one: Shown, name: str, profile: Profile) -> Record:
    if isinstance(one, Trend):
        own = trend(one)
    elif isinstance(one, Contest):
        own = contest(one, profile)
    else:
        own = ladder(one, profile) if isinstance(one, Family) else course(one, profile)
    return {
        "problem": {"instance": own.pop("name")},
        "algorithm": f"{name} ladder in {own['parameter']}".strip(),
        "verdict": "shown",
        "ladder": own,
    }


# ---- in one parameter


def rungs(family: Family, profile: Profile) -> list[tuple[fmpq, Setup]]:
    """Set-ups with their values; ascending where the set-ups show them."""
    count = _QUICK_RUNGS if profile is Profile.QUICK else len(family.setups)
    kept = family.setups[:count]
    if family.values:
        return [(fmpq(_exact(x)), one) for x, one in zip(family.values, kept, strict=False)]
    name = family.over.name
    shown = ((_known(one).constant(name), one) for one in kept)
    return sorted(shown, key=lambda pair: pair[0])


def _exact(value: int | str) -> fmpq:
    above, _, below = str(value).partition("/")
    return fmpq(int(above), int(below or 1))


def limit(family: Family, setup: Setup) -> fmpq:
    """Where the quantity tends, whatever the start, exact.

    Raises
    ------
    Refused
        If it is not shown to have a limit.
    """
    known = _known(setup)
    return limit_of(known.trace.found.rounds, known.forms(family.quantity))


def ladder(family: Family, profile: Profile) -> Record:
    """Limits, bounds where a set-up has all constants, and exponents: plain JSON."""
    pairs = rungs(family, profile)
    values = [float(value) for value, _ in pairs]
    measured: list[float | None] = []
    bounds: list[float | None] = []
    why = ""
    for _, setup in pairs:
        bounds.append(_bound(family, setup))
        try:
            measured.append(float(limit(family, setup)))
        except Refused as error:
            measured.append(None)
            why = f" (not measured: {error})"
    told, beside = family.told
    fit = _fit(values, measured)
    if fit is not None:
        power = exponent(family.power, family.over, large=family.large)
        fit |= {"series": told, "symbolic": power}
    return {
        "name": family.name + why,
        "parameter": family.over.name,
        "values": values,
        "series": {told: measured, beside: bounds},
        "fit": fit,
    }


def _bound(family: Family, setup: Setup) -> float | None:
    """None where a constant of it has no value."""
    try:
        known = _known(setup)
        values = {x.name: known.constant(x.name) for x in family.bound.free_symbols}
        return float(evaluate(family.bound, Numbers(values, {}, fmpq)))
    except (FedboundsError, Refused):
        return None


@lru_cache(maxsize=8)
def _known(setup: Setup) -> Many:
    return many_of(setup, view_of(setup), floats=True)


def exponent(bound: sp.Expr, over: sp.Symbol, *, large: bool) -> str:
    """Power of a parameter in a bound where the parameter is large, or small."""
    above, below = sp.fraction(sp.together(bound))
    powers = [
        [monomial[0] for monomial in sp.Poly(sp.expand(side), over).monoms()]
        for side in (above, below)
    ]
    first, second = (max(own) if large else min(own) for own in powers)
    return str(first - second)


def _fit(values: Sequence[float], series: Sequence[float | None]) -> Record | None:
    kept = [(x, y) for x, y in zip(values, series, strict=True) if y is not None and y > 0]
    if len(kept) < 3:
        return None
    found = fitted_exponent(*zip(*kept, strict=True))
    return {"exponent": found.slope, "low": float(found.low), "high": float(found.high)}


def ladder_cases(theory: str, name: str, profile: Profile) -> Iterator[Case]:
    """The first set-ups of every family, as cases of their own."""
    # one may stand beside several claims
    for family in dict.fromkeys(chain.from_iterable(displayed(theory).values())):
        if isinstance(family, Family):
            for value, setup in rungs(family, profile)[:_JUDGED]:
                at = f"ladder in {family.over.name} at {float(value):.6g}"
                yield case_of(Planned(f"{at}, {family.name}", setup, floats=True), name)


# ---- over time


def course(one: Course, profile: Profile) -> Record:
    """A quantity at rounds spaced evenly in log t; the exponent is that of the last decade."""
    last = min(one.rounds, _QUICK_ROUNDS) if profile is Profile.QUICK else one.rounds
    times = np.unique(np.geomspace(1, last, _POINTS).round().astype(int))
    series = [float(x) for x in _over_time(one, times)]
    late = [at for at, t in enumerate(times) if t >= times[-1] / 10]
    fit = _fit([int(times[at]) for at in late], [series[at] for at in late])
    return {
        "name": one.name,
        "parameter": "t",
        "values": [int(t) for t in times],
        "series": {one.told: series},
        "fit": fit and fit | {"series": one.told, "symbolic": str(one.power)},
    }


def _over_time(one: Course, times: Any) -> Sequence[Any]:
    if not isinstance(one.what, Setup):
        return [evaluate(one.what, Numbers({"t": fmpq(int(t))}, {}, fmpq)) for t in times]
    shorter = replace(one.what.run, rounds=int(times[-1]))
    setup = replace(one.what, run=shorter)
    found: Sequence[Any] = many_of(setup, view_of(setup), floats=True).series(one.quantity)[times]
    return found


# ---- of one quantity in another


def trend(one: Trend) -> Record:
    """Both in the rounds of the set-up, and the exponent of all."""
    known = known_of(one.setup, view_of(one.setup))
    both = zip(known.series(one.over), known.series(one.quantity), strict=True)
    pairs = sorted((float(x), float(y)) for x, y in both)
    values, series = [x for x, _ in pairs], [y for _, y in pairs]
    fit = _fit(values, series)
    return {
        "name": one.name,
        "parameter": one.told,
        "values": values,
        "series": {one.quantity: series},
        "fit": fit and fit | {"series": one.quantity, "symbolic": None},
    }
