"""Which long runs judge the theorems about FedPLT: up to ten thousand rounds.

Masks full or partial; minimisers of the clients shared or their own; with bounded noise or full
gradients; step sizes constant or decaying.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.fedplt_rows import FedPLT
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start
from fedbounds.problems.linear import rational
from fedbounds.vocabulary import Method

from ..case import Case
from ..profile import Profile
from .long_runs import Gradients, LongRun, Steps

ALGORITHM = "FedPLT"
FULL = ((1, 1), (1, 1))
# client 1 trains the first coordinate only
PARTIAL = ((1, 1), (1, 0))
_MOST_ROUNDS = {Profile.QUICK: 1_000, Profile.DEFAULT: 10_000, Profile.THOROUGH: 10_000}
_RANDOM = {Profile.QUICK: 0, Profile.DEFAULT: 1, Profile.THOROUGH: 6}


def quadratics(
    hessians: Sequence[Any], minimisers: Sequence[Any], noise: Any = 0
) -> FederatedQuadratic:
    """F_k(W) = (W - a_k)' H_k (W - a_k) / 2 in rationals, with noise of that scale."""
    hessian, centre = exact(hessians), exact(minimisers)
    linear = -(hessian @ centre[:, :, None])[:, :, 0]
    law = Noise(NoiseLaw.RADEMACHER, rational(noise), fmpq(0))
    return FederatedQuadratic(hessian, linear, hessian.shape[1], law)


def exact(numbers: Any) -> np.ndarray:
    """An array of rationals."""
    given = np.asarray(numbers, dtype=object)
    found = np.empty(given.shape, dtype=object)
    found.reshape(-1)[:] = [rational(x) for x in given.reshape(-1)]
    return found


def start_at(W: Sequence[Any], clients: int = 2) -> Start:
    """W^0."""
    return Start(exact(W), exact(np.zeros((clients, 0))))


def diagonal(*curvatures: Sequence[Any]) -> list[np.ndarray]:
    """Diagonal Hessians."""
    return [np.diag(np.asarray(row, dtype=object)) for row in curvatures]


def shared_minimiser(noise: Any, local_steps: int, eta: Any, masks: Any = FULL) -> LongRun:
    """F_1 = F_2 up to curvature: W* minimises both."""
    problem = quadratics(diagonal((1, 2), (2, 1)), [[0, 0], [0, 0]], noise)
    return LongRun(problem, FedPLT(masks, (1, 2), local_steps, eta), start_at((3, 1)), 60)


def own_minimisers(noise: Any, local_steps: int, eta: Any, masks: Any = FULL) -> LongRun:
    """F_1 and F_2 differ in curvature and minimiser."""
    problem = quadratics(diagonal((1, 2), (2, 1)), [[1, -1], [-1, 2]], noise)
    return LongRun(problem, FedPLT(masks, (1, 2), local_steps, eta), start_at((3, 2)), 60)


def partial_masks(eta: Any, rounds: int, first: Any = 1, second: Any = 0) -> LongRun:
    """Coordinate 2 is trained by client 0 only, towards that client's own minimiser.

    Coordinate 1, of small curvature, keeps the masked gradients aligned for a while.
    """
    slow = fmpq(1, 64)
    problem = quadratics(diagonal((slow, 1), (slow, 1)), [[15, 1], [-15, -1]])
    return LongRun(problem, FedPLT(PARTIAL, (1, 1), 1, eta), start_at((first, second)), rounds)


def at_rest(rounds: int) -> LongRun:
    """Steps 1/(z(t+1)) from a model that every step size leads back to, and that is not W* = 0.

    Clients 1 and 2 train a coordinate each, client 0 both; all curvatures are 1.
    """
    masks = ((1, 1), (1, 0), (0, 1))
    problem = quadratics(diagonal(*[(1, 1)] * 3), [[3, -3], [-5, -2], [2, 5]])
    z = fmpq(3, 2)
    algorithm = FedPLT(masks, (1, 1, 1), 1, 1 / z)
    start = start_at((-1, 1), 3)
    return LongRun(problem, algorithm, start, rounds, steps=Steps.DECAYING, z=z, exact=True)


def long_cases(profile: Profile, seed: int) -> Iterator[Case]:
    """Long runs, those in rationals first."""
    yield from _named(_exact_runs())
    yield from _named(_float_runs(_MOST_ROUNDS[profile]))
    yield from _named(_random_runs(_RANDOM[profile], seed))


def _named(runs: Iterator[tuple[str, LongRun]]) -> Iterator[Case]:
    for label, setup in runs:
        yield as_case(label, setup)


