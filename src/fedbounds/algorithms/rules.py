"""Which module moves the iterates of which algorithm.

Every such module offers ``init_draw``, ``init``, ``draw``, ``local``, ``server`` and ``step``, and
a carry whose fields are arrays of shape (R, d) or, per client, (n, R, d), among them u and v.
"""

from typing import Any

from fedbounds.errors import FedboundsError

from . import (
    fedalt,
    fedavg,
    fedavg_p,
    fedsim,
    parallel_sgd,
    random_masks,
    rolling_masks,
    scaffold,
    scaffold_p,
    static_masks,
)
from .fedalt import FedAlt
from .fedavg import FedAvg
from .fedavg_p import FedAvgP
from .fedsim import FedSim
from .parallel_sgd import ParallelSGD
from .random_masks import RandomMasks
from .rolling_masks import RollingMasks
from .scaffold import Scaffold
from .scaffold_p import ScaffoldP
from .static_masks import StaticMasks

_RULES: dict[type, Any] = {
    FedAvgP: fedavg_p,
    ScaffoldP: scaffold_p,
    FedAvg: fedavg,
    FedSim: fedsim,
    FedAlt: fedalt,
    Scaffold: scaffold,
    ParallelSGD: parallel_sgd,
    RandomMasks: random_masks,
    RollingMasks: rolling_masks,
    StaticMasks: static_masks,
}


def rules_of(algorithm: Any) -> Any:
    """The module with the rules of an algorithm's parameters."""
    if type(algorithm) not in _RULES:
        raise FedboundsError(f"{type(algorithm).__name__} does not move iterates")
    return _RULES[type(algorithm)]
