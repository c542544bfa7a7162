"""Coupled runs: sub-model training on data sets that differ, under the same masks and indices.

The problem is a pool of samples of every client. `RANDOM` and `ROLLING` run on every data set of
``n_s`` samples a client, drawn one by one from its pool; `RANDOM_PAIR`, `PAIR_ENDS` and
`ROLLING_PAIR` on the first n_s samples of every client, and on these with sample j of client i
replaced by the last one of its pool, ``changed`` = (i, j).

Parameters: ``K`` local steps of size ``eta``; ``keep`` (n,), the chances of masks; or
``sub_models`` (n, S, d), of which each round of an epoch takes the next, in one order for all
clients. Where there is a ``box`` (2, d), the server projects onto it, at the end of an epoch.
``hull`` (2, d) is a box that has it, 0 and every iterate. ``place`` is the changed sample that is
looked at alone.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from .coupled_constants import mean_of, of_client, of_data, of_masks
from .sub_models import clients_mean
from .traced import Algorithm, State

Array = Any
P = Mapping[str, Any]
MOST_PAIRS = 4096
_LONGEST = 1000  # places of data sets that are counted


# ---- data sets, by numbers in the pool


def every_set(problem: Any, p: P) -> list[tuple[int, ...]]:
    """All data sets: a number for every client and sample."""
    places = int(problem.clients) * int(p["n_s"])
    pairs = places * problem.samples ** (1 + min(places, _LONGEST))
    if pairs > MOST_PAIRS:
        raise ValueError(f"number of pairs of data sets is {pairs}; expected at most {MOST_PAIRS}")
    return list(product(range(problem.samples), repeat=places))


def both_sets(problem: Any, p: P) -> list[tuple[int, ...]]:
    """The data set and the one with a sample changed."""
    n, n_s = int(problem.clients), int(p["n_s"])
    i, j = (int(x) for x in p["changed"].tolist())
    first = [number for _ in range(n) for number in range(n_s)]
    second = list(first)
    second[i * n_s + j] = int(problem.samples) - 1
    return [tuple(first), tuple(second)]


def on(problem: Any, p: P, numbers: Sequence[int]) -> Any:
    """The clients with these samples."""
    n_s = int(p["n_s"])
    return problem.picked([numbers[at : at + n_s] for at in range(0, len(numbers), n_s)])


# ---- rounds


def init_every(problem: Any, start: Array, random: Any, p: P) -> State:
    """w^0 on every data set."""
    return _state(problem.xp.stack([start] * len(every_set(problem, p)), axis=1))


def init_pair(problem: Any, start: Array, random: Any, p: P) -> State:
    """w^0 on both."""
    return _state(problem.xp.stack([start] * 2, axis=1))


def init_every_rolling(problem: Any, start: Array, random: Any, p: P) -> State:
    """And an order of the sub-models, which the first round replaces."""
    return {**init_every(problem, start, random, p), "order": _no_order(problem, start, p)}


def init_pair_rolling(problem: Any, start: Array, random: Any, p: P) -> State:
    """Likewise."""
    return {**init_pair(problem, start, random, p), "order": _no_order(problem, start, p)}


def _state(models: Array) -> State:
    """The model on the first data set, and those on the others beside it."""
    return {"x": models[:, 0], "beside": models[:, 1:]}


def _models(problem: Any, state: State) -> Array:
    """On every data set, shape (rows, data, d)."""
    return problem.xp.concat([state["x"][:, None], state["beside"]], axis=1)


def _no_order(problem: Any, start: Array, p: P) -> Array:
    xp = problem.xp
    return xp.stack([xp.arange(p["sub_models"].shape[1])] * start.shape[0], axis=0)


def draw(random: Any, problem: Any, p: P) -> State:
    """A mask of every client; an index of every client and step, as weights of its samples."""
    masks = [random.bernoulli(keep, problem.dimension) for keep in p["keep"]]
    return {"masks": problem.xp.stack(masks, axis=1), **_indices(random, problem, p)}


def draw_rolling(random: Any, problem: Any, p: P) -> State:
    """An order of the sub-models, of which the first round of an epoch makes use; and indices."""
    return {"turns": random.permutation(p["sub_models"].shape[1]), **_indices(random, problem, p)}


def _indices(random: Any, problem: Any, p: P) -> State:
    first = on(problem, p, [0] * (int(problem.clients) * int(p["n_s"])))
    return {"samples": random.samples(first, p["K"])}


def _rolled(problem: Any, p: P, state: State, drawn: State) -> tuple[Array, Array, bool]:
    """The order of this epoch, the masks of this round, and whether it ends the epoch."""
    xp, count = problem.xp, int(p["sub_models"].shape[1])
    at = int(p["t"]) % count
    order = drawn["turns"] if at == 0 else state["order"]
    masks = xp.permute_dims(xp.take(p["sub_models"], order[:, at], axis=1), (1, 0, 2))
    return order, masks, at == count - 1


def step(problem: Any, p: P, state: State, drawn: State, see: Any) -> State:
    """A round of random masks on every data set."""
    x = _models(problem, state)
    return _state(_on_every(problem, p, x, drawn["masks"], drawn["samples"], see))


def step_losses(problem: Any, p: P, state: State, drawn: State, see: Any) -> State:
    """A round of random masks on every data set, and losses where it starts: of its own samples,
    of fresh ones, and both at the model times the first client's share.
    """
    xp, x = problem.xp, _models(problem, state)
    own = [on(problem, p, each) for each in every_set(problem, p)]
    for end, at in (("", x), ("_share", x * p["keep"][0])):
        see(
            **{
                f"V_pop{end}": xp.stack(
                    [mean_of(problem, at[:, s]) for s in range(len(own))], axis=1
                )
            }
        )
        see(**{f"V_own{end}": xp.stack([mean_of(f, at[:, s]) for s, f in enumerate(own)], axis=1)})
    see(**of_masks(problem, p, x))
    runs = [
        _round(f, p, x[:, s], drawn["masks"], drawn["samples"], False) for s, f in enumerate(own)
    ]
    return _state(xp.stack([after for _, after in runs], axis=1))


def step_rolling(problem: Any, p: P, state: State, drawn: State, see: Any) -> State:
    """A round of rolling masks on every data set."""
    order, masks, last = _rolled(problem, p, state, drawn)
    x = _models(problem, state)
    after = _on_every(problem, p, x, masks, drawn["samples"], see, last=last)
    return {**_state(after), "order": order}


def step_pair(problem: Any, p: P, state: State, drawn: State, see: Any) -> State:
    """A round of random masks on both data sets."""
    x = _models(problem, state)
    return _state(_on_both(problem, p, x, drawn["masks"], drawn["samples"], see))


def step_ends(problem: Any, p: P, state: State, drawn: State, see: Any) -> State:
    """A round of random masks on both data sets, of which only its start is shown."""
    x = _models(problem, state)
    one = x[:, 0, 0] * 0 + 1
    see(x=x[:, 0], far=x[:, 1], one=one, ones=x[:, 0] * 0 + 1, keep=one[:, None] * p["keep"])
    runs = [
        _round(on(problem, p, own), p, x[:, s], drawn["masks"], drawn["samples"], False)
        for s, own in enumerate(both_sets(problem, p))
    ]
    return _state(problem.xp.stack([after for _, after in runs], axis=1))


def step_pair_rolling(problem: Any, p: P, state: State, drawn: State, see: Any) -> State:
    """A round of rolling masks on both data sets."""
    order, masks, last = _rolled(problem, p, state, drawn)
    x = _models(problem, state)
    after = _on_both(problem, p, x, masks, drawn["samples"], see, last=last)
    return {**_state(after), "order": order}


def _round(
    problem: Any, p: P, x: Array, masks: Array, samples: Array, last: bool
) -> tuple[Array, Array]:
    """y_i^0, ..., y_i^K on one data set, shape (rows, n, K + 1, d), and w^{t+1}."""
    ys = [problem.spread(x)]
    for k in range(p["K"]):
        slope = problem.sampled_gradient(masks * ys[-1], samples[:, :, k])
        ys.append(ys[-1] - masks * slope * p["eta"])
    after = clients_mean(x, masks, ys[-1], problem.xp)
    if last and "box" in p:
        after = problem.project(after, p["box"])
    return problem.xp.stack(ys, axis=2), after


# ---- all data sets


def _on_every(
    problem: Any, p: P, x: Array, masks: Array, samples: Array, see: Any, last: bool = True
) -> Array:
    xp, sets = problem.xp, every_set(problem, p)
    own = [on(problem, p, each) for each in sets]
    runs = [_round(one, p, x[:, at], masks, samples, last) for at, one in enumerate(own)]
    ys = xp.stack([run[0] for run in runs], axis=1)  # (rows, data, n, K + 1, d)
    others = _others(problem, p, sets)
    far = _taken(xp, x, others)
    see(x=x, fars=far, far=far[:, :, int(p["place"])])
    see(**_pushes(problem, p, sets, others, ys, masks))
    see(loss_diff=_loss_differences(problem, p, x, others))
    see(**of_masks(problem, p, x))
    see(**of_data(problem, p, own, x, ys, masks))
    return xp.stack([run[1] for run in runs], axis=1)


def _others(problem: Any, p: P, sets: Sequence[tuple[int, ...]]) -> list[list[list[int]]]:
    """The data set in which a place has a fresh sample, of every data set, place and sample."""
    number = {each: at for at, each in enumerate(sets)}
    return [
        [
            [number[(*each[:at], fresh, *each[at + 1 :])] for fresh in range(problem.samples)]
            for at in range(len(each))
        ]
        for each in sets
    ]


def _taken(xp: Any, rows: Array, numbers: Any) -> Array:
    """Entries of axis 1 by number, whatever the nesting of the numbers."""
    found = xp.asarray(numbers)
    flat = xp.take(rows, xp.reshape(found, (-1,)), axis=1)
    return xp.reshape(flat, (rows.shape[0], *found.shape, *rows.shape[2:]))


def _pushes(
    problem: Any, p: P, sets: Sequence[tuple[int, ...]], others: Any, ys: Array, masks: Array
) -> State:
    """Masked gradients of the old and the new sample along both runs, of every place.

    Of shape (rows, data, place, fresh, K, d); and those of all samples, before the mask.
    """
    xp, n_s, steps, chosen = problem.xp, int(p["n_s"]), int(p["K"]), int(p["place"])
    raw = [
        problem.gradients_of(i, masks[:, None, i, None] * ys[:, :, i, :steps])
        for i in range(int(problem.clients))
    ]  # (rows, data, K, sample, d)
    held = [slopes * masks[:, None, i, None, None] for i, slopes in enumerate(raw)]
    old_old, old_new, new_old, new_new = (
        [
            _pushed(xp, held[place // n_s], _numbers(sets, others, place, new_sample, new_run))
            for place in range(len(sets[0]))
        ]
        for new_sample in (False, True)
        for new_run in (False, True)
    )
    return {
        "slopes": xp.stack(raw, axis=2),
        **{"old_own": old_old[chosen], "new_own": new_new[chosen]},
        **{"old_at_old": xp.stack(old_old, axis=2), "old_at_new": xp.stack(old_new, axis=2)},
        **{"new_at_old": xp.stack(new_old, axis=2), "new_at_new": xp.stack(new_new, axis=2)},
    }


def _pushed(xp: Any, slopes: Array, numbers: Any) -> Array:
    """Of data sets and samples by number, shape (rows, data, fresh, K, d)."""
    rows, count, steps, m, d = slopes.shape
    by_sample = xp.permute_dims(slopes, (0, 1, 3, 2, 4))
    return _taken(xp, xp.reshape(by_sample, (rows, count * m, steps, d)), numbers)


def _numbers(
    sets: Sequence[tuple[int, ...]], others: Any, place: int, new_sample: bool, new_run: bool
) -> list[list[int]]:
    """Of a data set and one of its pool's samples, counted on, of every data set and new sample."""
    fresh = range(len(others[0][place]))
    return [
        [
            (others[s][place][at] if new_run else s) * len(fresh)
            + (at if new_sample else each[place])
            for at in fresh
        ]
        for s, each in enumerate(sets)
    ]


