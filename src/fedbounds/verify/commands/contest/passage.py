"""Rounds to eps: the first T at which the error, averaged over rounds 0, ..., T - 1, is below eps.

"Never within R rounds" is a value of its own, and so is a run that diverges.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

Array = Any


class Ending(StrEnum):
    """How a run ended."""

    REACHED = "reached"
    LIMIT = "limit"  # not within the rounds that were run
    DIVERGED = "diverged"


@dataclass(frozen=True)
class Passage:
    """Rounds to eps of one run.

    Attributes
    ----------
    ending : Ending
    rounds : int
        T where reached; otherwise how many rounds were run.
    """

    ending: Ending
    rounds: int

    @property
    def reached(self) -> int | None:
        """T, or None if it was not reached."""
        return self.rounds if self.ending is Ending.REACHED else None

    def __str__(self) -> str:
        match self.ending:
            case Ending.REACHED:
                return str(self.rounds)
            case Ending.LIMIT:
                return f"> {self.rounds}"
            case Ending.DIVERGED:
                return "diverged"


def passage(errors: Iterator[Array], eps: float, limit: int) -> Passage:
    """Rounds to eps of errors that come in blocks of rounds, ``limit`` at most."""
    total, done = 0.0, 0
    for block in errors:
        kept = block[: limit - done]
        means = (total + np.cumsum(kept)) / (done + 1 + np.arange(len(kept)))
        hit = np.flatnonzero(means <= eps)
        broken = np.flatnonzero(~np.isfinite(means))
        if hit.size and not (broken.size and broken[0] < hit[0]):
            return Passage(Ending.REACHED, done + int(hit[0]) + 1)
        if broken.size:
            return Passage(Ending.DIVERGED, done + int(broken[0]) + 1)
        total += float(kept.sum())
        done += len(kept)
        if done >= limit:
            break
    return Passage(Ending.LIMIT, done)
