"""Draws without replacement as the proofs speak of them: every set of m of n vectors."""

from itertools import combinations

import numpy as np

from fedbounds.problems.spectrum import to_floats
from fedbounds.theory.submodel.names import DRAWS
from fedbounds.theory.submodel.proofs.definitions_rounds import DRAWN

from ..case import find
from .rolling_draws import Draws
from .step_spaces import StepCase, shown, space, uniform


def draws_case(name: str, setup: Draws) -> StepCase:
    """All sets of a set-up."""
    seen, vectors = shown(find(setup)), to_floats(setup.vectors)
    n = len(vectors)
    chosen = list(combinations(range(n), setup.taken))
    present = np.array([[float(i in each) for i in range(n)] for each in chosen])
    found = space(
        ("S", "i"), (uniform(len(chosen)), uniform(n)), {"drawn": vectors[None]}, seen.series,
        terms=n, present=present[:, :, None],
    )  # fmt: skip
    return StepCase(name, DRAWS, frozenset({DRAWN}), found, seen.values, seen.assumptions)
