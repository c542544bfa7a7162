"""FedAvg of two-layer ReLU networks: the rounds of `scheduled_averaging`, neuron by neuron.

What a round changes of outputs is told apart as in (50) to (56) of "On the Convergence of Federated
Averaging under Partial Participation for Over-parameterized Neural Networks".

Parameters: as there; and ``radius``, R: how far neurons are said to stay from their start.
"""

from collections.abc import Mapping
from typing import Any

from .scheduled_averaging import (
    at_start,
    draw,
    draw_clients,
    init,
    local_steps,
    on_schedule,
)
from .traced import Algorithm, State

Array = Any


def step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A round of the clients that the schedule names."""
    return _round(problem, p, state, on_schedule(problem, p, state), see)


def step_sampled(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A round of those that are drawn."""
    return _round(problem, p, state, drawn["present"], see)


def _round(problem: Any, p: Mapping[str, Any], state: State, present: Array, see: Any) -> State:
    x, x0 = state["x"], state["x0"]
    see(x=x, x0=x0, res=problem.residual(x))  # first, since it needs no local steps
    done = local_steps(problem, p, x, present, see)
    _apart(problem, p, state, present, done, see)
    return {"x": done[0], "x0": x0}


def _apart(
    problem: Any,
    p: Mapping[str, Any],
    state: State,
    present: Array,
    done: tuple[Any, ...],
    see: Any,
) -> None:
    """The terms of (53): H(t, k, c) is J of the global model on J' of the client's.

    Neurons of the complement of Q_i are ``near`` a change of sign on sample i: what these add to
    the first order, and what they truly change.
    """
    x, x0 = state["x"], state["x0"]
    after, mean_g, ys, missed = done
    res = missed[0]
    by_local, by_still = at_start(problem, p, x0, res, present, missed)
    near = problem.near(x0, p["radius"])
    added = problem.tangent_neurons(x, mean_g) * p["eta"]
    changed = problem.neurons(after) - problem.neurons(x)
    see(res_next=problem.residual(after), by_gram=_all(problem, res, added))
    see(perp=_all(problem, res, near * added), flips=_all(problem, res, near * changed))
    see(by_local=by_local, by_still=by_still, changed=_all(problem, res, changed))
    see(far=problem.distances(x - x0), far_next=problem.distances(after - x0))
    moved = problem.xp.stack(ys, axis=2) - x[:, None, None, :]
    see(farthest=problem.largest(problem.distances(moved)))


def _all(problem: Any, res: Array, found: Array) -> Array:
    """Summed over neurons, of every sample."""
    rows, n, samples = res.shape
    return problem.xp.sum(problem.xp.reshape(found, (rows, n, samples, -1)), axis=3)


ROUNDS = Algorithm(init, draw, step, "FedAvg of ReLU networks on a schedule")
SAMPLED = Algorithm(init, draw_clients, step_sampled, "FedAvg of ReLU networks, clients at random")
