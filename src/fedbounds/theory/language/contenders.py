"""Who contends in `fedbounds compare`: an algorithm, the theorem that promises its rounds."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import sympy as sp

from .setups import View


@dataclass(frozen=True, eq=False)
class Contender:
    """An algorithm by name, with its convergence theorem.

    Attributes
    ----------
    name : str
    claim : str
        Its first part bounds the error, averaged over rounds; its first schedule has the step
        sizes at the edge of its conditions, of which `step` is tuned and the others are kept.
    step : Symbol
    view : View
        Where gradients have noise that is added: what the error is made of.
    on_samples : View
        Likewise where they are of minibatches.
    parameters : mapping from parameter of the algorithm to expression
        In symbols of the claim.
    told : str
        What its other step sizes are.
    """

    name: str
    claim: str
    step: sp.Symbol
    view: View
    on_samples: View
    parameters: Mapping[str, sp.Expr] = field(default_factory=dict)
    told: str = ""
