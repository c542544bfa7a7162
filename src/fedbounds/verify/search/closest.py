"""Where a part's two sides are closest, in floats that steer a search."""

from dataclasses import dataclass
from functools import cache
from math import nan
from typing import Any

import numpy as np
import sympy as sp
from flint import arb
from sympy.core.function import AppliedUndef

from fedbounds.theory.language.claims import Part
from fedbounds.theory.language.symbols import Mean_t, Sum_t, T, f, quantities_in, t

from ..decide.part import rounds_of
from ..decide.start import idle
from ..measure.evaluate import Numbers, evaluate, scale, terms
from ..measure.lazily import Mapped

EQUAL = 1e-7  # relative gaps this small are equality
_CLEAR = 1e-6  # of the sizes of all terms: a gap is looked at where so much is not cancelled
_ACCURATE = 24  # binary digits that tell a gap from what rounding leaves
_FLOOR = 1e-12  # of the largest sides so far: smaller ones carry their rounding


@dataclass(frozen=True)
class Closest:
    """Where a part's sides are closest: (right - left) / sum of the sizes of all terms."""

    gap: float
    left: float
    right: float
    at: int | None


def closest(part: Part, numbers: Numbers) -> Closest | None:
    """Over the cases whose sides stand clear of rounding; None if there is none.

    Where the objective stands on both sides, its decrease counts as one term; and so does the
    change of a quantity from one round to the next.
    """
    rounds = rounds_of(part, numbers)
    values = [np.atleast_1d(evaluate(term, numbers, rounds)) for term in _terms(part)]
    values = list(np.broadcast_arrays(*values))
    gap, size = np.sum(values, axis=0), np.sum(np.abs(values), axis=0)
    sizes = np.broadcast_to(scale(numbers, rounds, part.left, part.right), size.shape)
    clear = size > _CLEAR * sizes
    clear &= sizes > _FLOOR * np.maximum.accumulate(sizes, axis=-1)
    clear &= ~idle(part, rounds, np.abs(gap) <= EQUAL * size)
    if not clear.any():
        return None
    ratios = np.where(clear, gap / np.where(clear, size, 1.0), np.inf)
    worst = int(np.argmin(ratios))
    column = int(np.unravel_index(worst, ratios.shape)[-1])
    sides = (
        np.broadcast_to(evaluate(s, numbers, rounds), size.shape) for s in (part.left, part.right)
    )
    left, right = (float(side.flat[worst]) for side in sides)
    return Closest(
        float(ratios.flat[worst]), left, right, None if rounds is None else rounds[column]
    )


@cache
def _terms(part: Part) -> tuple[sp.Expr, ...]:
    """The summands of right - left: those of the objective together if its zero is of no account.

    Of a recursion x(t + 1) <= (1 - z) x(t) + b the change x(t) - x(t + 1) is one too: short steps
    alone bring both sides together.
    """
    signed = [*terms(part.right), *(-term for term in terms(part.left))]
    values = [term for term in signed if f.__name__ in quantities_in(term)]
    if _ignores_shifts(sp.Add(*values)):
        others = [term for term in signed if term not in values]
        signed, values = others, [sp.Add(*values)] if values else []
    else:
        values = []
    after = sp.Add(*signed, evaluate=False).atoms(AppliedUndef)
    for later in sorted((one for one in after if one.args == (t + 1,)), key=str):
        signed = _changing(later, signed)
    return (*signed, *values)


def _ignores_shifts(values: sp.Expr) -> bool:
    """Whether a sum of multiples of the objective stays as it is where a number is added to it."""
    one = values.replace(f, lambda *_: sp.S.One)
    whole = one.replace(Mean_t, lambda x: x).replace(Sum_t, lambda x: T * x)
    return not sp.expand(whole)


def _changing(later: Any, signed: list[sp.Expr]) -> list[sp.Expr]:
    """The same sum, in which a quantity's change from a round to the next is one summand."""
    now = later.func(t)
    own = [term for term in signed if term.has(now) or term.has(later)]
    whole = sp.expand(sp.Add(*own))
    left, right = whole.coeff(later), whole.coeff(now)
    rest = sp.expand(whole - left * later - right * now)
    kept, more = right.as_coeff_Add()
    if not left.is_Number or left != -kept or kept == 0 or rest.has(now, later):
        return signed
    every = [*(x for x in signed if x not in own), rest]
    every += [term * now for term in more.as_ordered_terms()]
    others = [term for term in every if term != 0]
    return [*others, kept * (now - later)] if others else signed


def as_floats(numbers: Numbers) -> Numbers:
    """Exact numbers, each rounded to nearest; a ball that may be 0 is, a wide one is no number."""
    return Numbers(
        constants=Mapped(numbers.constants, _near),
        series=Mapped(numbers.series, _floats),
    )


def _floats(values: Any) -> Any:
    if values.dtype != object:
        return values.astype(np.float64)
    return np.array([_near(x) for x in values.flat], dtype=np.float64).reshape(values.shape)


def _near(value: Any) -> float:
    if type(value) is not arb:
        return float(value)
    if 0 in value:
        return 0.0
    return float(value) if value.rel_accuracy_bits() >= _ACCURATE else nan
