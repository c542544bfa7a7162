"""What is measured in one round, as inner products of features of the local iterates.

A feature is linear in the state and noise on quadratics, so the same table serves replicas (sum
the products) and exact moments (contract the features' linear responses). Features have shape
(clients or 1, R, dimension), the client axis carrying local steps too where there are several.
"""

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import array_api_compat

from fedbounds.algorithms.fedavg_p import Draw, FedAvgP
from fedbounds.algorithms.rules import rules_of
from fedbounds.problems import Problem
from fedbounds.vocabulary import Quantity

Array = Any
Features = dict[str, Array]


@dataclass(frozen=True)
class Form:
    """A quantity as ``weight * sum <left, right>`` over clients and coordinates."""

    left: str
    right: str
    weight: Any


def forms(problem: Problem, algorithm: FedAvgP) -> dict[Quantity, Form]:
    """Every quantity of Table 1 and equation (3.1) of the partial-personalisation paper."""
    n, m = problem.clients, algorithm.participants
    gamma = algorithm.inner_step_u * algorithm.outer_step_u
    if problem.shared_dimension == 0:
        gamma = algorithm.inner_step_v * algorithm.outer_step_v
    one = gamma / gamma  # one of the number type in use
    return {
        Quantity.GRADIENT_U: Form("mean gradient u", "mean gradient u", one),
        Quantity.GRADIENT_V: Form("gradient v", "gradient v", one / n),
        Quantity.GRADIENTS: Form("gradient u", "gradient u", one),
        Quantity.T_1U: Form("mean gradient u", "mean sum u", -gamma),
        Quantity.T_1V: Form("gradient v", "sum v", -gamma * m / n**2),
        Quantity.T_2U: Form("mean sum u", "mean sum u", gamma**2),
        Quantity.T_2V: Form("sum v", "sum v", gamma**2 * m / n**2),
        Quantity.T_3U: Form("spread u", "spread u", one),
        Quantity.DRIFT: Form("drift", "drift", one),
    }


def observe(
    problem: Problem, algorithm: FedAvgP, carry: Any, drawn: Draw
) -> tuple[Features, Array]:
    """Features of one round and the rows reached by the local steps of all clients."""
    xp = array_api_compat.array_namespace(carry.u)
    n, replicas, d_u = problem.clients, carry.u.shape[0], problem.shared_dimension
    seen: list[Array] = []
    gradients: list[Array] = []

    def visit(k: int, z: Array, gradient: Array) -> None:
        seen.append(xp.reshape(z, (n, replicas, -1)))
        gradients.append(xp.reshape(gradient, (n, replicas, -1)))

    reached = rules_of(algorithm).local(problem, algorithm, carry, drawn, visit)
    first, total = gradients[0], reduce(add, gradients)
    mean_sum = _mean(xp, total[:, :, :d_u])
    features = {
        "gradient u": first[:, :, :d_u],
        "gradient v": first[:, :, d_u:],
        "mean gradient u": _mean(xp, first[:, :, :d_u]),
        "sum v": total[:, :, d_u:],
        "mean sum u": mean_sum,
        "spread u": total[:, :, :d_u] - mean_sum,
        # step 0 has no drift
        "drift": xp.concat([z - seen[0] for z in seen[1:]] or [seen[0] * 0], axis=0),
    }
    return features, reached


def _mean(xp: Any, array: Array) -> Array:
    return xp.sum(array, axis=0, keepdims=True) / array.shape[0]


def per_replica(form: Form, features: Features) -> Array:
    """The quantity in each replica, shape (R,)."""
    left, right = features[form.left], features[form.right]
    xp = array_api_compat.array_namespace(left)
    return xp.sum(xp.sum(left * right, axis=2), axis=0) * form.weight
