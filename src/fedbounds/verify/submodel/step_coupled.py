"""Coupled runs as the proofs speak of them: norms and losses under every mask and index.

A round from all joint states of two data sets; losses at joint states of all data sets of laws.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.errors import FedboundsError, require
from fedbounds.problems import to_float
from fedbounds.problems.sampled_regression import SampledRegression
from fedbounds.problems.spectrum import to_floats
from fedbounds.theory.submodel.names import COUPLED
from fedbounds.theory.submodel.proofs.scopes import COUPLED as SCOPE
from fedbounds.theory.submodel.proofs.scopes import SAMPLE

from ..case import find
from .stability_data import CoupledLaw, CoupledPair, data_sets
from .step_driving import Driven, drive, every_mask, merged
from .step_spaces import Shown, StepCase, shown, space, uniform

Array = Any
RUNS = ("past", "xi", "i", "k")
_ONE = np.ones(1)


def pair_cases(name: str, setup: CoupledPair) -> Iterator[StepCase]:
    """A case per round of two coupled runs, and the changed sample's step between them."""
    seen = shown(find(setup))
    both = tuple(to_float(problem) for problem in data_sets(setup).problems)
    algorithm, start = _rules(setup), to_floats(setup.start)
    masks, indices, chance = _draws(algorithm, both[0])
    d, (n, steps) = len(start), (both[0].clients, algorithm.local_steps)
    joint, weight = np.concatenate([start, start])[None], np.ones(1)
    for t in range(setup.rounds):
        p, x = (index.reshape(-1) for index in np.indices((len(joint), len(chance))))
        driven = [
            drive(problem, algorithm, before, masks[:, x], indices[:, :, x])
            for problem, before in zip(both, np.split(joint[p], 2, axis=1), strict=True)
        ]
        vectors = {"one": np.ones((1,) * 5), "apart": _norms(joint[:, :d] - joint[:, d:])}
        vectors = {name: a.reshape(-1, 1, 1, 1, 1) for name, a in vectors.items()}
        sizes = len(joint), len(chance)
        vectors |= _pushed(setup, both, driven, masks[:, x], indices[:, :, x], sizes)
        weights = (weight, chance, uniform(n), uniform(steps))
        yield StepCase(
            f"{name}, round {t}", COUPLED[0], frozenset({SCOPE, ""}),
            space(RUNS, weights, vectors, seen.series, t=t, terms=n * steps),
            seen.values, seen.assumptions,
        )  # fmt: skip
        after = np.concatenate([each.after for each in driven], axis=1)
        joint, weight = merged(after, weight[p] * chance[x])
    steepest = both[0].features[setup.client, setup.sample]
    for ends in (joint.reshape(-1, 2, d)[-1], np.stack([0 * steepest, steepest])):
        for step in (seen.values["eta"], 2 / seen.values["L"]):
            yield _sample_case(name, setup, both[0], ends, seen, step)


def _rules(setup: CoupledPair | CoupledLaw) -> RandomMasks:
    """In floats; where masks roll, a round is not independent of the past."""
    kind = type(setup.algorithm).__name__
    if not isinstance(setup.algorithm, RandomMasks):
        raise FedboundsError(f"algorithm is a {kind}; expected random masks")
    return to_float(setup.algorithm)


def _draws(algorithm: RandomMasks, problem: SampledRegression) -> tuple[Array, Array, Array]:
    """Masks (n, X, d), indices (K, n, X) and chances of a round."""
    own, chance = every_mask(algorithm.keep, problem.shared_dimension)
    picked = list(product(problem.noise_outcomes(algorithm.local_steps), repeat=problem.clients))
    indices = np.array(picked).transpose(2, 1, 0)
    m, j = (index.reshape(-1) for index in np.indices((len(chance), indices.shape[2])))
    return own[:, m], indices[:, :, j], chance[m] / indices.shape[2]


