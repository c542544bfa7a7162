"""What the checker takes from a scope without a step: derived vectors, and signs of quantities.

Both are held against the instances.
"""

from collections.abc import Mapping

import numpy as np
import sympy as sp

from fedbounds.errors import ConflictError, FedboundsError
from fedbounds.theory.checker.data import Scope
from fedbounds.theory.proof.read_text import OF_NUMBERS, read_text

from ..outcome_values import _Scope, _vector
from .step_spaces import StepCase

_ROUNDING = 1e-12  # of the size of a vector's terms
_FUNCTIONS = {**OF_NUMBERS, **{name: sp.Function(name) for name in ("given", "present")}}


def check_signs(quantities: Mapping[str, bool], case: StepCase) -> None:
    """Raise if a quantity is negative that the checker takes for none.

    Raises
    ------
    ConflictError
    """
    for name, series in case.outcomes.series.items():
        least = float(np.nanmin(series, initial=0.0))
        if quantities.get(name, False) and least < -_ROUNDING * case.outcomes.scale**2:
            raise ConflictError(f"{name} is {least:.3g} in {case.name}; the proofs say it is >= 0")


def check_derived(name: str, scope: Scope, case: StepCase) -> None:
    """Raise unless every derived vector that is there is what the scope says.

    Raises
    ------
    ConflictError
    """
    space = case.outcomes
    for vector, said in scope.derived:
        if vector not in space.vectors:
            continue
        expression = read_text(said, sp.Symbol, _FUNCTIONS)
        try:
            found = _vector(expression, _Scope(space, {"t": space.t, **case.values}))
        except FedboundsError:  # of numbers that this case has not
            continue
        apart = float(abs(found.array - space.vectors[vector]).max())
        if apart > _ROUNDING * (found.size + space.scale):
            raise ConflictError(
                f"{vector} of {name!r} is off by {apart:.3g} in {case.name}; "
                f"the proofs say it is {said}"
            )
