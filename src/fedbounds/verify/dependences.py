"""What vectors depend on, computed from the draws and held against what the proofs declare."""

from collections.abc import Iterable

import numpy as np

from fedbounds.errors import ConflictError
from fedbounds.theory.checker.data import Scope

from .outcomes import Outcomes, depends_on

_ROUNDING = 1e-12  # of the largest entry


def check_declared(name: str, scope: Scope, runs: Iterable[Outcomes]) -> None:
    """Hold a scope against runs of the algorithm.

    Raises
    ------
    ConflictError
        If a vector varies with a source that it is declared not to depend on, or does not vanish
        on average over the source that is said to centre it.
    """
    for outcomes in runs:
        for atom, declared in scope.atoms:
            more = depends_on(outcomes, atom) - set(declared) if atom in outcomes.vectors else None
            if more:
                raise ConflictError(
                    f"{atom} of {name!r} depends on {', '.join(sorted(more))} in a run; "
                    f"the proofs say {', '.join(declared) or 'on nothing'}"
                )
        for atom, source in scope.centred:
            if atom in outcomes.vectors and source in outcomes.sources:
                left = _remainder(outcomes, atom, source)
                if left > _ROUNDING * outcomes.scale:
                    raise ConflictError(
                        f"{atom} of {name!r} has mean {left:.3g} over {source} in a run; "
                        "the proofs say 0"
                    )


def _remainder(outcomes: Outcomes, atom: str, source: str) -> float:
    """The largest entry of the mean over one source."""
    array, axis = outcomes.vector(atom), outcomes.sources.index(source)
    if array.shape[axis] > 1:  # else it is constant there
        array = np.tensordot(outcomes.weights[axis], array, axes=(0, axis))
    return float(abs(array).max(initial=0.0))
