"""LoRA-FedZO: the rounds of `sparse_zeroth_order` on factor pairs are those of a slow oracle."""

from dataclasses import replace

import lora_oracle as oracle
import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from traced_rounds import run

from fedbounds.algorithms import sparse_zeroth_order, virtual_path
from fedbounds.algorithms.masks_by_score import by_squared_gradient
from fedbounds.algorithms.seeded import rounds
from fedbounds.problems import (
    FactorPairs,
    FederatedQuadratic,
    everyone,
    pretraining,
    softmax_clients,
)
from fedbounds.problems.ridge_powers import RidgePowers
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.enumerated import one_state
from fedbounds.verify.measure.subject import Subject
from fedbounds.verify.measure.unrolled import unroll_from

ETA, EPSILON = fmpq(1, 7), fmpq(1, 3)


def rationals(values):
    return np.vectorize(fmpq, otypes=[object])(np.array(values))


def quadratics(seed, C=2, p=2, rank=1, n=2):
    rng = np.random.default_rng(seed)
    H = rng.integers(-1, 2, (n, C * p, C * p))
    inner = FederatedQuadratic(
        rationals(H + H.swapaxes(1, 2)), rationals(rng.integers(-2, 3, (n, C * p))), C * p
    )
    own = FactorPairs(inner, rationals(rng.integers(-2, 3, C * p)), C, rank, fmpq(3))
    return own, own.start(rng.integers(-2, 3, (rank, p)))


def subject(own, start, K=2, count=2, algorithm=virtual_path.VIRTUAL, apart=0):
    """LoRA-FedZO: every entry of a pair is perturbed."""
    values = {"mask": (1,) * own.shared_dimension, "eta": ETA, "epsilon": EPSILON, "K": K,
              "own": apart}  # fmt: skip
    return Subject(algorithm, Clients(own), start, values, count)


def rightly(own, start, seed=0, **more):
    """Whether rounds are those of lists, on equal draws: one direction of all clients."""
    found = run(subject(own, start, **more), rows=2, seed=seed)
    inner, shape = own.objective, (own.rows, own.columns, own.rank)
    clients = list(zip(inner.hessian.tolist(), inner.linear.tolist(), strict=True))
    fixed = oracle.rows_of(own.fixed.tolist(), own.columns)
    for row in range(2):
        pair = oracle.pair_of(start.tolist(), *shape)
        for t, drawn in enumerate(found.draws):
            z = [oracle.pair_of(one, *shape) for one in drawn["z"][row, 0].tolist()]
            flat, _ = oracle.a_round(
                clients, fixed, pair, own.alpha, [z] * len(clients), EPSILON, ETA
            )
            if found.states[t + 1]["x"][row].tolist() != flat:
                return False
            pair = oracle.pair_of(flat, *shape)
    return True


SIZES = st.sampled_from([(1, 2, 1), (2, 2, 1), (2, 3, 2), (3, 1, 1)])


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), SIZES, st.integers(1, 3), st.integers(1, 3))
def test_rounds_are_those_of_lists(seed, sizes, n, K):
    own, start = quadratics(seed, *sizes, n)
    assert rightly(own, start, seed, K=K)


def test_clients_and_server_do_the_same():
    """The rounds that a server replays are those that clients make."""
    ridge = RidgePowers(rationals([1, 2, 2, 1]), rationals([1, 2]), rationals([1, 0]))
    own = FactorPairs(ridge, rationals([1, 2, 2, 4]), 2, 1, fmpq(2))
    start = own.start([[1, -1]])
    one, other = (
        run(subject(own, start, algorithm=x), seed=5)
        for x in (sparse_zeroth_order.ROUNDS, virtual_path.VIRTUAL)
    )
    for a, b in zip(one.states, other.states, strict=True):
        assert (a["x"] == b["x"]).all()


# ---- planted errors


class Forgotten(FactorPairs):
    """alpha where alpha/rho belongs."""

    @property
    def scale(self):
        return self.alpha


class Frozen(FactorPairs):
    """A is not perturbed: its entries in a direction do nothing."""

    def factors(self, z):
        first, second = super().factors(z)
        return first, second * 0 + 1


@pytest.mark.parametrize("kind", [Forgotten, Frozen])
def test_planted_errors_of_a_pair_are_caught(kind):
    own, start = quadratics(3, 2, 3, 2)
    given_ = (own.objective, own.fixed, own.rows, own.rank, own.alpha)
    assert rightly(FactorPairs(*given_), start)
    assert not rightly(kind(*given_), start)


def test_directions_of_their_own_are_caught():
    """The oracle has one direction of all clients: with others for each the rounds differ."""
    own, start = quadratics(3)
    assert rightly(own, start)
    assert not rightly(own, start, apart=1)


