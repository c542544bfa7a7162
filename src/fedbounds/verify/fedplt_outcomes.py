"""Every vector that FedPLT's analysis speaks of, under every outcome of the randomness.

The analysis uses t, W^t and W_k^t in three ways, one function each: `free_outcomes` takes one step
from given vectors (view A), `round_outcomes` counts rounds of the algorithm (view R),
`virtual_outcomes` counts local steps and aggregates virtually after each (view V).

Sources are ``past`` (everything before), ``xi`` (all samples of the round, or step), ``k`` (the
client, with probability c_k) and ``s`` (the local step of a round, uniform; one in views A and V).
So sum_k c_k x_k = given(x, past, xi), and sum_k c_k ||x_k||^2 = sq(x) before expectation.

    W Wk Wstar Wn       W^t, W_k^t (in view R W_k^{t,tau}), W* = argmin sum_k c_k F_k, W^{t+1}
    g g0                grad F_k at W_k^t and at W^t
    Ws gs ns            W_k^{t,s}, grad F_k there, stochastic minus exact gradient there
    U Ub delta noise    U_k^t = -eta sum_s (gs + ns), without ns, their difference, sum_s ns
    D Db                W^{t+1} - W^t, and the same from Ub
    Ek E0 Es            F_k(W_k^t) - F_k*, F_k(W^t) - F_k*, F_k(W*) - F_k*
    gap one             F* - F_k*, and 1: with Ek, E0 and Es, vectors of one coordinate
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy as sp

from fedbounds.algorithms import fedplt
from fedbounds.algorithms.fedavg_p import Carry, Draw
from fedbounds.algorithms.fedplt import FedPLT, compensation, shares
from fedbounds.errors import FedboundsError, require
from fedbounds.problems import FederatedQuadratic, Start, everyone
from fedbounds.problems.linear import is_positive_definite, solve

from . import outcome_values
from .enumeration import _draw, _noises, _outcomes, _repeat
from .outcome_values import Evaluated
from .outcomes import MOST_ROWS, Outcomes

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
    """Samples (X, n, steps, width), and per row of pasts times samples what the clients did.

    Attributes
    ----------
    carry : Carry
        W^t.
    drawn : Draw
    points, exact, noisy : arrays, shape (steps, n, P X, d)
    last : array, shape (n, P X, d)
        W_k^t.
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
    require(rounds >= 1, "rounds", rounds, "at least 1")
    state = _begin(problem, algorithm, start)
    for _ in range(rounds - 1):
        seen = _one_round(problem, algorithm, state)
        after = fedplt.server(algorithm, seen.carry, seen.drawn, _rows(seen.last))
        state = _next(state, len(seen.samples), after.u, np.stack([after.u] * problem.clients))
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


def evaluate(
    expression: sp.Expr, found: Enumerated, values: Mapping[str, float]
) -> Evaluated:
    """Value of a statement in sq, ip, given, mask, comp, share and attenuate.

    Parameters
    ----------
    values : mapping from symbol name to number
    """
    vectors = dict(found.space.vectors)
    space = replace(found.space, vectors=vectors)

    def resolved(node: sp.Basic) -> sp.Basic:
        """The node with every product by a factor as a vector of its own."""
        if not node.args:
            return node
        arguments = [resolved(argument) for argument in node.args]
        factor = found.factors.get(getattr(node.func, "__name__", ""))
        if factor is None:
            return node.func(*arguments)
        array = outcome_values.vector_of(arguments[0], space, values)
        if array.shape[-1] < factor.shape[-1] and not arguments[0].is_zero:
            raise FedboundsError(f"{node}: {arguments[0]} has no coordinates to multiply")
        vectors[str(node)] = array * factor
        return sp.Symbol(str(node))

    statement = resolved(sp.sympify(expression))
    return outcome_values.evaluate(statement, replace(space, scale=_largest(vectors)), values)


def alignment(found: Enumerated) -> np.ndarray:
    """rho_k^t = <m_k o g, W_k - W*> / <g, W_k - W*>, shape (past, xi, n); NaN for 0 / 0 and x / 0."""
    vectors = found.space.vectors
    g, x = vectors["g"], vectors["Wk"] - vectors["Wstar"]
    masked = (found.factors["mask"] * g * x).sum(axis=-1)[..., 0]
    whole = (g * x).sum(axis=-1)[..., 0]
    return np.divide(masked, whole, out=np.full_like(whole, np.nan), where=whole != 0)