def _pushed(
    setup: CoupledPair,
    both: tuple[SampledRegression, ...],
    driven: list[Driven],
    masks: Array,
    indices: Array,
    sizes: tuple[int, int],
) -> dict[str, Array]:
    """Distances after the round, and the gradients of the changed sample where it is drawn."""
    n, steps = setup.problem.clients, len(driven[0].points)
    place = (setup.client, setup.sample)
    total = np.zeros(driven[0].points.shape[:3])
    for problem, run in zip(both, driven, strict=True):
        feature, target = problem.features[place], problem.targets[place]
        total += _norms(masks * problem.loss.gradients(feature, target, masks * run.points))
    own = np.arange(n)[None, :, None] == setup.client
    pushed = np.where(own & (indices == setup.sample), total, 0.0)
    first, second = driven
    return {
        "apart_new": _norms(first.after - second.after).reshape(*sizes, 1, 1, 1),
        "apart_own": _norms(first.last - second.last).T.reshape(*sizes, n, 1, 1),
        "pushed": pushed.transpose(2, 1, 0).reshape(*sizes, n, steps, 1),
    }


def _norms(array: Array) -> Array:
    found: Array = np.sqrt((array * array).sum(axis=-1))
    return found


def _sample_case(
    name: str, setup: CoupledPair, problem: SampledRegression, ends: Array, seen: Shown, step: float
) -> StepCase:
    """One sample's gradients at the masked points of two runs, over the masks of its client."""
    place = (setup.client, setup.sample)
    keep = (_rules(setup).keep[setup.client],)
    masks, chance = every_mask(keep, ends.shape[1])
    m, v = masks[0], ends[0] - ends[1]
    feature, target = problem.features[place], problem.targets[place]
    first, second = (problem.loss.gradients(feature, target, m * w) for w in ends)
    u = first - second
    vectors = {"pv": v[None], "mpv": m * v, "pu": u, "mpu": m * u}
    values = {**seen.values, "eta": step}
    return StepCase(
        f"{name}, a sample", COUPLED[0], frozenset({SAMPLE}),
        space(("xi",), (chance,), vectors, {}), values, seen.assumptions,
    )  # fmt: skip


def law_cases(name: str, setup: CoupledLaw) -> Iterator[StepCase]:
    """Losses before the first and after the last round, over all data sets and new samples."""
    require(setup.rounds <= 1, "rounds", setup.rounds, "at most 1")
    seen = shown(find(setup))
    problems = [to_float(problem) for problem in data_sets(setup).problems]
    algorithm, start = _rules(setup), to_floats(setup.start)
    masks, indices, chance = _draws(algorithm, problems[0])
    before = np.repeat(start[None], len(chance), axis=0)
    ends = np.stack([drive(p, algorithm, before, masks, indices).after for p in problems])
    for t, states, weight in ((0, np.repeat(start[None, None], len(problems), axis=0), np.ones(1)),
                              (1, ends, chance))[: setup.rounds + 1]:  # fmt: skip
        difference = _losses(setup, problems, states)  # (D, n, j, fresh, states)
        count, n, samples, kinds, _ = difference.shape
        past = uniform(count * samples * kinds)
        weights = (np.multiply.outer(past, weight).reshape(-1), _ONE, uniform(n), _ONE)
        flat = difference.transpose(0, 2, 3, 4, 1).reshape(-1, 1, n, 1, 1)
        vectors = {"loss_diff": flat, "loss_size": abs(flat), "one": np.ones((1,) * 5)}
        yield StepCase(
            f"{name}, after {t} rounds", COUPLED[0], frozenset({SCOPE, ""}),
            space(RUNS, weights, vectors, seen.series, t=t), seen.values, seen.assumptions,
        )  # fmt: skip


def _losses(setup: CoupledLaw, problems: list[SampledRegression], states: Array) -> Array:
    """l(w; z') - l(w'; z') for every data set, client, sample and new sample; laws are uniform."""
    n, kinds = len(setup.laws), len(setup.laws[0].targets)
    for law in setup.laws:
        chances = tuple(law.chances)
        require(chances == (fmpq(1, kinds),) * kinds, "chances", chances, f"{kinds} equal ones")
    pairs = data_sets(setup).pairs
    found = np.empty((len(problems), n, setup.samples, kinds, states.shape[1]))
    for at, pair in enumerate(pairs):
        fresh = at % kinds
        place = (pair.client, pair.sample)
        new = problems[pair.other]
        feature, target = new.features[place], new.targets[place]
        both = new.loss.values(feature, target, states[[pair.base, pair.other]])
        found[(pair.base, *place, fresh)] = both[0] - both[1]
    return found
