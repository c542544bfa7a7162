"""Each planted error in the algorithm, and a check that catches it and passes without it.

A wrong algorithm may violate no bound at all, so errors are caught by comparing with the oracle,
with a closed form or enumeration, with sampling, or with the declared law of the draws.
"""

from dataclasses import replace
from fractions import Fraction as F
from types import SimpleNamespace

import bridge
import numpy as np
import oracles
import pytest
import small_quadratics as small
import wrong_rules

from fedbounds.algorithms import fedavg_p
from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.algorithms.participation import inclusion
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start, federated_quadratic
from fedbounds.verify import affine
from fedbounds.verify.moments import exact_moments

# ---- mutations: each plants one error


def planted(module, name, wrong):
    """Put what ``wrong`` makes of a module's function in its place."""
    return lambda monkeypatch: monkeypatch.setattr(module, name, wrong(getattr(module, name)))


one_step_too_few = planted(fedavg_p, "local", wrong_rules.one_step_too_few)
average_over_all_clients = planted(fedavg_p, "server", wrong_rules.average_over_all_clients)
absent_clients_move = planted(fedavg_p, "server", wrong_rules.absent_clients_move)


def _replace_sampling(monkeypatch, draw):
    monkeypatch.setattr(fedavg_p, "draw_participants", draw)
    monkeypatch.setattr(affine, "draw_participants", draw)


def with_replacement_counted(monkeypatch):
    """m clients with replacement; a client drawn twice has weight 2."""

    def draw(rng, clients, participants, replicas):
        present = np.zeros((clients, replicas))
        chosen = rng.integers(0, clients, (participants, replicas))
        np.add.at(present, (chosen, np.arange(replicas)), 1.0)
        return present

    _replace_sampling(monkeypatch, draw)


def with_replacement_merged(monkeypatch):
    """m clients with replacement; a client drawn twice takes part once."""
    _replace_sampling(monkeypatch, wrong_rules.with_replacement(fedavg_p.draw_participants))


def always_the_same_clients(monkeypatch):
    def draw(rng, clients, participants, replicas):
        return np.repeat((np.arange(clients) < participants)[:, None] * 1.0, replicas, axis=1)

    _replace_sampling(monkeypatch, draw)


def _replace_server(monkeypatch, change):
    original = fedavg_p.server

    def server(algorithm, carry, drawn, reached):
        return change(original, algorithm, carry, drawn, reached)

    monkeypatch.setattr(fedavg_p, "server", server)


def _swap_outer(monkeypatch, *names):
    def change(original, algorithm, carry, drawn, reached):
        swapped = {name: 1 - getattr(algorithm, name) for name in names}
        # not a FedAvgP, which would refuse an outer step below zero
        wrong = SimpleNamespace(**(vars(algorithm) | swapped))
        return original(wrong, carry, drawn, reached)

    _replace_server(monkeypatch, change)


def outer_weights_swapped_u(monkeypatch):
    """u <- eta_u u + (1 - eta_u) mean."""
    _swap_outer(monkeypatch, "outer_step_u")


def outer_weights_swapped_v(monkeypatch):
    """v_i <- eta_v v_i + (1 - eta_v) v_{i,K}."""
    _swap_outer(monkeypatch, "outer_step_v")


def noise_applied_twice(monkeypatch):
    original = fedavg_p.local

    def local(problem, algorithm, carry, drawn, *visit):
        louder = None if drawn.noise is None else drawn.noise * 2
        return original(problem, algorithm, carry, replace(drawn, noise=louder), *visit)

    monkeypatch.setattr(fedavg_p, "local", local)


def noise_drawn_too_large(monkeypatch):
    original = Noise.sample
    monkeypatch.setattr(Noise, "sample", lambda *arguments: 2 * original(*arguments))


def noise_shared_by_all_steps(monkeypatch):
    original = fedavg_p.draw

    def draw(*arguments, **named):
        drawn = original(*arguments, **named)
        return replace(drawn, noise=np.repeat(drawn.noise[:1], drawn.noise.shape[0], axis=0))

    monkeypatch.setattr(fedavg_p, "draw", draw)


def personal_step_after_shared_step(monkeypatch):
    """Gauss-Seidel: the personal gradient is taken at the new shared iterate."""

    def local(problem, algorithm, carry, drawn, visit=lambda *seen: None):
        (n, replicas, d_v), d_u = carry.v.shape, carry.u.shape[1]
        cohort = drawn.cohort
        u, v = carry.u[cohort.replica], carry.v.reshape(n * replicas, d_v)[cohort.pair]
        for k in range(algorithm.local_steps):
            z = np.concatenate([u, v], axis=1)
            noise = 0 if drawn.noise is None else drawn.noise[k]
            gradient = problem.gradient(z, cohort)
            visit(k, z, gradient, gradient + noise)
            u = u - algorithm.inner_step_u * (gradient + noise)[:, :d_u]
            again = problem.gradient(np.concatenate([u, v], axis=1), cohort)
            v = v - algorithm.inner_step_v * (again + noise)[:, d_u:]
        return np.concatenate([u, v], axis=1)

    monkeypatch.setattr(fedavg_p, "local", local)


