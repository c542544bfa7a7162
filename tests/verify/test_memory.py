"""Scaffold-P's memory of last participations: every quantity against brute force in rationals."""

from dataclasses import fields, replace
from fractions import Fraction as F

import bridge
import numpy as np
import oracles
import pytest
import small_quadratics as small

from fedbounds.algorithms import fedavg_p, scaffold_p
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.errors import FedboundsError
from fedbounds.problems import (
    SILENT,
    Noise,
    NoiseLaw,
    Start,
    coupled_cosine,
    everyone,
    federated_quadratic,
    to_namespace,
    to_rational,
)
from fedbounds.verify.affine import driver_of, read_off
from fedbounds.verify.indexed import INDEXED
from fedbounds.verify.memory import Each, Means, Remembering, rules_with_memory
from fedbounds.verify.moments import advance, exact_moments, initial_moment, quantities
from fedbounds.verify.observe import observe

SHARED = oracles.Quadratic(1, [[[F(2)]], [[F(1)]]], [[F(1)], [F(-3)]])

# objective, step sizes, (scale_u, scale_v), T
ENUMERATED = {
    "n=2 m=1 K=1": (small.TWO, small.steps(1, 1, F(1, 5), F(3, 2), F(5, 4)), (F(1), F(1, 2)), 1),
    "n=2 m=1 K=1 long": (small.TWO, small.steps(1, 1, F(1, 4), F(2), F(1)), (F(1, 2), F(0)), 3),
    "n=2 m=2 K=1": (small.TWO, small.steps(2, 1, F(1, 4), F(2), F(3)), (F(1), F(0)), 2),
    "n=2 m=1 K=2": (small.TWO, small.steps(1, 2, F(1, 6), F(3), F(1, 2)), (F(1), F(0)), 1),
    "n=2 m=1 K=2 noise in v": (small.TWO, small.steps(1, 2), (F(0), F(1)), 1),
    "n=2 m=2 K=2": (small.TWO, small.steps(2, 2), (F(1, 2), F(0)), 1),
    "n=3 m=1 K=1": (small.OWN_CURVATURE, small.steps(1, 1), (F(1), F(0)), 1),
    "n=3 m=2 K=1": (small.OWN_CURVATURE, small.steps(2, 1, F(1, 4), F(3, 2), F(2)), (F(1), F(0)), 1),
    "n=3 m=3 K=1": (small.OWN_CURVATURE, small.steps(3, 1, F(1, 4)), (F(1, 2), F(0)), 1),
    "no noise, K=3": (small.TWO, small.steps(1, 3, F(1, 9), F(2), F(3)), (F(0), F(0)), 4),
    "no noise, n=3 m=2": (small.OWN_CURVATURE, small.steps(2, 1), (F(0), F(0)), 3),
    "no personal block": (SHARED, small.steps(1, 2, F(1, 5), F(2)), (F(1, 2), F(0)), 1),
    "no shared block": (small.PERSONAL_ONLY, small.steps(1, 1, F(1, 5), F(1), F(2)), (F(0), F(1)), 1),
    "wide personal block": (small.WIDE, small.steps(1, 1, F(1, 4), F(4, 3), F(2)), (F(1), F(0)), 2),
    "n=1": (
        oracles.Quadratic(1, small.TWO.hessian[:1], small.TWO.linear[:1]),
        small.steps(1, 2, F(1, 3), F(1, 2), F(2)), (F(1), F(0)), 2,
    ),
}  # fmt: skip
# everything of Scaffold-P's analysis that claims speak of
NAMES = frozenset(
    {
        *("f", "G_u", "G_v", "B", "T_1u", "T_1v", "T_2u", "T_2v", "T_3u", "E", "S_3u"),
        *("C", "cd_2", "W_own", "W_mean", "W_2", "What_2", "What_sum", "c_2", "cbar_2", "ccbar"),
        *("Du_2", "Dv_2", "X_u", "X_v", "M_u", "M_v", "P_u", "I_u", "I_v", "J_u", "J_v"),
        *("Y_sum", "Y_2", "g_ui", "g_vi", "M_vi", "Dv_i", "s_vi", "cd_i", "C_i", "c_i2"),
        *("h_i2", "ch_i", "E_ik", "Eu_ik", "Ev_ik", "Y_ik", "A_ik", "Bt_ik", "A_old", "Bt_old"),
        *("A_new", "Bt_new", "U_ik", "V_ik"),
    }
)


