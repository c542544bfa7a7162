"""Rolling masks: a round is an epoch of sub-model training, in which every sub-model has its turn.

Client i has S sub-models. An epoch draws an order of them, or one for each client, and trains them
in that order: S rounds of `sub_models`, each from where the one before ended. The server projects
onto the ``box``, where there is one, at the end of an epoch, or after every round.

Parameters: ``sub_models`` (n, S, d) of 0 and 1, ``orders`` drawn in an epoch (1, or n), ``K`` local
steps of size ``eta``. Noise counts where a client trains: it is drawn for each of its sub-models.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from .sub_models import (
    best,
    box_of,
    clients_mean,
    filled,
    full_of,
    gaps_of,
    init,
    local,
    noisy,
    projected,
    spreads,
    virtual_steps,
)
from .traced import Algorithm, Stages, State, in_stages

Array = Any


# ---- the parts


def draw(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """An order for every client, and noise of every client, sub-model and local step."""
    xp, (n, turns, _) = problem.xp, p["sub_models"].shape
    every = [random.permutation(turns) for _ in range(p["orders"])]
    order = xp.stack([every[i % p["orders"]] for i in range(n)], axis=1)
    return {"order": order, "noise": draw_noises(random, problem, p)}


def draw_noises(random: Any, problem: Any, p: Mapping[str, Any]) -> Array:
    """Noise of every client, sub-model and local step."""
    xp, (n, turns, d) = problem.xp, p["sub_models"].shape
    tables = xp.stack([p["sub_models"]] * p["K"], axis=2)
    noise = random.noise_on(problem, xp.reshape(tables, (n, turns * p["K"], d)))
    return xp.reshape(noise, (noise.shape[0], n, turns, p["K"], d))


def taken(table: Array, turn: Array, xp: Any) -> Array:
    """Of every client's sub-models, along the third axis, the one whose turn it is."""
    index = xp.reshape(turn, (*turn.shape, *[1] * (table.ndim - 2)))
    return xp.take_along_axis(table, index, axis=2)[:, :, 0, ...]


def rounds_of(
    problem: Any, p: Mapping[str, Any], x: Array, drawn: State, *, early: bool
) -> list[State]:
    """What happens in the rounds of an epoch, in order; ``early``: each of them is projected."""
    xp, turns = problem.xp, p["sub_models"].shape[1]
    found: list[State] = []
    for s in range(turns):
        turn, models = drawn["order"][:, :, s], problem.spread(x)
        masks, noise = taken(p["sub_models"][None, ...], turn, xp), taken(drawn["noise"], turn, xp)
        own = local(noisy(problem, noise), masks, p["eta"], p["K"], models)
        ys, exact, sent = virtual_steps(problem, masks, noise, p["eta"], p["K"], models)
        free = clients_mean(x, masks, filled(masks, own[-1], models), xp)
        virtual = clients_mean(x, masks, ys[-1], xp)
        if early or s == turns - 1:
            after, virtual = projected(problem, p, free), projected(problem, p, virtual)
        else:
            after = free
        every, zero = xp.stack(ys, axis=2), x[:, :1] * 0
        found.append({
            **{"masks": masks, "ws": x, "wv": free, "server": after, "virtual": virtual},
            **{"y": every[:, :, :-1, ...], "hy": exact, "nz": sent - exact},
            **{"w_k": xp.stack(own, axis=2), "my_k": masks[:, :, None, ...] * every},
            **{"cy_k": (1 - masks)[:, :, None, ...] * every, "cx": (1 - masks) * models},
            "turn": sum((xp.where(turn == s, zero + s, zero) for s in range(turns)), zero),
        })  # fmt: skip
        x = after
    return found


# ---- epochs


def step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """An epoch, and what the analysis of rolling masks speaks of."""
    return {"x": _epoch(problem, p, state["x"], drawn, see)["xn"]}


