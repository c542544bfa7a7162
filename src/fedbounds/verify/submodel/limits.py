"""The limit of moments of w in rationals.

A round, or an epoch, maps (1, E x, E x x') linearly, x = w - c. The matrix is read off by driving
the round with basis states; a formal covariance may be negative, as nothing but sums and products
is taken. On second moments the map is S -> E[A S A']: positive. So it shrinks, and the limit
exists and does not depend on the start, exactly when P = E[A P A'] + I has a positive definite
solution; then P - E[A P A'] = I, and E[A P A'] <= (1 - 1/||P||) P.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.algorithms.static_masks import StaticMasks, holders
from fedbounds.errors import require
from fedbounds.problems import FederatedQuadratic, Start
from fedbounds.problems.linear import is_positive_definite, rational

from .moments import Moments, Round, advance, begin, collected
from .moments_drive import Driver
from .moments_forms import AroundPoint, expectation
from .moments_random import random_round
from .moments_rounding import State
from .moments_static import static_round
from .rolling_moments import Epoch, epoch_states, rolling_epoch

Array = Any
After = Callable[[State], State]
Algorithm = RandomMasks | RollingMasks | StaticMasks


@dataclass(frozen=True, eq=False)
class MomentMap:
    """What one round, or one epoch, does to the moments of the coordinates that move.

    Attributes
    ----------
    begun : State
        The start.
    centre : array, shape (d,)
        c.
    moving : tuple of int
        Coordinates that somebody trains; the others keep their start.
    matrix : fmpq_mat
        Acts on 1, E x_j, E x_j x_k with j <= k, of moving coordinates.
    """

    begun: State
    centre: Array
    moving: tuple[int, ...]
    matrix: fmpq_mat

    @cached_property
    def pairs(self) -> tuple[Array, Array]:
        """j and k of the second moments."""
        return np.triu_indices(len(self.moving))


def moment_map(problem: FederatedQuadratic, algorithm: Algorithm, start: Start) -> MomentMap:
    """The map of a round of random or static masks, or of an epoch of rolling masks.

    Raises
    ------
    FedboundsError
        If the problem is not rational, or its exact moments are not known.
    """
    driver, after = _after(problem, algorithm)
    require(driver.exact, "numbers of the problem", "floats", "rationals")
    every = range(len(driver.centre))
    moving = tuple(every)
    if isinstance(algorithm, StaticMasks):
        held = holders(algorithm)
        moving = tuple(j for j in every if held[j] > 0)
    begun = begin(driver, start)
    return MomentMap(begun, driver.centre, moving, _read_off(after, begun, moving))


def limit(found: MomentMap) -> Moments | None:
    """The moments that every start tends to, as far as coordinates move; None if there are none."""
    size = found.matrix.nrows()
    rows = range(1, size)
    moves = fmpq_mat(
        size - 1, size - 1, [int(i == j) - found.matrix[i, j] for i in rows for j in rows]
    )
    if not _shrinks(found, moves):
        return None
    constant = fmpq_mat(size - 1, 1, [found.matrix[i, 0] for i in rows])
    return _as_moments(found, [fmpq(1), *moves.solve(constant).entries()])


def expected(found: Moments, form: AroundPoint) -> fmpq:
    """E of a quadratic at the last point."""
    value: fmpq = expectation(found, form).values[-1]
    return value


def _after(problem: FederatedQuadratic, algorithm: Algorithm) -> tuple[Driver, After]:
    found: Round | Epoch
    if isinstance(algorithm, RollingMasks):
        found = rolling_epoch(problem, algorithm)
        return found.driver, partial(_last, found)
    if isinstance(algorithm, RandomMasks):
        found = random_round(problem, algorithm)
    else:
        found = static_round(problem, algorithm)
    return found.driver, partial(advance, found)


def _last(found: Epoch, state: State) -> State:
    return epoch_states(found, state)[-1]


def _read_off(after: After, begun: State, moving: tuple[int, ...]) -> fmpq_mat:
    """Columns are the images of basis states, less that of none."""
    at, count = list(moving), len(moving)
    upper = np.triu_indices(count)
    still = begun.mean.copy()
    still[at] = fmpq(0)

    def image(first: Array, second: Array) -> Array:
        mean, covariance = still.copy(), begun.covariance * 0
        mean[at] = first
        covariance[np.ix_(at, at)] = second - first[:, None] * first
        found = after(State(mean, covariance, 0.0, 0.0))
        others = np.ones(len(still), dtype=bool)
        others[at] = False
        kept = (found.mean == still)[others].all() and not (found.covariance[others] != 0).any()
        require(bool(kept), "coordinates that nobody holds", "moved", "as at the start")
        moved = found.mean[at]
        seconds = found.covariance[np.ix_(at, at)] + moved[:, None] * moved
        return np.concatenate([moved, seconds[upper]])

    zero, nothing = begun.mean[at] * 0, begun.covariance[np.ix_(at, at)] * 0
    constant = image(zero, nothing)
    columns = [constant]
    for j in range(count):
        first = zero.copy()
        first[j] = fmpq(1)
        columns.append(image(first, nothing) - constant)
    for pair in zip(*upper, strict=True):
        second = nothing.copy()
        second[pair] = second[pair[::-1]] = fmpq(1)
        columns.append(image(zero, second) - constant)
    top = np.array([[rational(int(c == 0)) for c in range(len(columns))]], dtype=object)
    full = np.concatenate([top, np.stack(columns, axis=1)])
    return fmpq_mat(len(columns), len(columns), list(full.reshape(-1)))


def _shrinks(found: MomentMap, moves: fmpq_mat) -> bool:
    """Whether P = E[A P A'] + I has a positive definite solution, P - E[A P A'] being given."""
    first, last = len(found.moving), moves.nrows()
    size = last - first
    own = fmpq_mat(
        size, size, [moves[i, j] for i in range(first, last) for j in range(first, last)]
    )
    one = fmpq_mat(size, 1, [int(j == k) for j, k in zip(*found.pairs, strict=True)])
    try:
        solution = own.solve(one)
    except ZeroDivisionError:
        return False
    return is_positive_definite(_symmetric(found, solution.entries()))


def _symmetric(found: MomentMap, entries: list[fmpq]) -> Array:
    count = len(found.moving)
    matrix = np.full((count, count), fmpq(0), dtype=object)
    matrix[found.pairs] = entries
    matrix.T[found.pairs] = entries
    return matrix


def _as_moments(found: MomentMap, entries: list[fmpq]) -> Moments:
    at, count = list(found.moving), len(found.moving)
    mean, covariance = found.begun.mean.copy(), found.begun.covariance.copy()
    mean[at] = entries[1 : count + 1]
    second = _symmetric(found, entries[count + 1 :])
    covariance[np.ix_(at, at)] = second - mean[at][:, None] * mean[at]
    return collected(found.centre, [State(mean, covariance, 0.0, 0.0)])
