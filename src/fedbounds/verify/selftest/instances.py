"""Small exact instances on which planted errors show, and what a verdict on them says."""

from dataclasses import replace
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.fedavg_p import with_effective_step
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start
from fedbounds.theory.claims import AS_PRINTED, Part
from fedbounds.theory.registry import claim
from fedbounds.vocabulary import Method

from ..decide import Outcome
from ..instance import Instance
from ..judge import Subject, judge_reading
from ..measurement import measure
from .planted import Said

APART = ((2, 0), (-2, 0))  # two clients that pull the shared variable apart: b^2 = 4
ALIKE = ((0, 0), (0, 0))


def rationals(values: Any) -> Any:
    """An object array of rationals from nested integers and rationals."""
    given = np.asarray(values, dtype=object)
    found = np.empty(given.shape, dtype=object)
    found.reshape(-1)[:] = [fmpq(x) for x in given.reshape(-1)]
    return found


def scalar_run(
    slopes: Any,
    u: Any,
    v: Any,
    *,
    m: int,
    K: int,
    T: int,
    step: fmpq,
    outer: tuple[int, int] = (1, 1),
    noise: tuple[int, int] = (0, 0),
) -> Instance:
    """FedAvg-P on clients u^2/2 + v_i^2/2 + slopes, in rationals: L = 1, b^2 from the slopes.

    Parameters
    ----------
    slopes : n pairs
        Of the shared and of the personal variable.
    u, v : number, n numbers
        The start.
    m, K, T : int
    step : rational
        gamma = gamma_u eta_u = gamma_v eta_v.
    outer : pair
        eta_u and eta_v.
    noise : pair
        Scales of Rademacher noise.
    """
    hessian = rationals([[[1, 0], [0, 1]]] * len(slopes))
    law = Noise(NoiseLaw.RADEMACHER, fmpq(noise[0]), fmpq(noise[1]))
    problem = FederatedQuadratic(hessian, rationals(slopes), 1, law)
    algorithm = with_effective_step(m, K, step, fmpq(outer[0]), fmpq(outer[1]))
    start = Start(rationals([u]), rationals([[x] for x in v]))
    return Instance("planted", problem, algorithm, T, Method.RATIONAL, start)


def drawn_apart() -> Instance:
    """One of two different clients takes part."""
    return scalar_run(APART, 1, (1, 1), m=1, K=2, T=3, step=fmpq(1, 64), outer=(1, 2))


def balanced() -> Instance:
    """The same, from the minimiser of the shared variable: what moves it is sampling."""
    return scalar_run(APART, 0, (0, 0), m=1, K=2, T=2, step=fmpq(1, 64), outer=(1, 2))


def noisy() -> Instance:
    """Alike clients at their minimiser, with noise."""
    return scalar_run(ALIKE, 0, (0, 0), m=2, K=2, T=2, step=fmpq(1, 16), noise=(1, 1))


def slow() -> Instance:
    """One client far from the minimiser of its personal variable, small steps."""
    return scalar_run(((0, 0),), 0, (1,), m=1, K=1, T=8, step=fmpq(1, 32))


def judged(claim_id: str, part: Part, instance: Subject) -> Outcome:
    """The outcome of one part of a claim, as given, on one instance."""
    alone = replace(claim(claim_id), parts=(part,), readings=(AS_PRINTED,), proof_weights=())
    return judge_reading(alone, AS_PRINTED, instance, measure(instance)).deciding


def verdict_said(outcome: Outcome) -> Said:
    """The verdict, with both sides and where."""
    if outcome.gap is None:
        return Said(outcome.verdict.value, outcome.reason)
    at = "" if outcome.at is None else f" at round {outcome.at}"
    sides = (outcome.left, outcome.right, outcome.gap)
    numbers = "left {}, right {}, gap {}".format(*map(_short, sides)) + at
    reason = f"; {outcome.reason}" if outcome.reason else ""
    return Said(outcome.verdict.value, numbers + reason)


def _short(number: Any) -> str:
    """An exact value as it is, if it is short; else rounded."""
    text = str(number)
    if isinstance(number, str) and len(text) <= 16:
        return text
    return f"{float(fmpq(number) if isinstance(number, str) else number):.6g}"
