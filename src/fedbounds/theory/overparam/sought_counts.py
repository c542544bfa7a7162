"""Counts of the set-ups that are searched, and signed numbers there."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product

from fedbounds.theory.language.sought import Counts, Seeking

_MOST_AT_RANDOM = 3  # rounds in which clients are drawn


def on_schedule(every: Iterable[Counts]) -> tuple[Counts, ...]:
    """With the least and the most clients of a round."""
    return _simplest(
        {**own, "S_least": least, "S_most": most}
        for own in every
        for least, most in product(range(1, int(own["n"]) + 1), repeat=2)
        if least == most or (least < most and int(own["T"]) > 1)
    )


def at_random(every: Iterable[Counts]) -> tuple[Counts, ...]:
    """With how many clients are drawn."""
    return _simplest(
        {**own, "m": m, "S_least": m, "S_most": m}
        for own in every
        for m in range(1, int(own["n"]) + 1)
        if int(own["T"]) <= _MOST_AT_RANDOM
    )


def _simplest(every: Iterator[Counts]) -> tuple[Counts, ...]:
    def work(own: Counts) -> tuple[int, ...]:
        steps = int(own["n"]) * int(own["K"]) * int(own["T"])
        return int(own.get("depth", 1)), steps, int(own["n"])

    return tuple(sorted(every, key=work))


def signed(seek: Seeking, least: str, most: int) -> Fraction:
    """0 or 1 at first."""
    return seek.choice((0, 1, -1)) * seek.size(least, most)
