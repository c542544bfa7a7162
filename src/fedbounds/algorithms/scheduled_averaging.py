"""FedAvg of networks: whoever is in S_t makes K full gradient steps, by a schedule or at random.

Algorithm 1 of "On the Convergence of Federated Averaging under Partial Participation for
Over-parameterized Neural Networks", with (3) and (4): theta_k,c = theta_k-1,c - eta grad L_c, and
the mean over S_t of what K steps reach. Others make steps too, that are shown and not averaged.

Parameters: ``K`` local steps of size ``eta``; and ``schedule``, rows of 0 and 1 that rounds take in
turn, again and again: 1 for the clients of S_t, of which there is at least one; or ``m``, how many
clients are drawn. `TRAINED` draws the start too, of deep linear networks.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from .traced import Algorithm, State

Array = Any


def init(problem: Any, start: Array) -> State:
    """The model, and what it is at the start, which stays."""
    return {"x": start, "x0": start * 1}


def init_drawn(problem: Any, start: Array, random: Any) -> State:
    """Gaussian entries around a start."""
    return {"x": start + random.normal(start.shape[1])}


def draw(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """Nothing."""
    return {}


def draw_clients(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """S_t, m clients."""
    return {"present": random.participants(problem.clients, p["m"])}


def on_schedule(problem: Any, p: Mapping[str, Any], state: State) -> Array:
    """1 for the clients of a round, shape (rows, n)."""
    own = problem.scheduled(p["schedule"], p["t"])
    return problem.xp.broadcast_to(own, (state["x"].shape[0], own.shape[0]))


def local_steps(
    problem: Any, p: Mapping[str, Any], x: Array, present: Array, see: Any
) -> tuple[Array, Array, list[Array], list[Array]]:
    """K steps of every client, and the mean of what those of S_t reach.

    Returns
    -------
    after : array, shape (rows, d)
        The model after the round.
    mean_g : array, shape (rows, d)
        G(t), the mean over S_t of the sum of a client's gradients.
    ys, missed : lists of arrays, shapes (rows, n, d) and (rows, n, outputs)
        Models after k = 0, ..., K steps; and for k < K xi_k,c: what client c misses then on its
        own samples.
    """
    xp, ys, missed, slopes = problem.xp, [problem.spread(x)], [], []
    for _ in range(p["K"]):
        missed.append(problem.residual(ys[-1]))
        slopes.append(problem.cotangent(ys[-1], missed[-1]))
        ys.append(ys[-1] - slopes[-1] * p["eta"])
    y = ys[-1]
    after, mean_g = mean_of(problem, y, present), mean_of(problem, sum(slopes), present)
    size = xp.sum(present, axis=1)
    see(after=after, mean_g=mean_g, slope=slopes[0], y=y, present=present)
    see(ys=xp.stack(ys[:-1], axis=2), xis=xp.stack(missed, axis=2), gs=xp.stack(slopes, axis=2))
    # after k = 0, ..., K steps
    every = [*missed, problem.residual(y)]
    see(xis_to=xp.stack(every, axis=2), ys_to=xp.stack(ys, axis=2))
    see(outputs_went=xp.stack([b - a for a, b in pairwise(every)], axis=2))
    see(size=size, one=size * 0 + 1)
    return after, mean_g, ys, missed


def mean_of(problem: Any, own: Array, present: Array) -> Array:
    """The mean over S_t of what clients have, shape (rows, d)."""
    size = problem.xp.sum(present, axis=1)
    return problem.xp.sum(own * present[:, :, None], axis=1) / size[:, None]


def step_trained(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """The same next model, of which residuals at the round's start alone are shown."""
    x = state["x"]
    after, res = problem.averaged(x, drawn["present"], p["eta"], p["K"])
    see(res=res)
    return {"x": after}


# ---- deep linear networks


def step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A round of the clients that the schedule names."""
    return _round(problem, p, state, on_schedule(problem, p, state), see)


def step_sampled(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A round of those that are drawn."""
    return _round(problem, p, state, drawn["present"], see)


def _round(problem: Any, p: Mapping[str, Any], state: State, present: Array, see: Any) -> State:
    x, x0 = state["x"], state["x0"]
    # first, since it needs no local steps
    see(x=x, x0=x0, layer=_layers(problem, x), res=problem.residual(x))
    if problem.has_nearest_fit:
        see(star=problem.nearest_fit(x0))
    after, _, ys, missed = local_steps(problem, p, x, present, see)
    if problem.has_spectra(x):
        least, largest = (
            problem.xp.stack([own] * x.shape[0], axis=0) for own in problem.own_extremes
        )
        apart = [problem.grams_apart(x, y, x0, present) for y in ys[:-1]]
        see(**problem.spectra(x, x0), grams_apart=problem.xp.stack(apart, axis=1))
        see(least_own=least, largest_own=largest, **problem.gram_blocks(x, x0, present))
        see(**problem.local_changes(x, ys, missed[0]))
    _apart(problem, p, state, present, after, ys, missed, see)
    return {"x": after, "x0": x0}


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
    present: Array,
    after: Array,
    ys: list[Array],
    missed: list[Array],
    see: Any,
) -> None:
    """Residuals of the global model on the samples of every client, and the terms of (10) to (18).

    Gram matrices P(t, k, c) are made as they are printed. P^S(0) is J J' at the start. What the
    model makes of samples after a round is told apart by degree in its move: E(t) is all from 2.
    """
    x, x0, res = state["x"], state["x0"], missed[0]
    terms = problem.expansion(x, after - x)
    weights = (present / problem.xp.sum(present, axis=1)[:, None])[:, :, None] * p["eta"]
    pairs = zip(ys[:-1], missed, strict=True)
    by_gram = sum(problem.by_crossed_gram(x, y, own * weights) for y, own in pairs)
    by_local, by_still = at_start(problem, p, x0, res, present, missed)
    see(along=problem.tangent(x, x))
    see(res_next=problem.residual(after), first=terms[:, :, 1, :], by_gram=by_gram)
    see(term_1=res - by_still, term_2=by_local - by_gram, term_3=by_still - by_local)
    see(term_4=problem.xp.sum(terms[:, :, 2:, :], axis=2) + res * 0)  # of one layer there is none


def at_start(
    problem: Any, p: Mapping[str, Any], x0: Array, res: Array, present: Array, missed: list[Array]
) -> tuple[Array, Array]:
    """eta/|S_t| sum_k of P^S(0) xi_k^S, and of P^S(0) xi^S, with Gram matrices of the start."""
    start = problem.spread(x0)
    local = sum(problem.cotangent(start, own) for own in missed)
    still = problem.cotangent(start, res) * p["K"]
    means = (mean_of(problem, own, present) for own in (local, still))
    by_local, by_still = (problem.tangent(x0, own) * p["eta"] for own in means)
    return by_local, by_still


ROUNDS = Algorithm(init, draw, step, "FedAvg on a schedule")
SAMPLED = Algorithm(init, draw_clients, step_sampled, "FedAvg, clients at random")
TRAINED = Algorithm(init_drawn, draw_clients, step_trained, "FedAvg, starts and clients at random")
