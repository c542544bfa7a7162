"""Enumeration is exact: it equals exact moments on quadratics and sampling on the cosine."""

from dataclasses import replace
from itertools import product
from math import comb

import numpy as np
import pytest

from fedbounds.algorithms import fedavg_p
from fedbounds.algorithms.fedavg_p import FedAvgP, with_effective_step
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.errors import FedboundsError
from fedbounds.problems import (
    SILENT,
    FederatedQuadratic,
    Noise,
    NoiseLaw,
    Start,
    coupled_cosine,
    federated_quadratic,
)
from fedbounds.verify.enumeration import MOST_OUTCOMES, enumerate_run, outcomes
from fedbounds.verify.indexed import INDEXED
from fedbounds.verify.moments import exact_moments
from fedbounds.verify.simulate import simulate

BOUNDARY = ("f", "G_u", "G_v", "B")
OF_ROUNDS = {
    *("T_1u", "T_1v", "T_2u", "T_2v", "T_3u", "E", "Du_2", "Dv_2", "X_u", "X_v", "M_u", "M_v"),
    *("P_u", "Y_sum", "Y_2"),
}
OF_CONTROLS = {
    *("S_3u", "C", "cd_2", "W_own", "W_mean", "W_2", "What_2", "What_sum"),
    *("c_2", "cbar_2", "ccbar"),
}
OF_STATES = {*BOUNDARY, *OF_CONTROLS} - {"S_3u"}  # measured at round T too
NAMES = {FedAvgP: {*BOUNDARY, *OF_ROUNDS}, ScaffoldP: {*BOUNDARY, *OF_ROUNDS, *OF_CONTROLS}}


def rademacher(scale_u, scale_v):
    return Noise(NoiseLaw.RADEMACHER, scale_u, scale_v)


def quadratic(n, d_u, d_v, noise, seed=0):
    problem = federated_quadratic(
        clients=n, shared_dimension=d_u, personal_dimension=d_v, noise=noise, seed=seed,
        coupling=0.3 if d_u and d_v else 0.0,
    )  # fmt: skip
    return problem, _start(problem, seed)


def cosine(n, d_u, d_v, noise, seed=0):
    problem = coupled_cosine(
        clients=n, shared_dimension=d_u, personal_dimension=d_v, amplitude=0.8, noise=noise,
        seed=seed,
    )  # fmt: skip
    return problem, _start(problem, seed)


def _start(problem, seed):
    rng = np.random.default_rng(seed)
    d_u, d_v = problem.shared_dimension, problem.personal_dimension
    return Start(rng.standard_normal(d_u), rng.standard_normal((problem.clients, d_v)))


# n, m, d_u, d_v, K, T, scale_u, scale_v
SHAPES = (
    (1, 1, 1, 1, 2, 2, 0.5, 0.3),
    (2, 1, 1, 1, 1, 3, 0.5, 0.0),
    (2, 1, 1, 1, 2, 2, 0.0, 0.7),
    (2, 2, 1, 1, 2, 1, 0.4, 0.4),
    (3, 1, 1, 1, 1, 2, 0.2, 0.6),
    (3, 2, 2, 1, 2, 2, 0.0, 0.0),
    (3, 2, 1, 1, 1, 2, 1.0, 0.0),
    (2, 1, 2, 2, 1, 1, 0.3, 0.3),
    (4, 3, 1, 1, 3, 2, 0.0, 0.0),
    (2, 1, 0, 2, 1, 2, 0.0, 0.5),
    (3, 2, 2, 0, 1, 1, 0.5, 0.0),
)


@pytest.mark.parametrize("rule", [FedAvgP, ScaffoldP])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_enumeration_equals_exact_moments_on_quadratics(shape, rule):
    n, m, d_u, d_v, steps, rounds, scale_u, scale_v = shape
    problem, start = quadratic(n, d_u, d_v, rademacher(scale_u, scale_v), seed=sum(shape[:6]))
    algorithm = rule(m, steps, 0.2, 0.15, 1.5, 2.0)
    found = enumerate_run(problem, algorithm, start, rounds)
    expected = exact_moments(problem, algorithm, start, rounds).series
    assert set(found) == NAMES[rule]
    assert set(expected) - set(found) <= INDEXED
    for name, values in found.items():
        last = rounds + 1 if name in OF_STATES else rounds
        np.testing.assert_allclose(
            values[:last], expected[name][:last], rtol=1e-12, atol=1e-12, err_msg=name
        )
        assert np.isnan(values[last:]).all()  # no local steps are taken in round T


