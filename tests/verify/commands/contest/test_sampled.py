"""Common random numbers, and the paired interval."""

from itertools import islice

import numpy as np
import pytest

from fedbounds.algorithms import personal_averaging, personal_scaffold
from fedbounds.problems import to_rational
from fedbounds.verify.commands.contest import sampled as module
from fedbounds.verify.commands.contest.contenders import contender
from fedbounds.verify.commands.contest.field import Family, Shape, ground
from fedbounds.verify.commands.contest.passage import Ending, Passage
from fedbounds.verify.commands.contest.recursion import error_recursion
from fedbounds.verify.commands.contest.sampled import Draws, log_ratio, race, running_errors
from fedbounds.verify.measure.contract import started

ERROR = {"G_u": 1.0, "G_v": 0.4}
NAMES = {"a": "FedAvg-P", "s": "Scaffold-P"}


def _run(here, name, m, steps, step, *, eta=1.0, exact=False):
    values = {"n": here.problem.clients, "m": m, "K": steps, "eta_u": eta, "eta_v": 1.0}
    problem = to_rational(here.problem) if exact else here.problem
    start = here.exact_point if exact else here.point
    return contender(name).subject(problem, start, values, step)


def _errors(subjects):
    return dict.fromkeys(subjects, contender("FedAvg-P").error(ERROR))


def _after(subjects, rounds, draws):
    runs = running_errors(dict(subjects), _errors(subjects), draws)
    return next(islice(runs, rounds - 1, None))


def _two(here, m, steps, step=0.2):
    return {x: _run(here, name, m, steps, step, eta=float(np.sqrt(m))) for x, name in NAMES.items()}


@pytest.mark.parametrize("family", [Family.COSINE, Family.LOGISTIC])
def test_all_meet_the_same_draws(family):
    """With m = n and K = 1 the corrections of Scaffold-P add up to zero: one algorithm."""
    here = ground(Shape(family, clients=3), 1.0)
    found = _after(_two(here, 3, 1), 6, Draws(16, 0, 0))
    assert found["a"].std() > 1e-4
    np.testing.assert_allclose(found["a"], found["s"], rtol=1e-12)
    other = _after(_two(here, 3, 1), 6, Draws(16, 0, 1))
    assert abs(found["a"] - other["s"]).max() > 1e-4  # other draws are told apart


def test_with_few_participants_they_are_two():
    here = ground(Shape(Family.COSINE, clients=3), 1.0)
    found = _after(_two(here, 1, 2), 6, Draws(16, 0, 0))
    assert abs(found["a"] - found["s"]).max() > 1e-3


@pytest.mark.parametrize("name", NAMES.values())
def test_means_are_the_exact_expectations(name):
    here = ground(Shape(clients=5, noise=0.3), 2.0)
    found = _after({"x": _run(here, name, 2, 2, 0.125, eta=1.5)}, 8, Draws(4096, 0, 0))["x"]
    exact = _run(here, name, 2, 2, 0.125, eta=1.5, exact=True)
    values = error_recursion(exact, contender(name).error(ERROR)).values()
    mean = np.concatenate(list(islice(values, 5)))[:8].mean()
    assert abs(found.mean() - mean) < 4 * found.std() / np.sqrt(len(found))
    assert found.std() / np.sqrt(len(found)) < 0.02 * mean


def _plain(here, draws, m, steps, step, rounds):
    """FedAvg-P on the coupled cosine, replica by replica, client by client, with its draws."""
    f, found = here.problem, np.zeros((len(draws[0]["present"]), rounds))
    for row in range(len(found)):
        u, v = here.start.u.copy(), here.start.v.copy()
        for t, drawn in enumerate(draws):
            gradients = [_gradient(f, i, u, v[i]) for i in range(f.clients)]
            du = len(u)
            mean = np.mean([g[:du] for g in gradients], axis=0)
            found[row, t] = mean @ mean + 0.4 * np.mean([g[du:] @ g[du:] for g in gradients])
            ends, new = [], v.copy()
            for i in np.flatnonzero(drawn["present"][row]):
                a, b = u, v[i]
                for k in range(steps):
                    g = _gradient(f, i, a, b)
                    a = a - step * (g[:du] + drawn["xi_u"][row, i, k])
                    b = b - step * (g[du:] + drawn["xi_v"][row, i, k])
                ends.append(a)
                new[i] = b
            u, v = np.mean(ends, axis=0), new
    return found


def _gradient(f, i, u, v):
    from fedbounds.problems import everyone

    rows = np.zeros((f.clients, len(u) + len(v)))
    rows[i] = np.concatenate([u, v])
    return f.gradient(rows, everyone(f.clients, 1))[i]


def test_errors_are_those_of_plain_loops(monkeypatch):
    here, rounds = ground(Shape(Family.COSINE, clients=3), 1.0), 4
    kept, plain = [], module.drawn_by
    monkeypatch.setattr(module, "drawn_by", lambda *what: kept.append(plain(*what)) or kept[-1])
    found = _after({"x": _run(here, "FedAvg-P", 2, 2, 0.25)}, rounds, Draws(5, 0, 0))["x"]
    expected = _plain(here, kept[:rounds], 2, 2, 0.25, rounds).mean(axis=1)
    np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize("module_of", [personal_averaging, personal_scaffold])
def test_minibatches_are_those_of_the_observed_algorithm(module_of):
    """The light form moves every number as the one does that shows all that analysis speaks of."""
    here = ground(Shape(Family.LOGISTIC, clients=3), 1.0)
    one = _run(here, "FedAvg-P", 2, 2, 0.25)
    ends = []
    for algorithm in (module_of.BATCHES, module_of.SAMPLED):
        common = module._Common(Draws(4, 0, 0))
        start, p = np.repeat(one.start[None, :], 4, axis=0), one.parameters()
        state = started(algorithm, one.problem, start, common.random(), p)
        common.next_round()
        drawn = module.drawn_by(algorithm, common.random(), one.problem, p)
        ends.append(module.one_step(algorithm, one.problem, p, state, drawn)[0])
    light, whole = ends
    assert set(light) <= set(whole)
    for name, array in light.items():
        np.testing.assert_allclose(array, whole[name], rtol=1e-12)


def _race(subjects, draws, names, eps, limit):
    runs = running_errors(subjects, _errors(subjects), draws)
    return race(runs, subjects, names, eps, limit)


def test_a_race_drops_what_is_settled():
    here = ground(Shape(Family.COSINE, clients=3), 1.0)
    live = {f"a {i}": _run(here, "FedAvg-P", 3, 2, g) for i, g in enumerate((0.3, 1e-4))}
    live["b 0"] = _run(here, "FedAvg-P", 3, 2, 1e5)
    names = {label: label[0] for label in live}
    found = _race(live, Draws(8, 0, 0), names, 0.5, 50)
    assert found["a"][0] == "a 0"
    assert found["a"][1].ending is Ending.REACHED
    assert found["b"][1].ending is Ending.DIVERGED
    assert live == {}


def test_what_is_not_reached_is_late():
    here = ground(Shape(Family.COSINE, clients=3), 1.0)
    live = {"a 0": _run(here, "FedAvg-P", 3, 2, 1e-4)}
    found = _race(live, Draws(8, 0, 0), {"a 0": "a"}, 1e-3, 5)
    assert found == {"a": ("a 0", Passage(Ending.LIMIT, 5))}


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
