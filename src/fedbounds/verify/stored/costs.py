"""What runs on quadratics, rungs of a ladder, vectors and points cost."""

from collections.abc import Mapping, Sequence
from typing import Any

from fedbounds.algorithms.scaffold_p import ScaffoldP

from .work import Cost

_QUANTITIES = 50  # about so many are measured, each a form in the state
_MATRICES = 100  # flint solves equations so many times as fast as arrays of rationals
_REMEMBERED = (
    30  # numbers of state in rationals, with every point that Scaffold-P's lemmas speak of
)


def _state(problem: Any, algorithm: Any) -> int:
    n, d_u, d_v = problem.clients, problem.shared_dimension, problem.personal_dimension
    size = d_u + n * d_v + 1
    if isinstance(algorithm, ScaffoldP):
        points = n * algorithm.local_steps * (2 * d_u + d_v)
        size += (n + 1) * d_u + n * (d_u + d_v) + min(points, _REMEMBERED)
    return int(size)


def _entries(problem: Any, algorithm: Any) -> int:
    """Of the local steps of a round."""
    n, d = problem.linear.shape
    return int(n * d * algorithm.local_steps)


def of_run(problem: Any, algorithm: Any, rounds: int) -> Sequence[Cost]:
    """Second moments of the state over rounds, and how each round moves it."""
    size, entries = _state(problem, algorithm), _entries(problem, algorithm)
    steps = algorithm.local_steps
    driven = entries**2 * problem.linear.shape[1] + _QUANTITIES * entries * size**2
    moved = size**3 + _QUANTITIES * size**2
    return (Cost(driven, steps), Cost(rounds * moved, rounds * steps))


def of_rung(problem: Any, algorithm: Any, rounds: int) -> Sequence[Cost]:
    """A steady state: linear equations for the second moments."""
    size = _state(problem, algorithm)
    return (*of_run(problem, algorithm, 1), Cost(size**6 / _MATRICES))


def of_vectors(clients: int, dimension: int) -> Sequence[Cost]:
    """Sums over pairs of clients."""
    return (Cost(clients**2 * dimension),)


def of_point(values: Mapping[str, Any]) -> Sequence[Cost]:
    """Geometric sums over K terms."""
    steps = float(int(values.get("K", 1)))
    return (Cost(steps, steps),)
