"""Each planted error in Scaffold-P or its memory, and a check that catches it.

As in test_planted_errors: a wrong algorithm may violate no bound, so errors are caught by
comparing with brute force, with another memory, or with sampling.
"""

import functools
from dataclasses import replace
from fractions import Fraction as F

import bridge
import numpy as np
import pytest
import scaffold_mutations as planted
import small_quadratics as small
from history_oracle import Run, after, path_of, starts
from quantity_oracle import noise_free_controls

from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.problems import Noise, NoiseLaw, Start, federated_quadratic
from fedbounds.verify.indexed import INDEXED
from fedbounds.verify.memory import Each, Remembering
from fedbounds.verify.moments import exact_moments
from fedbounds.verify.simulate import run_chunk, stream

# ---- checks: each raises AssertionError on a wrong algorithm

PARAMETERS = ScaffoldP(2, 2, 0.2, 0.15, 1.5, 2.0)
REPLICAS = 4


def _instance():
    problem = federated_quadratic(
        clients=3, shared_dimension=1, personal_dimension=1, coupling=0.5, seed=1,
        noise=Noise(NoiseLaw.RADEMACHER, 0.5, 0.0),
    )  # fmt: skip
    return problem, Start(np.array([1.5]), np.array([[0.5], [-1.0], [2.0]]))


def _oracle(problem):
    objective, steps = bridge.objective_of(problem), bridge.steps_of(PARAMETERS)
    return Run(objective, steps, [0.5, 0.0], corrected=True)


def _alike(carry, replica, problem, state):
    """A replica of a carry is the oracle's state, its noise-free controls included."""
    seen = bridge.state_of(carry, replica, PARAMETERS.local_steps)
    free = noise_free_controls(_oracle(problem), state)
    np.testing.assert_allclose(carry.exact[:, replica], free, rtol=1e-11, atol=1e-12)
    for name, expected in vars(state).items():
        np.testing.assert_allclose(
            getattr(seen, name), expected, rtol=1e-11, atol=1e-12, err_msg=name
        )


def step_is_the_oracles():
    """Three rounds on equal draws, every replica: iterates, controls and memory."""
    problem, start = _instance()
    run, rules, rng = _oracle(problem), Remembering(Each), np.random.default_rng(0)
    initial = rules.init_draw(problem, PARAMETERS, rng, REPLICAS)
    carry = rules.init(problem, PARAMETERS, start, REPLICAS, initial)
    for _ in range(3):
        states = [bridge.state_of(carry, r, 2) for r in range(REPLICAS)]
        drawn = rules.draw(problem, PARAMETERS, rng, REPLICAS, True)
        carry = rules.step(problem, PARAMETERS, carry, drawn)
        for r, state in enumerate(states):
            noise = bridge.oracle_noise(drawn, PARAMETERS, r, 2)
            paths = [path_of(run, state, i, noise[i]) for i in range(3)]
            participants = np.flatnonzero(drawn.present[:, r]).tolist()
            _alike(carry, r, problem, after(run, state, paths, participants))


def start_is_the_oracles():
    """Under every initial draw, each met, the carry is the oracle's start of that draw."""
    problem, start = _instance()
    expected = starts(_oracle(problem), start.u.tolist(), start.v.tolist())
    rules, rng = Remembering(Each), np.random.default_rng(0)
    noise = rules.init_draw(problem, PARAMETERS, rng, len(expected) * 8)
    carry = rules.init(problem, PARAMETERS, start, len(expected) * 8, noise)
    by_noise = {np.array(state.past).round(9).tobytes(): state for state in expected}
    met = set()
    for r in range(len(expected) * 8):
        drawn = noise.reshape(2, 3, -1, 2)[:, :, r, :1].transpose(1, 0, 2)
        key = np.ascontiguousarray(drawn).round(9).tobytes()
        met.add(key)
        _alike(carry, r, problem, by_noise[key])
    assert len(met) == len(expected) == 64


STEPS, SCALES = small.steps(1, 2, F(1, 6), F(2), F(1, 2)), (F(1), F(0))


@functools.cache
def enumerated():
    """Every expected quantity of two rounds by brute force; no mutation reaches it."""
    return small.history(small.TWO, STEPS, SCALES, 1, corrected=True)


def _moments_agree(names):
    start = bridge.exact_start(*small.start_of(small.TWO))
    problem = bridge.exact_problem(small.TWO, *SCALES)
    algorithm = bridge.algorithm(STEPS, rule=ScaffoldP)
    found = exact_moments(problem, algorithm, start, 1, names=names).series
    for name in set(found) - {"f"}:
        assert small.by_place(name, found[name]) == enumerated()[name], name


def moments_are_the_enumerated():
    """Every expected quantity of two rounds, coupled and in rationals."""
    _moments_agree(None)


def means_are_the_enumerated():
    """The same from the means of the last participations, where these are enough."""
    _moments_agree(frozenset(enumerated()) - INDEXED)


