"""What the set-ups about sub-model training cost, from the values of their fields."""

from collections.abc import Sequence
from math import comb, factorial, prod
from typing import Any

from fedbounds.algorithms.rolling_masks import RollingMasks

from ..stored.work import Cost, power

MOST_ROWS = 100_000  # at most so many outcomes of a round are enumerated, by any of these
_QUANTITIES = 60  # about so many numbers are kept of every outcome
_MATRICES = 100  # flint multiplies matrices so many times as fast as arrays of rationals

# ---- runs of random and of rolling masks, every outcome


def of_epochs(given: Any) -> Sequence[Cost]:
    """Every order, and every sign of the noise on the sub-models."""
    algorithm, (n, d) = given.algorithm, given.problem.linear.shape
    held = sum(sum(mask) for own in algorithm.masks for mask in own)
    signs = algorithm.local_steps * held if given.problem.noise.scale_u else 0
    rows = min(power(_orders(algorithm) * power(2, signs), given.epochs), MOST_ROWS)
    steps = algorithm.local_steps * given.epochs * algorithm.epoch
    return (Cost(_QUANTITIES * rows * steps * n * d, steps), _laws(n, d))


def _laws(n: int, d: int) -> Cost:
    """Every mask of every client."""
    return Cost(power(2, d) * n * d**2)


def _owners(algorithm: Any) -> int:
    """How many orders an epoch has."""
    return 1 if algorithm.shared_order else len(algorithm.masks)


def _orders(algorithm: Any) -> float:
    return power(factorial(min(algorithm.epoch, 20)), _owners(algorithm))


# ---- moments


def of_long_epochs(given: Any) -> Sequence[Cost]:
    """Means and covariances of every epoch, and a ball that the run does not leave."""
    return (*_moments(given.problem, given.algorithm, given.epochs), *of_limit(given))


def of_limit(given: Any) -> Sequence[Cost]:
    """An epoch in every order, and rounds drawn anew, as matrices."""
    algorithm, d = given.algorithm, given.problem.shared_dimension
    turns = power(algorithm.epoch, _owners(algorithm))
    orders = min(_orders(algorithm), MOST_ROWS) * algorithm.epoch
    depth = algorithm.epoch * algorithm.local_steps
    return (Cost(10 * (orders + turns) * d**4 + d**6, depth), *_round(given.problem, algorithm))


def of_sides(given: Any) -> Sequence[Cost]:
    """Both algorithms, over rounds and without end."""
    rounds = given.epochs * given.rolling.epoch
    every = (given.rolling, given.other)
    return tuple(
        cost
        for algorithm in every
        for cost in (
            *_moments(given.problem, algorithm, rounds),
            *_maps(given.problem, algorithm, 1),
        )
    )


def _moments(problem: Any, algorithm: Any, rounds: int) -> Sequence[Cost]:
    """Means and covariances, round by round."""
    d, steps = problem.shared_dimension, algorithm.local_steps
    visits = _visits(algorithm) if isinstance(algorithm, RollingMasks) else 1.0
    return (Cost(rounds * visits * 10 * d**3, rounds * steps), *_round(problem, algorithm))


def _round(problem: Any, algorithm: Any) -> Sequence[Cost]:
    """What a round does to them, from every mask of coordinates that are coupled."""
    (n, d), steps = problem.linear.shape, algorithm.local_steps
    return (Cost(4 * power(2, d) * steps**2 * n * d**3, steps),)


def _visits(algorithm: Any) -> float:
    """Transitions between sets of visited sub-models, in a round of an epoch."""
    return power(power(2, algorithm.epoch), _owners(algorithm))


# ---- ladders of runs


def of_rounds(given: Any) -> Sequence[Cost]:
    """The last round of every rung."""
    algorithm, problem = _Steps(given.local_steps), given.problem
    return tuple(cost for rounds in given.rounds for cost in _maps(problem, algorithm, rounds))


def of_stages(given: Any) -> Sequence[Cost]:
    """Every stage; each lasts twice as long as the one before."""
    lengths = (given.first_stage * power(2, stage) for stage in range(given.stages))
    return tuple(
        cost for length in lengths for cost in _maps(given.problem, given.algorithm, int(length))
    )


