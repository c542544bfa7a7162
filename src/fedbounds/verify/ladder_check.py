"""Whether the rungs of a stored ladder differ in what it says, in the order that claims count."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.errors import FedboundsError, require
from fedbounds.problems import FederatedQuadratic

from .instance import Instance
from .ladder import Ladder
from .ladder_plan import EQUAL_STATE, tuned
from .measurement import fingerprint

Rung = tuple[FederatedQuadratic, FedAvgP]


def _steps(algorithm: FedAvgP) -> tuple[Any, ...]:
    return algorithm.inner_step_u, algorithm.inner_step_v, *_outer(algorithm)


def _outer(algorithm: FedAvgP) -> tuple[Any, ...]:
    return algorithm.outer_step_u, algorithm.outer_step_v


def _gammas(algorithm: FedAvgP) -> tuple[Any, ...]:
    u = algorithm.inner_step_u * algorithm.outer_step_u
    return u, algorithm.inner_step_v * algorithm.outer_step_v


def _slopes(problem: FederatedQuadratic) -> Any:
    """Of the shared block, about their mean."""
    shared = problem.linear[:, : problem.shared_dimension]
    return shared - shared.sum(axis=0) / problem.clients


def _but_slopes(problem: FederatedQuadratic) -> tuple[Any, ...]:
    d_u = problem.shared_dimension
    mean = problem.linear[:, :d_u].sum(axis=0)
    return problem.hessian, d_u, problem.noise, problem.linear[:, d_u:], mean


# by parameter: its value on a rung, and what all rungs share besides start and rounds
_VALUE: dict[str, Callable[[FederatedQuadratic, FedAvgP, Instance], Any]] = {
    "gamma": lambda p, a, rung: _gammas(a)[0],
    "m": lambda p, a, rung: a.participants,
    "K": lambda p, a, rung: a.local_steps,
    "b^2": lambda p, a, rung: p.dissimilarity,
    "algorithm": lambda p, a, rung: rung.algorithm_name,
    EQUAL_STATE: lambda p, a, rung: rung.algorithm_name,
}
_SHARED: dict[str, Callable[[FederatedQuadratic, FedAvgP], tuple[Any, ...]]] = {
    "gamma": lambda p, a: (p, type(a).__name__, a.participants, a.local_steps, *_outer(a)),
    "m": lambda p, a: (p, type(a).__name__, a.local_steps, *_gammas(a)),
    "K": lambda p, a: (p, type(a).__name__, a.participants, *_steps(a)),
    "b^2": lambda p, a: (*_but_slopes(p), a),
    "algorithm": lambda p, a: (p, a.participants, a.local_steps, *_steps(a)),
    EQUAL_STATE: lambda p, a: (p, a.participants, a.local_steps, *_outer(a)),
}
PARAMETERS = tuple(_VALUE)


def check_ladder(ladder: Ladder) -> None:
    """Raise unless the rungs are a ladder in the parameter that is named.

    Claims compare a rung with the next: gamma falls, other parameters grow, and FedAvg-P comes
    before Scaffold-P.
    """
    name = ladder.parameter
    rungs = [_parts(rung) for rung in ladder.rungs]
    for _, algorithm in rungs:
        u, v = _gammas(algorithm)
        require(u == v, "gamma_v eta_v of a rung", v, f"gamma_u eta_u = {u}")
    values = [_VALUE[name](*parts, rung) for parts, rung in zip(rungs, ladder.rungs, strict=True)]
    require(
        list(ladder.values) == values,
        "values",
        list(ladder.values),
        f"those of the rungs, {values}",
    )
    require(None not in values, f"{name} of the rungs", values, "a number on each")
    falls = name == "gamma"
    ordered = all(a > b if falls else a < b for a, b in pairwise(values))
    order = "falling" if falls else "growing"
    require(ordered, f"{name} of the rungs", list(map(str, values)), order)
    shared = {
        tuple(map(_print, (*_SHARED[name](*parts), rung.start, rung.rounds)))
        for parts, rung in zip(rungs, ladder.rungs, strict=True)
    }
    require(len(shared) == 1, "rungs", f"different in more than {name}", f"{name} to differ alone")
    if name == "b^2":
        _check_directions([_slopes(problem).reshape(-1) for problem, _ in rungs])
    if name == EQUAL_STATE:
        (problem, first), (_, second) = rungs
        _check_tuned(problem, first, second)


def _parts(rung: Instance) -> Rung:
    problem, algorithm = rung.problem, rung.algorithm
    assert isinstance(problem, FederatedQuadratic)
    assert isinstance(algorithm, FedAvgP)
    return problem, algorithm


def _print(part: Any) -> str:
    return fingerprint(part)


def _check_directions(slopes: list[Any]) -> None:
    last = slopes[-1]
    for own in slopes:
        turned = (np.outer(own, last) != np.outer(last, own)).any() or (own * last).sum() < 0
        require(not turned, "slopes of a rung", own.tolist(), f"a multiple of {last.tolist()}")


def _check_tuned(problem: FederatedQuadratic, first: FedAvgP, second: FedAvgP) -> None:
    found = tuned(problem, FedAvgP(**vars(second)), second)
    if found != first:
        raise FedboundsError(
            f"gamma_u of FedAvg-P is {first.inner_step_u}; expected {found.inner_step_u}, at which "
            "its steady state is about that of Scaffold-P"
        )