def sampling_is_the_enumerated():
    """Lag, control error and spread after a round, 4000 replicas, 5 errors."""
    exact = bridge.exact_problem(small.TWO, 1, 0)
    problem = replace(
        exact,
        hessian=exact.hessian.astype(float),
        linear=exact.linear.astype(float),
        noise=Noise(NoiseLaw.RADEMACHER, 1.0, 0.0),
    )
    start = Start(*(np.array(x, dtype=float) for x in small.start_of(small.TWO)))
    algorithm = bridge.algorithm(STEPS, float, ScaffoldP)
    seen = run_chunk(problem, algorithm, start, 2, 4000, stream(0, 1, 2), virtual=True, infimum=0.0)
    for name in ("G_u", "G_v", "C", "cd_2", "S_3u", "W_own", "What_2", "E", "cbar_2", "c_2"):
        values = seen[name][:, 1]
        error = values.std(ddof=1) / np.sqrt(len(values))
        assert abs(values.mean() - float(enumerated()[name][()][1])) <= 5 * error + 1e-12, name


# name, mutation, the check that catches it
PLANTED = (
    ("control with the wrong sign", planted.control_with_the_wrong_sign, step_is_the_oracles),
    ("control with the wrong sign", planted.control_with_the_wrong_sign, moments_are_the_enumerated),
    ("control with the wrong sign", planted.control_with_the_wrong_sign, sampling_is_the_enumerated),
    ("controls start at zero", planted.controls_start_at_zero, start_is_the_oracles),
    ("controls start at zero", planted.controls_start_at_zero, moments_are_the_enumerated),
    ("controls start at zero", planted.controls_start_at_zero, sampling_is_the_enumerated),
    ("correction of v", planted.correction_reaches_v, step_is_the_oracles),
    ("correction of v", planted.correction_reaches_v, moments_are_the_enumerated),
    ("absent c_i renewed", planted.absent_clients_renew_their_control, step_is_the_oracles),
    ("absent c_i renewed", planted.absent_clients_renew_their_control, moments_are_the_enumerated),
    ("c with all", planted.the_mean_control_is_renewed_with_all_clients, step_is_the_oracles),
    ("c with all", planted.the_mean_control_is_renewed_with_all_clients, moments_are_the_enumerated),
    ("c with all", planted.the_mean_control_is_renewed_with_all_clients, means_are_the_enumerated),
    ("c divided by m", planted.the_mean_control_is_divided_by_m, step_is_the_oracles),
    ("c divided by m", planted.the_mean_control_is_divided_by_m, moments_are_the_enumerated),
    ("-c forgotten in line 10", planted.the_old_control_is_not_taken_off, step_is_the_oracles),
    ("-c forgotten in line 10", planted.the_old_control_is_not_taken_off, moments_are_the_enumerated),
    ("absent memory renewed", planted.absent_clients_renew_their_memory, step_is_the_oracles),
    ("absent memory renewed", planted.absent_clients_renew_their_memory, moments_are_the_enumerated),
    ("absent memory renewed", planted.absent_clients_renew_their_memory, means_are_the_enumerated),
    ("absent memory renewed", planted.absent_clients_renew_their_memory, sampling_is_the_enumerated),
    ("memory never renewed", planted.nobody_renews_its_memory, step_is_the_oracles),
    ("memory never renewed", planted.nobody_renews_its_memory, means_are_the_enumerated),
    ("d from stochastic gradients", planted.d_from_stochastic_gradients, step_is_the_oracles),
    ("d from stochastic gradients", planted.d_from_stochastic_gradients, start_is_the_oracles),
    ("d from stochastic gradients", planted.d_from_stochastic_gradients, moments_are_the_enumerated),
    ("d from stochastic gradients", planted.d_from_stochastic_gradients, sampling_is_the_enumerated),
    ("first step remembered only", planted.only_the_first_step_is_remembered, step_is_the_oracles),
    ("first step remembered only", planted.only_the_first_step_is_remembered, moments_are_the_enumerated),
    ("first step remembered only", planted.only_the_first_step_is_remembered, means_are_the_enumerated),
    ("initial noise forgotten", planted.initial_noise_is_forgotten, start_is_the_oracles),
    ("initial noise forgotten", planted.initial_noise_is_forgotten, moments_are_the_enumerated),
)  # fmt: skip


@pytest.mark.parametrize(
    ("mutate", "check"),
    [case[1:] for case in PLANTED],
    ids=[f"{name} | {check.__name__}" for name, _, check in PLANTED],
)
def test_a_planted_error_is_caught(mutate, check, monkeypatch):
    check()
    mutate(monkeypatch)
    with pytest.raises(AssertionError):
        check()


def test_every_check_is_used():
    assert {check for _, _, check in PLANTED} == {
        step_is_the_oracles,
        start_is_the_oracles,
        moments_are_the_enumerated,
        means_are_the_enumerated,
        sampling_is_the_enumerated,
    }
