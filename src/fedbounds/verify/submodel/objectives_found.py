"""What quadratic masked objectives show: quantities, constants and which assumptions hold."""

from typing import Any

import numpy as np
from flint import arb, fmpq

from fedbounds.problems import Constants, Evidence, FederatedQuadratic
from fedbounds.problems.domain import Domain, diameter_squared, largest_norm
from fedbounds.problems.linear import is_positive_semidefinite
from fedbounds.problems.masked_laws import Bernoulli, Law, Rolling
from fedbounds.problems.spectrum import Bracket, square_root, to_floats
from fedbounds.problems.submodel_constants import curvature_of, gradient_bound
from fedbounds.vocabulary import Assumption, Constant, Quantity

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


def curvature(smooth: Bracket, strong: Bracket) -> Constants:
    """L from above and mu from below, as far as they are positive."""
    found: Constants = {}
    if smooth.upper > 0:
        found[Constant.SMOOTHNESS] = smooth.above()
    if strong.lower > 0:
        found[Constant.STRONG_CONVEXITY] = strong.below()
    return found


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


def rounded(number: fmpq | arb) -> float:
    """A rational, or the middle of a narrow ball, as a float."""
    if isinstance(number, arb):
        return float(number.mid())
    return float(to_floats(np.array([number], dtype=object))[0])
