"""Quantities per client and per local step, exactly, on small instances.

Sets of participants are enumerated and the algorithm is driven with each; given S a round is
affine in state and noise, so every squared length is a sum of squares of responses.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from math import comb
from operator import add
from typing import Any

import numpy as np

from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.algorithms.participation import all_participants
from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.linear import is_exact

from .affine import driver_of, state_size
from .drive import Driver, noise_response, response
from .memory import Each
from .observe import Seen, effective_step

Array = Any
_MOST_STATE = {True: 30, False: 60}  # exact numbers are a thousand times slower
_MOST_RESPONSES = 20_000  # entries of the largest stack of responses
_MOST_SETS = 10
_STATE_FEATURES = (
    "gradient u",
    "gradient v",
    "sum v",
    "control error",
    "controls",
    "past gradient",
)


@dataclass(frozen=True)
class _Product:
    """E <left, right> per leading index; features have shape (..., dimension, replicas)."""

    left: str
    right: str
    shift: int = 0  # 1: a statement of round t is measured in round t - 1


_CLIENT = {
    "g_ui": _Product("gradient u", "gradient u"),
    "g_vi": _Product("gradient v", "gradient v"),
    "s_vi": _Product("sum v", "sum v"),
    "Dv_i": _Product("step v", "step v"),
    "cd_i": _Product("control error", "control error"),
    "c_i2": _Product("controls", "controls"),
    "h_i2": _Product("past gradient", "past gradient"),
    "ch_i": _Product("controls", "past gradient"),
}
_STEP = {
    "Eu_ik": _Product("drift u", "drift u"),
    "Ev_ik": _Product("drift v", "drift v"),
    "Y_ik": _Product("noise of participants", "noise of participants"),
    "A_ik": _Product("lag u", "lag u"),
    "Bt_ik": _Product("lag v", "lag v"),
    "A_old": _Product("old lag u", "old lag u", 1),
    "Bt_old": _Product("old lag v", "old lag v", 1),
    "A_new": _Product("new lag u", "new lag u"),
    "Bt_new": _Product("new lag v", "new lag v"),
    "U_ik": _Product("return u", "return u", 1),
    "V_ik": _Product("return v", "return v", 1),
}
_WHOLE = {
    "I_u": _Product("followed u", "followed u"),
    "J_u": _Product("followed u", "step u"),
    "I_v": _Product("followed v", "followed v"),
    "J_v": _Product("followed v", "step v"),
}

# what only this module measures, and what needs every point of the last participation
INDEXED = frozenset((*_CLIENT, *_STEP, *_WHOLE)) | {
    "M_vi",
    "E_ik",
    "C_i",
    "W_2",
    "What_2",
    "What_sum",
}

# what needs the memory of the last participation at all
REMEMBERED = INDEXED | {
    "C",
    "S_3u",
    "cd_2",
    "W_own",
    "W_mean",
    "c_2",
    "cbar_2",
    "ccbar",
}


def is_indexable(problem: FederatedQuadratic, algorithm: FedAvgP) -> bool:
    """Whether quantities per client and step are measured: counted, so that it never varies."""
    n, steps = problem.clients, algorithm.local_steps
    sets = comb(n, algorithm.participants)
    if sets > _MOST_SETS or n * steps > _MOST_STATE[False]:
        return False
    size = state_size(driver_of(problem, algorithm, Each))
    d = problem.shared_dimension + problem.personal_dimension
    responses = sets * n * (steps + 1) * d * (size + 1)
    return size <= _MOST_STATE[is_exact(problem.hessian)] and responses <= _MOST_RESPONSES


def indexed_series(
    driver: Driver, moments: list[Array]
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Series per client, shape (n, 1, rounds), and per client and step, (n, K or K + 1, rounds).

    The second table has the sizes of the products behind each (empty for exact rationals).

    Parameters
    ----------
    moments : list of arrays
        Second moments of the state, of every round.
    """
    basis = driver.basis()
    seen = driver.seen(basis, driver.silent(basis))
    probes = [(p, driver.seen(p.carry, p.drawn)) for p in driver.noises()]
    sets = [tuple(int(i) for i in np.flatnonzero(s)) for s in _sets(driver)]
    stacked = [
        (
            {k: response(v) for k, v in _features(driver, basis, seen, subset).items()},
            [
                (
                    p.variance,
                    {
                        k: noise_response(v)
                        for k, v in _features(driver, p.carry, own, subset).items()
                    },
                )
                for p, own in probes
            ],
        )
        for subset in sets
    ]
    series = _series(stacked, moments)
    if is_exact(moments[0]):
        return series, {}
    sizes = [
        (_abs(responses), [(variance, _abs(own)) for variance, own in noise])
        for responses, noise in stacked
    ]
    return series, _series(sizes, [abs(moment) for moment in moments])


def _abs(responses: dict[str, Array]) -> dict[str, Array]:
    return {name: abs(array) for name, array in responses.items()}


