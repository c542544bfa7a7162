"""Planted errors in masked gradients and minimisers are caught by the statements on them."""

import numpy as np
import pytest
from flint import fmpq

from fedbounds.algorithms import points
from fedbounds.facts import Constant
from fedbounds.problems.constants import ConstantValue
from fedbounds.theory.language.registry import claim as claim_of
from fedbounds.theory.language.setups import Planned
from fedbounds.theory.submodel.point_setups import Law, coupled, quadratics, setup_of
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.measure import clients, objectives
from fedbounds.verify.setups import found
from fedbounds.verify.setups.plan import case_of
from fedbounds.vocabulary import Verdict

IDS = ("prop-1", "lem-mask-gap", "lem-2", "lem-2-quad", "lem-3", "stat-random")
CLAIMS = [claim_of(f"submodel/{name}") for name in IDS]
PROBLEM = quadratics((coupled(2, "9/10"), coupled(2, "1/2", 1)), ((3, 4), (4, -3)))
POINTS = ((1, 0), (2, 0), (0, 1), (1, -1), (1, 1), (3000, 4000), (3001, 4000))


@pytest.fixture(autouse=True)
def _anew():
    """Nothing is kept of a run with another error, nor is anything for the next test."""
    kept = (found.analysed, clients._masked, clients._only_minimiser)
    for one in kept:
        one.cache_clear()
    yield
    for one in kept:
        one.cache_clear()


def broken(problem=PROBLEM, p="1/5", claims=CLAIMS):
    n = len(problem.slopes)
    setup = setup_of(problem, Law("keep", (p,) * n), POINTS, None, Law("keep", ("4/5",) * n))
    return {
        (j.claim.id.partition("/")[2], o.part)
        for j in judge(claims, case_of(Planned("planted", setup), "")).judgements
        for o in j.outcomes
        if o.verdict is Verdict.VIOLATED
    }


@pytest.mark.parametrize("p", ["1/50", "1/5", "1/2", 1])
def test_right_numbers_stay_unbroken(p):
    assert broken(p=p) == set()


def shown_otherwise(monkeypatch, change):
    """``change(shown, problem, m, w, y)`` after the step has looked at every mask."""
    right = points._masked

    def wrong(problem, drawn, w, after):
        shown = right(problem, drawn, w, after)
        return {**shown, **change(problem, drawn["masks"], w, after)}

    monkeypatch.setattr(points, "_masked", wrong)


def test_masking_the_gradient_but_not_the_point(monkeypatch):
    shown_otherwise(
        monkeypatch,
        lambda problem, m, w, y: {
            "g_m": problem.gradient(w + m * 0),
            "g_n": problem.gradient(y + m * 0),
        },
    )
    assert {("lem-mask-gap", "d"), ("stat-random", "c")} <= broken()


def test_masking_the_point_but_not_the_gradient(monkeypatch):
    shown_otherwise(monkeypatch, lambda problem, m, w, y: {"m": m * 0 + 1})
    assert ("lem-mask-gap", "d") in broken()


def test_masks_that_are_kept_more_often_than_is_said(monkeypatch):
    right = points.nested

    def wrong(random, problem, p):
        more = {"keep": np.array([x * 2 for x in p["keep"]]), "keep_2": p["keep_2"]}
        kept = right(random, problem, more)
        return {**kept, **{x: kept[x * 2] for x in p["keep"].tolist()}}

    monkeypatch.setattr(points, "nested", wrong)
    assert ("lem-mask-gap", "d") in broken()


def test_minimisers_twice_as_far(monkeypatch):
    right = points.minimum_of

    def wrong(F, p):
        return None if F is None else right(F, p) * 2

    monkeypatch.setattr(points, "minimum_of", wrong)
    assert {("lem-2-quad", "closed form"), ("lem-2-quad", "shift")} <= broken()


def test_a_minimiser_of_f_in_place_of_f_p(monkeypatch):
    right = points._objective

    def wrong(problem, p, law):
        return problem if law == points.FIRST else right(problem, p, law)

    monkeypatch.setattr(points, "_objective", wrong)
    assert ("lem-2-quad", "residual") in broken()


def test_a_smoothness_that_is_too_small(monkeypatch):
    # 2/3 of L: smoothness of a client along its steepest direction is broken
    right = objectives.constants

    def wrong(given, start=None):
        return {**right(given, start), Constant.SMOOTHNESS: ConstantValue(fmpq(6))}

    monkeypatch.setattr(objectives, "constants", wrong)
    steep = quadratics((((1, 0), (0, 9)),), ((3, 4),))
    assert ("prop-1", "smoothness") in broken(steep, "4/5", CLAIMS[:1])
