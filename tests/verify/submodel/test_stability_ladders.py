"""Ladders in p: moments against enumeration, limits, scripts."""

import subprocess
import sys
from fractions import Fraction as F

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.errors import FedboundsError
from fedbounds.problems.domain import Box
from fedbounds.problems.sampled_regression import Loss, SampledRegression
from fedbounds.problems.spectrum import in_rationals
from fedbounds.theory.claims import read
from fedbounds.theory.registry import claim, encoded_claims
from fedbounds.theory.submodel.stability_setups import Loss as Squares
from fedbounds.theory.submodel.stability_setups import Shape, setup_of_pair
from fedbounds.verify.case import Case, find
from fedbounds.verify.judge import judge
from fedbounds.verify.measure.enumerated import enumerated
from fedbounds.verify.measure.trace import subject_of
from fedbounds.verify.measurement import numbers_of
from fedbounds.verify.profile import Profile
from fedbounds.verify.roots import Roots
from fedbounds.verify.script import script
from fedbounds.verify.setups.found import view_of
from fedbounds.verify.submodel import (
    stability,  # noqa: F401  # registers the set-ups
    stability_comparisons,
    stability_ladders,
)
from fedbounds.verify.submodel.stability_ladders import StabilityLadder
from fedbounds.verify.submodel.stability_moments import affine_round, contracts, limit
from fedbounds.vocabulary import Method, Verdict

HALF, ONE = fmpq(1, 2), fmpq(1)


def exact(numbers):
    return in_rationals(np.array(numbers, dtype=float))


def two_sets(ridge=0):
    features = exact([[[1, 1], [1, -1]], [[1, 0], [2, 1]]])
    targets = exact([[1, 2], [0, 1]])
    other = targets.copy()
    other[0, 0] = fmpq(3)
    loss = Loss(fmpq(ridge))
    return SampledRegression(features, targets, loss), SampledRegression(features, other, loss)


# the same, with the new sample as the last of every pool
POOLS = (((1, 1, 1), (1, -1, 2), (1, 1, 3)), ((1, 0, 0), (2, 1, 1), (1, 1, 3)))


def last_states(steps, rounds):
    """The joint law of both models after all rounds, enumerated."""
    shape = Shape("", POOLS, ("1/2", "3/4"), Squares(), 2, steps, rounds, start=(1, -1))
    setup = setup_of_pair(shape, "1/5")
    return enumerated(subject_of(setup.run, view_of(setup))).last


def second_moment(rows):
    ones = np.full((len(rows), 1), ONE, dtype=object)
    x = np.concatenate([rows.state["x"], rows.state["beside"][:, 0], ones], axis=1)
    return (x[:, :, None] * x[:, None, :] * rows.chances[:, None, None]).sum(axis=0)


@pytest.mark.parametrize(("steps", "rounds"), [(2, 1), (1, 2)])
def test_moments_are_those_of_the_enumerated_run(steps, rounds):
    sets, start = two_sets(), exact([1, -1])
    algorithm = RandomMasks((HALF, fmpq(3, 4)), steps, fmpq(1, 5))
    affine = affine_round(sets, algorithm)
    x = np.concatenate([start, start, [ONE]])
    moment, mean = np.outer(x, x), x
    for _ in range(rounds):
        moment, mean = affine.second(moment), affine.mean(mean)
    assert (moment == second_moment(last_states(steps, rounds))).all()
    assert (mean == moment[-1]).all()


def test_the_limit_is_stationary_and_reached():
    sets = two_sets(ridge=1)
    affine = affine_round(sets, RandomMasks((HALF, HALF), 1, fmpq(1, 6)))
    end = limit(affine)
    assert (affine.second(end) == end).all()
    near = np.outer(x := np.array([0.0, 0, 0, 0, 1]), x)
    floats = [(c.astype(float), m.astype(float)) for c, m in affine.clients]
    means = [np.einsum("b,bij->ij", c, m) for c, m in floats]
    for _ in range(400):
        total = sum(means)
        own = [
            np.einsum("b,bij,jk,blk->il", c, m, near, m) - a @ near @ a.T
            for (c, m), a in zip(floats, means, strict=True)
        ]
        near = (total @ near @ total.T + sum(own)) / 4
    assert np.allclose(near, end.astype(float), atol=1e-9)


def test_no_limit_where_rounds_expand():
    sets = two_sets()
    affine = affine_round(sets, RandomMasks((ONE, ONE), 1, fmpq(1)))
    assert not contracts(affine, 0)
    with pytest.raises(FedboundsError, match="does not contract"):
        limit(affine)


def test_rounds_that_are_not_affine_are_refused():
    sets = two_sets()
    with pytest.raises(FedboundsError, match="domain"):
        affine_round(sets, RandomMasks((ONE, ONE), 1, HALF, Box(-1, 1)))
    huber = SampledRegression(sets[0].features, sets[0].targets, Loss(threshold=ONE))
    with pytest.raises(FedboundsError, match="squares"):
        affine_round((huber,), RandomMasks((ONE, ONE), 1, HALF))


