"""How far conditions let one parameter go, whatever their form, in rationals.

The ends of what they admit are found by looking at powers of 2, and between two of them by
bisection: an end that is a simple fraction is that fraction, and another one is rounded inwards.
Whether a number is admitted is decided exactly, or in balls.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.problems.linear import rational
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import constants_in, quantities_in, t

from ..decide.conditions import holds
from ..measure.evaluate import Numbers, evaluate
from .edges import simplest

_POWERS = tuple(Fraction(2) ** power for power in range(40, -41, -1))
_HALVINGS = 48  # of what is between two of them
_NEAR = Fraction(1, 10**6)  # relative: how far inside a rounded end may be

Known = Mapping[str, Any]


@dataclass(frozen=True)
class Ends:
    """Of every range that conditions admit, as far as it ends: above, and below."""

    largest: tuple[fmpq, ...] = ()
    least: tuple[fmpq, ...] = ()


def ends(conditions: Sequence[Condition], name: str, known: Known) -> Ends:
    """Of a positive parameter; conditions that need more than what is known are passed over.

    Parameters
    ----------
    conditions : sequence of Condition
        Of one part.
    known : mapping from symbol name to rational
    """
    own = tuple(c for c in conditions if _tells(c, name, known))
    if not own:
        return Ends()
    named = sorted(frozenset[str]().union(*map(_named, own)) - {name})
    if not all(type(known[x]) is fmpq for x in named):  # balls are no keys
        return _looked_for(own, name, known)
    return _of_rationals(own, name, tuple((x, int(known[x].p), int(known[x].q)) for x in named))


@lru_cache(maxsize=4096)  # parts of many claims have the same conditions on the same numbers
def _of_rationals(
    own: tuple[Condition, ...], name: str, told: tuple[tuple[str, int, int], ...]
) -> Ends:
    return _looked_for(own, name, {x: fmpq(p, q) for x, p, q in told})


def _looked_for(own: Sequence[Condition], name: str, known: Known) -> Ends:
    found = _bounds(own, name, known)
    if found is None:
        every = list(_every(own, name, known))
        largest, least = ([x for x, above in every if above is side] for side in (True, False))
        found = Ends(*(tuple(map(_rational, dict.fromkeys(x))) for x in (largest, least)))
    return found


def named_with(conditions: Sequence[Condition], name: str) -> frozenset[str]:
    """What conditions on a parameter name besides it."""
    own = [_named(c) for c in conditions if name in _named(c)]
    return frozenset[str]().union(*own) - {name}


def is_bound(condition: Condition, name: str) -> bool:
    """Whether the parameter stands on the left alone."""
    return bool(condition.left.is_Symbol) and condition.left.name == name


def _named(condition: Condition) -> frozenset[str]:
    return constants_in(condition.left) | constants_in(condition.right)


def _tells(condition: Condition, name: str, known: Known) -> bool:
    sides = condition.left, condition.right
    free = any(quantities_in(side) or t in side.free_symbols for side in sides)
    named = _named(condition)
    return not free and name in named and named <= {name, *known}


def _bounds(own: Sequence[Condition], name: str, known: Known) -> Ends | None:
    """Where each says a rational bound by itself; None if one does not."""
    high, low = [], []
    for condition in own:
        if not is_bound(condition, name) or name in constants_in(condition.right):
            return None
        if condition.relation in ("<", ">"):  # its end is not admitted
            return None
        try:
            bound = rational(evaluate(condition.right, _numbers(known)))
        except (FedboundsError, ArithmeticError, TypeError):
            return None
        high += [bound] if condition.relation != ">=" else []
        low += [bound] if condition.relation == ">=" else []
    top, bottom = min(high, default=None), max(low, default=None)
    if top is not None and bottom is not None and bottom > top:
        return Ends()
    return Ends(*(() if x is None or x <= 0 else (x,) for x in (top, bottom)))


def _every(own: Sequence[Condition], name: str, known: Known) -> Iterator[tuple[Fraction, bool]]:
    """Ends of each that all admit, each with whether it is one above."""
    admits = _admitting(own, name, known)
    for one in own:  # an equality holds where one inequality begins and another one ends
        equal = one.relation == "=="
        for relation in ("<=", ">=") if equal else (one.relation,):
            near = _admitting([replace(one, relation=relation)], name, known)
            yield from ((x, equal or above) for x, above in _turns(near) if admits(x))


def _turns(admits: Callable[[Fraction], bool]) -> Iterator[tuple[Fraction, bool]]:
    told = [admits(x) for x in _POWERS]
    for (above, below), (high, low) in zip(pairwise(_POWERS), pairwise(told), strict=True):
        if high != low:
            yield _end(admits, *((below, above) if low else (above, below))), low


def _end(admits: Callable[[Fraction], bool], inside: Fraction, outside: Fraction) -> Fraction:
    """Between a number that is admitted and one that is not."""
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if admits(middle) else (inside, middle)
    near = inside * (1 - _NEAR if inside < outside else 1 + _NEAR)
    for other in (outside, near):
        simple = simplest(*sorted((inside, other)))
        if admits(simple):
            return simple
    return inside


def _admitting(
    conditions: Sequence[Condition], name: str, known: Known
) -> Callable[[Fraction], bool]:
    def admits(x: Fraction) -> bool:
        numbers = _numbers({**known, name: _rational(x)})
        try:
            return all(holds(one, numbers) for one in conditions)
        except (FedboundsError, ArithmeticError):
            return False  # where it divides by 0, say

    return admits


def _numbers(known: Known) -> Numbers:
    return Numbers(known, {}, lambda p, q: fmpq(p, q))


def _rational(x: Fraction) -> fmpq:
    return fmpq(x.numerator, x.denominator)
