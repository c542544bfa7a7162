"""Data for logistic problems whose clients range from identical to strongly different."""

import numpy as np

from fedbounds.errors import require, require_extra

from .logistic import FederatedLogistic

_SHIFT = 2.0  # distance of a client's feature mean from the common one, at heterogeneity 1


def federated_logistic(
    *,
    clients: int,
    shared_dimension: int,
    personal_dimension: int,
    samples: int,
    heterogeneity: float,
    batch: int | None = None,
    regularisation: float = 0.1,
    seed: int = 0,
) -> FederatedLogistic:
    """Synthetic logistic regression.

    Parameters
    ----------
    samples : int
        N, per client.
    heterogeneity : float in [0, 1]
        0: every client holds the same data. 1: features, their means and the vectors that generate
        the labels are drawn for each client independently. In between features keep their variance
        and correlate between clients.
    batch, regularisation
        As in `FederatedLogistic`.
    """
    width = _check_sizes(clients, shared_dimension, personal_dimension, heterogeneity)
    require(samples >= 1, "samples per client", samples, "at least 1")
    rng = np.random.default_rng(seed)

    def mixed(*shape: int) -> np.ndarray:
        """Standard normals, shape (clients, *shape), of correlation 1 - heterogeneity."""
        common, own = rng.standard_normal(shape), rng.standard_normal((clients, *shape))
        blend: np.ndarray = np.sqrt(1.0 - heterogeneity) * common + np.sqrt(heterogeneity) * own
        return blend

    features, teacher = mixed(samples, width), mixed(width, 1)
    shifts = rng.standard_normal((clients, 1, width))
    shifts /= np.linalg.norm(shifts, axis=2, keepdims=True)
    features = features + heterogeneity * _SHIFT * shifts
    scores = (features @ teacher)[:, :, 0] / np.sqrt(width)
    labels = np.where(scores + 0.5 * rng.logistic(size=samples) > 0.0, 1.0, -1.0)
    shared, personal = features[:, :, :shared_dimension], features[:, :, shared_dimension:]
    return FederatedLogistic(shared, personal, labels, regularisation, batch)


def digits_logistic(
    *,
    clients: int = 10,
    shared_dimension: int,
    personal_dimension: int,
    heterogeneity: float,
    batch: int | None = None,
    regularisation: float = 0.1,
    seed: int = 0,
) -> FederatedLogistic:
    """Even against odd digits (1 and -1) on the 1797 handwritten digits of scikit-learn.

    The pixels of largest variance, scaled to mean 0 and variance 1, are dealt to the two blocks at
    random. Every client holds N = 1797 // clients images: a share ``heterogeneity`` of them from
    its own part of the images sorted by digit, the others from images common to all clients.

    Raises
    ------
    FedboundsError
        If scikit-learn is not installed or there are not enough pixels or images.
    """
    width = _check_sizes(clients, shared_dimension, personal_dimension, heterogeneity)
    try:
        from sklearn.datasets import load_digits
    except ImportError as error:
        raise require_extra("data", "scikit-learn") from error
    pixels, digits = load_digits(return_X_y=True)
    deviation = pixels.std(axis=0)
    usable = int((deviation > 0.0).sum())
    require(width <= usable, "number of pixels d_u + d_v", width, f"at most {usable}")
    require(clients <= len(digits), "number of clients n", clients, f"at most {len(digits)} images")
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(np.argsort(-deviation, kind="stable")[:width])
    features = ((pixels - pixels.mean(axis=0)) / np.where(deviation > 0.0, deviation, 1.0))[
        :, chosen
    ]
    labels = np.where(digits % 2 == 0, 1.0, -1.0)
    samples = len(digits) // clients
    shuffled = rng.permutation(len(digits))
    by_digit = shuffled[np.argsort(digits[shuffled], kind="stable")]
    own = round(heterogeneity * samples)
    common = rng.permutation(len(digits))[: samples - own]
    held = np.stack(
        [
            np.concatenate([common, rng.permutation(part)[:own]])
            for part in by_digit[: clients * samples].reshape(clients, samples)
        ]
    )
    shared, personal = features[:, :shared_dimension], features[:, shared_dimension:]
    return FederatedLogistic(shared[held], personal[held], labels[held], regularisation, batch)


def _check_sizes(clients: int, d_u: int, d_v: int, heterogeneity: float) -> int:
    """The number of features d_u + d_v, if all is in order."""
    require(clients >= 1, "number of clients n", clients, "at least 1")
    require(
        d_u >= 0 and d_v >= 0 and d_u + d_v >= 1,
        "dimensions (d_u, d_v)",
        (d_u, d_v),
        "non-negative, not both zero",
    )
    require(0.0 <= heterogeneity <= 1.0, "heterogeneity", heterogeneity, "between 0 and 1")
    return d_u + d_v