def begin_ends(problem: Any, p: Mapping[str, Any], state: State, see: Any) -> None:
    """What where an epoch starts shows of F and F_M.

    `loud` is the noise that counts on the sub-model of the most coordinates.
    """
    xp, x, (_, turns, _) = problem.xp, state["x"], p["sub_models"].shape
    xo, xs = x * 0 + best(problem.rolled(p["sub_models"]), p), x * 0 + best(problem, p)
    tables = [p["sub_models"][None, :, j, ...] for j in range(turns)]
    each = [table * problem.gradient(table * problem.spread(xo)) for table in tables]
    held = xp.sum(p["sub_models"], axis=1) / turns
    share, one = xp.sum(held, axis=1) / problem.dimension, x[:, 0] * 0 + 1
    every = xp.reshape(p["sub_models"], (-1, problem.dimension))
    largest = every[int(xp.argmax(xp.sum(every, axis=1))), :]
    see(
        **{"x": x, "xo": xo, "one": one, "ones": x * 0 + 1, "turns": one * turns},
        **{"ho": xp.stack(each, axis=2), "go": problem.gradient(xo)},
        **{"ao": xp.stack([xp.sum(own, axis=1) / problem.clients for own in each], axis=1)},
        **{"Vx": problem.value(x), "Vo": problem.value(xo), "Vs": problem.value(xs)},
        **{"kept": one[:, None] * share, "uneven": one[:, None, None] * (held - share[:, None])},
        loud=x * 0 + largest * problem.noise_scale,
    )


def round_of(problem: Any, p: Mapping[str, Any], state: State, drawn: State) -> State:
    """A round, of the sub-model of each client whose turn it is."""
    return {"x": trained(problem, p, state["x"], drawn["order"], drawn["noise"])}


def trained(problem: Any, p: Mapping[str, Any], x: Array, turn: Array, noise: Array) -> Array:
    """A round: the next model, not projected."""
    xp, models = problem.xp, problem.spread(x)
    masks, own = taken(p["sub_models"][None, ...], turn, xp), taken(noise, turn, xp)
    every = local(noisy(problem, own), masks, p["eta"], p["K"], models)
    return clients_mean(x, masks, filled(masks, every[-1], models), xp)


def step_beside_full(
    problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any
) -> State:
    """The same, with F beside F_M."""
    shown = _epoch(problem, p, state["x"], drawn, see)
    _beside(problem, p, state["x"], shown, see)
    return {"x": shown["xn"]}


