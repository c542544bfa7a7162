"""Where second moments settle, and how fast: the fixed point of an affine map that contracts.

m+ = R m with m_00 = 1. Without that entry the map is m+ = S m + s; if some power of S has a norm
below one, decided in exact arithmetic, every start leads to the one solution of m = S m + s.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod

import numpy as np
from flint import acb_mat, arb, arb_mat, fmpq, fmpq_mat

from fedbounds.problems.linear import is_positive_definite, rational

from .beginnings import beginning
from .many_rounds import Rounds
from .moments import round_map
from .round_maps import ByParameter, Form, Pair, applied
from .subject import Subject
from .unknowns import Refused
from .unrolled import Unrolling, unroll

MOST_MOMENTS = 400  # unknowns of the linear system
_SQUARINGS = 24  # of S: powers up to 2^24
_FINEST = 2.0**-30  # relative width of an enclosure of a factor


@dataclass(frozen=True, eq=False)
class Limit:
    """Moments of the limit.

    Attributes
    ----------
    values : dict from pair to rational
    unrolled : Unrolling
        The round that leads there.
    power : int
        Of S, whose largest row sum is below one.
    """

    values: dict[Pair, fmpq]
    unrolled: Unrolling
    power: int

    def __call__(self, form: Form) -> fmpq:
        """What a linear function of the moments tends to."""
        return applied(form, self.values)


def limit(subject: Subject) -> Limit:
    """The limit of second moments, whatever the start.

    Raises
    ------
    Refused
        If rounds differ, the step is not affine, or a contraction is not shown.
    """
    trace = unroll(subject, beginning(subject).shapes, carries=True)
    if trace.asked_round:
        raise Refused("the step depends on the round: its rounds have no common limit")
    values, power = _settled(round_map(trace))
    return Limit(values, trace, power)


def limit_of(rounds: Rounds, forms: ByParameter) -> fmpq:
    """Where a linear function of the moments tends, whatever the start.

    Raises
    ------
    Refused
        If rounds differ, or a contraction is not shown.
    """
    return applied(forms.get((), {}), _settled_of(rounds))


@lru_cache(maxsize=8)  # several quantities are asked of the same rounds
def _settled_of(rounds: Rounds) -> dict[Pair, fmpq]:
    return _settled(_alike(rounds), rounds.start)[0]


def _alike(rounds: Rounds) -> dict[Pair, Form]:
    """What every round does."""
    if rounds.named.parameters:
        names = ", ".join(rounds.named.parameters)
        raise Refused(f"{names} changes from round to round: there is no common limit")
    return {pair: own.get((), {}) for pair, own in rounds.step.items()}


def pace_of(rounds: Rounds) -> arb:
    """The factor per round at which first and second moments approach their limit, in a ball.

    Second moments about a fixed mean are mapped as positive semidefinite matrices: that the map's
    largest eigenvalue is below rho is shown by a definite solution of rho Z - L(Z) = I.

    Raises
    ------
    Refused
        If rounds differ, or a factor is not enclosed.
    """
    step, size = _alike(rounds), rounds.named.entries
    squares = [pair for pair in step if pair[0]]
    mean = {
        (i, j): step[0, i].get((0, j), fmpq(0)) for i, j in product(range(1, size + 1), repeat=2)
    }
    turned = fmpq_mat(len(squares), len(squares), [
        mean[i, k] * mean[j, l] + (mean[i, l] * mean[j, k] if k != l else 0)
        for (i, j), (k, l) in product(squares, repeat=2)
    ])  # fmt: skip
    own = fmpq_mat(len(squares), len(squares), [
        step[pair].get(other, fmpq(0)) for pair, other in product(squares, repeat=2)
    ])  # fmt: skip
    low, high = _enclosed(turned, squares)  # of X -> A X A', the square of A's
    first, last = _enclosed(own, squares)
    return arb(low).sqrt().union(arb(high).sqrt()).max(arb(first).union(arb(last)))


def _enclosed(matrix: fmpq_mat, squares: list[Pair]) -> tuple[fmpq, fmpq]:
    """Bounds on the largest eigenvalue of a map that keeps matrices semidefinite."""
    floats = np.array([[float(x) for x in row] for row in matrix.table()])
    guess, width = float(abs(np.linalg.eigvals(floats)).max()), _FINEST
    while width < 0.5:
        low, high = rational(guess * (1 - width)), rational(guess * (1 + width) + 2.0**-60)
        if _below(matrix, squares, high) and (low <= 0 or not _below(matrix, squares, low)):
            return max(low, fmpq(0)), high
        width *= 64  # a multiple eigenvalue makes a coarse guess
    raise Refused("the factor of a round could not be enclosed")


def _below(matrix: fmpq_mat, squares: list[Pair], bound: fmpq) -> bool:
    """Whether bound Z - L(Z) = I has a definite solution."""
    own = fmpq_mat(len(squares), 1, [fmpq(int(i == j)) for i, j in squares])
    try:
        found = (_identity(len(squares)) * bound - matrix).solve(own)
    except ZeroDivisionError:  # the bound is an eigenvalue
        return False
    size = squares[-1][0]
    dense = np.empty((size, size), dtype=object)
    for at, (i, j) in enumerate(squares):
        dense[i - 1, j - 1] = dense[j - 1, i - 1] = found[at, 0]
    return is_positive_definite(dense)


def slope_at_zero(rounds: Rounds, forms: ByParameter) -> fmpq:
    """Where a linear function of the moments tends, over the parameter, as that tends to 0.

    A round changes nothing at 0 of the only parameter that is unknown. With m+ = m + x (A m + a) +
    x^2 (B m + b) + ..., and eigenvalues of A whose real parts are negative, moments tend to
    m_0 + x m_1 + ... with A m_0 + a = 0 and A m_1 + B m_0 + b = 0.

    Raises
    ------
    Refused
        If there is no such limit, or the function does not vanish there.
    """
    if len(rounds.named.parameters) != 1:
        raise Refused("a slope is one over a single parameter")
    moving = [pair for pair in rounds.step if pair != (0, 0)]
    (matrix_0, shift_0), (matrix_1, shift_1), (matrix_2, shift_2) = (
        _system({pair: own.get((power,), {}) for pair, own in rounds.step.items()}, moving)
        for power in range(3)
    )
    if matrix_0 != _identity(len(moving)) or any(shift_0.entries()):
        raise Refused("a round changes something where the parameter is 0")
    # only real parts that a ball separates from 0 show that moments are drawn to a point
    if not all(bool(x.real < 0) for x in acb_mat(matrix_1).eig(multiple=True)):
        raise Refused("rounds are not shown to contract where the parameter is small")
    settled = matrix_1.solve(-1 * shift_1)
    moved = matrix_1.solve(-1 * (matrix_2 * settled + shift_2))
    at, by = (
        {(0, 0): fmpq(own)} | {pair: values[row, 0] for row, pair in enumerate(moving)}
        for own, values in ((1, settled), (0, moved))
    )
    plain, linear = forms.get((0,), {}), forms.get((1,), {})
    if applied(plain, at):
        raise Refused(f"it tends to {applied(plain, at)}, not to 0")
    return applied(linear, at) + applied(plain, by)


def _settled(
    step: Mapping[Pair, Form], start: Mapping[Pair, fmpq] | None = None
) -> tuple[dict[Pair, fmpq], int]:
    """The moments that a round does not change, and the power of it that contracts.

    Entries that no round changes keep what they were at the start, where that is given.
    """
    still = {} if start is None else _still(step, start)
    step = _without(step, still)
    moving = [pair for pair in step if pair != (0, 0)]
    if len(moving) > MOST_MOMENTS:
        raise Refused(f"{len(moving)} moments; a limit is solved for {MOST_MOMENTS} at most")
    matrix, shift = _system(step, moving)
    power = contraction(matrix)
    found = (_identity(len(moving)) - matrix).solve(shift)
    values = {(0, 0): fmpq(1)} | {pair: found[at, 0] for at, pair in enumerate(moving)}
    means = {j: value for (zero, j), value in values.items() if zero == 0 and j} | still
    for i, own in still.items():
        values[0, i] = own
        values |= {(min(i, j), max(i, j)): own * other for j, other in means.items()}
    return values, power


def _still(step: Mapping[Pair, Form], start: Mapping[Pair, fmpq]) -> dict[int, fmpq]:
    """Numbers of entries that begin as numbers, and that no draw of a round changes.

    E x+ = x and E (x+)^2 = x^2 at every x: x+ is x surely.
    """
    return {
        i: start[0, i]
        for zero, i in step
        if zero == 0 and i
        and step[0, i] == {(0, i): 1} and step[i, i] == {(i, i): 1}
        and start[i, i] == start[0, i] ** 2
    }  # fmt: skip


def _without(step: Mapping[Pair, Form], still: Mapping[int, fmpq]) -> Mapping[Pair, Form]:
    """The map of the moments of all other entries, with numbers for these."""
    if not still:
        return step
    found: dict[Pair, Form] = {}
    for pair, form in step.items():
        if any(i in still for i in pair):
            continue
        own = found.setdefault(pair, {})
        for other, factor in form.items():
            weight = prod((still[i] for i in other if i in still), start=factor)
            first, second = (0 if i in still else i for i in other)
            key = min(first, second), max(first, second)
            own[key] = own.get(key, fmpq(0)) + weight
    return found


def factor(subject: Subject) -> arb:
    """The largest size of an eigenvalue of a round of means, as a ball that contains it.

    Raises
    ------
    Refused
        If rounds differ, or the step is not affine.
    """
    trace = unroll(subject, beginning(subject).shapes, carries=True)
    if trace.asked_round:
        raise Refused("the step depends on the round: its rounds have no common factor")
    step, size = round_map(trace), trace.variables.entries
    matrix = fmpq_mat(size, size)
    for row in range(size):
        for (_, column), number in step[0, row + 1].items():
            if column:
                matrix[row, column - 1] = number
    found = arb(0)
    for value in acb_mat(matrix).eig(multiple=True):
        found = found.max(abs(value))
    return found


def _system(step: Mapping[Pair, Form], moving: list[Pair]) -> tuple[fmpq_mat, fmpq_mat]:
    place = {pair: at for at, pair in enumerate(moving)}
    matrix, shift = fmpq_mat(len(moving), len(moving)), fmpq_mat(len(moving), 1)
    for pair, row in place.items():
        for other, factor in step[pair].items():
            if other == (0, 0):
                shift[row, 0] = factor
            else:
                matrix[row, place[other]] = factor
    return matrix, shift


def contraction(matrix: fmpq_mat) -> int:
    """The first power 2^j of a matrix whose largest row sum is below one, in balls.

    Raises
    ------
    Refused
        If none is found.
    """
    power = arb_mat(matrix)
    for squarings in range(_SQUARINGS):
        if _row_sum_below_one(power):
            return int(2**squarings)
        power = power * power
    raise Refused("no power of a round is shown to contract")


def _row_sum_below_one(matrix: arb_mat) -> bool:
    sums = (sum(abs(matrix[i, j]) for j in range(matrix.ncols())) for i in range(matrix.nrows()))
    return all(bool(total < 1) for total in sums)


def _identity(size: int) -> fmpq_mat:
    found = fmpq_mat(size, size)
    for at in range(size):
        found[at, at] = 1
    return found
