"""Which of two bounds is at most a constant times the other, over a region of parameters.

Along a ray, x = s^a for every variable x, a monomial is a power of s, linear in a. Either a
monomial of ``left`` outgrows every one of ``right`` on some ray of the region, and then
left/right -> infinity there; or (Farkas) each monomial of left is a product of powers, adding up
to one, of right's monomials, over monomials that the region keeps away from zero, and then
left <= C right in all of it. A linear program in floats finds the one or the other; both are
rational and checked exactly, so that no answer rests on the solver.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache, reduce
from math import lcm
from typing import Any

import sympy as sp

from .catalogue import Entry
from .claims import Reading
from .rates import Monomial, Rate, rate
from .regions import Cone, Sense, cones

_LARGEST_DENOMINATOR = 1000  # of what the solver's floats are rounded to
_Floats = tuple[float, ...]


class Word(StrEnum):
    """Our bound against theirs, over a whole region."""

    DOMINATES = "dominates"  # ours <= C theirs everywhere; theirs/ours -> infinity somewhere
    SAME_ORDER = "same order"  # each at most a constant times the other
    DOMINATED = "dominated"  # theirs <= C ours everywhere; ours/theirs -> infinity somewhere
    INCOMPARABLE = "incomparable"  # each ratio -> infinity somewhere


@dataclass(frozen=True)
class Ray:
    """left/right -> infinity along x = s^exponent, at the rate s^gap; None: right is zero."""

    cone: Cone
    exponents: tuple[tuple[str, Fraction], ...]
    gap: Fraction | None

    def holds(self, left: Rate, right: Rate) -> bool:
        """Re-check, exactly."""
        ray, above = dict(self.exponents), self.cone.remaining(left)
        below = [p.degree(ray) for p in self.cone.remaining(right)]
        if not above or not self.cone.contains(ray):
            return False
        if not below or self.gap is None:
            return not below and self.gap is None
        return max(p.degree(ray) for p in above) - max(below) == self.gap > 0


@dataclass(frozen=True)
class Certificate:
    """monomial = product of right's monomials^weight / product of the cone's monomials^slack."""

    monomial: Monomial
    weights: tuple[tuple[Monomial, Fraction], ...]
    slacks: tuple[tuple[Monomial, Fraction], ...]

    def holds(self, right: Rate, cone: Cone) -> bool:
        """Re-check, exactly: then monomial <= C right on the cone."""
        powers = [p**w for p, w in self.weights] + [g**-s for g, s in self.slacks]
        return (
            sum(w for _, w in self.weights) == 1
            and all(w > 0 and p in cone.remaining(right) for p, w in self.weights)
            and all(
                (g in cone.at_least_one and s > 0) or g in cone.order_one for g, s in self.slacks
            )
            and reduce(Monomial.__mul__, powers, Monomial()) == self.monomial
        )


@dataclass(frozen=True)
class Bound:
    """left <= C right on a cone: a certificate for each monomial of left."""

    cone: Cone
    certificates: tuple[Certificate, ...]

    def holds(self, left: Rate, right: Rate) -> bool:
        """Re-check, exactly."""
        return {c.monomial for c in self.certificates} >= set(self.cone.remaining(left)) and all(
            c.holds(right, self.cone) for c in self.certificates
        )


Evidence = Bound | Ray


@dataclass(frozen=True)
class Comparison:
    """Two rates, with evidence for each region.

    Attributes
    ----------
    ours, theirs : Rate
    above : tuple of Bound or Ray
        Per region: ours <= C theirs, or a ray on which ours/theirs -> infinity.
    below : tuple of Bound or Ray
        The same with the two exchanged.
    """

    ours: Rate
    theirs: Rate
    above: tuple[Evidence, ...]
    below: tuple[Evidence, ...]

    @property
    def worse(self) -> Ray | None:
        """A ray on which ours/theirs -> infinity; None: ours <= C theirs."""
        return next((e for e in self.above if isinstance(e, Ray)), None)

    @property
    def better(self) -> Ray | None:
        """A ray on which theirs/ours -> infinity; None: theirs <= C ours."""
        return next((e for e in self.below if isinstance(e, Ray)), None)

    @property
    def word(self) -> Word:
        """Computed from the evidence."""
        return _word(self.worse is None, self.better is None)

    @property
    def words(self) -> tuple[tuple[Cone, Word], ...]:
        """The word of each region by itself."""
        both = zip(self.above, self.below, strict=True)
        return tuple((a.cone, _word(isinstance(a, Bound), isinstance(b, Bound))) for a, b in both)

    def holds(self, regions: Sequence[Cone]) -> bool:
        """Re-check all evidence exactly, and that it covers the regions."""
        return (
            tuple(e.cone for e in self.above) == tuple(e.cone for e in self.below) == tuple(regions)
            and all(e.holds(self.ours, self.theirs) for e in self.above)
            and all(e.holds(self.theirs, self.ours) for e in self.below)
        )


def _word(no_worse: bool, no_better: bool) -> Word:
    if no_worse:
        return Word.SAME_ORDER if no_better else Word.DOMINATES
    return Word.DOMINATED if no_better else Word.INCOMPARABLE


def compare(ours: Rate, theirs: Rate, regions: Sequence[Cone]) -> Comparison:
    """Decide both directions in every region.

    Raises
    ------
    ArithmeticError
        If what the solver found does not pass the exact check: nothing is then decided.
    """
    found = Comparison(
        ours,
        theirs,
        above=tuple(_decide(ours, theirs, cone) for cone in regions),
        below=tuple(_decide(theirs, ours, cone) for cone in regions),
    )
    if not found.holds(regions):
        raise ArithmeticError(f"no exact evidence for {ours.expression} and {theirs.expression}")
    return found


def _decide(left: Rate, right: Rate, cone: Cone) -> Evidence:
    above, below = cone.remaining(left), cone.remaining(right)
    if above and not below:
        return Ray(cone, (), None)
    rays = [ray for p in above if p not in below and (ray := _ray(p, below, cone)) is not None]
    if not rays:
        return Bound(cone, tuple(_certificate(p, below, cone) for p in above))
    smallest = min(rays, key=lambda ray: (sum(abs(a) for _, a in ray), ray))
    along = dict(smallest)
    gap = max(p.degree(along) for p in above) - max(p.degree(along) for p in below)
    return Ray(cone, smallest, gap)


def _ray(
    monomial: Monomial, others: Sequence[Monomial], cone: Cone
) -> tuple[tuple[str, Fraction], ...] | None:
    """Whole exponents, as few and small as can be, along which a monomial outgrows the others."""
    lead = [monomial * p**-1 for p in others]
    rows = [*_rows(lead, cone), *_rows(cone.at_least_one, cone)]
    size = len(cone.variables)
    found = _solve(
        (1.0,) * (2 * size),  # the sum of |exponents|, each split into two parts
        at_least=tuple((*row, *(-x for x in row)) for row in rows),
        bounds=(1.0,) * len(lead) + (0.0,) * len(cone.at_least_one),
        equal=tuple((*row, *(-x for x in row)) for row in _rows(cone.order_one, cone)),
        values=(0.0,) * len(cone.order_one),
    )
    if found is None:
        return None
    exponents = [plus - minus for plus, minus in zip(found[:size], found[size:], strict=True)]
    whole = lcm(*(a.denominator for a in exponents))
    named = zip(cone.variables, exponents, strict=True)
    return tuple((x, a * whole) for x, a in named if a)


def _certificate(monomial: Monomial, others: Sequence[Monomial], cone: Cone) -> Certificate:
    """Weights and slacks of least total slack."""
    if monomial in others:
        return Certificate(monomial, ((monomial, Fraction(1)),), ())
    slacks = (*cone.at_least_one, *cone.order_one, *(g**-1 for g in cone.order_one))
    columns = _rows([*others, *(g**-1 for g in slacks)], cone)
    (target,) = _rows([monomial], cone)
    found = _solve(
        (0.0,) * len(others) + (1.0,) * len(slacks),
        equal=(*zip(*columns, strict=True), (1.0,) * len(others) + (0.0,) * len(slacks)),
        values=(*target, 1.0),
    )
    if found is None:
        raise ArithmeticError(f"neither a ray nor a certificate for {monomial}")
    weights = zip(others, found[: len(others)], strict=True)
    signed = list(zip(slacks, found[len(others) :], strict=True))
    signed = [(g, s) if g in cone.at_least_one + cone.order_one else (g**-1, -s) for g, s in signed]
    return Certificate(
        monomial,
        tuple((p, w) for p, w in weights if w),
        tuple((g, s) for g, s in signed if s),
    )


def _rows(monomials: Iterable[Monomial], cone: Cone) -> tuple[_Floats, ...]:
    """Powers of the cone's variables in each monomial."""
    powers = (dict(p.powers) for p in monomials)
    return tuple(tuple(float(own.get(x, 0)) for x in cone.variables) for own in powers)


