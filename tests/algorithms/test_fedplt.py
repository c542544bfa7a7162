"""FedPLT against a slow oracle in fractions, its reduction to FedAvg, and other array libraries."""

from fractions import Fraction as F

import array_api_strict
import bridge
import numpy as np
import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.algorithms import fedavg, fedplt
from fedbounds.problems import to_float
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.same import Two, compare
from fedbounds.verify.measure.subject import Subject
from fedbounds.vocabulary import Verdict

# ---- the paper's pseudo-code, client by client and coordinate by coordinate


def oracle_round(objective, masks, counts, tau, eta, W, noise):
    """W^{t+1} from plain lists; noise[k][s] is a vector."""
    clients, coordinates = range(len(masks)), range(len(W))
    U = []
    for k in clients:
        own = list(W)
        for s in range(tau):
            gradient, _ = objective.gradient(k, own, [])
            own = [
                own[i] - eta * (gradient[i] + noise[k][s][i]) if masks[k][i] == 1 else own[i]
                for i in coordinates
            ]
        U.append([own[i] - W[i] for i in coordinates])
    after = []
    for i in coordinates:
        trainers = [k for k in clients if masks[k][i] == 1]
        total = sum((counts[k] * U[k][i] for k in trainers), F(0))
        held = sum(counts[k] for k in trainers)
        after.append(W[i] + total / held if trainers else W[i])
    return after


def rational_case(n, d, tau, seed, masks=None):
    """A problem, parameters, two replicas and two rounds of noise, all in small fractions."""
    rng = np.random.default_rng(seed)

    def numbers(*shape):
        return np.frompyfunc(lambda x: F(int(x), 4), 1, 1)(rng.integers(-9, 10, shape))

    if masks is None:
        masks = rng.integers(0, 2, (n, d))
        masks[np.arange(n), rng.integers(0, d, n)] = 1
    half = numbers(n, d, d)
    curved = half @ half.transpose(0, 2, 1) + np.eye(d, dtype=int).astype(object)  # definite
    objective = oracles.Quadratic(d, curved.tolist(), numbers(n, d).tolist())
    counts = [F(k + 1) + F(int(x), 9) for k, x in enumerate(rng.integers(1, 9, n))]
    p = {"masks": np.asarray(masks), "weights": counts, "tau": tau, "eta": F(1, 7)}
    return objective, p, numbers(2, d), numbers(2, 2, n, tau, d)


def silent(**shown):
    """Nobody looks."""


def run_exactly(objective, p, W, noise):
    """The package's iterate after each round, as fractions; noise has (round, row, n, tau, d)."""
    problem, state, found = Clients(bridge.exact_problem(objective)), bridge.exact(W), []
    own = {**p, "weights": bridge.exact(p["weights"]), "eta": bridge.rational(p["eta"])}
    own["masks"] = bridge.exact(p["masks"])
    for t, drawn in enumerate(noise):
        given_ = {"noise": bridge.exact(drawn)}
        state = fedplt.step(problem, {**own, "t": t}, {"x": state}, given_, silent)["x"]
        found.append(bridge.fractions(state))
    return found


def run_oracle(objective, p, W, noise):
    states, found = W.tolist(), []
    for drawn in noise:
        states = [
            oracle_round(
                objective, p["masks"], p["weights"], p["tau"], p["eta"], state, drawn[r].tolist()
            )
            for r, state in enumerate(states)
        ]
        found.append(states)
    return found


def against_fedavg(objective, p, W):
    """FedAvg with everyone on the same noise, for all states and noises."""
    problem, n = Clients(bridge.exact_problem(objective, 1)), len(p["masks"])
    start, eta = bridge.exact(W)[0], bridge.rational(p["eta"])
    masks = tuple(map(tuple, np.asarray(p["masks"]).tolist()))
    weights = tuple(map(bridge.rational, p["weights"]))
    own = {"masks": masks, "weights": weights, "tau": p["tau"], "eta": eta}
    average = {"m": n, "K": p["tau"], "gamma": eta, "eta": 1}
    subjects = (
        Subject(fedplt.ROUNDS, problem, start, own, 2),
        Subject(fedavg.ROUNDS, problem, start, average, 2),
    )
    return compare(Two(*subjects, {"x": "x"}, {"noise": "xi"})).verdict


