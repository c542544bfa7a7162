"""Every vector that FedPLT's analysis speaks of, under every outcome of the randomness.

`values` evaluates statements on these arrays. The analysis uses t, W^t and W_k^t in three
ways, one function each: `free_outcomes` takes one step from given vectors (view A),
`round_outcomes` counts rounds of the algorithm (view R), `virtual_outcomes` counts local steps and
aggregates virtually after each (view V).

Sources are ``past`` (everything before), ``xi`` (all samples of the round, or step), ``k`` (the
client, with probability c_k) and ``s`` (the local step of a round, uniform; one in views A and V).
So sum_k c_k x_k = given(x, past, xi), and sum_k c_k ||x_k||^2 = sq(x) before expectation.

    W Wk Wstar Wn       W^t, W_k^t (in view R W_k^{t,tau}), W* = argmin sum_k c_k F_k, W^{t+1}
    g g0                grad F_k at W_k^t and at W^t
    Ws gs Gs ns         W_k^{t,s}, grad F_k and grad F there, stochastic minus exact gradient there
    U Ub delta noise    U_k^t = -eta sum_s (gs + ns), without ns, their difference, sum_s ns
    D Db                W^{t+1} - W^t, and the same from Ub
    Ek E0 Es            F_k(W_k^t) - F_k*, F_k(W^t) - F_k*, F_k(W*) - F_k*
    gap one             F* - F_k*, and 1: with Ek, E0 and Es, vectors of one coordinate
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fedbounds.algorithms import fedplt
from fedbounds.algorithms.fedavg_p import Carry, Draw, disturbed
from fedbounds.algorithms.fedplt import FedPLT, compensation, shares
from fedbounds.errors import require
from fedbounds.problems import FederatedQuadratic, Start
from fedbounds.problems.linear import is_positive_definite, solve

from ..enumeration import client_outcomes, draw_of, repeated, sample_patterns
from ..outcomes import MOST_ROWS, Outcomes

SOURCES = ("past", "xi", "k", "s")
NUMBERS = frozenset({"Ek", "E0", "Es", "gap", "one"})  # vectors of one coordinate


@dataclass(frozen=True, eq=False)
class Enumerated:
    """The vectors, and what statements multiply them by.

    Attributes
    ----------
    space : Outcomes
        One axis per source and a last one for coordinates; for `outcomes.depends_on` too.
    factors : mapping from function name to array
        ``mask(x)`` = m_k o x, ``comp(x)`` = psi o x, ``share(x)`` = c_k x and ``attenuate(x)`` =
        alpha_{r_k} x, each shaped like a vector.
    """

    space: Outcomes
    factors: Mapping[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class _State:
    """Before a step: W of shape (P, d), W_k of shape (n, P, d), and the P probabilities."""

    W: np.ndarray
    Wk: np.ndarray
    weight: np.ndarray


@dataclass(frozen=True, eq=False)
class _Seen:
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


def free_outcomes(
    problem: FederatedQuadratic, algorithm: FedPLT, W: np.ndarray, Wk: np.ndarray
) -> Enumerated:
    """One step from free vectors: ``W`` of shape (d,) and ``Wk`` of shape (n, d)."""
    _check(problem, algorithm)
    n, d = problem.clients, problem.shared_dimension
    for name, array, shape in (("W", W, (d,)), ("W_k", Wk, (n, d))):
        require(array.shape == shape, f"shape of {name}", array.shape, str(shape))
    state = _State(W[None].astype(float), Wk[:, None].astype(float), np.ones(1))
    return _enumerated(problem, algorithm, state.weight, _one_step(problem, algorithm, state), 0)


def round_outcomes(
    problem: FederatedQuadratic, algorithm: FedPLT, start: Start, rounds: int
) -> Enumerated:
    """Round t = ``rounds - 1`` of the algorithm: W_k^t is W_k^{t,tau}, U_k^t the round's sum.

    Raises
    ------
    FedboundsError
        If there are more than `MOST_ROWS` outcomes, infinitely many, or F_k is not strongly convex.
    """
    state = _before_round(problem, algorithm, start, rounds)
    seen = _one_round(problem, algorithm, state)
    return _enumerated(problem, algorithm, state.weight, seen, rounds - 1)


def virtual_outcomes(
    problem: FederatedQuadratic, algorithm: FedPLT, start: Start, steps: int
) -> Enumerated:
    """Local step t = ``steps - 1``: W^{t+1} = W^t + D, W_k^{t+1} = W_k^t + m_k o U_k^t.

    Where tau divides t + 1, W_k^{t+1} = W^{t+1} is the global model of the algorithm.
    """
    require(steps >= 1, "local steps", steps, "at least 1")
    state = _begin(problem, algorithm, start)
    trained = np.asarray(algorithm.masks)[:, None, :]
    for t in range(steps - 1):
        seen = _one_step(problem, algorithm, state)
        update = -algorithm.inner_step_u * seen.noisy[0]
        after = _aggregate(algorithm, seen, update).u
        synchronised = (t + 1) % algorithm.local_steps == 0
        own = np.stack([after] * problem.clients) if synchronised else seen.last + trained * update
        state = _next(state, len(seen.samples), after, own)
    seen = _one_step(problem, algorithm, state)
    return _enumerated(problem, algorithm, state.weight, seen, steps - 1)


# ---- the algorithm, driven with every sample


def _check(problem: FederatedQuadratic, algorithm: FedPLT) -> None:
    """Raise unless every F_k is a strongly convex quadratic."""
    kind = type(problem).__name__
    require(isinstance(problem, FederatedQuadratic), "problem", kind, "FederatedQuadratic")
    for client, hessian in enumerate(problem.hessian):
        require(is_positive_definite(hessian), f"Hessian of client {client}", hessian, "definite")


def _begin(problem: FederatedQuadratic, algorithm: FedPLT, start: Start) -> _State:
    _check(problem, algorithm)
    W = fedplt.init(problem, algorithm, start, 1).u
    return _State(W, np.stack([W] * problem.clients), np.ones(1))


def _before_round(
    problem: FederatedQuadratic, algorithm: FedPLT, start: Start, rounds: int
) -> _State:
    """Before round ``rounds - 1``, counted from 0."""
    require(rounds >= 1, "rounds", rounds, "at least 1")
    state = _begin(problem, algorithm, start)
    for _ in range(rounds - 1):
        seen = _one_round(problem, algorithm, state)
        after = fedplt.server(algorithm, seen.carry, seen.drawn, _rows(seen.last))
        state = _next(state, len(seen.samples), after.u, np.stack([after.u] * problem.clients))
    return state


def _samples(
    problem: FederatedQuadratic, algorithm: Any, state: _State
) -> tuple[np.ndarray, Carry, Draw]:
    """Every sample of all clients, W^t and the draw: each past is followed by every sample."""
    pasts, n = len(state.weight), problem.clients
    count = pasts * len(client_outcomes(problem, algorithm)) ** n
    require(count <= MOST_ROWS, "number of outcomes to enumerate", count, f"at most {MOST_ROWS}")
    samples = sample_patterns(problem, algorithm, range(n))
    carry = repeated(Carry(state.W, np.zeros((n, pasts, 0))), len(samples))
    drawn = draw_of(np.ones((n, count)), np.tile(samples, (pasts, 1, 1, 1)))
    return samples, carry, drawn


def _one_round(problem: FederatedQuadratic, algorithm: FedPLT, state: _State) -> _Seen:
    samples, carry, drawn = _samples(problem, algorithm, state)
    kept: list[tuple[np.ndarray, ...]] = []

    def visit(s: int, z: np.ndarray, gradient: np.ndarray, noisy: np.ndarray) -> None:
        kept.append((z, gradient, noisy))

    last = fedplt.local(problem, algorithm, carry, drawn, visit)
    shape = (problem.clients, len(carry.u), -1)
    points, exact, noisy = (
        np.stack([a.reshape(shape) for a in each]) for each in zip(*kept, strict=True)
    )
    return _Seen(samples, carry, drawn, points, exact, noisy, last.reshape(shape))


def _one_step(problem: FederatedQuadratic, algorithm: FedPLT, state: _State) -> _Seen:
    """One gradient of every client at its own W_k."""
    single = replace(algorithm, local_steps=1)
    samples, carry, drawn = _samples(problem, single, state)
    at = np.repeat(state.Wk, len(samples), axis=1)
    exact = problem.gradient(_rows(at), drawn.cohort)
    noisy = disturbed(problem, _rows(at), exact, drawn, 0)
    exact, noisy = exact.reshape(1, *at.shape), noisy.reshape(1, *at.shape)
    return _Seen(samples, carry, drawn, at[None], exact, noisy, at)


def _rows(array: np.ndarray) -> np.ndarray:
    """Clients' vectors (n, R, d) as rows."""
    return array.reshape(-1, array.shape[-1])


