"""Random masks in full: quantities against plain loops, planned runs, and planted errors."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from itertools import product

import numpy as np
import pytest
from flint import arb, fmpq
from submodel_mutations import (
    mask_on_the_gradient_only,
    old_coordinates_as_zeros,
    projection_skipped,
)

from fedbounds.algorithms import random_masks
from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start, to_rational
from fedbounds.problems.domain import Box
from fedbounds.theory.registry import claim, encoded_claims
from fedbounds.verify.case import Case, find, in_rationals
from fedbounds.verify.judge import judge
from fedbounds.verify.profile import Profile
from fedbounds.verify.submodel import random_long, random_plan
from fedbounds.verify.submodel.random_runs import RandomRun, log_above
from fedbounds.vocabulary import Method, Verdict

HESSIAN = [[[2, 1], [1, 2]], [[2, -1], [-1, 3]]]
SLOPE = [[1, -1], [2, F(1, 2)]]
KEEP = (F(1, 2), F(4, 5))
ETA, START = F(1, 20), (F(1), F(-1))


def setup(keep=KEEP, rounds=1, domain=None, scale=0.0):
    problem = to_rational(
        FederatedQuadratic(
            np.array(HESSIAN, dtype=float), np.array(SLOPE, dtype=float), 2,
            Noise(NoiseLaw.RADEMACHER, scale, 0.0),
        )
    )  # fmt: skip
    algorithm = RandomMasks(
        tuple(fmpq(p.numerator, p.denominator) for p in keep), 2, fmpq(1, 20), domain
    )
    start = to_rational(Start(np.array([1.0, -1.0]), np.zeros((2, 0))))
    return RandomRun(problem, algorithm, start, rounds)


# ---- a slow oracle: one client, one step, one coordinate at a time


def masked(mask, w):
    return [x * kept for x, kept in zip(w, mask, strict=True)]


def slope(i, mask, w):
    """m o grad f_i(m o w)."""
    own = masked(mask, w)
    full = [sum(F(a) * x for a, x in zip(row, own, strict=True)) + F(b)
            for row, b in zip(HESSIAN[i], SLOPE[i], strict=True)]  # fmt: skip
    return masked(mask, full)


def laws():
    """Every pair of masks with its probability."""
    for both in product(product((0, 1), repeat=2), repeat=2):
        chance = F(1)
        for p, mask in zip(KEEP, both, strict=True):
            for kept in mask:
                chance *= p if kept else 1 - p
        yield both, chance


def expected(value):
    return sum(chance * value(both) for both, chance in laws())


def square(x):
    return sum(a * a for a in x)


def mean_slope(w):
    return [
        expected(lambda both, j=j: sum(slope(i, both[i], w)[j] for i in range(2))) / 2
        for j in range(2)
    ]


@cache
def oracle():
    """H, V_bar and E w^1 after one round of K = 2 steps without noise."""

    def drift(both):
        found = F(0)
        for i, mask in enumerate(both):
            moved = [-ETA * g for g in slope(i, mask, START)]
            found += square(moved)
        return found / 2

    def squares_of(both):
        return sum(square(slope(i, mask, START)) for i, mask in enumerate(both)) / F(2)

    def after(both):
        total = [F(0), F(0)]
        for i, mask in enumerate(both):
            y = list(START)
            for _ in range(2):
                y = [a - ETA * g for a, g in zip(y, slope(i, mask, y), strict=True)]
            total = [a + b / 2 for a, b in zip(total, y, strict=True)]
        return total

    return expected(drift), expected(squares_of), after


def fraction(x):
    return F(int(x.p), int(x.q))


def test_quantities_of_a_round_are_those_of_plain_loops():
    drift, squares_of, after = oracle()
    found = find(setup())
    assert fraction(found.series["V_bar"][0]) == drift
    assert fraction(found.series["H_x"][0]) == squares_of
    assert fraction(found.series["g_Fp"][0]) == square(mean_slope(START))
    best = [F(0), F(0)]
    # the minimiser, from the closed form's stationarity: grad F_p(w*) = 0 in plain arithmetic
    best = solve([mean_slope([F(0), F(0)]), mean_slope([F(1), F(0)]), mean_slope([F(0), F(1)])])
    assert fraction(found.series["D_opt"][1]) == expected(
        lambda both: square([a - b for a, b in zip(after(both), best, strict=True)])
    )


def solve(values):
    """The root of an affine map of the plane, from its values at 0, e_1 and e_2."""
    b, first, second = values
    a, c = first[0] - b[0], second[0] - b[0]
    e, d = first[1] - b[1], second[1] - b[1]
    det = a * d - c * e
    return [(-b[0] * d + c * b[1]) / det, (e * b[0] - a * b[1]) / det]


def test_the_series_of_a_long_run_are_those_of_the_enumerated_one():
    short = setup(rounds=2)
    exact = random_long.LongRandomRun(short.problem, short.algorithm, short.start, 2, exact=True)
    every, long = find(short), find(exact)
    for name, values in long.series.items():
        assert (values == every.series[name]).all(), name
    floats = find(replace(exact, exact=False))
    for name, values in floats.series.items():
        assert all(abs(float(a) - b) <= e + 1e-15 for a, b, e in zip(
            long.series[name], values, floats.errors[name], strict=True)), name  # fmt: skip
    assert in_rationals(replace(exact, exact=False)).exact


# ---- what the plan decides


@cache
def judged(profile=Profile.QUICK):
    claims = encoded_claims("submodel")
    every = [*random_plan.cases(profile, 0), *random_long.cases(profile, 0)]
    return [judge(claims, case) for case in every]


def verdicts():
    found = {}
    for each in judged():
        for judgement in each.judgements:
            for outcome in judgement.outcomes:
                if judgement.claim.part(outcome.part).algorithm not in ("", "random masks"):
                    continue  # about ladders
                key = (judgement.claim.id, judgement.reading.name, outcome.part)
                found.setdefault(key, Counter())[outcome.verdict] += 1
    return found


def test_the_quick_plan_decides_every_part():
    firm = {Verdict.NOT_VIOLATED, Verdict.VIOLATED}
    assert [key for key, seen in verdicts().items() if not firm & seen.keys()] == []


def test_log_above_is_above():
    for rounds in (2, 3, 100, 999):
        assert arb(log_above(rounds)) > arb(rounds).log()
        assert float(log_above(rounds)) - float(arb(rounds).log()) < 1e-4


def test_a_start_outside_the_domain_is_an_error():
    with pytest.raises(FedboundsError, match=r"start is .*expected a point of the domain"):
        find(setup(domain=Box(fmpq(-1, 4), fmpq(1, 4))))


# ---- planted errors: each breaks an identity or a proved bound


def broken(case_setup, claim_id):
    found = judge((claim(claim_id),), Case("planted", "random masks", case_setup, Method.RATIONAL))
    return {
        outcome.part
        for judgement in found.judgements
        for outcome in judgement.outcomes
        if outcome.verdict is Verdict.VIOLATED
    }


def test_nothing_is_broken_without_an_error():
    for name in ("claim-virtual", "claim-recover", "lem-6", "lem-4", "thm-1"):
        assert broken(setup(rounds=2), f"submodel/{name}") == set()
        assert broken(setup((F(1), F(1)), 2), f"submodel/{name}") == set()


def test_a_mask_on_the_gradient_only_is_caught(monkeypatch):
    mask_on_the_gradient_only(monkeypatch)
    assert broken(setup(), "submodel/claim-virtual") == {"local iterates"}
    assert broken(setup(), "submodel/lem-6") == {"identity"}


def test_a_projection_that_is_skipped_is_caught(monkeypatch):
    box = Box(fmpq(-1), fmpq(1))
    one = replace(setup(rounds=1, domain=box))
    far = replace(one, algorithm=replace(one.algorithm, inner_step_u=fmpq(1)))
    assert broken(far, "submodel/claim-virtual") == set()
    projection_skipped(monkeypatch)
    assert broken(far, "submodel/claim-virtual") == {"average"}


def test_old_coordinates_averaged_in_as_zeros_are_caught(monkeypatch):
    old_coordinates_as_zeros(monkeypatch)
    assert "average" in broken(setup(), "submodel/claim-virtual")


def test_a_step_that_is_too_short_is_caught_at_full_masks(monkeypatch):
    original = random_masks.local

    def local(problem, algorithm, *rest):
        return original(problem, replace(algorithm, inner_step_u=fmpq(1, 21)), *rest)

    monkeypatch.setattr(random_masks, "local", local)
    assert broken(setup((F(1), F(1))), "submodel/claim-recover") == {"algorithm"}
