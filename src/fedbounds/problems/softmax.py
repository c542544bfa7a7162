"""Softmax regression of clients whose labels are drawn alike, by a Dirichlet law, or are one label.

Classes have Gaussian features around means of their own; the weights are one vector, class by
class: a linear layer of C rows. A pre-training objective has samples of all classes around means
that a dial turns away from the clients': at 0 it is of the same kind, at 1 it has nothing to do
with them.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import array_api_compat
import numpy as np

from fedbounds.errors import require
from fedbounds.facts import Constant, Fact
from fedbounds.vocabulary import Provenance, Side

from .cohort import Cohort, everyone
from .constants import Constants, ConstantValue, Evidence, not_known
from .linear import is_exact
from .noise import SILENT
from .problem import Start
from .shown import Shown
from .spectrum import largest_eigenvalue

Array = Any
SPLITS = ("IID", "Dirichlet", "single label")
_KNOWN = {
    Fact.SMOOTH: "half of the largest eigenvalue of a mean of x x' bounds the curvature",
    Fact.CONVEX: "cross-entropies of a linear layer",
    Fact.NOISE: "samples are uniform draws with replacement, of bounded slopes",
}


@dataclass(frozen=True, eq=False, repr=False)
class Softmax(Shown):
    """Mean cross-entropies of n clients, in floats; of rationals they are balls.

    Attributes
    ----------
    features : array, shape (n, N, p)
    labels : integer array, shape (n, N)
    classes : int
        C; a model has C p coordinates.
    batch : int
        Samples of a local step: those that follow each other from a data pointer on.

    Raises
    ------
    FedboundsError
        If the shapes do not fit together.
    """

    features: Array
    labels: Array
    classes: int
    batch: int

    personal_dimension = 0
    noise = SILENT  # none that is added: gradients are of samples
    irrational = True

    def __post_init__(self) -> None:
        shape, given = tuple(self.features.shape), tuple(self.labels.shape)
        require(len(shape) == 3 and 0 not in shape, "shape of the features", shape, "(n, N, p)")
        require(given == shape[:2], "shape of the labels", given, f"{shape[:2]}")

    @property
    def clients(self) -> int:
        """n."""
        return int(self.features.shape[0])

    @property
    def samples(self) -> int:
        """N."""
        return int(self.features.shape[1])

    @property
    def shared_dimension(self) -> int:
        """d = C p."""
        return int(self.classes * self.features.shape[2])

    @property
    def exact(self) -> bool:
        """Whether the features are rationals."""
        return isinstance(self.features, np.ndarray) and is_exact(self.features)

    @property
    def smoothness(self) -> Any:
        """L, from above: half of the largest eigenvalue of a client's mean of x x'."""
        second = np.swapaxes(self.features, 1, 2) @ self.features / self.samples
        if self.exact:
            return max(largest_eigenvalue(own).upper for own in second) / 2
        return float(np.linalg.eigvalsh(second).max()) / 2

    def constants(self, start: Start) -> Constants:
        """L: certified of rationals, else an estimate."""
        how = Provenance.CERTIFIED if self.exact else Provenance.ESTIMATE
        return {Constant.SMOOTHNESS: ConstantValue(self.smoothness, how, Side.UPPER)}

    def satisfies(self, assumption: str) -> Evidence:
        """By the formula."""
        if assumption in _KNOWN:
            return Evidence(True, _KNOWN[Fact(assumption)])
        return not_known(assumption)

    # ---- values and gradients

    def value(self, z: Array, cohort: Cohort) -> Array:
        """Rows of f_k."""
        xp = array_api_compat.array_namespace(z)
        rows = [xp.sum(_losses(*own), axis=-1) for own in self._by_client(z, cohort)]
        return xp.reshape(xp.concat(rows, axis=-1), (z.shape[0],)) / self.samples

    def gradient(self, z: Array, cohort: Cohort) -> Array:
        """Rows of grad f_k."""
        xp = array_api_compat.array_namespace(z)
        rows = [_turned(_excess(*own), own[1]) for own in self._by_client(z, cohort)]
        return xp.reshape(xp.concat(rows, axis=-2), z.shape) / self.samples

    def sample_values(self, points: Array) -> Array:
        """Of every sample at its client's point, of points (rows, n, d); (rows, n, N)."""
        xp = array_api_compat.array_namespace(points)
        found = _losses(xp.permute_dims(points, (1, 0, 2)), self.features, self._targets)
        return xp.permute_dims(found, (1, 0, 2))

    def weighted_gradients(self, points: Array, weights: Array) -> Array:
        """Sums of their gradients, weights (rows, n, N); shape (rows, n, d)."""
        xp = array_api_compat.array_namespace(points)
        own, shares = (xp.permute_dims(array, (1, 0, 2)) for array in (points, weights))
        excess = _excess(own, self.features, self._targets) * shares[:, :, None, :]
        return xp.permute_dims(_turned(excess, self.features), (1, 0, 2))

    def picked(self, samples: Array) -> "Softmax":
        """The same with these samples of every client, given by number, shape (n, n_s)."""
        own = np.arange(self.clients)[:, None]
        return replace(self, features=self.features[own, samples], labels=self.labels[own, samples])

    def on_batch(self, models: Array, pointers: Array) -> Array:
        """Values f_k(w_k) on the batch at each client's pointer, shape (n,), of models (n, d)."""
        at = (pointers[:, None] * self.batch + np.arange(self.batch)) % self.samples
        return self.picked(at).value(models, everyone(self.clients, 1))

    @cached_property
    def _targets(self) -> Array:
        """1 at the class of every sample, shape (n, C, N)."""
        xp = array_api_compat.array_namespace(self.features)
        every = xp.arange(self.classes, dtype=self.labels.dtype)[None, :, None]
        own = xp.astype(self.labels[:, None, :] == every, xp.int64)
        return xp.astype(own, self.features.dtype)

    def _by_client(self, z: Array, cohort: Cohort) -> list[tuple[Array, Array, Array]]:
        """Points, features and targets: of all clients stacked, or of one client after another."""
        xp = array_api_compat.array_namespace(z)
        if cohort.everyone:
            shape = (cohort.clients, cohort.replicas, z.shape[1])
            return [(xp.reshape(z, shape), self.features, self._targets)]
        spans = zip(cohort.bounds[:-1], cohort.bounds[1:], strict=True)
        return [
            (z[a:b, :], self.features[i, :, :], self._targets[i, :, :])
            for i, (a, b) in enumerate(spans)
        ]


