"""How masked objectives depend on p: residual, dissimilarity and variances, rung by rung.

The last rung stands twice where it is the full model: claims compare a rung with the next.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.problems import Evidence, FederatedQuadratic
from fedbounds.problems.cohort import everyone
from fedbounds.problems.masked import dissimilarity_at, mask_variance
from fedbounds.problems.masked_forms import largest
from fedbounds.problems.masked_laws import Bernoulli, outcomes
from fedbounds.problems.submodel_constants import curvature_of, dissimilarity_form
from fedbounds.vocabulary import Assumption, Constant, Quantity

from ..case import Found, find
from .objectives_found import curvature, domain_numbers, evidence
from .objectives_masks import kept
from .objectives_optima import full_law, minimiser, value
from .objectives_points import diagonal, square
from .objectives_setups import Rungs, TrilinearRungs

Array = Any
Rows = dict[Quantity, list[Any]]


@find.register
def _find(setup: Rungs) -> Found:
    problem = clients_of(setup)
    numbers: dict[str, Any] = {
        "n": fmpq(problem.clients),
        "T": fmpq(len(setup.laws)),
        "var_slope": variance_slope(problem, setup.point),
        "var_top": variance_slope(setup.samples, setup.point),
    } | domain_numbers(problem, setup.domain)
    rows: Rows = {
        Quantity.DISSIMILARITY_POINT: [
            dissimilarity_at(problem, law, setup.point) for law in setup.laws
        ],
        Quantity.SAMPLING_VARIANCE: [sampling_variance(setup, law) for law in setup.laws],
        Quantity.MASK_VARIANCE: [mask_variance(problem, law, setup.point) for law in setup.laws],
    }
    tops = [largest(dissimilarity_form(problem, law), setup.domain) for law in setup.laws]
    if all(top is not None for top in tops):
        rows[Quantity.DISSIMILARITY_SUP] = [top.value for top in tops if top is not None]
    best = minimiser(problem, full_law(problem.clients), setup.domain)
    least = [minimiser(problem, law, setup.domain) for law in setup.laws]
    if best is not None and all(w is not None for w in least):
        rows[Quantity.RESIDUAL] = [value(problem, w) - value(problem, best) for w in least]
        whole = problem.hessian.sum(axis=0) / problem.clients
        numbers["coupling2"] = square((whole - diagonal(whole)) @ best)
    known = evidence(problem, (setup.laws[0], None), setup.domain)
    return Found(
        family="masked quadratics over p",
        parameters=numbers,
        series=_series(rows, setup.laws),
        constants=curvature(*curvature_of(problem)),
        evidence=known | _of_ladder(setup.laws),
    )


def variance_slope(problem: FederatedQuadratic, w: Array) -> Any:
    """A multiple of 1 - p that bounds the mask variance at w for every p."""
    total = fmpq(0)
    for matrix, slope in zip(problem.hessian, problem.linear, strict=True):
        own = matrix.diagonal() * w
        moved = (matrix * w).sum(axis=1) - own
        spread = (matrix * matrix * w * w).sum(axis=1) - own * own
        ends = np.maximum((slope + own) ** 2, (slope + own + moved) ** 2)
        total += (spread + ends).sum()
    return total / problem.clients


def clients_of(setup: Rungs) -> FederatedQuadratic:
    """f_i, the means of their samples."""
    rows, d = setup.samples.linear.shape
    shape = (rows // setup.each, setup.each, d)
    return FederatedQuadratic(
        setup.samples.hessian.reshape(*shape, d).sum(axis=1) / fmpq(setup.each),
        setup.samples.linear.reshape(shape).sum(axis=1) / fmpq(setup.each),
        d,
    )


def sampling_variance(setup: Rungs, law: Bernoulli) -> Any:
    """(1/n) sum_i E ||m o (grad f_i(m o w; xi) - grad f_i(m o w))||^2, one sample at a time."""
    n, d = law.clients, len(setup.point)
    masks, weights = outcomes(law, d, exact=True)
    count = masks.shape[1]
    points = np.repeat((masks * setup.point)[:, None], setup.each, axis=1)
    slopes = setup.samples.gradient(points.reshape(-1, d), everyone(n * setup.each, count))
    slopes = slopes.reshape(n, setup.each, count, d) * masks[:, None]
    away = slopes - (slopes.sum(axis=1) / fmpq(setup.each))[:, None]
    squares = (away * away).sum(axis=3).sum(axis=1) / fmpq(setup.each)
    return (weights * squares).sum() / n


def _of_ladder(laws: Iterable[Bernoulli]) -> dict[Assumption, Evidence]:
    """Whether the clients' keep probabilities agree, or differ, on every rung."""
    counts = [len(set(kept(law) or ())) for law in laws]
    shown = f"different keep probabilities per rung: {counts}"
    return {
        Assumption.EQUAL_KEEP: Evidence(all(count == 1 for count in counts), shown),
        Assumption.UNEQUAL_KEEP: Evidence(all(count > 1 for count in counts), shown),
    }


def _series(rows: Rows, laws: tuple[Bernoulli, ...]) -> dict[str, Array]:
    """Series per rung, with the sum of both variances and, of equal p, 1 - p."""
    if Quantity.SAMPLING_VARIANCE in rows:
        both = (rows[Quantity.SAMPLING_VARIANCE], rows[Quantity.MASK_VARIANCE])
        rows[Quantity.ALL_VARIANCE] = [a + b for a, b in zip(*both, strict=True)]
    keeps = [kept(law) or () for law in laws]
    if all(len(set(keep)) == 1 for keep in keeps):
        rows[Quantity.MISSING_SHARE] = [1 - keep[0] for keep in keeps]
    return {name.value: np.array(column, dtype=object) for name, column in rows.items()}


@find.register
def _find_trilinear(setup: TrilinearRungs) -> Found:
    problem = setup.problem
    swing = problem.swing(setup.reach)
    least = [np.full(3, s, dtype=object) for s in setup.minimisers]
    values = [problem.value(w[None, :], everyone(1, 1))[0] for w in least]
    strong = Evidence(problem.curvature > swing, "eigenvalues of Hess f are within a swing of a")
    return Found(
        family="masked trilinear objective over p",
        parameters={
            "n": fmpq(1),
            "T": fmpq(len(least)),
            Constant.STRONG_CONVEXITY.value: problem.curvature - swing,
            Constant.SMOOTHNESS.value: problem.curvature + swing,
        },
        series=_series({Quantity.RESIDUAL: [x - values[-1] for x in values]}, setup.laws),
        evidence={
            Assumption.SMOOTH: strong,
            Assumption.STRONGLY_CONVEX: strong,
            Assumption.CONVEX: strong,
            Assumption.KEPT: Evidence(True, "Bernoulli"),
            Assumption.BERNOULLI: Evidence(True, "by the law"),
            Assumption.QUADRATIC: Evidence(False, "w_1 w_2 w_3 is not"),
            Assumption.BOUNDED_DOMAIN: Evidence(True, f"[0, {setup.reach}]^3"),
            Assumption.UNCONSTRAINED: Evidence(False, f"the domain is [0, {setup.reach}]^3"),
        }
        | _of_ladder(setup.laws),
    )
