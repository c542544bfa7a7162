"""Laws of masks: which coordinates of the model a client holds in a round.

In the sheet of sub-model training: Bernoulli masks m_i ~ Ber(p_i)^d, and rolling masks, where
client i holds each of m_{i,1}, ..., m_{i,S} equally often. Fixed masks are rolling with S = 1.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fedbounds.errors import require

from .linear import rational

Array = Any
MOST_COORDINATES = 12  # 2^d masks are enumerated


@dataclass(frozen=True)
class Bernoulli:
    """Every coordinate is kept independently of the others.

    Attributes
    ----------
    keep : tuple of n numbers in (0, 1]
        p_i, the probability that client i keeps a coordinate. 1 is the full model.
    """

    keep: tuple[Any, ...]

    def __post_init__(self) -> None:
        require(len(self.keep) >= 1, "number of keep probabilities", len(self.keep), "at least 1")
        for client, p in enumerate(self.keep):
            require(0 < p <= 1, f"keep probability of client {client}", p, "in (0, 1]")

    @property
    def clients(self) -> int:
        """Number of clients n."""
        return len(self.keep)


@dataclass(frozen=True)
class Rolling:
    """Each client holds one of its S masks, every one with probability 1/S.

    Attributes
    ----------
    masks : tuple of n tuples of S tuples of d numbers, each 0 or 1
        m_{i,s}; given as any nested sequence or array.
    """

    masks: Any

    def __post_init__(self) -> None:
        given = np.asarray(self.masks, dtype=object)
        shape = given.shape
        require(len(shape) == 3 and 0 not in shape, "shape of the masks", shape, "(n, S, d)")
        for where, entry in np.ndenumerate(given):
            require(entry in (0, 1), f"mask entry (client, sub-model, coordinate) {where}", entry,
                    "0 or 1")  # fmt: skip
        plain = tuple(tuple(tuple(int(x) for x in m) for m in own) for own in given.tolist())
        object.__setattr__(self, "masks", plain)

    @property
    def clients(self) -> int:
        """Number of clients n."""
        return len(self.masks)

    @property
    def length(self) -> int:
        """S, the number of sub-models."""
        return len(self.masks[0])

    @property
    def dimension(self) -> int:
        """d."""
        return len(self.masks[0][0])


Law = Bernoulli | Rolling


def static(masks: Any) -> Rolling:
    """Fixed masks: one per client, shape (n, d)."""
    given = np.asarray(masks, dtype=object)
    require(given.ndim == 2, "shape of the masks", given.shape, "(n, d)")
    return Rolling(given[:, None, :])


def check_law(law: Law, clients: int, dimension: int) -> None:
    """Raise unless the law is one for these clients and coordinates."""
    require(law.clients == clients, "clients of the mask law", law.clients, f"{clients}")
    if isinstance(law, Rolling):
        require(law.dimension == dimension, "coordinates of the masks", law.dimension,
                f"{dimension}")  # fmt: skip


def keep_of(law: Bernoulli, exact: bool) -> list[Any]:
    """p_i as rationals, or as floats."""
    return [rational(p) if exact else float(_fraction(p)) for p in law.keep]


def _fraction(p: Any) -> float:
    q = rational(p)
    return int(q.p) / int(q.q)  # nearest float


def coverage(law: Law) -> tuple[Any, ...] | None:
    """E m_i = q_i for all coordinates alike, in rationals; None where it differs by coordinate."""
    if isinstance(law, Bernoulli):
        return tuple(rational(p) for p in law.keep)
    shares = []
    for own in law.masks:
        counts = {sum(column) for column in zip(*own, strict=True)}
        if len(counts) > 1:
            return None
        shares.append(rational(counts.pop()) / law.length)
    return tuple(shares)


def outcomes(law: Law, dimension: int, exact: bool) -> tuple[Array, Array]:
    """All masks, shape (n, S, d), and their probabilities, shape (n, S).

    Raises
    ------
    FedboundsError
        If Bernoulli masks have more than 12 coordinates.
    """
    if isinstance(law, Rolling):
        masks = np.array(law.masks, dtype=np.int64)
        share = rational(1) / law.length
        weights = np.full(masks.shape[:2], share if exact else 1.0 / law.length,
                          dtype=object if exact else np.float64)  # fmt: skip
        return masks.astype(object if exact else np.float64), weights
    require(
        dimension <= MOST_COORDINATES,
        "number of coordinates",
        dimension,
        f"at most {MOST_COORDINATES} to enumerate all Bernoulli masks",
    )
    one = (np.arange(2**dimension)[:, None] >> np.arange(dimension)) & 1
    kept = one.sum(axis=1)
    rows = []
    for p in keep_of(law, exact):
        powers = [p**k * (1 - p) ** (dimension - k) for k in range(dimension + 1)]
        rows.append([powers[k] for k in kept])
    masks = np.broadcast_to(one, (law.clients, *one.shape))
    weights = np.array(rows, dtype=object if exact else np.float64)
    return masks.astype(object if exact else np.float64), weights
