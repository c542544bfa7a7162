"""Choices of parameters: what is said of rates is judged on them."""

from collections.abc import Iterator
from fractions import Fraction
from random import Random

from fedbounds.theory.language.choices import Choice, PlannedChoice

_EACH, _QUICK = 120, 60


def _planned() -> Iterator[PlannedChoice]:
    """Numbers of clients from 1 to 80; the first rate eta K lambda/(2|S|) up to 1."""
    for number in range(_EACH):
        random = Random(f"overparam {number}")
        n = random.choice((1, 2, 3, 10, 20, 40, 80))
        fewer, more = sorted((random.randint(1, n), random.randint(1, n)))
        steps, least = random.choice((1, 5, 10, 15)), random.choice((1, Fraction(1, 10), 4))
        largest = Fraction(2 * fewer) / (steps * least)
        found = {
            **{"n": n, "K": steps, "S_least": fewer, "S_other": more, "P_min": least, "lam": least},
            "eta": largest / random.choice((1, 2, 10, 100)),
        }
        given = tuple((name, str(value)) for name, value in found.items())
        yield PlannedChoice(f"rates {number}", Choice("overparam", given), number < _QUICK)


PLANNED = tuple(_planned())