SIZES = {"n": st.integers(1, 4), "d": st.integers(1, 3), "tau": st.integers(1, 3)}


@given(**SIZES, seed=st.integers(0, 999))
@settings(max_examples=40, deadline=None)
def test_rounds_are_the_oracles(n, d, tau, seed):
    case = rational_case(n, d, tau, seed)
    assert run_exactly(*case) == run_oracle(*case)


OVERLAPPING = [[1, 1, 0], [0, 1, 1], [0, 1, 0]]
LOCAL, SERVER = fedplt.local, fedplt.server


@pytest.mark.parametrize(
    ("name", "planted"),
    [
        ("compensation", lambda trained, c: c[:1] * 0 + 1),
        ("shares", lambda weights: weights * 0 + bridge.rational(F(1, len(weights)))),
        ("server", lambda W, updates, trained, c: SERVER(W, updates, trained | True, c)),
        ("local", lambda noisy, trained, *rest: LOCAL(noisy, trained | True, *rest)),
    ],
)
def test_a_forgotten_psi_weight_or_mask_is_caught(monkeypatch, name, planted):
    case = rational_case(3, 3, 2, 5, OVERLAPPING)
    expected = run_oracle(*case)
    assert run_exactly(*case) == expected
    monkeypatch.setattr(fedplt, name, planted)
    assert run_exactly(*case) != expected


def test_a_mask_forgotten_in_the_local_steps_alone_is_caught(monkeypatch):
    """Of W^{t+1}: the server masks what it gets, only coupled coordinates show it, in step two."""

    def planted(noisy, trained, *rest):
        return LOCAL(noisy, trained | True, *rest)

    for tau, caught in ((1, False), (2, True)):
        objective, p, W, noise = rational_case(3, 3, tau, 5, OVERLAPPING)
        case = objective, {**p, "eta": F(1, 7)}, W, noise * 0
        expected = run_oracle(*case)
        monkeypatch.setattr(fedplt, "local", planted)
        problem = Clients(bridge.exact_problem(objective))
        trained, c = np.asarray(p["masks"]) > 0, fedplt.shares(bridge.exact(p["weights"]))
        start = bridge.exact(W)
        moved = fedplt.local(
            lambda s, models, problem=problem: problem.gradient(models),
            trained, bridge.rational(F(1, 7)), tau, problem.spread(start),
        ) - start[:, None]  # fmt: skip
        found = bridge.fractions(fedplt.server(start, moved, trained, c))
        assert (found != expected[0]) == caught
        monkeypatch.setattr(fedplt, "local", LOCAL)


# ---- special cases


@given(**SIZES, seed=st.integers(0, 999), weight=st.fractions(F(1, 5), 5))
@settings(max_examples=20, deadline=None)
def test_full_masks_and_equal_weights_are_fedavg_with_everyone(n, d, tau, seed, weight):
    objective, p, W, _ = rational_case(n, d, tau, seed, np.ones((n, d), int))
    equal = {**p, "weights": [weight] * n}
    assert against_fedavg(objective, equal, W) is Verdict.NOT_VIOLATED


def test_with_unequal_weights_it_is_not_fedavg():
    objective, p, W, _ = rational_case(2, 2, 2, 1, np.ones((2, 2), int))
    unequal = {**p, "weights": [1, 3]}
    assert against_fedavg(objective, unequal, W) is Verdict.VIOLATED


