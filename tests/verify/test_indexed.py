"""Quantities per client and local step, exactly: against brute force, by hand, and against sums."""

from fractions import Fraction as F

import bridge
import numpy as np
import oracles
import pytest
import small_quadratics as small

from fedbounds.algorithms.fedavg_p import FedAvgP, with_effective_step
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.problems import (
    SILENT,
    FederatedQuadratic,
    Noise,
    NoiseLaw,
    Start,
    federated_quadratic,
    to_rational,
)
from fedbounds.theory.registry import encoded_claims, glossary
from fedbounds.verify import indexed
from fedbounds.verify.indexed import INDEXED, is_indexable
from fedbounds.verify.moments import exact_moments

NOISE = Noise(NoiseLaw.GAUSSIAN, 0.4, 0.2)
SHARED = oracles.Quadratic(1, [[[F(2)]], [[F(1)]]], [[F(1)], [F(-3)]])

# ---- brute force, FedAvg-P; Scaffold-P is in test_memory

# objective, step sizes, (scale_u, scale_v), T
ENUMERATED = {
    "n=2 m=1 K=1": (small.TWO, small.steps(1, 1, F(1, 5), F(3, 2), F(5, 4)), (F(1), F(1, 2)), 2),
    "n=2 m=1 K=2": (small.TWO, small.steps(1, 2, F(1, 6), F(3), F(1, 2)), (F(1), F(0)), 2),
    "n=2 m=2 K=2": (small.TWO, small.steps(2, 2), (F(0), F(1)), 1),
    "n=3 m=2 K=1": (small.OWN_CURVATURE, small.steps(2, 1, F(1, 4), F(2), F(3)), (F(1), F(0)), 2),
    "n=3 m=3 K=1": (small.OWN_CURVATURE, small.steps(3, 1), (F(1, 2), F(0)), 2),
    "n=3 m=1 K=2": (small.OWN_CURVATURE, small.steps(1, 2), (F(0), F(1)), 0),
    "no noise": (small.OWN_CURVATURE, small.steps(2, 3, F(1, 9), F(2), F(3)), (F(0), F(0)), 3),
    "no personal block": (SHARED, small.steps(1, 2, F(1, 5), F(2)), (F(1, 2), F(0)), 2),
    "no shared block": (small.PERSONAL_ONLY, small.steps(2, 1, F(1, 5), F(1), F(2)), (F(0), F(1)), 1),
    "wide personal block": (small.WIDE, small.steps(1, 1, F(1, 4), F(4, 3), F(2)), (F(1), F(0)), 2),
    "n=1": (
        oracles.Quadratic(1, small.TWO.hessian[:1], small.TWO.linear[:1]),
        small.steps(1, 2, F(1, 3), F(1, 2), F(2)), (F(1), F(1)), 2,
    ),
}  # fmt: skip
NAMES = {
    *("f", "G_u", "G_v", "B", "T_1u", "T_1v", "T_2u", "T_2v", "T_3u", "E"),
    *("Du_2", "Dv_2", "X_u", "X_v", "M_u", "M_v", "P_u", "I_u", "I_v", "J_u", "J_v"),
    *("Y_sum", "Y_2", "g_ui", "g_vi", "M_vi", "Dv_i", "s_vi", "E_ik", "Eu_ik", "Ev_ik", "Y_ik"),
}
OF_A_MEMORY = {"C", "C_i", "A_ik", "Bt_ik", "A_old", "Bt_old", "U_ik", "V_ik"}  # FedAvg-P has none


@pytest.mark.parametrize("case", ENUMERATED)
def test_every_quantity_equals_brute_force_exactly(case):
    objective, steps, scales, rounds = ENUMERATED[case]
    expected = small.history(objective, steps, scales, rounds, corrected=False)
    expected["f"] = {(): [x - oracles.least_value(objective) for x in expected["f"][()]]}
    found = exact_moments(
        bridge.exact_problem(objective, *scales),
        bridge.algorithm(steps),
        bridge.exact_start(*small.start_of(objective)),
        rounds,
    ).series
    assert set(found) == set(expected) - OF_A_MEMORY == NAMES
    for name in NAMES:
        assert small.by_place(name, found[name]) == expected[name], name


