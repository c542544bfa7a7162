"""What quadratic masked objectives show: quantities, constants and which assumptions hold."""

from dataclasses import replace
from typing import Any

import numpy as np
from flint import arb, fmpq

from fedbounds.problems import Constants, Evidence, FederatedQuadratic, to_rational
from fedbounds.problems.domain import Domain, diameter_squared, largest_norm
from fedbounds.problems.linear import is_positive_semidefinite
from fedbounds.problems.masked_laws import Bernoulli, Law, Rolling
from fedbounds.problems.spectrum import Bracket, in_rationals, square_root, to_floats
from fedbounds.problems.submodel_constants import curvature_of, gradient_bound
from fedbounds.vocabulary import Assumption, Constant, Quantity

from ..case import Found, find
from ..case import in_rationals as replayed
from .objectives_masks import kept, law_numbers
from .objectives_optima import distances, minimisers, optimum_numbers
from .objectives_points import point_rows
from .objectives_setups import Objective

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


def exactly(setup: Objective) -> Objective:
    """The same in rationals."""
    return replace(setup, problem=to_rational(setup.problem), points=in_rationals(setup.points))


@replayed.register
def _in_rationals(setup: Objective) -> Objective:
    return exactly(setup)


@find.register
def _find(setup: Objective) -> Found:
    shown = measured(exactly(setup))
    if not setup.exact:
        return _rounded(shown)
    rationals = {k: x for k, x in shown.parameters.items() if not isinstance(x, arb)}
    return replace(shown, parameters=rationals)


def measured(setup: Objective) -> Found:
    """Everything in rationals; roots that are not rational are balls in the quantities."""
    problem, law, other, domain = setup.problem, setup.law, setup.other, setup.domain
    smooth, strong = curvature_of(problem)
    n, d = problem.linear.shape
    numbers: dict[str, Any] = {"n": fmpq(n), "T": fmpq(len(setup.points)), "dim": fmpq(d)}
    numbers |= law_numbers(law, other) | domain_numbers(problem, domain)
    least = minimisers(problem, law, other, domain)
    numbers |= optimum_numbers(problem, law, other, domain, least)
    rows = point_rows(problem, law, other, setup.points)
    if smooth.upper > 0:
        steps = distances(problem, law, domain, least, setup.points, smooth.upper)
        rows = [a | b for a, b in zip(rows, steps, strict=True)]
    return Found(
        family=f"masked quadratics, {kind(law)}",
        parameters=numbers,
        series={name.value: _column([row[name] for row in rows]) for name in rows[0]},
        constants=curvature(smooth, strong),
        evidence=evidence(problem, (law, other), domain),
    )


def curvature(smooth: Bracket, strong: Bracket) -> Constants:
    """L from above and mu from below, as far as they are positive."""
    found: Constants = {}
    if smooth.upper > 0:
        found[Constant.SMOOTHNESS] = smooth.above()
    if strong.lower > 0:
        found[Constant.STRONG_CONVEXITY] = strong.below()
    return found


def kind(law: Law) -> str:
    """What masks they are, in a word."""
    return "random masks" if isinstance(law, Bernoulli) else "rolling masks"


def domain_numbers(problem: FederatedQuadratic, domain: Domain) -> dict[str, Any]:
    bound = gradient_bound(problem, domain)
    if domain is None or bound is None:
        return {}
    d = problem.shared_dimension
    return {
        "W_sup": largest_norm(domain, d),
        "D_dom": square_root(diameter_squared(domain, d)).upper,
        "G": bound.value,
    }


def evidence(
    problem: FederatedQuadratic, laws: tuple[Law, Law | None], domain: Domain
) -> dict[Assumption, Evidence]:
    """Every assumption about quadratics: all are decided."""
    strong = curvature_of(problem)[1]
    convex = all(is_positive_semidefinite(matrix) for matrix in problem.hessian)
    bounded = domain is not None
    return {
        Assumption.SMOOTH: Evidence(True, "Hessians have eigenvalues between -L and L"),
        Assumption.CONVEX: Evidence(convex, "whether all Hessians are positive semidefinite"),
        Assumption.STRONGLY_CONVEX: Evidence(strong.lower > 0, f"mu is {strong.lower}"),
        Assumption.QUADRATIC: Evidence(True, "by the form of the clients"),
        Assumption.UNCONSTRAINED: Evidence(not bounded, f"the domain is {domain}"),
        Assumption.BOUNDED_DOMAIN: Evidence(bounded, f"the domain is {domain}"),
        Assumption.BOUNDED_MASKED_GRADIENTS: Evidence(bounded, "largest at vertices of the domain"),
    } | mask_evidence(laws)


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


def _column(values: list[Any]) -> Array:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def _rounded(shown: Found) -> Found:
    """The same in floats, without what is often equal: floats confirm no identity."""
    numbers = {k: rounded(x) for k, x in shown.parameters.items() if k not in IDENTITIES}
    series = {
        name: np.array([rounded(x) for x in column])
        for name, column in shown.series.items()
        if name not in IDENTITIES
    }
    return replace(shown, parameters=numbers, series=series)


def rounded(number: fmpq | arb) -> float:
    """A rational, or the middle of a narrow ball, as a float."""
    if isinstance(number, arb):
        return float(number.mid())
    return float(to_floats(np.array([number], dtype=object))[0])
