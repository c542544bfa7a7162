"""Choices of parameters and constants: what is said of bounds and of bytes is judged on them.

mu is at most L, c and c_h are squares of short fractions, and gamma is 1, a half, or the share
K_g/K that clients have who are alike.
"""

from collections.abc import Iterator
from fractions import Fraction
from random import Random

from fedbounds.theory.language.choices import Choice, PlannedChoice
from fedbounds.theory.language.setups import Number

_EACH, _QUICK, _LOGITS = 240, 120, 40


def _drawn(number: int) -> dict[str, Number]:
    """In turn, one alone of sigma_h^2, Delta and sigma^2 is not zero, or all, or none."""
    random = Random(f"meerkat {number}")
    n = random.choice((1, 2, 5, 10, 20))
    stopped = random.choice((0, n // 2, n - 1))
    u, c = random.choice((1, 2, 10, 100)), _square(random)
    density, c_h = Fraction(1, random.choice((1, 2, 10, 1000))), _square(random)
    L = Fraction(random.choice(("1/10", "9/10", "10")))  # mu is never 1
    corners = ("sigma_h", "Delta", "sigma^2")
    alone = number % (len(corners) + 2)
    there = {x: alone in (at, len(corners)) for at, x in enumerate(corners)}
    found: dict[str, Number | Fraction] = {
        **{"n": n, "K_b": stopped, "K_g": n - stopped},
        **{"K": random.choice((1, 2, 5, 10, 100)), "T": random.choice((1, 10, 1000, 10**5))},
        **{"u_m": u, "u_2": u * random.choice((1, 2, 10)), "c_m": c},
        **{"u_ratio": density, "u_ratio2": min(Fraction(1), density * random.choice((1, 2, 5)))},
        **{"c_m2": min(Fraction(1), c * random.choice((1, 2, 8)))},
        **{"c_h": c_h, "c_h2": c_h + (1 - c_h) * Fraction(random.randint(0, 2), 4)},
        **{"L": L, "mu_PL": L * Fraction(random.choice(("1", "1/2", "1/100")))},
        **{"gamma_g": random.choice((Fraction(1), Fraction(1, 2), Fraction(n - stopped, n)))},
        **{"F_0": random.choice((1, 100)), "eta": Fraction(1, 10 ** random.randint(0, 4))},
        **{"d_all": random.choice((10**4, 10**6, 10**9))},
        **{"bytes_value": random.choice((2, 4)), "bytes_seed": random.choice((4, 8))},
        **{x: random.randint(1, 9) * there[x] for x in corners},
    }
    return {name: str(value) for name, value in found.items()}


def _square(random: Random) -> Fraction:
    """Between 1/100 and 81/100."""
    return Fraction(random.randint(1, 9), 10) ** 2


def _of_logits(number: int) -> dict[str, Number]:
    """Of three classes, and of two samples of two classes."""
    random = Random(f"softmax {number}")
    close = Fraction(1, random.choice((2, 5, 50)))  # how sure the model is at most
    found: dict[str, Fraction] = {
        **{f"exp_h{j}": Fraction(random.randint(1, 9)) for j in (1, 2, 3)},
        **{f"delta_p{i}": close * Fraction(random.randint(1, 5), 5) for i in (1, 2)},
        **{f"J_{i}{j}": Fraction(random.randint(0, 4)) for i in (1, 2) for j in (1, 2)},
        **{f"{name}_{j}": Fraction(random.randint(0, 4)) for name in ("J", "Jp") for j in (1, 2)},
    }
    return {name: str(value) for name, value in found.items()}


def _planned() -> Iterator[PlannedChoice]:
    for number in range(_EACH):
        choice = Choice("meerkat", tuple(_drawn(number).items()))
        yield PlannedChoice(f"parameters {number}", choice, number < _QUICK)
    for number in range(_LOGITS):
        choice = Choice("meerkat", tuple(_of_logits(number).items()))
        yield PlannedChoice(f"logits {number}", choice, quick=True)


PLANNED = tuple(_planned())
