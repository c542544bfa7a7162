"""A round as few matrices, in balls: read off one exact trace in which noise is folded.

With s who takes part, or another law of degree one, and e noise, a round is
x+ = sum_a s_a B_a (1, x) + sum_a s_a D_a e, where s_0 = 1; the polynomials show that it is, and
give the rational entries of B_a and D_a, which become balls once. Second moments after a round
need E s_a s_b and the variances of e besides.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any

from flint import arb, arb_mat, fmpq

from fedbounds.problems.linear import rational

from .folded import Folded
from .round_maps import Pair, flat
from .unknowns import Refused, Unknown
from .unrolled import Unrolling

Row = dict[int, fmpq]  # entries of a row, by column
Matrix = dict[int, Row]  # by row


@dataclass(frozen=True, eq=False)
class RoundMatrices:
    """A round, from E (1, x) and E x x' to those after it.

    Attributes
    ----------
    size : int
        N, entries of x.
    absent : Matrix
        B_0: of (1, x), the constant first.
    parts : tuple of Matrix
        B_a of the law's entries that occur.
    means : tuple of rationals
        E s_a.
    second : mapping from pair to rational
        E s_a s_b, a <= b, of numbers of parts.
    noise : arb_mat, shape (N, N)
        What noise adds to E x x'.
    """

    size: int
    absent: Matrix
    parts: tuple[Matrix, ...]
    means: tuple[fmpq, ...]
    second: Mapping[Pair, fmpq]
    noise: arb_mat

    @cached_property
    def mean(self) -> Matrix:
        """E sum_a s_a B_a."""
        found = {i: dict(row) for i, row in self.absent.items()}
        for part, weight in zip(self.parts, self.means, strict=True):
            _add(found, part, weight)
        return found

    @cached_property
    def total(self) -> Matrix:
        """Sum_a B_a."""
        found: Matrix = {}
        for part in self.parts:
            _add(found, part, fmpq(1))
        return found

    @cached_property
    def spread(self) -> tuple[fmpq, list[tuple[int, int, fmpq]]]:
        """Covariances of s: what all pairs have, and what some have besides, a <= b."""
        own = {
            (a, b): weight - self.means[a] * self.means[b] for (a, b), weight in self.second.items()
        }
        common = own.get((0, 1), fmpq(0))
        return common, [(a, b, x - common) for (a, b), x in own.items() if x != common]


def read_off(trace: Unrolling) -> RoundMatrices:
    """The matrices of a round.

    Raises
    ------
    Refused
        If rounds differ, draws are listed, or the round has not the form.
    """
    named = trace.variables
    if trace.asked_round:
        raise Refused("the step depends on the round: its rounds have no common limit")
    if not isinstance(named, Folded):
        raise TypeError("its noise is not folded")
    rows = [_Split.of(named, value) for value in flat(trace.after)]
    used = sorted({a for row in rows for a in (*row.parts, *(a for a, _ in row.noise)) if a})
    place = {a: at for at, a in enumerate(used)}
    absent: Matrix = {i: row.parts[0] for i, row in enumerate(rows) if 0 in row.parts}
    parts = tuple({i: row.parts[a] for i, row in enumerate(rows) if a in row.parts} for a in used)
    means = tuple(_expected(named, (a,)) for a in used)
    second = {
        (place[a], place[b]): _expected(named, (a, b))
        for a, b in combinations_with_replacement(used, 2)
    }
    weights: dict[tuple[int, ...], fmpq] = {(): fmpq(1)} | {
        (a,): x for a, x in zip(used, means, strict=True)
    }
    weights |= {(used[a], used[b]): x for (a, b), x in second.items()}
    noise = _noise(named, [row.noise for row in rows], weights)
    return RoundMatrices(len(rows), absent, parts, means, second, noise)


@dataclass(frozen=True, eq=False)
class _Split:
    """An entry of the next state.

    Attributes
    ----------
    parts : mapping from unknown of the law, or 0 for none, to row
        What stands beside it, of (1, x).
    noise : mapping from (that, unknown of a client's noise) to row
        What stands beside both, of the unknowns of noise.
    """

    parts: Mapping[int, Row]
    noise: Mapping[tuple[int, int], Row]

    @classmethod
    def of(cls, named: Folded, value: Any) -> "_Split":
        """Of a polynomial.

        Raises
        ------
        Refused
            If it has another form.
        """
        if not isinstance(value, Unknown):
            number = rational(value)
            return cls({0: {0: number}} if number else {}, {})
        law = range(named.entries, named.ends)
        clients = [i for first, _ in named.folds for i in first]
        parts, noise = dict[int, Row](), dict[tuple[int, int], Row]()
        for a, own in _beside(value.polynomial, law).items():
            for y, inner in _beside(own, clients).items():
                row = _row(named, inner)
                allowed = range(named.entries + 1) if y == 0 else named.folds[_fold(named, y)][1]
                if any(at not in allowed for at in row):
                    raise Refused("the round is not affine in the state, the law and noise")
                if row and y == 0:
                    parts[a] = row
                elif row:
                    noise[a, y] = row
        return cls(parts, noise)


def _fold(named: Folded, y: int) -> int:
    return next(at for at, (first, _) in enumerate(named.folds) if y in first)


def _beside(polynomial: Any, unknowns: Sequence[int]) -> dict[int, Any]:
    """What stands beside each of some unknowns, of which it has degree one; 0: beside none."""
    degrees, found = polynomial.degrees(), {}
    gens = polynomial.context().gens()
    for at in unknowns:
        if degrees[at] > 1:
            raise Refused("the round has a square of a draw")
        if degrees[at] == 1:
            own = polynomial.derivative(at)
            beside = own.degrees()
            if any(beside[other] > 0 for other in unknowns):
                raise Refused("the round has a product of draws")
            found[at] = own
    for at, own in found.items():
        polynomial = polynomial - own * gens[at]
    return {0: polynomial, **found}


def _row(named: Folded, polynomial: Any) -> Row:
    """Factors of (1, x), or of unknowns of noise by their number."""
    terms = Unknown(polynomial).affine
    if terms is None:
        raise Refused("the round is not affine in the state")
    size, found = named.entries, Row()
    for monomial, x in terms.items():
        at = monomial[0] if monomial else -1
        found[at + 1 if at < size else at] = x
    return found


def _expected(named: Folded, own: Sequence[int]) -> fmpq:
    return named.expectation(tuple(sorted(own)))


def _noise(
    named: Folded,
    rows: Sequence[Mapping[tuple[int, int], Row]],
    weights: Mapping[tuple[int, ...], fmpq],
) -> arb_mat:
    """Of every client and its entries of noise: sum_ab E s_a s_b D_a D_b' times their variance."""
    found = arb_mat(len(rows), len(rows))
    for source, (first, rest) in zip(named.noises, named.folds, strict=True):
        variance = source.moment({0: 2})
        for y in first:
            own = {
                a: [i for i, row in enumerate(rows) if (a, y) in row] for a in _beside_of(rows, y)
            }
            dense = {
                a: arb_mat([[rows[i][a, y].get(e, 0) for e in rest] for i in at])
                for a, at in own.items()
            }
            for a, left in dense.items():
                for b, right in dense.items():
                    weight = arb(weights[tuple(sorted(x for x in (a, b) if x))] * variance)
                    _add_block(found, own[a], own[b], left * right.transpose(), weight)
    return found


def _beside_of(rows: Sequence[Mapping[tuple[int, int], Row]], y: int) -> list[int]:
    """Unknowns of the law that stand beside a client's noise; 0 for none."""
    return sorted({a for row in rows for a, other in row if other == y})


def _add_block(
    found: arb_mat, rows: Sequence[int], columns: Sequence[int], block: arb_mat, weight: arb
) -> None:
    for i, at in enumerate(rows):
        for j, other in enumerate(columns):
            found[at, other] += block[i, j] * weight


def _add(found: Matrix, more: Matrix, weight: fmpq) -> None:
    for i, row in more.items():
        own = found.setdefault(i, {})
        for j, factor in row.items():
            own[j] = own.get(j, fmpq(0)) + factor * weight