def test_a_planted_error_in_the_weights_would_be_seen(monkeypatch):
    """Counting every set of participants but the first leaves a difference far above rounding."""
    from fedbounds.verify import enumeration

    problem, start = quadratic(3, 1, 1, SILENT)
    algorithm = with_effective_step(2, 2, 0.2)
    expected = exact_moments(problem, algorithm, start, 1).series["f"]
    honest = enumerate_run(problem, algorithm, start, 1)["f"]
    np.testing.assert_allclose(honest, expected, rtol=1e-12)
    every = enumeration.all_participants
    monkeypatch.setattr(enumeration, "all_participants", lambda n, m: every(n, m)[:, 1:])
    wrong = enumerate_run(problem, algorithm, start, 1)["f"]
    assert abs(wrong[1] - expected[1]) > 1e-6


@pytest.mark.parametrize("rule", [FedAvgP, ScaffoldP])
@pytest.mark.parametrize(
    ("n", "m", "steps", "rounds", "scale"),
    [(2, 1, 2, 2, 0.5), (3, 2, 1, 2, 0.4), (2, 2, 1, 2, 0.8)],
)
def test_enumeration_agrees_with_sampling_on_the_cosine(n, m, steps, rounds, scale, rule):
    """Within five standard errors, all quantities and rounds, 4096 replicas."""
    problem, start = cosine(n, 1, 1, rademacher(scale, 0.0 if rule is ScaffoldP else scale), n + m)
    algorithm = rule(m, steps, 0.4 / 1.3, 0.4 / 1.1, 1.3, 1.1)
    expected = enumerate_run(problem, algorithm, start, rounds)
    chunks = list(
        simulate(problem, algorithm, start, rounds, range(32), seed=3, key=1, reduce=lambda s: s)
    )
    # only a mean over draws given the past is not a mean over replicas
    assert set(chunks[0]) == set(expected) - {"M_u", "M_v"}
    for name in chunks[0]:
        last = rounds + 1 if name in BOUNDARY else rounds
        values = np.concatenate([chunk[name][:, :last] for chunk in chunks])
        error = values.std(axis=0, ddof=1) / np.sqrt(len(values))
        off = np.abs(values.mean(axis=0) - expected[name][:last])
        assert (off <= 5 * error + 1e-12 * np.abs(values).max()).all(), name


def test_enumeration_agrees_with_a_walk_through_every_draw():
    """One round on the cosine: each set and each sign pattern is fed to the algorithm by itself."""
    problem, start = cosine(2, 1, 1, rademacher(0.5, 0.25), seed=9)
    algorithm = with_effective_step(1, 1, 0.3, 1.2, 1.4)
    carry = fedavg_p.init(problem, algorithm, start, 1)
    total = 0.0
    for chosen, flips in product(range(2), product((-1.0, 1.0), repeat=4)):
        present = np.zeros((2, 1))
        present[chosen] = 1.0
        noise = (np.array(flips).reshape(2, 2) * [0.5, 0.25])[None]
        drawn = fedavg_p.Draw(present, noise, fedavg_p.everyone(2, 1))
        after = fedavg_p.step(problem, algorithm, carry, drawn)
        z = np.concatenate([np.repeat(after.u, 2, axis=0), after.v[:, 0]], axis=1)
        total += problem.value(z, drawn.cohort).mean() / 32
    found = enumerate_run(problem, algorithm, start, 1)["f"][1]
    assert found == pytest.approx(total - problem.infimum(), rel=1e-12)


def test_absent_noise_leaves_sets_of_participants_only():
    problem, _ = cosine(4, 2, 2, SILENT)
    assert outcomes(problem, with_effective_step(2, 5, 0.1), 1) == 1 + comb(4, 2)
    assert outcomes(problem, with_effective_step(4, 5, 0.1), 3) == 3 + 1


