"""Numbers of masked objectives against plain fractions: masks one by one, norms by hand."""

import json
from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from kept_words import names
from stored_setups import read_again

from fedbounds.errors import FedboundsError
from fedbounds.facts import Constant, Fact
from fedbounds.theory.language.registry import views
from fedbounds.theory.submodel import assumed
from fedbounds.theory.submodel.point_setups import Law, coupled, quadratics, setup_of
from fedbounds.theory.submodel.setups import PLANNED
from fedbounds.verify.decide.case import find
from fedbounds.verify.measure.spaces import Listed
from fedbounds.verify.setups import found as of_setups
from fedbounds.verify.setups.found import known_of
from fedbounds.verify.setups.stored import stored

STORED = Path(__file__).parents[2] / "data" / "submodel_points_exact.json"


@cache
def values():
    """What another program found of these set-ups, before this one."""
    return json.loads(STORED.read_text())


def test_stored_values_are_found_again():
    planned = {one.name: one.setup for one in PLANNED}
    compared = 0
    for name, wanted in values().items():
        found = find(planned[name])
        numbers = {**found.parameters, **{c.value: x.value for c, x in found.constants.items()}}
        for constant, value in wanted["constants"].items():
            assert str(numbers[constant]) == value, (name, constant)
            compared += 1
        for quantity, row in wanted["series"].items():
            assert [str(x) for x in found.series[quantity]] == row, (name, quantity)
            compared += len(row)
        holding = names(x for x, proof in found.evidence.items() if proof.holds)
        assert set(wanted["holds"]) <= holding, name
        assert not holding & set(wanted["fails"]), name
    assert compared > 7000


# ---- by fractions


def rows_of(setup):
    """Hessians, slopes, points and parameters in fractions."""
    data, own = dict(setup.run.problem.data), dict(setup.run.parameters)
    exact = np.vectorize(F, otypes=[object])
    return (
        exact(np.array(data["hessians"], dtype=object)),
        exact(np.array(data["slopes"], dtype=object)),
        exact(np.array(own["points"], dtype=object)),
        own,
    )


def masks_of(own, law, d):
    """(probability, mask) of every client."""
    if f"sub_models{law}" in own:
        return [[(F(1, len(one)), m) for m in one] for one in own[f"sub_models{law}"]]
    every = list(product((0, 1), repeat=d))
    return [
        [(p ** sum(m) * (1 - p) ** (d - sum(m)), m) for m in every]
        for p in map(F, own[f"keep{law}"])
    ]


def masked(hessians, slopes, masks, w):
    n = len(slopes)
    total = [F(0)] * len(w)
    for i, law in enumerate(masks):
        for chance, m in law:
            g = hessians[i] @ (np.array(m) * w) + slopes[i]
            total = [t + chance * a * x / n for t, a, x in zip(total, m, g, strict=True)]
    return np.array(total, dtype=object)


def square(vector):
    return sum((x * x for x in vector), F(0))


