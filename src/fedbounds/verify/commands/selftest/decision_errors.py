"""Errors of judgement: what tempts to a firm word that the evidence does not bear.

The original is evidence that bears the word; the error takes away what it rests on.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq

from fedbounds.facts import Constant
from fedbounds.theory.language.catalogue import PAPERS
from fedbounds.theory.language.claims import AS_PRINTED, Claim, Part
from fedbounds.theory.language.planted import Bound
from fedbounds.theory.language.registry import claim, planted_bounds
from fedbounds.theory.language.setups import Setup
from fedbounds.theory.language.symbols import G_u, G_v, t
from fedbounds.vocabulary import (
    Method,
    ProofStatus,
    Provenance,
    Side,
    Standing,
    StatementStatus,
    Verdict,
)

from ...decide.case import Case, Found, find
from ...decide.interval import sums_of
from ...decide.measurement import measure
from ...decide.part import decide, decide_sampled
from ...judge.judge import judge_reading
from ...judge.standing import standing, status_of
from ...measure.evaluate import Numbers
from ...results.records import record
from .claim_errors import subject_of
from .planted import ErrorKind, Planted, Said
from .said import judged, verdict_said

_REPLICAS = 1024


# ---- sampling: of a gap of one half, or of minus one half


def half_everywhere(reach: float, gap: float = 0.5) -> Said:
    """1024 replicas of a gap of 1/2; ``reach`` bounds what a replica may be."""
    part = Part(G_u(t), sp.Integer(1))
    gaps = sums_of(np.full((_REPLICAS, 1), gap))
    means = Numbers({"T": 1.0}, {"G_u": np.array([1 - gap, 1 - gap])})
    bounds = Numbers({"T": 1.0}, {"G_u": np.array([reach, reach])})
    return verdict_said(decide_sampled(part, gaps, bounds, means, range(1), 0))


def broken_by_half(method: Method) -> Said:
    """G_u(t) = 3/2 is not at most 1: exactly, or in each of 1024 replicas."""
    if method is Method.SAMPLING:
        return half_everywhere(2.0, gap=-0.5)
    value = np.array([fmpq(3, 2)] * 2, dtype=object)
    numbers = Numbers({"T": fmpq(1)}, {"G_u": value}, fmpq)
    return verdict_said(decide(Part(G_u(t), sp.Integer(1)), numbers, method))


# ---- constants


@dataclass(frozen=True)
class Tried:
    """A theory's bound on a set-up, and how L is known there."""

    paper: str
    bound: Bound
    provenance: Provenance = Provenance.EXACT
    side: Side = Side.BOTH
    outside: bool = False

    @property
    def claim(self) -> Claim:
        return claim(f"{self.paper}/{self.bound.claim}")

    @property
    def case(self) -> Case:
        """Made anew, so that nothing found of another is used again."""
        made = subject_of(self.bound.outside if self.outside else self.bound.setup)
        return replace(made, setup=Guessed(made.setup, self.provenance, self.side))


@dataclass(frozen=True, eq=False)
class Guessed:
    """A set-up whose L was obtained in another way."""

    setup: Setup
    provenance: Provenance
    side: Side


@find.register
def _found_guessed(given: Guessed) -> Found:
    """What the set-up shows; L with the provenance and side given."""
    shown = find(given.setup)
    own = replace(
        shown.constants[Constant.SMOOTHNESS], provenance=given.provenance, side=given.side
    )
    return replace(shown, constants={**shown.constants, Constant.SMOOTHNESS: own})


def with_smoothness(provenance: Provenance, side: Side) -> Callable[[Tried], Tried]:
    return lambda tried: replace(tried, provenance=provenance, side=side)


def bound_of(tried: Tried) -> Said:
    found = tried.claim
    return verdict_said(judged(found.id, found.parts[0], tried.case))


# ---- rounding and exactness


@dataclass(frozen=True)
class Sides:
    """Left and right of G_u(t) <= G_v(t) in one round, how they were found, and how far off."""

    left: Any
    right: Any
    method: Method
    error: float | None = 1e-15


def decided(sides: Sides) -> Said:
    exact = sides.method is Method.RATIONAL
    series = {
        name: np.array([x, x], dtype=object if exact else float)
        for name, x in (("G_u", sides.left), ("G_v", sides.right))
    }
    constants = {"T": fmpq(1) if exact else 1.0}
    errors = {} if exact or sides.error is None else {x: np.full(2, sides.error) for x in series}
    numbers = Numbers(constants, series, errors=errors)
    return verdict_said(decide(Part(G_u(t), G_v(t)), numbers, sides.method))


def late_round(off: float) -> Said:
    """G_u(t) <= G_v(t) in 60 rounds that fall, known to 1e-12; the last left side is larger."""
    right = 0.3 ** np.arange(61)
    left = right * np.where(np.arange(61) == 59, 1 - 1e-10 + off, 0.5)
    series, errors = {"G_u": left, "G_v": right}, {"G_u": left * 1e-12, "G_v": right * 1e-12}
    numbers = Numbers({"T": 60.0}, series, errors=errors)
    return verdict_said(decide(Part(G_u(t), G_v(t)), numbers, Method.MOMENTS))