# ---- ladders


def aligned(rounds, feature=(1, 1), keeps=(HALF, ONE)):
    """One sample with features (1, 1) and a ridge of 1/10, whose target goes from 1 to 2."""
    problem = SampledRegression(exact([[[1, 1]]]), exact([[1]]), Loss(fmpq(1, 10)))
    return StabilityLadder(problem, 0, 0, exact(feature), fmpq(2), keeps, 1, fmpq(10, 21),
                           exact([0, 0]), rounds)  # fmt: skip


def test_enclosures_hold_the_enumerated_distance(monkeypatch):
    whole = find(aligned(4)).series["dl_r"]
    monkeypatch.setattr(stability_ladders, "_MOST", 0)
    balls = find(aligned(4)).series["dl_r"]
    for ball, known in zip(balls, whole, strict=True):
        assert isinstance(ball, arb)
        assert isinstance(known, Roots)
        assert ball.overlaps(known.ball())
    assert balls[0].rad() > 0.01


def test_limits_at_full_masks_are_those_of_the_minimisers():
    """delta = A^{-1} a dy with A = aa' + I/10: (1, 1)/(21/10)."""
    ball = find(aligned(2)).series["dl_lim"][1]
    with ctx.workprec(300):
        expected = arb(2).sqrt() / arb(fmpq(21, 10))
        assert abs(ball - expected) < arb(2) ** -100


def test_smaller_p_moves_farther_along_aligned_features():
    """||E delta|| = sqrt(2)/(11/10 + p) in the limit: a lower bound, larger for a smaller p."""
    left, right = find(aligned(2)).series["dl_lim"]
    assert left > right
    middle, radius = left.mid(), left.rad()
    assert (middle - radius) ** 2 < fmpq(2) / fmpq(16, 10) ** 2 * fmpq(101, 100)
    outcomes = judged("claim-stability", aligned(40), "coupled runs ladder in p")
    assert outcomes.keys() == {"rounds", "limit", "rounds, ends", "limit, ends"}
    assert set(outcomes.values()) == {Verdict.VIOLATED}


def test_on_the_line_the_limit_does_not_depend_on_p():
    problem = SampledRegression(exact([[[1]]]), exact([[1]]))
    setup = StabilityLadder(problem, 0, 0, exact([1]), fmpq(3), (HALF, ONE), 2, HALF, exact([0]), 2)
    assert find(setup).series["dl_lim"].tolist() == [2, 2]


def judged(name, setup, algorithm):
    case = Case("a case", algorithm, setup, Method.RATIONAL)
    found = judge((claim(f"submodel/{name}"),), case).judgements
    return {o.part: o.verdict for j in found for o in j.outcomes}


# ---- scripts


# too many outcomes; another feature
UNWRITTEN = {
    ("along aligned features", "rounds"), ("along aligned features", "rounds, ends"),
    ("a feature turned", "limit"), ("a feature turned", "limit, ends"),
}  # fmt: skip


def broken():
    for case in stability_comparisons.cases(Profile.QUICK):
        for j in judge(encoded_claims("submodel"), case).judgements:
            for part, outcome in zip(read(j.claim, j.reading), j.outcomes, strict=True):
                if outcome.verdict is Verdict.VIOLATED:
                    yield case, j, part


def test_scripts_show_every_broken_reading():
    shown = set()
    for case, j, part in broken():
        if (case.name, part.name) in UNWRITTEN:
            continue
        text = script(j, part, numbers_of(case, {}))
        ran = subprocess.run(
            [sys.executable, "-I", "-S", "-c", text + "\nprint(Q(left), Q(right))"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert "broken: True" in ran.stdout
        left, right = map(F, ran.stdout.split()[-2:])
        assert left > right
        shown.add((j.claim.id, j.reading.name))
    assert len(shown) == 4


def test_long_runs_have_no_script():
    case = Case("long", "coupled runs ladder in p", aligned(40), Method.RATIONAL)
    j = judge((claim("submodel/claim-stability"),), case).judgements[0]
    with pytest.raises(FedboundsError, match="would enumerate"):
        script(j, read(j.claim, j.reading)[0], numbers_of(case, {}))


def test_a_step_beyond_1_over_L_is_the_last_that_a_witness_takes():
    """The smallest broken case becomes the witness: the plan puts fair step sizes first."""
    ladders = list(stability_comparisons.cases(Profile.DEFAULT))
    long = {case.name for case in ladders if case.setup.step * find(case.setup).parameters["L"] > 1}
    assert long == {"line, long steps"}
    order = [case.name for case in sorted(ladders, key=lambda case: case.work)]
    assert order[-1] in long
