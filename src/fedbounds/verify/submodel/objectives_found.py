"""Which assumptions masks satisfy, and numbers as floats."""

from typing import Any

import numpy as np
from flint import arb, fmpq

from fedbounds.problems import Evidence
from fedbounds.problems.masked_laws import Bernoulli, Law, Rolling
from fedbounds.problems.spectrum import to_floats
from fedbounds.vocabulary import Assumption, Quantity

from .objectives_masks import kept

Array = Any
IDENTITIES = frozenset(
    {
        Quantity.QUADRATIC_ERROR.value,
        Quantity.STATIONARY_ERROR.value,
        "closed_err",
        "shift_err",
        "spectral",
        "p_dist_2",
    }
)


def mask_evidence(laws: tuple[Law, Law | None]) -> dict[Assumption, Evidence]:
    """Assumptions on masks, of both laws where there are two."""
    given = [law for law in laws if law is not None]
    keeps = [kept(law) for law in given]
    uniform = all(keep is not None for keep in keeps)
    independent = all(isinstance(law, Bernoulli) for law in given)
    rolling = all(isinstance(law, Rolling) for law in given)
    equal = uniform and all(len(set(keep or ())) == 1 for keep in keeps)
    unequal = uniform and all(len(set(keep or ())) > 1 for keep in keeps)
    shown = f"keep probabilities {keeps}"
    return {
        Assumption.KEPT: Evidence(uniform, "every coordinate is held equally often by a client"),
        Assumption.COVERAGE: Evidence(uniform and rolling, "rolling masks of uniform coverage"),
        Assumption.BERNOULLI: Evidence(independent, "masks with independent coordinates"),
        Assumption.EQUAL_KEEP: Evidence(equal, shown),
        Assumption.UNEQUAL_KEEP: Evidence(unequal, shown),
    }


def rounded(number: fmpq | arb) -> float:
    """A rational, or the middle of a narrow ball, as a float."""
    if isinstance(number, arb):
        return float(number.mid())
    return float(to_floats(np.array([number], dtype=object))[0])