def test_only_ratios_of_weights_matter():
    objective, p, W, noise = rational_case(3, 3, 2, 2)
    scaled = {**p, "weights": [7 * weight for weight in p["weights"]]}
    assert run_exactly(objective, scaled, W, noise) == run_exactly(objective, p, W, noise)


def test_what_nobody_trains_stays_and_its_psi_is_free(monkeypatch):
    objective, p, W, noise = rational_case(2, 3, 2, 3, [[1, 0, 0], [1, 0, 1]])
    found = run_exactly(objective, p, W, noise)
    assert all(
        state[1] == start[1] for states in found for state, start in zip(states, W, strict=True)
    )
    own = fedplt.compensation

    def free(trained, c):
        psi = own(trained, c)
        psi[1] = bridge.rational(-99)
        return psi

    monkeypatch.setattr(fedplt, "compensation", free)
    assert run_exactly(objective, p, W, noise) == found


def test_shares_and_psi_are_the_papers():
    c = fedplt.shares(bridge.exact([1, 3]))
    assert bridge.fractions(c) == [F(1, 4), F(3, 4)]
    psi = fedplt.compensation(np.array([[1, 1, 0], [1, 0, 1]]) > 0, c)
    assert bridge.fractions(psi) == [1, 4, F(4, 3)]


def test_a_step_size_of_its_own_in_every_round():
    objective, p, W, noise = rational_case(2, 2, 1, 4)
    steps = bridge.exact([F(1, 7), F(1, 5)])
    own = {name: x for name, x in p.items() if name != "eta"} | {"steps": steps}
    problem, masks = Clients(bridge.exact_problem(objective)), bridge.exact(p["masks"])
    given_ = {**own, "masks": masks, "weights": bridge.exact(p["weights"])}
    for t, eta in enumerate((F(1, 7), F(1, 5), F(1, 5))):  # the last one of the round after
        drawn = {"noise": bridge.exact(noise[0])}
        after = fedplt.step(problem, {**given_, "t": t}, {"x": bridge.exact(W)}, drawn, silent)
        (expected,) = run_oracle(objective, {**p, "eta": eta}, W, noise[:1])
        assert bridge.fractions(after["x"]) == expected


# ---- floats, replicas, array libraries


def in_floats(case):
    objective, p, W, noise = case
    problem = to_float(bridge.exact_problem(objective))
    own = {**p, "weights": np.array(p["weights"], dtype=float), "eta": float(p["eta"]), "t": 0}
    return problem, own, W.astype(float), noise[0].astype(float)


def test_floats_agree_with_rationals_and_replicas_do_not_mix():
    case = rational_case(3, 3, 2, 5, OVERLAPPING)
    problem, p, W, noise = in_floats(case)
    found = fedplt.step(Clients(problem), p, {"x": W}, {"noise": noise}, silent)["x"]
    assert found.dtype == np.float64
    expected = np.array(run_oracle(*case)[0], dtype=float)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    for r in range(2):
        alone = {"noise": noise[r : r + 1]}
        one = fedplt.step(Clients(problem), p, {"x": W[r : r + 1]}, alone, silent)["x"]
        np.testing.assert_allclose(one[0], found[r], rtol=1e-12)


def test_its_parts_run_on_another_array_library():
    case, xp = rational_case(3, 3, 2, 5, OVERLAPPING), array_api_strict
    _, p, W, noise = in_floats(case)
    masks, weights = np.array(OVERLAPPING), p["weights"]

    def after(xp):
        own, drawn = xp.asarray(W), xp.asarray(noise)
        trained, c = xp.asarray(masks) > 0, fedplt.shares(xp.asarray(weights))
        models = xp.stack([own] * 3, axis=1)
        ends = fedplt.local(lambda s, y: 2 * y + drawn[:, :, s, :], trained, 0.1, 2, models)
        return np.asarray(fedplt.server(own, ends - own[:, None, :], trained, c))

    np.testing.assert_allclose(after(xp), after(np), rtol=1e-13)