def test_every_quantity_of_the_papers_claims_is_measured():
    """By Scaffold-P, which has them all but those of lemma A.2 and of a rung of a ladder."""
    problem = federated_quadratic(clients=2, shared_dimension=1, personal_dimension=1)
    algorithm = ScaffoldP(1, 2, 0.1, 0.1, 1.0, 1.0)
    start = Start(np.ones(1), np.ones((2, 1)))
    lemma_a2 = {"S_2", "X_2", "D_2", "O_2", "N_2"}
    rung = {"P", "P_G_u", "P_sum", "rho"}
    found = set(exact_moments(problem, algorithm, start, 1).series)
    claims = encoded_claims("personalization")
    used = {name for claim in claims for part in claim.parts for name in part.named}
    assert used - lemma_a2 - rung <= found <= glossary("personalization").quantities


# ---- shapes and sums


def instance(rule, steps=2, noise=NOISE):
    d_u = 2 if steps < 3 else 1  # else the state has 62 numbers
    problem = federated_quadratic(
        clients=3, shared_dimension=d_u, personal_dimension=1, coupling=0.3, noise=noise
    )
    rng = np.random.default_rng(0)
    start = Start(rng.standard_normal(d_u), rng.standard_normal((3, 1)))
    return problem, rule(2, steps, 0.1, 0.075, 1.5, 2.0), start


@pytest.mark.parametrize("steps", [1, 2, 3])
@pytest.mark.parametrize("rule", [FedAvgP, ScaffoldP])
def test_indexed_quantities_add_up_to_the_whole(rule, steps):
    moments = exact_moments(*instance(rule, steps), 4)
    found, errors = moments.series, moments.errors
    assert found["E_ik"].shape == (3, steps + 1, 5)
    assert not found["E_ik"][:, 0].any()
    sums = {
        "E": found["E_ik"][:, :steps].sum(axis=(0, 1)),
        "G_v": found["g_vi"].mean(axis=(0, 1)),
        "B": found["g_ui"].sum(axis=(0, 1)),
        "Dv_2": found["Dv_i"].mean(axis=(0, 1)),
        "M_v": found["M_vi"].mean(axis=(0, 1)),
        "Y_2": found["Y_ik"].sum(axis=(0, 1)),
        "T_2v": 0.15**2 * 2 / 9 * found["s_vi"].sum(axis=(0, 1)),
    }
    if rule is ScaffoldP:
        sums["C"] = found["C_i"].sum(axis=(0, 1))
        for name in ("C_i", "cd_i", "c_i2", "h_i2", "ch_i", "g_ui", "M_vi"):
            assert found[name].shape == (3, 1, 5), name
        for name in ("A_ik", "Bt_ik", "A_old", "Bt_old", "U_ik", "V_ik", "Y_ik"):
            assert found[name].shape == (3, steps, 5), name
    for name, total in sums.items():
        assert (abs(total - found[name]) <= errors[name] + 1e-300).all(), name


def test_the_first_round_is_the_recursion_of_mean_and_variance():
    """u_{k+1} = u_k - g (A_i u_k + a_i + noise): mean and variance by hand, client by client."""
    curvature, slope, inner, scale = [2.0, 0.5], [1.0, -3.0], 0.1, 0.4
    problem = FederatedQuadratic(
        np.array(curvature)[:, None, None], np.array(slope)[:, None], 1,
        Noise(NoiseLaw.GAUSSIAN, scale, 0.0),
    )  # fmt: skip
    algorithm = with_effective_step(1, 4, inner)
    drift = exact_moments(problem, algorithm, Start(np.ones(1), np.zeros((2, 0))), 0).series["E_ik"]
    for i in range(2):
        mean, variance = 1.0, 0.0
        for k in range(5):
            expected = (mean - 1.0) ** 2 + variance
            assert drift[i, k, 0] == pytest.approx(expected, rel=1e-12, abs=1e-15)
            mean -= inner * (curvature[i] * mean + slope[i])
            variance = (1 - inner * curvature[i]) ** 2 * variance + (inner * scale) ** 2


def test_what_looks_back_is_zero_before_there_is_a_past():
    found = exact_moments(*instance(ScaffoldP), 2).series
    for name in ("A_ik", "Bt_ik", "C_i", "A_old", "Bt_old", "U_ik", "V_ik"):
        assert not found[name][..., 0].any(), name
        assert (found[name][..., 1:] >= 0).all(), name
    for name in ("A_ik", "A_old", "U_ik"):
        assert (found[name][..., 1:] > 0).all(), name


# ---- kinds of numbers


