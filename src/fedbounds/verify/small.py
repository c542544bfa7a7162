"""Small exact instances, as hypothesis strategies: where witnesses are sought and shrunk."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import ceil, comb
from typing import Any

import numpy as np
from flint import fmpq
from hypothesis import assume
from hypothesis import strategies as st

from fedbounds.algorithms.fedavg_p import FedAvgP, with_effective_step
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.errors import unknown_name
from fedbounds.problems import (
    FederatedQuadratic,
    Noise,
    NoiseLaw,
    Start,
    to_float,
    to_rational,
)
from fedbounds.problems.arrays import map_numbers
from fedbounds.theory.claims import Claim
from fedbounds.vocabulary import Method

from .instance import Instance
from .schedules import schedules

_MOST_CLIENTS, _MOST_STEPS = 6, 4
_ROUNDING_BITS = (0, 1, 2, 4, 8, 16, 24, 32)  # binary places kept, coarsest first
_ROUNDS = (1, 2, 3, 4, 8, 16, 32)
MOST_OUTCOMES = 200_000  # keeps a witness script below a few seconds
_MOST_WORK = 400_000  # state size^3 x rounds^2 x steps: keeps one example below a tenth of a second


def _whole(low: int, high: int) -> st.SearchStrategy[fmpq]:
    return st.integers(low, high).map(fmpq)


def _array(rows: Any) -> np.ndarray:
    return np.array(rows, dtype=object)


@st.composite
def small_quadratics(draw: st.DrawFn, claim: Claim, kind: type[FedAvgP]) -> Instance:
    """Scalar blocks with integer entries; step sizes at a schedule of the claim, made rational.

    Step sizes are rounded inside the conditions: gamma down to one over an integer, outer steps
    up to a quarter.
    """
    n = draw(st.integers(1, _MOST_CLIENTS))
    m = draw(st.integers(1, n))
    steps, rounds = draw(st.integers(1, _MOST_STEPS)), draw(st.sampled_from(_ROUNDS))
    carried = 2 + n if kind is FedAvgP else 3 + 4 * n  # Scaffold-P: controls and memory too
    assume(carried**3 * rounds**2 * steps <= _MOST_WORK)
    far = fmpq(10 ** draw(st.integers(0, 6)))  # slopes may dwarf the distance to the minimiser
    alike, coupled = draw(st.booleans()), draw(st.booleans())
    shared = [draw(_whole(1, 2)) for _ in range(n)]
    hessian, linear = [], []
    for i in range(n):
        top = shared[0] if alike else shared[i]
        cross = draw(_whole(-1, 1)) if coupled else fmpq(0)
        own = draw(_whole(1, 2)) + (1 if coupled else 0)
        hessian.append([[top + (1 if coupled else 0), cross], [cross, own]])
        linear.append([far * draw(_whole(-3, 3)), draw(_whole(-1, 1))])
    noise = Noise(NoiseLaw.RADEMACHER, draw(_whole(0, 2)), draw(_whole(0, 1)))
    assume(outcomes(kind, n, m, steps, rounds, noise) <= MOST_OUTCOMES)
    problem = FederatedQuadratic(_array(hessian), _array(linear), 1, noise)
    start = Start(
        u=_array([draw(_whole(-2, 2))]), v=_array([[draw(_whole(-1, 1))] for _ in range(n)])
    )
    algorithm = draw(_step_sizes(claim, kind, problem, start, m, steps, rounds))
    return Instance("witness", problem, algorithm, rounds, Method.RATIONAL, start)


def outcomes(kind: type[FedAvgP], n: int, m: int, steps: int, rounds: int, noise: Noise) -> int:
    """How many cases a script goes through that walks through this many rounds."""
    signs = 2 ** (steps * sum(1 for scale in noise.scales(1, 1) if scale != 0))
    first = 1 if kind is FedAvgP or noise.scale_u == 0 else 2 ** (steps * n)
    sets = comb(n, m)
    # all that the clients could do in the last round, from every state that earlier ones led to
    return int(first * (sets * signs**m) ** max(rounds - 1, 0) * sets * signs**n)


@st.composite
def _step_sizes(
    draw: st.DrawFn,
    claim: Claim,
    kind: type[FedAvgP],
    problem: FederatedQuadratic,
    start: Start,
    m: int,
    steps: int,
    rounds: int,
) -> FedAvgP:
    edges = rational_edges(claim, kind, problem, start, m, steps, rounds)
    if edges:
        return draw(st.sampled_from(edges))
    gamma = fmpq(1, draw(st.integers(1, 64)))
    outer = (fmpq(draw(st.integers(1, 2))) for _ in range(2))
    return kind(**vars(with_effective_step(m, steps, gamma, *outer)))


def rational_edges(
    claim: Claim,
    kind: type[FedAvgP],
    problem: FederatedQuadratic,
    start: Start,
    m: int,
    steps: int,
    rounds: int,
) -> list[FedAvgP]:
    """The claim's schedules with step sizes rounded inside the conditions."""
    found = []
    for _, edge in schedules((claim,), kind, to_float(problem), to_float(start), m, steps, rounds):
        found.append(_rounded_inside(edge))
    return found


def _rounded_inside(edge: FedAvgP) -> FedAvgP:
    """Gamma down to one over an integer, outer steps up to a quarter: conditions stay met."""
    gamma = fmpq(1, ceil(1.0 / (edge.inner_step_u * edge.outer_step_u) - 1e-9))
    outer = [fmpq(ceil(4 * x - 1e-9), 4) for x in (edge.outer_step_u, edge.outer_step_v)]
    inside = with_effective_step(edge.participants, edge.local_steps, gamma, *outer)
    return type(edge)(**vars(inside))


def rounded(claim: Claim, instance: Any) -> Iterator[Instance]:
    """Coarser and coarser to finer rational versions of a float instance with scalar blocks."""
    if not isinstance(instance, Instance):
        return
    problem, start, algorithm = instance.problem, instance.start, instance.algorithm
    if not isinstance(problem, FederatedQuadratic):
        return
    if max(problem.shared_dimension, problem.personal_dimension) > 1:
        return
    for bits in _ROUNDING_BITS:
        unit = 2.0**bits

        def coarse(number: Any, unit: float = unit) -> Any:
            return np.round(np.asarray(number, dtype=np.float64) * unit) / unit

        simple = to_rational(map_numbers(problem, coarse, lambda x: float(coarse(x))))
        begin = to_rational(map_numbers(start, coarse))
        arguments = (algorithm.participants, algorithm.local_steps, instance.rounds)
        own = _rounded_inside(algorithm)
        for edge in (*rational_edges(claim, type(algorithm), simple, begin, *arguments), own):
            yield replace(
                instance,
                name="witness",
                problem=simple,
                start=begin,
                algorithm=edge,
                method=Method.RATIONAL,
            )


def small_instances(claim: Claim) -> st.SearchStrategy[Instance]:
    """Small exact instances of the algorithm a claim is about."""
    for name in claim.algorithms:
        if name not in _KINDS:
            raise unknown_name("algorithm with small instances", name, _KINDS)
    return st.one_of(*(_KINDS[name](claim) for name in claim.algorithms))


def has_small_instances(claim: Claim) -> bool:
    """Whether there are some of every algorithm that a claim is about."""
    return set(claim.algorithms) <= _KINDS.keys()


_KINDS: Mapping[str, Callable[[Claim], st.SearchStrategy[Any]]] = {
    "FedAvg-P": lambda claim: small_quadratics(claim, FedAvgP),
    "Scaffold-P": lambda claim: small_quadratics(claim, ScaffoldP),
}
