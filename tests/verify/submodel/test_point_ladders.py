"""Ladders in p: closed forms by hand, masks one by one in fractions, and the trilinear objective."""

import json
from fractions import Fraction as F
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from kept_words import names
from stored_setups import read_again

from fedbounds.algorithms import points_over
from fedbounds.errors import FedboundsError
from fedbounds.problems.cohort import everyone
from fedbounds.problems.trilinear import Trilinear
from fedbounds.theory.language.registry import claim as claim_of
from fedbounds.theory.submodel import assumed
from fedbounds.theory.submodel.names import OBJECTIVE_LADDER
from fedbounds.theory.submodel.point_ladders import Samples, bent, named, over_p, planned
from fedbounds.theory.submodel.point_setups import coupled, quadratics
from fedbounds.verify.decide.case import find
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.measure.objectives import objective
from fedbounds.verify.setups import found as of_setups
from fedbounds.verify.setups.plan import case_of
from fedbounds.vocabulary import Verdict

STORED = Path(__file__).parents[2] / "data" / "submodel_ladders_exact.json"
HALF, ONE = fmpq(1, 2), fmpq(1)
GRID = (fmpq(1, 5), HALF, ONE)


def rungs(samples, each=1, box=None, point=(1, 1), clients=1):
    return over_p(Samples(samples, each), tuple((p,) * clients for p in GRID), point, box)


def test_stored_values_are_found_again():
    """What another program found of these set-ups, before this one."""
    setups = {one.name: one.setup for one in planned()}
    compared = 0
    for label, wanted in json.loads(STORED.read_text()).items():
        (name,) = (x for x in setups if x.startswith(f"ladder in p, {label}, d="))
        found = find(setups[name])
        numbers = {**found.parameters, **{c.value: x.value for c, x in found.constants.items()}}
        for constant, value in wanted["constants"].items():
            assert str(numbers[constant]) == value, (label, constant)
        for quantity, row in wanted["series"].items():
            assert [str(x) for x in found.series[quantity]] == row, (label, quantity)
            compared += len(row)
        holding = names(x for x, proof in found.evidence.items() if proof.holds)
        assert set(wanted["holds"]) == holding, label
    assert compared > 700


# ---- by fractions


def masks_of(p, d):
    return [(p ** sum(m) * (1 - p) ** (d - sum(m)), np.array(m)) for m in product((0, 1), repeat=d)]


def square(vector):
    return sum((x * x for x in vector), F(0))


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6))
def test_rungs_show_what_fractions_say(seed):
    rng = np.random.default_rng(seed)
    n, d, each = int(rng.integers(1, 3)), int(rng.integers(1, 4)), int(rng.integers(1, 4))
    half = rng.integers(-3, 4, (n * each, d, d))
    matrices, slopes = half + half.transpose(0, 2, 1), rng.integers(-3, 4, (n * each, d))
    w = rng.integers(-3, 4, d)
    laws = tuple(sorted(tuple(F(int(k), 4) for k in rng.integers(1, 5, n)) for _ in range(2)))
    if any(a > b for a, b in zip(*laws, strict=True)):
        return
    samples = Samples(quadratics(matrices.tolist(), (-slopes).tolist()), each)
    series = find(over_p(samples, laws, tuple(w.tolist()))).series
    for t, keep in enumerate(laws):
        means, spread, of_samples = [], F(0), F(0)
        for i, p in enumerate(keep):
            own = range(i * each, (i + 1) * each)
            seen = []  # chance, sample, masked gradient
            for chance, m in masks_of(p, d):
                seen += [
                    (chance / each, m * (matrices[j] @ (m * w) + slopes[j]), m, j) for j in own
                ]
            mean = sum(chance * g for chance, g, _, _ in seen)
            means.append(mean)
            spread += sum(chance * square(g - mean) for chance, g, _, _ in seen) / n
            for chance, m in masks_of(p, d):
                every = [m * (matrices[j] @ (m * w) + slopes[j]) for j in own]
                middle = sum(every) / F(each)
                of_samples += sum(chance * square(g - middle) for g in every) / each / n
        middle = sum(means) / F(n)
        expected = {
            "B2_fix": sum(square(g - middle) for g in means) / n,
            "vr_all": spread,
            "vr_s": of_samples,
            "vr_m": spread - of_samples,
        }
        assert {name: F(str(series[name][t])) for name in expected} == expected


# ---- by hand


def test_one_client_by_hand():
    # A = I + c off it, b = (1, 1): w*(p) = 1/(1 + p c) (1, 1), F = (1 + c) s^2 - 2 s
    c = fmpq(9, 10)
    found = find(rungs(quadratics((coupled(2, "9/10"),), ((1, 1),))))
    least = [1 / (1 + p * c) for p in GRID]
    values = [(1 + c) * s * s - 2 * s for s in least]
    assert list(found.series["R_p"]) == [x - values[-1] for x in values]
    # m_1 (w_1 + c m_2 w_2 - 1) at w = 1 is m_1 m_2 c
    assert list(found.series["vr_m"]) == [2 * (p**2 - p**4) * c * c for p in GRID]
    assert list(found.series["B2_fix"]) == [0, 0, 0]
    assert list(found.series["vr_s"]) == [0, 0, 0]
    assert list(found.series["q_miss"]) == [1 - p for p in GRID]
    assert found.parameters["coupling2"] == 2 * (c / (1 + c)) ** 2


