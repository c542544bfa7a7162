"""The sharpest rational for which something is proved: a counted search, each value on its own."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from math import ceil, floor

HALVINGS = 8  # of the interval between a proved value and one that is not
_DOUBLINGS = 6
Proves = Callable[[Fraction], bool]


@dataclass(frozen=True)
class Sharpest:
    """What the search found.

    Attributes
    ----------
    value : Fraction or None
        The sharpest value with a proof; None if the printed one has none.
    beyond : Fraction or None
        The nearest sharper value tried, without a proof; None if every value tried has one.
    tried : int
    """

    value: Fraction | None
    beyond: Fraction | None
    tried: int


def sharpest(proves: Proves, printed: Fraction, towards: int) -> Sharpest:
    """Search from the printed value towards 0 (-1), or up to 64 times it (1).

    Parameters
    ----------
    proves : function
        Whether a value is proved; a positive answer is taken for what it is, a negative one
        means only that no proof was found.
    """
    asked: dict[Fraction, bool] = {}

    def proved(value: Fraction) -> bool:
        if value not in asked:
            asked[value] = proves(value)
        return asked[value]

    if not proved(printed):
        return Sharpest(None, printed, len(asked))
    good, bad = printed, Fraction(0)
    if towards > 0:
        steps = (printed * 2**power for power in range(1, _DOUBLINGS + 1))
        bad = next((value for value in steps if not proved(value)), Fraction(0))
        good = max(value for value, found in asked.items() if found)
    if not bad and (towards > 0 or proved(bad)):
        return Sharpest(good if towards > 0 else bad, None, len(asked))
    for _ in range(HALVINGS):
        middle = (good + bad) / 2
        good, bad = (middle, bad) if proved(middle) else (good, middle)
    short = simplest(bad, good)
    if proved(short):
        good = short
    elif short != good:
        bad = short
    return Sharpest(good, bad, len(asked))


def simplest(beyond: Fraction, end: Fraction) -> Fraction:
    """The fraction of the smallest denominator between the two, ``end`` allowed.

    Examples
    --------
    >>> simplest(Fraction(21, 64), Fraction(3, 8)), simplest(Fraction(5, 2), Fraction(15, 8))
    (Fraction(1, 3), Fraction(2, 1))
    """
    if beyond < end:
        tried = (Fraction(floor(beyond * d) + 1, d) for d in count(1))
        return next(found for found in tried if found <= end)
    tried = (Fraction(ceil(beyond * d) - 1, d) for d in count(1))
    return next(found for found in tried if found >= end)