# of points (..., rows, d), features (..., N, p) and targets (..., C, N), the dots being clients


def _logits(points: Array, features: Array, targets: Array) -> Array:
    """Shape (..., rows, C, N), up to a number of each sample: in floats the largest is 0."""
    xp = array_api_compat.array_namespace(points)
    rows, classes = points.shape[-2], targets.shape[-2]
    weights = xp.reshape(points, (*points.shape[:-2], rows * classes, features.shape[-1]))
    found = xp.matmul(weights, xp.matrix_transpose(features))
    found = xp.reshape(found, (*points.shape[:-1], classes, features.shape[-2]))
    if isinstance(found, np.ndarray) and is_exact(found):  # balls do not overflow
        return found
    return found - xp.max(found, axis=-2, keepdims=True)


def _losses(points: Array, features: Array, targets: Array) -> Array:
    """Shape (..., rows, N)."""
    xp = array_api_compat.array_namespace(points)
    logits = _logits(points, features, targets)
    own = xp.sum(logits * targets[..., None, :, :], axis=-2)
    return xp.log(xp.sum(xp.exp(logits), axis=-2)) - own


def _excess(points: Array, features: Array, targets: Array) -> Array:
    """Chances of the classes minus targets, shape (..., rows, C, N)."""
    xp = array_api_compat.array_namespace(points)
    chances = xp.exp(_logits(points, features, targets))
    return chances / xp.sum(chances, axis=-2, keepdims=True) - targets[..., None, :, :]


def _turned(excess: Array, features: Array) -> Array:
    """Sums over samples of excess times features, shape (..., rows, C p)."""
    xp = array_api_compat.array_namespace(excess)
    *first, rows, classes, samples = excess.shape
    found = xp.matmul(xp.reshape(excess, (*first, rows * classes, samples)), features)
    return xp.reshape(found, (*first, rows, classes * features.shape[-1]))


# ---- data


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
