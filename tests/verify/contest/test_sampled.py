"""Common random numbers, and the paired interval."""

from itertools import islice

import numpy as np
import pytest

from fedbounds.algorithms.fedavg_p import FedAvgP, with_effective_step
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.verify.contest.field import Family, Shape, ground
from fedbounds.verify.contest.passage import Ending, Passage
from fedbounds.verify.contest.recursion import error_recursion
from fedbounds.verify.contest.sampled import Draws, log_ratio, race, running_errors

ERROR = {"G_u": 1.0, "G_v": 0.4}


def _after(here, algorithms, rounds, draws):
    runs = running_errors(here, dict(algorithms), ERROR, draws)
    return next(islice(runs, rounds - 1, None))


def _two(m, steps, step=0.2):
    common = vars(with_effective_step(m, steps, step, np.sqrt(m)))
    return {"a": FedAvgP(**common), "s": ScaffoldP(**common)}


@pytest.mark.parametrize("family", [Family.COSINE, Family.LOGISTIC])
def test_all_meet_the_same_draws(family):
    """With m = n and K = 1 the corrections of Scaffold-P add up to zero: one algorithm."""
    here = ground(Shape(family, clients=3), 1.0)
    found = _after(here, _two(3, 1), 6, Draws(16, 0, 0))
    assert found["a"].std() > 1e-4
    np.testing.assert_allclose(found["a"], found["s"], rtol=1e-12)
    other = _after(here, _two(3, 1), 6, Draws(16, 0, 1))
    assert abs(found["a"] - other["s"]).max() > 1e-4  # other draws are told apart


def test_with_few_participants_they_are_two():
    here = ground(Shape(Family.COSINE, clients=3), 1.0)
    found = _after(here, _two(1, 2), 6, Draws(16, 0, 0))
    assert abs(found["a"] - found["s"]).max() > 1e-3


@pytest.mark.parametrize("kind", [FedAvgP, ScaffoldP])
def test_means_are_the_exact_expectations(kind):
    here = ground(Shape(clients=5, noise=0.3), 2.0)
    algorithm = kind(**vars(with_effective_step(2, 2, 0.1, np.sqrt(2))))
    found = _after(here, {"x": algorithm}, 8, Draws(4096, 0, 0))["x"]
    values = error_recursion(here.problem, algorithm, here.start, ERROR).values()
    exact = np.concatenate(list(islice(values, 5)))[:8].mean()
    assert abs(found.mean() - exact) < 4 * found.std() / np.sqrt(len(found))
    assert found.std() / np.sqrt(len(found)) < 0.02 * exact


def test_a_race_drops_what_is_settled():
    here = ground(Shape(Family.COSINE, clients=3), 1.0)
    live = {
        f"a {i}": FedAvgP(**vars(with_effective_step(3, 2, g))) for i, g in enumerate((0.3, 1e-4))
    }
    live["b 0"] = FedAvgP(**vars(with_effective_step(3, 2, 1e5)))
    names = {label: label[0] for label in live}
    runs = running_errors(here, live, ERROR, Draws(8, 0, 0))
    found = race(runs, live, names, 0.5, 50)
    assert found["a"][0] == "a 0"
    assert found["a"][1].ending is Ending.REACHED
    assert found["b"][1].ending is Ending.DIVERGED
    assert live == {}


def test_what_is_not_reached_is_late():
    here = ground(Shape(Family.COSINE, clients=3), 1.0)
    live = {"a 0": FedAvgP(**vars(with_effective_step(3, 2, 1e-4)))}
    runs = running_errors(here, live, ERROR, Draws(8, 0, 0))
    assert race(runs, live, {"a 0": "a"}, 1e-3, 5) == {"a": ("a 0", Passage(Ending.LIMIT, 5))}


def test_the_interval_covers_as_often_as_it_says():
    rng = np.random.default_rng(0)
    missed = 0
    for _ in range(2000):
        common = rng.gamma(4.0, 1.0, 100)
        first, second = common + rng.gamma(1.0, 1.0, 100), common + rng.gamma(2.0, 1.0, 100)
        found = log_ratio(first, second, 1, 0.05)
        missed += not found.low <= np.log(5.0 / 6.0) <= found.high
    assert 0.035 < missed / 2000 < 0.07


def test_pairing_is_what_makes_it_narrow():
    rng = np.random.default_rng(0)
    common = rng.gamma(4.0, 1.0, 500)
    first, second = common + rng.gamma(0.1, 1.0, 500), common + rng.gamma(0.1, 1.0, 500)
    paired = log_ratio(first, second, 1, 0.05)
    shuffled = log_ratio(first, rng.permutation(second), 1, 0.05)
    assert (paired.high - paired.low) < 0.5 * (shuffled.high - shuffled.low)


def test_equal_errors_have_no_winner():
    found = log_ratio(np.arange(1.0, 9.0), np.arange(1.0, 9.0), 1, 0.05)
    assert (found.low, found.middle, found.high) == (0.0, 0.0, 0.0)