def as_case(label: str, setup: LongRun) -> Case:
    """A case whose work is its rounds."""
    algorithm = setup.algorithm
    steps = "eta" if setup.steps is Steps.CONSTANT else setup.steps.value
    size = str(algorithm.inner_step_u) if setup.steps is Steps.CONSTANT else f"z={setup.z}"
    name = (
        f"{label}, tau={algorithm.local_steps} T={setup.rounds}, step {steps} {size}, "
        f"G of {setup.gradients.value}{', rational' if setup.exact else ''}"
    )
    method = Method.RATIONAL if setup.exact else Method.MOMENTS
    return Case(name, ALGORITHM, setup, method, setup.rounds * (10 if setup.exact else 1))


def _exact_runs() -> Iterator[tuple[str, LongRun]]:
    half, eta = fmpq(1, 2), fmpq(1, 16)
    for gradients in Gradients:
        for tau in (1, 2):
            found = replace(own_minimisers(half, tau, eta), gradients=gradients, exact=True)
            yield "full masks, own minimisers, noise", found
    for steps in (Steps.DECAYING, Steps.LONGER):
        found = replace(own_minimisers(half, 1, eta), steps=steps, z=fmpq(1), exact=True, rounds=40)
        yield "full masks, own minimisers, noise", found
    found = replace(shared_minimiser(0, 1, fmpq(1, 64), PARTIAL), rounds=40, exact=True)
    yield "partial masks, shared minimiser", found
    for rounds, eta, second in ((40, fmpq(1, 64), 0), (8, fmpq(1, 256), fmpq(1, 2))):
        found = replace(partial_masks(eta, rounds, 1, second), exact=True)
        yield "partial masks, own minimisers", found


def _float_runs(most: int) -> Iterator[tuple[str, LongRun]]:
    half = fmpq(1, 2)
    for tau, eta in ((1, fmpq(1, 32)), (5, fmpq(1, 32)), (1, fmpq(1, 512)), (5, fmpq(1, 512))):
        for noise, gradients in ((0, Gradients.GLOBAL), *((half, each) for each in Gradients)):
            found = replace(own_minimisers(noise, tau, eta), rounds=most, gradients=gradients)
            yield f"full masks, own minimisers, noise {noise}", found
        found = replace(shared_minimiser(half, tau, eta), rounds=most)
        yield "full masks, shared minimiser, noise 1/2", found
    for steps in (Steps.DECAYING, Steps.LONGER):
        for tau in (1, 5):
            found = replace(own_minimisers(half, tau, half), steps=steps, z=fmpq(1), rounds=most)
            yield "full masks, own minimisers, noise 1/2", found
    for eta, rounds in ((fmpq(1, 64), 100), (fmpq(1, 256), 300), (fmpq(1, 1024), most)):
        yield "partial masks, own minimisers", partial_masks(eta, rounds)
        found = shared_minimiser(0, 1, eta, PARTIAL)
        yield "partial masks, shared minimiser", replace(found, rounds=rounds)


def _random_runs(count: int, seed: int) -> Iterator[tuple[str, LongRun]]:
    """Three clients, three coordinates, coupled; without noise where masks are partial."""
    for at in range(count):
        rng = np.random.default_rng((seed, at))
        hessians = [_definite(rng) for _ in range(3)]
        minimisers = rng.integers(-3, 4, (3, 3)).tolist()
        weights = tuple(rng.integers(1, 4, 3).tolist())
        for partial in (False, True):
            masks = rng.integers(0, 2, (3, 3)) if partial else np.ones((3, 3), int)
            masks[np.arange(3), np.arange(3)] = 1
            noise = 0 if partial else fmpq(1, 4)
            problem = quadratics(hessians, [[0] * 3] * 3 if partial else minimisers, noise)
            algorithm = FedPLT(masks, weights, int(rng.integers(1, 4)), fmpq(1, 512))
            start = start_at(rng.integers(1, 5, 3).tolist(), 3)
            label = f"random {at + 1}, {'partial' if partial else 'full'} masks"
            yield label, LongRun(problem, algorithm, start, 1_000)


def _definite(rng: np.random.Generator) -> np.ndarray:
    """Coupled, with curvatures 1/2, 1 and 2: a reflection of a diagonal matrix."""
    v = exact([int(x) for x in rng.integers(1, 4, 3)])
    turned = exact(np.eye(3, dtype=int)) - np.outer(v, v) * (2 / (v @ v))
    values = np.diag(exact([fmpq(1, 2), 1, 2]))
    found: np.ndarray = turned @ values @ turned
    return found
