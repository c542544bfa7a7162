"""Which ladders judge the claims about steady states.

n = 10 clients as in the paper's figures, in float64; those of few clients are data of the theory.
The paper names no outer step sizes: half of the ladders have eta = 1, half those that its theorems
ask for. All steps are within the theorems' conditions at the largest K, so that a ladder in K has
one gamma. Nothing here knows what any verdict should be.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from fedbounds.algorithms.fedavg_p import FedAvgP, with_effective_step
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.problems import (
    FederatedQuadratic,
    Noise,
    NoiseLaw,
    Start,
    federated_quadratic,
)
from fedbounds.vocabulary import Method

from .instance import ALGORITHM_NAMES, Instance
from .ladder import Ladder
from .plateau import GRADIENTS, plateau

_RULES: tuple[type[FedAvgP], ...] = (FedAvgP, ScaffoldP)
EQUAL_STATE = "algorithm at equal steady state"
_TUNING = 64  # steps of FedAvg-P are tried in fractions of this


@dataclass(frozen=True, eq=False)
class _Family:
    """Problems of one shape: ``make(b2, personal)``, b2 as a factor, personal noise or none."""

    label: str
    clients: int
    make: Callable[[Any, bool], FederatedQuadratic]
    has_dissimilarity: bool
    local_steps: tuple[int, ...]
    participants: tuple[int, ...]  # some m < n


@dataclass(frozen=True)
class _Steps:
    """Outer step sizes as functions of n and m."""

    label: str
    outer_u: Callable[[int, int], Any]
    outer_v: Callable[[int, int], Any]


def float_ladders(seed: int, repeats: int) -> Iterator[Ladder]:
    """Ten clients, as in the paper's figures."""
    for repeat in range(repeats):
        for alike in (True, False):
            yield from _of_family(_float_family(alike, seed + repeat), _FLOAT_STEPS)


_FLOAT_STEPS = (
    _Steps("eta = 1", lambda n, m: 1.0, lambda n, m: 1.0),
    _Steps("outer steps", lambda n, m: float(np.sqrt(m)), lambda n, m: float(np.sqrt(n / m))),
)
_LONG_OUTER = 1000  # eta_u of Theorem 3.11 in a run of that many rounds


def _float_family(alike: bool, seed: int) -> _Family:
    def make(b2: Any, personal: bool) -> FederatedQuadratic:
        return federated_quadratic(
            clients=10,
            shared_dimension=2,
            personal_dimension=1,
            strong_convexity=0.5,
            coupling=0.0 if alike else 0.2,
            dissimilarity=float(b2) if alike else None,
            noise=Noise(NoiseLaw.GAUSSIAN, 0.3, 0.3 if personal else 0.0),
            seed=seed,
        )

    label = "shared curvature" if alike else "own curvature"
    return _Family(f"{label} {seed}", 10, make, alike, (1, 2, 5, 10, 25), (3, 9))


def _of_family(family: _Family, choices: tuple[_Steps, ...]) -> Iterator[Ladder]:
    for steps in choices:
        yield from _in_gamma(family, steps)
        yield from _in_participants(family, steps)
        for m in (*family.participants, family.clients):
            yield from _in_local_steps(family, steps, m)
            if family.has_dissimilarity:
                yield from _in_dissimilarity(family, steps, m)
        if family.has_dissimilarity:
            for m in family.participants:
                yield from _in_algorithm(family, steps, m)
    long = float(_LONG_OUTER)
    theorem_311 = _Steps(f"eta_u = {_LONG_OUTER}", lambda n, m: long, lambda n, m: 1.0)
    yield from _in_local_steps(family, theorem_311, family.clients)


def _in_gamma(family: _Family, steps: _Steps) -> Iterator[Ladder]:
    problem = family.make(1, True)
    most = family.local_steps[-1]
    for m in family.participants:
        values = [_step(family, m, most) / 2**halvings for halvings in range(3)]
        for rule in _RULES:
            rungs = [(problem, _algorithm(rule, family, steps, m, most, x)) for x in values]
            yield _ladder(family, steps, "gamma", values, rungs, f"m={m} K={most}")


def _in_participants(family: _Family, steps: _Steps) -> Iterator[Ladder]:
    problem, values = family.make(1, False), range(1, family.clients + 1)
    for local in (family.local_steps[0], family.local_steps[-1]):
        gamma = _step(family, 1, local)  # one for all m: the shortest
        for rule in _RULES:
            rungs = [(problem, _algorithm(rule, family, steps, m, local, gamma)) for m in values]
            yield _ladder(family, steps, "m", list(values), rungs, f"K={local}")


