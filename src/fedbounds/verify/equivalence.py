"""Whether two algorithms are one, on equal draws.

In rationals, on a quadratic, a round with given participants is affine in the state and in the
noise. So two rounds that agree at the origin, at every basis state and at every unit noise agree
at all states and all draws; with equal starts, so do all runs. Rounds that differ prove nothing
yet, since the state may be out of reach: a difference is reported from a run of both algorithms.
In float64 equality to rounding proves nothing, and a difference is a candidate.
"""

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.fedavg_p import Draw
from fedbounds.algorithms.participation import all_participants
from fedbounds.algorithms.rules import rules_of
from fedbounds.errors import FedboundsError, require
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Problem, Start, everyone
from fedbounds.problems.linear import is_exact
from fedbounds.vocabulary import Verdict

from .drive import flatten, unflatten
from .side_by_side import Comparison, Two, differing_run

Array = Any
CANDIDATE = 1e-6  # relative difference in float64 that is worth an exact replay
_ONE = Noise(NoiseLaw.RADEMACHER, 1, 1)  # so that every algorithm draws all the noise it can use


def compare_exactly(
    problem: FederatedQuadratic, start: Start, general: Any, special: Any, rounds: int
) -> Comparison:
    """Decide in rationals, for all starts, states, participants and noises of a quadratic.

    Parameters
    ----------
    problem : FederatedQuadratic
        In exact rationals; its own noise plays no role.
    start : Start
        Where runs that look for a difference begin.
    rounds : int
        T, how long such runs are.

    Raises
    ------
    FedboundsError
        If a number is a float, the algorithms cannot share draws, or a round is not affine.
    """
    arrays = (problem.hessian, problem.linear, start.u, start.v)
    steps = (getattr(a, f.name) for a in (general, special) for f in fields(a))
    exact = all(map(is_exact, arrays)) and not any(isinstance(x, float) for x in steps)
    require(exact, "arithmetic", "float64", "exact rationals, step sizes included")
    two = Two(replace(problem, noise=_ONE), general, special)
    sets = all_participants(problem.clients, general.participants).astype(int).astype(object)
    probes = 0
    unequal = not _same_starts(two)
    for present in sets.T:
        same, probes = _same_round(two, start, present)
        unequal = unequal or not same
    if unequal:
        return differing_run(two, start, sets, rounds)
    return Comparison(
        Verdict.NOT_VIOLATED,
        f"starts agree, and rounds agree on {probes} states and noises that span all of them, "
        f"for each of {sets.shape[1]} sets of participants",
        deviation="0",
    )


def _zeros(*shape: int) -> Array:
    return np.zeros(shape, dtype=object) + fmpq(0)


def _spanning(count: int) -> Array:
    """Columns: the origin, each unit vector, and a combination of them that tests affinity."""
    found = _zeros(count, count + 2)
    for j in range(count):
        found[j, j + 1] += 1
        found[j, -1] += fmpq((-1) ** j * (j % 7 + 1), j % 5 + 2)
    return found


def _check_affine(images: Array, inputs: Array, what: str) -> None:
    """Raise unless the last column of images is what affinity makes of the others."""
    predicted = images[:, 0] + (images[:, 1:-1] - images[:, :1]) @ inputs[:, -1]
    if (predicted != images[:, -1]).any():
        raise FedboundsError(f"{what} is not affine in state and noise: nothing is decided")


def _same_starts(two: Two) -> bool:
    """Whether both make the same carry of every start and every initial draw."""
    problem = two.problem
    n, d_u, d_v = problem.clients, problem.shared_dimension, problem.personal_dimension
    asked = two.initial_draw(np.random.default_rng(0), 1)
    size, noises = d_u + n * d_v, 0 if asked is None else asked.size
    inputs = _spanning(size + noises)
    images: list[list[Array]] = [[], []]
    for column in inputs.T:
        start = Start(column[:d_u], column[d_u:size].reshape(n, d_v))
        noise = None if asked is None else column[size:].reshape(asked.shape)
        for image, carry in zip(images, _aligned(two.starts(start, 1, noise)), strict=True):
            image.append(flatten(carry)[:, 0])
    first, second = (np.stack(image, axis=1) for image in images)
    for states in (first, second):
        _check_affine(states, inputs, "a start")
    return bool((first == second).all())


def _same_round(two: Two, start: Start, present: Array) -> tuple[bool, int]:
    """Whether both make the same of every state and noise, and how many were tried."""
    problem = two.problem
    n, d = problem.clients, problem.shared_dimension + problem.personal_dimension
    templates = _aligned(two.starts(start, 1, None))
    size, steps = len(flatten(templates[0])), two.local_steps
    inputs = _spanning(size + steps * n * d)
    replicas = inputs.shape[1]
    drawn = Draw(
        present=np.repeat(present[:, None], replicas, axis=1),
        noise=inputs[size:].reshape(steps, n, d, replicas).swapaxes(2, 3).reshape(steps, -1, d),
        cohort=everyone(n, replicas),
    )
    carries = [unflatten(template, inputs[:size]) for template in templates]
    first, second = (flatten(carry) for carry in _aligned(two.step(carries, drawn)))
    for states in (first, second):
        _check_affine(states, inputs, "a round")
    return bool((first == second).all()), replicas


def _aligned(carries: list[Any]) -> list[Any]:
    """Carries with the same entries, which may differ in fields that hold nothing.

    An algorithm with a state of its own cannot be compared round by round.
    """
    shapes = [[(f.name, getattr(carry, f.name).shape) for f in fields(carry)] for carry in carries]
    filled = [[part for part in parts if 0 not in part[1]] for parts in shapes]
    require(filled[0] == filled[1], "states of the two", filled, "the same parts, in order")
    return carries


def compare_in_floats(
    problem: Problem,
    start: Start,
    general: Any,
    special: Any,
    rounds: int,
    *,
    replicas: int = 16,
    seed: int = 0,
) -> Comparison:
    """Run both on the same draws, on any problem; never a firm verdict."""
    two = Two(problem, general, special)
    rng = np.random.default_rng(seed)
    longest = max(two.both, key=lambda algorithm: int(algorithm.local_steps))
    carries = two.starts(start, replicas, two.initial_draw(rng, replicas))
    worst, at = 0.0, None
    for t in range(rounds):
        carries = two.step(carries, rules_of(longest).draw(problem, longest, rng, replicas, True))
        relative = max(_relative_differences(carries))
        if relative == np.inf:
            return Comparison(Verdict.DIVERGED, f"no finite number after round {t}", round=t)
        if relative > worst:
            worst, at = relative, t
        if relative > CANDIDATE:
            reason = f"float64 runs on equal draws differ by {relative:.3g} of their size"
            return Comparison(
                Verdict.UNDECIDED, reason, deviation=relative, round=t, candidate=True
            )
    return Comparison(
        Verdict.UNDECIDED,
        f"equal to rounding over {rounds} rounds in {replicas} replicas",
        deviation=worst,
        round=at,
    )


def _relative_differences(carries: list[Any]) -> Iterator[float]:
    """Of u and of v, to the largest entry of either; infinite if an entry is not finite."""
    for name in ("u", "v"):
        a, b = (getattr(carry, name) for carry in carries)
        if not (np.isfinite(a).all() and np.isfinite(b).all()):
            yield np.inf
        elif a.size:
            size = max(float(abs(a).max()), float(abs(b).max()), np.finfo(float).tiny)
            yield float(abs(a - b).max()) / size
