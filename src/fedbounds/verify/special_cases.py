"""The equivalences that a paper claims, on small exact instances of every shape they allow."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq

from fedbounds.algorithms.fedavg import FedAvg
from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.algorithms.fedsim import FedSim
from fedbounds.algorithms.parallel_sgd import ParallelSGD
from fedbounds.algorithms.scaffold import Scaffold
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.problems import FederatedQuadratic, Start
from fedbounds.theory.claims import Condition
from fedbounds.theory.equivalences import Equivalence, Pair, Parameters
from fedbounds.theory.symbols import K, d_u, d_v, eta_u, eta_v, gamma_u, gamma_v, m, n

from .equivalence import compare_exactly

ALGORITHMS: dict[str, Any] = {
    "FedAvg-P": FedAvgP,
    "Scaffold-P": ScaffoldP,
    "FedAvg": FedAvg,
    "FedSim": FedSim,
    "Scaffold": Scaffold,
    "parallel SGD": ParallelSGD,
}
# no two of them, nor their products, agree by chance
FREE_STEPS = {
    gamma_u: sp.Rational(1, 3),
    gamma_v: sp.Rational(1, 7),
    eta_u: sp.Rational(5, 2),
    eta_v: sp.Rational(11, 13),
}
_COUNTS = ("participants", "local_steps", "clients")
_MOST = 3  # clients, local steps
_DIMENSIONS = ((2, 1), (1, 2), (2, 0), (0, 2))
_ROUNDS = 3

Numbers = dict[sp.Symbol, sp.Rational]


@dataclass(frozen=True, eq=False)
class Case:
    """One small instance: sizes and step sizes by symbol, and a problem of that shape."""

    name: str
    numbers: Numbers
    problem: FederatedQuadratic
    start: Start


def cases(conditions: tuple[Condition, ...], steps: Numbers = FREE_STEPS) -> Iterator[Case]:
    """Every n, m and K up to 3 and a few dimensions that meet the conditions."""
    whole = range(1, _MOST + 1)
    for clients, participants, local_steps, (shared, own) in product(
        whole, whole, whole, _DIMENSIONS
    ):
        sizes = {n: clients, m: participants, K: local_steps, d_u: shared, d_v: own}
        numbers = {symbol: sp.Integer(size) for symbol, size in sizes.items()} | steps
        if participants <= clients and all(_holds(c, numbers) for c in conditions):
            name = " ".join(f"{symbol}={size}" for symbol, size in sizes.items())
            yield Case(name, numbers, *_quadratic(clients, shared, own))


def build(name: str, parameters: Parameters, numbers: Numbers) -> Any:
    """The parameters of the algorithm of that name; counts as integers, the rest as rationals."""
    given = {}
    for field, expression in parameters.items():
        value = sp.Rational(expression.subs(numbers))
        given[field] = int(value) if field in _COUNTS else fmpq(int(value.p), int(value.q))
    return ALGORITHMS[name](**given)


def judge_pair(pair: Pair) -> list[dict[str, Any]]:
    """One row per small instance: what it says about two algorithms being one."""
    rows = []
    for case in cases(pair.conditions):
        found = compare_exactly(
            case.problem,
            case.start,
            build(pair.general, pair.general_parameters, case.numbers),
            build(pair.special, pair.special_parameters, case.numbers),
            _ROUNDS,
        )
        rows.append(
            {
                "instance": case.name,
                "pair": pair.name,
                "reading": pair.reading,
                "restriction": pair.restriction,
                "general": pair.general,
                "special": pair.special,
                "parameters": {symbol.name: str(x) for symbol, x in case.numbers.items()},
                "verdict": found.verdict,
                "reason": found.reason,
                "deviation": found.deviation,
                "round": found.round,
                "where": found.where,
            }
        )
    return rows


def judge_equivalence(equivalence: Equivalence) -> list[dict[str, Any]]:
    """The rows of every pair of a claim, with the claim's id."""
    return [
        {"claim": equivalence.entry.id} | row
        for pair in equivalence.pairs
        for row in judge_pair(pair)
    ]


def _holds(condition: Condition, numbers: Numbers) -> bool:
    return bool(sp.Rel(condition.left, condition.right, condition.relation).subs(numbers))


def _quadratic(clients: int, shared: int, own: int) -> tuple[FederatedQuadratic, Start]:
    """Integer entries, coupled, every client its own; a start with no zero entry."""
    rng = np.random.default_rng([clients, shared, own])
    d = shared + own

    def whole(*shape: int) -> Any:
        entries = rng.integers(1, 5, shape) * (2 * rng.integers(0, 2, shape) - 1)
        return entries.astype(object) + fmpq(0)

    half = whole(clients, d, d)
    hessian = half + half.transpose(0, 2, 1)
    problem = FederatedQuadratic(hessian, whole(clients, d), shared)
    return problem, Start(whole(shared), whole(clients, own))