def random_setup(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    half = rng.integers(-3, 4, (n, d, d))
    problem = quadratics(
        (half + half.transpose(0, 2, 1)).tolist(), rng.integers(-3, 4, (n, d)).tolist()
    )
    shares = ("1/5", "1/2", "2/3", 1)
    kept = [Law("keep", tuple(shares[k] for k in rng.integers(0, 4, n))) for _ in range(2)]
    rolled = [Law("sub_models", rng.integers(0, 2, (n, S, d)).tolist()) for S in (2, 3)]
    pairs = [(kept[0], kept[1]), (rolled[0], rolled[1]), (rolled[0], kept[0])]
    law, other = pairs[int(rng.integers(0, 3))]
    return setup_of(problem, law, rng.integers(-3, 4, (3, d)).tolist(), None, other)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_points_show_what_fractions_say(seed):
    setup = random_setup(seed)
    hessians, slopes, points, own = rows_of(setup)
    n, d = slopes.shape
    first, second = (masks_of(own, law, d) for law in ("", "_2"))
    whole = [[(F(1), (1,) * d)]] * n
    series = find(setup).series
    for t, w in enumerate(points):
        y = points[(t + 1) % len(points)]
        g, k = (masked(hessians, slopes, first, x) for x in (w, y))
        full = masked(hessians, slopes, whole, w)
        expected = {
            "I_xy": sum((g - k) * (w - y)),
            "D_xy": square(w - y),
            "G_xy": square(g - k),
            "Dl_w": square(g - full),
            "Dl_pp": square(g - masked(hessians, slopes, second, w)),
            "w_2": square(w),
            "w_1": sum(map(abs, w)),
            "g_F": square(full),
            "g_Fp": square(g),
            "G_w2": max(
                square(hessians[i] @ (np.array(m) * w) + slopes[i])
                for i in range(n)
                for m in product((0, 1), repeat=d)
            ),
        }
        assert {name: F(str(series[name][t])) for name in expected} == expected


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6))
def test_missed_gradients_are_norms_not_squares(seed):
    setup = random_setup(seed)
    hessians, slopes, points, own = rows_of(setup)
    if "keep" not in own:
        return
    missed = find(setup).series["G_miss"]
    for t, w in enumerate(points):
        norms = [float(square(A @ w + h)) ** 0.5 for A, h in zip(hessians, slopes, strict=True)]
        by_hand = np.mean([(1 - float(F(p))) * x for p, x in zip(own["keep"], norms, strict=True)])
        assert float(missed[t]) == pytest.approx(by_hand, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_listing_every_draw_gives_the_same(monkeypatch, seed):
    setup = random_setup(seed)
    integrated = find(setup)
    listed = {name: replace(view, integrated=False) for name, view in views("submodel").items()}
    monkeypatch.setattr(of_setups, "views", lambda theory: listed)
    assert isinstance(known_of(setup, of_setups.view_of(setup)).trace.spaces[0], Listed)
    again = find(setup)
    assert again.parameters == integrated.parameters
    assert {x: list(y) for x, y in again.series.items()} == {
        x: list(y) for x, y in integrated.series.items()
    }


# ---- by hand


def one(p="1/2", other=1, points=((0,), (1,)), box=None):
    problem = quadratics((((2,),),), ((6,),))
    return setup_of(problem, Law("keep", (p,)), points, box, Law("keep", (other,)))


def test_one_coordinate_by_hand():
    # f(w) = w^2 - 6 w, p = 1/2: grad F_p = w - 3, L = 2, and a step from 0 ends at 3/2
    found = find(one())
    assert [str(x) for x in found.series["L_hat"]] == ["9/4", "1"]
    assert [str(x) for x in found.series["D_opt"]] == ["9", "4"]
    assert [str(x) for x in found.series["Dl_w"]] == ["9", "4"]
    assert found.constants[Constant.SMOOTHNESS].value == 2
    assert found.parameters["grad_0_F"] == 36
    assert found.parameters["grad_0_Fp"] == 9
    assert found.parameters["opt_dist"] == found.parameters["residual"] == 0
    boxed = find(one(points=((0,),), box=((-1,), (1,))))
    assert boxed.series["L_hat"][0] == 0
    assert (boxed.parameters["G"], boxed.parameters["W_sup"]) == (8, 1)
    assert boxed.parameters["gap_full_at_p"] == 4


def test_the_sum_over_eigenvalues():
    # C has eigenvalues 1 +- 3/5, v = D^{-1/2} b = (3, 1) is (4, 2)/sqrt 2 in their basis
    problem, p = quadratics((((4, "6/5"), ("6/5", 1)),), ((6, 1),)), fmpq(1, 3)
    found = find(setup_of(problem, Law("keep", ("1/3",)), ((0, 0),)))
    by_hand = sum(
        (1 - p) ** 2 * (l - 1) ** 2 * b2 / (l * (1 + p * (l - 1)) ** 2) / 2
        for l, b2 in ((fmpq(8, 5), fmpq(8)), (fmpq(2, 5), fmpq(2)))
    )
    assert found.parameters["spectral"] == by_hand


PLANE = quadratics((((1, 0), (0, 1)), ((1, 0), (0, 1))), ((1, 0), (0, 1)))


def numbers_of(law, other=None):
    return find(setup_of(PLANE, law, ((1, 1),), None, other)).parameters


def test_numbers_of_laws():
    found = numbers_of(Law("keep", ("1/5", 1)), Law("keep", ("1/2", "1/2")))
    expected = {
        "p_mean": fmpq(3, 5),
        "p_spread": fmpq(1, 5),
        "p_mean_2": fmpq(1, 2),
        "p_2": fmpq(1, 2),
        "p_dist": fmpq(2, 5),
        "p_dist_2": fmpq(17, 50),
    }
    assert {name: found[name] for name in expected} == expected
    assert "p" not in found
    split, full = ((1, 0), (0, 1)), ((1, 1), (0, 1))
    rolled = numbers_of(Law("sub_models", (split, split)), Law("sub_models", (full, full)))
    assert (rolled["q"], rolled["q_mean"], rolled["q_spread"]) == (fmpq(1, 2),) * 3
    assert rolled["mask_dist"] == fmpq(1, 2)
    assert "q_mean_2" not in rolled  # uneven
    nested = numbers_of(Law("sub_models", (((1, 0),), ((1, 1),))))
    assert (nested["S_sub"], nested["c_min"], nested["c_max"]) == (1, fmpq(1, 2), 1)
    assert not {"p_mean", "q_mean"} & nested.keys()


def test_roots_that_are_not_rational_are_exact():
    spread = numbers_of(Law("keep", ("1/3", "1/3")))["p_spread"]
    assert spread**2 == fmpq(2, 9)
    assert float(spread) == pytest.approx(2**0.5 / 3, rel=1e-15)


@pytest.mark.parametrize(
    ("hessian", "convex", "strong"),
    [
        (((1, 0), (0, 2)), True, True),
        (((1, 1), (1, 1)), True, False),
        (((1, 2), (2, 1)), False, False),
    ],
)
def test_assumptions_are_decided(hessian, convex, strong):
    law = Law("keep", ("1/2",))
    found = find(setup_of(quadratics((hessian,), ((1, 0),)), law, ((1, 1),)))
    assert found.evidence[Fact.CONVEX].holds is convex
    assert found.evidence[Fact.STRONGLY_CONVEX].holds is strong
    assert found.evidence[assumed.EQUAL_KEEP].holds
    assert found.evidence[assumed.BERNOULLI].holds
    assert assumed.COVERAGE not in found.evidence
    assert assumed.BOUNDED_DOMAIN not in found.evidence


def test_masks_decide_which_claims_they_are_for():
    def known(*masks):
        return find(setup_of(PLANE, Law("sub_models", masks), ((1, 1),))).evidence

    uneven = known(((1, 0), (0, 1)), ((1, 1), (1, 1)))
    for assumption in (assumed.COVERAGE, assumed.KEPT, assumed.UNEQUAL_KEEP):
        assert uneven[assumption].holds, assumption
    assert assumed.BERNOULLI not in uneven
    assert not known(((1, 0),), ((1, 1),))[assumed.KEPT].holds
    # a client that holds nothing has no p_i > 0
    assert not known(((0, 0),), ((1, 1),))[assumed.COVERAGE].holds


def test_bad_setups_are_refused():
    with pytest.raises(FedboundsError, match="set-up is .* fails"):
        find(setup_of(PLANE, Law("keep", (1, 1)), ((1, 2),), ((0, 0), (1, 1))))
    with pytest.raises(
        FedboundsError, match=r"shape of the models is \(1, 1, 2\); expected \(1, 2, 2\)"
    ):
        find(setup_of(PLANE, Law("keep", (1,)), ((1, 2),)))
    with pytest.raises(FedboundsError, match="parameters"):
        find(setup_of(PLANE, Law("keep", (1, 1)), ((1, 2),), view="rolling masks at points"))


def test_setups_are_stored_exactly():
    setup = setup_of(PLANE, Law("keep", ("1/3", 1)), ((1, 2),), ((0, 0), (1, 2)))
    again = read_again(setup, "masked objective")
    assert stored().algorithm_of(again) == "masked objective"
    assert find(again).parameters == find(setup).parameters


def test_minimisers_that_are_not_there_are_told():
    singular = quadratics((((1, 1), (1, 1)),), ((2, 2),))
    found = find(setup_of(singular, Law("sub_models", (((1, 0),),)), ((1, 1),)))
    assert "full_dist" not in found.parameters
    assert "opt" in found.undefined["full_dist"]


def test_coupled_features():
    assert coupled(2, "1/2", 1) == ((2, "1/2"), ("1/2", 2))
