"""Constants of sub-model training on quadratics: over a domain.

Over a box every supremum is exact, over a ball it is certified from above; None where it is
infinite. Floats are read as the rationals they are.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.vocabulary import Provenance, Side

from .arrays import to_rational
from .constants import ConstantValue
from .domain import Box, Domain, diameter_squared, largest_norm_squared
from .linear import rational
from .masked_enumeration import dimension_of
from .masked_forms import Form, corners, largest, scaled, squared
from .masked_laws import Bernoulli, Law, check_law, outcomes
from .masked_quadratic import masked_quadratic
from .quadratic import FederatedQuadratic
from .spectrum import Bracket, in_rationals, largest_eigenvalue, smallest_eigenvalue, square_root

Array = Any
Found = ConstantValue | None


@dataclass(frozen=True, eq=False)
class DomainConstants:
    """What the theorems use, over all points of a domain; norms, not squares, unless it says so.

    Attributes
    ----------
    smoothness, strong_convexity : ConstantValue
        L and mu of every client (upper and lower).
    reach, diameter : ConstantValue or None
        W = sup ||w|| and D = sup ||w - w'||.
    gradient : ConstantValue or None
        G = sup ||grad f_i(m . w)|| over clients, all 2^d masks and the domain.
    dissimilarity, mask_variance, rolling_dissimilarity : ConstantValue or None
        B^2, nu^2 and sup of their sum at one point, B_M^2: squares.
    discrepancy : ConstantValue or None
        B_max^2, the largest squared distance of two clients' masked gradients.
    """

    smoothness: ConstantValue
    strong_convexity: ConstantValue
    reach: Found
    diameter: Found
    gradient: Found
    dissimilarity: Found
    mask_variance: Found
    rolling_dissimilarity: Found
    discrepancy: Found


def constants_over(problem: FederatedQuadratic, law: Law, domain: Domain) -> DomainConstants:
    """All constants over a domain; None for R^d."""
    d = dimension_of(problem)
    check_law(law, problem.clients, d)
    smoothness, strong_convexity = curvature_of(problem)
    apart, spread = dissimilarity_form(problem, law), variance_form(problem, law)
    return DomainConstants(
        smoothness=smoothness.above(),
        strong_convexity=strong_convexity.below(),
        reach=None if domain is None else square_root(largest_norm_squared(domain, d)).above(),
        diameter=None if domain is None else square_root(diameter_squared(domain, d)).above(),
        gradient=gradient_bound(problem, domain),
        dissimilarity=largest(apart, domain),
        mask_variance=largest(spread, domain),
        rolling_dissimilarity=largest(apart + spread, domain),
        discrepancy=_most([largest(form, domain) for form in pair_forms(problem, law)]),
    )


def curvature_of(problem: FederatedQuadratic) -> tuple[Bracket, Bracket]:
    """Brackets of L and mu: the largest |eigenvalue| and the smallest eigenvalue of any client."""
    low = [smallest_eigenvalue(matrix) for matrix in problem.hessian]
    high = [largest_eigenvalue(matrix) for matrix in problem.hessian]
    both = [*high, *(Bracket(-x.upper, -x.lower) for x in low)]
    top = Bracket(max(x.lower for x in both), max(x.upper for x in both))
    return top, Bracket(min(x.lower for x in low), min(x.upper for x in low))


def masked_curvature(problem: FederatedQuadratic, law: Law) -> tuple[Bracket, Bracket]:
    """Brackets of the largest and the smallest eigenvalue of Hess F_p, constant on quadratics."""
    masked = masked_quadratic(to_rational(problem), law).hessian
    mean = masked.sum(axis=0) / problem.clients
    return largest_eigenvalue(mean), smallest_eigenvalue(mean)


def gradient_bound(problem: FederatedQuadratic, domain: Domain) -> Found:
    """G = sup ||grad f_i(m . w)|| over clients, masks and the domain.

    On a box m . w is in the box spanned with the origin, whose vertices are all of this form.
    """
    if isinstance(domain, Box):
        zero, bounds = fmpq(0), domain.bounds(dimension_of(problem))
        points = corners([(min(a, zero), max(b, zero)) for a, b in bounds])
        forms = _gradient_forms(problem)
        return square_root(max(form.at(w) for form in forms for w in points)).above()
    found = _most([largest(form, domain) for form in _gradient_forms(problem)])
    return None if found is None else _root_of(found)


def _gradient_forms(problem: FederatedQuadratic) -> list[Form]:
    return [squared(a, b) for a, b in zip(problem.hessian, problem.linear, strict=True)]


def dissimilarity_form(problem: FederatedQuadratic, law: Law) -> Form:
    """(1/n) sum_i ||grad F_i - grad F_p||^2 as a form in w."""
    matrices, slopes = _masked(problem, law)
    n = problem.clients
    apart = zip(matrices - matrices.sum(axis=0) / n, slopes - slopes.sum(axis=0) / n, strict=True)
    return _mean([squared(a, b) for a, b in apart])


def pair_forms(problem: FederatedQuadratic, law: Law) -> list[Form]:
    """||grad F_i - grad F_j||^2 for all pairs of clients."""
    matrices, slopes = _masked(problem, law)
    n = problem.clients
    return [
        squared(matrices[i] - matrices[j], slopes[i] - slopes[j])
        for i in range(n)
        for j in range(i)
    ]


def variance_form(problem: FederatedQuadratic, law: Law) -> Form:
    """(1/n) sum_i E||grad h_i^m - grad F_i||^2 as a form in w; see `masked_quadratic`."""
    hessian, linear = in_rationals(problem.hessian), in_rationals(problem.linear)
    if isinstance(law, Bernoulli):
        whole = zip(hessian, linear, law.keep, strict=True)
        return _mean([_bernoulli_variance(a, b, rational(q)) for a, b, q in whole])
    masks, weights = outcomes(law, dimension_of(problem), exact=True)
    matrices, slopes = _masked(problem, law)
    forms = []
    for i in range(problem.clients):
        seen = [
            squared(m[:, None] * hessian[i] * m - matrices[i], m * linear[i] - slopes[i])
            for m in masks[i]
        ]
        forms.append(_sum([scaled(x, t) for x, t in zip(seen, weights[i], strict=True)]))
    return _mean(forms)


def _bernoulli_variance(a: Array, b: Array, q: fmpq) -> Form:
    d = len(b)
    diagonal = a * np.eye(d, dtype=int).astype(object)
    off = a - diagonal
    columns = np.array([sum((x * x for x in column), fmpq(0)) for column in off.T], dtype=object)
    nothing = np.full(d, fmpq(0), dtype=object)
    spread = Form(columns[:, None] * np.eye(d, dtype=int).astype(object), nothing, fmpq(0))
    return scaled(spread, q * q * (1 - q)) + scaled(squared(diagonal + q * off, b), q * (1 - q))


def _masked(problem: FederatedQuadratic, law: Law) -> tuple[Array, Array]:
    found = masked_quadratic(to_rational(problem), law)
    return found.hessian, found.linear


def _sum(forms: list[Form]) -> Form:
    total = forms[0]
    for form in forms[1:]:
        total = total + form
    return total


def _mean(forms: list[Form]) -> Form:
    return scaled(_sum(forms), fmpq(1, len(forms)))


def _most(found: list[Found]) -> Found:
    """The largest; None if one is infinite; 0 of nothing, as with a single client."""
    if any(x is None for x in found):
        return None
    known = [x for x in found if x is not None]
    return max(known, key=lambda x: x.value) if known else ConstantValue(fmpq(0))


def _root_of(square: ConstantValue) -> ConstantValue:
    root = square_root(square.value)
    if square.side is Side.BOTH:
        return root.above()
    return ConstantValue(root.upper, Provenance.CERTIFIED, Side.UPPER)
