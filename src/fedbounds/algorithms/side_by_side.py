"""Sub-model training with rolling, random and static masks, for runs that are compared.

Rounds, local steps, step sizes and shares of the model are equal; only masks differ. All show the
loss where a round, or an epoch of rolling masks, starts; the first two also how far it is from the
minimiser of their own objective.

Parameters: ``K`` local steps of size ``eta``, and ``keep`` (n,), the share of the model that a
client trains; ``sub_models`` (n, S, d) and ``orders`` as in `rolling_models`; ``masks`` (n, d).
"""

from collections.abc import Mapping
from typing import Any

from .rolling_models import draw as draw_orders
from .rolling_models import taken
from .sub_models import best, clients_mean, draw_noise, filled, init, local, noisy
from .traced import Algorithm, State

Array = Any


def draw_masks(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """A mask of every client, and noise of every client and local step."""
    masks = [random.bernoulli(keep, problem.dimension) for keep in p["keep"]]
    return {"masks": problem.xp.stack(masks, axis=1), **draw_noise(random, problem, p)}


def step_rolling(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """An epoch; how the masks cover a coordinate, and how many rounds there are."""
    xp, x, (_, turns, _) = problem.xp, state["x"], p["sub_models"].shape
    held, one = xp.sum(p["sub_models"], axis=1) / turns, x[:, 0] * 0 + 1
    share = xp.sum(held, axis=1) / problem.dimension
    see(**losses(problem, p, x), **away(x, best(problem.rolled(p["sub_models"]), p)))
    see(share=one[:, None] * share, uneven=one[:, None, None] * (held - share[:, None]))
    see(turns=one * turns)
    for s in range(turns):
        turn = drawn["order"][:, :, s]
        masks, noise = taken(p["sub_models"][None, ...], turn, xp), taken(drawn["noise"], turn, xp)
        x = trained(problem, p, x, masks, noise)
    return {"x": x}


def step_random(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A round of random masks."""
    x = state["x"]
    see(**losses(problem, p, x), **away(x, best(problem.masked(p["keep"]), p)))
    return {"x": trained(problem, p, x, drawn["masks"], drawn["noise"])}


def step_static(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A round of fixed masks; how much of the model each of them holds."""
    x, one = state["x"], state["x"][:, 0, ...] * 0 + 1
    see(**losses(problem, p, x))
    see(share=one[:, None] * problem.xp.sum(p["masks"], axis=1) / problem.dimension)
    return {"x": trained(problem, p, x, p["masks"], drawn["noise"])}


def init_kept(problem: Any, start: Array) -> State:
    """w^0, and w^0 to be remembered."""
    return {"x": start, "begun": start}


def step_kept(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """The same, with how far coordinates that nobody holds have gone since the start."""
    x, begun, xp = state["x"], state["begun"], problem.xp
    held, one = xp.sum(p["masks"], axis=0), x[:, 0] * 0 + 1
    see(moved=xp.where(held > 0, held * 0, held * 0 + 1) * (x - begun), begun=begun, one=one)
    see(share=one[:, None] * xp.sum(p["masks"], axis=1) / problem.dimension)
    see(keep=one[:, None] * p["keep"])
    return {"x": trained(problem, p, x, p["masks"], drawn["noise"]), "begun": begun}


def trained(problem: Any, p: Mapping[str, Any], x: Array, masks: Array, noise: Array) -> Array:
    """w after a round: the mean of the clients' models, filled in."""
    models = problem.spread(x)
    own = local(noisy(problem, noise), masks, p["eta"], p["K"], models)
    return clients_mean(x, masks, filled(masks, own[-1], models), problem.xp)


def losses(problem: Any, p: Mapping[str, Any], x: Array) -> State:
    """F at w and where it is least, and the shares."""
    one = x[:, 0] * 0 + 1
    least = problem.value(x * 0 + best(problem, p))
    return {"Vx": problem.value(x), "Vs": least, "one": one, "keep": one[:, None] * p["keep"]}


def away(x: Array, least: Array) -> State:
    """w, and where its own objective is least."""
    return {"x": x, "xo": x * 0 + least}


ROLLING = Algorithm(init, draw_orders, step_rolling, "rolling masks")
RANDOM = Algorithm(init, draw_masks, step_random, "random masks")
STATIC = Algorithm(init, draw_noise, step_static, "static masks")
KEPT = Algorithm(init_kept, draw_noise, step_kept, "static masks, and where they started")
