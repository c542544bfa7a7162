"""Shapes of a formula in one positive variable, shown from its signs, never from samples.

Nothing here is complete: False means "not shown".
"""

from functools import lru_cache

import sympy as sp

from fedbounds.theory.language.bounds import summands
from fedbounds.theory.language.values import Values, names_in, sign

Ends = tuple[sp.Expr | None, sp.Expr | None]  # of an interval; None: 0, infinity


@lru_cache(maxsize=1024)
def powers(e: sp.Expr, x: sp.Symbol) -> dict[sp.Rational, sp.Expr] | None:
    """Coefficients by power of x, if the formula is a sum of powers of x; else None."""
    found: dict[sp.Rational, sp.Expr] = {}
    for term in sp.Add.make_args(sp.expand(e)):
        coefficient, rest = term.as_independent(x, as_Add=False)
        base, power = rest.as_base_exp()
        if x not in term.free_symbols:
            coefficient, power = term, sp.Integer(0)
        elif base != x or not power.is_Rational:
            return None
        found[power] = found.get(power, sp.Integer(0)) + coefficient
    return found


def is_posynomial(e: sp.Expr, x: sp.Symbol, values: Values) -> bool:
    """Whether the formula is built from powers of x by non-negative factors, sums and powers.

    Such a formula is convex in log x after taking its logarithm, so that a point where it
    neither rises nor falls is its minimum.
    """
    if x not in e.free_symbols:
        return _closed(e, values) and sign(e, values) >= 0
    found = powers(e, x)
    if found is not None:
        return all(_closed(c, values) and sign(c, values) >= 0 for c in found.values())
    if e.is_Add or e.is_Mul or isinstance(e, sp.Max):
        return all(is_posynomial(argument, x, values) for argument in e.args)
    if e.is_Pow and e.exp.is_Rational:
        return bool(e.exp > 0) and is_posynomial(e.base, x, values)
    return False


def is_convex(e: sp.Expr, x: sp.Symbol, values: Values, ends: Ends) -> bool:
    """Whether the formula is a sum of convex terms between the ends (None: 0, infinity).

    Terms are powers of x, and whole powers of 1 - c x where that is not negative.
    """
    found: dict[sp.Rational, sp.Expr] = {}
    for term in summands(e):
        if _is_convex_power(term, x, values, ends):
            continue
        here = powers(term, x)
        if here is None:
            return False
        for power, coefficient in here.items():
            found[power] = found.get(power, sp.Integer(0)) + coefficient
    return all(
        power in (0, 1) or sign(c, values) * sign(power * (power - 1), values) >= 0
        for power, c in found.items()
    )


def _is_convex_power(term: sp.Expr, x: sp.Symbol, values: Values, ends: Ends) -> bool:
    coefficient, rest = term.as_independent(x, as_Add=False)
    base, power = rest.as_base_exp()
    inside = powers(base, x)
    if inside is None or not inside.keys() <= {sp.Integer(0), sp.Integer(1)} or ends[1] is None:
        return False
    low = sp.Integer(0) if ends[0] is None else ends[0]
    return (
        x not in power.free_symbols
        and sign(coefficient, values) >= 0
        and (sign(power - 1, values) >= 0 or sign(power, values) == 0)
        and all(sign(base.subs(x, end), values) >= 0 for end in (low, ends[1]))
    )


def falls(
    e: sp.Expr, rounds: sp.Symbol, values: Values, step: sp.Symbol | None, ends: Ends
) -> bool:
    """Whether the formula is non-negative and never rises with the number of rounds, from 1 on.

    It may contain a step size, of any value between the ends.
    """
    if rounds not in e.free_symbols:
        return _is_nonnegative(e, values, step)
    if e.is_Add or e.is_Mul or isinstance(e, sp.Max):
        return all(falls(argument, rounds, values, step, ends) for argument in e.args)
    if not e.is_Pow:
        return False
    if rounds in e.exp.free_symbols:
        rise = powers(e.exp, rounds)
        return (
            rise is not None
            and all(power in (0, 1) for power in rise)
            and all(_closed(c, values) and sign(c, values) >= 0 for c in rise.values())
            and _is_factor(e.base, values, step, ends)
        )
    if not e.exp.is_Rational:
        return False
    if e.exp > 0:
        return falls(e.base, rounds, values, step, ends)
    rise = powers(e.base, rounds)
    return rise is not None and all(
        power >= 0 and _is_nonnegative(c, values, step) for power, c in rise.items()
    )


def _is_factor(base: sp.Expr, values: Values, step: sp.Symbol | None, ends: Ends) -> bool:
    """Whether a formula lies between 0 and 1 for every step size between the ends."""
    points = [base]
    if step in base.free_symbols:
        inside = powers(base, step)
        if inside is None or not inside.keys() <= {sp.Integer(0), sp.Integer(1)} or ends[1] is None:
            return False
        points = [base.subs(step, ends[0] or 0), base.subs(step, ends[1])]
    return all(
        _closed(point, values) and sign(point, values) >= 0 and sign(1 - point, values) >= 0
        for point in points
    )


def _is_nonnegative(e: sp.Expr, values: Values, step: sp.Symbol | None) -> bool:
    return is_posynomial(e, step if step is not None else sp.Dummy(), values)


def _closed(e: sp.Expr, values: Values) -> bool:
    return names_in(e) <= values.keys()