def _aggregate(algorithm: FedPLT, seen: _Seen, update: np.ndarray) -> Carry:
    """What the server makes of updates U_k, shape (n, R, d)."""
    return fedplt.server(algorithm, seen.carry, seen.drawn, _rows(seen.carry.u + update))


def _next(state: _State, samples: int, W: np.ndarray, Wk: np.ndarray) -> _State:
    """The states reached, equal ones merged."""
    weight = np.repeat(state.weight / samples, samples)
    every = np.concatenate([W[None], Wk]).transpose(1, 0, 2).reshape(len(W), -1)
    _, first, which = np.unique(every, axis=0, return_index=True, return_inverse=True)
    return _State(W[first], Wk[:, first], np.bincount(which.reshape(-1), weights=weight))


# ---- the vectors


def _enumerated(
    problem: FederatedQuadratic, algorithm: FedPLT, weight: np.ndarray, seen: _Seen, t: int
) -> Enumerated:
    steps, n, _, d = seen.points.shape
    sizes = (len(weight), len(seen.samples), n, steps)
    vectors = {
        name: _shaped(array, sizes) for name, array in _vectors(problem, algorithm, seen).items()
    }
    scale = max(float(abs(array).max()) for array in vectors.values())
    require(bool(np.isfinite(scale)), "largest entry of a vector", scale, "a finite number")
    c = np.array([float(share) for share in shares(algorithm)])
    masks = np.asarray(algorithm.masks, dtype=float)
    space = Outcomes(
        sources=SOURCES,
        weights=(weight, np.full(sizes[1], 1 / sizes[1]), c, np.full(steps, 1 / steps)),
        vectors=vectors,
        present=np.ones((1, 1, 1, 1, 1)),
        samples=seen.samples,
        t=t,
        client=None,
        step=None,
        series={},
        scale=scale,
    )
    factors = {
        "mask": masks.reshape(1, 1, n, 1, d),
        "comp": np.array([float(psi) for psi in compensation(algorithm)]).reshape(1, 1, 1, 1, d),
        "share": c.reshape(1, 1, n, 1, 1),
        # alpha_r = min(1, sqrt(d r)) with d r = ||m||_0
        "attenuate": np.minimum(1.0, np.sqrt(masks.sum(axis=1))).reshape(1, 1, n, 1, 1),
    }
    return Enumerated(space, factors)