def one_bit_above(sides: Sides) -> Sides:
    return replace(sides, left=float(np.nextafter(sides.right, 2.0)))


# ---- what counts


def status(tried: Tried) -> Said:
    """What the claim's records say of its statement, where this set-up is all there is."""
    found, case = tried.claim, tried.case
    judgement = judge_reading(found, AS_PRINTED, case, measure(case))
    summed = status_of(AS_PRINTED, [record(judgement, "selftest")])
    counts = ", ".join(f"{count} {word}" for word, count in summed["counts"].items())
    reason = judgement.deciding.reason
    return Said(summed["statement"], f"{counts}; {reason}" if reason else counts)


def beyond(tried: Tried) -> Tried:
    return replace(tried, outside=True)


def word_for(axes: tuple[StatementStatus, ProofStatus]) -> Said:
    return Said(standing(*axes).value, f"statement {axes[0].value}, proof {axes[1].value}")


# ---- the table

_KIND = ErrorKind.DECISION
_NOT, _YES, _OPEN = (
    word.value for word in (Verdict.NOT_VIOLATED, Verdict.VIOLATED, Verdict.UNDECIDED)
)


def planted_on(paper: str, bound: Bound) -> tuple[Planted, ...]:
    """Errors of judgement about a theory's bound."""

    def subject() -> Tried:
        return Tried(paper, bound)

    return (
        Planted(
            "estimated-constant", _KIND, "L is an estimate", bound.claim,
            "no firm verdict on a guess", subject,
            with_smoothness(Provenance.ESTIMATE, Side.UPPER), bound_of, _NOT, _OPEN,
        ),
        Planted(
            "constant-from-below", _KIND, "L is certified from below, the wrong side",
            bound.claim, "no firm verdict on the wrong side", subject,
            with_smoothness(Provenance.CERTIFIED, Side.LOWER), bound_of, _NOT, _OPEN,
        ),
        Planted(
            "outside-counted", _KIND, "steps twice as long as the conditions allow", bound.claim,
            "outside the conditions is no evidence", subject, beyond, status,
            StatementStatus.SURVIVED.value, StatementStatus.UNTESTED.value,
        ),
    )  # fmt: skip


PLANTED = (
    Planted(
        "samples-refute", _KIND, "a false bound is judged by samples instead of exactly",
        "one inequality", "sampling never says violated", lambda: Method.RATIONAL,
        lambda method: Method.SAMPLING, broken_by_half, _YES, _OPEN,
    ),
    Planted(
        "rare-events", _KIND, "replicas may reach 10^6, which none of those drawn does",
        "1024 equal replicas", "an interval with the certified range", lambda: 1.0,
        lambda reach: 1e6, half_everywhere, _NOT, _OPEN,
    ),
    *(one for paper in PAPERS for bound in planted_bounds(paper)
      for one in planted_on(paper, bound)),
    Planted(
        "rounding", _KIND, "in float64 the left side is larger by one bit", "one inequality",
        "rounding is no violation", lambda: Sides(0.5, 1.0, Method.MOMENTS), one_bit_above,
        decided, _NOT, _OPEN,
    ),
    Planted(
        "lost-bound", _KIND, "what rounding did to both sides is not known any more",
        "one inequality", "floats without a bound of their rounding decide nothing",
        lambda: Sides(0.5, 1.0, Method.MOMENTS), lambda sides: replace(sides, error=None),
        decided, _NOT, _OPEN,
    ),
    Planted(
        "late-round", _KIND, "a late round, 1e-30 of the first, is off by 1e-9 of itself",
        "one inequality in 60 rounds", "no round is too small to be looked at",
        lambda: 0.0, lambda off: 1e-9, late_round, _NOT, _OPEN,
    ),
    Planted(
        "float-candidate", _KIND, "a violation in float64 alone, with no exact replay",
        "one inequality", "floats never say violated",
        lambda: Sides(fmpq(1), fmpq(1, 2), Method.RATIONAL),
        lambda sides: Sides(1.0, 0.5, Method.MOMENTS), decided, _YES, _OPEN,
    ),
    Planted(
        "hair-breadth", _KIND, "the exact left side is larger by 10^-60", "one inequality",
        "rationals decide by sign", lambda: Sides(fmpq(1), fmpq(1), Method.RATIONAL),
        lambda sides: replace(sides, left=sides.left + fmpq(1, 10**60)), decided, _NOT, _YES,
    ),
    Planted(
        "proved-and-violated", _KIND, "a proved claim is violated by an exact instance",
        "standing of a claim", "the standing is a conflict, our bug",
        lambda: (StatementStatus.SURVIVED, ProofStatus.PROVED),
        lambda axes: (StatementStatus.REFUTED, axes[1]), word_for,
        Standing.CONFIRMED.value, Standing.CONFLICT.value,
    ),
)  # fmt: skip
