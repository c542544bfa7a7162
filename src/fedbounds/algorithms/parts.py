"""What FedAvg, FedSim, FedAlt, Scaffold and parallel SGD share; none of it is a server rule."""

from collections.abc import Callable
from typing import Any

import array_api_compat

from fedbounds.errors import require, require_finite
from fedbounds.problems.problem import Problem

from . import fedavg_p
from .fedavg_p import Carry, Draw

Array = Any

# these read nothing but m, K, gamma_u and gamma_v, which every algorithm here names alike
init_draw: Callable[..., None] = fedavg_p.init_draw
init: Callable[..., Carry] = fedavg_p.init
draw: Callable[..., Draw] = fedavg_p.draw
descend: Callable[..., Array] = fedavg_p.descend


def check_parameters(algorithm: Any, counts: tuple[str, ...], steps: tuple[str, ...]) -> None:
    """Raise unless the named counts are at least 1 and the named step sizes are positive."""
    for name in counts:
        given = getattr(algorithm, name)
        require(given >= 1, name.replace("_", " "), given, "at least 1")
    for name in steps:
        require_finite(name.replace("_", " "), getattr(algorithm, name), positive=True)


def check_fully_shared(problem: Problem) -> None:
    """Raise unless the problem has no personal block: min_u (1/n) sum_i f_i(u)."""
    d_v = problem.personal_dimension
    require(d_v == 0, "personal dimension d_v", d_v, "0: the algorithm has no personal variables")


def by_client(carry: Any, drawn: Draw, reached: Array) -> Array:
    """The reached rows as (n, R, d); what stands at absent clients has no meaning."""
    xp = array_api_compat.array_namespace(reached)
    n, replicas, _ = carry.v.shape
    return xp.reshape(xp.take(reached, drawn.cohort.row, axis=0), (n, replicas, -1))


def participants_mean(participants: int, drawn: Draw, vectors: Array) -> Array:
    """(1/m) sum over the participants of client vectors (n, R, d); shape (R, d)."""
    xp = array_api_compat.array_namespace(vectors)
    chosen = xp.where(drawn.present[:, :, None] > 0, vectors, vectors * 0)
    return xp.sum(chosen, axis=0) / participants
