"""Every step of FedPLT's proofs on small instances of the algorithm.

A step is evaluated where what it assumes holds. Numbers that an assumption asks for are as sharp
as it allows: G^2 is the largest squared gradient, rho_min the least ratio. Where nothing is
assumed of rho_min it is any number, and so is C. What assumes a display is not evaluated.
"""

from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef

from fedbounds.theory.fedplt.distance import BRACKET, CURVE, SLOPE
from fedbounds.theory.fedplt.masks import ALIGNMENT_INTERPRETATION
from fedbounds.theory.fedplt.results import CONSTANTS
from fedbounds.theory.proof.language import Written
from fedbounds.theory.symbols import t
from fedbounds.vocabulary import Assumption

from ..evaluate import Numbers
from ..evaluate import evaluate as number
from ..outcome_values import evaluate
from ..outcomes import Outcomes
from ..seen import gap
from .step_cases import LOCAL_STEPS, ROUNDS, Case, cases

_ALIGNMENTS = frozenset({Assumption.ALIGNED, Assumption.ALIGNED_COMPENSATED})
_ANGLES = frozenset({Assumption.ACUTE, Assumption.OBTUSE})  # told by the reading
_LOCAL_STEPS = frozenset({Assumption.VIRTUAL, Assumption.SINGLE_STEP})
_VECTORS = ("sq", "ip", "given")
_FREE = (0.9, 1.25)  # rho_min where nothing is assumed of it, besides the least that (ii) allows
_CHOSEN = frozenset({"rho_min", "nu_max", "z", "B_step", "w_gap", "C_rate", "A_24", "wx", "wg0"})
_DECISIVE = frozenset({"eta", "L", "mu", "psi_max", "psi_min"})  # rho_min is chosen by these
_ACUTE, _OBTUSE = (reading.name for reading in ALIGNMENT_INTERPRETATION.readings)


@dataclass(frozen=True)
class _Said:
    """What a step speaks of: its assumptions, quantities, and the names of all it mentions."""

    written: Written
    assumed: frozenset[Assumption]
    quantities: frozenset[AppliedUndef]
    symbols: frozenset[sp.Symbol]
    names: frozenset[str]


def gaps(written: Written) -> list[float]:
    """The least gap of a step on every instance that can evaluate it."""
    said = _said(written)
    found: dict[object, float] = {}
    for place, case in enumerate(cases()):
        one = _gap(said, case)
        if one is not None:
            instance = _what_differs(said, case) or place
            found[instance] = min(one, found.get(instance, one))
    return list(found.values())


def _said(written: Written) -> _Said:
    sides = [side for c in written.conditions for side in (c.left, c.right)]
    every = [written.left, written.right, *(sp.sympify(side, strict=True) for side in sides)]
    quantities = {
        atom
        for side in every
        for atom in side.atoms(AppliedUndef)
        if atom.func.__name__ not in _VECTORS
    }
    symbols = frozenset().union(*(side.free_symbols for side in every))
    return _Said(
        written,
        frozenset(Assumption(name) for name in written.statement.assumptions),
        frozenset(quantities),
        symbols,
        frozenset(x.name for x in symbols) | {atom.func.__name__ for atom in quantities},
    )


def _what_differs(said: _Said, case: Case) -> frozenset[tuple[str, float]]:
    """The numbers that a statement about numbers only depends on; empty if there is more to it."""
    space = case.found.space
    if said.quantities or said.names & space.vectors.keys():
        return frozenset()
    every = said.names & _CHOSEN - {"rho_min"}
    named = {x: y for x, y in case.values.items() if every or x in said.names | _DECISIVE}
    return frozenset({"t": float(space.t), **named}.items())


