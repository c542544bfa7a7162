"""Errors of judgement: what tempts to a firm word that the evidence does not bear.

The original is evidence that bears the word; the error takes away what it rests on.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq

from fedbounds.problems import Constants, ConstantValue, FederatedQuadratic, Start, to_float
from fedbounds.theory.claims import AS_PRINTED, Part
from fedbounds.theory.registry import claim
from fedbounds.theory.setups import Objective, Run, Setup
from fedbounds.theory.symbols import G_u, G_v, t
from fedbounds.vocabulary import (
    Constant,
    Method,
    ProofStatus,
    Provenance,
    Side,
    Standing,
    StatementStatus,
    Verdict,
)

from ..case import Case
from ..decide import decide, decide_sampled
from ..evaluate import Numbers
from ..instance import Instance
from ..interval import sums_of
from ..judge import judge, judge_reading
from ..measurement import measure
from ..records import record
from ..setups.sampled import InSamples
from ..standing import standing, status_of
from .instances import judged, slow, verdict_said
from .planted import ErrorKind, Planted, Said

THEOREM = "personalization/thm-3.7"
_REPLICAS = 1024


# ---- sampling


def far_away() -> Case:
    """The same as `slow`: one client far from the minimiser of its personal variable."""
    one, still = ((1, 0), (0, 1)), (0, 0)
    data = (("hessians", (one,)), ("slopes", (still,)), ("personal", 1), ("noise", 0))
    steps = {"gamma_u": "1/32", "gamma_v": "1/32", "eta_u": 1, "eta_v": 1}
    given = ("cohort", 1), ("K", 1), *steps.items()
    run = Run(Objective("quadratics", data), (0, 1), given, 8)
    found = claim(THEOREM)
    setup = Setup(found.entry.paper, "rounds", run)
    return Case("planted", found.algorithms[0], setup, Method.RATIONAL)


def too_small(case: Case) -> Said:
    """The theorem with a tenth of its bound, judged on a run that violates it."""
    printed = claim(THEOREM)
    part = replace(printed.parts[0], right=printed.parts[0].right / 10)
    wrong = replace(printed, parts=(part,), readings=(AS_PRINTED,), proof_weights=())
    return verdict_said(judge((wrong,), case).judgements[0].deciding)


def sampled(case: Case) -> Case:
    return replace(case, setup=InSamples(case.setup, _REPLICAS), method=Method.SAMPLING)


def in_floats(instance: Instance) -> Instance:
    changed = {
        name: to_float(getattr(instance, name)) for name in ("problem", "start", "algorithm")
    }
    return replace(instance, **changed, method=Method.MOMENTS)


def half_everywhere(reach: float) -> Said:
    """1024 replicas of a gap of 1/2; ``reach`` bounds what a replica may be."""
    part = Part(G_u(t), sp.Integer(1))
    gaps = sums_of(np.full((_REPLICAS, 1), 0.5))
    means = Numbers({"T": 1.0}, {"G_u": np.array([0.5, 0.5])})
    bounds = Numbers({"T": 1.0}, {"G_u": np.array([reach, reach])})
    return verdict_said(decide_sampled(part, gaps, bounds, means, range(1), 0))


# ---- constants


@dataclass(frozen=True, eq=False)
class Guessed(FederatedQuadratic):
    """A quadratic whose L was obtained in another way."""

    provenance: Provenance = Provenance.EXACT
    side: Side = Side.BOTH

    def constants(self, start: Start) -> Constants:
        """Those of a quadratic; L with the provenance and side given."""
        value = super().constants(start)[Constant.SMOOTHNESS].value
        own = ConstantValue(value, self.provenance, self.side)
        return super().constants(start) | {Constant.SMOOTHNESS: own}


def with_smoothness(provenance: Provenance, side: Side) -> Callable[[Instance], Instance]:
    def plant(instance: Instance) -> Instance:
        p = instance.problem
        assert isinstance(p, FederatedQuadratic)
        own = Guessed(p.hessian, p.linear, p.shared_dimension, p.noise, provenance, side)
        return replace(instance, problem=own)

    return plant


def theorem(instance: Instance) -> Said:
    return verdict_said(judged(THEOREM, claim(THEOREM).parts[0], instance))


# ---- rounding and exactness


@dataclass(frozen=True)
class Sides:
    """Left and right of G_u(t) <= G_v(t) in one round, and how they were found."""

    left: Any
    right: Any
    method: Method


def decided(sides: Sides) -> Said:
    exact = sides.method is Method.RATIONAL
    series = {
        name: np.array([x, x], dtype=object if exact else float)
        for name, x in (("G_u", sides.left), ("G_v", sides.right))
    }
    constants = {"T": fmpq(1) if exact else 1.0}
    return verdict_said(decide(Part(G_u(t), G_v(t)), Numbers(constants, series), sides.method))


def one_bit_above(sides: Sides) -> Sides:
    return replace(sides, left=float(np.nextafter(sides.right, 2.0)))


# ---- what counts


def status(instance: Instance) -> Said:
    """What the theorem's records say of its statement, where this instance is all there is."""
    found = claim(THEOREM)
    judgement = judge_reading(found, AS_PRINTED, instance, measure(instance))
    summed = status_of(AS_PRINTED, [record(judgement, "selftest")])
    counts = ", ".join(f"{count} {word}" for word, count in summed["counts"].items())
    reason = judgement.deciding.reason
    return Said(summed["statement"], f"{counts}; {reason}" if reason else counts)


