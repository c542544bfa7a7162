"""Both sides of a part as numbers of one kind: rationals, sums of roots, balls or floats.

What is told of them, ratios and texts, is here too; what they decide is in `part`.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import add
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from fedbounds.theory.language.claims import Part
from fedbounds.theory.language.symbols import constants_in, quantities_in
from fedbounds.vocabulary import Relation

from ..measure.evaluate import (
    IrrationalError,
    Numbers,
    evaluate,
    in_balls,
    in_roots,
    shown,
    terms,
)
from ..measure.roots import Roots
from .conditions import raise_precision

Array = Any
_LONGEST_FRACTION = 60  # characters; longer exact values are reported rounded
_TOLD = 1e-10  # of both sides: less does not show in a ratio of them
_BITS = 40  # of a side: less than `_TOLD` is in doubt


@dataclass(frozen=True, eq=False)
class Sides:
    """Both sides in every case, and each of their terms, as numbers of one kind."""

    left: Array
    right: Array
    terms: tuple[Array, ...]

    @cached_property
    def gaps(self) -> Array:
        return self.right - self.left


def evaluated(part: Part, numbers: Numbers, rounds: range | None) -> Sides:
    left, right = (
        [np.atleast_1d(evaluate(x, numbers, rounds)) for x in terms(side)]
        for side in (part.left, part.right)
    )
    one, other = np.broadcast_arrays(reduce(add, left), reduce(add, right))
    return Sides(one, other, (*left, *right))


def beyond_rationals(part: Part, numbers: Numbers, rounds: range | None) -> Sides:
    """Both sides as sums of roots, where zero shows; else as balls, where it does not."""
    try:
        return evaluated(part, in_roots(numbers), rounds)
    except IrrationalError:
        return _in_decided_balls(part, numbers, rounds)


def _in_decided_balls(part: Part, numbers: Numbers, rounds: range | None) -> Sides:
    """Both sides as balls, precision doubled until every sign of the gap is decided.

    And until sides are told to `_TOLD`, as long as more precision helps.
    """
    before, known = ctx.prec, -1
    try:
        ctx.prec = 64
        while True:
            sides = evaluated(part, in_balls(numbers), rounds)
            bits = min(map(_bits, (*sides.left.flat, *sides.right.flat)))
            signs = where(sides.gaps, lambda g: g > 0 or g < 0).all()
            if (signs and (bits >= _BITS or bits <= known)) or not raise_precision():
                return sides
            known = bits
    finally:
        ctx.prec = before


def _bits(side: Any) -> int:
    """How many bits of a side are known."""
    return int(side.rel_accuracy_bits()) if isinstance(side, arb) else _BITS


def in_floats(numbers: Numbers) -> Numbers:
    """The same numbers, each rounded to nearest."""
    return Numbers(
        constants={name: float(value) for name, value in numbers.constants.items()},
        series={name: values.astype(np.float64) for name, values in numbers.series.items()},
    )


def of_these(numbers: Numbers, names: Collection[str]) -> Numbers:
    """With no other quantities."""
    return replace(numbers, series={x: numbers.series[x] for x in names if x in numbers.series})


def beats_trivial(part: Part, numbers: Numbers, rounds: range | None) -> bool | None:
    """Whether the right side is somewhere below the trivial bound; None where there is none.

    A bound by the diameter has no value where the domain has none.
    """
    if part.trivial is None or not (
        constants_in(part.trivial) <= numbers.constants.keys()
        and all(name in numbers.series for name in quantities_in(part.trivial))
    ):
        return None
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            floats = in_floats(
                of_these(numbers, quantities_in(part.right) | quantities_in(part.trivial))
            )
            right, trivial = (evaluate(s, floats, rounds) for s in (part.right, part.trivial))
    except OverflowError:  # too large for float64
        return None
    return bool(np.any(right < trivial))


def tightness(part: Part, sides: Sides, silent: Array = np.False_) -> float | None:
    """Largest left / right of an inequality; None unless both are sums of non-negative terms.

    ``silent``: the cases that are left out. Of balls it is what the ratio is at least, where doubt
    shows in it.
    """
    if part.relation is Relation.EQUAL:
        return None
    if any((where(x, lambda value: value < 0) & ~silent).any() for x in sides.terms):
        size = sizes_of(sides)
        if any(
            (each_pair(_is_negative, x, size).astype(bool) & ~silent).any() for x in sides.terms
        ):
            return None
    clear = where(sides.right, lambda x: x > 0) & ~silent
    ratios = each_pair(_ratio, sides.left[clear], sides.right[clear])
    return float(ratios.max()) if ratios.size and ratios.max() > 0 else None


def _is_negative(term: Any, size: arb) -> bool:
    """Whether it is below zero; at the edge of a condition a factor may be, by its rounding."""
    if not term < 0:
        return False
    middle = size.mid()
    return bool(middle == 0 or _ball(term).mid() < -_TOLD * middle)


def sizes_of(sides: Sides) -> Array:
    """Of both sides together, as balls: no sign rests on them, and long rationals are slow."""
    return each_pair(
        lambda one, other: abs(_ball(one)) + abs(_ball(other)), sides.left, sides.right
    )


def of_both(gap: Any, size: arb) -> float:
    """The gap over the sum of both sides, which are not negative."""
    middle = size.mid()
    return float((_ball(gap).mid() / middle).mid()) if middle > 0 else 0.0


def in_doubt(gap: Any, size: Any) -> float:
    """By how much the gap over the sum of both sides may be another than that of their middles."""
    if not isinstance(gap, arb):
        return 0.0
    ratio = _ball(gap) / _ball(size)
    return float(ratio.rad()) if ratio.is_finite() else 1.0  # as large as such a ratio is


def _ratio(left: Any, right: Any) -> float:
    """Over a positive number."""
    if isinstance(left, float) and isinstance(right, float):
        return left / right
    found = _ball(left) / _ball(right)
    return _float(found if found.rad() <= _TOLD else found.lower())


BELOW, ZERO, ABOVE, NOT_BELOW, UNKNOWN = range(5)


def signs_of(values: Array) -> Array:
    """How every number stands to 0, as far as that is known."""
    return np.asarray(np.frompyfunc(_sign_of, 1, 1)(values), dtype=np.int8)


def _sign_of(value: Any) -> int:
    if value > 0:
        return ABOVE
    if value < 0:
        return BELOW
    if value == 0:
        return ZERO
    return NOT_BELOW if value >= 0 else UNKNOWN


def where(values: Array, holds: Callable[[Any], Any]) -> Array:
    return np.asarray(np.frompyfunc(lambda x: bool(holds(x)), 1, 1)(values), dtype=bool)


def each_pair(function: Callable[[Any, Any], Any], one: Array, other: Array) -> Array:
    return np.asarray(np.frompyfunc(function, 2, 1)(one, other))


def _float(number: Any) -> float:
    return float(number.mid()) if isinstance(number, arb) else float(number)


def _ball(number: Any) -> arb:
    return number.ball() if isinstance(number, Roots) else arb(number)


def told_as(number: Any) -> Any:
    if isinstance(number, Roots) and number.rational() is None:
        number = number.ball()
    if isinstance(number, arb):
        return float(number.mid())
    text = str(number.rational() if isinstance(number, Roots) else fmpq(number))
    if len(text) <= _LONGEST_FRACTION:
        return text
    try:
        return float(number)
    except OverflowError:
        return shown(number)
