"""Noise has mean zero and the declared variance, exactly where its law can be enumerated."""

from itertools import product

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.problems import SILENT, Noise, NoiseLaw
from fedbounds.problems.arrays import to_float, to_rational


@pytest.mark.parametrize("shape", [(1,), (3,), (4, 5), (2, 3, 7)])
@pytest.mark.parametrize(("d_u", "d_v"), [(2, 1), (0, 3), (1, 0)])
@pytest.mark.parametrize("law", list(NoiseLaw))
def test_samples_have_the_shape_asked_for(law, d_u, d_v, shape):
    values = Noise(law, 0.5, 2.0).sample(np.random.default_rng(0), shape, d_u, d_v)
    assert values.shape == (*shape, d_u + d_v)
    assert values.dtype == np.float64


def test_rademacher_noise_is_plus_or_minus_its_scale():
    values = Noise(NoiseLaw.RADEMACHER, 0.25, 3.0).sample(np.random.default_rng(1), (999,), 2, 1)
    assert (np.abs(values) == [0.25, 0.25, 3.0]).all()


def test_rademacher_signs_enumerate_to_the_declared_moments():
    """Every sign pattern of one sample once: mean 0, covariance diag(scale^2)."""
    scales = np.array(Noise(NoiseLaw.RADEMACHER, 0.5, 2.0).scales(2, 1))
    patterns = np.array(list(product((-1.0, 1.0), repeat=3))) * scales
    np.testing.assert_array_equal(patterns.mean(axis=0), np.zeros(3))
    np.testing.assert_array_equal(patterns.T @ patterns / 8, np.diag(scales**2))


def test_rademacher_patterns_are_equally_likely():
    count = 16_000
    rng = np.random.default_rng(2)
    signs = Noise(NoiseLaw.RADEMACHER, 1.0, 1.0).sample(rng, (count,), 2, 1) > 0
    _, seen = np.unique(signs @ [1, 2, 4], return_counts=True)
    assert len(seen) == 8
    assert (np.abs(seen - count / 8) <= 5 * np.sqrt(count * 7 / 64)).all()


@pytest.mark.parametrize("law", list(NoiseLaw))
def test_sampled_moments_are_the_declared_ones(law):
    count = 20_000
    scales = np.array([0.5, 0.5, 2.0])
    values = Noise(law, 0.5, 2.0).sample(np.random.default_rng(3), (count,), 2, 1)
    assert (np.abs(values.mean(axis=0)) <= 5 * scales / np.sqrt(count)).all()
    product_of = np.outer(scales, scales)
    # an entry of the covariance has standard deviation at most sqrt(2) times the product of scales
    error = 5 * np.sqrt(2 / count) * product_of
    assert (np.abs(values.T @ values / count - np.diag(scales**2)) <= error).all()


def test_coordinates_steps_and_rows_are_uncorrelated():
    """Bits are unpacked from bytes: neighbours must not repeat."""
    values = Noise(NoiseLaw.RADEMACHER, 1.0, 1.0).sample(np.random.default_rng(4), (64_000,), 1, 0)
    flat = values[:, 0]
    for lag in (1, 2, 3, 7, 8, 16, 64):
        assert abs((flat[lag:] * flat[:-lag]).mean()) <= 5 / np.sqrt(flat.size - lag)


@given(st.integers(0, 2**32), st.sampled_from(list(NoiseLaw)))
def test_the_same_generator_gives_the_same(seed, law):
    first, second = (
        Noise(law, 1.0, 0.5).sample(np.random.default_rng(seed), (3, 5), 1, 2) for _ in range(2)
    )
    np.testing.assert_array_equal(first, second)


def test_no_noise_is_none_and_takes_no_randomness():
    rng = np.random.default_rng(5)
    before = rng.bit_generator.state
    assert SILENT.sample(rng, (3,), 2, 1) is None
    # only the scales of blocks that exist count
    assert Noise(NoiseLaw.GAUSSIAN, 0.0, 1.0).sample(rng, (3,), 2, 0) is None
    assert rng.bit_generator.state == before


def test_a_silent_block_stays_silent():
    values = Noise(NoiseLaw.GAUSSIAN, 0.0, 1.0).sample(np.random.default_rng(6), (50,), 1, 1)
    assert (values[:, 0] == 0.0).all()
    assert (values[:, 1] != 0.0).all()


def test_scales_are_one_per_coordinate_shared_first():
    assert Noise(NoiseLaw.GAUSSIAN, 1.5, 2.5).scales(2, 3) == [1.5, 1.5, 2.5, 2.5, 2.5]
    assert SILENT.scales(0, 0) == []


def test_scales_may_be_rationals():
    noise = to_rational(Noise(NoiseLaw.RADEMACHER, 0.1, 0.5))
    assert noise.scale_v == fmpq(1, 2)
    assert noise.scale_u == fmpq(*(0.1).as_integer_ratio())
    assert to_float(noise) == Noise(NoiseLaw.RADEMACHER, 0.1, 0.5)


@pytest.mark.parametrize("wrong", [-1.0, float("nan"), float("inf"), fmpq(-1, 2)])
@pytest.mark.parametrize("name", ["scale_u", "scale_v"])
def test_a_scale_that_is_negative_or_not_finite_is_refused(name, wrong):
    with pytest.raises(FedboundsError, match=rf"noise {name} is .*; expected a finite number >= 0"):
        Noise(NoiseLaw.GAUSSIAN, **({"scale_u": 1.0, "scale_v": 1.0} | {name: wrong}))