def _loss_differences(problem: Any, p: P, x: Array, others: Any) -> Array:
    """l(w^t; z') - l(w'^t; z'), shape (rows, data, place, fresh)."""
    xp, n_s, m = problem.xp, int(p["n_s"]), problem.samples
    found = []
    for place in range(len(others[0])):
        losses = problem.losses_of(place // n_s, x)  # (rows, data, m)
        flat = xp.reshape(losses, (len(x), -1))
        numbers = [[own[place][f] * m + f for f in range(m)] for own in others]
        found.append(losses - _taken(xp, flat, numbers))
    return xp.stack(found, axis=2)


# ---- one pair of data sets


def _on_both(
    problem: Any, p: P, x: Array, masks: Array, samples: Array, see: Any, last: bool = True
) -> Array:
    xp, steps, sets = problem.xp, int(p["K"]), both_sets(problem, p)
    i, j = (int(each) for each in p["changed"].tolist())
    runs = [_round(on(problem, p, own), p, x[:, s], masks, samples, last)
            for s, own in enumerate(sets)]  # fmt: skip
    ys = xp.stack([run[0] for run in runs], axis=1)
    new = int(problem.samples) - 1
    held = masks[:, None, i, None]
    slopes = problem.gradients_of(i, held * ys[:, :, i, :steps])[:, :, :, [j, new]]
    pushes = slopes * held[..., None, :]
    drawn = samples[:, i, :steps, j, None]
    nobody = masks[:, :, None] * ys[:, 0, :, :steps] * 0
    see(x=x[:, 0], far=x[:, 1], xn=runs[0][1], far_n=runs[1][1])
    see(y_K=ys[:, 0, :, steps], far_K=ys[:, 1, :, steps], slopes=slopes)
    see(old_own=pushes[:, 0, :, 0], new_own=pushes[:, 1, :, 1])
    see(old_at_old=pushes[:, 0, :, 0], new_at_old=pushes[:, 0, :, 1])
    see(old_at_new=pushes[:, 1, :, 0], new_at_new=pushes[:, 1, :, 1])
    see(old_hit=_at_client(xp, i, drawn * pushes[:, 0, :, 0], nobody))
    see(new_hit=_at_client(xp, i, drawn * pushes[:, 1, :, 1], nobody))
    see(**_of_one_sample(problem, i, j, x, masks[:, i]))
    see(**of_masks(problem, p, x))
    see(**of_client(problem, p, x, i))
    return xp.stack([run[1] for run in runs], axis=1)


def _at_client(xp: Any, i: int, own: Array, others: Array) -> Array:
    """Of one client, beside what the others have."""
    every = [own if c == i else others[:, c] for c in range(others.shape[1])]
    return xp.stack(every, axis=1)


def _of_one_sample(problem: Any, i: int, j: int, x: Array, mask: Array) -> State:
    """At the starts of both runs: how far apart, and gradients of one sample at masked points."""
    apart, first = x[:, 0] - x[:, 1], problem.gradients_of(i, mask * x[:, 0])[:, j]
    moved = first - problem.gradients_of(i, mask * x[:, 1])[:, j]
    return {"pv": apart, "mpv": mask * apart, "pu": moved, "mpu": mask * moved}


RANDOM = Algorithm(init_every, draw, step, "coupled runs")
LOSSES = Algorithm(init_every, draw, step_losses, "random masks on every data set")
ROLLING = Algorithm(init_every_rolling, draw_rolling, step_rolling, "coupled runs, rolling masks")
RANDOM_PAIR = Algorithm(init_pair, draw, step_pair, "coupled runs on two data sets")
PAIR_ENDS = Algorithm(init_pair, draw, step_ends, "where coupled runs start their rounds")
ROLLING_PAIR = Algorithm(
    init_pair_rolling, draw_rolling, step_pair_rolling, "coupled runs on two data sets, rolling"
)
