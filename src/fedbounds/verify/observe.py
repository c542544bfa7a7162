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
from fedbounds.algorithms.participation import inclusion
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.problems import Problem

from .memory import Each, Means

Array = Any
Features = dict[str, Array]


@dataclass(frozen=True)
class Form:
    """``weight * sum <left, right>`` over clients and coordinates."""

    left: str
    right: str
    weight: Any


Forms = tuple[Form, ...]  # a quantity is their sum


@dataclass(frozen=True, eq=False)
class Seen:
    """What every client did in one round, before the server acts.

    Attributes
    ----------
    features : dict of arrays
    points : list of arrays, shape (n, R, d) each
        The iterates before each local step.
    gradients, noisy : lists of arrays
        Exact and stochastic gradients there.
    reached : object
        What `local` returned, for `server`.
    """

    features: Features
    points: list[Array]
    gradients: list[Array]
    noisy: list[Array]
    reached: Any


def effective_step(problem: Problem, algorithm: FedAvgP) -> Any:
    """gamma = gamma_u eta_u, or gamma_v eta_v where the shared block is dropped."""
    if problem.shared_dimension == 0:
        return algorithm.inner_step_v * algorithm.outer_step_v
    return algorithm.inner_step_u * algorithm.outer_step_u


def forms(problem: Problem, algorithm: FedAvgP) -> dict[str, Forms]:
    """Quantities of Table 1 and equation (3.1) that every run has, the set S averaged out."""
    n, m = problem.clients, algorithm.participants
    gamma = effective_step(problem, algorithm)
    one = gamma / gamma  # one of the number type in use
    found: dict[str, Forms] = {
        "G_u": (Form("mean gradient u", "mean gradient u", one),),
        "G_v": (Form("gradient v", "gradient v", one / n),),
        "B": (Form("gradient u", "gradient u", one),),
        "T_1u": (Form("mean gradient u", "mean sum u", -gamma),),
        "T_1v": (Form("gradient v", "sum v", -gamma * m / n**2),),
        "T_2u": (Form("mean sum u", "mean sum u", gamma**2),),
        "T_2v": (Form("sum v", "sum v", gamma**2 * m / n**2),),
        "T_3u": (Form("spread u", "spread u", one),),
        "E": (Form("drift", "drift", one),),
        "P_u": _pooled(algorithm, n, "sum u", "mean sum u", (gamma / m) ** 2),
        "Y_sum": _pooled(algorithm, n, "noise sum u", "mean noise sum u", one),
        "Y_2": (Form("noise u", "noise u", one * m / n),),
    }
    if isinstance(algorithm, ScaffoldP):
        found |= _scaffold_forms(algorithm, n, one)
    return found


def measured(table: dict[str, Forms], features: Features) -> dict[str, Forms]:
    """The quantities whose features are there: a carry without a memory lacks some."""
    return {
        name: quantity
        for name, quantity in table.items()
        if all({form.left, form.right} <= features.keys() for form in quantity)
    }


def _pooled(algorithm: FedAvgP, n: int, own: str, mean: str, weight: Any) -> Forms:
    """E ||sum_{i in S} x_i||^2 from the x_i and their mean: only P(i in S), P(i, j in S) enter."""
    single, pair = inclusion(n, algorithm.participants)
    alone, together = single - pair, pair * n * n
    return (
        Form(own, own, weight * alone.numerator / alone.denominator),
        Form(mean, mean, weight * together.numerator / together.denominator),
    )


def _scaffold_forms(algorithm: FedAvgP, n: int, one: Any) -> dict[str, Forms]:
    m, steps = algorithm.participants, algorithm.local_steps
    error, mean = "control error", "mean control error"
    return {
        "S_3u": (Form("corrected spread u", "corrected spread u", one),),
        "cd_2": (Form(mean, mean, one),),
        "W_own": _pooled(algorithm, n, error, mean, one * steps**2),
        "W_mean": (Form(mean, mean, one * (m * steps) ** 2),),
        "c_2": (Form("control", "control", one),),
        "cbar_2": (Form("mean controls", "mean controls", one),),
        "ccbar": (Form("control", "mean controls", one),),
        # these need every point of a client's last participation
        "C": (Form("lag", "lag", one),),
        "W_2": (Form("past noise", "past noise", one * m / n),),
        "What_2": (Form("past noise", "past noise", one),),
        "What_sum": (Form("past noise sum", "past noise sum", one),),
    }


