"""One part, one measurement, one verdict. Decided on the gap right - left, never on a ratio.

Three kinds of measurement, three rules. Exact numbers, balls among them, decide by sign. Floats are
balls too, of what rounding may have done to them: the sign of a gap is certain, or that case is
not resolved, which is counted; a negative gap is only a candidate, which an exact replay must
confirm. Samples decide "not violated" under a certified range only, and "violated" never.

A verdict speaks of every round of which the part does. Where some hold and others are not resolved
the record is undecided, and says how many and from which on: "not violated" of the rounds that are
known would be said of another, shorter run.
"""

from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, ctx
from sympy.core.function import AppliedUndef

from fedbounds.theory.language.claims import Part
from fedbounds.theory.language.symbols import (
    Mean_t,
    RunOperator,
    Sum_t,
    quantities_in,
)
from fedbounds.vocabulary import Index, Method, Relation, Verdict

from ..measure.evaluate import (
    ENCLOSED,
    IrrationalError,
    Numbers,
    evaluate,
    in_balls,
    scale,
    terms,
    whole,
)
from .conditions import EQUALITY, is_narrow
from .interval import LEVEL, Sums, half_width, look_level
from .sides import (
    ABOVE,
    BELOW,
    NOT_BELOW,
    UNKNOWN,
    ZERO,
    Sides,
    beats_trivial,
    beyond_rationals,
    each_pair,
    evaluated,
    in_doubt,
    in_floats,
    of_both,
    of_these,
    signs_of,
    sizes_of,
    tightness,
    told_as,
    where,
)
from .start import idle, is_one_number

Array = Any
# a confidence bound is a ball from a certain end on: it shows what holds, and refutes nothing
EXACT = (Method.RATIONAL, Method.BALLS, Method.CONFIDENCE)
SAME = 1e-12  # relative gaps that differ by rounding alone: the first round, or part, is told
AS_EQUAL = 1e-6  # of both sides: where no more is in doubt, they are told to be equal
_OF_REPLICAS = 1e-10  # of all terms: what rounding of single replicas may leave of an equality
_NARROW = 1e-15  # of a ball about 0 that stands for it, as float64 rounds near 1
_ZERO = "every term is zero"
_LEAST_TOLD = 1e-26  # of the largest mean of replicas: no ratio is told of smaller ones


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
        gap / (|left| + |right|); of samples, over the sum of the sizes of all terms.
    tightness : float or None
        Largest left / right over rounds, where both sides are sums of non-negative terms.
    at : int or None
        The round or rung, for parts that hold for each.
    client, step : int or None
        Likewise.
    rounds : int
        How many cases were examined: rounds, times clients and steps (1 for a whole run). Those
        in which the sides are below what is known of them were not.
    equal : int
        In how many of these both sides are equal; in float64, to rounding.
    unresolved : int
        In how many cases, examined or not, the sign of the gap is not known; a round that was
        not measured, or is after a run diverged, is one.
    since : int or None
        The first round, or rung, with such a case.
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
    doubt : float
        By how much rounding may have moved the relative gap.
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
    unresolved: int = 0
    since: int | None = None
    idle: int = 0
    replicas: int = 0
    level: float | None = None
    beats_trivial: bool | None = None
    candidate: bool = False
    replayed: str = ""
    doubt: float = 0.0


def rounds_of(part: Part, numbers: Numbers, last: int | None = None) -> range | None:
    """The rounds a part speaks of; None for a whole run. ``last`` cuts a diverged run."""
    if part.index in (Index.RUN, Index.POINT, Index.START):
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
    planned = rounds_of(part, numbers)
    rounds, missing = _measured(part, numbers, rounds)
    if missing and not rounds:
        return Outcome(part.name, Verdict.NOT_APPLICABLE, missing)
    outcome = _decide_measured(part, numbers, method, rounds)
    diverged = "" if diverged_at is None else f"diverged at round {diverged_at}"
    said = "; ".join(filter(None, (outcome.reason, missing, diverged)))
    return _without(replace(outcome, reason=said), planned, rounds)


def _without(outcome: Outcome, planned: range | None, examined: range | None) -> Outcome:
    """Counting rounds that were not looked at: what holds on the others says nothing of all."""
    if planned is None or examined is None or planned == examined:
        return outcome
    lost = [at for at in planned if at not in examined]
    holds = outcome.verdict is Verdict.NOT_VIOLATED
    since = min(lost) if outcome.since is None else min(outcome.since, *lost)
    return replace(
        outcome,
        verdict=Verdict.UNDECIDED if holds else outcome.verdict,
        unresolved=outcome.unresolved + len(lost),
        since=since,
    )


