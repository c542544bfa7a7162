"""Softmax regression of clients whose labels are drawn alike, by a Dirichlet law, or are one label.

Classes have Gaussian features around means of their own; the weights are one vector, class by
class. A pre-training objective has samples of all classes around means that a dial turns away
from the clients': at 0 it is of the same kind, at 1 it has nothing to do with them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fedbounds.errors import require

Array = Any
SPLITS = ("IID", "Dirichlet", "single label")


@dataclass(frozen=True, eq=False)
class Softmax:
    """Mean cross-entropies of n clients, in floats.

    Attributes
    ----------
    features : array, shape (n, N, p)
    labels : integer array, shape (n, N)
    classes : int
        C; a model has C p coordinates.
    batch : int
        Samples of a local step: those that follow each other from a data pointer on.
    """

    features: Array
    labels: Array
    classes: int
    batch: int

    @property
    def clients(self) -> int:
        """n."""
        return int(self.features.shape[0])

    @property
    def shared_dimension(self) -> int:
        """d."""
        return int(self.classes * self.features.shape[2])

    @property
    def smoothness(self) -> float:
        """L, from above: half of the largest eigenvalue of a client's mean of x x'."""
        second = np.swapaxes(self.features, 1, 2) @ self.features / self.features.shape[1]
        return float(np.linalg.eigvalsh(second).max()) / 2

    def value(self, models: Array, pointers: Array) -> Array:
        """Values f_k(w_k) on the batch at each client's pointer, shape (n,), of models (n, d)."""
        own = np.arange(self.clients)[:, None]
        at = (pointers[:, None] * self.batch + np.arange(self.batch)) % self.features.shape[1]
        return self._losses(models, self.features[own, at], self.labels[own, at]).mean(axis=1)

    def whole(self, models: Array) -> Array:
        """Values over all samples of each client."""
        return self._losses(models, self.features, self.labels).mean(axis=1)

    def gradient(self, models: Array) -> Array:
        """Gradients over all samples of each client, shape (n, d)."""
        chances = np.exp(self._logits(models, self.features))
        chances /= chances.sum(axis=2, keepdims=True)
        chances[*np.indices(self.labels.shape), self.labels] -= 1
        found = np.swapaxes(chances, 1, 2) @ self.features / self.features.shape[1]
        return found.reshape(self.clients, -1)

    def _logits(self, models: Array, features: Array) -> Array:
        """Up to a number of each sample, so that the largest is 0."""
        weights = models.reshape(self.clients, self.classes, -1)
        found = features @ np.swapaxes(weights, 1, 2)
        return found - found.max(axis=2, keepdims=True)

    def _losses(self, models: Array, features: Array, labels: Array) -> Array:
        logits = self._logits(models, features)
        own = np.take_along_axis(logits, labels[:, :, None], axis=2)[:, :, 0]
        return np.log(np.exp(logits).sum(axis=2)) - own


def softmax_clients(
    split: str,
    *,
    clients: int = 4,
    classes: int = 3,
    dimension: int = 8,
    samples: int = 64,
    batch: int = 8,
    alpha: float = 0.5,
    seed: int = 0,
) -> Softmax:
    """Clients of one kind, around the same means.

    Parameters
    ----------
    split : str
        "IID": every label is as likely at every client. "Dirichlet": shares of labels are drawn by
        client, with concentration ``alpha``. "single label": client k has the label k mod C alone.

    Raises
    ------
    FedboundsError
        If there is no such split, or a size is not positive.
    """
    require(split in SPLITS, "split", split, " or ".join(map(repr, SPLITS)))
    for name, size in (("samples", samples), ("batch", batch), ("alpha", alpha)):
        require(size > 0, name, size, "above 0")
    rng = np.random.default_rng([seed, SPLITS.index(split)])
    labels = np.array([rng.choice(classes, samples, p=_shares(split, k, classes, alpha, rng))
                       for k in range(clients)])  # fmt: skip
    means = class_means(classes, dimension, seed)
    noise = rng.standard_normal((clients, samples, dimension))
    return Softmax(means[labels] + noise, labels, classes, batch)


def pretraining(problem: Softmax, *, dial: float, samples: int = 512, seed: int = 0) -> Softmax:
    """One client with samples of all classes, around means that the dial turns away.

    Raises
    ------
    FedboundsError
        If the dial is not between 0 and 1.
    """
    require(0 <= dial <= 1, "dial", dial, "between 0 and 1")
    rng = np.random.default_rng([seed, 9])
    labels, dimension = rng.integers(problem.classes, size=samples), problem.features.shape[2]
    same = class_means(problem.classes, dimension, seed)
    other = class_means(problem.classes, dimension, seed + 1)
    means = np.sqrt(1 - dial**2) * same + dial * other
    features = means[labels] + rng.standard_normal((samples, dimension))
    return Softmax(features[None], labels[None], problem.classes, samples)


def class_means(classes: int, dimension: int, seed: int) -> Array:
    """Means of the features, of length 2, shape (C, p)."""
    drawn = np.random.default_rng([seed, 7]).standard_normal((classes, dimension))
    return 2 * drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def _shares(split: str, client: int, classes: int, alpha: float, rng: Any) -> Array:
    if split == "IID":
        return np.full(classes, 1 / classes)
    if split == "Dirichlet":
        return rng.dirichlet(np.full(classes, alpha))
    return np.eye(classes)[client % classes]
