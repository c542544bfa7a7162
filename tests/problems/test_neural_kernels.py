"""Gram matrices of networks against lists, derivatives, arccos and many random neurons."""

from math import log, sqrt

import array_api_strict as strict
import bridge
import mpmath
import numpy as np
import pytest
import relu_oracle as oracle
from flint import arb, fmpq
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.problems import everyone, to_float, to_namespace
from fedbounds.problems.neural_kernels import (
    crossed_gram,
    gram,
    infinite_gram,
)
from fedbounds.problems.relu_network import ReluNetwork
from fedbounds.problems.spectrum import in_arbs

# of length 1, no two parallel
UNITS = bridge.exact(
    [[fmpq(x, 65), fmpq(y, 65)] for x, y in ((39, 52), (52, -39), (33, 56), (-25, 60), (16, 63))]
)


def drawn(seed, m):
    """A network of two clients with two samples each, and two models."""
    rng = np.random.default_rng(seed)
    data = (rng.integers(-2, 3, (2, 2, 3)), rng.integers(-2, 3, (2, 2)), rng.choice([-1, 1], m))
    own = ReluNetwork(*map(bridge.exact, data))
    return own, *(bridge.exact(x) for x in rng.integers(-2, 3, (2, m * 3)))


# ---- matrices


def of_lists(own, z, other):
    W, V = (bridge.fractions(x.reshape(own.width, -1)) for x in (z, other))
    samples = bridge.fractions(own.features.reshape(-1, own.inputs))
    return [[oracle.kernel(W, V, x, y) for y in samples] for x in samples]


@given(st.integers(0, 10**6), st.integers(1, 4))
def test_grams_are_those_of_lists(seed, m):
    own, z, other = drawn(seed, m)
    whole = of_lists(own, z, other)
    assert bridge.fractions(gram(own, z)) == of_lists(own, z, z)
    for c in (0, 1):
        found = bridge.fractions(crossed_gram(own, z, other, c))
        assert found == [row[2 * c : 2 * c + 2] for row in whole]
        np.testing.assert_allclose(
            crossed_gram(to_float(own), z.astype(float), other.astype(float), c),
            np.array(found, dtype=float),
        )


@given(st.integers(0, 10**6), st.sampled_from([1, 4]))
def test_a_gram_is_that_of_derivatives(seed, m):
    """H(t)_ij = (J J')_ij of one client that has all samples."""
    own, z, _ = drawn(seed, m)
    one = ReluNetwork(own.features.reshape(1, 4, 3), own.targets.reshape(1, 4), own.signs)
    cohort, units = everyone(1, 4), bridge.exact(np.eye(4, dtype=int))
    at = np.stack([z] * 4)
    J = one.cotangent(at, units, cohort)
    assert (gram(own, z) == J @ J.T).all()
    transposed = crossed_gram(one, z, -z, 0).T
    assert (transposed == crossed_gram(one, -z, z, 0)).all()


def test_exact_grams_of_balls_and_of_any_width():
    own, z, _ = drawn(1, 3)
    assert own.irrational
    assert (gram(own, in_arbs(z)) == gram(own, z)).all()
    with pytest.raises(FedboundsError, match="sign is known"):
        gram(own, np.array([arb(0, 1)] * 9, dtype=object))


def test_the_strict_array_library_gives_the_same():
    own, z, other = drawn(2, 4)
    own, z, other = to_float(own), z.astype(float), other.astype(float)
    there, *at = (to_namespace(own, strict), strict.asarray(z), strict.asarray(other))
    X, (one, two) = own.features.reshape(-1, 3), at
    pairs = (
        (gram(there, one), gram(own, z)),
        (crossed_gram(there, one, two, 1), crossed_gram(own, z, other, 1)),
        (infinite_gram(strict.asarray(X)), infinite_gram(X)),
    )
    for found, wanted in pairs:
        assert isinstance(found, type(at[0]))
        np.testing.assert_allclose(np.asarray(found), wanted, atol=1e-14)


def test_the_expected_gram_is_near_that_of_many_neurons():
    """By Hoeffding's inequality an entry, a mean of m numbers in [0, 1] times x_i'x_j."""
    m, chance, X = 40_000, 1e-9, UNITS.astype(float)
    own = ReluNetwork(X[None], np.zeros((1, 5)), np.ones(m))
    W = np.random.default_rng(0).standard_normal(2 * m)
    reach = sqrt(log(2 * 25 / chance) / (2 * m))
    apart = np.abs(gram(own, W) - infinite_gram(X))
    assert (apart <= reach * np.abs(X @ X.T) + 1e-12).all()
    halved = infinite_gram(X) / 2  # planted: 4 pi where 2 pi belongs
    assert (np.abs(gram(own, W) - halved) > reach).any()


@given(st.integers(0, 10**6))
def test_balls_are_those_of_arccos_and_floats_are_near(seed):
    X = np.random.default_rng(seed).integers(-3, 4, (4, 2))
    balls, floats = infinite_gram(bridge.exact(X)), infinite_gram(X.astype(float))
    with mpmath.workdps(40):
        for i, x in enumerate(X.tolist()):
            for j, y in enumerate(X.tolist()):
                dot, size = oracle.dot(x, y), mpmath.sqrt(oracle.dot(x, x) * oracle.dot(y, y))
                angle = mpmath.acos(max(-1, min(1, dot / size))) if dot else 0
                wanted = dot * (mpmath.pi - angle) / (2 * mpmath.pi)
                assert balls[i, j].overlaps(arb(mpmath.nstr(wanted, 30)) + arb(0, 1e-25))
                assert balls[i, j].rad() < 1e-13
                assert abs(floats[i, j] - float(wanted)) < 1e-12 * (1 + abs(dot))


def test_diagonals_are_exact():
    found = infinite_gram(UNITS)
    assert all(found[i, i] == fmpq(1, 2) for i in range(5))
    assert (np.diagonal(infinite_gram(UNITS.astype(float))) * 2 - 1 < 1e-15).all()


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: crossed_gram(*drawn(0, 2), 2), "client is 2; expected 0 to 1"),
        (lambda: gram(drawn(0, 2)[0], UNITS[0]), r"model is \(2,\); expected \(6,\)"),
    ],
)
def test_bad_input_is_refused_in_a_line(call, told):
    with pytest.raises(FedboundsError, match=told) as error:
        call()
    assert "\n" not in str(error.value)
