"""Masks that keep u of d coordinates: those of the largest scores, or any u of them.

Scores of Meerkat and of what it is compared with ("Mitigating Non-IID Drift in Zeroth-Order
Federated LLM Fine-Tuning with Transferable Sparsity", Section 2): mean squared partial derivatives
of the samples of a pre-training objective, or of the clients' own (the task mask); the size of the
weights; none, for a random mask. Masks are tuples of 0 and 1, as the parameter ``mask`` is.
"""

from typing import Any

import array_api_compat
import numpy as np

from fedbounds.errors import require

Array = Any
Mask = tuple[int, ...]


def largest(scores: Array, kept: int) -> Mask:
    """The mask of the ``kept`` largest scores, shape (d,); of equal ones the first.

    Raises
    ------
    FedboundsError
        If scores are no vector of numbers, or ``kept`` is no whole number of 1, ..., d.
    """
    own = np.asarray(scores)
    require(own.ndim == 1, "shape of the scores", own.shape, "(d,)")
    check_count(kept, own.size)
    unknown = np.flatnonzero(own != own)
    require(not unknown.size, "score of coordinate " + ", ".join(map(str, unknown)), "NaN",
            "a number")  # fmt: skip
    return _mask(own.size, np.argsort(-own, kind="stable")[:kept])


def by_magnitude(weights: Array, kept: int) -> Mask:
    """The mask of the largest |w_j|, shape (d,)."""
    return largest(abs(np.asarray(weights)), kept)


def by_squared_gradient(problem: Any, weights: Array, kept: int) -> Mask:
    """The mask of the largest scores that `squared_gradients` gives."""
    return largest(squared_gradients(problem, weights), kept)


def at_random(coordinates: int, kept: int, seed: int) -> Mask:
    """A mask of exactly ``kept`` coordinates, every one as likely.

    Raises
    ------
    FedboundsError
        If ``kept`` is no whole number of 1, ..., d.
    """
    check_count(kept, coordinates)
    return _mask(coordinates, np.random.default_rng(seed).permutation(coordinates)[:kept])


def squared_gradients(problem: Any, weights: Array) -> Array:
    """Mean squared partial derivatives at w, over all clients and their samples, shape (d,).

    Exact where the problem is. A client without samples has its own gradient.

    Parameters
    ----------
    problem : Clients
        The pre-training objective, which is a client or some, or the clients themselves.
    weights : array, shape (d,)
    """
    n, point = problem.clients, weights[None, :]
    if not hasattr(problem.objective, "weighted_gradients"):
        own = problem.gradient(point)[0, ...]
        return problem.xp.sum(own * own, axis=0) / n
    xp = array_api_compat.array_namespace(weights)
    one_of = xp.eye(problem.samples, dtype=weights.dtype)
    total = weights * 0
    for i in range(problem.samples):
        chosen = xp.stack([one_of[i, :]] * int(n), axis=0)[None, ...]
        own = problem.sampled_gradient(point, chosen)[0, ...]
        total = total + xp.sum(own * own, axis=0)
    return total / (n * problem.samples)


def check_count(kept: int, coordinates: int) -> None:
    """Refuse an empty mask, a share in place of a number, and more coordinates than there are."""
    fits = 1 <= kept <= coordinates and kept == int(kept)
    require(fits, "kept coordinates u", kept, f"a whole number, 1 to {coordinates}")


def _mask(coordinates: int, kept: Array) -> Mask:
    inside = set(kept.tolist())
    return tuple(int(j in inside) for j in range(coordinates))
