"""Random starts of networks, all of whose entries are independent N(0, 1): what they are at first.

In floats, each number between two that are wrong by no more than what rounding may do, with a wide
margin: what stands so near an edge that it is not told counts as beyond it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from flint import fmpq

from .deep_linear import DeepLinear
from .relu_network import ReluNetwork
from .spectrum import largest_eigenvalue, smallest_eigenvalue, to_floats

Array = Any
_BATCH = 2**22  # entries of starts that are looked at together
Between = tuple[Array, Array]  # of every start
_MARGIN = 1e-9  # of the sizes of matrices; what rounding does is far less


def gaussian_starts(problem: Any, seed: int, count: int) -> Iterator[Array]:
    """Independent ones in batches, shape (rows, entries); those of a seed are the first of more."""
    random, entries = np.random.default_rng(seed), problem.shared_dimension
    rows = max(1, _BATCH // entries)
    for first in range(0, count, rows):
        yield random.standard_normal((min(rows, count - first), entries))


def of_deep_linear(problem: DeepLinear, starts: Array) -> dict[str, Between]:
    """What Lemma A.1 speaks of, as `DeepLinear.numbers` has it: each is of one start.

    ``low_0`` and ``high_0``; ``mid_0``, the largest ||W^j ... W^i||^2/m^(j-i+1) of 1 < i <= j < L,
    0 if there is none; ``R_0``, the squared norm of what is missed.
    """
    features = to_floats(problem.features.reshape(-1, problem.features.shape[2]))
    targets = to_floats(problem.targets.reshape(len(features), -1))
    exact = problem.features.reshape(-1, problem.features.shape[2])
    units = smallest_eigenvalue(exact @ exact.T), largest_eigenvalue(exact @ exact.T)
    weights, m = problem.layers(starts), problem.width
    lows, highs = [np.full(len(starts), np.inf)], [np.zeros(len(starts))]
    made = np.broadcast_to(features, (len(starts), *features.shape))
    for i, weight in enumerate(weights[:-1], 1):
        made = made @ weight.swapaxes(1, 2)
        least, most = _ends(made / m ** (i / 2))
        highs.append(most / float(units[1].lower))
        if units[0].lower > 0:
            lows.append(least / float(units[0].upper))
    outputs = made @ weights[-1].swapaxes(1, 2) * problem.square**-0.5
    back = np.broadcast_to(np.eye(problem.outputs), (len(starts), *[problem.outputs] * 2))
    for i, weight in enumerate(reversed(weights[1:]), 1):
        back = back @ weight
        least, most = _ends(back / m ** (i / 2))
        lows.append(least)
        highs.append(most)
    missed = ((outputs - targets) ** 2).sum(axis=(1, 2))
    size = missed + (outputs**2).sum(axis=(1, 2)) + (targets**2).sum()
    low, high = np.minimum.reduce(lows), np.maximum.reduce(highs)
    if len(weights) == 1:  # nothing is asked
        low, high = np.ones(len(starts)), np.ones(len(starts))
    top = np.maximum(high, 1.0)
    return {
        "low_0": _around(low, top),
        "high_0": _around(high, top),
        "mid_0": _between_layers(weights, m),
        "R_0": _around(missed, size),
    }


def _between_layers(weights: list[Array], m: int) -> Between:
    """Between an eighth root of a trace and that over m: of eigenvalues l, l^8 is least or all."""
    most = np.zeros(len(weights[0]))
    inner = weights[1:-1]
    for first in range(len(inner)):
        made = np.broadcast_to(np.eye(m), (len(most), m, m))
        for weight in inner[first:]:
            made = weight @ made / m**0.5
            power = made @ made.swapaxes(1, 2)
            for _ in range(2):
                power = power @ power
            most = np.maximum(most, (power**2).sum(axis=(1, 2)) ** 0.125)
    return most * (m**-0.125 - _MARGIN), most * (1 + _MARGIN)


def _ends(rows: Array) -> Between:
    """Extreme eigenvalues of A A', of matrices."""
    values = np.linalg.eigvalsh(rows @ rows.swapaxes(1, 2))
    return values[:, 0], values[:, -1]


def _around(value: Array, size: Array) -> Between:
    return value - _MARGIN * size, value + _MARGIN * size


def of_relu(problem: ReluNetwork, starts: Array, radius: fmpq) -> dict[str, Between]:
    """``unsure``: of all samples, the largest share of neurons that are near a change of sign.

    Those whose sign on the sample is not that of all w within ``radius`` of them. And
    ``perp_most``, what such neurons add to ||H||_F of models within ``radius``: no less than at
    the start, and no more than if all were active.
    """
    samples = to_floats(problem.features.reshape(-1, problem.inputs))
    neurons = starts.reshape(len(starts), problem.width, problem.inputs)
    products = neurons @ samples.T  # (starts, m, samples)
    edge = float(radius.p) / float(radius.q) * np.linalg.norm(samples, axis=1)
    surely, maybe = (np.abs(products) <= edge * (1 + sign * _MARGIN) for sign in (-1, 1))
    low, high = (near.mean(axis=1).max(axis=1) for near in (surely, maybe))
    active = products >= _MARGIN * edge
    gram = samples @ samples.T
    shares = (surely & active).swapaxes(1, 2).astype(float) @ active / problem.width
    least = np.linalg.norm(gram * shares, axis=(1, 2))
    most = np.linalg.norm(gram * maybe.mean(axis=1)[:, :, None], axis=(1, 2))
    return {"unsure": (low, high), "perp_most": _outwards(least, most)}


def _outwards(least: Array, most: Array) -> Between:
    return least * (1 - _MARGIN), most * (1 + _MARGIN)


def numbers_of(problem: Any, starts: Array, given: Mapping[str, fmpq]) -> dict[str, Between] | None:
    """What is known of starts of this problem; None if nothing is."""
    if isinstance(problem, DeepLinear) and problem.kept is None:
        return of_deep_linear(problem, starts)
    if isinstance(problem, ReluNetwork) and problem.copies == 1:
        return of_relu(problem, starts, given["radius"])
    return None
