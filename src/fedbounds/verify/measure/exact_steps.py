"""Second moments of a state, and of what a step carries, in rationals: step by step in matrices."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

from flint import fmpq, fmpz, fmpz_mat

from fedbounds.errors import FedboundsError

from .beginnings import Beginning
from .over_one import Whole
from .round_maps import Line, Pair, pairs
from .step_maps import StepMap, step_maps
from .unrolled import Unrolling

MOST_PRODUCTS = 2_000_000_000  # of whole numbers, over all rounds
_QUICK = 50  # of them take as long as one of rationals, one by one


class TooMuchError(FedboundsError):
    """A moment takes more work than is done for a run."""


@dataclass(frozen=True, eq=False)
class Matrix:
    """E (1, x)(1, x)' over one denominator."""

    above: fmpz_mat
    below: fmpz

    def __getitem__(self, pair: tuple[int, int]) -> fmpq:
        return fmpq(self.above[pair], self.below)


def matrix_of(rows: Sequence[Sequence[fmpq]]) -> Matrix:
    """Of its entries."""
    below = _common([x for row in rows for x in row])
    return Matrix(fmpz_mat([[x.p * (below // x.q) for x in row] for row in rows]), below)


@dataclass(frozen=True, eq=False)
class ExactMap:
    """A `StepMap` in whole numbers."""

    of: StepMap

    @property
    def products(self) -> int:
        """Of whole numbers, for U M U'."""
        count, before = len(self.of.rows), self.of.before
        return count * before * (before + count)

    @cached_property
    def _rows(self) -> tuple[Any, Any, fmpz]:
        """U and its transpose over one denominator."""
        below = _common([x for line in self.of.rows for x in line.values()])
        table = [_whole(line, self.of.before, below) for line in self.of.rows]
        rows = fmpz_mat(table)
        return rows, rows.transpose(), below

    @cached_property
    def _terms(self) -> tuple[list[tuple[int, int, int, fmpz]], fmpz]:
        """Entries after, and which entry of U M U' is added how often to each."""
        below, count = _common(self.of.terms.values()), len(self.of.rows)
        found = [
            (i, j, u * count + v, weight.p * (below // weight.q))
            for (i, j, u, v), weight in self.of.terms.items()
        ]
        return found, below

    def __call__(self, before: Matrix) -> Matrix:
        """Moments after."""
        rows, turned, below = self._rows
        terms, denominator = self._terms
        entries = (rows * before.above * turned).entries()
        after = self.of.after
        total = [[fmpz(0)] * after for _ in range(after)]
        for i, j, at, weight in terms:
            total[i][j] += entries[at] * weight
        for i in range(after):
            for j in range(i):
                total[i][j] = total[j][i]
        common = before.below * below * below * denominator
        shared = reduce(fmpz.gcd, (x for i, row in enumerate(total) for x in row[i:]), common)
        return Matrix(fmpz_mat([[x // shared for x in row] for row in total]), common // shared)


class InSteps:
    """The moments of all rounds: of the state, and of what each of its steps carries.

    Parameters
    ----------
    first : Beginning
    traces : sequence of Unrolling
        Of rounds 0, ..., T - 1.
    most : int or None
        As of `moments.moments`.
    """

    def __init__(
        self, first: Beginning, traces: Sequence[Unrolling], most: int | None = None
    ) -> None:
        named = traces[0].variables
        self.pairs, self._size, self._most = pairs(named), named.entries, most
        different = {id(trace): trace for trace in traces}  # rounds that do not differ share one
        known = {key: tuple(map(ExactMap, step_maps(one))) for key, one in different.items()}
        self._maps = [known[id(trace)] for trace in traces]
        self._behind = [
            [stage.first - trace.variables.fresh for stage in trace.variables.stages]
            for trace in traces
        ]
        columns = range(self._size + 1)
        rows = [[first.moment((min(i, j), max(i, j))) for j in columns] for i in columns]
        self._known = {(0, 0): matrix_of(rows)}
        self._work, self._weighed = 0, 0

    def value(self, pair: Pair, at: int) -> fmpq:
        """A moment of round ``at``."""
        step, own = self._place(pair, at)
        return self._matrix(at, step)[own]

    def applied(self, form: Whole, at: int) -> fmpq:
        """A linear function of them; columns of what is carried follow those of the state."""
        totals: dict[int, fmpz] = {}
        matrices: dict[int, Matrix] = {}
        for pair, factor in form.above:
            step, own = self._place(pair, at)
            if step not in matrices:
                matrices[step], totals[step] = self._matrix(at, step), fmpz(0)
            totals[step] += matrices[step].above[own] * factor
        every = (fmpq(total, matrices[step].below) for step, total in totals.items())
        return sum(every, fmpq(0)) / form.below

    def _place(self, pair: Pair, at: int) -> tuple[int, Pair]:
        """After how many steps of a round a moment is known, and where in the matrix."""
        carried = pair[1] - self._size - 1
        if carried < 0:
            return 0, pair
        stage = bisect_right(self._behind[at], carried) - 1
        behind = self._behind[at][stage]
        i, j = (x if x <= self._size else x - behind for x in pair)
        return stage + 1, (i, j)

    def _matrix(self, at: int, step: int) -> Matrix:
        """Before round ``at``, or after so many of its steps."""
        asked = [(at, step)]
        while asked[-1] not in self._known:
            t, s = asked[-1]
            last = len(self._maps[t - 1]) - 1 if t else 0
            asked.append((t, s - 1) if s else (t - 1, last))
        while len(asked) > 1:
            back, own = self._maps[asked[-1][0]][asked[-1][1]], self._known[asked.pop()]
            self._count(back.products, at)
            self._known[asked[-1]] = back(own)
        return self._known[at, step]

    def _count(self, products: int, at: int) -> None:
        self._work += products
        self._weighed += products * max(1, at) // _QUICK
        if self._work > MOST_PRODUCTS:
            raise TooMuchError(f"more than {MOST_PRODUCTS} products within {at} rounds")
        if self._most is not None and self._weighed > self._most:
            raise TooMuchError(f"more than {self._most} products of rationals within {at} rounds")


def _whole(line: Line, columns: int, below: fmpz) -> list[fmpz]:
    found = [fmpz(0)] * columns
    for at, factor in line.items():
        found[at] = factor.p * (below // factor.q)
    return found


def _common(every: Any) -> fmpz:
    """The least common multiple of denominators."""
    return reduce(fmpz.lcm, {x.q for x in every}, fmpz(1))