def _series(stacked: "Stacked", moments: list[Array]) -> dict[str, Array]:
    series: dict[str, Array] = {}
    for table in (_CLIENT, _STEP, _WHOLE):
        for name, product in table.items():
            if {product.left, product.right} <= stacked[0][0].keys():
                values = _shifted(_expected(product, stacked, moments), product.shift)
                if table is _CLIENT:
                    values = values[:, None, :]
                series[name] = values.sum(axis=0) if table is _WHOLE else values
    series |= _mean_increments(stacked, moments)
    series["E_ik"] = series["Eu_ik"] + series["Ev_ik"]
    if "A_ik" in series:
        lag = series["A_ik"] + series["Bt_ik"]
        series["C_i"] = lag.sum(axis=1)[:, None, :]
    return series


def _sets(driver: Driver) -> Iterator[np.ndarray]:
    every = all_participants(driver.problem.clients, driver.algorithm.participants)
    return iter(every.T)


Stacked = list[tuple[dict[str, Array], list[tuple[Array, dict[str, Array]]]]]


def _expected(product: _Product, stacked: Stacked, moments: list[Array]) -> Array:
    """E <left, right> for every leading index and round: shape (..., rounds)."""
    rounds = []
    for moment in moments:
        total = moment[-1, -1] * 0  # of the number type in use, also where a block is absent
        for responses, _ in stacked:
            left, right = responses[product.left], responses[product.right]
            total = total + (np.matmul(left, moment) * right).sum(axis=(-2, -1))
        rounds.append(total / len(stacked))
    noise = rounds[0] * 0
    for _, probes in stacked:
        for variance, responses in probes:
            both = (responses[product.left] * responses[product.right]).sum(axis=-2)
            noise = noise + (both * variance).sum(axis=-1)
    return np.stack(rounds, axis=-1) + (noise / len(stacked))[..., None]


def _shifted(values: Array, shift: int) -> Array:
    """What was measured in round t - 1 belongs to round t; round 0 has none."""
    kept = values.shape[-1] - shift
    return np.concatenate([values[..., :shift] * 0, values[..., :kept]], axis=-1)


def _mean_increments(stacked: Stacked, moments: list[Array]) -> dict[str, Array]:
    """Per client E ||E(Delta v_i | past)||^2: S averaged out before squaring, noise has mean 0."""
    mean = sum(responses["step v"] for responses, _ in stacked) / len(stacked)
    values = [(np.matmul(mean, moment) * mean).sum(axis=(-2, -1)) for moment in moments]
    return {"M_vi": np.stack(values, axis=-1)[:, None, :]}


def _features(driver: Driver, carry: Any, seen: Seen, subset: tuple[int, ...]) -> dict[str, Array]:
    """Features given S, shape (clients, [steps,] dimension, replicas)."""
    problem, algorithm = driver.problem, driver.algorithm
    d_u = problem.shared_dimension
    after = driver.after(carry, seen.reached, subset)
    chosen = np.zeros((problem.clients, 1, 1), dtype=carry.u.dtype) + carry.u.sum() * 0
    chosen[list(subset)] = chosen[list(subset)] + 1
    gamma = effective_step(problem, algorithm)
    noisy: Array = reduce(add, seen.noisy)
    shared = noisy[:, :, :d_u]
    if isinstance(carry, Each):
        shared = shared + (carry.control[None] - carry.controls) * algorithm.local_steps
    found: dict[str, Array] = {
        name: seen.features[name] for name in _STATE_FEATURES if name in seen.features
    }
    found |= {
        "step u": (after.u - carry.u)[None],
        "step v": after.v - carry.v,
        "followed u": -(shared * chosen).sum(axis=0)[None] * gamma / algorithm.participants,
        "followed v": -noisy[:, :, d_u:] * chosen * gamma,
    }
    by_client = {name: array.transpose(0, 2, 1) for name, array in found.items()}
    return by_client | _step_features(driver, carry, after, seen, chosen)


def _step_features(
    driver: Driver, carry: Any, after: Any, seen: Seen, chosen: Array
) -> dict[str, Array]:
    """Features per client and step, shape (n, steps, dimension, replicas)."""
    d_u = driver.problem.shared_dimension
    n, replicas, _ = carry.v.shape
    rows = seen.reached.rows if isinstance(carry, Each) else seen.reached
    points = [*seen.points, rows.reshape(n, replicas, -1)]
    noise = [a - b for a, b in zip(seen.noisy, seen.gradients, strict=True)]
    joint = _joint(carry)
    found = {
        "drift u": [(z - joint)[:, :, :d_u] for z in points],
        "drift v": [(z - joint)[:, :, d_u:] for z in points],
        "noise of participants": [x[:, :, :d_u] * chosen for x in noise],
    }
    if isinstance(carry, Each):
        d, later = joint.shape[2], _joint(after)
        past, kept = (
            [points[:, :, a : a + d] for a in range(0, points.shape[2], d)]
            for points in (carry.points, after.points)
        )
        for block, at in (("u", slice(0, d_u)), ("v", slice(d_u, None))):
            found |= {
                f"lag {block}": [(x - joint)[:, :, at] for x in past],
                f"old lag {block}": [(x - later)[:, :, at] for x in past],
                f"new lag {block}": [(x - joint)[:, :, at] for x in kept],
                f"return {block}": [(x - later)[:, :, at] for x in seen.points],
            }
    return {name: np.stack(steps, axis=1).transpose(0, 1, 3, 2) for name, steps in found.items()}


def _joint(carry: Any) -> Array:
    u = np.broadcast_to(carry.u[None], (carry.v.shape[0], *carry.u.shape))
    return np.concatenate([u, carry.v], axis=2)