# ---- checks: each raises AssertionError on a wrong algorithm

PARAMETERS = FedAvgP(2, 3, 0.2, 0.15, 1.5, 2.0)  # gamma = 0.3 on both blocks


def step_is_the_oracles():
    """One round on equal draws, every replica."""
    problem = federated_quadratic(
        clients=4, shared_dimension=2, personal_dimension=1, coupling=0.5,
        noise=Noise(NoiseLaw.GAUSSIAN, 0.7, 0.3), seed=1,
    )  # fmt: skip
    rng = np.random.default_rng(0)
    carry = bridge.random_carry(rng, problem, 5)
    drawn = fedavg_p.draw(problem, PARAMETERS, rng, 5, virtual=True)
    expected = bridge.oracle_step(problem, PARAMETERS, carry, drawn)
    moved = fedavg_p.step(problem, PARAMETERS, carry, drawn)
    np.testing.assert_allclose(moved.u, expected.u, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(moved.v, expected.v, rtol=1e-12, atol=1e-13)


def _decoupled():
    """n = 6 scalar clients with the closed form's floats."""
    rng = np.random.default_rng(2)
    plain = oracles.Decoupled(
        A=0.9,
        a=rng.standard_normal(6).tolist(),
        D=rng.uniform(0.2, 1.0, 6).tolist(),
        d=rng.standard_normal(6).tolist(),
        sigma_u=0.7,
        sigma_v=1.1,
    )
    hessian = np.zeros((6, 2, 2))
    hessian[:, 0, 0], hessian[:, 1, 1] = plain.A, plain.D
    problem = FederatedQuadratic(
        hessian,
        np.array([plain.a, plain.d]).T,
        shared_dimension=1,
        noise=Noise(NoiseLaw.RADEMACHER, plain.sigma_u, plain.sigma_v),
    )
    return plain, problem, Start(u=np.array([1.5]), v=rng.standard_normal((6, 1)))


def moments_are_the_closed_form():
    """Expected quantities of five rounds with decoupled scalar blocks."""
    plain, problem, start = _decoupled()
    expected = oracles.closed_form(
        plain, bridge.steps_of(PARAMETERS), 1.5, start.v[:, 0].tolist(), 5
    )
    found = exact_moments(problem, PARAMETERS, start, 5).series
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-10, err_msg=name)


def moments_are_the_enumerated():
    """Every expected quantity of two rounds, coupled and in rationals."""
    steps, scales = small.steps(1, 2, F(1, 6), F(2), F(1, 2)), (F(1), F(0))
    expected = small.history(small.TWO, steps, scales, 1, corrected=False)
    start = bridge.exact_start(*small.start_of(small.TWO))
    problem = bridge.exact_problem(small.TWO, *scales)
    found = exact_moments(problem, bridge.algorithm(steps), start, 1).series
    for name in set(found) - {"f"}:
        assert small.by_place(name, found[name]) == expected[name], name


def sampling_is_the_closed_form():
    """Squared shared gradient and first personal one after a round, 4000 replicas, 5 errors."""
    plain, problem, start = _decoupled()
    expected = oracles.closed_form(
        plain, bridge.steps_of(PARAMETERS), 1.5, start.v[:, 0].tolist(), 1
    )
    replicas, rng = 4000, np.random.default_rng(3)
    carry = fedavg_p.init(problem, PARAMETERS, start, replicas)
    drawn = fedavg_p.draw(problem, PARAMETERS, rng, replicas, virtual=False)
    after = fedavg_p.step(problem, PARAMETERS, carry, drawn)
    shared = (plain.A * after.u[:, 0] + np.mean(plain.a)) ** 2
    own = np.array(plain.D)[:, None] * after.v[:, :, 0] + np.array(plain.d)[:, None]
    for name, values in (("G_u", shared), ("G_v", (own**2).mean(axis=0))):
        error = values.std(ddof=1) / np.sqrt(replicas)
        assert abs(values.mean() - expected[name][1]) <= 5 * error, name