def round_forms(n: int, one: Any) -> dict[str, Forms]:
    """Quantities of the increments, with the features of `increments`, for one set S."""
    return {
        "Du_2": (Form("step u", "step u", one),),
        "Dv_2": (Form("step v", "step v", one / n),),
        "X_u": (Form("mean gradient u", "step u", one),),
        "X_v": (Form("gradient v", "step v", one / n),),
    }


def observe(problem: Problem, algorithm: FedAvgP, rules: Any, carry: Any, drawn: Draw) -> Seen:
    """Run the local steps of all clients and take the features that do not depend on S."""
    xp = array_api_compat.array_namespace(carry.u)
    n, replicas, d_u = problem.clients, carry.u.shape[0], problem.shared_dimension
    seen: list[Array] = []
    gradients: list[Array] = []
    disturbed: list[Array] = []

    def visit(k: int, z: Array, gradient: Array, noisy: Array) -> None:
        for rows, kept in ((z, seen), (gradient, gradients), (noisy, disturbed)):
            kept.append(xp.reshape(rows, (n, replicas, -1)))

    reached = rules.local(problem, algorithm, carry, drawn, visit)
    first, total = gradients[0], reduce(add, gradients)
    mean_sum = _mean(xp, total[:, :, :d_u])
    noise = [a[:, :, :d_u] - b[:, :, :d_u] for a, b in zip(disturbed, gradients, strict=True)]
    noise_sum = reduce(add, noise)
    features = {
        "gradient u": first[:, :, :d_u],
        "gradient v": first[:, :, d_u:],
        "mean gradient u": _mean(xp, first[:, :, :d_u]),
        "sum u": total[:, :, :d_u],
        "sum v": total[:, :, d_u:],
        "mean sum u": mean_sum,
        "spread u": total[:, :, :d_u] - mean_sum,
        # step 0 has no drift
        "drift": xp.concat([z - seen[0] for z in seen[1:]] or [seen[0] * 0], axis=0),
        "noise u": xp.concat(noise, axis=0),
        "noise sum u": noise_sum,
        "mean noise sum u": _mean(xp, noise_sum),
    }
    if isinstance(carry, Each | Means):
        exact = carry.noise_free(problem)
        corrected = features["spread u"] - (exact - _mean(xp, exact)) * algorithm.local_steps
        features |= {"corrected spread u": corrected, **control_features(problem, carry)}
    return Seen(features, seen, gradients, disturbed, reached)


def control_features(problem: Problem, carry: Any) -> Features:
    """Features of the control variates; ``carry`` remembers the last participation."""
    xp = array_api_compat.array_namespace(carry.u)
    exact = carry.noise_free(problem)
    return {
        "control": carry.control[None, :, :],
        "controls": carry.controls,
        "mean controls": _mean(xp, carry.controls),
        "control error": carry.controls - exact,
        # c itself, not the mean of the c_i: that they agree is a claim
        "mean control error": carry.control[None, :, :] - _mean(xp, exact),
        **carry.remembered(problem),
    }


def increments(carry: Any, after: Any) -> Features:
    """u^{t+1} - u^t and v^{t+1} - v^t."""
    return {"step u": (after.u - carry.u)[None, :, :], "step v": after.v - carry.v}


def _mean(xp: Any, array: Array) -> Array:
    return xp.sum(array, axis=0, keepdims=True) / array.shape[0]


def per_replica(quantity: Forms, features: Features) -> Array:
    """The quantity in each replica, shape (R,)."""

    def one(form: Form) -> Array:
        left, right = features[form.left], features[form.right]
        xp = array_api_compat.array_namespace(left)
        return xp.sum(xp.sum(left * right, axis=2), axis=0) * form.weight

    return reduce(add, (one(form) for form in quantity))