def test_a_step_less_is_caught():
    own, start = quadratics(3)
    late = replace(virtual_path.LAST_UNUSED, name="planted")
    assert not rightly(own, start, algorithm=late)


def test_a_server_that_averages_matrices_is_another():
    """The mean of B_k A_k is no product of the means; with one client it is."""
    for n, same in ((1, True), (2, False)):
        own, start = quadratics(3, n=n)
        found = run(subject(own, start, count=1), rows=1)
        z = [oracle.pair_of(x, 2, 2, 1) for x in found.draws[0]["z"][0, 0].tolist()]
        inner = own.objective
        fixed, pair = oracle.rows_of(own.fixed.tolist(), 2), oracle.pair_of(start.tolist(), 2, 2, 1)
        ends = []
        for client in zip(inner.hessian.tolist(), inner.linear.tolist(), strict=True):
            flat, _ = oracle.a_round([client], fixed, pair, own.alpha, [z], EPSILON, ETA)
            ends.append(own.weights(rationals([flat]))[0])
        mean = sum(ends) / n
        assert (own.weights(found.states[1]["x"])[0] == mean).all() is np.bool_(same)


# ---- what is known of the estimate


def derivative(f, x, at, step=1):
    """Exact for polynomials of degree 4."""
    unit = rationals([int(j == at) for j in range(len(x))]) * step
    return (f(x - unit * 2) - f(x - unit) * 8 + f(x + unit) * 8 - f(x + unit * 2)) / (12 * step)


def laplacian(f, x):
    """The same, of second derivatives."""
    total = fmpq(0)
    for at in range(len(x)):
        unit = rationals([int(j == at) for j in range(len(x))])
        total += (-f(x - unit * 2) + f(x - unit) * 16 - f(x) * 30 + f(x + unit) * 16
                  - f(x + unit * 2)) / 12  # fmt: skip
    return total


def test_the_mean_estimate_is_the_gradient_and_half_epsilon_squared_that_of_the_laplacian():
    """f has degree 4 in a pair: E g z = grad f + epsilon^2/2 grad(laplacian f), and no more.

    So that the estimate is biased though f is quadratic in W.
    """
    own, _ = quadratics(1, n=1)
    x = rationals([1, -1, 2, 1])
    one = unroll_from(subject(own, x, K=1, count=1), one_state(subject(own, x, K=1, count=1)))

    def f(point):
        return own.value(point[None], everyone(1, 1))[0]

    every, biases = range(len(one.variables.sources)), []
    for at in range(4):
        mean = one.variables.mean(one.after["x"][0, at], every)
        (number,) = one.variables.terms(mean).values()
        slope, bent = derivative(f, x, at), derivative(lambda y: laplacian(f, y), x, at)
        assert number == x[at] - ETA * (slope + EPSILON**2 * bent / 2)
        biases.append(bent)
    assert any(x != 0 for x in biases)


# ---- a linear layer of ten classes, bytes


def trained(problem, start, at, eta):
    """Five rounds of four steps on seeds; ``at`` takes what is trained to all weights."""
    seeds = np.arange(20).reshape(5, 4)
    found = rounds(
        lambda models, pointers: problem.on_batch(at(models), pointers), start,
        clients=problem.clients, eta=eta, epsilon=1e-3, seeds=seeds,
    )  # fmt: skip
    first, last = (
        problem.value(np.repeat(at(x[None]), problem.clients, axis=0), everyone(4, 1)).mean()
        for x in (found.models[0], found.models[-1])
    )
    return found, last - first


@pytest.mark.parametrize("split", ["IID", "Dirichlet", "single label"])
def test_a_pair_a_mask_and_all_weights_exchange_what_they_train(split):
    problem = softmax_clients(split, classes=10, dimension=64, samples=40)
    pair = FactorPairs(problem, np.zeros(640), 10, 2, 16.0)
    mask = by_squared_gradient(Clients(pretraining(problem, dial=0.0)), np.zeros(640), 64)
    kept = np.flatnonzero(mask)

    def masked(models):
        whole = np.zeros((len(models), 640))
        whole[:, kept] = models
        return whole

    starts = {
        148: (pair.gaussian_start(0), pair.weights, 1e-5),
        64: (np.zeros(64), masked, 1e-2),
        640: (np.zeros(640), lambda models: models, 1e-3),
    }  # a step size of each
    for size, own in starts.items():
        found, change = trained(problem, *own)
        assert found.models.shape == (6, size)
        assert found.down.tolist() == [5 * (4 * size + 4 * 8)] * 4
        assert found.up.tolist() == [5 * 4 * 4] * 4
        assert change < 0
