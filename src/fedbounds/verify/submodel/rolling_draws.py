"""Draws without replacement: every set of m of n given vectors."""

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from fedbounds.errors import require

from ..case import Found, find
from ..conditions import raise_precision
from .frame import rational_row, squares

Array = Any
MOST_SETS = 5_000


@dataclass(frozen=True, eq=False)
class Draws:
    """m of n vectors, drawn uniformly without replacement.

    Attributes
    ----------
    vectors : array of rationals, shape (n, d)
    taken : int
        m, between 1 and n.
    failure : rational in (0, 1]
        delta.
    """

    vectors: Array
    taken: int
    failure: Any

    def __post_init__(self) -> None:
        n = len(self.vectors)
        require(1 <= self.taken <= n, "vectors drawn m", self.taken, f"between 1 and n = {n}")
        require(0 < self.failure <= 1, "delta", self.failure, "in (0, 1]")
        sets = comb(n, self.taken)
        require(sets <= MOST_SETS, "sets of vectors", sets, f"at most {MOST_SETS} to list them")


@find.register
def _find(setup: Draws) -> Found:
    n, m = len(setup.vectors), setup.taken
    apart = setup.vectors - setup.vectors.sum(axis=0) / fmpq(n)
    sizes = squares(apart)
    # the first m of a uniform permutation are a uniform set
    chosen = np.array(list(combinations(range(n), m)))
    sums = squares(apart[chosen].sum(axis=1))
    count = fmpq(len(chosen))
    outside = sum(1 for each in sums if exceeds(each / m**2, max(sizes), m, n, setup.failure))
    return Found(
        family="vectors drawn without replacement, every set",
        parameters={
            "n": n,
            "m": m,
            "T": 1,
            "nu_v2": sizes.sum() / fmpq(n),
            "delta_p": setup.failure,
        },
        series={
            "Dr_2": rational_row([sums.sum() / count]),
            "P_out": rational_row([outside / count]),
        },
    )


def exceeds(square: fmpq, largest: fmpq, m: int, n: int, failure: Any) -> bool:
    """Whether a squared deviation of the mean is above c^2 8 (1 - (m-1)/n) ln(2/delta) / m.

    The logarithm of a rational other than 1 is irrational, so that balls decide.
    """
    if largest == 0:
        return False
    ratio = square * m / (8 * largest * (1 - fmpq(m - 1, n)))
    before = ctx.prec
    try:
        while True:
            apart = arb(ratio) - arb(2 / fmpq(failure)).log()
            if apart > 0 or apart < 0 or not raise_precision():
                assert apart > 0 or apart < 0
                return bool(apart > 0)
    finally:
        ctx.prec = before
