"""What a record tells of a ladder: steady state and rate per rung, and a fitted exponent."""

from collections.abc import Sequence
from typing import Any

import sympy as sp

from fedbounds.theory.claims import Claim, read
from fedbounds.theory.symbols import P, quantities_in, t
from fedbounds.vocabulary import Quantity

from .case import Case, ladder_shown
from .evaluate import Numbers
from .judge import Judgement
from .ladder import Ladder, fitted_exponent
from .standing import REFUSED

Record = dict[str, Any]

_DRAWN = (Quantity.PLATEAU, Quantity.RATE)
_FEWEST = 3  # points of a fit


def ladder_of(judgement: Judgement, numbers: Numbers) -> Record:
    """What a record has besides for a ladder judged in the headline reading; else nothing.

    Under "ladder": the values of the parameter, what the claim speaks of as series (P, rho) in
    floats, and the exponent of P beside that of the steady-state term that the claim names.
    """
    ladder, refused = judgement.instance, judgement.verdict in REFUSED
    headline = judgement.reading is judgement.claim.readings[0]
    if isinstance(ladder, Case) and headline and not refused:
        shown = ladder_shown(ladder.setup)
        return {} if shown is None else {"ladder": _spoken_of(judgement, shown)}
    if not isinstance(ladder, Ladder) or refused or not headline:
        return {}
    named = _named(judgement)
    series = {
        name.value: [float(value) for value in numbers.series[name.value]]
        for name in _DRAWN
        if name.value in named
    }
    values = [value if isinstance(value, str) else float(value) for value in ladder.values]
    steady = series.get(Quantity.PLATEAU.value)
    fit = None if steady is None else _fit(judgement.claim, ladder.parameter, values, steady)
    return {
        "ladder": {"parameter": ladder.parameter, "values": values, "series": series, "fit": fit}
    }


def _named(judgement: Judgement) -> frozenset[str]:
    """Quantities that a claim names on such a ladder."""
    parts = read(judgement.claim, judgement.reading)
    own = [x for x in parts if x.algorithm in ("", judgement.instance.algorithm_name)]
    return frozenset[str]().union(*(part.quantities for part in own))


def _spoken_of(judgement: Judgement, shown: Record) -> Record:
    """Of what a ladder shows, what the claim speaks of, with the power that it may state."""
    named, fit = _named(judgement), shown["fit"]
    series = {name: row for name, row in shown["series"].items() if name in named}
    if fit is not None and fit["series"] not in series:
        fit = None
    if fit is not None and fit["symbolic"] is None:
        power = symbolic_exponent(judgement.claim, shown["parameter"])
        fit = fit | {"symbolic": power}
    return shown | {"series": series, "fit": fit}


def _fit(
    claim: Claim, parameter: str, values: Sequence[Any], steady: Sequence[float]
) -> Record | None:
    """For display, never a verdict; None where logarithms or points are missing."""
    every = [*values, *steady]
    if any(isinstance(value, str) or value <= 0 for value in every) or len(set(values)) < _FEWEST:
        return None
    found = fitted_exponent(values, steady)
    return {
        "series": Quantity.PLATEAU.value,
        "exponent": found.slope,
        "low": float(found.low),
        "high": float(found.high),
        "symbolic": symbolic_exponent(claim, parameter),
    }


def symbolic_exponent(claim: Claim, parameter: str) -> str | None:
    """The power of a parameter in the steady-state term that a reading of the claim names.

    None if no reading compares the steady state with a term, or if that term is no power of the
    parameter.
    """
    for reading in claim.readings:
        for old, new in reading.substitute:
            level = sp.sympify(new, strict=True) if old == P(t) else None
            if level is not None and not quantities_in(level):
                return _power(level, parameter)
    return None


def _power(level: sp.Expr, parameter: str) -> str | None:
    x = next((s for s in level.free_symbols if s.name == parameter), None)
    if x is None:
        return "0"
    power = sp.simplify(x * sp.diff(level, x) / level)
    return str(power) if power.is_number else None
