"""Whether an instance lies inside a part's conditions and assumptions, with both sides shown."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

import numpy as np
import sympy as sp
from flint import arb, ctx, fmpq

from fedbounds.facts import Constant
from fedbounds.problems.linear import rational
from fedbounds.theory.language.claims import Condition, Part
from fedbounds.theory.language.symbols import RunOperator, T, quantities_in, t
from fedbounds.vocabulary import Provenance, Side, Verdict

from ..measure.evaluate import IrrationalError, Numbers, evaluate, in_roots, shown, whole
from ..measure.evaluate import in_balls as enclosed
from ..measure.roots import Roots
from .case import (
    Case,
    constants_of,
    estimated_of,
    evidence_of,
    missing_of,
    products_of,
    scopes_of,
    undefined_of,
)

UNMEASURED = "not measured: "  # how the reason of what no method measured begins
EQUALITY = 1e-12  # relative; floats this close count as equal, so that edges can be run
_MOST_BITS = 4096
_FROM_BELOW = frozenset({Constant.STRONG_CONVEXITY, Constant.PL})  # smaller ones are admissible
_VECTORS = "it speaks of vectors, and is evaluated where small runs are enumerated"


@dataclass(frozen=True)
class Refusal:
    """Why a part does not apply to an instance."""

    verdict: Verdict
    reason: str


def refusal(part: Part, instance: Case, numbers: Numbers) -> Refusal | None:
    """None if the part applies; otherwise which assumption, constant or condition fails."""
    if part.algorithm and part.algorithm != instance.algorithm_name:
        return Refusal(Verdict.NOT_APPLICABLE, f"speaks of {part.algorithm}")
    offered = scopes_of(instance)
    if part.scopes and offered is not None and not offered & set(part.scopes):
        return Refusal(Verdict.NOT_APPLICABLE, f"speaks of {' or '.join(part.scopes)}")
    if part.vectors and products_of(instance) is None:
        return Refusal(Verdict.NOT_APPLICABLE, _VECTORS)
    for assumption in part.assumptions:
        evidence = evidence_of(instance, assumption)
        if evidence.holds is None and evidence.reason.startswith(UNMEASURED):
            return Refusal(Verdict.UNDECIDED, evidence.reason)
        if evidence.holds is not True:
            return Refusal(Verdict.NOT_APPLICABLE, f"{assumption}: {evidence.reason}")
    # in an order: floats that steer a search are rounded as they are asked for
    missing = {name for name in sorted(part.constants) if name not in numbers.constants}
    if missing:
        why = undefined_of(instance)
        unmeasured = [own for own in map(why.get, sorted(missing)) if _is_unmeasured(own)]
        if len(unmeasured) == len(missing):
            return Refusal(Verdict.UNDECIDED, "; ".join(dict.fromkeys(unmeasured)))
        reason = f"no value for {', '.join(sorted(missing))}"
        return Refusal(Verdict.NOT_APPLICABLE, _told(reason, missing, instance))
    for name, constant in constants_of(instance).items():
        # a theorem holds for every admissible constant: a guess is none, nor is an L too low
        wrong = Side.UPPER if name in _FROM_BELOW else Side.LOWER
        if name.value in part.constants and (
            constant.provenance is Provenance.ESTIMATE or constant.side is wrong
        ):
            what = f"{name.value} is {constant.provenance.value}, side {constant.side.value}"
            return Refusal(Verdict.UNDECIDED, f"{what}: no firm verdict rests on it")
    missing_here = missing_of(instance)
    unknown = (name for name in sorted(part.quantities) if name not in numbers.series)
    needed = {name for name in unknown if name not in missing_here}
    if needed:
        reason = f"{', '.join(sorted(needed))} not measured here"
        return Refusal(Verdict.NOT_APPLICABLE, _told(reason, needed, instance))
    estimated = estimated_of(instance)
    for measured in sorted((part.quantities | part.constants) & estimated.keys()):
        said = f"{measured} rests on {estimated[measured]}, an estimate: no firm verdict here"
        return Refusal(Verdict.UNDECIDED, said)
    if Constant.INITIAL_GAP in part.constants and not numbers.constants[Constant.INITIAL_GAP] > 0:
        return Refusal(Verdict.OUTSIDE, "F_0 = 0: the run starts at the minimiser")
    for symbol in part.signed:
        value = numbers.constants[symbol.name]
        if (symbol.is_positive and not value > 0) or (symbol.is_nonnegative and value < 0):
            sign = "a positive number" if symbol.is_positive else "one that is not negative"
            return Refusal(Verdict.OUTSIDE, f"{symbol} = {value}; the formula needs {sign}")
    for divisor in part.divisors:
        if quantities_in(divisor) & missing_here.keys():
            continue
        if not all(name in numbers.series for name in quantities_in(divisor)):
            return Refusal(Verdict.NOT_APPLICABLE, f"what it divides by, {divisor}, not measured")
        if _vanishes(divisor, part, numbers):
            said = f"the formula divides by {divisor} = 0"
            return Refusal(Verdict.NOT_APPLICABLE, said)
    for condition in part.conditions:
        failed = failure(condition, numbers)
        if failed:
            return Refusal(Verdict.OUTSIDE, failed)
    reasons = sorted({missing_here[name] for name in part.quantities & missing_here.keys()})
    return Refusal(Verdict.UNDECIDED, f"{UNMEASURED}{'; '.join(reasons)}") if reasons else None


def _is_unmeasured(why: str | None) -> TypeGuard[str]:
    return why is not None and why.startswith(UNMEASURED)


def _told(reason: str, names: Iterable[str], instance: Case) -> str:
    """With why there is no value, where that is known."""
    why = undefined_of(instance)
    return "; ".join((reason, *(why[name] for name in sorted(names) if name in why)))


def _vanishes(divisor: sp.Expr, part: Part, numbers: Numbers) -> bool:
    """Whether a divisor is zero, at any round of which the formula speaks."""
    if not (quantities_in(divisor) or divisor.has(RunOperator) or t in divisor.free_symbols):
        return _decided(Condition(divisor, "==", sp.S.Zero), numbers)
    summed = part.left.has(RunOperator) or part.right.has(RunOperator)
    first = 0 if summed else part.first_round
    try:
        found = evaluate(divisor, numbers, range(first, whole(numbers.constants[T.name])))
    except IrrationalError:  # a root of what is no square
        return False
    return any(x == 0 for x in np.ravel(found))


def failure(condition: Condition, numbers: Numbers) -> str | None:
    """None if the condition holds (at equality too), else a sentence with both sides."""
    if holds(condition, numbers):
        return None
    left, right = sides(condition, numbers)
    balls = isinstance(left, arb) or isinstance(right, arb)
    said = "is not decided" if balls and not (left < right or left > right) else "fails"
    return f"{condition} {said}: {shown(left)} against {shown(right)}"


def is_narrow(part: Part, numbers: Numbers) -> bool:
    """Whether a condition that floats meet is met up to `EQUALITY`, and not for certain.

    A step that is prescribed and irrational is such a float.
    """
    known = enclosed(replace(numbers, series={}))
    for condition in (one for own in part.conditions for one in _conjuncts(own)):
        if quantities_in(condition.left) | quantities_in(condition.right):
            return True
        left, right = (evaluate(side, known) for side in (condition.left, condition.right))
        same = condition.relation == "==" and left == right
        if not (same or _holds(left, right, condition.relation)):
            return True
    return False


def holds(condition: Condition, numbers: Numbers) -> bool:
    """Whether it holds, at equality too unless it is strict."""
    return all(_decided(part, numbers) for part in _conjuncts(condition))


def _decided(condition: Condition, numbers: Numbers) -> bool:
    """Whether a condition holds; balls are refined until their order shows."""
    before = ctx.prec
    try:
        while True:
            left, right = sides(condition, numbers)
            balls = isinstance(left, arb) or isinstance(right, arb)
            if not balls or left < right or left > right or not raise_precision():
                return _holds(left, right, condition.relation)
    finally:
        ctx.prec = before


def _conjuncts(condition: Condition) -> list[Condition]:
    """``a >= max(b, c)`` as a >= b and a >= c, so that each is decided as exactly as it can be."""
    if condition.relation == ">=" and isinstance(condition.right, sp.Max):
        return [replace(condition, right=argument) for argument in condition.right.args]
    return [condition]


def sides(condition: Condition, numbers: Numbers) -> tuple[Any, Any]:
    """Both sides as numbers: rationals or sums of roots where they are, else balls or floats."""

    def in_kind(known: Numbers) -> tuple[Any, Any]:
        return evaluate(condition.left, known), evaluate(condition.right, known)

    try:
        return in_kind(numbers)
    except IrrationalError:
        pass
    try:
        return in_kind(in_roots(replace(numbers, series={})))
    except IrrationalError:
        return in_kind(in_balls(numbers))


def in_balls(numbers: Numbers) -> Numbers:
    """The same exact numbers as balls at the current precision."""
    return Numbers(
        constants={
            k: v if isinstance(v, arb) else v.ball() if isinstance(v, Roots) else arb(rational(v))
            for k, v in numbers.constants.items()
        },
        series={},
        rational=lambda p, q: arb(fmpq(p, q)),
    )


def _holds(left: Any, right: Any, relation: str) -> bool:
    if isinstance(left, arb) or isinstance(right, arb):
        # an undecided comparison of balls is no evidence that the condition holds
        told = {"<=": left <= right, ">=": left >= right, "==": False}
        return bool((told | {"<": left < right, ">": left > right})[relation])
    if any(isinstance(side, fmpq | Roots) for side in (left, right)):
        told = {"<=": left <= right, ">=": left >= right, "==": left == right}
        return bool((told | {"<": left < right, ">": left > right})[relation])
    tolerance = EQUALITY * max(abs(left), abs(right))
    if relation in ("<", ">"):  # nearly equal floats may be equal numbers
        return bool(left < right - tolerance if relation == "<" else left > right + tolerance)
    if relation == "<=":
        return bool(left <= right + tolerance)
    if relation == ">=":
        return bool(left >= right - tolerance)
    return bool(abs(left - right) <= tolerance)


def raise_precision() -> bool:
    """Double the working precision of balls; False when the limit is reached."""
    if ctx.prec * 2 > _MOST_BITS:
        return False
    ctx.prec *= 2
    return True