@cache  # regions and pairs of one table share many
def _solve(
    cost: _Floats,
    *,
    at_least: tuple[_Floats, ...] = (),
    bounds: _Floats = (),
    equal: tuple[_Floats, ...],
    values: _Floats,
) -> tuple[Fraction, ...] | None:
    """Least cost over non-negative vectors, rounded to small fractions; None if there is none."""
    from scipy.optimize import linprog  # slow to import, and needed for comparisons only

    found: Any = linprog(
        cost,
        A_ub=[[-x for x in row] for row in at_least] or None,
        b_ub=[-x for x in bounds] or None,
        A_eq=equal or None,
        b_eq=values or None,
        method="highs",
    )
    if found.status == 2:
        return None
    if found.status != 0:
        raise ArithmeticError(f"linear program: {found.message}")
    return tuple(Fraction(float(x)).limit_denominator(_LARGEST_DENOMINATOR) for x in found.x)


@dataclass(frozen=True)
class Pair:
    """``ours``, claimed to be of no larger order than ``theirs``; its own ``reading``, if any."""

    name: str
    ours: sp.Expr
    theirs: sp.Expr
    reading: str = ""


@dataclass(frozen=True)
class ComparisonClaim:
    """Bounds said to be of no larger order than others.

    Attributes
    ----------
    entry : Entry
        Id, kind, source, place and one-line statement.
    pairs : tuple of Pair
    vanishing : tuple of SymPy symbols
        Constants that the assumptions allow to be zero; the other constants are positive.
    senses : tuple of Sense
        The first is the headline's.
    at_least_one : tuple of expressions
        Products of powers that are never small, beside n, m, K and T.
    said : str
        What ours is said to be to theirs.
    left_out : str
        What the bounds leave out.
    """

    entry: Entry
    pairs: tuple[Pair, ...]
    vanishing: tuple[sp.Symbol, ...]
    senses: tuple[Sense, ...] = (Sense.UNIFORM, Sense.ROUNDS)
    at_least_one: tuple[sp.Expr, ...] = ()
    said: str = "improves on"
    left_out: str = "constants"

    @property
    def readings(self) -> tuple[Reading, ...]:
        """The senses, then the readings that single pairs have, as readings of the claim."""
        return tuple(Reading(name) for name in dict.fromkeys(name for name, _, _ in self.asked))

    @property
    def asked(self) -> tuple[tuple[str, Sense, Pair], ...]:
        """Reading, sense and pair of everything that is compared."""
        plain = [(sense.value, sense, p) for sense in self.senses for p in self.pairs]
        found = [(name, sense, p) for name, sense, p in plain if not p.reading]
        own = [(p.reading, self.senses[0], p) for p in self.pairs if p.reading]
        return (*found, *own)

    def compared(self, pair: Pair, sense: Sense) -> Comparison:
        """One pair under one reading."""
        ours, theirs = rate(pair.ours), rate(pair.theirs)
        names = tuple(symbol.name for symbol in self.vanishing)
        never_small = [p for e in self.at_least_one for p in rate(e).monomials]
        return compare(ours, theirs, cones((ours, theirs), names, sense, never_small))
