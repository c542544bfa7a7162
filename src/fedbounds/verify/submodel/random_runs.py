"""Random masks on small rational quadratics: every mask and every sample, in rationals."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from flint import arb, fmpq

from fedbounds.algorithms import fedavg, submodel_parts
from fedbounds.algorithms.fedavg import FedAvg
from fedbounds.algorithms.fedavg_p import Carry
from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.errors import require
from fedbounds.problems import FederatedQuadratic, Start, everyone
from fedbounds.problems.constrained import Minimum
from fedbounds.problems.domain import project
from fedbounds.problems.linear import rational
from fedbounds.problems.masked import dissimilarity_at, mask_variance
from fedbounds.problems.masked_laws import Bernoulli
from fedbounds.problems.submodel_optimum import constants_at

from ..case import Found, find
from .frame import Frame, Objective, rational_row, squares
from .rounds_enumerated import (
    EnumeratedRound,
    EnumeratedRun,
    enumerate_rounds,
    expectation,
    expected_at,
)

Array = Any


@dataclass(frozen=True, eq=False)
class RandomRun:
    """R rounds of random masks from a start.

    Attributes
    ----------
    problem : FederatedQuadratic
        In rationals, with noise of finitely many outcomes.
    algorithm : RandomMasks
        With no domain, or a box.
    start : Start
    rounds : int
        R.
    log_rounds : rational or None
        A number that is at least ln R, for step sizes tuned with it.
    """

    problem: FederatedQuadratic
    algorithm: RandomMasks
    start: Start
    rounds: int
    log_rounds: Any = None

    def __post_init__(self) -> None:
        check_logarithm(self.log_rounds, self.rounds)


@find.register
def _find(setup: RandomRun) -> Found:
    algorithm = setup.algorithm
    frame = Frame(setup.problem, Bernoulli(algorithm.keep), algorithm.domain)
    run = enumerate_rounds(setup.problem, algorithm, setup.start, setup.rounds)
    series = _of_points(run, frame) | _of_rounds(run, frame)
    parameters = frame.constants() | at_optimum(frame) | _over_points(run, frame)
    begun = run.states[0].points
    parameters |= {
        "K": algorithm.local_steps,
        "T": setup.rounds,
        "eta": algorithm.inner_step_u,
        "Phi": frame.masked.value(begun)[0],
        "D_opt_0": squares(begun - frame.masked.minimiser)[0],
    }
    parameters["v_mean"] = parameters["nu2"] + parameters["sigma^2"] / fmpq(algorithm.local_steps)
    if setup.log_rounds is not None:
        parameters["log_T"] = setup.log_rounds
    return Found(
        family="random masks on quadratics, enumerated",
        parameters=parameters,
        series=series,
        evidence=frame.evidence(),
    )


def at_optimum(frame: Frame) -> dict[str, Any]:
    """zeta_*^2, nu_*^2 and the gap of the gradients at w*(p)."""
    best = frame.masked.minimiser
    found = constants_at(frame.problem, frame.law, Minimum(best), frame.smoothness.value)
    numbers = {
        "zeta_star2": found.heterogeneity.value,
        "nu_star2": found.mask_variance.value,
    }
    if frame.full is not None:
        gap = frame.masked.at_minimiser - frame.full.gradient(best[None])[0]
        numbers["gap_full_at_p"] = squares(gap)
    return numbers


def _over_points(run: EnumeratedRun, frame: Frame) -> dict[str, Any]:
    """nu^2 and B^2 as the largest values at the w^r of rounds that are run."""
    points = np.concatenate([states.points for states in run.states[:-1]])
    return {
        "nu2": max(mask_variance(frame.problem, frame.law, w) for w in points),
        "B2": max(dissimilarity_at(frame.problem, frame.law, w) for w in points),
    }


def _of_points(run: EnumeratedRun, frame: Frame) -> dict[str, Array]:
    """What depends on w^r alone, before every round and after the last."""
    problem, law, masked = frame.problem, frame.law, frame.masked
    of_points: dict[str, Callable[[Array], Array]]
    of_points = {
        "D_opt": lambda w: squares(w - masked.minimiser),
        "L_Fp": masked.value,
        "g_Fp": lambda w: squares(masked.gradient(w)),
        "D_br": masked.bregman,
        "nu2_x": lambda w: rational_row([mask_variance(problem, law, x) for x in w]),
        "B2_x": lambda w: rational_row([dissimilarity_at(problem, law, x) for x in w]),
    }
    if frame.full is not None:
        of_points |= _of_full_models(frame, frame.full)
    return {name: expected_at(run, value) for name, value in of_points.items()}


def _of_full_models(frame: Frame, full: Objective) -> dict[str, Callable[[Array], Array]]:
    """What speaks of F beside F_p."""
    gradient, step = frame.masked.gradient, 1 / frame.smoothness.value
    return {
        "L_F": full.value,
        "g_F": lambda w: squares(full.gradient(w)),
        "L_hat": lambda w: full.value(project(frame.domain, w - gradient(w) * step)),
        "Dl_w": lambda w: squares(gradient(w) - full.gradient(w)),
    }


def _of_rounds(run: EnumeratedRun, frame: Frame) -> dict[str, Array]:
    """What happens in a round."""
    every = [_one_round(run, found, frame) for found in run.rounds]
    return {name: rational_row([row[name] for row in every]) for name in every[0]}


def _one_round(run: EnumeratedRun, found: EnumeratedRound, frame: Frame) -> dict[str, Any]:
    n, algorithm = frame.problem.clients, run.algorithm
    mask = np.asarray((fmpq(0), fmpq(1)), dtype=object)[found.masks.astype(int)]
    start, last = found.before, found.virtual[-1]
    slopes = (mask * found.noisy).sum(axis=(0, 1)) / n
    update = slopes - frame.masked.at_minimiser * algorithm.local_steps
    own = _own_iterates(run, found, mask)
    off = found.virtual * (1 - mask) - start * (1 - mask)
    average = project(frame.domain, last.sum(axis=0) / n)
    quantities = {
        "V_bar": squares(found.virtual[:-1] - start).sum(axis=(0, 1)) / n,
        "H_x": squares(mask * found.gradients[0]).sum(axis=0) / n,
        "X_U": ((start - frame.masked.minimiser) * update).sum(axis=1),
        "U_2": squares(update),
        "Ev_2": (squares(mask * found.virtual - own) + squares(off)).sum(axis=(0, 1)),
        "Sv_2": squares(found.virtual).sum(axis=(0, 1)),
        "Ea_2": squares(found.after - average),
        "Sa_2": squares(found.after),
    }
    if found.masks.all():
        plain = _local_sgd(run, found)
        quantities |= {"Er_2": squares(found.after - plain), "Sr_2": squares(plain)}
    return {name: expectation(found, values) for name, values in quantities.items()}


def _own_iterates(run: EnumeratedRun, found: EnumeratedRound, mask: Array) -> Array:
    """The paper's w_i^{r,k}, run by themselves on the same samples: shape (K + 1, n, rows, d)."""
    cohort = everyone(run.problem.clients, len(found.chance))
    own = [mask * found.before]
    for gradient, noisy in zip(found.gradients, found.noisy, strict=True):
        rows = own[-1].reshape(-1, own[-1].shape[-1])
        slope = run.problem.gradient(rows, cohort).reshape(own[-1].shape) + (noisy - gradient)
        own.append(own[-1] - mask * slope * run.algorithm.inner_step_u)
    return np.stack(own)