def participants_follow_their_law():
    """m ones per column; each client and each pair as often as inclusion says, 5 errors."""
    n, m, replicas = 5, 3, 4000
    problem = federated_quadratic(clients=n, shared_dimension=1, personal_dimension=0)
    parameters = replace(PARAMETERS, participants=m)
    rng = np.random.default_rng(4)
    present = fedavg_p.draw(problem, parameters, rng, replicas, virtual=True).present
    assert (present.sum(axis=0) == m).all()
    assert np.isin(present, (0.0, 1.0)).all()
    _frequencies_follow(present, *map(float, inclusion(n, m)))


def _frequencies_follow(present, single, pair):
    n, replicas = present.shape
    for i in range(n):
        for j in range(i + 1):
            p = single if i == j else pair
            seen = (present[i] * present[j]).mean()
            assert abs(seen - p) <= 5 * np.sqrt(p * (1 - p) / replicas), (i, j)


def noise_has_the_declared_variance():
    """Rademacher noise is +-scale exactly; Gaussian noise has variance scale^2, 5 errors."""
    rng = np.random.default_rng(5)
    signs = Noise(NoiseLaw.RADEMACHER, 0.5, 1.5).sample(rng, (100,), 2, 1)
    assert (np.abs(signs) == [0.5, 0.5, 1.5]).all()
    values = Noise(NoiseLaw.GAUSSIAN, 0.5, 1.5).sample(rng, (4000,), 2, 1)
    ratio = (values**2).mean(axis=0) / np.array([0.25, 0.25, 2.25])
    assert (np.abs(ratio - 1) <= 5 * np.sqrt(2 / 4000)).all()


# name, mutation, the check that catches it
PLANTED = (
    ("K - 1 local steps", one_step_too_few, step_is_the_oracles),
    ("K - 1 local steps", one_step_too_few, moments_are_the_closed_form),
    ("K - 1 local steps", one_step_too_few, moments_are_the_enumerated),
    ("sampling with replacement, counted", with_replacement_counted, participants_follow_their_law),
    ("sampling with replacement, counted", with_replacement_counted, sampling_is_the_closed_form),
    ("sampling with replacement, merged", with_replacement_merged, participants_follow_their_law),
    ("sampling with replacement, merged", with_replacement_merged, sampling_is_the_closed_form),
    ("the same clients every round", always_the_same_clients, participants_follow_their_law),
    ("m and n exchanged", average_over_all_clients, step_is_the_oracles),
    ("m and n exchanged", average_over_all_clients, moments_are_the_closed_form),
    ("m and n exchanged", average_over_all_clients, moments_are_the_enumerated),
    ("outer weights of u swapped", outer_weights_swapped_u, step_is_the_oracles),
    ("outer weights of u swapped", outer_weights_swapped_u, moments_are_the_closed_form),
    ("outer weights of v swapped", outer_weights_swapped_v, step_is_the_oracles),
    ("outer weights of v swapped", outer_weights_swapped_v, moments_are_the_closed_form),
    ("noise applied twice", noise_applied_twice, step_is_the_oracles),
    ("noise applied twice", noise_applied_twice, moments_are_the_closed_form),
    ("noise applied twice", noise_applied_twice, moments_are_the_enumerated),
    ("noise drawn too large", noise_drawn_too_large, noise_has_the_declared_variance),
    ("noise drawn too large", noise_drawn_too_large, sampling_is_the_closed_form),
    ("noise shared by all steps", noise_shared_by_all_steps, sampling_is_the_closed_form),
    ("v updated after u", personal_step_after_shared_step, step_is_the_oracles),
    ("v updated after u", personal_step_after_shared_step, moments_are_the_enumerated),
    ("absent clients move", absent_clients_move, step_is_the_oracles),
    ("absent clients move", absent_clients_move, moments_are_the_closed_form),
    ("absent clients move", absent_clients_move, moments_are_the_enumerated),
)  # fmt: skip

# Errors that only a verdict can show ("bound divided by ten", "b^2 forgotten"): same three columns.
PLANTED_IN_VERDICTS = ()

CASES = (*PLANTED, *PLANTED_IN_VERDICTS)


@pytest.mark.parametrize(
    ("mutate", "check"),
    [case[1:] for case in CASES],
    ids=[f"{name} | {check.__name__}" for name, _, check in CASES],
)
def test_a_planted_error_is_caught(mutate, check, monkeypatch):
    check()
    mutate(monkeypatch)
    with pytest.raises(AssertionError):
        check()


def test_every_check_is_used_and_every_error_has_one():
    checks = {check for _, _, check in CASES}
    assert checks >= {
        step_is_the_oracles,
        moments_are_the_closed_form,
        moments_are_the_enumerated,
        sampling_is_the_closed_form,
        participants_follow_their_law,
        noise_has_the_declared_variance,
    }
