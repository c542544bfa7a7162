"""Factor pairs: values and gradients against lists, what a pair is, minimisers, what is refused."""

import array_api_strict as strict
import lora_oracle as oracle
import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.facts import Fact
from fedbounds.problems import (
    FactorPairs,
    FederatedQuadratic,
    LowRank,
    Noise,
    NoiseLaw,
    cohort_of,
    coupled_cosine,
    everyone,
    softmax_clients,
    to_float,
    to_namespace,
)
from fedbounds.problems.ridge_powers import RidgePowers
from fedbounds.verify.measure.clients import Clients


def rationals(values):
    return np.vectorize(fmpq, otypes=[object])(np.array(values))


@st.composite
def drawn(draw):
    """A problem of two clients, the same as lists, and four pairs."""
    C, p = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    rank, alpha = draw(st.integers(1, min(C, p))), draw(st.sampled_from([fmpq(3), fmpq(1, 2)]))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    H = rng.integers(-2, 3, (2, C * p, C * p))
    inner = FederatedQuadratic(
        rationals(H + H.swapaxes(1, 2)), rationals(rng.integers(-2, 3, (2, C * p))), C * p
    )
    fixed = rationals(rng.integers(-2, 3, C * p))
    own = FactorPairs(inner, fixed, C, rank, alpha)
    return own, rationals(rng.integers(-3, 4, (4, own.shared_dimension)))


def as_lists(own):
    inner = own.objective
    clients = list(zip(inner.hessian.tolist(), inner.linear.tolist(), strict=True))
    return clients, oracle.rows_of(own.fixed.tolist(), own.columns)


def agrees(own, z):
    """Whether values and gradients are those of lists, whatever the clients of rows are."""
    clients, fixed = as_lists(own)
    whole, some = everyone(2, 2), cohort_of(np.array([[1, 0], [1, 1]]))
    for cohort, client in ((whole, (0, 0, 1, 1)), (some, (0, 1, 1))):
        own_rows = z[: len(client)]
        values, gradients = own.value(own_rows, cohort), own.gradient(own_rows, cohort)
        for row, k in enumerate(client):
            pair = oracle.pair_of(own_rows[row].tolist(), own.rows, own.columns, own.rank)
            if values[row] != oracle.loss(clients[k], fixed, pair, own.alpha):
                return False
            slopes = oracle.entries_of(oracle.slopes(clients[k], fixed, pair, own.alpha))
            if gradients[row].tolist() != slopes:
                return False
    return True


@given(drawn())
def test_values_and_gradients_are_those_of_lists(case):
    assert agrees(*case)


@given(drawn(), st.data())
def test_gradients_are_those_of_differences_that_are_exact_for_degree_four(case, data):
    own, z = case
    at = data.draw(st.integers(0, own.shared_dimension - 1))
    unit = rationals([int(j == at) for j in range(own.shared_dimension)])

    def value(times):
        return own.value(z + unit * times, everyone(2, 2))

    slope = (value(-2) - value(-1) * 8 + value(1) * 8 - value(2)) / 12
    assert (own.gradient(z, everyone(2, 2))[:, at] == slope).all()


@given(drawn(), st.integers(1, 5))
def test_a_product_alone_counts(case, factor):
    """(c B, A/c) is the same matrix; at B = 0 it is W_0, and A has no slope."""
    own, z = case
    at = own.rows * own.rank
    scaled = np.concatenate([z[:, :at] * factor, z[:, at:] / fmpq(factor)], axis=1)
    assert (own.weights(z) == own.weights(scaled)).all()
    second = z[:1, at:].reshape(own.rank, own.columns)
    start = own.start(second)
    assert start[:at].tolist() == [0] * at
    assert (own.factors(start[None])[1][0] == second).all()
    assert (own.weights(start[None])[0] == own.fixed).all()
    assert (own.gradient(np.stack([start] * 2), everyone(2, 1))[:, at:] == 0).all()


def test_a_gaussian_start_has_the_spread_that_is_said():
    inner = softmax_clients("IID", classes=10, dimension=64)
    own = FactorPairs(inner, np.zeros(640), 10, 4, 16.0)
    start = own.gaussian_start(3)
    assert start.dtype == np.float64
    assert (start[:40] == 0).all()
    assert abs(start[40:].std() - 1 / 4) < 0.03
    assert (start == own.gaussian_start(3)).all()
    assert (start != own.gaussian_start(4)).any()


# ---- planted errors


class Forgotten(FactorPairs):
    """Planted: alpha where alpha/rho belongs."""

    @property
    def scale(self):
        return self.alpha


class Swapped(FactorPairs):
    """Planted: A' G where B' G belongs, of square shapes."""

    def factors(self, z):
        first, second = super().factors(z)
        return second, first


def planted():
    rng = np.random.default_rng(0)
    H = rng.integers(-2, 3, (2, 4, 4))
    inner = FederatedQuadratic(rationals(H + H.swapaxes(1, 2)), rationals([[1, 0, 2, 1]] * 2), 4)
    arguments = (inner, rationals([1, 0, 2, 1]), 2, 2, fmpq(3))
    return arguments, rationals(rng.integers(-3, 4, (4, 8)))


@pytest.mark.parametrize("kind", [Forgotten, Swapped])
def test_planted_errors_are_caught(kind):
    arguments, z = planted()
    assert agrees(FactorPairs(*arguments), z)
    assert not agrees(kind(*arguments), z)


