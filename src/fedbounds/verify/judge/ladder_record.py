"""What a record tells of a ladder: what its rungs show, and a fitted exponent."""

from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from fedbounds.theory.language.claims import Claim, read
from fedbounds.theory.language.symbols import quantities_in, t

from ..decide.case import Case, ladder_shown
from ..decide.judgement import Judgement
from .standing import REFUSED

Record = dict[str, Any]


def ladder_of(judgement: Judgement) -> Record:
    """What a record has besides for a ladder judged in the headline reading; else nothing.

    Under "ladder": the values of the parameter, what the claim speaks of as series in floats, and
    the exponent of one of them beside that of the term with which the claim compares it.
    """
    ladder, refused = judgement.instance, judgement.verdict in REFUSED
    headline = judgement.reading is judgement.claim.readings[0]
    if not isinstance(ladder, Case) or refused or not headline:
        return {}
    shown = ladder_shown(ladder.setup)
    return {} if shown is None else {"ladder": _spoken_of(judgement, shown)}


def _spoken_of(judgement: Judgement, shown: Record) -> Record:
    """Of what a ladder shows, what the claim speaks of, with the power that it may state."""
    parts = read(judgement.claim, judgement.reading)
    own = [x for x in parts if x.algorithm in ("", judgement.instance.algorithm_name)]
    named = frozenset[str]().union(*(part.quantities for part in own))
    fit = shown["fit"]
    series = {name: row for name, row in shown["series"].items() if name in named}
    if fit is not None and fit["series"] not in series:
        fit = None
    if fit is not None and fit["symbolic"] is None:
        power = symbolic_exponent(judgement.claim, fit["series"], shown["parameter"])
        fit = fit | {"symbolic": power}
    return shown | {"series": series, "fit": fit}


def symbolic_exponent(claim: Claim, series: str, parameter: str) -> str | None:
    """The power of a parameter in the term with which a reading of the claim compares a series.

    None if there is no such reading, or if that term is no power of the parameter.
    """
    for reading in claim.readings:
        for old, new in reading.substitute:
            named = isinstance(old, AppliedUndef) and (old.func.__name__, *old.args) == (series, t)
            level = sp.sympify(new, strict=True) if named else None
            if level is not None and not quantities_in(level):
                return _power(level, parameter)
    return None


def _power(level: sp.Expr, parameter: str) -> str | None:
    x = next((s for s in level.free_symbols if s.name == parameter), None)
    if x is None:
        return "0"
    power = sp.simplify(x * sp.diff(level, x) / level)
    return str(power) if power.is_number else None
