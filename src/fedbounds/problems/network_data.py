"""Samples of clients for networks: handwritten digits, a few classes a client; and random ones."""

from typing import Any

import numpy as np

from fedbounds.errors import require, require_extra

Array = Any
CLASSES = 10
_PIXELS, _WHITE = 8, 16  # rows of an image, and the largest entry


def digit_samples(
    *, clients: int, samples: int, side: int = 28, classes: int = 3, seed: int = 0
) -> tuple[Array, Array]:
    """Digits of scikit-learn as images of ``side`` rows; a client sees a few classes only.

    Every pixel of 8 x 8 is shown as equally many rows and columns, in the middle of the image;
    entries are from 0 to 1. Client c has classes c, c + 1, ..., in turn, and no image of another.

    Returns
    -------
    features : array, shape (clients, samples, side^2)
    targets : array, shape (clients, samples, 10)
        1 for the digit, and 0.

    Raises
    ------
    FedboundsError
        If scikit-learn is not installed, or there are not enough images.
    """
    for name, given in (("clients n", clients), ("samples per client", samples)):
        require(given >= 1, f"number of {name}", given, "at least 1")
    require(side >= _PIXELS, "rows of an image", side, f"at least {_PIXELS}")
    require(1 <= classes <= CLASSES, "classes a client", classes, f"1 to {CLASSES}")
    try:
        from sklearn.datasets import load_digits
    except ImportError as error:
        raise require_extra("data", "scikit-learn") from error
    images, digits = load_digits(return_X_y=True)
    wanted = (np.arange(clients)[:, None] + np.arange(samples) % classes) % CLASSES
    shuffled = np.random.default_rng(seed).permutation(len(digits))
    held = np.empty(wanted.shape, dtype=int)
    for digit in range(CLASSES):
        own, where = shuffled[digits[shuffled] == digit], wanted == digit
        asked = int(where.sum())
        require(asked <= len(own), f"images of {digit}", asked, f"at most {len(own)}")
        held[where] = own[:asked]
    return _shown(images[held], side), np.eye(CLASSES)[wanted]


def _shown(images: Array, side: int) -> Array:
    """In the middle of larger ones."""
    times, border = side // _PIXELS, side % _PIXELS
    flat = images.reshape(-1, _PIXELS, _PIXELS) / _WHITE
    large = flat.repeat(times, axis=1).repeat(times, axis=2)
    around = (border // 2, border - border // 2)
    framed = np.pad(large, ((0, 0), around, around))
    return framed.reshape(*images.shape[:-1], side * side)


def random_samples(
    *,
    clients: int,
    samples: int,
    inputs: int,
    outputs: int,
    least: float = 1.0,
    largest: float = 1.0,
    rank: int | None = None,
    realisable: bool = True,
    seed: int = 0,
) -> tuple[Array, Array]:
    """Random samples of which the singular values are asked for.

    Of X, which has a column for each sample: as many as ``rank`` are not 0, evenly spaced on a
    logarithmic scale from ``least`` to ``largest``; its singular vectors are random.

    Parameters
    ----------
    rank : int or None
        None: the largest that there can be.
    realisable : bool
        Whether Y = W* X of a Gaussian W*; else targets are Gaussian.

    Returns
    -------
    features, targets : arrays, shapes (clients, samples, inputs) and (clients, samples, outputs)

    Raises
    ------
    FedboundsError
        If numbers are not positive, or there is no such matrix.
    """
    sizes = (clients, samples, inputs, outputs)
    require(min(sizes) >= 1, "clients, samples, inputs and outputs", sizes, "at least 1 each")
    count, most = clients * samples, min(clients * samples, inputs)
    rank = most if rank is None else rank
    require(1 <= rank <= most, "rank of X", rank, f"1 to {most}")
    require(0 < least <= largest, "singular values (least, largest)", (least, largest),
            "0 < least <= largest")  # fmt: skip
    require(rank > 1 or least == largest, "least and largest of one singular value",
            (least, largest), "the same")  # fmt: skip
    rng = np.random.default_rng(seed)
    left, right = (np.linalg.qr(rng.standard_normal((d, rank)))[0] for d in (count, inputs))
    every = (left * np.geomspace(least, largest, rank)) @ right.T
    teacher = rng.standard_normal((inputs, outputs))
    targets = every @ teacher if realisable else rng.standard_normal((count, outputs))
    return (
        every.reshape(clients, samples, inputs),
        targets.reshape(clients, samples, outputs),
    )
