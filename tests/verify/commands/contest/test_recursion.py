"""The pruned recursion against moments in rationals and against matrices of every outcome."""

from dataclasses import replace
from itertools import combinations, islice

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.problems import (
    FederatedQuadratic,
    Noise,
    NoiseLaw,
    Start,
    federated_quadratic,
    to_rational,
)
from fedbounds.verify.commands.contest import recursion
from fedbounds.verify.commands.contest.contenders import contender
from fedbounds.verify.commands.contest.field import Ground
from fedbounds.verify.commands.contest.recursion import error_recursion
from fedbounds.verify.measure.answers import Asked, by_moments

ROUNDS = 6
NAMES = ("FedAvg-P", "Scaffold-P")


def _short(x):
    return np.rint(x * 16) / 16


def _case(n, d_u, d_v, b2, scale, seed):
    """Numbers of few digits: moments in rationals of many rounds are found with them."""
    problem = federated_quadratic(
        clients=n, shared_dimension=d_u, personal_dimension=d_v, dissimilarity=b2, seed=seed
    )
    hessian = _short(problem.hessian)
    noise = Noise(NoiseLaw.GAUSSIAN, scale, scale)
    problem = FederatedQuadratic(hessian, _short(problem.linear), d_u, noise)
    rng = np.random.default_rng(seed)
    return Ground(problem, Start(*(_short(rng.standard_normal(s)) for s in (d_u, (n, d_v)))))


def _subject(name, here, m, steps, step, eta=(1.0, 1.0)):
    values = {"n": here.problem.clients, "m": m, "K": steps, "eta_u": eta[0], "eta_v": eta[1]}
    return contender(name).subject(to_rational(here.problem), here.exact_point, values, step)


def _first(found, rounds):
    blocks = []
    for block in found.values():
        blocks.append(block)
        if sum(map(len, blocks)) >= rounds:
            return np.concatenate(blocks)[:rounds]


def _error(name, **weights):
    return contender(name).error(weights)


@settings(max_examples=12, deadline=None)
@given(
    name=st.sampled_from(NAMES),
    n=st.integers(2, 3),
    data=st.data(),
    steps=st.integers(1, 2),
    d_u=st.integers(1, 2),
    d_v=st.integers(0, 2),
    b2=st.sampled_from([0.0, 1.0, 10.0]),
    scale=st.sampled_from([0.0, 0.25]),
    step=st.sampled_from([1 / 512, 1 / 16, 1 / 4]),
)
def test_every_round_agrees_with_moments_in_rationals(
    name, n, data, steps, d_u, d_v, b2, scale, step
):
    m = data.draw(st.integers(1, n))
    d_u = d_u + (d_u + d_v == 1)  # one coordinate would need mu = L
    subject = _subject(name, _case(n, d_u, d_v, b2, scale, 3), m, steps, step, (1.5, 1.25))
    error = _error(name, G_u=1.0, G_v=m / n)
    found = _first(error_recursion(subject, error), ROUNDS + 1)
    asked = Asked(definitions={"e": error})
    expected = by_moments(replace(subject, rounds=ROUNDS), asked).series["e"]
    count = len(expected)
    assert count >= ROUNDS
    np.testing.assert_allclose(found[:count], expected.astype(float), rtol=1e-8, atol=1e-12)


def _plain(here, m, steps, gamma, rounds):
    """G_u of FedAvg-P from the matrices of every set of participants, one by one."""
    problem, n = here.problem, here.problem.clients
    d, size = problem.shared_dimension, problem.shared_dimension
    total, noise = 0, 0
    sets = list(combinations(range(n), m))
    scale = problem.noise.scale_u
    for present in sets:
        A, b, Q = np.zeros((size, size)), np.zeros(size), np.zeros((size, size))
        for i in present:
            H, h = problem.hessian[i][:d, :d], problem.linear[i][:d]
            step = np.eye(d) - gamma * H
            own = [np.linalg.matrix_power(step, k) for k in range(steps + 1)]
            A += own[steps] / m
            b -= gamma * sum(own[k] @ h for k in range(steps)) / m
            Q += gamma**2 * scale**2 * sum(own[k] @ own[k].T for k in range(steps)) / m**2
        M = np.block([[np.ones((1, 1)), np.zeros((1, size))], [b[:, None], A]])
        total = total + np.kron(M, M) / len(sets)
        noise = noise + np.pad(Q, ((1, 0), (1, 0))) / len(sets)
    mean = np.concatenate([problem.linear[:, :d].mean(axis=0)[:, None],
                           problem.hessian[:, :d, :d].mean(axis=0)], axis=1)  # fmt: skip
    z = np.concatenate([[1.0], here.start.u])
    moment, found = np.outer(z, z), []
    for _ in range(rounds):
        found.append(np.trace(mean @ moment @ mean.T))
        moment = (total @ moment.reshape(-1)).reshape(moment.shape) + noise
    return np.array(found)


