"""FedAvg of a network beside that of its linearisation at the start, with the same clients.

The linearised model's outputs are f(theta(0)) + J(0)(z - theta(0)): every client's K steps on z
have the derivative J(0) of the start, and residuals zeta. Parameters: as in `scheduled_averaging`.

Between both stands what these steps make of theta: it tells what a round keeps of theta - z from
what it adds to that.
"""

from collections.abc import Mapping
from typing import Any

from .scheduled_averaging import draw, draw_clients, local_steps, mean_of, on_schedule
from .traced import Algorithm, State

Array = Any


def init(problem: Any, start: Array) -> State:
    """Both models, and what they are at the start, which stays."""
    return {"x": start, "x0": start * 1, "z": start * 1}


def step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A round of the clients that the schedule names."""
    return _round(problem, p, state, on_schedule(problem, p, state), see)


def step_sampled(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A round of those that are drawn."""
    return _round(problem, p, state, drawn["present"], see)


def _round(problem: Any, p: Mapping[str, Any], state: State, present: Array, see: Any) -> State:
    xp, x, x0, z = problem.xp, state["x"], state["x0"], state["z"]
    see(x=x, x0=x0, x_lin=z, res=problem.residual(x), still=_missed(problem, x0, z))
    fit = problem.linear_fit(x0)
    if fit is not None:
        see(fit=fit)
    after, _, ys, missed = local_steps(problem, p, x, present, see)
    (*zs, from_z), missed_z, slopes_z = _linear_steps(problem, p, x0, z)
    (*_, from_x), *_ = _linear_steps(problem, p, x0, x)
    after_z, between = (mean_of(problem, own, present) for own in (from_z, from_x))
    see(z_end=from_z, after_z=after_z)
    see(zs=xp.stack(zs, axis=2), lins_z=xp.stack(missed_z, axis=2), gs_z=xp.stack(slopes_z, axis=2))
    see(kept=between - after_z, gained=after - between, res_next=problem.residual(after))
    see(lin_next=_missed(problem, x0, after), still_next=_missed(problem, x0, after_z))
    start = problem.spread(x0)
    lins = [_missed(problem, start, y) for y in ys[:-1]]
    for name, every in (("turned", missed), ("slope_lins", lins)):
        see(**{name: xp.stack([problem.cotangent(start, r) for r in every], axis=2)})
    see(lins=xp.stack(lins, axis=2))
    return {"x": after, "x0": x0, "z": after_z}


def _missed(problem: Any, start: Array, y: Array) -> Array:
    """What the linearised model misses at a model of all, or at those of clients, as the start."""
    return problem.residual(start) + problem.tangent(start, y - start)


def _linear_steps(
    problem: Any, p: Mapping[str, Any], x0: Array, z: Array
) -> tuple[list[Array], list[Array], list[Array]]:
    """K steps of the linearised model from a model of all.

    Returns
    -------
    zs : list of arrays, shape (rows, n, d)
        Models after k = 0, ..., K steps.
    missed, slopes : lists of arrays, shapes (rows, n, outputs) and (rows, n, d)
        For k < K what the client misses then on its own samples, and the gradient of that.
    """
    start, zs = problem.spread(x0), [problem.spread(z)]
    missed, slopes = [], []
    for _ in range(p["K"]):
        missed.append(_missed(problem, start, zs[-1]))
        slopes.append(problem.cotangent(start, missed[-1]))
        zs.append(zs[-1] - slopes[-1] * p["eta"])
    return zs, missed, slopes


ROUNDS = Algorithm(init, draw, step, "FedAvg on a schedule, beside its linearisation")
SAMPLED = Algorithm(
    init, draw_clients, step_sampled, "FedAvg, clients at random, beside its linearisation"
)
