"""Where second moments settle, and how fast, in balls: solved for in floats, then proved.

With L(X) = E A X A' for the random matrix A of a round, second moments about the mean tend to the
solution C of C = L(C) + Q. Of a float solution S with residual R, |R| <= r I, and any X > 0 with
X - L(X) >= I: -r X <= S - C <= r X, since L keeps matrices semidefinite and (1 - L)^-1 = 1 + L +
L^2 + ... converges. The floats prove nothing; what is shown is shown in balls.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
import sympy as sp
from flint import arb, arb_mat, fmpq

from .balls import precise
from .beginnings import beginning
from .folded import unroll_folded
from .round_maps import Form, Pair, forms_of
from .round_matrices import Matrix, RoundMatrices, read_off
from .spaces import Unrolled
from .spaces import product as mean_product
from .subject import Subject
from .unknowns import Refused
from .unrolled import unrolled_space

Array = Any
_SQUARINGS = 40  # of the mean's matrix: a power whose root tells its factor to 12 digits
_FINEST = 2.0**-30  # relative width of an enclosure of a factor
_COARSEST = 0.5


@dataclass(frozen=True, eq=False)
class BallLimit:
    """Moments of the limit.

    Attributes
    ----------
    mean : sequence of balls
        Of x.
    squares : arb_mat, shape (N, N)
        About the mean, as solved for.
    wide : sequence of balls
        Entry (i, j) is off by wide[i] wide[j] at most.
    """

    mean: Sequence[arb]
    squares: arb_mat
    wide: Sequence[arb]

    def __call__(self, form: Form) -> arb:
        """What a linear function of the moments of (1, x) tends to."""
        with precise():
            return sum((self._moment(pair) * x for pair, x in form.items()), arb(0))

    def _moment(self, pair: Pair) -> arb:
        i, j = (at - 1 for at in pair)
        if j < 0:
            return arb(1)
        if i < 0:
            return self.mean[j]
        about = self.squares[i, j] + arb(0, self.wide[i] * self.wide[j])
        return self.mean[i] * self.mean[j] + about


def settling(subject: Subject) -> "Settling":
    """Rounds of a subject.

    Raises
    ------
    Refused
        If rounds differ, or the round has not the form of `round_matrices`.
    """
    if subject.changing:
        raise Refused(f"{', '.join(subject.changing)} changes from round to round: no common limit")
    trace = unroll_folded(subject, beginning(subject).shapes)
    with precise():
        return Settling(read_off(trace), unrolled_space(subject, trace))


@dataclass(frozen=True, eq=False)
class Settling:
    """Rounds of one set of matrices, and the vectors of one of them."""

    rounds: RoundMatrices
    space: Unrolled

    def __call__(self, node: sp.Expr, values: Mapping[str, Any]) -> arb:
        """What sq(x) or ip(x, y) of a round's start tends to.

        Raises
        ------
        Refused
            If it is no such number, or moments are not shown to settle.
        """
        forms = forms_of(self.space.variables, mean_product(node, self.space, values))
        return self.limit(forms.get((), {}))

    @cached_property
    def limit(self) -> BallLimit:
        """Where moments settle, whatever the start.

        Raises
        ------
        Refused
            If it is not shown that they do.
        """
        with precise():
            return self._limit()

    def _limit(self) -> BallLimit:
        size, second = self.rounds.size, self._second
        one = _identity(size)
        try:
            mean = (one - self._mean).solve(_columns(self.rounds.mean, size, range(1)))
        except ZeroDivisionError as error:
            raise Refused("first moments are not shown to settle") from error
        point = arb_mat([[1], *([mean[i, 0]] for i in range(size))])
        shift = second.shift(point) + self.rounds.noise
        solve = second.solver(1.0)
        if solve is None:
            raise Refused("second moments are not shown to settle")
        squares, bound = _balls(solve(_middles(shift))), solve(np.eye(size))
        if not second.below(arb(1), bound):
            raise Refused("no round is shown to contract second moments")
        # what rounding has left of a first solution is solved for again
        squares += _balls(solve(_middles(second.image(squares) + shift - squares)))
        rest = second.image(squares) + shift - squares
        # X - L(X) is at least I/2, as `below` has shown
        radius = 2 * _norm(rest)
        wide = [(radius * arb(float(bound[i, i]))).sqrt().upper() for i in range(size)]
        return BallLimit([mean[i, 0] for i in range(size)], squares, wide)

    @cached_property
    def pace(self) -> arb:
        """The factor per round at which first and second moments approach their limit.

        Raises
        ------
        Refused
            If it is not enclosed.
        """
        with precise():
            first = _factor(self._mean)
            low = float(first.lower())
            solve = self._second.solver(low) if low > 0 else None
            if solve is not None and self._second.below(arb(low), solve(np.eye(self.rounds.size))):
                return first
            return first.max(self._second.factor())

    @cached_property
    def _mean(self) -> arb_mat:
        return _columns(self.rounds.mean, self.rounds.size, range(1, self.rounds.size + 1))

    @cached_property
    def _second(self) -> "_Second":
        return _Second(self.rounds)


class _Second:
    """L, of second moments about a fixed mean: a sum of weighted B X C' + C X B'."""

    def __init__(self, rounds: RoundMatrices) -> None:
        self.size = rounds.size
        common, pairs = rounds.spread
        every = [(rounds.total, rounds.total, common)]
        every += [(rounds.parts[a], rounds.parts[b], x) for a, b, x in pairs]
        self._moving = [
            _Term.of(left, right, weight, self.size)
            for left, right, weight in every
            if weight and left and right
        ]
        mean = [_Term.of(rounds.mean, rounds.mean, fmpq(1), self.size)] if rounds.mean else []
        self._terms = mean + self._moving

    def image(self, x: arb_mat) -> arb_mat:
        """L(X)."""
        total, bordered = arb_mat(self.size, self.size), arb_mat(self.size + 1, self.size + 1)
        for i, row in enumerate(x.table(), 1):
            for j, value in enumerate(row, 1):
                bordered[i, j] = value
        for term in self._terms:
            term.image(total, bordered)
        return total

    def shift(self, point: arb_mat) -> arb_mat:
        """What draws add to second moments about the mean, at the mean."""
        total = arb_mat(self.size, self.size)
        for term in self._moving:  # the mean itself is no deviation from it
            term.shift(total, point)
        return total

    @cached_property
    def floats(self) -> Array:
        """The matrix of L on upper triangles of symmetric matrices."""
        rows, columns = np.triu_indices(self.size)
        total = np.zeros((len(rows), len(rows)))
        place = np.zeros((self.size, self.size), dtype=int)
        place[rows, columns] = np.arange(len(rows))
        for term in self._terms:
            to, own, values = term.packed
            total[np.ix_(place[to], place[own])] += values
        return total

    def solver(self, factor: float) -> Callable[[Array], Array] | None:
        """Symmetric floats S with about factor S - L(S) = side; None where there are none."""
        from scipy.linalg import LinAlgWarning, lu_factor, lu_solve

        upper, size = np.triu_indices(self.size), self.size
        with catch_warnings():
            simplefilter("error", LinAlgWarning)
            try:
                made = lu_factor(np.eye(len(upper[0])) * factor - self.floats)
            except (LinAlgWarning, ValueError):  # it is singular, or not finite
                return None

        def solve(side: Array) -> Array:
            found = np.zeros((size, size))
            found[upper] = lu_solve(made, side[upper])
            found[upper[::-1]] = found[upper]
            return found

        return solve

    def below(self, factor: arb, x: Array) -> bool:
        """Whether X shows that the factor of L is below: X > 0, factor X - L(X) >= I/2."""
        own = _balls(x)
        rest = own * factor - self.image(own) - _identity(self.size)
        return bool(_norm(rest) <= 0.5) and definite(own)

    def factor(self) -> arb:
        """The largest eigenvalue of L, one X from above and one from below.

        Raises
        ------
        Refused
            If none is found.
        """
        guess, width = float(abs(np.linalg.eigvals(self.floats)).max()), _FINEST
        while width < _COARSEST:
            low, high = guess * (1 - width), guess * (1 + width) + 2.0**-60
            solve = self.solver(high)
            found = None if solve is None else solve(np.eye(self.size))
            if found is not None and self.below(arb(high), found):
                own = _balls(found)
                if low <= 0 or definite(self.image(own) - own * arb(low)):
                    return arb(max(low, 0.0)).union(arb(high))
            width *= 64
        raise Refused("the factor of a round could not be enclosed")


@dataclass(frozen=True, eq=False)
class _Term:
    """weight (B X C' + C X B'), or weight B X B' if both are the same one.

    Attributes
    ----------
    left, right : arb_mat
        Rows of B and C that are not zero, the constant's column first.
    to : tuple of lists of int
        Which these are.
    own : list of int
        Columns that are not zero, the constant's apart.
    """

    left: arb_mat
    right: arb_mat
    to: tuple[list[int], list[int]]
    own: list[int]
    weight: arb
    alike: bool

    @classmethod
    def of(cls, left: Matrix, right: Matrix, weight: fmpq, size: int) -> "_Term":
        """Of sparse matrices."""
        to = sorted(left), sorted(right)
        own = sorted({j for side in (left, right) for row in side.values() for j in row if j})
        first, second = (
            arb_mat([[side[i].get(j, 0) for j in range(size + 1)] for i in rows])
            for side, rows in zip((left, right), to, strict=True)
        )
        return cls(first, second, to, own, arb(weight), left is right)

    def image(self, total: arb_mat, x: arb_mat) -> None:
        """Add that of second moments of (1, x), those with the constant 0."""
        self._add(total, self.left * x * self.right.transpose())

    def shift(self, total: arb_mat, point: arb_mat) -> None:
        """Add that of the outer product of (1, x) with itself."""
        self._add(total, (self.left * point) * (self.right * point).transpose())

    def _add(self, total: arb_mat, block: arb_mat) -> None:
        for (a, i), (b, j) in product(*map(enumerate, self.to)):
            value = block[a, b] * self.weight
            total[i, j] += value
            if not self.alike:
                total[j, i] += value

    @property
    def packed(self) -> tuple[tuple[Array, Array], tuple[Array, Array], Array]:
        """Entries of upper triangles that it makes, those that it is made of, and the factors."""
        rows = np.array(sorted({*self.to[0], *self.to[1]}))
        columns = np.array(self.own, dtype=int) - 1
        sides = []
        for side, to in ((self.left, self.to[0]), (self.right, self.to[1])):
            own = np.zeros((len(rows), len(columns)))
            own[np.searchsorted(rows, to)] = _middles(side)[:, self.own]
            sides.append(own)
        p, q = sides
        r, c = np.triu_indices(len(rows))
        i, j = np.triu_indices(len(columns))
        values = p[r][:, i] * q[c][:, j]
        twice = p[r][:, j] * q[c][:, i]
        if not self.alike:
            values = values + q[r][:, i] * p[c][:, j]
            twice = twice + q[r][:, j] * p[c][:, i]
        values += np.where(i == j, 0.0, twice)
        weight = float(self.weight)
        return (rows[r], rows[c]), (columns[i], columns[j]), values * weight


def definite(matrix: arb_mat) -> bool:
    """Whether a symmetric matrix is surely positive definite: M - s I/2 = G G', nearly."""
    middle = _middles(matrix)
    least = float(np.linalg.eigvalsh(middle).min())
    if not least > 0:
        return False
    half = least / 2
    try:
        root = _balls(np.linalg.cholesky(middle - half * np.eye(len(middle))))
    except np.linalg.LinAlgError:
        return False
    rest = matrix - _identity(len(middle)) * arb(half) - root * root.transpose()
    return bool(_norm(rest) < half)


