"""The admissible step size at which a bound is smallest: at an edge of the conditions, or inside.

The edge is exact, as a formula. Inside, the slope changes its sign between two rationals that
agree to 14 digits, each sign decided by balls; the simplest rational between them is taken.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import sympy as sp
from flint import arb, ctx

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import Condition, Part
from fedbounds.theory.language.inputs import Inputs, sign_conditions
from fedbounds.theory.language.values import Values, in_ball, narrow, replaced, sign

from .shape import is_convex, is_posynomial, powers

_BITS = 128
_CLOSE = Fraction(1, 2**47)  # ratio of the two rationals, less one
INSIDE = sp.Rational(1, 10**10)  # of an edge that is left out: so close a step comes to it
_FARTHEST = 11  # doublings of the exponent of 2, in search of a change of sign
_SAMPLES, _ZOOMS = 60, 8  # where the shape is not shown


class NoBestStepError(FedboundsError):
    """The bound falls all the way to a step size of 0 or infinity."""


@dataclass(frozen=True)
class Step:
    """A step size.

    Attributes
    ----------
    name : str
    value : SymPy expression
        Rational inside; the formula of an edge.
    edge : Condition or None
        At whose edge it is, or just inside of it where that is strict; None elsewhere.
    shown : str
        Why no other admissible step size gives less; empty if that is not shown.
    """

    name: str
    value: sp.Expr
    edge: Condition | None
    shown: str


@dataclass(frozen=True)
class Interval:
    """Admissible values: formulas of the ends, each with the condition that it comes from.

    None: 0, infinity.
    """

    low: sp.Expr | None = None
    high: sp.Expr | None = None
    low_by: Condition | None = None
    high_by: Condition | None = None


def admissible(part: Part, inputs: Inputs, x: sp.Symbol) -> Interval:
    """The values of x that the conditions allow.

    Raises
    ------
    FedboundsError
        If a condition is not of the form "c x^p <= d" in x, or no value is allowed.
    """
    found = Interval()
    for c in (*inputs.conditions, *sign_conditions(part, inputs)):
        found = _narrowed(found, c, inputs.values, x)
    low, high = found.low, found.high
    if low is not None and high is not None:
        apart = sign(high - low, inputs.values)
        strict = any(end is not None and is_strict(end) for end in (found.low_by, found.high_by))
        if apart < 0 or (apart == 0 and strict):
            raise FedboundsError(f"no {x} meets both {found.low_by} and {found.high_by}")
    return found


def _narrowed(found: Interval, c: Condition, values: Values, x: sp.Symbol) -> Interval:
    rest = replaced(c.left - c.right, values)
    if x not in rest.free_symbols:
        return found
    flipped = -1 if c.relation in (">=", ">") else 1
    here = {p: a * flipped for p, a in (powers(rest, x) or {}).items()}  # sum a x^p <= 0
    signs = {p: s for p, a in here.items() if (s := sign(a, values))}
    present = sorted(signs)
    if here and c.relation != "==" and len(set(signs.values())) < 2:
        if 1 in signs.values():
            raise FedboundsError(f"no {x} meets {c} for these numbers")
        return found
    if c.relation == "==" or len(present) != 2:
        raise FedboundsError(f"cannot solve the condition {c} for {x}; give {x}")
    low, high = present
    edge = (-here[low] / here[high]) ** (1 / (high - low))
    before, way = (found.high, -1) if signs[high] > 0 else (found.low, 1)
    inside = 1 if before is None else way * sign(edge - before, values)
    if inside < 0 or (inside == 0 and not is_strict(c)):
        return found
    return replace(found, high=edge, high_by=c) if way < 0 else replace(found, low=edge, low_by=c)


def is_strict(condition: Condition) -> bool:
    """Whether its edge does not meet it."""
    return condition.relation in ("<", ">")


def best_step(part: Part, inputs: Inputs, x: sp.Symbol) -> Step:
    """The admissible x at which the right side of the part is smallest.

    Raises
    ------
    NoBestStepError
        If the bound falls all the way to a step size of 0 or infinity.
    FedboundsError
        If the conditions allow none, or cannot be solved for it.
    """
    values = inputs.values
    bound = replaced(part.right, values)
    interval = admissible(part, inputs, x)
    shown = _why_unique(bound, x, values, interval)
    if not shown:
        return _sampled(bound, x, values, interval)
    slope = _slope(bound, x, values)
    low, high = _inside(interval, values)
    if high is not None and slope(high) <= 0:
        return _at_edge(x, interval, values, -1, shown)
    if low is not None and slope(low) >= 0:
        return _at_edge(x, interval, values, 1, shown)
    start = high or low or Fraction(1)
    above = _first(start, Fraction(2), lambda at: slope(at) > 0, f"{x} grows")
    below = low or _first(above, Fraction(1, 2), lambda at: slope(at) < 0, f"{x} falls to 0")
    inside = simplest(*_bisected(below, above, slope))
    return Step(x.name, sp.Rational(inside.numerator, inside.denominator), None, shown)


def _at_edge(x: sp.Symbol, interval: Interval, values: Values, way: int, shown: str) -> Step:
    """The upper end (-1) or the lower one; one just inside of it if it is left out."""
    ends = (interval.high, interval.high_by), (interval.low, interval.low_by)
    (edge, by), (other, _) = ends if way < 0 else ends[::-1]
    assert edge is not None
    if by is None or not is_strict(by):
        return Step(x.name, edge, by, shown)
    inside = edge * (1 + way * INSIDE)
    if other is not None and way * sign(other - inside, values) <= 0:
        inside = (edge + other) / 2
    return Step(x.name, inside, by, shown)


def _why_unique(bound: sp.Expr, x: sp.Symbol, values: Values, interval: Interval) -> str:
    if is_posynomial(bound, x, values):
        return f"the bound is convex in log {x}"
    if is_convex(bound, x, values, (interval.low, interval.high)):
        return f"the bound is convex in {x}"
    return ""


_derivative = lru_cache(maxsize=256)(sp.diff)


def _slope(bound: sp.Expr, x: sp.Symbol, values: Values) -> Callable[[Fraction], int]:
    """Sign of the derivative; 0 where 128 bits do not tell it from zero."""
    derivative = _derivative(bound, x)

    def signed(at: Fraction) -> int:
        before, ctx.prec = ctx.prec, _BITS
        try:
            ball = in_ball(
                derivative, {**values, x.name: sp.Rational(at.numerator, at.denominator)}
            )
        finally:
            ctx.prec = before
        return int(ball > 0) - int(ball < 0)

    return signed


def _inside(interval: Interval, values: Values) -> tuple[Fraction | None, Fraction | None]:
    """Rationals just inside the ends."""
    low, high = (
        None if end is None else narrow(end, values) for end in (interval.low, interval.high)
    )
    return (
        None if low is None else _fraction(low.upper()),
        None if high is None else _fraction(high.lower()),
    )


def _fraction(ball: arb) -> Fraction:
    mantissa, exponent = ball.mid().man_exp()
    power: Fraction = Fraction(2) ** int(exponent)
    return Fraction(int(mantissa)) * power


def _first(start: Fraction, by: Fraction, found: Callable[[Fraction], bool], way: str) -> Fraction:
    for doublings in range(_FARTHEST):
        at: Fraction = start * by ** int(2**doublings - 1)
        if found(at):
            return at
    raise NoBestStepError(f"no best step size: the bound falls as {way}; give the step size")


def _bisected(
    low: Fraction, high: Fraction, slope: Callable[[Fraction], int]
) -> tuple[Fraction, Fraction]:
    """Two close rationals between which the slope changes its sign."""
    while high / low - 1 > _CLOSE:
        wide = high > 4 * low
        middle = (
            low * 2 ** ((high / low).__floor__().bit_length() // 2) if wide else (low + high) / 2
        )
        side = slope(middle)
        if side == 0:
            return middle, middle
        low, high = (middle, high) if side < 0 else (low, middle)
    return low, high


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of least denominator between two positive ones.

    >>> simplest(Fraction(33, 100), Fraction(34, 100))
    Fraction(1, 3)
    """
    whole = -(-low.numerator // low.denominator)
    if whole <= high:
        return Fraction(whole)
    floor = whole - 1
    return floor + 1 / simplest(1 / (high - floor), 1 / (low - floor))


def _sampled(bound: sp.Expr, x: sp.Symbol, values: Values, interval: Interval) -> Step:
    """The best of many samples, and of the ends; nothing shows that no other is better."""
    low, high = _inside(interval, values)
    if high is None:
        raise FedboundsError(
            f"no condition bounds {x} from above, and the bound is not shown to have one minimum; "
            f"give {x}"
        )

    strict = {
        end for end, by in ((low, interval.low_by), (high, interval.high_by))
        if by is not None and is_strict(by)
    }  # fmt: skip

    def value(at: Fraction) -> float:
        rational = sp.Rational(at.numerator, at.denominator)
        try:
            return float(narrow(bound, {**values, x.name: rational}).mid())
        except FedboundsError:
            if at in strict:  # a pole, where no step is
                return float("inf")
            raise

    left, right = low or high / 10**9, high
    for _ in range(_ZOOMS):
        ratio = (float(right) / float(left)) ** (1 / _SAMPLES)
        inner = (Fraction(float(left) * ratio**i) for i in range(1, _SAMPLES))
        points = [left, *inner, right]
        best = min(range(len(points)), key=lambda i: value(points[i]))
        left, right = points[max(best - 1, 0)], points[min(best + 1, _SAMPLES)]
    chosen = points[best]
    if chosen == high:
        return _at_edge(x, interval, values, -1, "")
    if chosen == low:
        return _at_edge(x, interval, values, 1, "")
    inside = simplest(left, right)
    return Step(x.name, sp.Rational(inside.numerator, inside.denominator), None, "")
