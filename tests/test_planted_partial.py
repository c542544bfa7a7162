"""Planted errors of partial training, and the check that catches each.

A check is a claim whose verdict on small exact cases must not be "violated"; or a law of the draws.
"""

from dataclasses import replace
from functools import cache
from math import factorial

import numpy as np
import pytest
from flint import fmpq
from submodel_mutations import (
    mask_on_the_gradient_only,
    old_coordinates_as_zeros,
    projection_skipped,
)

from fedbounds.algorithms import fedplt, random_masks, rolling_masks, sub_models
from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.problems import FederatedQuadratic, Start
from fedbounds.theory.fedplt.planted import RULES
from fedbounds.theory.registry import claim
from fedbounds.theory.setups import Planned, Setup
from fedbounds.theory.submodel.setups import masked_round
from fedbounds.verify.judge import judge
from fedbounds.verify.profile import Profile
from fedbounds.verify.selftest import wrong_rules
from fedbounds.verify.setups.plan import case_of, planned
from fedbounds.vocabulary import Verdict

# ---- mutations: each plants one error


def planted(module, name, wrong):
    """Put what ``wrong`` makes of a module's function in its place."""
    return lambda monkeypatch: monkeypatch.setattr(module, name, wrong(getattr(module, name)))


compensation_forgotten = planted(fedplt, "compensation", RULES[0].wrong)
shuffle_replaced_by_a_fixed_order = planted(rolling_masks, "orders", wrong_rules.fixed_order)
masks_of_another_probability = planted(random_masks, "bernoulli_masks", wrong_rules.half_as_often)


def weights_ignored(monkeypatch):
    monkeypatch.setattr(fedplt, "shares", lambda weights: weights * 0 + fmpq(1, len(weights)))


def static_masks_forgotten(monkeypatch):
    local, server = fedplt.local, fedplt.server
    monkeypatch.setattr(fedplt, "local", lambda g, trained, *own: local(g, trained | True, *own))
    monkeypatch.setattr(fedplt, "server", lambda W, U, trained, c: server(W, U, trained | True, c))


def short_steps(monkeypatch):
    local = sub_models.local
    monkeypatch.setattr(sub_models, "local", lambda g, m, eta, *own: local(g, m, eta / 2, *own))


# ---- checks: each raises AssertionError on a wrong algorithm


@cache
def small_cases():
    return tuple(planned("fedplt", "FedPLT", Profile.QUICK))


def survives(claim_id, cases):
    """No case breaks the claim, as printed; some case decides it."""
    found = replace(claim(claim_id), readings=claim(claim_id).readings[:1])
    verdicts = [
        outcome.verdict
        for case in cases
        for judgement in judge((found,), case).judgements
        for outcome in judgement.outcomes
    ]
    assert Verdict.NOT_VIOLATED in verdicts or Verdict.VIOLATED in verdicts
    assert Verdict.VIOLATED not in verdicts, claim_id


def fedplt_cases():
    # the same set-ups as new objects: what was found of the old ones is not used again
    return [
        replace(case, setup=replace(case.setup, run=replace(case.setup.run)))
        for case in small_cases()
        if isinstance(case.setup, Setup)  # no run in floats
    ]


def the_split_of_the_slope_holds():
    survives("fedplt/A2.2-split", fedplt_cases())


def a_masked_update_is_the_sum_of_its_gradients():
    survives("fedplt/update-identity/corrected", fedplt_cases())


def run(**how):
    return [case_of(Planned("planted", masked_round(**how)), "random masks")]


def virtual_iterates_are_the_clients():
    survives("submodel/claim-virtual", run())


def the_projected_average_is_the_next_model():
    survives("submodel/claim-virtual", run(boxed=True))


def full_masks_are_local_sgd():
    survives("submodel/claim-recover", run(keep=(1, 1)))


def orders_follow_their_law():
    """All S! orders of an epoch alike often, 5 errors."""
    length, count = 3, 3000
    parts = (((1, 0, 0), (0, 1, 0), (0, 0, 1)),)
    algorithm = RollingMasks(parts, 1, 0.1)
    problem = FederatedQuadratic(np.eye(3)[None], np.zeros((1, 3)), 3)
    carry = rolling_masks.init(problem, algorithm, Start(np.zeros(3), np.zeros((1, 0))), count)
    drawn = rolling_masks.draw(problem, algorithm, np.random.default_rng(0), count, carry=carry)
    codes = drawn.order[0] @ np.array([9, 3, 1])
    kinds, often = np.unique(codes, return_counts=True)
    assert len(kinds) == factorial(length)
    assert (abs(often - count / 6) < 5 * np.sqrt(count * 5 / 36)).all()


def masks_follow_their_law():
    """Every coordinate is kept with probability p_i, 5 errors."""
    keep, count = (fmpq(1, 2), fmpq(4, 5)), 4000
    problem = FederatedQuadratic(np.stack([np.eye(2)] * 2), np.zeros((2, 2)), 2)
    drawn = random_masks.draw(problem, RandomMasks(keep, 1, 0.1), np.random.default_rng(1), count)
    for p, own in zip(map(float, (0.5, 0.8)), drawn.masks, strict=True):
        assert (abs(own.mean(axis=0) - p) < 5 * np.sqrt(p * (1 - p) / count)).all()


# name, mutation, the check that catches it
PLANTED = (
    ("compensation vector forgotten", compensation_forgotten, the_split_of_the_slope_holds),
    ("client weights ignored", weights_ignored, the_split_of_the_slope_holds),
    ("static masks forgotten", static_masks_forgotten, the_split_of_the_slope_holds),
    ("static masks forgotten", static_masks_forgotten, a_masked_update_is_the_sum_of_its_gradients),
    ("mask on the gradient only", mask_on_the_gradient_only, virtual_iterates_are_the_clients),
    ("half of the step size", short_steps, full_masks_are_local_sgd),
    ("old coordinates as zeros", old_coordinates_as_zeros, virtual_iterates_are_the_clients),
    ("projection skipped", projection_skipped, the_projected_average_is_the_next_model),
    ("fixed order for the shuffle", shuffle_replaced_by_a_fixed_order, orders_follow_their_law),
    ("masks of half the probability", masks_of_another_probability, masks_follow_their_law),
)


@pytest.mark.parametrize(
    ("mutate", "check"),
    [row[1:] for row in PLANTED],
    ids=[f"{name} | {check.__name__}" for name, _, check in PLANTED],
)
def test_a_planted_error_is_caught(mutate, check, monkeypatch):
    check()
    mutate(monkeypatch)
    with pytest.raises(AssertionError):
        check()


def test_every_check_has_an_error_that_it_catches():
    used = {check for _, _, check in PLANTED}
    checks = {
        the_split_of_the_slope_holds,
        a_masked_update_is_the_sum_of_its_gradients,
        virtual_iterates_are_the_clients,
        the_projected_average_is_the_next_model,
        full_masks_are_local_sgd,
        orders_follow_their_law,
        masks_follow_their_law,
    }
    assert used == checks