def _decide_measured(part: Part, numbers: Numbers, method: Method, rounds: range | None) -> Outcome:
    """Judge a part on rounds in which all that it names was measured."""
    # that a quantity vanishes is what such an identity says; 0 < 0 is false
    strict = part.relation is Relation.BELOW
    vanishes = part.relation is Relation.EQUAL and part.right == 0
    silent = "" if vanishes or strict else _all_zero(part, numbers, rounds)
    if silent:
        return Outcome(part.name, Verdict.NOT_APPLICABLE, f"says nothing here: {silent}")
    if part.gap == 0 and not strict:
        cases, reason = 1 if rounds is None else len(rounds), "both sides are the same expression"
        return Outcome(part.name, Verdict.NOT_VIOLATED, reason, rounds=cases, equal=cases)
    if method not in EXACT:
        named = sorted(_quantities(part))
        unbounded = [x for x in named if x not in numbers.errors]
        if unbounded:
            names = ", ".join(unbounded)
            reason = f"no bound is known of what rounding did to {names}; rationals have none"
            return Outcome(part.name, Verdict.UNDECIDED, reason)
        if not np.isfinite(scale(numbers, rounds, part.left, part.right)).all():
            reason = "a side overflows in float64"
            return Outcome(part.name, Verdict.UNDECIDED, reason, candidate=True)
    return _decided(part, numbers, method, rounds)


def _measured(part: Part, numbers: Numbers, rounds: range | None) -> tuple[range | None, str]:
    """The longest row of rounds in which all that a part names was measured; what is left out.

    A quantity that was not measured in a round is NaN there.
    """
    lacking: set[str] = set()
    bad = np.zeros(1 if rounds is None else len(rounds), dtype=bool)
    summed, told = _named(part)
    every = range(whole(numbers.constants["T"])) if summed else rounds
    for atom, at in [(x, every) for x in summed] + [(x, rounds) for x in told]:
        values = np.atleast_1d(evaluate(atom, numbers, at))
        gaps = np.asarray(values != values).reshape(-1, values.shape[-1]).any(axis=0)
        if gaps.any():
            lacking |= quantities_in(atom)
            bad |= gaps.any() if at is not rounds else gaps
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


def _decided(part: Part, numbers: Numbers, method: Method, rounds: range | None) -> Outcome:
    """By the sign of the gap in every case."""
    trivial = sp.S.Zero if part.trivial is None else part.trivial
    named = _quantities(part) | quantities_in(trivial)
    numbers = of_these(numbers, named)
    with ctx.workprec(max(ctx.prec, ENCLOSED)):
        try:
            known = numbers if method in EXACT else in_balls(numbers)
            sides = evaluated(part, known, rounds)
        except IrrationalError:
            sides = beyond_rationals(part, numbers, rounds)
        return _by_sign(part, sides, numbers, method, rounds)


def _by_sign(
    part: Part, sides: Sides, numbers: Numbers, method: Method, rounds: range | None
) -> Outcome:
    gaps, identity = sides.gaps, part.relation is Relation.EQUAL
    strict = part.relation is Relation.BELOW
    signs = signs_of(gaps)
    if signs.ndim and rounds and 0 in rounds and is_one_number(part.left, part.right):
        first = signs[..., rounds.index(0)]  # of a ball the difference to itself is not 0
        signs[..., rounds.index(0)] = np.where(np.isin(first, (UNKNOWN, NOT_BELOW)), ZERO, first)
    equal = signs == ZERO
    broken = (signs == BELOW) | (identity & (signs == ABOVE)) | (strict & equal)
    weakly = equal | (signs == ABOVE) | (signs == NOT_BELOW)
    holds = equal if identity else signs == ABOVE if strict else weakly
    open_ = ~broken & ~holds
    size = sizes_of(sides)
    if method not in EXACT:
        if is_narrow(part, numbers):  # conclusions are no surer than premises
            near = each_pair(lambda gap, all_: bool(abs(gap) <= EQUALITY * all_), gaps, size)
            open_ |= near.astype(bool)
            broken &= ~open_
        equal |= open_ & each_pair(_nearly_equal, gaps, size).astype(bool)
    told = ~open_ | equal  # the others are below what is known of them
    silent = idle(part, rounds, equal)
    found = Outcome(
        part.name, *_verdict(gaps, broken, open_, method, rounds), candidate=bool(broken.any())
    )
    if method in EXACT:
        found = replace(found, candidate=False)
    if open_.any():
        found = replace(found, unresolved=int(open_.sum()), since=_first(open_, rounds))
    if not told.any():
        return found
    ratios = each_pair(of_both, gaps, size).astype(np.float64)
    order = np.where(told, -np.abs(ratios) if identity else ratios, np.inf)
    worst = _worst(order.reshape(-1), silent)
    found = replace(
        found,
        left=told_as(sides.left.flat[worst]),
        right=told_as(sides.right.flat[worst]),
        gap=told_as(gaps.flat[worst]),
        relative_gap=float(ratios.flat[worst]),
        doubt=in_doubt(gaps.flat[worst], size.flat[worst]),
        rounds=int(told.sum()),
        equal=int(equal.sum()),
        idle=int(silent.sum()),
    )
    found = _placed(found, part, worst, gaps.shape, rounds)
    return _with_ratios(found, part, sides, numbers, rounds, silent)