def of_steps(given: Any) -> Sequence[Cost]:
    """A polynomial in the step size, from its values at 2 K + 1 points, for every K."""
    n, d = given.problem.linear.shape
    driven = (Cost(power(2, d) * 20 * k**2 * n * d**3, k) for k in given.local_steps)
    return (*driven, Cost(d**6))


def of_capacity(given: Any) -> Sequence[Cost]:
    """The last round of every rung, and the limit."""
    return tuple(
        cost for rung in given.algorithms for cost in _maps(given.problem, rung, given.rounds)
    )


class _Steps:
    """The local steps of an algorithm that the rungs make."""

    def __init__(self, local_steps: int) -> None:
        self.local_steps = local_steps


def _maps(problem: Any, algorithm: Any, rounds: int) -> Sequence[Cost]:
    """A round, or an epoch, as a matrix on first and second moments, multiplied so often."""
    d, steps = problem.shared_dimension, algorithm.local_steps
    size = 1 + d + d * (d + 1) // 2
    read = _moments(problem, algorithm, 1)
    return (
        Cost(rounds * size**2 / _MATRICES, rounds * steps),
        *(Cost(cost.operations * size, cost.depth) for cost in read),
        Cost(size**3),
    )


# ---- objectives


def of_draws(given: Any) -> Sequence[Cost]:
    """Every set of m of n vectors; there are few, or they are refused."""
    n, d = given.vectors.shape
    return (Cost(float(comb(min(n, 60), min(given.taken, 30))) * given.taken * d),)


# ---- coupled runs


def of_pair(given: Any) -> Sequence[Cost]:
    """Two data sets."""
    _, samples, d = given.problem.features.shape
    return _coupled(given.algorithm, 2, d, samples, given.rounds)


def of_law(given: Any) -> Sequence[Cost]:
    """All data sets."""
    sets = _data_sets(given.laws, given.samples)
    return _coupled(given.algorithm, sets, len(given.start), given.samples, given.rounds)


def of_gap(given: Any) -> Sequence[Cost]:
    """Second moments on every data set, of both algorithms."""
    sets, d = _data_sets(given.laws, given.samples), len(given.start)
    pairs = sets * len(given.laws) * given.samples * max(len(law.targets) for law in given.laws)
    one = _affine(given, len(given.keep), given.samples, d + 1)
    return (Cost(pairs), *(Cost(2 * sets * cost.operations, cost.depth) for cost in one))


def of_stability(given: Any) -> Sequence[Cost]:
    """Second moments on two data sets, and their limit, for every rung."""
    n, samples, d = given.problem.features.shape
    rungs, size = len(given.keeps), 2 * d + 1
    each = _affine(given, n, samples, size)
    limit = _branches(d, samples, given.local_steps) * n * size**4 / 10 + size**6 / _MATRICES
    return (Cost(rungs * limit), *(Cost(rungs * cost.operations, cost.depth) for cost in each))


def _data_sets(laws: Any, samples: int) -> float:
    return prod(power(len(law.targets), samples) for law in laws)


def _branches(d: int, samples: int, steps: int) -> float:
    """Masks, and indices of samples, of a client in a round."""
    return power(2, d) * power(samples, steps)


def _coupled(algorithm: Any, sets: float, d: int, samples: int, rounds: int) -> Sequence[Cost]:
    """Every outcome on every data set, and every pair of data sets."""
    n, steps = algorithm.participants, algorithm.local_steps
    if isinstance(algorithm, RollingMasks):
        drawn = power(algorithm.epoch, _owners(algorithm))
    else:
        drawn = prod(power(2, d) if keep < 1 else 1.0 for keep in algorithm.keep)
    each = drawn * power(power(samples, steps), n)
    rows = min(power(each, rounds) * sets, MOST_ROWS) + each
    pairs = sets * samples * n
    return (Cost(_QUANTITIES * (rows * steps * n + pairs) * rounds * d, rounds * steps),)


def _affine(given: Any, n: int, samples: int, size: int) -> Sequence[Cost]:
    """Second moments of a joint state of this size, over masks and indices."""
    steps, d = given.local_steps, len(given.start)
    each = _branches(d, samples, steps) * n
    return (
        Cost(each * given.rounds * size**3, given.rounds * steps),
        Cost(_QUANTITIES * each * steps * d**2, steps),
    )