def moments_of(objective, steps, scales, rounds, **options):
    u, v = small.start_of(objective)
    return exact_moments(
        bridge.exact_problem(objective, *scales),
        bridge.algorithm(steps, rule=ScaffoldP),
        bridge.exact_start(u, v),
        rounds,
        **options,
    ).series


@pytest.mark.parametrize("case", ENUMERATED)
def test_every_quantity_equals_brute_force_exactly(case):
    objective, steps, scales, rounds = ENUMERATED[case]
    expected = small.history(objective, steps, scales, rounds, corrected=True)
    expected["f"] = {(): [x - oracles.least_value(objective) for x in expected["f"][()]]}
    found = moments_of(objective, steps, scales, rounds)
    assert set(found) == set(expected) == NAMES
    for name, places in expected.items():
        assert small.by_place(name, found[name]) == places, name


def test_a_wrong_history_would_be_seen():
    """The oracle is not blind: each thing that a memory could get wrong changes some number."""
    objective, steps, scales, _ = ENUMERATED["n=2 m=1 K=1 long"]
    right = small.history(objective, steps, scales, 1, corrected=True)
    louder = small.history(objective, steps, (F(2), F(0)), 1, corrected=True)
    differ = {name for name in right if right[name] != louder[name]}
    assert {"C", "cd_2", "cd_i", "W_own", "W_mean", "W_2", "What_2", "What_sum"} <= differ
    assert {"A_ik", "A_old", "U_ik", "c_i2", "h_i2", "ch_i", "S_3u", "Eu_ik"} <= differ


# ---- both memories


BOTH = {
    "n=3 m=2 K=2": (3, 2, 2, 1, 1, Noise(NoiseLaw.GAUSSIAN, 0.7, 0.4)),
    "n=4 m=1 K=3": (4, 1, 3, 1, 0, Noise(NoiseLaw.GAUSSIAN, 0.7, 0.0)),
    "n=2 m=2 K=4": (2, 2, 4, 2, 1, Noise(NoiseLaw.GAUSSIAN, 0.3, 0.9)),
    "n=3 m=1 K=2, no noise": (3, 1, 2, 1, 1, SILENT),
}


def instance(n, m, K, d_u, d_v, noise):
    problem = federated_quadratic(
        clients=n, shared_dimension=d_u, personal_dimension=d_v, noise=noise, seed=n,
        coupling=0.3 if d_v else 0.0,
    )  # fmt: skip
    rng = np.random.default_rng(n)
    start = Start(rng.standard_normal(d_u), rng.standard_normal((n, d_v)))
    return problem, ScaffoldP(m, K, 0.1, 0.08, 1.2, 1.5), start


@pytest.mark.parametrize("case", BOTH)
def test_each_and_means_give_the_same_expectations(case):
    problem, algorithm, start = instance(*BOTH[case])
    every = exact_moments(problem, algorithm, start, 6).series
    means = exact_moments(problem, algorithm, start, 6, names=NAMES - INDEXED).series
    assert {"C", "S_3u", "cd_2", "W_own", "W_mean", "Du_2", "M_v"} <= set(means) < set(every)
    for name, values in means.items():
        np.testing.assert_allclose(values, every[name], rtol=1e-11, atol=1e-13, err_msg=name)


def test_each_and_means_agree_exactly_in_rationals():
    objective, steps, scales, _ = ENUMERATED["n=2 m=1 K=2"]
    every = moments_of(objective, steps, scales, 3)
    means = moments_of(objective, steps, scales, 3, names=NAMES - INDEXED)
    assert "What_2" in every
    assert "What_2" not in means
    for name, values in means.items():
        assert bridge.fractions(values) == bridge.fractions(every[name]), name