@pytest.mark.parametrize("rule", [FedAvgP, ScaffoldP])
@pytest.mark.parametrize("noise", [NOISE, SILENT], ids=["noise", "silent"])
def test_floats_are_off_by_no_more_than_their_stated_errors(rule, noise):
    """The rounding allowance that decisions use bounds the distance from exact rationals."""
    problem = federated_quadratic(
        clients=2, shared_dimension=1, personal_dimension=1, coupling=0.3, noise=noise, seed=3
    )
    start = Start(np.array([1.5]), np.array([[0.75], [-2.0]]))
    algorithm = rule(1, 2, 0.125, 0.0625, 1.5, 3.0)
    floats = exact_moments(problem, algorithm, start, 4)
    exact = exact_moments(to_rational(problem), to_rational(algorithm), to_rational(start), 4)
    assert exact.errors == {}
    assert floats.errors.keys() == floats.series.keys() == exact.series.keys()
    for name, values in floats.series.items():
        off = abs(values - exact.series[name].astype(float))
        assert (off <= floats.errors[name] + 1e-300).all(), name
        # and it is no blank cheque
        assert (floats.errors[name] <= 1e-9 * (1 + abs(values).max())).all(), name


def test_rationals_give_rationals_where_there_is_no_noise():
    problem = to_rational(federated_quadratic(clients=2, shared_dimension=1, personal_dimension=1))
    start = to_rational(Start(np.ones(1), np.ones((2, 1))))
    for rule in (FedAvgP, ScaffoldP):
        algorithm = to_rational(rule(1, 2, 0.125, 0.125, 1.0, 2.0))
        found = exact_moments(problem, algorithm, start, 1).series
        for name, series in found.items():
            assert all(bridge.rational(x) == x for x in series.reshape(-1)), name


def test_a_start_too_far_to_square_diverges_at_once_without_a_warning():
    problem, algorithm, _ = instance(ScaffoldP)
    start = Start(np.full(2, 1e200), np.zeros((3, 1)))
    assert exact_moments(problem, algorithm, start, 3).diverged_at == 0


def test_a_diverging_run_keeps_the_indexed_rounds_before():
    problem, _, start = instance(FedAvgP)
    found = exact_moments(problem, FedAvgP(2, 2, 50.0, 50.0, 1.0, 1.0), start, 200)
    assert 1 < found.diverged_at < 200
    assert found.series["E_ik"].shape == (3, 3, found.diverged_at)
    assert np.isfinite(found.series["E_ik"][:, :2]).all()  # those that add up to E


# ---- which instances


def test_large_instances_are_measured_without_indexed_quantities():
    problem = federated_quadratic(clients=12, shared_dimension=2, personal_dimension=1)
    algorithm = ScaffoldP(5, 3, 0.1, 0.1, 1.0, 1.0)
    start = Start(np.ones(2), np.ones((12, 1)))
    assert not is_indexable(problem, algorithm)
    found = exact_moments(problem, algorithm, start, 1).series
    assert not INDEXED & found.keys()
    assert {"C", "S_3u", "cd_2", "W_own"} <= found.keys()


@pytest.mark.parametrize("rule", [FedAvgP, ScaffoldP])
def test_what_is_asked_for_is_what_would_be_found_anyway(rule):
    """Whatever carry is enough for the wanted names, the numbers are the same."""
    problem, algorithm, start = instance(rule)
    assert is_indexable(problem, algorithm)
    everything = exact_moments(problem, algorithm, start, 3)
    wanted = [{"G_u", "E"}, {"Dv_2", "f"}, {"E_ik"}]
    if rule is ScaffoldP:
        wanted += [{"C"}, {"S_3u", "cd_2"}, {"W_own", "E"}, {"What_2", "C"}, {"C_i", "c_2"}]
    for names in map(frozenset, wanted):
        found = exact_moments(problem, algorithm, start, 3, names=names)
        assert names <= found.series.keys()
        assert names & INDEXED or names == found.series.keys()
        for name in found.series:
            expected, rounding = everything.series[name], everything.errors[name]
            off = abs(found.series[name] - expected)
            assert (off <= 2 * rounding + 1e-13 * abs(expected)).all(), (names, name)


def test_a_planted_error_in_the_sets_would_be_seen(monkeypatch):
    problem, algorithm, start = instance(ScaffoldP)
    right = exact_moments(problem, algorithm, start, 2).series
    every = indexed.all_participants
    monkeypatch.setattr(indexed, "all_participants", lambda n, m: every(n, m)[:, 1:])
    wrong = exact_moments(problem, algorithm, start, 2).series
    for name in ("Dv_i", "M_vi", "I_u", "J_v", "A_old", "U_ik", "Y_ik"):
        assert abs(wrong[name] - right[name]).max() > 1e-4, name
