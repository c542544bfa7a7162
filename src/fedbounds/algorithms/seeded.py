"""Meerkat on seeds, in floats: what clients and server exchange, what is replayed, and bytes.

Models have the coordinates that a mask keeps, and nothing else: what they cost does not grow with
d. The direction of a local step comes from its seed alone, so that whoever has the seed has it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fedbounds.errors import FedboundsError, require, require_finite

from .sparse_zeroth_order import difference
from .virtual_path import moved, replayed

Array = Any
Value = Callable[[Array, Array], Array]
VALUE_BYTES, SEED_BYTES = 4, 8  # a float32, and a seed of 64 bits


# ---- masks


def check_count(kept: int, coordinates: int) -> None:
    """Refuse an empty mask, and more coordinates than there are."""
    require(1 <= kept <= coordinates, "kept coordinates u", kept, f"1 to {coordinates}")


def largest(scores: Array, kept: int) -> Array:
    """The mask of the largest scores, shape (d,): mean squared gradients, or |w|.

    Raises
    ------
    FedboundsError
        If ``kept`` is not between 1 and d.
    """
    scores = np.asarray(scores, dtype=float)
    check_count(kept, scores.size)
    mask = np.zeros(scores.size, dtype=bool)
    mask[np.argsort(-scores, kind="stable")[:kept]] = True
    return mask


def at_random(coordinates: int, kept: int, seed: int) -> Array:
    """A mask of uniform coordinates."""
    check_count(kept, coordinates)
    return largest(np.random.default_rng(seed).permutation(coordinates), kept)


# ---- rounds


@dataclass(frozen=True, eq=False)
class Exchange:
    """What was exchanged, and what came of it.

    Attributes
    ----------
    models : array, shape (rounds + 1, u)
        w^r, of kept coordinates.
    scalars : array, shape (rounds, n, steps)
        g of every local step; 0 where a client was stopped.
    seeds : integer array, shape (rounds, steps)
    steps : integer array, shape (n,)
        Local steps of each client in a round.
    down, up : int
        Bytes that one client receives and sends, over all rounds.
    """

    models: Array
    scalars: Array
    seeds: Array
    steps: Array
    down: int
    up: int


def rounds(
    value: Value,
    start: Array,
    *,
    clients: int,
    eta: float,
    epsilon: float,
    seeds: Array,
    stopped: Sequence[int] = (),
) -> Exchange:
    """Rounds of Meerkat, or of Meerkat-vp where clients are stopped after one local step.

    Parameters
    ----------
    value : function of models, shape (n, u), and of data pointers, shape (n,)
        Values, shape (n,). A pointer counts the local steps that a client has made so far: stopped
        clients go on where they were.
    start : array, shape (u,)
        w^0 where the mask keeps it.
    eta, epsilon : float
        Step size and perturbation.
    seeds : integers, shape (rounds, steps)
    stopped : sequence of int
        Clients that make one local step a round.

    Raises
    ------
    FedboundsError
        If a size is not positive, ``seeds`` is no table, or a client is not there.
    """
    for name, size in (("eta", eta), ("epsilon", epsilon)):
        require_finite(name, size, positive=True)
    start, seeds = np.asarray(start, dtype=float), np.asarray(seeds)
    check_count(start.size, start.size)
    require(seeds.ndim == 2 and seeds.size > 0, "shape of the seeds", seeds.shape,
            "(rounds, local steps), none of them 0")  # fmt: skip
    for client in stopped:
        require(0 <= client < clients, "stopped client", client, f"0 to {clients - 1}")
    local = np.full(clients, seeds.shape[1])
    local[list(stopped)] = 1
    models, scalars, pointers = [start], [], np.zeros(clients, dtype=int)
    p, silent = {"eta": eta, "epsilon": epsilon}, np.zeros(1)
    for own in seeds:
        y, sent = np.repeat(models[-1][None], clients, axis=0), np.zeros((clients, len(own)))
        for s, seed in enumerate(own):
            z = direction(int(seed), start.size)
            g = difference(_Batch(value, pointers), p, y[None], z[None, None], silent)
            at_work = local > s
            sent[:, s] = np.where(at_work, g[0], 0)
            y = np.where(at_work[:, None], moved(y[None], p, sent[None, :, s], z[None, None])[0], y)
            pointers = pointers + at_work
        scalars.append(sent)
        models.append(y.mean(axis=0))
    down, up = sent_bytes(start.size, len(seeds), seeds.shape[1])
    return Exchange(np.array(models), np.array(scalars), seeds, local, down, up)


@dataclass(frozen=True, eq=False)
class _Batch:
    """The objectives of the batches at which clients are."""

    of: Value
    pointers: Array
    xp = np

    def value(self, models: Array) -> Array:
        """Shape (1, n), of models (1, n, u)."""
        return self.of(models[0], self.pointers)[None]


def direction(seed: int, size: int) -> Array:
    """The Gaussian direction of a seed, on kept coordinates."""
    return np.random.default_rng(seed).standard_normal(size)


def sent_bytes(kept: int, rounds: int, steps: int) -> tuple[int, int]:
    """Bytes that one client receives and sends.

    At one local step a round it receives the mean scalar and a seed; at more, kept parameters and
    seeds. It sends a scalar for every local step.
    """
    model = VALUE_BYTES * (1 if steps == 1 else kept)
    return rounds * (model + SEED_BYTES * steps), rounds * VALUE_BYTES * steps


# ---- the server


def virtual_paths(start: Array, scalars: Array, seeds: Sequence[int], eta: float) -> Array:
    """Where the clients end, from scalars (n, steps) and seeds alone: shape (n, u).

    Raises
    ------
    FedboundsError
        If there are not as many seeds as scalars of a client.
    """
    start, scalars = np.asarray(start, dtype=float), np.asarray(scalars, dtype=float)
    require(len(seeds) == scalars.shape[1], "length of the seed list", len(seeds),
            f"{scalars.shape[1]}, one for each local step")  # fmt: skip
    z = np.array([direction(int(seed), start.size) for seed in seeds])
    n, steps = scalars.shape
    models = np.repeat(start[None, None], n, axis=1)
    every = np.broadcast_to(z[None, None], (1, n, steps, start.size))
    return replayed(models, {"eta": eta}, scalars[None], every)[0]


def check_replay(sent: Array, replay: Array) -> None:
    """Whether models (n, steps, u) that clients have are those that are replayed, bit for bit.

    Raises
    ------
    FedboundsError
        Naming the first client and local step where they are not.
    """
    sent, replay = np.asarray(sent), np.asarray(replay)
    require(sent.shape == replay.shape, "shape of the replayed path", replay.shape, f"{sent.shape}")
    differs = (sent != replay).any(axis=-1)
    if differs.any():
        client, step = np.argwhere(differs)[0]
        apart = float(np.abs(sent[client, step] - replay[client, step]).max())
        raise FedboundsError(
            f"the virtual path of client {client} differs at local step {step}: by {apart:.3g}; "
            "expected the same numbers"
        )
