"""One part, one measurement, one verdict. Decided on the gap right - left, never on a ratio.

Three kinds of measurement, three rules. Exact rationals decide by sign. Float64 expectations
decide when the gap exceeds the rounding margin; a negative gap is only a candidate, which an exact
replay must confirm. Samples decide "not violated" under a certified range only, and "violated"
never.
"""

from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, ctx, fmpq
from sympy.core.function import AppliedUndef

from fedbounds.theory.claims import Part
from fedbounds.theory.symbols import (
    Mean_t,
    RunOperator,
    Sum_t,
    constants_in,
    quantities_in,
)
from fedbounds.vocabulary import Index, Method, Relation, Verdict

from .conditions import raise_precision
from .evaluate import (
    RESOLUTION,
    IrrationalError,
    Numbers,
    evaluate,
    in_balls,
    in_roots,
    rounding,
    scale,
    shown,
    terms,
    whole,
)
from .interval import LEVEL, Sums, half_width, look_level
from .roots import Roots
from .start import idle

Array = Any
MARGIN = 1e-10  # of the sum of all terms' sizes: what float64 expectations resolve
_ROUNDING = 1e-15  # more of it per round and unit of outer step, which magnifies rounding
_LONGEST_FRACTION = 60  # characters; longer exact values are reported rounded
_IDENTITY = 1e-8  # relative: a smaller deviation from an identity is no candidate
_TOLD = 1e-10  # of a side: less rounding does not show in a ratio
_RESIDUE = 1e-15  # of the largest iterates so far, in every later one
EXACT = (Method.RATIONAL, Method.BALLS)
FLOOR = 1e-26  # of the largest such sum up to a round: below it, the round is not examined


@dataclass(frozen=True)
class Outcome:
    """What one instance says about one part.

    Attributes
    ----------
    part : str
    verdict : Verdict
    reason : str
        One sentence; empty when the verdict says it all.
    left, right, gap : float or str or None
        At the round where the relative gap is smallest; exact values as "p/q".
    relative_gap : float or None
        gap / sum of the sizes of all terms.
    tightness : float or None
        Largest left / right over rounds, where both sides are sums of non-negative terms.
    at : int or None
        The round or rung, for parts that hold for each.
    client, step : int or None
        Likewise.
    rounds : int
        How many cases were examined: rounds, times clients and steps (1 for a whole run).
    equal : int
        In how many of these both sides are equal; in float64, to rounding.
    idle : int
        How many of the equal ones are left out of tightness: see `start`.
    replicas : int
        For sampling.
    level : float or None
        Error level of a sampled decision.
    beats_trivial : bool or None
        Whether the right side is below the named trivial bound; None if it has no value here.
    candidate : bool
        Float64 found a violation beyond rounding, or no finite number: the claim stays open
        until an exact replay settles it.
    replayed : str
        How an exact replay confirmed or settled it; empty if there was none.
    """

    part: str
    verdict: Verdict
    reason: str = ""
    left: Any = None
    right: Any = None
    gap: Any = None
    relative_gap: float | None = None
    tightness: float | None = None
    at: int | None = None
    client: int | None = None
    step: int | None = None
    rounds: int = 0
    equal: int = 0
    idle: int = 0
    replicas: int = 0
    level: float | None = None
    beats_trivial: bool | None = None
    candidate: bool = False
    replayed: str = ""


def rounds_of(part: Part, numbers: Numbers, last: int | None = None) -> range | None:
    """The rounds a part speaks of; None for a whole run. ``last`` cuts a diverged run."""
    if part.index in (Index.RUN, Index.POINT):
        return None
    if part.index is Index.RUNG:
        rungs = min((s.shape[-1] for s in numbers.series.values()), default=1)
        return range(part.first_round, rungs - part.compares_neighbours)
    stop = whole(numbers.constants["T"])
    return range(part.first_round, stop if last is None else min(stop, last))


def decide(part: Part, numbers: Numbers, method: Method, diverged_at: int | None = None) -> Outcome:
    """Judge a part on exact or float64 expectations.

    Parameters
    ----------
    numbers : Numbers
        Constants and the expectations of all quantities.
    method : Method
        How these were obtained; not sampling.
    diverged_at : int or None
        First round whose expectations are not finite.
    """
    rounds = rounds_of(part, numbers, None if diverged_at is None else diverged_at - 1)
    if diverged_at is not None and (rounds is None or len(rounds) == 0):
        # a bound on a run that diverges inside the conditions is in doubt: the claim stays open
        reason = f"diverged at round {diverged_at}"
        return Outcome(part.name, Verdict.DIVERGED, reason, candidate=True)
    if rounds is not None and len(rounds) == 0:
        return Outcome(part.name, Verdict.NOT_APPLICABLE, "speaks of no round of this run")
    rounds, missing = _measured(part, numbers, rounds)
    if missing and not rounds:
        return Outcome(part.name, Verdict.NOT_APPLICABLE, missing)
    outcome = _decide_measured(part, numbers, method, rounds)
    said = "; ".join(filter(None, (outcome.reason, missing)))
    return replace(outcome, reason=said)


