"""Random masks over many rounds: second moments in float64 with rounding bounds, or exactly."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start, to_float, to_rational
from fedbounds.problems.masked_laws import Bernoulli
from fedbounds.vocabulary import Method

from ..case import Case, Found, find, in_rationals
from ..profile import Profile
from .frame import Frame, at_optimum
from .logarithms import check_logarithm, log_above
from .moments_forms import AroundPoint, distance_to, expectation, squared_gradient_of, value_of
from .moments_random import random_moments

Array = Any


@dataclass(frozen=True, eq=False)
class LongRandomRun:
    """Many rounds of random masks on R^d.

    Attributes
    ----------
    problem, algorithm, start
        In rationals.
    rounds : int
        R.
    log_rounds : rational or None
        A number that is at least ln R, for step sizes tuned with it.
    exact : bool
        Whether to compute in rationals.
    """

    problem: FederatedQuadratic
    algorithm: RandomMasks
    start: Start
    rounds: int
    log_rounds: Any = None
    exact: bool = False

    def __post_init__(self) -> None:
        check_logarithm(self.log_rounds, self.rounds)


@in_rationals.register
def _in_rationals(setup: LongRandomRun) -> LongRandomRun:
    return replace(setup, exact=True)


@find.register
def _find(setup: LongRandomRun) -> Found:
    algorithm = setup.algorithm
    frame = Frame(setup.problem, Bernoulli(algorithm.keep), None)
    problem, rules, start = setup.problem, algorithm, setup.start
    if not setup.exact:
        problem, rules, start = to_float(problem), to_float(rules), to_float(start)
    moments = random_moments(problem, rules, start, setup.rounds)
    expected = {name: expectation(moments, form) for name, form in _forms(frame).items()}
    begun = setup.start.u[None]
    parameters = frame.constants() | at_optimum(frame)
    parameters |= {
        "K": algorithm.local_steps,
        "T": setup.rounds,
        "eta": algorithm.inner_step_u,
        "Phi": frame.masked.value(begun)[0],
        "D_opt_0": ((begun - frame.masked.minimiser) ** 2).sum(),
    }
    if setup.log_rounds is not None:
        parameters["log_T"] = setup.log_rounds
    return Found(
        family="random masks on quadratics, second moments",
        parameters=parameters,
        series={name: e.values for name, e in expected.items()},
        errors={} if setup.exact else {name: e.errors for name, e in expected.items()},
        evidence=frame.evidence(),
    )


def _forms(frame: Frame) -> dict[str, AroundPoint]:
    masked = FederatedQuadratic(
        frame.masked.matrix[None], frame.masked.slope[None], len(frame.masked.slope)
    )
    found = {
        "D_opt": distance_to(frame.masked.minimiser),
        "L_Fp": value_of(masked, above=True),
        "g_Fp": squared_gradient_of(masked),
    }
    # on R^d the minimiser is where the gradient vanishes, so D(x) = F_p(x) - F_p(x*)
    found["D_br"] = found["L_Fp"]
    if frame.full is not None:
        found |= {
            "L_F": value_of(frame.problem, above=True),
            "g_F": squared_gradient_of(frame.problem),
        }
    return found


# ---- which

_HALF, _ALL = fmpq(1, 2), fmpq(1)
_SAME = ([[[1.0]], [[1.0]]], [[3.0], [-1.0]], [4.0])
_PLANE = ([[[1.5, 0.5], [0.5, 1.5]]] * 2, [[1.0, -1.0], [-2.0, 0.5]], [3.0, -3.0])
_ROWS = (
    (_SAME, (_ALL, _ALL), 2, 100, 0.5),
    (_SAME, (_ALL, _ALL), 1, 120, 0.0),
    (_SAME, (_HALF, _HALF), 2, 250, 0.5),
    (_SAME, (_HALF, _ALL), 1, 200, 0.25),
    (_PLANE, (_HALF, _HALF), 2, 600, 0.25),
)


def cases(profile: Profile, seed: int) -> Iterator[Case]:
    """Runs with eta K = 2 ln R / (mu pbar R), and with eta K L = 1/10."""
    for cohort, keep, steps, rounds, scale in _ROWS[: 1 if profile is Profile.QUICK else None]:
        matrices, slopes, at = cohort
        noise = Noise(NoiseLaw.RADEMACHER, scale, 0.0)
        problem = to_rational(
            FederatedQuadratic(np.array(matrices), np.array(slopes), len(at), noise)
        )
        start = to_rational(Start(np.array(at), np.zeros((len(matrices), 0))))
        constants = Frame(problem, Bernoulli(keep), None).constants()
        log = log_above(rounds)
        tuned = 2 * log / (constants["mu"] * constants["p_mean"] * rounds * steps)
        edge = 1 / (10 * constants["L"] * steps)
        for name, step, known in (("tuned", tuned, log), ("eta K L = 1/10", edge, None)):
            algorithm = RandomMasks(keep, steps, step)
            setup = LongRandomRun(problem, algorithm, start, rounds, known)
            label = f"long run, d={len(at)} K={steps} R={rounds} p={keep[0]}, {keep[1]}, {name}"
            yield Case(label, "random masks", setup, Method.MOMENTS, rounds)
