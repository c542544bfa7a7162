"""Problems on which algorithms contend: one for every b^2, all else equal."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np

from fedbounds.errors import FedboundsError, require, require_finite
from fedbounds.problems import (
    SILENT,
    CoupledCosine,
    FederatedLogistic,
    FederatedQuadratic,
    Noise,
    NoiseLaw,
    Start,
    coupled_cosine,
    federated_logistic,
    federated_quadratic,
)
from fedbounds.problems.linear import rational

Objective = FederatedQuadratic | CoupledCosine | FederatedLogistic
_FINE = 2.0**20  # what is run in rationals is a multiple of its inverse
SAMPLES, BATCH = 20, 5  # per client, and per stochastic gradient, of logistic problems


class Family(StrEnum):
    """Where b^2 is asked for on the first two; logistic data have a heterogeneity in [0, 1]."""

    QUADRATIC = "quadratic"
    COSINE = "cosine"
    LOGISTIC = "logistic"


@dataclass(frozen=True)
class Shape:
    """What all cells of a contest share.

    Attributes
    ----------
    family : Family
    clients, shared, personal : int
        n, d_u and d_v; d_v = 0 is the special case without personal variables.
    noise : float
        Standard deviation of each coordinate of a stochastic gradient; logistic problems have
        minibatches instead.
    seed : int
        Of the problem, of its start, and of every draw.
    """

    family: Family = Family.QUADRATIC
    clients: int = 10
    shared: int = 2
    personal: int = 1
    noise: float = 0.1
    seed: int = 0

    def __post_init__(self) -> None:
        require(self.clients >= 1, "number of clients n", self.clients, "at least 1")
        require_finite("noise", self.noise, positive=False)


@dataclass(frozen=True, eq=False)
class Ground:
    """A problem with the start of all runs on it."""

    problem: Objective
    start: Start

    @property
    def point(self) -> Any:
        """The start as one vector (u, v_1, ..., v_n)."""
        return np.concatenate([self.start.u, self.start.v.reshape(-1)])

    @property
    def exact_point(self) -> Any:
        """In rationals."""
        found = np.empty(self.point.shape, dtype=object)
        found[:] = [rational(x) for x in self.point]
        return found


def ground(shape: Shape, spread: float) -> Ground:
    """The problem with b^2 = ``spread`` (heterogeneity, for logistic data) and a start.

    Every block starts at distance one from the minimiser, or from the origin where there is none,
    in a random direction that is the same for every ``spread``.

    Raises
    ------
    FedboundsError
        If the family cannot attain what is asked.
    """
    sizes: dict[str, Any] = {
        "clients": shape.clients,
        "shared_dimension": shape.shared,
        "personal_dimension": shape.personal,
        "seed": shape.seed,
    }
    noise = Noise(NoiseLaw.GAUSSIAN, shape.noise, shape.noise) if shape.noise else SILENT
    problem: Objective
    match shape.family:
        case Family.QUADRATIC:
            problem = _short(federated_quadratic(**sizes, dissimilarity=spread, noise=noise))
        case Family.COSINE:
            problem = coupled_cosine(**sizes, dissimilarity=spread, noise=noise)
        case Family.LOGISTIC:
            problem = federated_logistic(
                **sizes, samples=SAMPLES, batch=BATCH, heterogeneity=spread
            )
    return Ground(problem, _start(problem, shape.seed))


def _short(problem: FederatedQuadratic) -> FederatedQuadratic:
    """With binary fractions of few digits, so that exact rounds have few too."""
    hessian, linear = (np.rint(x * _FINE) / _FINE for x in (problem.hessian, problem.linear))
    return replace(problem, hessian=hessian, linear=linear)


def _start(problem: Objective, seed: int) -> Start:
    rng = np.random.default_rng(seed)
    u = _unit(rng.standard_normal(problem.shared_dimension))
    v = _unit(rng.standard_normal((problem.clients, problem.personal_dimension)))
    if isinstance(problem, FederatedQuadratic):
        if problem.minimiser is None:
            raise FedboundsError("the quadratic has no minimiser to start near")
        centre = problem.split(problem.minimiser)
        return Start(*(np.rint((a + b) * _FINE) / _FINE for a, b in ((centre.u, u), (centre.v, v))))
    return Start(u, v)


def _unit(directions: Any) -> Any:
    """The same with rows of length one; rows without coordinates stay."""
    if not directions.shape[-1]:
        return directions
    return directions / np.linalg.norm(directions, axis=-1, keepdims=True)