def _decide_measured(part: Part, numbers: Numbers, method: Method, rounds: range | None) -> Outcome:
    """Judge a part on rounds in which all that it names was measured."""
    # that a quantity vanishes is what such an identity says
    vanishes = part.relation is Relation.EQUAL and part.right == 0
    if not vanishes and _all_zero(part, numbers, rounds):
        return Outcome(part.name, Verdict.NOT_APPLICABLE, "says nothing here: every term is zero")
    if part.gap == 0:
        cases, reason = 1 if rounds is None else len(rounds), "both sides are the same expression"
        return Outcome(part.name, Verdict.NOT_VIOLATED, reason, rounds=cases, equal=cases)
    rule = _decide_exactly if method in EXACT else _decide_in_floats
    return rule(part, numbers, rounds)


def _measured(part: Part, numbers: Numbers, rounds: range | None) -> tuple[range | None, str]:
    """The longest row of rounds in which all that a part names was measured; what is left out.

    A quantity that was not measured in a round is NaN there.
    """
    lacking: set[str] = set()
    bad = np.zeros(1 if rounds is None else len(rounds), dtype=bool)
    summed, told = _named(part)
    every = range(whole(numbers.constants["T"])) if summed else rounds
    for atom, where in [(x, every) for x in summed] + [(x, rounds) for x in told]:
        values = np.atleast_1d(evaluate(atom, numbers, where))
        gaps = np.asarray(values != values).reshape(-1, values.shape[-1]).any(axis=0)
        if gaps.any():
            lacking |= quantities_in(atom)
            bad |= gaps.any() if where is not rounds else gaps
    if not bad.any():
        return rounds, ""
    what = f"{', '.join(sorted(lacking))} not measured"
    if rounds is None:
        return None, f"{what} in every round"
    if bad.all():
        return range(0), f"{what} in any of {len(rounds)} rounds"
    rows = [list(row) for good, row in groupby(range(len(bad)), lambda at: not bad[at]) if good]
    longest = max(rows, key=len)
    kept = rounds[longest[0] : longest[-1] + 1]
    return kept, f"{what}: {len(rounds) - len(kept)} of {len(rounds)} rounds left out"


def _named(part: Part) -> tuple[set[sp.Expr], set[sp.Expr]]:
    """The quantities that a part adds up or maximises over a run, and those of a round."""
    summed: set[sp.Expr] = set()
    told: set[sp.Expr] = set()
    for side in (part.left, part.right):
        for operator in side.atoms(RunOperator):
            summed |= operator.atoms(AppliedUndef)
        plain = side.replace(lambda e: isinstance(e, RunOperator), lambda e: sp.S.One)
        told |= plain.atoms(AppliedUndef)
    return summed, told


def _decide_exactly(part: Part, numbers: Numbers, rounds: range | None) -> Outcome:
    try:
        left, right = (np.atleast_1d(evaluate(s, numbers, rounds)) for s in (part.left, part.right))
    except IrrationalError:
        left, right = _beyond_rationals(part, numbers, rounds)
    left, right = np.broadcast_arrays(left, right)
    shape, left, right = left.shape, left.reshape(-1), right.reshape(-1)
    gaps = right - left
    ratios = [_relative(*each) for each in zip(gaps, abs(left), abs(right), strict=True)]
    equal = np.array([bool(gap == 0) for gap in gaps]).reshape(shape)
    silent = idle(part, rounds, equal)
    order = -np.abs(ratios) if part.relation is Relation.EQUAL else np.array(ratios)
    worst = _worst(order, silent)
    if part.relation is Relation.EQUAL:
        broken = any(gap < 0 or gap > 0 for gap in gaps)
        settled = all(gap == 0 for gap in gaps)
    else:
        broken = any(gap < 0 for gap in gaps)
        settled = all(gap >= 0 for gap in gaps)
    if not (broken or settled):  # balls that contain zero
        return Outcome(part.name, Verdict.UNDECIDED, "sign undecided at the finest precision")
    outcome = Outcome(
        part=part.name,
        verdict=Verdict.VIOLATED if broken else Verdict.NOT_VIOLATED,
        reason=_equality_note(gaps, broken),
        left=_text(left[worst]),
        right=_text(right[worst]),
        gap=_text(gaps[worst]),
        relative_gap=ratios[worst],
        rounds=len(gaps),
        equal=int(equal.sum()),
        idle=int(silent.sum()),
    )
    outcome = _placed(outcome, part, worst, shape, rounds)
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            return _with_ratios(outcome, part, _in_floats(numbers), rounds, silent)
    except OverflowError:  # too large for float64: there is no ratio to show
        return outcome


