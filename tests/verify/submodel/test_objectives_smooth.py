"""Float objectives: what is measured is within its error of the same in extended precision."""

import numpy as np
import pytest

import fedbounds.verify.submodel.objectives  # noqa: F401  (registers what set-ups show)
from fedbounds.problems.domain import Ball
from fedbounds.problems.logistic_data import federated_logistic
from fedbounds.problems.masked_laws import Bernoulli
from fedbounds.problems.ridge_logistic import RidgeLogistic
from fedbounds.theory.registry import claim as claim_of
from fedbounds.verify.case import find
from fedbounds.verify.judge import judge
from fedbounds.verify.submodel.objectives import as_case
from fedbounds.verify.submodel.objectives_large import other_losses
from fedbounds.verify.submodel.objectives_setups import SmoothObjective
from fedbounds.vocabulary import Assumption, Constant, Verdict

D = np.longdouble
KEEP, OTHER = (0.25, 0.75), (0.5, 0.5)


def problem():
    loss = federated_logistic(
        clients=2,
        shared_dimension=3,
        personal_dimension=0,
        samples=4,
        heterogeneity=0.5,
        regularisation=0.0,
        seed=3,
    )
    return RidgeLogistic(loss, 0.5)


def setup(radius=2.0):
    points = np.array([[0.5, -1.0, 0.25], [1.0, 0.75, -0.5], [-0.125, 0.5, 1.5]])
    ball = Ball(radius) if radius else None
    return SmoothObjective(problem(), Bernoulli(KEEP), points, ball, Bernoulli(OTHER))


def own(given, i, w):
    """grad f_i, in extended precision."""
    samples = given.loss.signed[i].astype(D)
    weights = 1 / (1 + np.exp(samples @ w))
    return -(weights[:, None] * samples).mean(axis=0) + D(given.ridge) * w


def masked(given, keep, w):
    total = np.zeros(3, dtype=D)
    for i, p in enumerate(keep):
        for k in range(8):
            m = np.array([(k >> j) & 1 for j in range(3)], dtype=D)
            chance = D(p) ** m.sum() * (1 - D(p)) ** (3 - m.sum())
            total += chance * m * own(given, i, m * w) / len(keep)
    return total


def test_points_are_within_their_errors():
    given = setup()
    found = find(given)
    for t, w in enumerate(given.points.astype(D)):
        g, q = masked(given.problem, KEEP, w), masked(given.problem, OTHER, w)
        full = masked(given.problem, (1.0, 1.0), w)
        y = given.points[(t + 1) % 3].astype(D)
        turn = g - masked(given.problem, KEEP, y)
        norms = [np.sqrt((own(given.problem, i, w) ** 2).sum()) for i in range(2)]
        by_hand = {
            "I_xy": turn @ (w - y),
            "G_xy": turn @ turn,
            "Dl_w": (g - full) @ (g - full),
            "Dl_pp": (g - q) @ (g - q),
            "g_F": full @ full,
            "g_Fp": g @ g,
            "G_miss": sum((1 - D(p)) * x for p, x in zip(KEEP, norms, strict=True)) / 2,
        }
        for name, number in by_hand.items():
            off = abs(D(found.series[name][t]) - number)
            assert off <= found.errors[name][t], name
            assert found.errors[name][t] <= 1e-9 * max(1, abs(number)), name


@pytest.mark.parametrize("radius", [None, 2.0, 0.25])
def test_minimisers_meet_the_optimality_conditions(radius):
    given = setup(None)
    small = SmoothObjective(given.problem, given.law, given.points * 0.125, None, given.other)
    inside = small if radius is None else SmoothObjective(
        given.problem, given.law, given.points * 0.125, Ball(radius), given.other
    )  # fmt: skip
    found = find(inside)
    # D_opt of three points and the origin's norm fix w*(p) up to a reflection: compare by steps
    w = np.zeros(3, dtype=D)
    for _ in range(3000):
        w = w - masked(given.problem, KEEP, w) / 4
        if radius is not None and np.sqrt(w @ w) > radius:
            w = w * D(radius) / np.sqrt(w @ w)
    away = [((x - w) ** 2).sum() for x in inside.points.astype(D)]
    off = np.abs(found.series["D_opt"] - np.array(away, dtype=float))
    assert (off <= found.errors["D_opt"] + 1e-15).all()


def test_assumptions_and_constants():
    known = find(setup())
    assert known.evidence[Assumption.STRONGLY_CONVEX].holds
    assert known.evidence[Assumption.BOUNDED_MASKED_GRADIENTS].holds
    assert known.constants[Constant.STRONG_CONVEXITY].value == 0.5
    free = find(setup(None))
    assert free.evidence[Assumption.BOUNDED_MASKED_GRADIENTS].holds is None
    assert not free.evidence[Assumption.BOUNDED_DOMAIN].holds
    assert "G" not in free.parameters


def test_lemmas_are_firm_on_other_losses():
    claims = [claim_of(f"submodel/{x}") for x in ("prop-1", "lem-mask-gap", "lem-2", "lem-3")]
    firm = set()
    for label, smooth in other_losses(0):
        for judgement in judge(claims, as_case(label, smooth)).judgements:
            for outcome in judgement.outcomes:
                assert outcome.verdict is not Verdict.VIOLATED
                if outcome.verdict is Verdict.NOT_VIOLATED:
                    firm.add((judgement.claim.id, outcome.part))
    assert ("submodel/lem-2", "Lipschitz") in firm
    assert ("submodel/lem-3", "strongly convex") in firm
    assert ("submodel/lem-mask-gap", "b") in firm
