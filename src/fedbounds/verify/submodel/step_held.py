"""Signs of quantities, which the checker takes from the theory, held against the instances."""

from collections.abc import Mapping

import numpy as np
import sympy as sp

from fedbounds.errors import ConflictError
from fedbounds.theory.proof.read_text import OF_NUMBERS

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
