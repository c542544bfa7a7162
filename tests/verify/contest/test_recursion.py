"""The pruned recursion against the moments of the whole state, round by round."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.algorithms.fedavg_p import FedAvgP, with_effective_step
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.errors import FedboundsError
from fedbounds.problems import Noise, NoiseLaw, Start, federated_quadratic
from fedbounds.verify.contest import recursion
from fedbounds.verify.contest.recursion import error_recursion
from fedbounds.verify.moments import exact_moments

ROUNDS = 40


def _case(n, d_u, d_v, b2, scale, seed):
    problem = federated_quadratic(
        clients=n,
        shared_dimension=d_u,
        personal_dimension=d_v,
        dissimilarity=b2,
        noise=Noise(NoiseLaw.GAUSSIAN, scale, scale),
        seed=seed,
    )
    rng = np.random.default_rng(seed)
    return problem, Start(rng.standard_normal(d_u), rng.standard_normal((n, d_v)))


def _first(found, rounds):
    blocks = []
    for block in found.values():
        blocks.append(block)
        if sum(map(len, blocks)) >= rounds:
            return np.concatenate(blocks)[:rounds]


@settings(max_examples=25, deadline=None)
@given(
    kind=st.sampled_from([FedAvgP, ScaffoldP]),
    n=st.integers(2, 4),
    data=st.data(),
    steps=st.integers(1, 3),
    d_u=st.integers(1, 2),
    d_v=st.integers(0, 2),
    b2=st.sampled_from([0.0, 1.0, 10.0]),
    scale=st.sampled_from([0.0, 0.3]),
    step=st.floats(0.001, 0.3),
)
def test_every_round_agrees_with_the_whole_moments(kind, n, data, steps, d_u, d_v, b2, scale, step):
    m = data.draw(st.integers(1, n))
    d_u = d_u + (d_u + d_v == 1)  # one coordinate would need mu = L
    problem, start = _case(n, d_u, d_v, b2, scale, 3)
    algorithm = kind(**vars(with_effective_step(m, steps, step, np.sqrt(m), np.sqrt(n / m))))
    found = _first(
        error_recursion(problem, algorithm, start, {"G_u": 1.0, "G_v": m / n}), ROUNDS + 1
    )
    whole = exact_moments(problem, algorithm, start, ROUNDS, frozenset({"G_u", "G_v"})).series
    expected = whole["G_u"] + m / n * whole["G_v"]
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-12)


def test_blocks_meet_without_a_gap():
    """Rounds around the end of a block, where the doubled rows give way to whole blocks."""
    problem, start = _case(3, 2, 1, 1.0, 0.1, 0)
    algorithm = ScaffoldP(**vars(with_effective_step(2, 2, 0.002, np.sqrt(2), np.sqrt(1.5))))
    found = _first(error_recursion(problem, algorithm, start, {"G_u": 1.0}), 801)
    whole = exact_moments(problem, algorithm, start, 800, frozenset({"G_u"})).series["G_u"]
    np.testing.assert_allclose(found, whole, rtol=1e-8)


def test_what_the_error_does_not_depend_on_is_left_out():
    problem, start = _case(4, 2, 2, 1.0, 0.1, 0)
    algorithm = FedAvgP(**vars(with_effective_step(2, 2, 0.1)))
    shared = error_recursion(problem, algorithm, start, {"G_u": 1.0})
    assert len(shared.first) == 6  # (u_1, u_2, 1) in pairs
    both = error_recursion(problem, algorithm, start, {"G_u": 1.0, "G_v": 1.0})
    assert len(both.first) == 6 + 4 * 3  # and, for each client, (v_1, v_2) in pairs: no drift


@pytest.mark.parametrize("field", ["pair", "single", "covariance"])
def test_a_wrong_round_shows(monkeypatch, field):
    """Sampling with replacement, another inclusion probability, or noise twice as large."""
    problem, start = _case(4, 2, 1, 4.0, 0.3, 1)
    algorithm = FedAvgP(**vars(with_effective_step(2, 2, 0.1)))
    right = _first(error_recursion(problem, algorithm, start, {"G_u": 1.0}), 20)
    read = recursion.read_off

    def wrong(driver):
        found = read(driver)
        changed = {"pair": found.single**2, "single": 0.25, "covariance": 2 * found.covariance}
        return replace(found, **{field: changed[field]})

    monkeypatch.setattr(recursion, "read_off", wrong)
    planted = _first(error_recursion(problem, algorithm, start, {"G_u": 1.0}), 20)
    assert abs(planted / right - 1).max() > 1e-3


def test_too_many_moments_are_refused(monkeypatch):
    monkeypatch.setattr(recursion, "_MOST", 5)
    problem, start = _case(4, 2, 2, 1.0, 0.1, 0)
    algorithm = FedAvgP(**vars(with_effective_step(2, 2, 0.1)))
    with pytest.raises(FedboundsError, match="need 6 second moments here, with n = 4 and d_u = 2"):
        error_recursion(problem, algorithm, start, {"G_u": 1.0})


def test_divergence_shows_in_the_values():
    problem, start = _case(2, 2, 1, 1.0, 0.0, 0)
    algorithm = FedAvgP(**vars(with_effective_step(1, 1, 50.0)))
    found = error_recursion(problem, algorithm, start, {"G_u": 1.0})
    assert not all(np.isfinite(block).all() for block in islice(found.values(), 12))
