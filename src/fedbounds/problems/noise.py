"""Additive gradient noise with exactly known variance."""

from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import Any

import numpy as np

from fedbounds.errors import FedboundsError, require_finite


class NoiseLaw(StrEnum):
    """Law of each coordinate of the noise: mean zero, independent, standard deviation `scale`."""

    GAUSSIAN = "gaussian"
    RADEMACHER = "rademacher"  # +-scale with equal probability: bounded, enumerable


@dataclass(frozen=True)
class Noise:
    """Noise added to the stochastic gradient, independent over clients, steps and coordinates.

    Attributes
    ----------
    law : NoiseLaw
    scale_u, scale_v : number
        Standard deviation of each coordinate of the shared and of the personal gradient, so that
        sigma_u^2 = d_u scale_u^2 and sigma_v^2 = d_v scale_v^2 exactly.
    """

    law: NoiseLaw
    scale_u: Any
    scale_v: Any

    def __post_init__(self) -> None:
        for name in ("scale_u", "scale_v"):
            require_finite(f"noise {name}", getattr(self, name), positive=False)

    def scales(self, d_u: int, d_v: int) -> list[Any]:
        """Standard deviation of each coordinate of the joint gradient, length d_u + d_v."""
        return [self.scale_u] * d_u + [self.scale_v] * d_v

    def sample(self, rng: np.random.Generator, shape: tuple[int, ...], d_u: int, d_v: int) -> Any:
        """Host samples of shape ``(*shape, d_u + d_v)``; None when there is no noise."""
        scales = np.asarray(self.scales(d_u, d_v), dtype=np.float64)
        if not scales.any():
            return None
        size = (*shape, d_u + d_v)
        if self.law is NoiseLaw.GAUSSIAN:
            noise = rng.standard_normal(size)
        else:
            count = int(np.prod(size))
            bits = np.unpackbits(np.frombuffer(rng.bytes(-(-count // 8)), np.uint8), count=count)
            noise = (bits.astype(np.float64) * 2.0 - 1.0).reshape(size)
        noise *= scales
        return noise

    def outcomes(self, steps: int, d_u: int, d_v: int) -> np.ndarray:
        """All equally likely noises of one client in a round, shape (outcomes, steps, d_u + d_v).

        Raises
        ------
        FedboundsError
            If there are infinitely many.
        """
        if self.law is not NoiseLaw.RADEMACHER:
            raise FedboundsError(
                f"noise law is {self.law}; enumeration needs {NoiseLaw.RADEMACHER}"
            )
        scales = np.asarray(self.scales(d_u, d_v), dtype=np.float64)
        live = np.flatnonzero(scales)
        signs = np.array(list(product((-1.0, 1.0), repeat=steps * len(live))))
        noise = np.zeros((len(signs), steps, d_u + d_v))
        noise[:, :, live] = signs.reshape(len(signs), steps, len(live))
        return noise * scales


SILENT = Noise(NoiseLaw.RADEMACHER, 0, 0)
