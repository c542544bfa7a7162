"""Rolling masks as epochs go on: ways to choose the next sub-model, and ways to project.

As in `rolling_models`; what is shown is what epochs start from, and what the sub-models are.
"""

from collections.abc import Mapping
from typing import Any

from .rolling_models import draw, draw_noises, trained
from .sub_models import best, box_of, init, projected
from .traced import Algorithm, State

Array = Any


# ---- ways to choose


def draw_in_turn(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """The order 1, ..., S for everybody; noise alone is random."""
    xp, (n, turns, _) = problem.xp, p["sub_models"].shape
    noise = draw_noises(random, problem, p)
    order = xp.stack([xp.stack([xp.arange(turns)] * n, axis=0)] * noise.shape[0], axis=0)
    return {"order": order, "noise": noise}


def draw_anew(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """A sub-model of every client, or one for all, whatever was trained before."""
    xp, (n, turns, _) = problem.xp, p["sub_models"].shape
    every = [random.index(turns) for _ in range(p["orders"])]
    turn = xp.stack([every[i % p["orders"]] for i in range(n)], axis=1)
    return {"order": turn[:, :, None], "noise": draw_noises(random, problem, p)}


# ---- ways to project


def step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """The rounds that were drawn, on R^d."""
    after = left_at(problem, p, state["x"], drawn)
    see(**shown(problem, p, state["x"]), xn=after)
    return {"x": after}


def step_projected(
    problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any
) -> State:
    """The same, projected at the end."""
    return {"x": projected(problem, p, step_beside_box(problem, p, state, drawn, see)["x"])}


def step_beside_box(
    problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any
) -> State:
    """The same, never projected."""
    see(**shown(problem, p, state["x"]), **box_of(problem, p, state["x"]))
    return {"x": left_at(problem, p, state["x"], drawn)}


def step_each_projected(
    problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any
) -> State:
    """The same, projected after every round."""
    x = state["x"]
    see(**shown(problem, p, x), **box_of(problem, p, x))
    for s in range(drawn["order"].shape[2]):
        after = trained(problem, p, x, drawn["order"][:, :, s], drawn["noise"])
        x = projected(problem, p, after)
    return {"x": x}


def left_at(problem: Any, p: Mapping[str, Any], x: Array, drawn: State) -> Array:
    """Where the rounds that were drawn lead, on R^d."""
    for s in range(drawn["order"].shape[2]):
        x = trained(problem, p, x, drawn["order"][:, :, s], drawn["noise"])
    return x


# ---- what is shown


def shown(problem: Any, p: Mapping[str, Any], x: Array) -> State:
    """The start of the rounds, w*(M), and what the sub-models are; `loud` is noise that counts."""
    xp, tables = problem.xp, p["sub_models"]
    n, turns, d = tables.shape
    rolled, one = problem.rolled(tables), x[:, 0] * 0 + 1
    xo, each = x * 0 + best(rolled, p), one[:, None, None, None]
    own = [masks * problem.gradient(masks * problem.spread(xo))
           for masks in (tables[None, :, s, ...] for s in range(turns))]  # fmt: skip
    held = xp.sum(tables, axis=1) / turns
    share = xp.sum(held, axis=1) / d
    return {
        **{"x": x, "xo": xo, "one": one, "ones": x * 0 + 1, "turns": one * turns},
        **{
            "ho": xp.stack(own, axis=2),
            "ao": xp.stack([xp.sum(y, axis=1) / n for y in own], axis=1),
        },
        **{"Mx": rolled.value(x), "Mo": rolled.value(xo), "go": problem.gradient(xo)},
        **{"kept": one[:, None] * share, "uneven": each[:, 0, ...] * (held - share[:, None])},
        **{
            "unheld": each[:, 0, ...] * (held * turns - 1),
            "loud": each * tables * problem.noise_scale,
        },
        **{"own": each * tables, "other": each * (tables - tables[:1, ...])},
        **{"width": one[:, None] * xp.sum(tables[:, 0, ...], axis=1)},
        **{"strange": one[:, None] * strangers(tables, xp)},
        **{"unturned": one[:, None] * no_windows(tables, xp)},
    }


def strangers(tables: Array, xp: Any) -> Array:
    """Of every client 0 where each of its sub-models is one of client 1, else positive."""
    n, turns, _ = tables.shape
    every = [[tables[i, s, :] for s in range(turns)] for i in range(n)]
    return xp.stack([missing(own, every[0], xp) for own in every], axis=0)


def no_windows(tables: Array, xp: Any) -> Array:
    """Likewise, where each cyclic window as wide as its first sub-model is one of its own."""
    (n, turns, d), found = tables.shape, []
    for i in range(n):
        width, places = xp.sum(tables[i, 0, :]), xp.arange(d)
        one = width * 0 + 1
        windows = [xp.where((places - s) % d < int(width), one, one * 0) for s in range(d)]
        found.append(missing(windows, [tables[i, s, :] for s in range(turns)], xp))
    return xp.stack(found, axis=0)


def missing(wanted: list[Array], there: list[Array], xp: Any) -> Array:
    """A sum over what is wanted: 0 of what is there, else positive."""
    total = xp.sum(wanted[0] * 0)
    for one in wanted:
        apart = total * 0 + 1
        for other in there:
            apart = apart * xp.sum((one - other) ** 2)
        total = total + apart
    return total


SHUFFLED = Algorithm(init, draw, step, "rolling masks, as epochs go on")
IN_TURN = Algorithm(init, draw_in_turn, step, "rolling masks in one order, as epochs go on")
ANEW = Algorithm(init, draw_anew, step, "rolling masks drawn anew, as rounds go on")
PROJECTED = Algorithm(init, draw, step_projected, "rolling masks in a box, as epochs go on")
EACH_PROJECTED = Algorithm(
    init, draw, step_each_projected, "rolling masks, projected after every round, as epochs go on"
)
NEVER_PROJECTED = Algorithm(
    init, draw, step_beside_box, "rolling masks, not projected, beside a box, as epochs go on"
)
