"""FedAvg of networks on a schedule: whoever a round names makes K full gradient steps.

Algorithm 1 of "On the Convergence of Federated Averaging under Partial Participation for
Over-parameterized Neural Networks", with (3) and (4): theta_k,c = theta_k-1,c - eta grad L_c, and
the mean over S_t of what K steps reach.

Parameters: ``schedule``, rows of 0 and 1, who is in S_t, which rounds take in turn; or ``m``,
how many clients are drawn; ``K`` local steps of size ``eta``.
"""

from collections.abc import Mapping
from typing import Any

from .traced import Algorithm, State

Array = Any


def init(problem: Any, start: Array) -> State:
    """The model, and what it is at the start."""
    return {"x": start, "x0": start * 1}


def draw(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """Nothing."""
    return {}


def step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A round of the clients that the schedule names."""
    own = problem.scheduled(p["schedule"], p["t"])
    present = problem.xp.stack([own] * state["x"].shape[0], axis=0)
    return _round(problem, p, state, present, see)


def draw_clients(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """S_t, m clients."""
    return {"present": random.participants(problem.clients, p["m"])}


def step_sampled(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A round of those that are drawn."""
    see(present=drawn["present"])
    return _round(problem, p, state, drawn["present"], see)


def _round(problem: Any, p: Mapping[str, Any], state: State, present: Array, see: Any) -> State:
    """K local steps of every client, of which those of S_t are averaged."""
    xp, x, x0 = problem.xp, state["x"], state["x0"]
    size = xp.sum(present, axis=1)
    y, missed, slopes = problem.spread(x), [], []
    for _ in range(p["K"]):
        missed.append(problem.residual(y))
        slopes.append(problem.cotangent(y, missed[-1]))
        y = y - slopes[-1] * p["eta"]
    after = _mean(problem, y, present, size)
    mean_g = _mean(problem, sum(slopes), present, size)
    see(x=x, x0=x0, after=after, mean_g=mean_g, slope=slopes[0], xis=xp.stack(missed, axis=2))
    see(size=size, one=size * 0 + 1, layer=_layers(problem, x))
    _apart(problem, p, state, see, present, size, missed, mean_g, after)
    return {"x": after, "x0": x0}


def _mean(problem: Any, own: Array, present: Array, size: Array) -> Array:
    """1/|S| sum over S of what clients have."""
    return problem.xp.sum(own * present[:, :, None], axis=1) / size[:, None]


def _layers(problem: Any, x: Array) -> Array:
    """Which entries are those of a layer, shape (rows, L, d)."""
    at, marks = 0, []
    for count in problem.layer_sizes:
        own = [x[:, j] * 0 + (1 if at <= j < at + count else 0) for j in range(x.shape[1])]
        marks.append(problem.xp.stack(own, axis=1))
        at += count
    return problem.xp.stack(marks, axis=1)


def _apart(
    problem: Any,
    p: Mapping[str, Any],
    state: State,
    see: Any,
    present: Array,
    size: Array,
    missed: list[Array],
    mean_g: Array,
    after: Array,
) -> None:
    """Residuals of the global model, and the terms of (10), (17) and (18).

    P^S(t, k) xi_k, summed over k and over |S|, is J of the global model of the mean gradient; P(0)
    is J J' at the start. What a move makes of outputs is told apart by its degree in the move.
    """
    x, x0, eta, K = state["x"], state["x0"], p["eta"], p["K"]
    xi, kept = problem.residual(x), problem.spread(x0)
    terms = problem.expansion(x, after - x)
    local = _mean(problem, sum(problem.cotangent(kept, own) for own in missed), present, size)
    once = _mean(problem, problem.cotangent(kept, xi), present, size) * K
    by_gram, started, stayed = (
        problem.tangent(at, own) * eta for at, own in ((x, mean_g), (x0, local), (x0, once))
    )
    see(xi=xi, xi_next=problem.residual(after), first=terms[:, :, 1, :], by_gram=by_gram)
    see(term_1=xi - stayed, term_2=started - by_gram, term_3=stayed - started)
    see(term_4=problem.xp.sum(terms[:, :, 2:, :], axis=2) + xi * 0)


ROUNDS = Algorithm(init, draw, step, "FedAvg on a schedule")
SAMPLED = Algorithm(init, draw_clients, step_sampled, "FedAvg, clients at random")
