"""Planted errors of partial training, and the check that catches each.

A check is a claim whose verdict on small exact cases must not be "violated"; or a law of the draws.
"""

from dataclasses import replace
from functools import cache

import pytest
from flint import fmpq
from submodel_mutations import (
    mask_on_the_gradient_only,
    old_coordinates_as_zeros,
    projection_skipped,
)

from fedbounds.algorithms import fedplt, rolling_models, sub_models
from fedbounds.theory.fedplt.planted import RULES
from fedbounds.theory.language.registry import claim
from fedbounds.theory.language.setups import Planned, Setup
from fedbounds.theory.submodel.planted import RULES as MASK_RULES
from fedbounds.theory.submodel.setups import masked_round
from fedbounds.verify.commands.selftest.algorithm_checks import HOLDS, said
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.setups.plan import case_of, planned
from fedbounds.vocabulary import Verdict

WRONG = {rule.name: rule for rule in MASK_RULES}

# ---- mutations: each plants one error


def planted(module, name, wrong):
    """Put what ``wrong`` makes of a module's function in its place."""
    return lambda monkeypatch: monkeypatch.setattr(module, name, wrong(getattr(module, name)))


compensation_forgotten = planted(fedplt, "compensation", RULES[0].wrong)
shuffle_replaced_by_a_fixed_order = planted(
    rolling_models, "BESIDE_FULL", WRONG["fixed-order"].wrong
)
masks_of_another_probability = planted(sub_models, "BESIDE_FULL", WRONG["rare-masks"].wrong)


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


def law_of(name):
    """What `selftest` says of a law of draws, and of nothing else."""
    rule = WRONG[name]
    assert said(rule.check, "submodel").word == HOLDS


def orders_follow_their_law():
    law_of("fixed-order")


def masks_follow_their_law():
    law_of("rare-masks")


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
