"""What runs on quadratics cost."""

from collections.abc import Sequence
from typing import Any

from fedbounds.algorithms.scaffold_p import ScaffoldP

from .work import KEPT, Cost

_QUANTITIES = 50  # about so many are measured, each a form in the state
_REMEMBERED = 30  # at most so many numbers of state in rationals


def _state(problem: Any, algorithm: Any) -> int:
    """Numbers carried from round to round, and 1."""
    n, d_u, d_v = problem.clients, problem.shared_dimension, problem.personal_dimension
    controls = (n + 1) * d_u if isinstance(algorithm, ScaffoldP) else 0
    return int(d_u + n * d_v + controls + 1)


def _memory(problem: Any, algorithm: Any) -> int:
    """What its lemmas remember of Scaffold-P's last participations, where the state is small."""
    if not isinstance(algorithm, ScaffoldP):
        return 0
    n, d = problem.linear.shape
    points = n * algorithm.local_steps * (d + problem.shared_dimension)
    return int(n * d + min(points, _REMEMBERED))


def _entries(problem: Any, algorithm: Any) -> int:
    """Of the local steps of a round."""
    n, d = problem.linear.shape
    return int(n * d * algorithm.local_steps)


def of_run(problem: Any, algorithm: Any, rounds: int) -> Sequence[Cost]:
    """Second moments of the state over rounds, and how each round moves it."""
    size = _state(problem, algorithm) + _memory(problem, algorithm)
    return _driven(problem, algorithm, size, rounds)


def _driven(problem: Any, algorithm: Any, size: int, rounds: int) -> Sequence[Cost]:
    entries, steps = _entries(problem, algorithm), algorithm.local_steps
    driven = KEPT * entries**2 * problem.linear.shape[1] + _QUANTITIES * entries * size**2
    moved = size**3 + _QUANTITIES * size**2
    return (Cost(driven, steps), Cost(rounds * moved, rounds * steps))
