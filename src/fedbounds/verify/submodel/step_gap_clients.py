"""The gap of masked gradients, client by client, as the proofs speak of it.

Client i is drawn in proportion to its bound b_i; `unit` is its gap over b_i, and 0 where b_i is 0.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from fedbounds.problems import to_float
from fedbounds.problems.masked_laws import Rolling
from fedbounds.problems.masked_quadratic import masked_quadratic
from fedbounds.problems.spectrum import to_floats
from fedbounds.theory.submodel.proofs.definitions_rounds import GAP_ROLLING, at_optimum

from .frame import Frame
from .rolling_runs import RollingRun
from .step_spaces import StepCase, as_floats, space, uniform

Array = Any


def gap_cases(setup: RollingRun, case: StepCase) -> Iterator[StepCase]:
    """Of a round or an epoch on a bounded domain: at its start, and at w*(p)."""
    if setup.algorithm.domain is None:
        return
    law, scope = Rolling(setup.algorithm.masks), GAP_ROLLING
    frame = Frame(setup.problem, law, setup.algorithm.domain)
    x = case.outcomes.vectors["x"]
    starts = x.reshape(len(x), -1)
    best = to_floats(frame.masked.minimiser)[None]
    bounds = _bounds(case.values, as_floats(np.array(frame.shares)))
    drawn = bounds / bounds.sum() if bounds.any() else uniform(len(bounds))
    for place, points, weight, own in (
        ("start", starts, case.outcomes.weights[0], "Dl_w"),
        ("w*(p)", best, np.ones(1), "gap_full_at_p"),
    ):
        apart, least = _apart(setup, law, points)
        vectors = {
            "unit": np.divide(apart, bounds[:, None], out=0 * apart, where=bounds[:, None] > 0),
            "moved": apart.mean(axis=1, keepdims=True),
        }
        series = {name: x for name, x in case.outcomes.series.items() if name == own}
        values = dict(case.values)
        if own != "gap_full_at_p":
            values.pop("gap_full_at_p", None)
        yield replace(
            case,
            name=f"{case.name}, gap at {place}",
            scopes=frozenset({at_optimum(scope) if own == "gap_full_at_p" else scope}),
            values=values,
            outcomes=space(
                ("past", "i"), (weight, drawn), vectors, series, t=case.outcomes.t, least=least
            ),
        )


def _bounds(values: Any, shares: Array) -> Array:
    """b_i = (1 - p_i) G + L sqrt(p_i (1 - p_i)) W."""
    spread = np.sqrt(shares * (1 - shares))
    found: Array = (1 - shares) * values["G"] + values["L"] * spread * values["W_sup"]
    return found


def _apart(setup: RollingRun, law: Rolling, points: Array) -> tuple[Array, float]:
    """grad F_i - grad f_i, shape (P, n, d), and the size of their terms."""
    problem = to_float(setup.problem)
    masked = masked_quadratic(problem, law)
    own, full = (
        np.einsum("iab,pb->pia", each.hessian, points) + each.linear for each in (masked, problem)
    )
    reach = 1 + float(abs(points).max())
    size = reach * float(abs(problem.hessian).sum(axis=2).max() + abs(problem.linear).max())
    return np.asarray(own - full), size