def step_in_box(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """The same, with the corners of the box and of its masked images."""
    shown = _epoch(problem, p, state["x"], drawn, see)
    _beside(problem, p, state["x"], shown, see)
    see(**box_of(problem, p, state["x"]))
    return {"x": shown["xn"]}


def step_each_projected(
    problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any
) -> State:
    """Every round is projected; what is said of rounds that are not is not shown."""
    x = state["x"]
    rounds = rounds_of(problem, p, x, drawn, early=True)
    shown = _shown(problem, p, x, rounds)
    see(**_by_round(rounds, problem.xp), **shown)
    _beside(problem, p, x, shown, see)
    see(**box_of(problem, p, x))
    return {"x": shown["xn"]}


def step_gaps(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """An epoch, and at its start and at w*(M) how far F_i and f_i are apart.

    ``bounds`` (n,) are bounds b_i of that; ``unit`` is the gap over b_i, 0 where b_i is 0.
    """
    x, n = state["x"], problem.clients
    rounds = rounds_of(problem, p, x, drawn, early=False)
    shown = _shown(problem, p, x, rounds)
    one, kept = shown["one"], shown["kept"]
    see(x=x, one=one, keep=kept, uneven=shown["uneven"], turn=_by_round(rounds, problem.xp)["turn"])
    see(**box_of(problem, p, x), **spreads(problem, p, x))
    see(p_bar=_mean(kept, problem.xp), s_bar=one * sum(p["spread"]) / n)
    for end, at, drawn_here in (("", x, shown["hx"]), ("_o", shown["xo"], shown["ho"])):
        see(**gaps_of(problem, p, problem.rolled(p["sub_models"]), at, end))
        mean = problem.xp.sum(drawn_here, axis=(1, 2)) / (n * len(rounds))
        see(**{f"mean{end}": mean})
    return {"x": shown["xn"]}


def step_many(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """An epoch of many, with what is followed over all of them."""
    shown = _followed(problem, p, state["x"], drawn, see)
    return {"x": shown["xn"]}


def step_many_beside_full(
    problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any
) -> State:
    """The same, with F beside F_M."""
    shown = _followed(problem, p, state["x"], drawn, see)
    _beside(problem, p, state["x"], shown, see)
    return {"x": shown["xn"]}


def _followed(problem: Any, p: Mapping[str, Any], x: Array, drawn: State, see: Any) -> State:
    """With the gradients of all sub-models less that of F_M, as one vector."""
    rounds = rounds_of(problem, p, x, drawn, early=False)
    shown, every = _shown(problem, p, x, rounds), _by_round(rounds, problem.xp)
    slope = problem.rolled(p["sub_models"]).full_gradient(x)
    apart = shown["hx"] - slope[:, None, None, :]
    see(**shown, turn=every["turn"], loud=every["masks"] * problem.noise_scale)
    see(apart=problem.xp.reshape(apart, (apart.shape[0], -1)))
    return shown


def _epoch(problem: Any, p: Mapping[str, Any], x: Array, drawn: State, see: Any) -> State:
    rounds = rounds_of(problem, p, x, drawn, early=False)
    shown, every = _shown(problem, p, x, rounds), _by_round(rounds, problem.xp)
    see(**every, **shown, **_sums(every, shown, problem.xp))
    see(**_unrolled(problem, p, x, rounds, shown))
    update = problem.xp.sum(every["hy"] + every["nz"], axis=(1, 2, 3)) / problem.clients
    gradient = problem.rolled(p["sub_models"]).full_gradient(shown["xo"])
    see(wf=rounds[-1]["wv"], wS=rounds[-1]["wv"], Um=update - gradient * (len(rounds) * p["K"]))
    return shown


def _by_round(rounds: Sequence[State], xp: Any) -> State:
    """Arrays of all rounds, s behind the client, and first where there is none."""
    of_epoch = ("ws", "wv", "server", "virtual")
    return {
        name: xp.stack([one[name] for one in rounds], axis=1 if name in of_epoch else 2)
        for name in rounds[0]
    }


def _masked(problem: Any, rounds: Sequence[State], at: Sequence[Array]) -> Array:
    """m_i o grad f_i(m_i o w_s), shape (rows, n, S, d)."""
    found = [
        one["masks"] * problem.gradient(one["masks"] * problem.spread(w))
        for one, w in zip(rounds, at, strict=True)
    ]
    return problem.xp.stack(found, axis=2)


def _shown(problem: Any, p: Mapping[str, Any], x: Array, rounds: Sequence[State]) -> State:
    """Ends, gradients at the start and at w*(M), values, and how the masks cover."""
    xp, rolled, turns = problem.xp, problem.rolled(p["sub_models"]), len(rounds)
    xo = x * 0 + best(rolled, p)
    one, after, y = x[:, 0] * 0 + 1, rounds[-1]["server"], [each["y"] for each in rounds]
    values = [
        xp.stack([problem.value(r["masks"] * own[:, :, k, ...]) for k in range(p["K"])], axis=2)
        for r, own in zip(rounds, y, strict=True)
    ]
    origin = [problem.value(r["masks"] * problem.spread(xo)) for r in rounds]
    start = [problem.value(r["masks"] * problem.spread(x)) for r in rounds]
    held = xp.sum(p["sub_models"], axis=1) / turns
    share = xp.sum(held, axis=1) / problem.dimension
    own = [
        xp.sum(table * problem.gradient(table * problem.spread(xo)), axis=1) / problem.clients
        for table in (p["sub_models"][None, :, j, ...] for j in range(turns))
    ]
    return {
        **{"x": x, "xo": xo, "xn": after, "one": one, "ao": xp.stack(own, axis=1)},
        **{
            "hx": _masked(problem, rounds, [x] * turns),
            "ho": _masked(problem, rounds, [xo] * turns),
        },
        **{"Fx": xp.stack(start, axis=2), "Fy": xp.stack(values, axis=2)},
        **{"Fo": xp.stack(origin, axis=2), "Fn": rolled.value(after)},
        **{"Mx": rolled.value(x), "Mo": rolled.value(xo), "gm": rolled.gradient(x)},
        **{"kept": one[:, None] * share, "uneven": one[:, None, None] * (held - share[:, None])},
    }


def _sums(every: State, shown: State, xp: Any) -> State:
    """Sums over the steps before each: all of earlier rounds, a mean over clients, and its own."""
    hx, ho = (xp.stack([shown[name]] * every["hy"].shape[3], axis=3) for name in ("hx", "ho"))
    own = {"Pn": every["nz"], "Pd": every["hy"] - hx, "Pt": hx - ho}
    both = {
        name: _before(steps, xp) + _earlier(steps, xp)[:, None, :, None, ...]
        for name, steps in own.items()
    }
    earlier = {"Pa": _earlier(ho, xp), "Qa": _earlier(hx, xp)}
    return {**both, **earlier, "Pk": _before(ho, xp), "Qk": _before(hx, xp)}


def _before(steps: Array, xp: Any) -> Array:
    """Of a client's steps before k in its round."""
    sums = [steps[:, :, :, 0, ...] * 0]
    for k in range(steps.shape[3] - 1):
        sums.append(sums[-1] + steps[:, :, :, k, ...])
    return xp.stack(sums, axis=3)


def _earlier(steps: Array, xp: Any) -> Array:
    """Of the rounds before s, the mean over clients, shape (rows, S, d)."""
    each = xp.sum(steps, axis=(1, 3)) / steps.shape[1]
    sums = [each[:, 0, ...] * 0]
    for s in range(each.shape[1] - 1):
        sums.append(sums[-1] + each[:, s, ...])
    return xp.stack(sums, axis=1)


def _unrolled(
    problem: Any, p: Mapping[str, Any], x: Array, rounds: Sequence[State], shown: State
) -> State:
    """H_s (w_s - x), and vectors times A_s = (I - eta K H_{S-1}) ... (I - eta K H_{s+1})."""
    xp, length = problem.xp, p["eta"] * p["K"]
    hw = _masked(problem, rounds, [one["ws"] for one in rounds])
    found: dict[str, list[Array]] = {x: [] for x in ("Hz", "Az", "AHz", "Aa", "Aen", "Aw", "Ad")}
    for s, one in enumerate(rounds):
        moved = one["ws"] - x
        turned, slope = _turned(problem, one, moved), _mean(shown["hx"][:, :, s, ...], xp)
        drift = _mean(xp.sum(one["hy"] - hw[:, :, s, None, ...] + one["nz"], axis=2), xp)
        before = x * 0
        for j in range(s):
            before = before + _mean(shown["hx"][:, :, j, ...], xp)
        through = _turned(problem, one, before) * length
        found["Hz"].append(turned)
        for name, vector in (
            ("Az", moved), ("AHz", turned), ("Aa", slope), ("Aen", drift),
            ("Aw", one["wv"] - x), ("Ad", through),
        ):  # fmt: skip
            for later in rounds[s + 1 :]:
                vector = vector - _turned(problem, later, vector) * length
            found[name].append(vector)
    return {"hw": hw, **{name: xp.stack(own, axis=1) for name, own in found.items()}}


def _turned(problem: Any, one: State, vector: Array) -> Array:
    """H_s times a vector, H_s the mean of D A_i D, of quadratics."""
    masks, at = one["masks"], one["masks"] * problem.spread(vector)
    return _mean(masks * (problem.gradient(at) - problem.gradient(at * 0)), problem.xp)


def _mean(clients: Array, xp: Any) -> Array:
    return xp.sum(clients, axis=1) / clients.shape[1]


def _beside(problem: Any, p: Mapping[str, Any], x: Array, shown: State, see: Any) -> None:
    see(**full_of(problem, p, x, shown["xo"], problem.rolled(p["sub_models"])))


EPOCHS = Algorithm(init, draw, step, "rolling masks")
ENDS = in_stages(
    init, draw, Stages("order", begin_ends, round_of), "rolling masks, where epochs start"
)
BESIDE_FULL = Algorithm(init, draw, step_beside_full, "rolling masks, beside full models")
GAPS = Algorithm(init, draw, step_gaps, "rolling masks, gaps of gradients")
MANY = Algorithm(init, draw, step_many, "rolling masks, many epochs")
MANY_BESIDE_FULL = Algorithm(
    init, draw, step_many_beside_full, "rolling masks, many epochs, beside full models"
)
IN_BOX = Algorithm(init, draw, step_in_box, "rolling masks in a box")
EACH_PROJECTED = Algorithm(
    init, draw, step_each_projected, "rolling masks, projected after every round"
)