@pytest.mark.parametrize("memory", [Each, Means])
def test_the_tables_read_off_both_drivers_agree_where_both_are_complete(memory):
    """S_3u, cd_2 and W_own need no more than the means: plain forms, round by round."""
    problem, algorithm, start = instance(*BOTH["n=3 m=2 K=2"])
    driver = driver_of(problem, algorithm, memory)
    found = read_off(driver)
    moment = initial_moment(driver, problem, start)
    expected = exact_moments(problem, algorithm, start, 3).series
    for t in range(4):
        seen = dict(zip(found.names, quantities(found, moment), strict=True))
        for name in ("S_3u", "cd_2", "W_own", "E"):
            assert seen[name] == pytest.approx(expected[name][t], rel=1e-11, abs=1e-13)
        moment = advance(found, moment)
    assert (found.spread is None) == (memory is Each)


# ---- the rules with a memory


def runs(problem, algorithm, start, rules, rounds=4, replicas=5):
    """Carries before every round, with the draws that led from one to the next."""
    rng = np.random.default_rng(0)
    initial = rules.init_draw(problem, algorithm, rng, replicas)
    carries, draws = [rules.init(problem, algorithm, start, replicas, initial)], []
    for _ in range(rounds):
        draws.append(rules.draw(problem, algorithm, rng, replicas, True))
        carries.append(rules.step(problem, algorithm, carries[-1], draws[-1]))
    return carries, draws


PROBLEMS = {
    "quadratic": instance(3, 2, 2, 2, 1, Noise(NoiseLaw.GAUSSIAN, 0.5, 0.5))[0],
    "cosine": coupled_cosine(
        clients=3, shared_dimension=2, personal_dimension=1, seed=4,
        noise=Noise(NoiseLaw.GAUSSIAN, 0.5, 0.4),
    ),
}  # fmt: skip
START = Start(np.array([1.0, -0.5]), np.array([[0.5], [1.0], [-2.0]]))
ALGORITHM = ScaffoldP(2, 2, 0.1, 0.08, 1.2, 1.5)


@pytest.mark.parametrize("memory", [Each, Means])
@pytest.mark.parametrize("name", PROBLEMS)
def test_a_memory_changes_no_step(name, memory):
    plain, _ = runs(PROBLEMS[name], ALGORITHM, START, scaffold_p)
    with_memory, _ = runs(PROBLEMS[name], ALGORITHM, START, Remembering(memory))
    for ours, reference in zip(with_memory, plain, strict=True):
        for field in fields(reference):
            np.testing.assert_array_equal(getattr(ours, field.name), getattr(reference, field.name))


@pytest.mark.parametrize("name", PROBLEMS)
def test_absent_clients_keep_their_memory_and_participants_renew_it(name):
    carries, draws = runs(PROBLEMS[name], ALGORITHM, START, Remembering(Each))
    for before, after, drawn in zip(carries[:-1], carries[1:], draws, strict=True):
        present = drawn.present > 0
        for field in ("points", "exact", "noise", "controls"):
            same = (getattr(before, field) == getattr(after, field)).all(axis=2)
            np.testing.assert_array_equal(same, ~present, err_msg=field)
        # step 0 of a participant is where the round began
        joint = np.concatenate([np.broadcast_to(before.u, (3, 5, 2)), before.v], axis=2)
        np.testing.assert_array_equal(after.points[:, :, :3][present], joint[present])


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_remembered_gradient_is_the_exact_one_at_the_remembered_points(name):
    problem = PROBLEMS[name]
    carries, _ = runs(problem, ALGORITHM, START, Remembering(Each))
    for carry in carries:
        points = carry.points.reshape(3 * 5, 2, 3)
        at = [problem.gradient(points[:, k], everyone(3, 5))[:, :2] for k in range(2)]
        expected = ((at[0] + at[1]) / 2).reshape(3, 5, 2)
        np.testing.assert_allclose(carry.noise_free(problem), expected, rtol=1e-13, atol=1e-14)
        # c_i is that gradient with its noise (alg-c)
        noise = carry.noise.reshape(3, 5, 2, 2).mean(axis=2)
        np.testing.assert_allclose(carry.controls, expected + noise, rtol=1e-12, atol=1e-13)