def _gap(said: _Said, case: Case) -> float | None:
    written = said.written
    if (
        written.scope not in case.scopes
        or not said.assumed - _ALIGNMENTS - _ANGLES <= case.assumptions
        or not _speaks_of(said, case)
    ):
        return None
    wide = Assumption.GLOBAL_GRADIENT in said.assumed
    settings = _settings(case, said.assumed & _ALIGNMENTS, wide)
    found = []
    for outcomes, values in settings if said.names & _CHOSEN else settings[:1]:
        for rate in _rates(values) if "C_rate" in said.names else (0.0,):
            every = {**values, "C_rate": rate}
            if all(_allowed(symbol, every) for symbol in said.symbols):
                found.append(gap(written, partial(evaluate, outcomes=outcomes, values=every)))
    return min((one for one in found if one is not None), default=None)


def _allowed(symbol: sp.Symbol, values: dict[str, float]) -> bool:
    """Whether a number has the sign that its symbol is declared with."""
    value = values.get(symbol.name, 1.0)
    return value > 0 if symbol.is_positive else value >= 0 or not symbol.is_nonnegative


def _speaks_of(said: _Said, case: Case) -> bool:
    """Whether a statement's t counts what it does here, and its client and angles are these."""
    reading = said.written.reading
    if not said.written.scope and case.own and not said.names & case.own:
        return False
    if any(atom.args[0] != t for atom in said.quantities):
        return case.counts == (LOCAL_STEPS if said.assumed & _LOCAL_STEPS else ROUNDS)
    if reading not in (_ACUTE, _OBTUSE):
        return True
    cosines = [case.found.space.series.get(name) for name in ("cos_g", "cos_m")]
    signs = {bool(cosine[-1] < 0) for cosine in cosines if cosine is not None}
    return signs == {reading == _OBTUSE}


@cache
def _settings(
    case: Case, alignment: frozenset[Assumption], wide: bool
) -> tuple[tuple[Outcomes, dict[str, float]], ...]:
    """The outcomes and all values, for every choice of rho_min."""
    space, found = case.found.space, []
    for rho_min in _choices(case, alignment):
        values = dict(case.values) | {"rho_min": rho_min}
        values["G^2"] = case.premises.wide if wide else case.premises.local
        if "alpha_k" in values:
            numbers = Numbers(values, {})
            values["nu_max"] = float(number(BRACKET, numbers))
            values |= {c.left.name: float(number(c.right, numbers)) for c in CONSTANTS}
            values["w_gap"] = 1 / values["eta"] - values["z"]
        measured, vectors = dict(space.series), dict(space.vectors)
        slope, curve = (float(number(side, Numbers(values, {}))) for side in (SLOPE, CURVE))
        if "F_opt" in measured:
            measured["A_24"] = curve * measured["F_att"] - slope * measured["F_opt"]
        weight = slope - curve * case.found.factors["attenuate"] ** 2
        if (weight >= 0).all() and "g0" in vectors:
            vectors |= {"wx": np.sqrt(weight) * (vectors["Wk"] - vectors["W"])}
            vectors |= {"wg0": np.sqrt(weight) * vectors["g0"]}
        scale = space.scale * max(1.0, float(abs(weight).max()))
        found.append((replace(space, series=measured, vectors=vectors, scale=scale), values))
    return tuple(found)


def _choices(case: Case, alignment: frozenset[Assumption]) -> list[float]:
    """Values of rho_min; none where what is assumed of it does not hold."""
    psi_max, psi_min, eta, L, mu = (
        case.values[name] for name in ("psi_max", "psi_min", "eta", "L", "mu")
    )
    least = 2 * eta * (psi_max * case.values.get("alpha_k", 1.0)) ** 2 * L / psi_min
    match sorted(alignment):
        case []:
            first = 1 / (eta * mu * psi_min)  # eta is the first decaying step, 1/z
            return [least, *_FREE, *([first] if eta * mu >= 1 else [])]
        case [Assumption.ALIGNED]:
            return [] if case.premises.aligned is None else [case.premises.aligned]
        case [Assumption.ALIGNED_COMPENSATED] if case.premises.compensated is not None:
            low, high = case.premises.compensated
            return [high, *([least] if low <= least < high else [])]
    return []


def _rates(values: dict[str, float]) -> list[float]:
    """Values of C: what each statement asks for at least."""
    level, start = values["B_step"] / values["z"] ** 2, values.get("D_0", 0.0)
    return sorted({level, level + start, max(start, 4 * level)})
