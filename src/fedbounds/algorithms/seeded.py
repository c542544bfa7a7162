"""Meerkat on seeds, in floats: what clients and server exchange, what is replayed, and bytes.

Models have the numbers that are trained, and nothing else: the coordinates that a mask keeps, the
entries of a factor pair, or all weights. The direction of a local step comes from its seed alone,
so that whoever has the seed has it.
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


# ---- rounds


@dataclass(frozen=True, eq=False)
class Exchange:
    """What was exchanged, and what came of it.

    Attributes
    ----------
    models : array, shape (rounds + 1, u)
        w^r, of what is trained.
    scalars : array, shape (rounds, n, steps)
        g of every local step; 0 where a client was stopped.
    seeds : integer array, shape (rounds, steps)
    steps : integer array, shape (n,)
        Local steps of each client in a round.
    down, up : integer arrays, shape (n,)
        Bytes that each client receives and sends in all rounds: the model that the server sends,
        or the mean scalar alone where a round has one local step, a seed for each of the client's
        local steps, and back a scalar for each. What all have before round 0 is not counted: the
        start, and where a mask is, or what a factor pair is added to.
    """

    models: Array
    scalars: Array
    seeds: Array
    steps: Array
    down: Array
    up: Array


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
        w^0, of what is trained.
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
    require(start.ndim == 1 and start.size > 0, "shape of the start", start.shape, "(u,), not (0,)")
    require(seeds.ndim == 2 and seeds.size > 0, "shape of the seeds", seeds.shape,
            "(rounds, local steps), none of them 0")  # fmt: skip
    for client in stopped:
        require(0 <= client < clients, "stopped client", client, f"0 to {clients - 1}")
    local = np.full(clients, seeds.shape[1])
    local[list(stopped)] = 1
    models, scalars = [start], []
    pointers, down, up = (np.zeros(clients, dtype=int) for _ in range(3))
    p, silent = {"eta": eta, "epsilon": epsilon}, np.zeros((1, clients, start.size))
    for own in seeds:
        y, sent = np.repeat(models[-1][None], clients, axis=0), np.zeros((clients, len(own)))
        down += VALUE_BYTES * (1 if len(own) == 1 else start.size)
        for s, z in enumerate(directions(own, start.size)):
            g = difference(_Batch(value, pointers), p, y[None], z[None, None], silent)
            at_work = local > s
            sent[:, s] = np.where(at_work, g[0], 0)
            y = np.where(at_work[:, None], moved(y[None], p, sent[None, :, s], z[None, None])[0], y)
            pointers = pointers + at_work
            down += SEED_BYTES * at_work
            up += VALUE_BYTES * at_work
        scalars.append(sent)
        models.append(y.mean(axis=0))
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
    """The Gaussian direction of a seed, of what is trained."""
    return np.random.default_rng(seed).standard_normal(size)


def directions(seeds: Sequence[int], size: int) -> Array:
    """Those of some seeds, shape (steps, u)."""
    return np.array([direction(int(seed), size) for seed in seeds])


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
    models = np.repeat(start[None, None], len(scalars), axis=1)
    z = directions(seeds, start.size)[None, None]
    return replayed(models, {"eta": eta}, scalars[None], z)[0]


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