def long_steps(instance: Instance) -> Instance:
    """Beyond gamma <= 1/(32 K L)."""
    steps = ("inner_step_u", "inner_step_v")
    longer = {name: 2 * getattr(instance.algorithm, name) for name in steps}
    return replace(instance, algorithm=replace(instance.algorithm, **longer))


def word_for(axes: tuple[StatementStatus, ProofStatus]) -> Said:
    return Said(standing(*axes).value, f"statement {axes[0].value}, proof {axes[1].value}")


# ---- the table

_KIND = ErrorKind.DECISION
_NOT, _YES, _OPEN = (
    word.value for word in (Verdict.NOT_VIOLATED, Verdict.VIOLATED, Verdict.UNDECIDED)
)

PLANTED = (
    Planted(
        "samples-refute", _KIND, "a false bound is judged by samples instead of exactly",
        "thm-3.7 over ten", "sampling never says violated",
        far_away, sampled, too_small, _YES, _OPEN,
    ),
    Planted(
        "rare-events", _KIND, "replicas may reach 10^6, which none of those drawn does",
        "1024 equal replicas", "an interval with the certified range", lambda: 1.0,
        lambda reach: 1e6, half_everywhere, _NOT, _OPEN,
    ),
    Planted(
        "estimated-constant", _KIND, "L is an estimate", "thm-3.7", "no firm verdict on a guess",
        slow, with_smoothness(Provenance.ESTIMATE, Side.UPPER), theorem, _NOT, _OPEN,
    ),
    Planted(
        "constant-from-below", _KIND, "L is certified from below, the wrong side", "thm-3.7",
        "no firm verdict on the wrong side",
        slow, with_smoothness(Provenance.CERTIFIED, Side.LOWER), theorem, _NOT, _OPEN,
    ),
    Planted(
        "rounding", _KIND, "in float64 the left side is larger by one bit", "one inequality",
        "rounding is no violation", lambda: Sides(0.5, 1.0, Method.MOMENTS), one_bit_above,
        decided, _NOT, _OPEN,
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
        "outside-counted", _KIND, "steps twice as long as the conditions allow", "thm-3.7",
        "outside the conditions is no evidence", slow, long_steps, status,
        StatementStatus.SURVIVED.value, StatementStatus.UNTESTED.value,
    ),
    Planted(
        "proved-and-violated", _KIND, "a proved claim is violated by an exact instance",
        "standing of a claim", "the standing is a conflict, our bug",
        lambda: (StatementStatus.SURVIVED, ProofStatus.PROVED),
        lambda axes: (StatementStatus.REFUTED, axes[1]), word_for,
        Standing.CONFIRMED.value, Standing.CONFLICT.value,
    ),
)  # fmt: skip
