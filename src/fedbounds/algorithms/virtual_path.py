"""Meerkat as its server sees it: clients send scalars, and their steps are replayed from seeds.

Of a local step a client sends the scalar g of its two values alone. The server draws the direction
from the seed that it sent, and repeats w - eta g z: the client's virtual path, without its data.
Parameters are those of `sparse_zeroth_order`.

Four algorithms: `VIRTUAL`, Algorithm 2 with that path; `LISTED`, the same as its listing has it,
whose second value is at w - 2 eps z, and `LISTED_CLIENTS`, what the clients of that listing do
themselves; `LAST_UNUSED`, that listing's average of w_k^T, before the last step; and
`HIGH_FREQUENCY`, Algorithm 3, where the server makes one step with the mean of the scalars.
"""

from collections.abc import Callable, Mapping
from typing import Any

from .sparse_zeroth_order import difference, draw, draw_one, init
from .traced import Algorithm, State

Array = Any
Scalar = Callable[..., Array]


def as_listed(
    problem: Any, p: Mapping[str, Any], models: Array, direction: Array, noise: Array
) -> Array:
    """Values at w + eps z and w - 2 eps z, both of them of the same w."""
    return difference(problem, p, models, direction, noise, back=2)


def moved(models: Array, p: Mapping[str, Any], g: Array, direction: Array) -> Array:
    """w - eta g z, which a client and the server both do."""
    return (g * -p["eta"])[:, :, None] * direction + models  # the product's array is used again


def replayed(start: Array, p: Mapping[str, Any], scalars: Array, directions: Array) -> Array:
    """The virtual paths' ends: scalars (rows, n, steps), directions (rows, 1 or n, steps, d)."""
    y = start
    for s in range(scalars.shape[2]):
        y = moved(y, p, scalars[:, :, s], directions[:, :, s, ...])
    return y


def sent(
    problem: Any, p: Mapping[str, Any], x: Array, drawn: State, scalar: Scalar = difference
) -> tuple[Array, Array]:
    """What clients send, shape (rows, n, steps), and where they are by themselves."""
    xp, y, scalars = problem.xp, problem.spread(x), []
    for s in range(drawn["z"].shape[2]):
        z = drawn["z"][:, :, s, ...]
        scalars.append(scalar(problem, p, y, z, drawn["noise"][:, :, s, ...]))
        y = moved(y, p, scalars[-1], z)
    return xp.stack(scalars, axis=2), y


def _on_server(scalar: Scalar, left_out: int = 0) -> Callable[..., State]:
    """Its round, with the mean of the virtual paths' ends, or of models a step before."""

    def step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
        scalars, _ = sent(problem, p, state["x"], drawn, scalar)
        used = p["K"] - left_out
        ends = replayed(problem.spread(state["x"]), p, scalars[:, :, :used], drawn["z"])
        return {"x": problem.xp.sum(ends, axis=1) / problem.clients}

    return step


def step_of_clients(
    problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any
) -> State:
    """The mean of what the clients of the listing reach by themselves."""
    _, reached = sent(problem, p, state["x"], drawn, as_listed)
    return {"x": problem.xp.sum(reached, axis=1) / problem.clients}


def step_often(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """w - eta (g z o m) with the mean g of all clients: one step along one direction."""
    xp, x, z = problem.xp, state["x"], drawn["z"][:, 0, 0, ...]
    y = problem.spread(x)
    g = difference(problem, p, y, z[:, None, :], drawn["noise"][:, :, 0, ...])
    mean = xp.sum(g, axis=1) / problem.clients
    return {"x": x - mean[:, None] * z * p["mask"] * p["eta"]}


VIRTUAL = Algorithm(init, draw, _on_server(difference), "Meerkat, virtual path")
LISTED = Algorithm(init, draw, _on_server(as_listed), "Meerkat, virtual path as listed")
LISTED_CLIENTS = Algorithm(init, draw, step_of_clients, "Meerkat, clients as listed")
LAST_UNUSED = Algorithm(init, draw, _on_server(difference, 1), "Meerkat, w_k^T averaged")
HIGH_FREQUENCY = Algorithm(init, draw_one, step_often, "Meerkat, high frequency")
