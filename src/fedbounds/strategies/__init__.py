"""Hypothesis strategies for problems, parameters of claims, instances, and laws of randomness.

What they draw is built to fit, not drawn and rejected: a problem satisfies the assumptions asked
for, parameters meet a claim's conditions. All shrink to one or two clients and small whole numbers.

Examples
--------
>>> from hypothesis import Phase, find, settings
>>> from fedbounds import strategies
>>> from fedbounds.facts import Fact
>>> convex = strategies.problems({Fact.STRONGLY_CONVEX}, exact=True)
>>> shrunk = settings(phases=(Phase.generate, Phase.shrink), database=None)
>>> problem = find(convex, lambda problem: problem.clients >= 2, settings=shrunk)
>>> print(*problem.hessian.ravel(), *problem.linear.ravel())
1 1 0 0
"""

from importlib import import_module

from fedbounds.errors import FedboundsError

try:
    import_module("hypothesis")
except ImportError as error:
    raise FedboundsError(
        "fedbounds.strategies needs hypothesis, which is not installed: pip install hypothesis"
    ) from error

from .claims import instances, parameters
from .masks import mask_laws
from .participation import (
    Participation,
    bernoulli,
    full,
    participation_laws,
    with_replacement,
    without_replacement,
)
from .problems import masked_quadratics, problems, starts

__all__ = [
    "Participation",
    "bernoulli",
    "full",
    "instances",
    "mask_laws",
    "masked_quadratics",
    "parameters",
    "participation_laws",
    "problems",
    "starts",
    "with_replacement",
    "without_replacement",
]