def _in_local_steps(family: _Family, steps: _Steps, m: int) -> Iterator[Ladder]:
    problem, values = family.make(1, True), list(family.local_steps)
    gamma = _step(family, m, values[-1])
    for rule in _compared(family, m):
        rungs = [(problem, _algorithm(rule, family, steps, m, x, gamma)) for x in values]
        yield _ladder(family, steps, "K", values, rungs, f"m={m}")


def _compared(family: _Family, m: int) -> tuple[type[FedAvgP], ...]:
    """With everyone taking part, only FedAvg-P is spoken of."""
    return _RULES if m < family.clients else (FedAvgP,)


def _in_dissimilarity(family: _Family, steps: _Steps, m: int) -> Iterator[Ladder]:
    problems = [family.make(factor, True) for factor in (1, 4, 16, 64)]
    local = family.local_steps[-1]
    gamma = _step(family, m, local)
    for rule in _compared(family, m):
        algorithm = _algorithm(rule, family, steps, m, local, gamma)
        values = [problem.dissimilarity for problem in problems]
        rungs = [(problem, algorithm) for problem in problems]
        yield _ladder(family, steps, "b^2", values, rungs, f"m={m} K={local}")


def _in_algorithm(family: _Family, steps: _Steps, m: int) -> Iterator[Ladder]:
    """FedAvg-P, then Scaffold-P: at one step size, and at about one steady state."""
    for factor in (1 / 64, 1, 16, 256):  # from clients nearly alike on
        problem = family.make(factor, True)
        for local in (family.local_steps[0], family.local_steps[-1]):
            gamma = _step(family, m, local)
            first, second = (_algorithm(rule, family, steps, m, local, gamma) for rule in _RULES)
            label = f"m={m} K={local} b^2={problem.dissimilarity}"
            values = ["FedAvg-P", "Scaffold-P"]
            rungs = [(problem, first), (problem, second)]
            yield _ladder(family, steps, "algorithm", values, rungs, label)
            rungs = [(problem, tuned(problem, first, second)), (problem, second)]
            yield _ladder(family, steps, EQUAL_STATE, values, rungs, label)


def tuned(problem: FederatedQuadratic, first: FedAvgP, second: FedAvgP) -> FedAvgP:
    """``first`` with shorter steps: the shortest at which it is no more accurate than ``second``.

    If it is more accurate at every step size tried, its own steps stay.
    """

    def level(algorithm: FedAvgP) -> float:
        found = plateau(problem, algorithm).quantities
        g_u, g_v = (float(found[name]) for name in GRADIENTS)
        return g_u + g_v * algorithm.participants / problem.clients

    target, low, high = level(second), 0, _TUNING
    while high - low > 1:
        middle = (low + high) // 2
        if level(_shortened(first, middle / _TUNING)) >= target:
            high = middle
        else:
            low = middle
    return _shortened(first, high / _TUNING)


def _shortened(algorithm: FedAvgP, factor: Any) -> FedAvgP:
    return replace(
        algorithm,
        inner_step_u=algorithm.inner_step_u * factor,
        inner_step_v=algorithm.inner_step_v * factor,
    )


def _step(family: _Family, m: int, local: int) -> Any:
    """gamma within the step conditions of Theorems 3.7, 3.11 and 4.5: L is 1."""
    # n^(2/3) is below 5 for n = 10
    return min(m / 5.0, 1.0) / (84.0 * local)


def _algorithm(
    rule: type[FedAvgP], family: _Family, steps: _Steps, m: int, local: int, gamma: Any
) -> FedAvgP:
    n = family.clients
    found = with_effective_step(m, local, gamma, steps.outer_u(n, m), steps.outer_v(n, m))
    return rule(**{field.name: getattr(found, field.name) for field in fields(found)})


def _ladder(
    family: _Family,
    steps: _Steps,
    parameter: str,
    values: list[Any],
    rungs: list[tuple[FederatedQuadratic, FedAvgP]],
    label: str,
) -> Ladder:
    rules = dict.fromkeys(ALGORITHM_NAMES[type(algorithm)] for _, algorithm in rungs)
    name = f"{' to '.join(rules)}, {family.label}, {steps.label}, {label}, ladder in {parameter}"
    instances = []
    for value, (problem, algorithm) in zip(values, rungs, strict=True):
        point = Start(np.ones(problem.shared_dimension), np.ones((problem.clients, 1)))
        own = f"{name}: {value}"
        instances.append(Instance(own, problem, algorithm, 1, Method.MOMENTS, point))
    return Ladder(name, tuple(instances), parameter, tuple(values))
