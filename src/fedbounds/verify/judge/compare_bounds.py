"""Verdicts on claims that one bound improves on another, with everything a reader can re-check.

A verdict rests on exact evidence from `theory.language.orders`: a ray on which ours/theirs has no
bound (violated), or a certificate for every monomial of ours in every region (not violated).
Parameter points along a ray, with the ratio in ball arithmetic, illustrate it.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from typing import Any

import sympy as sp
from flint import arb, ctx, fmpq

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.orders import (
    Bound,
    Comparison,
    ComparisonClaim,
    Evidence,
    Pair,
    Ray,
    Word,
)
from fedbounds.theory.language.regions import Cone, Sense
from fedbounds.vocabulary import Verdict

SCALES = (10, 100, 1000)  # values of s along a ray
_BITS = 128


@dataclass(frozen=True)
class Point:
    """Both rates at admissible parameters; ``ratio`` is the growing one, None if it is x/0."""

    s: int
    parameters: tuple[tuple[str, Fraction], ...]
    ours: float
    theirs: float
    ratio: float | None


@dataclass(frozen=True)
class Walk:
    """A ray, in words, and points along it.

    ``grows``: each ratio is certainly above the last, or infinite.
    """

    ray: Ray
    region: str
    points: tuple[Point, ...]
    grows: bool


@dataclass(frozen=True)
class PairVerdict:
    """One pair under one reading.

    Attributes
    ----------
    verdict : Verdict
        Violated if ours/theirs -> infinity on some ray; not violated if ours <= C theirs.
    word : Word
        "same order" is not violated, and no improvement either.
    worse, better : Walk or None
        Where ours/theirs -> infinity; where theirs/ours -> infinity.
    comparison : Comparison
        The evidence.
    """

    claim: str
    reading: str
    pair: str
    verdict: Verdict
    word: Word
    worse: Walk | None
    better: Walk | None
    comparison: Comparison


def judge_comparison(claim: ComparisonClaim) -> tuple[PairVerdict, ...]:
    """A verdict for each reading and each pair."""
    return tuple(_judge(claim, *asked) for asked in claim.asked)


def _judge(claim: ComparisonClaim, reading: str, sense: Sense, pair: Pair) -> PairVerdict:
    found = claim.compared(pair, sense)
    worse = None if found.worse is None else walk(found.worse, pair.ours, pair.theirs)
    better = None if found.better is None else walk(found.better, pair.theirs, pair.ours)
    return PairVerdict(
        claim=claim.entry.id,
        reading=reading,
        pair=pair.name,
        verdict=Verdict.NOT_VIOLATED if worse is None else Verdict.VIOLATED,
        word=found.word,
        worse=worse,
        better=None if better is None else _ours_first(better),
        comparison=found,
    )


def walk(ray: Ray, left: sp.Expr, right: sp.Expr) -> Walk:
    """Points of a ray on which left/right -> infinity; ``ours`` of a point is left."""
    before, ctx.prec = ctx.prec, _BITS
    try:
        points, ratios = [], []
        for s in SCALES:
            values = parameters(ray, s)
            above, below = (arb(in_balls(side, values)) for side in (left, right))
            ratios.append(None if below == 0 else above / below)
            shown = None if below == 0 else float(above / below)
            points.append(Point(s, tuple(values.items()), float(above), float(below), shown))
        grows = all(b is None or (a is not None and b > a) for a, b in pairwise(ratios))
    finally:
        ctx.prec = before
    return Walk(ray, in_words(ray), tuple(points), grows)


def _ours_first(found: Walk) -> Walk:
    points = tuple(Point(p.s, p.parameters, p.theirs, p.ours, p.ratio) for p in found.points)
    return Walk(found.ray, found.region, points, found.grows)


def parameters(ray: Ray, s: int) -> dict[str, Fraction]:
    """Admissible values at s: x = s^a, except n = m + (n - m) and K = 1 + (K - 1)."""
    exponents, cone = dict(ray.exponents), ray.cone

    def value(name: str) -> Fraction:
        power = exponents.get(name, Fraction(0))
        if power.denominator != 1:
            raise FedboundsError(f"{name} = s^({power}) is not rational; expected a whole power")
        return Fraction(s) ** int(power)

    values = {x: value(x) for x in cone.variables} | {x: Fraction(0) for x in cone.zero}
    if "n - m" in values:  # m = n if it is zero; both of order n otherwise, or one of them
        values["n"] = values["m"] + values.pop("n - m")
    if "K - 1" in values:
        values["K"] = 1 + values.pop("K - 1")
    return dict(sorted(values.items()))


def in_balls(e: sp.Expr, values: dict[str, Fraction]) -> Any:
    """Value of a formula: exact up to the roots, and a ball after them."""
    if e.is_Rational:
        return fmpq(int(e.p), int(e.q))
    if e.is_Symbol:
        return fmpq(values[e.name].numerator, values[e.name].denominator)
    if e.is_Pow and e.exp.is_Rational:
        base = in_balls(e.base, values)
        if e.exp.q != 1:
            base = arb(base).root(int(e.exp.q))
        return base ** int(e.exp.p)
    inside = [in_balls(argument, values) for argument in e.args]
    if e.is_Add:
        return reduce(lambda a, b: a + b, inside)
    if e.is_Mul:
        return reduce(lambda a, b: a * b, inside)
    if isinstance(e, sp.Max):
        return reduce(lambda a, b: arb(a).max(arb(b)), inside)
    raise FedboundsError(f"cannot evaluate {type(e).__name__} in {e}")


def in_words(ray: Ray) -> str:
    """Which parameters grow, which shrink, and where."""
    exponents = dict(ray.exponents)
    shown = [x for x in exponents if x not in ("n - m", "K - 1")]
    moves = [
        f"{x} {'grows' if exponents[x] > 0 else 'shrinks'} like s^{exponents[x]}" for x in shown
    ]
    # the name of the cone says how large n - m is, except where only m is of order n
    if "n - m" in ray.cone.variables and exponents.get("n") != exponents.get("n - m"):
        power = exponents.get("n - m")
        moves.append(f"n - m grows like s^{power}" if power else "n - m stays bounded")
    if ray.gap is None:
        moves.append("the smaller bound is zero")
    return f"{ray.cone.name}: {', '.join(moves)}"


def as_rows(claim: ComparisonClaim) -> list[dict[str, Any]]:
    """Verdicts as plain JSON values: exact numbers as "p/q"."""
    return [_row(found) for found in judge_comparison(claim)]


def _row(found: PairVerdict) -> dict[str, Any]:
    above, below = found.comparison.above, found.comparison.below
    return {
        "claim": found.claim,
        "reading": found.reading,
        "pair": found.pair,
        "verdict": found.verdict.value,
        "word": found.word.value,
        "regions": {cone.name: word.value for cone, word in found.comparison.words},
        "worse": _walk(found.worse),
        "better": _walk(found.better),
        "certificate": None if found.worse else _certificates(above),
        "reverse_certificate": None if found.better else _certificates(below),
    }


def _walk(found: Walk | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "region": found.region,
        "ray": {
            "cone": _cone(found.ray.cone),
            "exponents": {x: str(a) for x, a in found.ray.exponents},
            "gap": None if found.ray.gap is None else str(found.ray.gap),
        },
        "points": [
            {
                "s": p.s,
                "parameters": {x: str(v) for x, v in p.parameters},
                "ours": p.ours,
                "theirs": p.theirs,
                "ratio": p.ratio,
            }
            for p in found.points
        ],
        "grows": found.grows,
    }


def _certificates(evidence: tuple[Evidence, ...]) -> list[dict[str, Any]]:
    return [
        {
            "cone": _cone(bound.cone),
            "monomials": [
                {
                    "monomial": str(c.monomial),
                    "weights": {str(p): str(w) for p, w in c.weights},
                    "slacks": {str(g): str(s) for g, s in c.slacks},
                }
                for c in bound.certificates
            ],
        }
        for bound in evidence
        if isinstance(bound, Bound)
    ]


def _cone(cone: Cone) -> dict[str, Any]:
    return {
        "name": cone.name,
        "zero": sorted(cone.zero),
        "at_least_one": [str(g) for g in cone.at_least_one],
        "order_one": [str(g) for g in cone.order_one],
    }