def _verdict(
    gaps: Array, broken: Array, open_: Array, method: Method, rounds: range | None
) -> tuple[Verdict, str]:
    if broken.any() and method in EXACT:
        return Verdict.VIOLATED, ""
    if broken.any():
        reason = "broken beyond rounding in float64, not confirmed by an exact replay"
        return Verdict.UNDECIDED, reason
    if not open_.any():
        return Verdict.NOT_VIOLATED, _equality_note(gaps)
    why = "at the finest precision" if method in EXACT else "beyond its rounding"
    many = f"{open_.sum()} of {open_.size} cases" if open_.size > 1 else "the only case"
    since = "" if rounds is None else f", first at t = {_first(open_, rounds)}"
    others = "" if open_.all() else "; the others hold"
    return Verdict.UNDECIDED, f"the sign of the gap is not known {why} in {many}{since}{others}"


def _first(cases: Array, rounds: range | None) -> int | None:
    """The first round with such a case."""
    if rounds is None:
        return None
    return rounds[int(np.argmax(cases.reshape(-1, cases.shape[-1]).any(axis=0)))]


def _nearly_equal(gap: arb, size: arb) -> bool:
    """Whether all that the gap may be is little beside both sides."""
    return bool(abs(gap) <= AS_EQUAL * size)


def _worst(order: Array, silent: Array) -> int:
    """The least entry of those that say something, of all where none does; the first of equals."""
    told = np.where(silent.reshape(-1), np.inf, order)
    told = told if np.isfinite(told).any() else order
    least = np.min(told)
    return int(np.argmax(told <= least + SAME * abs(least))) if np.isfinite(least) else 0


def _quantities(part: Part) -> frozenset[str]:
    return quantities_in(part.left) | quantities_in(part.right)


def _all_zero(part: Part, numbers: Numbers, rounds: range | None) -> str:
    """That every summand vanishes, or is a ball about 0 that is narrower than rounding; else empty.

    One that is too large for float64 does not, one too small for it does not either, nor does what
    a wide ball leaves open.
    """
    named = of_these(numbers, _quantities(part))
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            known = in_floats(named)
            every = [evaluate(term, known, rounds) for term in terms(part.left, part.right)]
    except OverflowError:
        return ""
    if any(np.any(values) for values in every):
        return ""
    told = [x for values in named.series.values() for x in values.flat]
    if all(isinstance(x, float) for x in told):
        return _ZERO
    known_to_be = True
    exact = in_balls(named) if any(isinstance(x, arb) for x in told) else named
    for term in terms(part.left, part.right):
        try:
            found = evaluate(term, exact, rounds)
        except IrrationalError:
            found = evaluate(term, in_balls(named), rounds)
        values = np.atleast_1d(np.asarray(found, dtype=object))
        if not all(map(_stands_for_zero, values.flat)):
            return ""
        known_to_be &= all(value == 0 for value in values.flat)  # a ball of some width is not
    return _ZERO if known_to_be else f"{_ZERO}, or within {_NARROW} of it"


def _stands_for_zero(value: Any) -> bool:
    if isinstance(value, arb):
        return bool(value.contains(0)) and float(value.rad()) <= _NARROW
    return bool(value == 0)


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


def _equality_note(gaps: Array) -> str:
    equal = int(where(gaps, lambda x: x == 0).sum())
    if equal == 0:
        return ""
    return (
        "both sides are equal" if equal == gaps.size else f"equal in {equal} of {gaps.size} rounds"
    )


def _with_ratios(
    outcome: Outcome,
    part: Part,
    sides: Sides,
    numbers: Numbers,
    rounds: range | None,
    silent: Array,
) -> Outcome:
    ratio = tightness(part, sides, silent)
    holds = outcome.verdict is not Verdict.VIOLATED and not outcome.candidate
    if ratio is not None and holds and not outcome.replicas:
        ratio = min(ratio, 1.0)  # what is above is rounding
    return replace(outcome, tightness=ratio, beats_trivial=beats_trivial(part, numbers, rounds))


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
    sides = evaluated(part, numbers, rounds)
    left, right = sides.left, sides.right
    sizes = np.broadcast_to(scale(numbers, rounds, part.left, part.right), left.shape)
    equal, strict = part.relation is Relation.EQUAL, part.relation is Relation.BELOW
    relative = (-abs(mean) if equal else mean) / np.where(sizes > 0, sizes, 1.0)
    silent = idle(part, rounds, np.abs(mean) <= _OF_REPLICAS * sizes)
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
        elif not equal and np.all(mean > width if strict else mean >= width):
            outcome = replace(outcome, verdict=Verdict.NOT_VIOLATED, reason="")
    faint = right <= _LEAST_TOLD * right.max()
    return _with_ratios(outcome, part, sides, numbers, rounds, silent | faint)


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
