"""The mean of the participants' vectors: what a server computes, without an optimiser."""

from dataclasses import dataclass
from typing import Any

import array_api_compat

from fedbounds.errors import require

Array = Any


@dataclass(frozen=True)
class ParticipantMean:
    """(1/m) sum_{i in S} X_i for m = `participants` clients drawn without replacement."""

    participants: int

    def __post_init__(self) -> None:
        require(self.participants >= 1, "participants m", self.participants, "at least 1")


def server(algorithm: ParticipantMean, vectors: Array, present: Array) -> Array:
    """The participants' mean, shape (R, d), from indicators of shape (n, R)."""
    xp = array_api_compat.array_namespace(vectors)
    return xp.sum(present[:, :, None] * vectors[:, None, :], axis=0) / algorithm.participants
