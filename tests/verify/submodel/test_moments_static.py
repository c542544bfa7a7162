"""Exact moments under static masks."""

import numpy as np
import pytest
from flint import fmpq
from masked_moments_cases import float_start, floats, quadratic, same, start, traced

from fedbounds.algorithms import static_masks
from fedbounds.algorithms.static_masks import StaticMasks
from fedbounds.errors import FedboundsError
from fedbounds.problems import to_float
from fedbounds.problems.domain import Box
from fedbounds.verify.submodel.moments_static import static_moments, static_round

STEP = fmpq(1, 4)
NESTED = [[1, 0], [1, 1]]


@pytest.mark.parametrize("over_holders", [True, False])
@pytest.mark.parametrize(("K", "noise", "rounds"), [(2, 0.5, 1), (1, 0.5, 2), (3, 0.0, 4)])
def test_moments_equal_those_of_every_outcome(over_holders, K, noise, rounds):
    problem, begun = quadratic(2, 2, noise), start(2, 2)
    algorithm = StaticMasks(NESTED, K, STEP, over_holders)
    found = static_moments(problem, algorithm, begun, rounds)
    same(found, traced(problem, algorithm, begun, rounds))


@pytest.mark.parametrize("over_holders", [True, False])
def test_a_coordinate_that_nobody_holds_keeps_its_value(over_holders):
    problem, begun = quadratic(2, 3, 0.5), start(2, 3)
    algorithm = StaticMasks([[1, 1, 0], [0, 1, 0]], 2, STEP, over_holders)
    found = static_moments(problem, algorithm, begun, 3)
    assert (found.mean[:, 2] + found.centre[2] == begun.u[2]).all()
    assert (found.covariance[:, 2] == 0).all()
    assert (np.diagonal(found.covariance[3])[:2] > 0).all()


@pytest.mark.parametrize("over_holders", [True, False])
def test_floats_agree_with_rationals_within_their_bounds(over_holders):
    problem, begun = quadratic(2, 2, 0.25), start(2, 2)
    algorithm = StaticMasks(NESTED, 3, STEP, over_holders)
    exact = static_moments(problem, algorithm, begun, 6)
    found = static_moments(to_float(problem), algorithm, float_start(begun), 6)
    gap = found.mean + found.centre - floats(exact.mean + exact.centre)
    assert (np.linalg.norm(gap, axis=1) <= found.mean_error + 1e-15).all()
    by_covariance = np.linalg.norm(found.covariance - floats(exact.covariance), 2, axis=(1, 2))
    assert (by_covariance <= found.covariance_error).all()
    assert found.covariance_error.max() < 1e-11


def test_a_round_that_is_not_affine_is_refused(monkeypatch):
    server = static_masks.server

    def bent(algorithm, carry, drawn, reached):
        return server(algorithm, carry, drawn, reached * reached)

    monkeypatch.setattr(static_masks, "server", bent)
    with pytest.raises(FedboundsError, match="a round of StaticMasks is not what"):
        static_round(quadratic(2, 2), StaticMasks(NESTED, 1, STEP))


def test_projection_is_refused():
    with pytest.raises(FedboundsError, match="domain is Box"):
        static_round(quadratic(2, 2), StaticMasks(NESTED, 1, STEP, domain=Box(0, 1)))