def _local_sgd(run: EnumeratedRun, found: EnumeratedRound) -> Array:
    """FedAvg with everybody from the same w^r on the same samples, projected."""
    algorithm, n = run.algorithm, run.problem.clients
    steps, _, rows, d = found.noisy.shape
    noise = (found.noisy - found.gradients).reshape(steps, n * rows, d)
    drawn = submodel_parts.drawn_with(found.masks, noise)
    drawn = replace(drawn, present=drawn.present.astype(int).astype(object))
    plain = FedAvg(n, algorithm.local_steps, algorithm.inner_step_u)
    carry = Carry(u=found.before, v=np.zeros((n, rows, 0), dtype=object))
    return project(algorithm.domain, fedavg.step(run.problem, plain, carry, drawn).u)


def check_logarithm(given: Any, rounds: int) -> None:
    """Raise unless a number is at least ln R, or none is given."""
    least = arb(rounds).log()
    fits = given is None or arb(rational(given)) >= least
    require(fits, "log_rounds", given, f"at least ln {rounds} = {least.str(9, radius=False)}")


def log_above(rounds: int) -> fmpq:
    """A rational number between ln R and ln R + 2^-16."""
    enclosed = arb(rounds).log() + arb(fmpq(1, 2**17))
    found = rational(float(enclosed))
    assert arb(found) > arb(rounds).log()
    return found