def _vectors(problem: FederatedQuadratic, algorithm: FedPLT, seen: _Seen) -> dict[str, np.ndarray]:
    """Every vector, shape (tau or 1, n or 1, R, width)."""
    n, d = problem.clients, problem.shared_dimension
    W, cohort, minus_eta = seen.carry.u, seen.drawn.cohort, -algorithm.inner_step_u
    c = np.array([float(share) for share in shares(algorithm)])
    best = _minimiser(np.tensordot(c, problem.hessian, 1), c @ problem.linear)
    own = [_minimiser(*each) for each in zip(problem.hessian, problem.linear, strict=True)]
    everywhere = {
        "Ek": seen.last,
        "E0": np.stack([W] * n),
        "Es": np.broadcast_to(best, (n, len(W), d)),
    }
    least = np.broadcast_to(np.stack(own)[:, None], (n, len(W), d))
    lowest = problem.value(_rows(least), cohort).reshape(n, -1, 1)
    numbers = {
        name: problem.value(_rows(at), cohort).reshape(n, -1, 1) - lowest
        for name, at in everywhere.items()
    }
    noise = (seen.noisy - seen.exact).sum(axis=0)
    U, Ub = minus_eta * seen.noisy.sum(axis=0), minus_eta * seen.exact.sum(axis=0)
    after, without = (_aggregate(algorithm, seen, update).u for update in (U, Ub))
    found = {
        **{"W": W, "Wk": seen.last, "Wstar": everywhere["Es"], "Wn": after},
        "g": problem.gradient(_rows(seen.last), cohort).reshape(n, -1, d),
        "g0": problem.gradient(_rows(everywhere["E0"]), cohort).reshape(n, -1, d),
        **{"Ws": seen.points, "gs": seen.exact, "ns": seen.noisy - seen.exact},
        "Gs": seen.points @ np.tensordot(c, problem.hessian, 1) + c @ problem.linear,
        **{"U": U, "Ub": Ub, "delta": U - Ub, "noise": noise},
        **{"D": after - W, "Db": without - W},
        **numbers,
        "gap": np.tensordot(c, lowest + numbers["Es"], 1)[None] - lowest,
        "one": np.ones((1, 1, 1)),
    }
    return {
        name: array.reshape((1,) * (4 - array.ndim) + array.shape) for name, array in found.items()
    }


def _minimiser(hessian: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """Of a strongly convex quadratic."""
    found = solve(hessian, -slope[:, None])
    assert found is not None
    return np.asarray(found[:, 0])


def _shaped(array: np.ndarray, sizes: tuple[int, ...]) -> np.ndarray:
    """One axis per source, filled out: no axis is assumed constant."""
    pasts, samples, clients, steps = sizes
    full = np.broadcast_to(array, (steps, clients, pasts * samples, array.shape[-1]))
    return full.transpose(2, 1, 0, 3).reshape(*sizes, array.shape[-1])
