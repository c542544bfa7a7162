"""Errors in problems: a constant on the wrong side of the truth, a wrong minimiser, wrong noise.

A constant that is too small makes a bound too small, which an instance that attains it violates.
What is wrong with a minimiser or with noise shows where two ways to one expectation disagree:
moments centre a problem at its minimiser and use the declared variance of its noise, enumeration
does neither.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.fedavg_p import with_effective_step
from fedbounds.problems import Constants, Evidence, FederatedQuadratic, Noise, Start
from fedbounds.theory.registry import claim
from fedbounds.vocabulary import Constant, Method, Verdict

from ..instance import Instance
from .enumerated import AGREES, DISAGREES, Run, moments_and_enumeration, two_of_three
from .instances import ALIKE, balanced, drawn_apart, judged, noisy, rationals, verdict_said
from .planted import ErrorKind, Planted, Said


@dataclass(frozen=True, eq=False)
class Understated(FederatedQuadratic):
    """A quadratic that gives half of one of its constants."""

    halved: Constant = Constant.SMOOTHNESS

    def constants(self, start: Start) -> Constants:
        """Those of a quadratic, but for one."""
        found = super().constants(start)
        own = found[self.halved]
        return found | {self.halved: replace(own, value=own.value / 2)}


@dataclass(frozen=True, eq=False)
class Misplaced(FederatedQuadratic):
    """A quadratic whose minimiser is one off in every coordinate."""

    @cached_property
    def minimiser(self) -> Any:
        """Not where the gradient vanishes."""
        found = _plain(self).minimiser
        return None if found is None else found + 1


@dataclass(frozen=True, eq=False)
class Boastful(FederatedQuadratic):
    """A quadratic that claims to satisfy every assumption, with b^2 = 0."""

    def constants(self, start: Start) -> Constants:
        """Those of a quadratic, and b^2 = 0."""
        zero = replace(super().constants(start)[Constant.SMOOTHNESS], value=fmpq(0))
        return super().constants(start) | {Constant.DISSIMILARITY: zero}

    def satisfies(self, assumption: str) -> Evidence:
        """Whatever is asked."""
        return Evidence(True, "asserted")


@dataclass(frozen=True)
class Biased(Noise):
    """Noise whose outcomes do not average to zero."""

    def outcomes(self, steps: int, d_u: int, d_v: int) -> Any:
        """All moved by half their scale."""
        found = super().outcomes(steps, d_u, d_v)
        return found + np.asarray(self.scales(d_u, d_v), dtype=float) / 2


@dataclass(frozen=True)
class Louder(Noise):
    """Noise of twice the declared size."""

    def outcomes(self, steps: int, d_u: int, d_v: int) -> Any:
        """All doubled."""
        return super().outcomes(steps, d_u, d_v) * 2


def _plain(problem: FederatedQuadratic) -> FederatedQuadratic:
    return FederatedQuadratic(
        problem.hessian, problem.linear, problem.shared_dimension, problem.noise
    )


def _with_problem(kind: Callable[..., FederatedQuadratic], **more: Any) -> Callable[[Any], Any]:
    def plant(run: Any) -> Any:
        p = run.problem
        wrong = kind(p.hessian, p.linear, p.shared_dimension, p.noise, **more)
        return replace(run, problem=wrong)

    return plant


def _with_noise(kind: Callable[..., Noise]) -> Callable[[Run], Run]:
    def plant(run: Run) -> Run:
        own = run.problem.noise
        wrong = kind(own.law, own.scale_u, own.scale_v)
        return replace(run, problem=replace(run.problem, noise=wrong))

    return plant


def coupled() -> Instance:
    """One client, blocks nearly alike and strongly coupled: both move as one, which attains L."""
    seven = fmpq(7, 8)
    problem = FederatedQuadratic(rationals([[[1, seven], [seven, 1]]]), rationals([[0, 0]]), 1)
    start = Start(rationals([1]), rationals([[1]]))
    algorithm = with_effective_step(1, 1, fmpq(1, 64))
    return Instance("planted", problem, algorithm, 2, Method.RATIONAL, start)


def own_curvatures() -> Instance:
    """Two clients of different curvature: no b bounds how their gradients differ."""
    apart = drawn_apart()
    hessian = rationals([[[2, 0], [0, 1]], [[1, 0], [0, 1]]])
    return replace(apart, problem=replace(apart.problem, hessian=hessian, linear=rationals(ALIKE)))


def _judged(claim_id: str, part: str) -> Callable[[Instance], Said]:
    def examine(instance: Instance) -> Said:
        return verdict_said(judged(claim_id, claim(claim_id).part(part), instance))

    return examine


_KIND = ErrorKind.PROBLEM
_VERDICTS = (Verdict.NOT_VIOLATED.value, Verdict.VIOLATED.value)
_WAYS = "moments against enumeration of every outcome"

PLANTED = (
    Planted(
        "smoothness-halved", _KIND, "L is half of what it is", "constants of a quadratic",
        "lem-A.3 violated, in rationals", coupled,
        _with_problem(Understated, halved=Constant.SMOOTHNESS),
        _judged("personalization/lem-A.3", ""), *_VERDICTS,
    ),
    Planted(
        "variance-halved", _KIND, "sigma_u^2 is half of what it is", "constants of a quadratic",
        "eq-A.3 violated, in rationals", noisy,
        _with_problem(Understated, halved=Constant.VARIANCE_U),
        _judged("personalization/eq-A.3", "noise"), *_VERDICTS,
    ),
    Planted(
        "dissimilarity-halved", _KIND, "b^2 is half of what it is", "constants of a quadratic",
        "lem-3.6 violated, in rationals", balanced,
        _with_problem(Understated, halved=Constant.DISSIMILARITY),
        _judged("personalization/lem-3.6", "a"), *_VERDICTS,
    ),
    Planted(
        "dissimilarity-asserted", _KIND, "b^2 = 0 is asserted; no finite b exists",
        "evidence of a quadratic", "lem-3.6 violated, in rationals", own_curvatures,
        _with_problem(Boastful), _judged("personalization/lem-3.6", "a"),
        Verdict.NOT_APPLICABLE.value, Verdict.VIOLATED.value,
    ),
    Planted(
        "wrong-minimiser", _KIND, "the minimiser is one off in every coordinate",
        "minimiser of a quadratic", _WAYS, two_of_three, _with_problem(Misplaced),
        moments_and_enumeration, AGREES, DISAGREES,
    ),
    Planted(
        "biased-noise", _KIND, "the noise has a mean of half its scale", "noise of a quadratic",
        _WAYS, two_of_three, _with_noise(Biased), moments_and_enumeration, AGREES, DISAGREES,
    ),
    Planted(
        "louder-noise", _KIND, "the noise is twice as large as declared", "noise of a quadratic",
        _WAYS, two_of_three, _with_noise(Louder), moments_and_enumeration, AGREES, DISAGREES,
    ),
)  # fmt: skip