def _factor(matrix: arb_mat) -> arb:
    """The largest size of an eigenvalue, between roots of a trace and of a norm of a high power."""
    power = matrix
    for _ in range(_SQUARINGS):
        power = power * power
    trace = abs(sum((power[i, i] for i in range(power.nrows())), arb(0))) / power.nrows()
    norm, exponent = _norm(power), arb(2) ** -_SQUARINGS
    if norm.is_zero():
        return arb(0)
    if not bool(norm > 0):
        raise Refused("the factor of a round of means is not told from 0")
    low = (trace.log() * exponent).exp() if bool(trace > 0) else arb(0)
    return low.union((norm.log() * exponent).exp())


def _columns(matrix: Matrix, size: int, columns: range) -> arb_mat:
    return arb_mat([[arb(matrix.get(i, {}).get(j, 0)) for j in columns] for i in range(size)])


def _identity(size: int) -> arb_mat:
    return arb_mat([[int(i == j) for j in range(size)] for i in range(size)])


def _balls(matrix: Array) -> arb_mat:
    return arb_mat(matrix.tolist())


def _middles(matrix: arb_mat) -> Array:
    return np.array([[float(x.mid()) for x in row] for row in matrix.table()])


def _norm(matrix: arb_mat) -> arb:
    """The Frobenius norm, from above: at least the largest eigenvalue of a symmetric matrix."""
    squares: arb = sum((x * x for x in matrix.entries()), arb(0))
    return arb(squares.upper()).sqrt().upper()