def _worst(order: Array, silent: Array) -> int:
    """The least entry of those that say something; of all, where none does."""
    told = np.where(silent.reshape(-1), np.inf, order)
    return int(np.argmin(told if np.isfinite(told).any() else order))


def _all_zero(part: Part, numbers: Numbers, rounds: range | None) -> bool:
    """Whether every summand vanishes; one that is too large for float64 does not."""
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            return not np.any(scale(_in_floats(numbers), rounds, part.left, part.right))
    except OverflowError:
        return False


def _relative(gap: Any, left: Any, right: Any) -> float:
    """The gap over the sum of both sides, which are not negative."""
    try:
        size = _float(left) + _float(right)
        return _float(gap) / size if size > 0 else 0.0
    except OverflowError:
        return _float(_ball(gap) / _ball(left + right))


def _placed(
    outcome: Outcome, part: Part, flat: int, shape: tuple[int, ...], rounds: range | None
) -> Outcome:
    """With round, client and step of an entry, as far as the part is indexed by them."""
    place = [int(x) for x in np.unravel_index(flat, shape)]
    return replace(
        outcome,
        at=None if rounds is None else rounds[place[-1]],
        client=place[0] if part.index in (Index.CLIENT, Index.STEP) else None,
        step=place[1] if part.index is Index.STEP else None,
    )


def _equality_note(gaps: Array, broken: bool) -> str:
    equal = sum(1 for gap in gaps if gap == 0)
    if broken or equal == 0:
        return ""
    return (
        "both sides are equal" if equal == len(gaps) else f"equal in {equal} of {len(gaps)} rounds"
    )


def _beyond_rationals(part: Part, numbers: Numbers, rounds: range | None) -> tuple[Array, Array]:
    """Both sides as sums of roots, where zero shows; else as balls, where it does not."""
    try:
        sums = in_roots(numbers)
        left, right = (np.atleast_1d(evaluate(s, sums, rounds)) for s in (part.left, part.right))
    except IrrationalError:
        return _in_decided_balls(part, numbers, rounds)
    return left, right


def _in_decided_balls(part: Part, numbers: Numbers, rounds: range | None) -> tuple[Array, Array]:
    """Both sides as balls, precision doubled until every sign of the gap is decided."""
    before = ctx.prec
    try:
        ctx.prec = 64
        while True:
            balls = in_balls(numbers)
            left, right = (
                np.atleast_1d(evaluate(s, balls, rounds)) for s in (part.left, part.right)
            )
            gaps = np.atleast_1d(right - left).reshape(-1)
            if all(g > 0 or g < 0 for g in gaps) or not raise_precision():
                return left, right
    finally:
        ctx.prec = before


def _in_floats(numbers: Numbers) -> Numbers:
    return Numbers(
        constants={name: float(value) for name, value in numbers.constants.items()},
        series={name: values.astype(np.float64) for name, values in numbers.series.items()},
    )


