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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fedbounds.algorithms.fedplt_rows import FedPLT, compensation, shares
from fedbounds.errors import require
from fedbounds.problems import FederatedQuadratic, Start
from fedbounds.problems.linear import solve

from ..outcomes import Outcomes
from . import driving
from .driving import Seen, State, aggregate, check, one_step, rows
from .kinds import largest, numbers, uniform

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


def free_outcomes(
    problem: FederatedQuadratic, algorithm: FedPLT, W: np.ndarray, Wk: np.ndarray
) -> Enumerated:
    """One step from free vectors: ``W`` of shape (d,) and ``Wk`` of shape (n, d)."""
    check(problem, algorithm)
    n, d = problem.clients, problem.shared_dimension
    for name, array, shape in (("W", W, (d,)), ("W_k", Wk, (n, d))):
        require(array.shape == shape, f"shape of {name}", array.shape, str(shape))
    kind = problem.hessian.dtype
    state = State(W[None].astype(kind), Wk[:, None].astype(kind), uniform(1, problem.hessian))
    return enumerated(problem, algorithm, state, one_step(problem, algorithm, state), 0)


def round_outcomes(
    problem: FederatedQuadratic, algorithm: FedPLT, start: Start, rounds: int
) -> Enumerated:
    """Round t = ``rounds - 1`` of the algorithm: W_k^t is W_k^{t,tau}, U_k^t the round's sum.

    Raises
    ------
    FedboundsError
        If there are more than `MOST_ROWS` outcomes, infinitely many, or F_k is not strongly convex.
    """
    *_, last = all_rounds(problem, [algorithm] * rounds, start)
    return last


def virtual_outcomes(
    problem: FederatedQuadratic, algorithm: FedPLT, start: Start, steps: int
) -> Enumerated:
    """Local step t = ``steps - 1``: W^{t+1} = W^t + D, W_k^{t+1} = W_k^t + m_k o U_k^t.

    Where tau divides t + 1, W_k^{t+1} = W^{t+1} is the global model of the algorithm.
    """
    *_, last = all_steps(problem, algorithm, start, steps)
    return last


def all_rounds(
    problem: FederatedQuadratic, algorithms: Sequence[FedPLT], start: Start
) -> Iterator[Enumerated]:
    """Every round as `round_outcomes` has it, each with its own algorithm."""
    for t, (state, seen) in enumerate(driving.rounds(problem, algorithms, start)):
        yield enumerated(problem, algorithms[t], state, seen, t)


def all_steps(
    problem: FederatedQuadratic, algorithm: FedPLT, start: Start, count: int
) -> Iterator[Enumerated]:
    """Every local step as `virtual_outcomes` has it."""
    for t, (state, seen) in enumerate(driving.local_steps(problem, algorithm, start, count)):
        yield enumerated(problem, algorithm, state, seen, t)


# ---- the vectors


def enumerated(
    problem: FederatedQuadratic, algorithm: FedPLT, state: State, seen: Seen, t: int
) -> Enumerated:
    """All vectors of a step, or of a round."""
    steps, n, _, d = seen.points.shape
    sizes = (len(state.weight), len(seen.samples), n, steps)
    vectors = {
        name: _shaped(array, sizes) for name, array in _vectors(problem, algorithm, seen).items()
    }
    scale = largest(list(vectors.values()))
    require(bool(np.isfinite(scale)), "largest entry of a vector", scale, "a finite number")
    like = problem.hessian
    c, masks = numbers(shares(algorithm), like), np.asarray(algorithm.masks)
    # alpha_r = min(1, sqrt(d r)) with d r = ||m||_0, a whole number: 0 or 1
    attenuation = numbers([min(1, int(row.sum())) for row in masks], like)
    space = Outcomes(
        sources=SOURCES,
        weights=(state.weight, uniform(sizes[1], like), c, uniform(steps, like)),
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
        "mask": numbers(masks.reshape(-1).tolist(), like).reshape(1, 1, n, 1, d),
        "comp": numbers(compensation(algorithm), like).reshape(1, 1, 1, 1, d),
        "share": c.reshape(1, 1, n, 1, 1),
        "attenuate": attenuation.reshape(1, 1, n, 1, 1),
    }
    return Enumerated(space, factors)


def _vectors(problem: FederatedQuadratic, algorithm: FedPLT, seen: Seen) -> dict[str, np.ndarray]:
    """Every vector, shape (tau or 1, n or 1, R, width)."""
    n, d = problem.clients, problem.shared_dimension
    W, cohort, minus_eta = seen.carry.u, seen.drawn.cohort, -algorithm.inner_step_u
    c = numbers(shares(algorithm), problem.hessian)
    whole, slope = (c @ problem.hessian.reshape(n, -1)).reshape(d, d), c @ problem.linear
    best = _minimiser(whole, slope)
    own = [_minimiser(*each) for each in zip(problem.hessian, problem.linear, strict=True)]
    everywhere = {
        "Ek": seen.last,
        "E0": np.stack([W] * n),
        "Es": np.broadcast_to(best, (n, len(W), d)),
    }
    least = np.broadcast_to(np.stack(own)[:, None], (n, len(W), d))
    lowest = problem.value(rows(least), cohort).reshape(n, -1, 1)
    values = {
        name: problem.value(rows(at), cohort).reshape(n, -1, 1) - lowest
        for name, at in everywhere.items()
    }
    noise = (seen.noisy - seen.exact).sum(axis=0)
    U, Ub = minus_eta * seen.noisy.sum(axis=0), minus_eta * seen.exact.sum(axis=0)
    after, without = (aggregate(algorithm, seen, update).u for update in (U, Ub))
    found = {
        **{"W": W, "Wk": seen.last, "Wstar": everywhere["Es"], "Wn": after},
        "g": problem.gradient(rows(seen.last), cohort).reshape(n, -1, d),
        "g0": problem.gradient(rows(everywhere["E0"]), cohort).reshape(n, -1, d),
        **{"Ws": seen.points, "gs": seen.exact, "ns": seen.noisy - seen.exact},
        "Gs": seen.points @ whole + slope,
        **{"U": U, "Ub": Ub, "delta": U - Ub, "noise": noise},
        **{"D": after - W, "Db": without - W},
        **values,
        "gap": (c[:, None, None] * (lowest + values["Es"])).sum(axis=0)[None] - lowest,
        "one": uniform(1, problem.hessian).reshape(1, 1, 1),
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
