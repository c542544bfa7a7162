"""Constants of sub-model training at a minimiser w*(p): zeta_*^2, nu_*^2, a, nu_M^2.

The roots of all of them are L-Lipschitz in w, since every grad h_i^m is and means and deviations
do not expand. So a point whose distance to the minimiser is certified gives upper values.
"""

from dataclasses import dataclass
from typing import Any

from fedbounds.vocabulary import Provenance, Side

from .arrays import to_rational
from .constants import ConstantValue
from .constrained import Minimum
from .linear import is_exact, rational
from .masked import mask_variance, masked_gradient, mean_square, positions
from .masked_laws import Law, Rolling
from .problem import Problem
from .quadratic import FederatedQuadratic
from .spectrum import in_rationals, square_root

Array = Any
_MARGIN = 1.0 + 1e-12  # of float sums of a few thousand terms that are not negative


@dataclass(frozen=True, eq=False)
class OptimumConstants:
    """Squares at the minimiser of F_p over the domain.

    Attributes
    ----------
    heterogeneity, mask_variance : ConstantValue
        zeta_*^2 and nu_*^2; for rolling masks zeta_M^2 and the mean of nu_j^2.
    gradient : ConstantValue
        ||grad F_p(w*(p))||^2: 0 inside the domain; ||a||^2 for rolling masks.
    position_spread : ConstantValue or None
        nu_M^2, for rolling masks.
    """

    heterogeneity: ConstantValue
    mask_variance: ConstantValue
    gradient: ConstantValue
    position_spread: ConstantValue | None


def constants_at(
    problem: Problem, law: Law, minimum: Minimum, smoothness: Any, rounding: Any = 0
) -> OptimumConstants:
    """The constants at a certified minimiser; quadratics of floats are taken as rationals.

    Parameters
    ----------
    smoothness : number
        L of every client.
    rounding : number
        A bound of the rounding of a client's gradient, for float problems other than quadratics.
    """
    w, away = minimum.point, smoothness * minimum.error + rounding
    if isinstance(problem, FederatedQuadratic):
        problem, w, away = to_rational(problem), in_rationals(w), rational(away)
    slope = masked_gradient(problem, law, w)
    return OptimumConstants(
        _raised(mean_square(problem, law, w), away, is_exact(w)),
        _raised(mask_variance(problem, law, w), away, is_exact(w)),
        _raised((slope * slope).sum(), away, is_exact(w)),
        _raised(positions(problem, law, w).spread, away, is_exact(w))
        if isinstance(law, Rolling)
        else None,
    )


def _raised(square: Any, away: Any, exact: bool) -> ConstantValue:
    if exact and away == 0:
        return ConstantValue(square)
    if exact:
        root = square_root(square).upper + away
        return ConstantValue(root * root, Provenance.CERTIFIED, Side.UPPER)
    root = float(square) ** 0.5 + float(away)
    return ConstantValue(root * root * _MARGIN, Provenance.CERTIFIED, Side.UPPER)
