"""Training losses over who takes part, against a simulation client by client and layer by layer."""

import sys
from functools import cache

import numpy as np
import pytest

from fedbounds.theory.language.contests import Contest
from fedbounds.theory.language.setups import Objective
from fedbounds.theory.overparam import contests as own
from fedbounds.theory.overparam.ladders import SHOWN
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.measure.objectives import objective
from fedbounds.verify.setups import contests as module
from fedbounds.verify.setups.contests import contest
from fedbounds.verify.setups.found import known_of, view_of
from fedbounds.verify.setups.sampled import InSamples, sampled_by

RANDOM, DIGITS = own.LOSSES[1], own.LOSSES[0]


@cache
def simulated(count, replicas=40, rounds=20):
    """Means of losses (1), and of fitted rates, with their errors; one layer after another."""
    problem = objective(own.RANDOM[0])
    X, Y = (np.asarray(a, dtype=float) for a in (problem.features, problem.targets))
    found, rng, n = [], np.random.default_rng(count), 20
    C = (16 * 16 * 10) ** -0.5
    for _ in range(replicas):
        W = [rng.standard_normal(shape) for shape in ((16, 64), (16, 16), (10, 16))]
        losses = []
        for _ in range(rounds + 1):
            apart = [C * (W[2] @ W[1] @ W[0] @ X[c].T).T - Y[c] for c in range(n)]
            losses.append(sum((a * a).sum() for a in apart) / 2 / n)
            ends = []
            for c in rng.choice(n, count, replace=False):
                A, B, D = W
                for _ in range(5):
                    back = C * ((C * (D @ B @ A @ X[c].T)) - Y[c].T) / 20
                    A, B, D = (
                        A - B.T @ D.T @ back @ X[c],
                        B - D.T @ back @ X[c] @ A.T,
                        D - back @ X[c] @ A.T @ B.T,
                    )
                ends.append((A, B, D))
            W = [sum(own) / count for own in zip(*ends, strict=True)]
        found.append(losses)
    losses = np.array(found)
    rates = np.log(losses[:, 0] / losses[:, -1]) / rounds
    error = losses.std(axis=0) / replicas**0.5
    return losses.mean(axis=0), error, rates.mean(), rates.std() / replicas**0.5


def test_losses_are_what_another_simulation_has():
    series = contest(RANDOM, Profile.DEFAULT)["series"]
    for count, share in own.SHARES.items():
        mean, error, *_ = simulated(count)
        name = f"{share} of 20 clients, estimate"
        for at, t in enumerate(RANDOM.values):
            low, high = (series[f"{name}, {end}"][at] for end in ("from", "to"))
            assert low - 3 * error[t] < mean[t] < high + 3 * error[t]
    last = [series[f"{share} of 20 clients, estimate"][-1] for share in own.SHARES.values()]
    assert last[0] > last[1] > last[2]


def test_rates_are_those_of_replicas_over_that_of_all():
    series = contest(own.RATES[1], Profile.DEFAULT)["series"]
    *_, unit, unit_error = simulated(20)
    for at, count in enumerate(own.SHARES):
        *_, rate, error = simulated(count)
        low, high = (series[f"trained, estimate, {end}"][at] for end in ("from", "to"))
        slack = 3 * (error + unit_error) / unit
        assert low - slack < rate / unit < high + slack
    assert series["trained, estimate"][-1] == 1
    assert series["(a), 1/|S|"] == [10, 2, 1]
    assert series["(b) to (e), |S|"] == [0.1, 0.5, 1]


def test_losses_of_relu_networks_are_what_another_simulation_has():
    """Neuron by neuron; of everyone, so that starts alone are random."""
    one = own.LOSSES[3]
    problem, rng = objective(own.RELU_RANDOM[0]), np.random.default_rng(1)
    X, y, a = (
        np.asarray(x, dtype=float) for x in (problem.features, problem.targets, problem.signs)
    )
    found = []
    for _ in range(60):
        W, losses = rng.standard_normal((16, 64)), []
        for _ in range(3):
            apart = np.maximum(X @ W.T, 0) @ a / 4 - y
            losses.append((apart**2).sum() / 40)
            ends = []
            for x, t in zip(X, y, strict=True):
                w = W
                for _ in range(5):
                    missed = np.maximum(x @ w.T, 0) @ a / 4 - t
                    w = w - ((missed[:, None] * (x @ w.T >= 0) * a / 4).T @ x) / 50
                ends.append(w)
            W = sum(ends) / 20
        found.append(losses[1:])
    losses = np.array(found)
    mean, error = losses.mean(axis=0), losses.std(axis=0) / 60**0.5
    series = contest(one, Profile.DEFAULT)["series"]
    for at in (0, 1):
        low, high = (series[f"all of 20 clients, estimate, {end}"][at] for end in ("from", "to"))
        assert low - 3 * error[at] < mean[at] < high + 3 * error[at]
    assert high - low < mean[0] / 2


@pytest.mark.parametrize("planted", ["not over the last", "a step size off by K"])
def test_planted_errors_are_caught(planted, monkeypatch):
    if planted == "not over the last":
        monkeypatch.setattr(module, "_over_the_last", lambda every: None)
        with pytest.raises(AssertionError):
            test_rates_are_those_of_replicas_over_that_of_all()
    else:
        monkeypatch.setattr(own, "LOSSES", (DIGITS, own._losses("off", own.RANDOM, "1/100")))
        monkeypatch.setitem(globals(), "RANDOM", own.LOSSES[1])
        with pytest.raises(AssertionError):
            test_losses_are_what_another_simulation_has()


def test_they_stand_beside_the_experiments_and_are_estimates():
    assert set(SHOWN) == {"overparam/exp-1", "overparam/exp-2"}
    for every in SHOWN.values():
        assert all(one.replicas for one in every)


def test_rates_that_are_not_known_are_not_told():
    """Of everyone nothing is measured: there is nothing to compare with."""
    short = own.RANDOM[0], 1  # a start of another length
    ways = {"a": (own._tries(own.RANDOM, "1/20", 2), own._tries(short, "1/20", 20))}
    one = Contest("x", "m", (2, 20), ways, "loss", "", replicas=128, rates=True)
    found = contest(one, Profile.DEFAULT)
    assert all(own == [None, None] for own in found["series"].values())
    assert "tries not measured: 1" in found["name"]


def test_without_the_extra_digits_are_told_not_to_be_measured(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    objective.cache_clear()
    data = dict(own.DIGITS[0].data) | {"seed": 7}
    other = Objective(own.DIGITS[0].family, tuple(data.items()))
    found = contest(own._losses("digits", (other, own.DIGITS[1]), "1/200"), Profile.QUICK)
    assert "it comes with the extra 'data'" in found["name"]
    assert all(x is None for series in found["series"].values() for x in series)


def test_a_start_that_is_drawn_is_not_enumerated():
    setup = own.trained(own.RANDOM, "1/20", 2)
    with pytest.raises(Exception, match="normal|Gaussian|outcomes|finite|law"):
        known_of(setup, view_of(setup)).series("loss")


def test_replicas_have_starts_of_their_own():
    found = sampled_by(InSamples(own.trained(own.RANDOM, "1/20", 20), 128))
    losses = found.chunk(frozenset({"loss"}), 0, 0, np)["loss"]
    assert losses.shape == (128, 21)
    assert len(np.unique(losses[:, 0])) == 128
    assert (losses[:, -1] < losses[:, 0]).all()
