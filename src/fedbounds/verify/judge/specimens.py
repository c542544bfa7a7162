"""One problem of each family, to ask which assumptions it satisfies at all points."""

from collections.abc import Iterator
from typing import Any

from fedbounds.problems import (
    Noise,
    NoiseLaw,
    coupled_cosine,
    federated_logistic,
    federated_quadratic,
)

_NOISE = Noise(NoiseLaw.RADEMACHER, 0.3, 0.2)
_SHAPE = {"clients": 4, "shared_dimension": 3, "personal_dimension": 2}


def specimens() -> Iterator[tuple[str, Any]]:
    """Named problems; each decides assumptions from its own form."""
    yield (
        "quadratics of one shared curvature",
        federated_quadratic(**_SHAPE, dissimilarity=1.0, noise=_NOISE),
    )
    yield "quadratics of own curvature", federated_quadratic(**_SHAPE, coupling=0.3, noise=_NOISE)
    yield "coupled cosines", coupled_cosine(**_SHAPE, noise=_NOISE)
    yield "logistic losses", federated_logistic(**_SHAPE, samples=20, heterogeneity=0.5, batch=4)
