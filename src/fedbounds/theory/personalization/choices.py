"""Choices of parameters on which claims about a bound, or a sum, are judged: nothing is run."""

from collections.abc import Iterator
from fractions import Fraction
from random import Random

from fedbounds.theory.language.choices import Choice, PlannedChoice
from fedbounds.theory.language.setups import Number

_STEPS, _QUICK_STEPS = 24, 12  # local steps K of the geometric sums
_CLIENTS = ((1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3), (10, 1), (10, 5), (10, 9), (100, 1))
_EACH, _QUICK_EACH = 20, 5


def _planned() -> Iterator[PlannedChoice]:
    """Every (K, j) with j <= K up to a size; and all constants, whatever they may be."""
    for steps in range(1, _STEPS + 1):
        for done in range(1, steps + 1):
            yield _named({"K": steps, "j": done}, steps <= _QUICK_STEPS)
    for n, m in _CLIENTS:
        for number in range(_EACH):
            yield _named(_drawn(n, m, number), number < _QUICK_EACH)


def _named(values: dict[str, Number], quick: bool) -> PlannedChoice:
    told = ", ".join(f"{name}={value}" for name, value in values.items())
    choice = Choice("personalization", tuple(values.items()))
    return PlannedChoice(f"parameters {told}", choice, quick)


def _drawn(n: int, m: int, number: int) -> dict[str, Number]:
    """In turn, one alone of b^2 and the variances is not zero, or all: the corners of a bound."""
    random = Random(f"{number} {n} {m}")
    found: dict[str, Number] = {"n": n, "m": m, "K": random.randint(1, 24)}
    found |= {"T": random.randint(1, 9) * 10 ** random.randint(0, 5)}
    found |= {"L": _size(random), "F_0": _size(random)}
    corners = ("sigma_v^2", "b^2", "sigma_u^2")
    alone = number % (len(corners) + 1)
    there = [alone in (at, len(corners)) for at in range(len(corners))]
    return found | {x: _size(random) if y else 0 for x, y in zip(corners, there, strict=True)}


def _size(random: Random) -> str:
    """Between 1/1000 and 1000."""
    return str(Fraction(random.randint(1, 10)) * Fraction(10) ** random.randint(-3, 2))


PLANNED = tuple(_planned())
