"""Ladders in p: closed forms by hand, growth, and the trilinear objective."""

import numpy as np
import pytest
from flint import fmpq
from stored_setups import read_again

import fedbounds.verify.submodel.objectives  # noqa: F401  (registers what set-ups show)
from fedbounds.errors import FedboundsError
from fedbounds.problems.cohort import everyone
from fedbounds.problems.domain import Box
from fedbounds.problems.masked_enumeration import enumerated
from fedbounds.problems.masked_laws import Bernoulli
from fedbounds.verify.case import find
from fedbounds.verify.submodel.objective_ladders_exponents import exponent_records
from fedbounds.verify.submodel.objective_ladders_plan import bent, ladders
from fedbounds.verify.submodel.objectives_corners import coupled, exact, quadratic
from fedbounds.verify.submodel.objectives_setups import Rungs, TrilinearRungs
from fedbounds.verify.submodel.objectives_trilinear import trilinear
from fedbounds.vocabulary import Assumption

HALF, ONE = fmpq(1, 2), fmpq(1)
GRID = (fmpq(1, 5), HALF, ONE)


def rungs(samples, each=1, box=None, point=(1, 1), clients=1):
    laws = tuple(Bernoulli((p,) * clients) for p in GRID)
    return Rungs(samples, each, laws, exact(point), box)


def test_one_client_by_hand():
    # A = I + c off it, b = (1, 1): w*(p) = 1/(1 + p c) (1, 1), F = (1 + c) s^2 - 2 s
    c = fmpq(9, 10)
    found = find(rungs(quadratic([coupled(2, c)], [[1, 1]])))
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
    samples = quadratic([coupled(2, 0)] * 2, [[1, 1], [3, 3]])
    found = find(rungs(samples, each=2))
    assert list(found.series["vr_s"]) == [2 * p for p in GRID]
    both = zip(found.series["vr_s"], found.series["vr_m"], strict=True)
    assert list(found.series["vr_all"]) == [a + b for a, b in both]


def test_dissimilarity_and_its_supremum():
    # f_i of slope -+1 in one coordinate: grad F_i deviate by p, wherever
    samples = quadratic([[[1]], [[1]]], [[1], [-1]])
    found = find(rungs(samples, point=(1,), clients=2, box=Box(-1, 2)))
    assert list(found.series["B2_fix"]) == list(found.series["B2_sup"]) == [p * p for p in GRID]
    free = find(rungs(quadratic([[[1]], [[2]]], [[1], [-1]]), point=(1,), clients=2))
    assert "B2_sup" not in free.series


def test_whether_clients_agree_is_asked_of_every_rung():
    samples = quadratic([[[1]], [[2]]], [[1], [-1]])
    mixed = (Bernoulli((HALF, HALF)), Bernoulli((HALF, ONE)))
    known = find(Rungs(samples, 1, mixed, exact([1]))).evidence
    assert not known[Assumption.EQUAL_KEEP].holds
    assert not known[Assumption.UNEQUAL_KEEP].holds
    with pytest.raises(FedboundsError, match="none smaller"):
        Rungs(samples, 1, mixed[::-1], exact([1]))


def test_trilinear_minimisers_are_stationary_for_every_mask_visited():
    setup = bent(((fmpq(1, 4), fmpq(7, 8)), (HALF, fmpq(27, 32)), (ONE, ONE)))
    for law, s in zip(setup.laws, setup.minimisers, strict=True):
        w = np.full(3, s, dtype=object)
        assert not enumerated(setup.problem, law, w).gradients.any()
    # by differences: the gradient is that of the value
    w, step = exact([[fmpq(1, 2), fmpq(3, 4), 1]]), fmpq(1, 1000)
    one = everyone(1, 1)
    for j in range(3):
        move = step * exact(np.eye(3, dtype=int)[j : j + 1])
        rise = setup.problem.value(w + move, one) - setup.problem.value(w - move, one)
        assert rise[0] / (2 * step) == setup.problem.gradient(w, one)[0, j]  # quadratic in each


def test_trilinear_hessian_is_within_its_swing():
    setup = bent(((fmpq(1, 4), fmpq(7, 8)), (HALF, fmpq(27, 32)), (ONE, ONE)))
    f, rng = setup.problem, np.random.default_rng(0)
    for w in rng.uniform(0, float(setup.reach), (50, 3)):
        off = float(f.pairs) - float(f.triple) * w
        hessian = np.array([[0, off[2], off[1]], [off[2], 0, off[0]], [off[1], off[0], 0]])
        assert np.abs(np.linalg.eigvalsh(hessian)).max() <= float(f.swing(setup.reach))


def test_trilinear_refusals():
    f = trilinear(((fmpq(1, 4), fmpq(7, 8)), (HALF, fmpq(27, 32)), (ONE, ONE)))
    with pytest.raises(FedboundsError, match="slope at the minimiser"):
        TrilinearRungs(f, fmpq(9, 8), (HALF, ONE), (ONE, ONE))
    with pytest.raises(FedboundsError, match="curvature"):
        TrilinearRungs(f, fmpq(100), (ONE,), (ONE,))
    with pytest.raises(FedboundsError, match="expected those of some"):
        trilinear(((ONE, ONE), (ONE, HALF), (HALF, ONE)))


def test_ladders_are_stored_exactly():
    for _, setup in list(ladders())[::7]:
        again = find(read_again(setup, "masked objective ladder in p"))
        first = find(setup)
        assert all((again.series[k] == x).all() for k, x in first.series.items())


def test_the_residual_of_quadratics_has_exponent_two():
    records = [r for r in exponent_records() if r["quantity"] == "R_p" and r["fit"]]
    assert records
    assert all(abs(r["fit"]["exponent"] - 2) < 0.1 for r in records)
