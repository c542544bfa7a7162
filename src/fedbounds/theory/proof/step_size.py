"""The best step size of a bound, what the bound then is, and its order in the number of rounds."""

from fractions import Fraction

import sympy as sp

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import Part
from fedbounds.theory.language.rates import Monomial, rate
from fedbounds.theory.language.symbols import F_0, L, T, b2, gamma, variance_u, variance_v

from .derive import Row, edges, most, row_of

_NOISE = (b2, variance_u, variance_v)


def at_best_step(bound: sp.Expr, theorem: Part, stated: Part) -> tuple[Row, ...]:
    """A bound A/gamma + D + B gamma + C gamma^2 at gamma = 1/(1/largest + sqrt(B/A)).

    It is then at most 2 sqrt(A B) + A/largest + D + C largest^2; ``stated`` has the same two
    parts, a root and the rest.
    """
    coefficient = {k: sp.factor(sp.expand(bound).coeff(gamma, k)) for k in (-1, 0, 1, 2)}
    root, rest = _root_and_rest(stated.right)
    inside, own = sp.expand(4 * coefficient[-1] * coefficient[1]), sp.expand(root**2)
    rows = []
    for constant in _NOISE:
        wanted = sp.factor(sp.diff(own, constant))
        if wanted != 0:
            share = sp.simplify(sp.factor(sp.diff(inside, constant)) / wanted)
            row = row_of(wanted * constant, share)
            rows.append(Row(*map(sp.sqrt, (row.term, row.derived, row.stated))))
    largest, limits = _largest(theorem), edges(theorem.conditions)
    limits = {**limits, **edges(stated.conditions)}
    others = sp.Integer(0)
    for power in (-1, 0, 2):
        at = coefficient[power] * (gamma**power if power > 0 else largest**power)
        share = most(at / rest, limits)
        if share is None:
            raise FedboundsError(f"{at} is no multiple of {rest}")
        others += share
    return (*rows, row_of(rest, others))


def _largest(theorem: Part) -> sp.Expr:
    """The largest step size, 1/Max(1/x, ...) for Min(x, ...)."""
    (bound,) = (c.right for c in theorem.conditions if c.left == gamma and c.relation == "<=")
    inverse = {call: 1 / sp.Max(*(1 / x for x in call.args)) for call in bound.atoms(sp.Min)}
    return bound.xreplace(inverse)


def _root_and_rest(bound: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    roots = [x for x in sp.Add.make_args(bound) if x.has(*_NOISE)]
    return sp.Add(*roots), bound - sp.Add(*roots)


def leading(bound: sp.Expr) -> tuple[Monomial, ...]:
    """The monomials of a bound that fall most slowly as T grows; L and F_0 left out."""
    found = rate(bound.subs({L: 1, F_0: 1})).monomials
    slowest = max(p.degree({T.name: Fraction(1)}) for p in found)
    return tuple(p for p in found if p.degree({T.name: Fraction(1)}) == slowest)
