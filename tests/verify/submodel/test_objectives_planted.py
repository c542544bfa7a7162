"""Planted errors in masked gradients and minimisers are caught by the statements on them."""

from dataclasses import replace

import numpy as np
import pytest
from flint import fmpq

from fedbounds.problems.constrained import minimise_quadratic
from fedbounds.problems.masked_enumeration import MaskedClients, enumerated
from fedbounds.problems.masked_laws import Bernoulli, outcomes
from fedbounds.problems.masked_quadratic import masked_quadratic
from fedbounds.theory.registry import claim as claim_of
from fedbounds.verify.case import Case
from fedbounds.verify.judge import judge
from fedbounds.verify.submodel import (
    objective_ladders,
    objectives_found,
    objectives_optima,
    objectives_points,
)
from fedbounds.verify.submodel.objective_ladders_plan import ladders
from fedbounds.verify.submodel.objectives import as_case, as_ladder
from fedbounds.verify.submodel.objectives_corners import coupled, points_of, quadratic
from fedbounds.verify.submodel.objectives_setups import Objective
from fedbounds.vocabulary import Verdict

IDS = ("prop-1", "lem-mask-gap", "lem-2", "lem-2-quad", "lem-3", "stat-random")
LOW = fmpq(1, 5)
CLAIMS = [claim_of(f"submodel/{name}") for name in IDS]
PROBLEM = quadratic([coupled(2, fmpq(9, 10)), coupled(2, fmpq(1, 2), 1)], [[3, 4], [4, -3]])


def broken(problem=PROBLEM, p=LOW):
    n = problem.clients
    law, other = Bernoulli((p,) * n), Bernoulli((fmpq(4, 5),) * n)
    case = as_case("planted", Objective(problem, law, points_of(problem), None, other))
    return {
        (j.claim.id.partition("/")[2], o.part)
        for j in judge(CLAIMS, case).judgements
        for o in j.outcomes
        if o.verdict is Verdict.VIOLATED
    }


def test_nothing_is_broken_without_an_error():
    assert broken() == set()


def test_masking_the_gradient_but_not_the_point(monkeypatch):
    def wrong(problem, law, w):
        own = objectives_points.own_gradients(problem, w)
        keep = np.array(law.keep, dtype=object)[:, None]
        return MaskedClients(None, keep * own, None)

    monkeypatch.setattr(objectives_points, "enumerated", wrong)
    assert {("lem-mask-gap", "d"), ("stat-random", "c")} <= broken()


def test_masking_the_point_but_not_the_gradient(monkeypatch):
    def wrong(problem, law, w):
        masks, weights = outcomes(law, len(w), exact=True)
        rows = (masks * w).reshape(masks.shape)
        slopes = np.einsum("isj,ijk->isk", rows, problem.hessian) + problem.linear[:, None]
        return MaskedClients(None, (weights[:, :, None] * slopes).sum(axis=1), None)

    monkeypatch.setattr(objectives_points, "enumerated", wrong)
    assert ("lem-mask-gap", "d") in broken()


def test_forgetting_that_the_mean_mask_is_p(monkeypatch):
    def wrong(problem, law, w):
        right = enumerated(problem, law, w)
        keep = np.array(law.keep, dtype=object)[:, None]
        return replace(right, gradients=right.gradients / keep)

    monkeypatch.setattr(objectives_points, "enumerated", wrong)
    assert {("lem-mask-gap", "d"), ("prop-1", "smoothness"), ("stat-random", "c")} <= broken()


def test_wrong_sign_before_one_minus_p(monkeypatch):
    def wrong(problem, law, domain):
        mean = masked_quadratic(problem, law)
        keep = np.array(law.keep, dtype=object)[:, None, None]
        off = keep * (1 - keep) * objectives_points.diagonal(problem.hessian)
        turned = (mean.hessian - 2 * off + 4 * keep * np.eye(2, dtype=int)).sum(axis=0)
        n = problem.clients
        return minimise_quadratic(turned / n, mean.linear.sum(axis=0) / n, domain)

    monkeypatch.setattr(objectives_optima, "quadratic_minimiser", wrong)
    found = broken()
    assert {("lem-2-quad", "closed form"), ("lem-2-quad", "shift")} <= found


def test_a_minimiser_of_f_in_place_of_f_p(monkeypatch):
    def wrong(problem, law, domain):
        return minimise_quadratic(problem.hessian.sum(axis=0), problem.linear.sum(axis=0), domain)

    monkeypatch.setattr(objectives_optima, "quadratic_minimiser", wrong)
    assert ("lem-2-quad", "residual") in broken()


def test_a_smoothness_that_is_too_small(monkeypatch):
    # 2/3 of L: smoothness of a client along its steepest direction is broken
    law = Bernoulli((fmpq(4, 5),))
    problem = quadratic([np.diag([1, 9])], [[3, 4]])
    case = as_case("planted", Objective(problem, law, points_of(problem)))
    right = objectives_found.curvature_of

    def wrong(given):
        smooth, strong = right(given)
        return replace(smooth, lower=fmpq(6), upper=fmpq(6)), strong

    monkeypatch.setattr(objectives_found, "curvature_of", wrong)
    found = judge(CLAIMS[:1], Case("planted", case.algorithm_name, case.setup, case.method))
    verdicts = {o.part: o.verdict for o in found.judgements[0].outcomes}
    assert verdicts["smoothness"] is Verdict.VIOLATED


def test_a_ladder_with_the_order_of_its_rungs_lost(monkeypatch):
    order = claim_of("submodel/claim-residual")
    label, setup = next(x for x in ladders() if x[0].startswith("one sample, aligned"))
    backwards = objective_ladders.minimiser

    def verdicts():
        case = as_ladder(label, setup)
        return [o.verdict for j in judge([order], case).judgements for o in j.outcomes]

    assert Verdict.VIOLATED not in verdicts()
    laws = {law: setup.laws[-1 - k] for k, law in enumerate(setup.laws[:-1])}

    def wrong(problem, law, domain):
        return backwards(problem, laws.get(law, law), domain)

    monkeypatch.setattr(objective_ladders, "minimiser", wrong)
    assert Verdict.VIOLATED in verdicts()


@pytest.mark.parametrize("p", [fmpq(1, 50), fmpq(1, 2), fmpq(1)])
def test_right_numbers_stay_unbroken(p):
    assert broken(p=p) == set()
