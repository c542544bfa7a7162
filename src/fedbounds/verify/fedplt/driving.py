"""FedPLT driven with every sample: rounds, and local steps with virtual aggregation after each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fedbounds.algorithms import fedplt_rows
from fedbounds.algorithms.fedavg_p import Carry, Draw, disturbed
from fedbounds.algorithms.fedplt_rows import FedPLT
from fedbounds.errors import require
from fedbounds.problems import FederatedQuadratic, Start
from fedbounds.problems.linear import is_positive_definite

from ..enumeration import client_outcomes, draw_of, repeated
from ..outcomes import MOST_ROWS
from .kinds import merged, samples, signs, uniform


@dataclass(frozen=True, eq=False)
class State:
    """Before a step: W of shape (P, d), W_k of shape (n, P, d), and the P probabilities."""

    W: np.ndarray
    Wk: np.ndarray
    weight: np.ndarray


@dataclass(frozen=True, eq=False)
class Seen:
    """What the clients did, in every row of P pasts times X samples.

    Samples have shape (X, n, steps, width), ``carry`` holds W^t, points and gradients have shape
    (steps, n, P X, d), and ``last`` is W_k^t of shape (n, P X, d).
    """

    samples: np.ndarray
    carry: Carry
    drawn: Draw
    points: np.ndarray
    exact: np.ndarray
    noisy: np.ndarray
    last: np.ndarray


def check(problem: FederatedQuadratic, algorithm: FedPLT) -> None:
    """Raise unless every F_k is a strongly convex quadratic."""
    kind = type(problem).__name__
    require(isinstance(problem, FederatedQuadratic), "problem", kind, "FederatedQuadratic")
    for client, hessian in enumerate(problem.hessian):
        require(is_positive_definite(hessian), f"Hessian of client {client}", hessian, "definite")


def begin(problem: FederatedQuadratic, algorithm: FedPLT, start: Start) -> State:
    """Before the first step."""
    check(problem, algorithm)
    W = fedplt_rows.init(problem, algorithm, start, 1).u
    return State(W, np.stack([W] * problem.clients), uniform(1, problem.hessian))


def rounds(
    problem: FederatedQuadratic, algorithms: Sequence[FedPLT], start: Start
) -> Iterator[tuple[State, Seen]]:
    """Every round, each with an algorithm of its own: they may differ in their step sizes."""
    require(len(algorithms) >= 1, "rounds", len(algorithms), "at least 1")
    state = begin(problem, algorithms[0], start)
    for algorithm in algorithms:
        seen = one_round(problem, algorithm, state)
        yield state, seen
        after = fedplt_rows.server(algorithm, seen.carry, seen.drawn, rows(seen.last))
        state = _next(state, len(seen.samples), after.u, np.stack([after.u] * problem.clients))


def local_steps(
    problem: FederatedQuadratic, algorithm: FedPLT, start: Start, count: int
) -> Iterator[tuple[State, Seen]]:
    """Local steps with virtual aggregation; where tau divides t + 1, W_k^{t+1} = W^{t+1}."""
    require(count >= 1, "local steps", count, "at least 1")
    state = begin(problem, algorithm, start)
    trained = np.asarray(algorithm.masks)[:, None, :]
    for t in range(count):
        seen = one_step(problem, algorithm, state)
        yield state, seen
        update = -algorithm.inner_step_u * seen.noisy[0]
        after = aggregate(algorithm, seen, update).u
        synchronised = (t + 1) % algorithm.local_steps == 0
        own = np.stack([after] * problem.clients) if synchronised else seen.last + trained * update
        state = _next(state, len(seen.samples), after, own)


def _samples(
    problem: FederatedQuadratic, algorithm: Any, state: State
) -> tuple[np.ndarray, Carry, Draw]:
    """Every sample of all clients, W^t and the draw: each past is followed by every sample."""
    pasts, n = len(state.weight), problem.clients
    count = pasts * len(client_outcomes(signs(problem), algorithm)) ** n
    require(count <= MOST_ROWS, "number of outcomes to enumerate", count, f"at most {MOST_ROWS}")
    every = samples(problem, algorithm)
    carry = repeated(Carry(state.W, np.zeros((n, pasts, 0), state.W.dtype)), len(every))
    drawn = draw_of(np.ones((n, count)), np.tile(every, (pasts, 1, 1, 1)))
    return every, carry, drawn


def one_round(problem: FederatedQuadratic, algorithm: FedPLT, state: State) -> Seen:
    """The local steps of every client from W^t."""
    every, carry, drawn = _samples(problem, algorithm, state)
    kept: list[tuple[np.ndarray, ...]] = []

    def visit(s: int, z: np.ndarray, gradient: np.ndarray, noisy: np.ndarray) -> None:
        kept.append((z, gradient, noisy))

    last = fedplt_rows.local(problem, algorithm, carry, drawn, visit)
    shape = (problem.clients, len(carry.u), -1)
    points, exact, noisy = (
        np.stack([a.reshape(shape) for a in each]) for each in zip(*kept, strict=True)
    )
    return Seen(every, carry, drawn, points, exact, noisy, last.reshape(shape))


def one_step(problem: FederatedQuadratic, algorithm: FedPLT, state: State) -> Seen:
    """One gradient of every client at its own W_k."""
    single = replace(algorithm, local_steps=1)
    every, carry, drawn = _samples(problem, single, state)
    at = np.repeat(state.Wk, len(every), axis=1)
    exact = problem.gradient(rows(at), drawn.cohort)
    noisy = disturbed(problem, rows(at), exact, drawn, 0)
    exact, noisy = exact.reshape(1, *at.shape), noisy.reshape(1, *at.shape)
    return Seen(every, carry, drawn, at[None], exact, noisy, at)


def rows(array: np.ndarray) -> np.ndarray:
    """Clients' vectors (n, R, d) as rows."""
    return array.reshape(-1, array.shape[-1])


def aggregate(algorithm: FedPLT, seen: Seen, update: np.ndarray) -> Carry:
    """What the server makes of updates U_k, shape (n, R, d)."""
    return fedplt_rows.server(algorithm, seen.carry, seen.drawn, rows(seen.carry.u + update))


def _next(state: State, samples: int, W: np.ndarray, Wk: np.ndarray) -> State:
    """The states reached, equal ones merged."""
    every = np.concatenate([W[None], Wk]).transpose(1, 0, 2).reshape(len(W), -1)
    first, weight = merged(every, np.repeat(state.weight / samples, samples))
    return State(W[first], Wk[:, first], weight)