def _decide_in_floats(part: Part, numbers: Numbers, rounds: range | None) -> Outcome:
    left, right = (np.atleast_1d(evaluate(s, numbers, rounds)) for s in (part.left, part.right))
    left, right = np.broadcast_arrays(left, right)
    shape = left.shape
    sizes = np.broadcast_to(scale(numbers, rounds, part.left, part.right), shape)
    if not np.isfinite(sizes).all():
        return Outcome(part.name, Verdict.UNDECIDED, "a side overflows in float64", candidate=True)
    gap = right - left
    # what a round inherits from larger ones before it is rounding; later ones do not touch it
    peak = np.maximum.accumulate(sizes, axis=-1)
    own = np.broadcast_to(rounding(numbers, rounds, part.left, part.right), shape)
    # below their own rounding, sides say nothing
    faint = (sizes > FLOOR * peak) & (sizes <= own)
    clear = (sizes > FLOOR * peak) & ~faint
    if not clear.any():
        return Outcome(part.name, Verdict.UNDECIDED, "both sides are below their rounding")
    relative = np.where(clear, gap / np.where(clear, sizes, 1.0), np.inf)
    if part.relation is Relation.EQUAL:
        relative = np.where(clear, -np.abs(relative), np.inf)
    signed = -np.abs(gap) if part.relation is Relation.EQUAL else gap
    doubt = margin_of(numbers) * sizes + own + _inherited(sizes) + _inherited(own / RESOLUTION)
    if part.relation is Relation.EQUAL:
        # floats never confirm one: be slow to doubt, slower where outer steps magnify rounding
        doubt = np.maximum(doubt, _IDENTITY * max(1.0, _outer(numbers)) * sizes)
    equal = clear & (np.abs(gap) <= doubt)
    silent = idle(part, rounds, equal)
    worst = _worst(relative.reshape(-1), silent)
    outcome = Outcome(
        part=part.name,
        verdict=Verdict.NOT_VIOLATED,
        left=float(left.flat[worst]),
        right=float(right.flat[worst]),
        gap=float(gap.flat[worst]),
        relative_gap=float(gap.flat[worst] / sizes.flat[worst]),
        rounds=int(clear.sum()),
        equal=int(equal.sum()),
        idle=int(silent.sum()),
    )
    outcome = _placed(outcome, part, worst, shape, rounds)
    if np.any(signed[clear] < -doubt[clear]):
        reason = "broken beyond rounding in float64, not confirmed by an exact replay"
        outcome = replace(outcome, verdict=Verdict.UNDECIDED, reason=reason, candidate=True)
    elif np.any(signed[clear] <= doubt[clear]):
        outcome = replace(outcome, verdict=Verdict.UNDECIDED, reason="both sides equal to rounding")
    elif faint.any():
        reason = f"{faint.sum()} of {faint.size} cases are below their own rounding"
        outcome = replace(outcome, verdict=Verdict.UNDECIDED, reason=reason)
    return _with_ratios(outcome, part, numbers, rounds, silent, own)


def _inherited(sizes: Array) -> Array:
    """What rounding of the largest iterates so far may do to squares of later, smaller ones.

    An offset that cancelled leaves in every iterate an error of the size of the largest; in a
    square it meets the iterate itself and its own kind.
    """
    peak = np.maximum.accumulate(sizes, axis=-1)
    return _RESIDUE * np.sqrt(sizes) * np.sqrt(peak) + _RESIDUE**2 * peak


def margin_of(numbers: Numbers) -> float:
    """Relative size below which a float64 gap is rounding."""
    return MARGIN + _ROUNDING * float(numbers.constants["T"] * _outer(numbers))


def _outer(numbers: Numbers) -> float:
    """The longer outer step size."""
    return float(max(numbers.constants.get(name, 1.0) for name in ("eta_u", "eta_v")))


def _with_ratios(
    outcome: Outcome,
    part: Part,
    numbers: Numbers,
    rounds: range | None,
    silent: Array,
    own: Array | float = 0.0,
) -> Outcome:
    beats = beats_trivial(part, numbers, rounds)
    ratio = tightness(part, numbers, rounds, silent, own)
    holds = outcome.verdict is not Verdict.VIOLATED and not outcome.candidate
    if ratio is not None and holds and not outcome.replicas:
        ratio = min(ratio, 1.0)  # what is above is rounding
    return replace(outcome, tightness=ratio, beats_trivial=beats)


def beats_trivial(part: Part, numbers: Numbers, rounds: range | None) -> bool | None:
    """Whether the right side is somewhere below the trivial bound; None where there is none.

    A bound by the diameter has no value where the domain has none.
    """
    if part.trivial is None or not (
        constants_in(part.trivial) <= numbers.constants.keys()
        and quantities_in(part.trivial) <= numbers.series.keys()
    ):
        return None
    right, trivial = (evaluate(s, numbers, rounds) for s in (part.right, part.trivial))
    return bool(np.any(right < trivial))


def tightness(
    part: Part,
    numbers: Numbers,
    rounds: range | None,
    silent: Array = np.False_,
    own: Array | float = 0.0,
) -> float | None:
    """Largest left / right of an inequality; None unless both are sums of non-negative terms.

    ``silent``: the cases that are left out. ``own``: what rounding may have done to the difference
    of the sides; where that is more than `_TOLD` of the right one, the ratio is what is left at
    least of it.
    """
    if part.relation is Relation.EQUAL:
        return None
    left, right = (np.atleast_1d(evaluate(s, numbers, rounds)) for s in (part.left, part.right))
    left, right = np.broadcast_arrays(left, right)
    for term in terms(part.left, part.right):
        if np.any((np.atleast_1d(evaluate(term, numbers, rounds)) < -own) & ~silent):
            return None
    doubt = np.where(own > _TOLD * right, own, 0.0)
    left, right = left - doubt, right + doubt
    clear = (right > FLOOR * right.max()) & (left > 0) & ~silent
    return float((left[clear] / right[clear]).max()) if clear.any() else None


