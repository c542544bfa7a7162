"""Scaffold-P and FedAvg-P with each client's last participation: slow, obvious, on plain lists.

Written from the statement sheet (algorithms 3.1 and 4.1, definitions def-virtual and def-alpha).
Nothing here imports fedbounds. Numbers are fractions or rationals of any library.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from oracles import (
    Cosine,
    Quadratic,
    Steps,
    Vector,
    aggregate,
    minus,
    plus,
    sign_patterns,
    times,
)


@dataclass(frozen=True)
class State:
    """Before round t: iterates, control variates, and each client's last participation.

    Attributes
    ----------
    own, mean : c_i^t and c^t; empty tuples for FedAvg-P
    alpha, beta : alpha_{i,k}^{t-1} and beta_{i,k}^{t-1}, by client and step
    past : the u-noise of the gradients there, by client and step
    """

    u: Any
    v: Any
    own: Any
    mean: Any
    alpha: Any
    beta: Any
    past: Any


@dataclass(frozen=True)
class Run:
    """What is run: the objective, the steps, the noise's standard deviations, and which rule."""

    objective: Quadratic | Cosine
    steps: Steps
    scales: Vector
    corrected: bool  # Scaffold-P; else FedAvg-P

    @property
    def one(self) -> Any:
        """One of the number type in use."""
        return self.steps.one

    @property
    def gamma(self) -> Any:
        """gamma_u eta_u = gamma_v eta_v; of the block that is there, where one is dropped."""
        if self.objective.d_u == 0:
            return self.steps.gamma_v * self.steps.eta_v
        return self.steps.gamma_u * self.steps.eta_u

    @property
    def clients(self) -> range:
        return range(self.objective.clients)

    @property
    def local_steps(self) -> range:
        return range(self.steps.K)


def frozen(nested: Any) -> Any:
    """Nested tuples, so that equal states are one dictionary key."""
    return tuple(map(frozen, nested)) if isinstance(nested, list | tuple) else nested


def total(run: Run, vectors: Sequence[Vector], size: int) -> Vector:
    """The sum of vectors of the given size."""
    found: Vector = [run.one * 0] * size
    for vector in vectors:
        found = plus(found, vector)
    return found


def average(run: Run, vectors: Sequence[Vector]) -> Vector:
    return times(run.one / len(vectors), total(run, vectors, len(vectors[0])))


# ---- the algorithm


def starts(run: Run, u: Vector, v: Sequence[Vector]) -> dict[State, Any]:
    """The state before round 0 with its probability (input line of algorithm 4.1)."""
    here = [[list(u)] * run.steps.K for _ in run.clients]
    there = [[list(v[i])] * run.steps.K for i in run.clients]
    if not run.corrected:
        return {State(*map(frozen, (list(u), v, (), (), here, there, ()))): run.one}
    found: dict[State, Any] = {}
    walks = [list(noise) for noise in sign_patterns(run.scales, run.steps.K)]
    for noise in product(walks, repeat=len(run.clients)):
        past = [[noise[i][k][: len(u)] for k in run.local_steps] for i in run.clients]
        own = []
        for i in run.clients:
            grad_u, _ = run.objective.gradient(i, u, v[i])
            own.append(average(run, [plus(grad_u, past[i][k]) for k in run.local_steps]))
        state = State(*map(frozen, (list(u), v, own, average(run, own), here, there, past)))
        found[state] = found.get(state, 0) + run.one / len(walks) ** len(run.clients)
    return found


def correction(run: Run, state: State, i: int) -> Vector:
    """-c_i + c, or zero for FedAvg-P."""
    return minus(state.mean, state.own[i]) if run.corrected else [run.one * 0] * len(state.u)


@dataclass(frozen=True)
class Path:
    """One client's virtual local iterates, k = 0, ..., K, and gradients there, k < K."""

    points: Sequence[tuple[Vector, Vector]]
    exact: Sequence[tuple[Vector, Vector]]
    noisy: Sequence[tuple[Vector, Vector]]
    noise_u: Sequence[Vector]


def path_of(run: Run, state: State, i: int, noise: Sequence[Vector]) -> Path:
    """Definition def-virtual for client i; ``noise[k]`` has the shared coordinates first."""
    points: list[tuple[Vector, Vector]] = [(list(state.u), list(state.v[i]))]
    exact, noisy = [], []
    d_u = len(state.u)
    for k in run.local_steps:
        u_k, v_k = points[-1]
        grad_u, grad_v = run.objective.gradient(i, u_k, v_k)
        drawn = (plus(grad_u, noise[k][:d_u]), plus(grad_v, noise[k][d_u:]))
        followed = plus(drawn[0], correction(run, state, i))
        u_next = minus(u_k, times(run.steps.gamma_u, followed))
        v_next = minus(v_k, times(run.steps.gamma_v, drawn[1]))
        points.append((u_next, v_next))
        exact.append((grad_u, grad_v))
        noisy.append(drawn)
    return Path(points, exact, noisy, [noise[k][:d_u] for k in run.local_steps])


def after(run: Run, state: State, paths: Sequence[Path], subset: Sequence[int]) -> State:
    """Lines 9 to 13 of algorithm 4.1 (9 to 11 of algorithm 3.1), and definition def-alpha."""
    u, v = aggregate(run.steps, state.u, state.v, {i: paths[i].points[-1] for i in subset})
    alpha, beta, past = list(state.alpha), list(state.beta), list(state.past)
    own, mean = list(state.own), state.mean
    for i in subset:
        alpha[i] = [paths[i].points[k][0] for k in run.local_steps]
        beta[i] = [paths[i].points[k][1] for k in run.local_steps]
        if run.corrected:
            past[i] = paths[i].noise_u
            moved = minus(state.u, paths[i].points[-1][0])
            share = run.one / (run.steps.K * run.steps.gamma_u)
            own[i] = plus(minus(state.own[i], state.mean), times(share, moved))
    if run.corrected:
        changes = [minus(own[i], state.own[i]) for i in subset]
        share = run.one / len(run.clients)
        mean = plus(state.mean, times(share, total(run, changes, len(u))))
    return State(*map(frozen, (u, v, own, mean, alpha, beta, past)))
