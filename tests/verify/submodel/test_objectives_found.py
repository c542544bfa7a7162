"""Numbers of masked objectives against plain fractions: masks one by one, norms by hand."""

from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest
from flint import arb, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from stored_setups import read_again

import fedbounds.verify.submodel.objectives  # noqa: F401  (registers what set-ups show)
from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.domain import Ball, Box
from fedbounds.problems.masked_laws import Bernoulli, Rolling, static
from fedbounds.verify.case import find
from fedbounds.verify.submodel.objectives_corners import exact, quadratic
from fedbounds.verify.submodel.objectives_masks import law_numbers
from fedbounds.verify.submodel.objectives_optima import spectral
from fedbounds.verify.submodel.objectives_setups import Objective
from fedbounds.vocabulary import Assumption, Constant


def fractions(array):
    return np.frompyfunc(lambda x: F(int(x.p), int(x.q)), 1, 1)(array)


def masks_of(law, d):
    """(probability, mask) of every client."""
    if isinstance(law, Rolling):
        return [[(F(1, len(own)), m) for m in own] for own in law.masks]
    found = []
    for keep in law.keep:
        p = F(int(keep.p), int(keep.q))
        every = product((0, 1), repeat=d)
        found.append([(p ** sum(m) * (1 - p) ** (d - sum(m)), m) for m in every])
    return found


def slope(problem, i, w):
    H, h = fractions(problem.hessian[i]), fractions(problem.linear[i])
    return [
        sum(a * x for a, x in zip(row, w, strict=True)) + b for row, b in zip(H, h, strict=True)
    ]


def masked(problem, law, w):
    n, d = problem.linear.shape
    total = [F(0)] * d
    for i, own in enumerate(masks_of(law, d)):
        for chance, m in own:
            g = slope(problem, i, [a * x for a, x in zip(m, w, strict=True)])
            total = [t + chance * a * x / n for t, a, x in zip(total, m, g, strict=True)]
    return total


def away(a, b):
    return sum((x - y) ** 2 for x, y in zip(a, b, strict=True))


def full(problem, w):
    return masked(problem, Bernoulli((fmpq(1),) * problem.clients), w)


