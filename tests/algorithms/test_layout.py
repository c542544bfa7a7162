"""Models stand in memory client by client, so that no function of an objective copies them."""

import numpy as np
import pytest

from fedbounds.algorithms import virtual_path
from fedbounds.problems import LowRank
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.samples import stream

ROWS, CLIENTS, STEPS, D = 5, 3, 4, 6


@pytest.fixture
def problem():
    rng = stream(0, 0, 0)
    factors, targets = rng.standard_normal((CLIENTS, D, 2)), rng.standard_normal((CLIENTS, 2))
    return Clients(LowRank(factors, targets))


def by_client(models):
    """Whether a client's models are next to each other."""
    return models.transpose(1, 0, 2).flags.c_contiguous


def test_local_steps_keep_it(problem):
    rng = stream(0, 0, 1)
    p = {"eta": 0.1, "epsilon": 0.1}
    drawn = {
        "z": rng.standard_normal((ROWS, 1, STEPS, D)),
        "noise": np.broadcast_to(np.zeros(1), (ROWS, CLIENTS, STEPS, D)),
    }
    scalars, reached = virtual_path.sent(problem, p, rng.standard_normal((ROWS, D)), drawn)
    assert scalars.shape == (ROWS, CLIENTS, STEPS)
    assert by_client(reached)


def test_models_that_are_otherwise_are_told_apart(problem):
    x = stream(0, 0, 2).standard_normal((ROWS, D))
    assert by_client(problem.spread(x))
    assert not by_client(np.stack([x] * CLIENTS, axis=1))