# ---- array libraries and other families


def test_the_strict_array_library_gives_the_same():
    inner = softmax_clients("Dirichlet", clients=3, classes=4, dimension=5)
    own = FactorPairs(inner, np.linspace(-1, 1, 20), 4, 2, 16.0)
    y = np.random.default_rng(0).standard_normal((2, 3, own.shared_dimension))
    one, other = Clients(own), Clients(to_namespace(own, strict), strict)
    for name in ("value", "gradient"):
        found = getattr(other, name)(strict.asarray(y))
        assert isinstance(found, type(strict.asarray(y)))
        np.testing.assert_allclose(np.asarray(found), getattr(one, name)(y), atol=1e-13)


def test_a_linear_layer_has_slopes_of_differences():
    inner = softmax_clients("single label", classes=10, dimension=64, samples=20)
    own = Clients(FactorPairs(inner, np.zeros(640), 10, 3, 16.0))
    rng = np.random.default_rng(0)
    y, z = rng.standard_normal((2, 1, 4, own.dimension)) / 4
    step = 1e-5
    slope = (own.value(y + step * z) - own.value(y - step * z)) / (2 * step)
    np.testing.assert_allclose(slope, (own.gradient(y) * z).sum(axis=2), rtol=1e-6)


def test_least_squares_of_low_rank_are_exact_problems():
    rng = np.random.default_rng(1)
    inner = LowRank(rationals(rng.integers(-2, 3, (2, 4, 2))), rationals([[1, 0], [2, 1]]))
    own, same = (FactorPairs(x, rationals([1, 0, 0, 2]), 2, 1, fmpq(2))
                 for x in (inner, inner.quadratic()))  # fmt: skip
    assert Clients(inner).exact
    assert not Clients(to_float(inner)).exact
    z = rationals(rng.integers(-3, 4, (2, 4)))
    assert (own.gradient(z, everyone(2, 1)) == same.gradient(z, everyone(2, 1))).all()


# ---- minimisers


RIDGE = RidgePowers(rationals([1, 2, 2, 1, 0, 1]), rationals([1, 2]), rationals([3, 0]))


@given(st.integers(0, 10**6), st.integers(1, 2))
def test_a_minimiser_that_the_rank_reaches_is_one(seed, rank):
    rng = np.random.default_rng(seed)
    first, second = rng.integers(-2, 3, (2, rank)), rng.integers(-2, 3, (rank, 3))
    own = FactorPairs(RIDGE, rationals((first @ second).reshape(-1)), 2, rank, fmpq(3))
    best = own.minimisers
    assert (own.weights(best) == 0).all()
    assert (own.value(best, everyone(2, 1)) == 0).all()
    assert (own.gradient(best, everyone(2, 1)) == 0).all()
    np.testing.assert_allclose(to_float(own).minimisers, best.astype(float), atol=1e-12)


def test_what_it_says_of_itself():
    own = FactorPairs(RIDGE, rationals([0] * 6), 2, 1, 16)
    assert own.satisfies(Fact.CONVEX).holds is None
    assert own.constants(None) == {}
    assert own.exact
    assert not to_float(own).exact


# ---- bad input

QUADRATIC = FederatedQuadratic(rationals([np.eye(6, dtype=int)]), rationals([[1] * 6]), 6)
NOISY = FederatedQuadratic(
    QUADRATIC.hessian, QUADRATIC.linear, 6, Noise(NoiseLaw.RADEMACHER, fmpq(1), fmpq(0))
)
ZERO = rationals([0] * 6)
FAR = rationals([1, 0, 0, 0, 1, 0])


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: FactorPairs(QUADRATIC, ZERO, 2, 0, 16), r"rank rho is 0; expected 1 to min"),
        (lambda: FactorPairs(QUADRATIC, ZERO, 2, 3, 16), r"rank rho is 3; expected .* = 2"),
        (lambda: FactorPairs(QUADRATIC, ZERO, 4, 1, 16), "rows C is 4; expected a divisor of d"),
        (lambda: FactorPairs(QUADRATIC, ZERO, 0, 1, 16), "rows C is 0"),
        (lambda: FactorPairs(QUADRATIC, ZERO[:5], 2, 1, 16), "shape of the fixed matrix, flat"),
        (lambda: FactorPairs(QUADRATIC, ZERO, 2, 1, 0), "alpha is 0; expected a finite number > 0"),
        (lambda: FactorPairs(NOISY, ZERO, 2, 1, 16), "noise of the objective is 1; expected 0"),
        (lambda: FactorPairs(coupled_cosine(clients=2, shared_dimension=2, personal_dimension=1),
                             ZERO[:2], 2, 1, 16), "personal dimension of the objective is 1"),
        (lambda: FactorPairs(QUADRATIC, ZERO, 2, 1, 16).start(np.ones((2, 3))),
         r"shape of A is \(2, 3\); expected \(1, 3\)"),
        (lambda: FactorPairs(QUADRATIC, ZERO, 2, 1, 16).minimisers, "are not known"),
        (lambda: FactorPairs(RIDGE, FAR, 2, 1, 16).minimisers,
         "rank from W_0 to the minimiser of RidgePowers is 2; expected at most rho = 1"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_a_line(call, told):
    with pytest.raises(FedboundsError, match=told) as error:
        call()
    assert "\n" not in str(error.value)