def random_setup(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    half = rng.integers(-3, 4, (n, d, d))
    problem = quadratic(list(half + half.transpose(0, 2, 1)), list(rng.integers(-3, 4, (n, d))))
    shares = [fmpq(1, 5), fmpq(1, 2), fmpq(2, 3), fmpq(1)]
    laws = [
        Bernoulli(tuple(shares[k] for k in rng.integers(0, 4, n))),
        Bernoulli(tuple(shares[k] for k in rng.integers(0, 4, n))),
        Rolling(rng.integers(0, 2, (n, 2, d))),
    ]
    law, other = (laws[k] for k in rng.permutation(3)[:2])
    points = exact(rng.integers(-3, 4, (3, d)))
    return Objective(problem, law, points, None, other)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_points_show_what_fractions_say(seed):
    setup = random_setup(seed)
    problem, law, other = setup.problem, setup.law, setup.other
    series = find(setup).series
    points = [list(w) for w in fractions(setup.points)]
    for t, w in enumerate(points):
        y = points[(t + 1) % len(points)]
        g, k = masked(problem, law, w), masked(problem, law, y)
        turn = [a - b for a, b in zip(g, k, strict=True)]
        move = [a - b for a, b in zip(w, y, strict=True)]
        zero = [F(0)] * len(w)
        expected = {
            "I_xy": sum(a * b for a, b in zip(turn, move, strict=True)),
            "D_xy": away(w, y),
            "G_xy": away(g, k),
            "Dl_w": away(g, full(problem, w)),
            "Dl_pp": away(g, masked(problem, other, w)),
            "w_2": away(w, zero),
            "w_1": sum(map(abs, w)),
            "g_F": away(full(problem, w), zero),
            "g_Fp": away(g, zero),
            "G_w2": max(
                away(slope(problem, i, [a * x for a, x in zip(m, w, strict=True)]), zero)
                for i in range(problem.clients)
                for m in product((0, 1), repeat=len(w))
            ),
        }
        assert {name: F(str(series[name][t])) for name in expected} == expected


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_missed_gradients_are_norms_not_squares(seed):
    setup = random_setup(seed)
    if isinstance(setup.law, Rolling):
        return
    missed = find(setup).series["G_miss"]
    for t, w in enumerate(fractions(setup.points)):
        rows = [slope(setup.problem, i, list(w)) for i in range(setup.problem.clients)]
        norms = [sum(float(x) ** 2 for x in row) ** 0.5 for row in rows]
        keep = [float(p) for p in setup.law.keep]
        by_hand = np.mean([(1 - p) * x for p, x in zip(keep, norms, strict=True)])
        shown = missed[t]
        number = float(shown.mid()) if isinstance(shown, arb) else float(shown)
        assert number == pytest.approx(by_hand, rel=1e-12, abs=1e-12)


def test_one_coordinate_by_hand():
    # f(w) = w^2 - 6 w, p = 1/2: grad F_p = w - 3, L = 2, and a step from 0 ends at 3/2
    problem = quadratic([[[2]]], [[6]])
    law = Bernoulli((fmpq(1, 2),))
    found = find(Objective(problem, law, exact([[0], [1]]), None, Bernoulli((fmpq(1),))))
    assert [str(x) for x in found.series["L_hat"]] == ["9/4", "1"]
    assert [str(x) for x in found.series["D_opt"]] == ["9", "4"]
    assert [str(x) for x in found.series["Dl_w"]] == ["9", "4"]
    assert found.constants[Constant.SMOOTHNESS].value == 2
    assert found.parameters["grad_0_F"] == 36
    assert found.parameters["grad_0_Fp"] == 9
    assert found.parameters["opt_dist"] == found.parameters["residual"] == 0
    boxed = find(Objective(problem, law, exact([[0]]), Box(-1, 1)))
    assert boxed.series["L_hat"][0] == 0
    assert (boxed.parameters["G"], boxed.parameters["W_sup"]) == (8, 1)
    assert boxed.parameters["gap_full_at_p"] == 4


def test_the_sum_over_eigenvalues():
    # C has eigenvalues 1 +- 3/5, v = D^{-1/2} b = (3, 1) is (4, 2)/sqrt 2 in their basis
    matrix, p = exact([[4, fmpq(6, 5)], [fmpq(6, 5), 1]]), fmpq(1, 3)
    found = spectral(matrix, p, exact([6, 1]))
    by_hand = sum(
        (1 - p) ** 2 * (l - 1) ** 2 * b2 / (l * (1 + p * (l - 1)) ** 2) / 2
        for l, b2 in ((fmpq(8, 5), fmpq(8)), (fmpq(2, 5), fmpq(2)))
    )
    assert found == by_hand


def test_numbers_of_laws():
    numbers = law_numbers(Bernoulli((fmpq(1, 5), fmpq(1))), Bernoulli((fmpq(1, 2), fmpq(1, 2))))
    assert numbers == {
        "p_mean": fmpq(3, 5),
        "p_spread": fmpq(1, 5),
        "p_mean_2": fmpq(1, 2),
        "p_2": fmpq(1, 2),
        "p_dist": fmpq(2, 5),
        "p_dist_2": fmpq(17, 50),
    }
    halves = Rolling([[[1, 0], [0, 1]]])
    rolled = law_numbers(halves, Rolling([[[1, 1], [0, 1]]]))
    assert (rolled["q"], rolled["q_mean"], rolled["q_spread"]) == (fmpq(1, 2),) * 3
    assert rolled["mask_dist"] == fmpq(1, 2)
    assert "q_mean_2" not in rolled  # uneven
    nested = law_numbers(static([[1, 0], [1, 1]]), None)
    assert nested == {"S_sub": 1, "c_min": fmpq(1, 2), "c_max": 1}
    assert isinstance(law_numbers(Bernoulli((fmpq(1, 3),)), None)["p_spread"], arb)


def test_irrational_numbers_are_left_out_or_rounded():
    law, points = Bernoulli((fmpq(1, 3),)), np.array([[1.0, 2.0]])
    problem = FederatedQuadratic(np.eye(2)[None], np.array([[1.0, 1.0]]), 2)
    floats = find(Objective(problem, law, points))
    assert floats.parameters["p_spread"] == pytest.approx(2**0.5 / 3, rel=1e-15)
    assert floats.series["G_miss"][0] == pytest.approx(2 / 3 * 13**0.5, rel=1e-15)
    rational = quadratic([np.eye(2, dtype=int)], [[-1, -1]])
    assert "p_spread" not in find(Objective(rational, law, exact([[1, 2]]))).parameters


@pytest.mark.parametrize(
    ("hessian", "convex", "strong"),
    [
        ([[1, 0], [0, 2]], True, True),
        ([[1, 1], [1, 1]], True, False),
        ([[1, 2], [2, 1]], False, False),
    ],
)
def test_assumptions_are_decided(hessian, convex, strong):
    law = Bernoulli((fmpq(1, 2),))
    found = find(Objective(quadratic([hessian], [[1, 0]]), law, exact([[1, 1]])))
    assert found.evidence[Assumption.CONVEX].holds is convex
    assert found.evidence[Assumption.STRONGLY_CONVEX].holds is strong
    assert found.evidence[Assumption.EQUAL_KEEP].holds
    assert found.evidence[Assumption.BERNOULLI].holds
    assert not found.evidence[Assumption.COVERAGE].holds
    assert not found.evidence[Assumption.BOUNDED_DOMAIN].holds


def test_masks_decide_which_claims_they_are_for():
    problem = quadratic([np.eye(2, dtype=int)] * 2, [[1, 0], [0, 1]])
    rolling = Rolling([[[1, 0], [0, 1]], [[1, 1], [1, 1]]])
    known = find(Objective(problem, rolling, exact([[1, 1]]))).evidence
    assert known[Assumption.COVERAGE].holds
    assert known[Assumption.KEPT].holds
    assert known[Assumption.UNEQUAL_KEEP].holds
    assert not known[Assumption.BERNOULLI].holds
    nested = find(Objective(problem, static([[1, 0], [1, 1]]), exact([[1, 1]]))).evidence
    assert not nested[Assumption.KEPT].holds
    # a client that holds nothing has no p_i > 0
    empty = find(Objective(problem, static([[0, 0], [1, 1]]), exact([[1, 1]]))).evidence
    assert not empty[Assumption.COVERAGE].holds


def test_bad_setups_are_refused():
    problem, law = quadratic([np.eye(2, dtype=int)], [[1, 0]]), Bernoulli((fmpq(1, 2),))
    with pytest.raises(FedboundsError, match="shape of the points"):
        Objective(problem, law, exact([1, 2]))
    with pytest.raises(FedboundsError, match="point of the domain"):
        Objective(problem, law, exact([[1, 2]]), Box(0, 1))
    with pytest.raises(FedboundsError, match="a box or None"):
        Objective(problem, law, exact([[0, 0]]), Ball(1))
    with pytest.raises(FedboundsError, match="clients of the mask law"):
        Objective(problem, Bernoulli((fmpq(1, 2),) * 2), exact([[1, 2]]))


def test_setups_are_stored_exactly():
    setup = random_setup(3)
    again = read_again(setup, "masked objective")
    assert find(again).parameters == find(setup).parameters
