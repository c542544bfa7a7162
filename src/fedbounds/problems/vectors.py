"""Vectors of n clients, for claims about sampling participants alone."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fedbounds.errors import require
from fedbounds.vocabulary import Assumption

from .constants import Evidence

Array = Any


@dataclass(frozen=True, eq=False)
class ClientVectors:
    """Fixed vectors X_1, ..., X_n, shape (n, d).

    For random vectors independent of the participants both sides of a second-moment claim are
    the expectation of the fixed-vector case, so fixed vectors decide it.
    """

    vectors: Array

    def __post_init__(self) -> None:
        shape = tuple(self.vectors.shape)
        require(
            len(shape) == 2 and shape[0] >= 1, "shape of the vectors", shape, "(n, d) with n >= 1"
        )
        if self.vectors.dtype != object:
            require(
                bool(np.isfinite(self.vectors).all()), "vectors", self.vectors, "finite numbers"
            )

    @property
    def clients(self) -> int:
        """Number of clients n."""
        return int(self.vectors.shape[0])

    def satisfies(self, assumption: Assumption) -> Evidence:
        """There is no objective, hence no assumption on one."""
        return Evidence(False, f"{assumption.value}: vectors have no objective")