def test_sampling_variance_by_hand():
    # slopes -1 and -3 in every coordinate: variance 1 each, where the mask keeps it
    found = find(rungs(quadratics((coupled(2, 0),) * 2, ((1, 1), (3, 3))), each=2))
    assert list(found.series["vr_s"]) == [2 * p for p in GRID]


def test_dissimilarity_and_its_supremum():
    # f_i of slope -+1 in one coordinate: grad F_i deviate by p, wherever
    alike = quadratics((((1,),),) * 2, ((1,), (-1,)))
    found = find(rungs(alike, point=(1,), clients=2, box=((-1,), (2,))))
    assert list(found.series["B2_fix"]) == list(found.series["B2_sup"]) == [p * p for p in GRID]
    unlike = quadratics((((1,),), ((2,),)), ((1,), (-1,)))
    free = find(rungs(unlike, point=(1,), clients=2))
    assert "B2_sup" not in free.series
    assert "g_top" in free.undefined["B2_sup"]
    # at w = 2 gradients p (2 - 1) and p (4 + 1) deviate by 2 p from their mean
    boxed = find(rungs(unlike, point=(1,), clients=2, box=((-1,), (2,))))
    assert list(boxed.series["B2_sup"]) == [(2 * p) ** 2 for p in GRID]


def test_whether_clients_agree_is_asked_of_every_rung():
    samples = Samples(quadratics((((1,),), ((2,),)), ((1,), (-1,))))
    mixed = ((HALF, HALF), (HALF, ONE))
    known = find(over_p(samples, mixed, (1,))).evidence
    assert not known[assumed.EQUAL_KEEP].holds
    assert not known[assumed.UNEQUAL_KEEP].holds
    with pytest.raises(FedboundsError, match="set-up is .* fails"):
        find(over_p(samples, mixed[::-1], (1,)))


# ---- the trilinear objective


def trilinear():
    return objective(bent().run.problem)


def test_trilinear_values_and_gradients_agree():
    f = trilinear()
    w, step = np.array([[fmpq(1, 2), fmpq(3, 4), fmpq(1)]], dtype=object), fmpq(1, 1000)
    one = everyone(1, 1)
    for j in range(3):
        move = step * (np.arange(3) == j)
        rise = f.value(w + move, one) - f.value(w - move, one)
        assert rise[0] / (2 * step) == f.gradient(w, one)[0, j]  # quadratic in each


def test_trilinear_hessian_is_within_its_swing():
    f, rng = trilinear(), np.random.default_rng(0)
    for w in rng.uniform(0, float(f.reach), (50, 3)):
        off = float(f.pairs) - float(f.triple) * w
        hessian = np.array([[0, off[2], off[1]], [off[2], 0, off[0]], [off[1], off[0], 0]])
        assert np.abs(np.linalg.eigvalsh(hessian)).max() <= float(f.swing)


def test_minimisers_that_are_none_are_refused():
    with pytest.raises(FedboundsError, match="set-up is .* fails"):
        find(bent((("1/4", "7/8"), ("1/2", "7/8"), (1, 1))))
    with pytest.raises(FedboundsError, match="set-up is .* fails"):  # another at p = 1
        find(bent((("1/4", "7/8"), ("1/2", "27/32"))))
    f = trilinear()
    with pytest.raises(FedboundsError, match="curvature"):
        Trilinear(f.curvature, f.centre, f.pairs, f.triple, fmpq(100))


# ---- what is stored, shown and caught


def test_ladders_are_stored_exactly():
    for one in [*list(planned())[::7], named("trilinear", bent())]:
        again = find(read_again(one.setup, OBJECTIVE_LADDER[0]))
        first = find(one.setup)
        assert all((again.series[k] == x).all() for k, x in first.series.items())
        assert again.parameters == first.parameters


def test_the_residual_of_quadratics_has_exponent_two(quick_displays):
    shown = quick_displays("submodel")["submodel/claim-residual"]
    fits = [record["ladder"]["fit"] for record in shown if record["ladder"]["fit"]]
    assert len(fits) >= 4
    assert all(abs(fit["exponent"] - 2) < 0.1 for fit in fits)


def test_a_ladder_whose_minimisers_move_away(monkeypatch):
    order = claim_of("submodel/claim-residual")
    one = next(x for x in planned() if "one sample, aligned" in x.name)

    def verdicts():
        of_setups.analysed.cache_clear()
        return [o.verdict for j in judge([order], case_of(one, "")).judgements for o in j.outcomes]

    assert Verdict.VIOLATED not in verdicts()
    right, made = points_over.minimum_of, []

    def farther(F, p):  # with every rung
        made.append(right(F, p))
        return made[-1] * len(made)

    monkeypatch.setattr(points_over, "minimum_of", farther)
    assert Verdict.VIOLATED in verdicts()
    of_setups.analysed.cache_clear()
