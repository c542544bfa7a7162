"""Certified Polyak-Lojasiewicz constants of phi(t) = sum_i a_i [(t - c_i)^2 + 3 sin^2(t - c_i)].

Ball arithmetic; every number is an enclosure. On an inner interval that holds a root of phi',
phi'' >= k > 0: there phi'^2 >= 2k (phi - min), and min >= phi(t) - phi'(t)^2 / (2k) at any t of it.
On cells that cover the rest of |t - c| <= 8, c the weighted mean of the c_i, phi' has the sign that
leads back, and the cell's constant is its least phi'^2 over twice its largest phi - min. Beyond,
with A = sum a_i and s the weighted variance of the c_i, |phi'| >= A (2|t - c| - 3) and
phi <= A (|t - c|^2 + s + 3), phi >= 0; the quotient grows with |t - c|. The least of the three is
the constant. With one client the exact value is near 0.175; 1/32 is the one often quoted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from flint import arb, fmpq

from .linear import rational

_REACH = 8  # of the cells, in t - c
_CELLS = 2048
_INNER = (96, 48, 24, 12)  # cells in half an inner interval, tried in turn


@dataclass(frozen=True)
class Certificate:
    """What is proved of phi.

    Attributes
    ----------
    constant : rational or None
        phi'^2 >= 2 constant (phi - min) everywhere; None if no positive one was found.
    floor : rational
        A lower bound of min phi.
    stray : bool
        Whether phi has another stationary point, above its minimum: there is no constant.
    """

    constant: fmpq | None
    floor: fmpq
    stray: bool


Terms = list[tuple[fmpq, fmpq]]  # (a_i, c_i), a_i > 0


def certify(weights: Sequence[Any], centres: Sequence[Any]) -> Certificate:
    """The certificate of sum_i a_i phi(t - c_i), floats taken as rationals, a_i >= 0."""
    pairs = zip(weights, centres, strict=True)
    terms = [(rational(a), rational(c)) for a, c in pairs if a != 0]
    total = sum((a for a, _ in terms), fmpq(0))
    mean = sum((a * c for a, c in terms), fmpq(0)) / total
    variance = sum((a * (c - mean) ** 2 for a, c in terms), fmpq(0)) / total
    tail = total * (2 * _REACH - 3) ** 2 / (2 * (_REACH**2 + variance + 3))
    edges = [mean - _REACH + fmpq(2 * _REACH * k, _CELLS) for k in range(_CELLS + 1)]
    cells = [arb(a).union(arb(b)) for a, b in pairwise(edges)]
    slopes = [_slope(terms, cell) for cell in cells]
    tops = [_upper(_value(terms, cell)) for cell in cells]
    lowest = _lowest(terms, mean)
    middle = min(range(_CELLS), key=lambda k: abs(edges[k] - lowest))
    best = Certificate(None, fmpq(0), False)
    for half in _INNER:
        inner = range(middle - half, middle + half)
        if inner.start <= 0 or inner.stop >= _CELLS:
            continue
        falls = all(slope < 0 for slope in slopes[: inner.start])
        rises = all(slope > 0 for slope in slopes[inner.stop :])
        bend = min(_lower(_bend(terms, cells[k])) for k in inner)
        if not (falls and rises and bend > 0):
            continue
        here = arb(lowest)
        below = _square(_slope(terms, here)) / (2 * arb(bend))
        floor = max(fmpq(0), _lower(_value(terms, here) - below))
        outside = [*range(inner.start), *range(inner.stop, _CELLS)]
        steep = (
            _lower(abs(slopes[k])) ** 2 / (2 * (tops[k] - floor))
            for k in outside
            if tops[k] > floor
        )
        least = min(bend, tail, *steep)
        if best.constant is None or least > best.constant:
            best = Certificate(least, floor, False)
    return best if best.constant is not None else Certificate(None, fmpq(0), _stray(terms, mean))


def _lowest(terms: Terms, mean: fmpq) -> fmpq:
    """Near the lowest point, by a grid and Newton's method in floats; nothing rests on it."""
    a, c = (np.array([float(x) for x in numbers]) for numbers in zip(*terms, strict=True))
    grid = float(mean) + np.linspace(-8.0, 8.0, 2049)
    moved = grid[:, None] - c
    t = float(grid[np.argmin((moved**2 + 3 * np.sin(moved) ** 2) @ a)])
    for _ in range(20):
        bend = float(a @ (2 + 6 * np.cos(2 * (t - c))))
        step = float(a @ (2 * (t - c) + 3 * np.sin(2 * (t - c)))) / bend if bend > 0 else 0.0
        t -= max(-0.1, min(0.1, step))
    return rational(t)


def _stray(terms: Terms, mean: fmpq) -> bool:
    """Whether phi' certainly falls through 0 somewhere: a local maximum."""
    rising = False
    for k in range(-_REACH * 32, _REACH * 32 + 1):
        at = mean + fmpq(k, 32)
        slope = _slope(terms, arb(at))
        if rising and slope < 0:
            return True
        rising = rising or bool(slope > 0)
    return False


def _value(terms: Terms, t: arb) -> arb:
    moved = [(arb(a), t - arb(c)) for a, c in terms]
    return sum((a * (_square(x) + 3 * _square(x.sin())) for a, x in moved), arb(0))


def _slope(terms: Terms, t: arb) -> arb:
    moved = [(arb(a), t - arb(c)) for a, c in terms]
    return sum((a * (2 * x + 3 * (2 * x).sin()) for a, x in moved), arb(0))


def _bend(terms: Terms, t: arb) -> arb:
    return sum((arb(a) * (2 + 6 * (2 * (t - arb(c))).cos()) for a, c in terms), arb(0))


def _square(x: arb) -> arb:
    return x * x  # `x**2` is undefined where x may be 0


def _lower(x: arb) -> fmpq:
    return _dyadic(x.lower())


def _upper(x: arb) -> fmpq:
    return _dyadic(x.upper())


def _dyadic(x: arb) -> fmpq:
    """The number that an exact ball is."""
    mantissa, exponent = x.man_exp()
    power = int(exponent)
    return fmpq(int(mantissa) << max(power, 0), 1 << max(-power, 0))