def test_on_quadratics_the_mean_point_is_enough_for_the_noise_free_control():
    problem = PROBLEMS["quadratic"]
    for each, means in zip(
        *(runs(problem, ALGORITHM, START, Remembering(memory))[0] for memory in (Each, Means)),
        strict=True,
    ):
        np.testing.assert_allclose(
            means.noise_free(problem), each.noise_free(problem), rtol=1e-12, atol=1e-13
        )


def test_before_the_first_round_the_last_participation_was_at_the_start():
    """alpha^{-1} = u^0, beta^{-1} = v^0: no lag, d_i^0 the gradient there, noise of the draw."""
    carry = runs(PROBLEMS["quadratic"], ALGORITHM, START, Remembering(Each), rounds=0)[0][0]
    features = carry.remembered(PROBLEMS["quadratic"])
    assert not features["lag"].any()
    assert features["past noise"].shape == (6, 5, 2)
    assert (features["past noise"] != 0).all()
    silent = replace(PROBLEMS["quadratic"], noise=SILENT)
    quiet = runs(silent, ALGORITHM, START, Remembering(Each), rounds=0)[0][0]
    np.testing.assert_array_equal(quiet.noise_free(silent), quiet.controls)
    np.testing.assert_array_equal(carry.noise_free(silent), quiet.controls)
    assert not quiet.noise.any()


def test_only_everybodys_iterates_can_be_remembered():
    problem = PROBLEMS["quadratic"]
    rules, rng = Remembering(Each), np.random.default_rng(0)
    carry = rules.init(problem, ALGORITHM, START, 2)
    drawn = rules.draw(problem, ALGORITHM, rng, 2, False)
    with pytest.raises(FedboundsError, match="the cohort is everyone"):
        rules.step(problem, ALGORITHM, carry, drawn)


def test_other_rules_have_no_memory():
    plain = fedavg_p.with_effective_step(1, 2, 0.1)
    assert rules_with_memory(plain, Each) is fedavg_p


@pytest.mark.parametrize("memory", [Each, Means])
@pytest.mark.parametrize("name", PROBLEMS)
def test_every_array_library_remembers_the_same(name, memory, xp):
    problem, rules = PROBLEMS[name], Remembering(memory)
    carries, draws = runs(problem, ALGORITHM, START, rules, rounds=2)
    moved, carry, drawn = (to_namespace(x, xp) for x in (problem, carries[1], draws[1]))
    seen = observe(moved, ALGORITHM, rules, carry, drawn)
    expected = observe(problem, ALGORITHM, rules, carries[1], draws[1])
    assert seen.features.keys() == expected.features.keys()
    for feature, array in expected.features.items():
        np.testing.assert_allclose(
            np.asarray(seen.features[feature]), array, rtol=1e-12, atol=1e-13
        )
    after = rules.server(ALGORITHM, carry, drawn, seen.reached)
    for field in fields(carries[2]):
        np.testing.assert_allclose(
            np.asarray(getattr(after, field.name)), getattr(carries[2], field.name),
            rtol=1e-12, atol=1e-13,
        )  # fmt: skip


def test_a_rational_run_remembers_rationals():
    objective, steps, _, _ = ENUMERATED["n=2 m=1 K=2"]
    problem = bridge.exact_problem(objective, 1, 0)
    start = to_rational(Start(np.ones(1), np.ones((2, 1))))
    driver = driver_of(problem, bridge.algorithm(steps, rule=ScaffoldP), Each)
    carry = driver.rules.init(driver.problem, driver.algorithm, start, 1)
    assert all(getattr(carry, field.name).dtype == object for field in fields(carry))