def decide_sampled(
    part: Part, sums: Sums, reach: Numbers | None, numbers: Numbers, rounds: range | None, look: int
) -> Outcome:
    """Judge a part on the gaps of replicas.

    Parameters
    ----------
    sums : Sums
        Sums of the gap per round over replicas.
    reach : Numbers or None
        Certified bounds of every quantity's size; None where the problem certifies none.
    numbers : Numbers
        Constants and mean quantities, for the sides that are reported.
    look : int
        Number of the look, which fixes its error level.
    """
    mean = np.atleast_1d(sums.total / sums.count)
    left, right = (np.atleast_1d(evaluate(s, numbers, rounds)) for s in (part.left, part.right))
    left, right = np.broadcast_arrays(left, right)
    sizes = np.broadcast_to(scale(numbers, rounds, part.left, part.right), left.shape)
    equal = part.relation is Relation.EQUAL
    relative = (-abs(mean) if equal else mean) / np.where(sizes > 0, sizes, 1.0)
    silent = idle(part, rounds, np.abs(mean) <= MARGIN * sizes)
    worst = _worst(relative, silent)
    seen = "an interval about 0 shows no equality" if equal else "no violation seen"
    outcome = Outcome(
        part=part.name,
        verdict=Verdict.UNDECIDED,
        reason=f"{seen} in {sums.count} replicas",
        left=float(left[worst]),
        right=float(right[worst]),
        gap=float(mean[worst]),
        relative_gap=float(relative[worst]),
        at=None if rounds is None else rounds[worst],
        rounds=len(mean),
        idle=int(silent.sum()),
        replicas=sums.count,
        level=LEVEL,
    )
    if relative[worst] < 0 and not equal:
        reason = f"mean gap negative in {sums.count} replicas; sampling never refutes"
        outcome = replace(outcome, reason=reason)
    elif reach is not None:
        width = half_width(sums, gap_width(part, reach, rounds), look_level(look))
        if equal and np.any(abs(mean) > width):
            reason = f"mean gap not 0 in {sums.count} replicas; sampling never refutes"
            outcome = replace(outcome, reason=reason)
        elif not equal and np.all(mean - width >= 0):
            outcome = replace(outcome, verdict=Verdict.NOT_VIOLATED, reason="")
    return _with_ratios(outcome, part, numbers, rounds, silent)


def is_affine(part: Part) -> bool:
    """Whether the gap is affine in the quantities, so that its mean is the gap of the means."""
    linear = part.gap.replace(lambda e: isinstance(e, Mean_t | Sum_t), lambda e: e.args[0])
    if linear.has(RunOperator):
        return False
    atoms = sorted(linear.atoms(AppliedUndef), key=str)
    plain = {atom: sp.Dummy() for atom in atoms}
    expanded = linear.xreplace(plain)
    return all(
        sp.expand(expanded.diff(a).diff(b)) == 0 for a in plain.values() for b in plain.values()
    )


def gap_width(part: Part, reach: Numbers, rounds: range | None) -> Array:
    """Certified range of the gap: twice the sum of its measured terms at their bounds."""
    spread = (part.left - part.right).replace(
        lambda e: isinstance(e, Mean_t | Sum_t),
        lambda e: sp.Add(*(e.func(term) for term in sp.Add.make_args(sp.expand(e.args[0])))),
    )
    measured = [term for term in sp.Add.make_args(sp.expand(spread)) if term.atoms(AppliedUndef)]
    total = sum(abs(evaluate(term, reach, rounds)) for term in measured)
    return 2.0 * np.atleast_1d(total)


def _float(number: Any) -> float:
    return float(number.mid()) if isinstance(number, arb) else float(number)


def _ball(number: Any) -> arb:
    return number.ball() if isinstance(number, Roots) else arb(number)


def _text(number: Any) -> Any:
    if isinstance(number, Roots) and number.rational() is None:
        number = number.ball()
    if isinstance(number, arb):
        return float(number.mid())
    text = str(number.rational() if isinstance(number, Roots) else fmpq(number))
    if len(text) <= _LONGEST_FRACTION:
        return text
    try:
        return float(number)
    except OverflowError:
        return shown(number)
