"""FedAvg of networks: whoever is in S_t makes K full gradient steps, by a schedule or at random.

Algorithm 1 of "On the Convergence of Federated Averaging under Partial Participation for
Over-parameterized Neural Networks", with (3) and (4): theta_k,c = theta_k-1,c - eta grad L_c, and
the mean over S_t of what K steps reach. Others make steps too, that are shown and not averaged.

Parameters: ``K`` local steps of size ``eta``; and ``schedule``, rows of 0 and 1 that rounds take in
turn, again and again: 1 for the clients of S_t, of which there is at least one; or ``m``, how many
clients are drawn.
"""

from collections.abc import Mapping
from typing import Any

from .traced import Algorithm, State

Array = Any


def init(problem: Any, start: Array) -> State:
    """The model, and what it is at the start, which stays."""
    return {"x": start, "x0": start * 1}


def draw(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """Nothing."""
    return {}


def step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A round of the clients that the schedule names."""
    rows = p["schedule"]
    own = rows[int(p["t"]) % rows.shape[0], :]
    present = problem.xp.broadcast_to(own, (state["x"].shape[0], problem.places))
    return _round(problem, p, state, present, see)


def draw_clients(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """S_t, m clients."""
    return {"present": random.participants(problem.clients, p["m"])}


def step_sampled(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A round of those that are drawn."""
    see(present=drawn["present"])
    return _round(problem, p, state, drawn["present"], see)


def _round(problem: Any, p: Mapping[str, Any], state: State, present: Array, see: Any) -> State:
    """K local steps of every client, and the mean of what those of S_t reach.

    Shown are, as the paper has them, |S_t|, G(t), which is the mean over S_t of the sum of a
    client's gradients, and xi_k,c, what client c misses before step k + 1 on its own samples.
    """
    xp, x, x0 = problem.xp, state["x"], state["x0"]
    y, missed, slopes = problem.spread(x), [], []
    for _ in range(p["K"]):
        missed.append(problem.residual(y))
        slopes.append(problem.cotangent(y, missed[-1]))
        y = y - slopes[-1] * p["eta"]
    after, mean_g = _mean(problem, y, present), _mean(problem, sum(slopes), present)
    size = xp.sum(present, axis=1)
    see(x=x, x0=x0, after=after, mean_g=mean_g, slope=slopes[0], xis=xp.stack(missed, axis=2))
    see(size=size, one=size * 0 + 1, layer=_layers(problem, x))
    _apart(problem, p, state, see, present, missed, mean_g, after)
    return {"x": after, "x0": x0}


def _mean(problem: Any, own: Array, present: Array) -> Array:
    """The mean over S_t of what clients have, shape (rows, d)."""
    size = problem.xp.sum(present, axis=1)
    return problem.xp.sum(own * present[:, :, None], axis=1) / size[:, None]


def _layers(problem: Any, x: Array) -> Array:
    """1 at the entries of a layer and 0 elsewhere, shape (rows, L, d)."""
    parts, at = [], 0
    for count in problem.layer_sizes:
        parts.append(x[:, at : at + count] * 0)
        at += count
    marks = [
        problem.xp.concat([part + int(i == own) for i, part in enumerate(parts)], axis=1)
        for own in range(len(parts))
    ]
    return problem.xp.stack(marks, axis=1)


def _apart(
    problem: Any,
    p: Mapping[str, Any],
    state: State,
    see: Any,
    present: Array,
    missed: list[Array],
    mean_g: Array,
    after: Array,
) -> None:
    """Residuals of the global model on the samples of every client, and the terms of (10) to (18).

    P(t, k, c) is J J_c(y_k,c)', with J of the global model on all samples, J_c on those of client
    c: so 1/|S_t| sum_k P^S(t, k) xi_k is J G(t). P^S(0) has the start in both places. What the
    model makes of samples after a round is told apart by degree in its move: E(t) is all from 2.
    """
    x, x0, eta = state["x"], state["x0"], p["eta"]
    xi, start = problem.residual(x), problem.spread(x0)
    terms = problem.expansion(x, after - x)
    local = _mean(problem, sum(problem.cotangent(start, own) for own in missed), present)
    still = _mean(problem, problem.cotangent(start, xi), present) * p["K"]
    by_gram = problem.tangent(x, mean_g) * eta
    by_local, by_still = (problem.tangent(x0, own) * eta for own in (local, still))
    see(xi=xi, xi_next=problem.residual(after), first=terms[:, :, 1, :], by_gram=by_gram)
    see(term_1=xi - by_still, term_2=by_local - by_gram, term_3=by_still - by_local)
    see(term_4=problem.xp.sum(terms[:, :, 2:, :], axis=2) + xi * 0)  # of one layer there is none


ROUNDS = Algorithm(init, draw, step, "FedAvg on a schedule")
SAMPLED = Algorithm(init, draw_clients, step_sampled, "FedAvg, clients at random")