@pytest.mark.parametrize(("m", "steps"), [(1, 3), (2, 2), (3, 1)])
def test_every_round_agrees_with_the_matrices_of_every_set(m, steps):
    here = _case(3, 2, 0, 4.0, 0.25, 1)
    found = error_recursion(_subject("FedAvg-P", here, m, steps, 1 / 8), _error("FedAvg-P", G_u=1))
    np.testing.assert_allclose(_first(found, 30), _plain(here, m, steps, 1 / 8, 30), rtol=1e-9)


def test_blocks_meet_without_a_gap():
    """Rounds around the end of a block, where the doubled rows give way to whole blocks."""
    subject = _subject("Scaffold-P", _case(3, 2, 1, 1.0, 0.125, 0), 2, 2, 1 / 512, (1.5, 1.25))
    found = error_recursion(subject, _error("Scaffold-P", G_u=1.0))
    x, expected = found.first, []
    for _ in range(801):
        expected.append(found.weights @ x)
        x = found.matrix @ x
    np.testing.assert_allclose(_first(found, 801), expected, rtol=1e-8)


def test_what_the_error_does_not_depend_on_is_left_out():
    subject = _subject("FedAvg-P", _case(4, 2, 2, 1.0, 0.125, 0), 2, 2, 1 / 8)
    shared = error_recursion(subject, _error("FedAvg-P", G_u=1.0))
    assert len(shared.first) == 6  # (1, u_1, u_2) in pairs
    both = error_recursion(subject, _error("FedAvg-P", G_u=1.0, G_v=1.0))
    # and, for each client, (v_1, v_2) in pairs, with 1 where there is drift
    assert 6 + 4 * 3 < len(both.first) <= 6 + 4 * 3 + 4 * 2


@pytest.mark.parametrize("field", ["second", "means", "noise"])
def test_a_wrong_round_shows(monkeypatch, field):
    """Sampling with replacement, another inclusion probability, or noise twice as large."""
    subject = _subject("FedAvg-P", _case(4, 2, 1, 4.0, 0.25, 1), 2, 2, 1 / 8)
    error = _error("FedAvg-P", G_u=1.0)
    right = _first(error_recursion(subject, error), 20)
    read = recursion.read_off

    def wrong(trace):
        found = read(trace)
        changed = {
            "second": {
                (a, b): found.means[a] * found.means[b] if a != b else x
                for (a, b), x in found.second.items()
            },
            "means": tuple(fmpq(1, 4) for _ in found.means),
            "noise": found.noise * 2,
        }
        return replace(found, **{field: changed[field]})

    monkeypatch.setattr(recursion, "read_off", wrong)
    planted = _first(error_recursion(subject, error), 20)
    assert abs(planted / right - 1).max() > 1e-3


def test_too_many_moments_are_refused(monkeypatch):
    monkeypatch.setattr(recursion, "_MOST", 5)
    subject = _subject("FedAvg-P", _case(4, 2, 2, 1.0, 0.125, 0), 2, 2, 1 / 8)
    with pytest.raises(FedboundsError, match="need 6 second moments here, with n = 4 and d_u = 2"):
        error_recursion(subject, _error("FedAvg-P", G_u=1.0))


def test_divergence_shows_in_the_values():
    subject = _subject("FedAvg-P", _case(2, 2, 1, 1.0, 0.0, 0), 1, 1, 50.0)
    found = error_recursion(subject, _error("FedAvg-P", G_u=1.0))
    assert not all(np.isfinite(block).all() for block in islice(found.values(), 12))