def test_the_count_is_the_number_of_replicas_that_are_visited(monkeypatch):
    from fedbounds.verify import enumeration

    visited = []
    observe, step = enumeration.observe, fedavg_p.step

    def counted(problem, algorithm, rules, carry, drawn):
        visited.append(carry.u.shape[0])
        return observe(problem, algorithm, rules, carry, drawn)

    monkeypatch.setattr(enumeration, "observe", counted)
    moved = []

    def counted_step(problem, algorithm, carry, drawn):
        moved.append(carry.u.shape[0])
        return step(problem, algorithm, carry, drawn)

    monkeypatch.setattr(fedavg_p, "step", counted_step)
    problem, start = cosine(2, 1, 1, rademacher(0.5, 0.0))
    algorithm = with_effective_step(1, 2, 0.1)
    enumerate_run(problem, algorithm, start, 2)
    last = sum(moved[-2:])  # states after the last round: one batch per set of participants
    assert outcomes(problem, algorithm, 2) == sum(visited) + last


def test_the_count_includes_the_initial_draws_of_control_variates():
    """n = 2, m = 1, K = 1, one sign a step: 4 starts, then 4 outcomes a round, 4 when observed."""
    problem, _ = cosine(2, 1, 1, rademacher(0.5, 0.0))
    algorithm = ScaffoldP(1, 1, 0.1, 0.1, 1.0, 1.0)
    assert outcomes(problem, algorithm, 2) == 4 * (4 * (1 + 4) + 4**2)


# ---- refusals


def test_gaussian_noise_cannot_be_enumerated():
    problem, start = cosine(2, 1, 1, Noise(NoiseLaw.GAUSSIAN, 0.1, 0.1))
    with pytest.raises(FedboundsError, match="gaussian.*rademacher"):
        enumerate_run(problem, with_effective_step(1, 1, 0.1), start, 1)


@pytest.mark.parametrize(("n", "m", "steps", "rounds"), [(5, 2, 4, 6), (2, 1, 2, 40), (3, 3, 4, 2)])
def test_too_many_outcomes_are_refused_before_any_work(n, m, steps, rounds):
    problem, start = cosine(n, 2, 2, rademacher(0.1, 0.1))
    algorithm = with_effective_step(m, steps, 0.1)
    count = outcomes(problem, algorithm, rounds)
    assert count > MOST_OUTCOMES
    with pytest.raises(FedboundsError, match=f"^{count} outcomes .* {MOST_OUTCOMES}"):
        enumerate_run(problem, algorithm, start, rounds)


def test_refusing_lists_no_sets_of_participants(monkeypatch):
    """15 of 30 clients is 155 million sets: they are counted, not made."""
    from fedbounds.verify import enumeration

    def made(*_):
        raise AssertionError("sets were listed")

    monkeypatch.setattr(enumeration, "all_participants", made)
    problem, start = quadratic(30, 1, 1, SILENT)
    algorithm = with_effective_step(15, 1, 0.1)
    with pytest.raises(FedboundsError, match=str(1 + comb(30, 15))):
        enumerate_run(problem, algorithm, start, 1)


def test_a_start_of_the_wrong_shape_is_refused():
    problem, start = cosine(2, 1, 1, SILENT)
    with pytest.raises(FedboundsError, match="shape of the start"):
        enumerate_run(problem, with_effective_step(1, 1, 0.1), replace(start, u=np.zeros(3)), 1)


def test_f_is_not_shifted_where_there_is_no_infimum():
    """An indefinite quadratic: f is E f itself, as exact moments report it."""
    hessian = np.array([[[1.0, 0.0], [0.0, -1.0]]] * 2)
    problem = FederatedQuadratic(hessian, np.array([[1.0, 2.0], [0.0, -1.0]]), 1)
    start = Start(np.array([1.0]), np.array([[2.0], [0.5]]))
    algorithm = with_effective_step(1, 1, 0.1)
    found = enumerate_run(problem, algorithm, start, 2)["f"]
    np.testing.assert_allclose(
        found, exact_moments(problem, algorithm, start, 2).series["f"], rtol=1e-12
    )
    by_hand = np.mean([0.5 * 1 + 1 - 0.5 * 4 + 2 * 2, 0.5 * 1 - 0.5 * 0.25 - 0.5])
    assert found[0] == pytest.approx(by_hand)


def test_what_overflows_is_infinite_and_not_missing():
    """NaN is kept for what is not measured."""
    problem, start = quadratic(2, 1, 1, SILENT)
    with np.errstate(over="ignore", invalid="ignore"):
        found = enumerate_run(problem, ScaffoldP(1, 2, 1e60, 1e60, 1e60, 1e60), start, 3)
    assert np.isinf(found["f"][1:]).any()
    for name, values in found.items():
        assert not np.isnan(values[: 4 if name in OF_STATES else 3]).any(), name
