"""FedPLT against a slow oracle in fractions, its reduction to FedAvg, and other array libraries."""

from dataclasses import replace
from fractions import Fraction as F

import array_api_strict
import bridge
import fedplt_rows
import numpy as np
import oracles
import pytest
from fedplt_rows import FedPLT, compensation, shares, untrained
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.algorithms import fedavg, fedplt
from fedbounds.algorithms.fedavg import FedAvg
from fedbounds.algorithms.fedavg_p import Carry, Draw
from fedbounds.errors import FedboundsError
from fedbounds.problems import (
    SILENT,
    Noise,
    NoiseLaw,
    Start,
    everyone,
    federated_logistic,
    federated_quadratic,
    to_float,
    to_namespace,
    to_rational,
)

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
    """A problem, FedPLT, two replicas and two rounds of noise, all in small fractions."""
    rng = np.random.default_rng(seed)

    def numbers(*shape):
        return np.frompyfunc(lambda x: F(int(x), 4), 1, 1)(rng.integers(-9, 10, shape))

    if masks is None:
        masks = rng.integers(0, 2, (n, d))
        masks[np.arange(n), rng.integers(0, d, n)] = 1
    half = numbers(n, d, d)
    objective = oracles.Quadratic(
        d, (half + half.transpose(0, 2, 1)).tolist(), numbers(n, d).tolist()
    )
    counts = [F(k + 1) + F(int(x), 9) for k, x in enumerate(rng.integers(1, 9, n))]
    algorithm = FedPLT(masks, counts, tau, bridge.rational(F(1, 7)))
    return objective, algorithm, numbers(2, d), numbers(2, tau, n, 2, d)


def run_exactly(objective, algorithm, W, noise, rules=fedplt_rows):
    """The package's iterate after each round, as fractions."""
    problem = bridge.exact_problem(objective)
    n, replicas = problem.clients, len(W)
    carry = Carry(u=bridge.exact(W), v=bridge.exact(np.zeros((n, replicas, 0))))
    found = []
    for drawn in noise:
        rows = bridge.exact(drawn).reshape(len(drawn), n * replicas, -1)
        one = Draw(np.ones((n, replicas)), rows, everyone(n, replicas))
        carry = rules.step(problem, algorithm, carry, one)
        found.append(bridge.fractions(carry.u))
    return found


def run_oracle(objective, algorithm, W, noise):
    tau, eta = algorithm.local_steps, bridge.fraction(algorithm.inner_step_u)
    states, found = W.tolist(), []
    for drawn in noise:
        states = [
            oracle_round(
                objective, algorithm.masks, algorithm.weights, tau, eta, state,
                drawn[:, :, r].transpose(1, 0, 2).tolist(),
            )
            for r, state in enumerate(states)
        ]  # fmt: skip
        found.append(states)
    return found


SIZES = {"n": st.integers(1, 4), "d": st.integers(1, 3), "tau": st.integers(1, 3)}


@given(**SIZES, seed=st.integers(0, 999))
@settings(max_examples=40, deadline=None)
def test_rounds_are_the_oracles(n, d, tau, seed):
    case = rational_case(n, d, tau, seed)
    assert run_exactly(*case) == run_oracle(*case)


OVERLAPPING = [[1, 1, 0], [0, 1, 1], [0, 1, 0]]


@pytest.mark.parametrize(
    ("module", "name", "planted"),
    [
        (fedplt, "compensation", lambda trained, c: c[:1] * 0 + 1),
        (
            fedplt_rows,
            "shares",
            lambda a: tuple(bridge.rational(F(1, len(a.masks))) for _ in a.masks),
        ),
        (
            fedplt_rows,
            "_trained",
            lambda a, xp: xp.ones((len(a.masks), len(a.masks[0])), dtype=bool),
        ),
    ],
)
def test_a_forgotten_psi_weight_or_mask_is_caught(monkeypatch, module, name, planted):
    case = rational_case(3, 3, 2, 5, OVERLAPPING)
    expected = run_oracle(*case)
    assert run_exactly(*case) == expected
    monkeypatch.setattr(module, name, planted)
    assert run_exactly(*case) != expected


def test_a_mask_forgotten_in_the_local_steps_alone_is_caught(monkeypatch):
    # the server masks what it gets: only coupled coordinates show the error, from the second step
    def planted(problem, algorithm, *rest):
        return original(problem, replace(algorithm, masks=[[1, 1, 1]] * 3), *rest)

    original = fedplt_rows.local
    for tau, caught in ((1, False), (2, True)):
        case = rational_case(3, 3, tau, 5, OVERLAPPING)
        expected = run_oracle(*case)
        monkeypatch.setattr(fedplt_rows, "local", planted)
        assert (run_exactly(*case) != expected) == caught
        monkeypatch.setattr(fedplt_rows, "local", original)


# ---- special cases


@given(**SIZES, seed=st.integers(0, 999), weight=st.fractions(F(1, 5), 5))
@settings(max_examples=20, deadline=None)
def test_full_masks_and_equal_weights_are_fedavg_with_everyone(n, d, tau, seed, weight):
    objective, algorithm, W, noise = rational_case(n, d, tau, seed, np.ones((n, d)))
    equal = replace(algorithm, weights=[weight] * n)
    average = FedAvg(n, tau, algorithm.inner_step_u)
    expected = run_exactly(objective, average, W, noise, fedavg)
    assert run_exactly(objective, equal, W, noise) == expected


def test_with_unequal_weights_it_is_not_fedavg():
    objective, algorithm, W, noise = rational_case(2, 2, 2, 1, np.ones((2, 2)))
    average = FedAvg(2, 2, algorithm.inner_step_u)
    unequal = replace(algorithm, weights=[1, 3])
    expected = run_exactly(objective, average, W, noise, fedavg)
    assert run_exactly(objective, unequal, W, noise) != expected


def test_only_ratios_of_weights_matter():
    objective, algorithm, W, noise = rational_case(3, 3, 2, 2)
    scaled = replace(algorithm, weights=[7 * weight for weight in algorithm.weights])
    assert run_exactly(objective, scaled, W, noise) == run_exactly(objective, algorithm, W, noise)


def test_what_nobody_trains_stays_and_its_psi_is_free(monkeypatch):
    masks = [[1, 0, 0], [1, 0, 1]]
    objective, algorithm, W, noise = rational_case(2, 3, 2, 3, masks)
    assert untrained(algorithm) == (1,)
    assert untrained(replace(algorithm, masks=[[1, 1, 0], [0, 0, 1]])) == ()
    found = run_exactly(objective, algorithm, W, noise)
    assert all(
        state[1] == start[1] for states in found for state, start in zip(states, W, strict=True)
    )
    psi = compensation(algorithm)
    monkeypatch.setattr(
        fedplt_rows, "compensation", lambda a: (psi[0], bridge.rational(-99), psi[2])
    )
    assert run_exactly(objective, algorithm, W, noise) == found


def test_shares_and_psi_are_the_papers():
    algorithm = FedPLT([[1, 1, 0], [1, 0, 1]], [1, 3], 1, 0.1)
    assert [bridge.fraction(c) for c in shares(algorithm)] == [F(1, 4), F(3, 4)]
    assert [bridge.fraction(psi) for psi in compensation(algorithm)] == [1, 4, F(4, 3)]


# ---- draws, array libraries, problems


def quadratic(noise, n=3):
    return federated_quadratic(clients=n, shared_dimension=3, personal_dimension=0, noise=noise)


GAUSSIAN = Noise(NoiseLaw.GAUSSIAN, 0.5, 0.0)
START = Start(u=np.array([1.0, -2.0, 0.5]), v=np.zeros((3, 0)))
FLOATS = FedPLT(np.array(OVERLAPPING), np.array([1.0, 2.5, 4.0]), 3, 0.1)


def started(problem, algorithm, replicas, seed=0):
    rng = np.random.default_rng(seed)
    carry = fedplt_rows.init(problem, algorithm, START, replicas)
    return carry, fedplt_rows.draw(problem, algorithm, rng, replicas, virtual=False)


@pytest.mark.parametrize("noise", [GAUSSIAN, SILENT])
def test_floats_agree_with_rationals_on_drawn_noise(noise):
    problem = quadratic(noise)
    carry, drawn = started(problem, FLOATS, 5)
    assert drawn.cohort.everyone
    assert drawn.present.shape == (3, 5)
    assert (drawn.noise is None) == (noise is SILENT)
    exact = fedplt_rows.step(
        to_rational(problem), to_rational(FLOATS), to_rational(carry),
        replace(drawn, noise=None if drawn.noise is None else bridge.exact(drawn.noise)),
    )  # fmt: skip
    found = fedplt_rows.step(problem, FLOATS, carry, drawn)
    np.testing.assert_allclose(found.u, to_float(exact).u, rtol=1e-13)
    assert found.u.dtype == np.float64


def test_replicas_do_not_mix():
    problem = quadratic(GAUSSIAN)
    carry, drawn = started(problem, FLOATS, 4)
    found = fedplt_rows.step(problem, FLOATS, carry, drawn).u
    noise = drawn.noise.reshape(3, 3, 4, 3)
    for r in range(4):
        alone = Draw(np.ones((3, 1)), noise[:, :, r], everyone(3, 1))
        one = fedplt_rows.step(problem, FLOATS, Carry(carry.u[r : r + 1], carry.v[:, :1]), alone)
        np.testing.assert_allclose(found[r], one.u[0], rtol=1e-13)


def test_it_runs_on_another_array_library():
    problem, xp = quadratic(GAUSSIAN), array_api_strict
    carry, drawn = started(problem, FLOATS, 4)
    expected = fedplt_rows.step(problem, FLOATS, carry, drawn)
    moved = to_namespace(problem, xp)
    begun = fedplt_rows.init(moved, FLOATS, to_namespace(START, xp), 4)
    rng = np.random.default_rng(0)
    on_xp = fedplt_rows.draw(moved, FLOATS, rng, 4, virtual=False, xp=xp)
    found = fedplt_rows.step(moved, FLOATS, begun, on_xp)
    np.testing.assert_allclose(np.asarray(found.u), expected.u, rtol=1e-13)


def test_a_stochastic_gradient_is_the_problems_to_make():
    problem = federated_logistic(
        clients=3, shared_dimension=3, personal_dimension=0, samples=4, heterogeneity=1.0, batch=1
    )
    carry, drawn = started(problem, FLOATS, 2)
    seen = []
    reached = fedplt_rows.local(problem, FLOATS, carry, drawn, lambda *each: seen.append(each))
    trained = np.repeat(np.array(OVERLAPPING), 2, axis=0)
    points = [z for _, z, _, _ in seen] + [reached]
    assert [s for s, *_ in seen] == [0, 1, 2]
    for (s, z, gradient, noisy), after in zip(seen, points[1:], strict=True):
        np.testing.assert_array_equal(gradient, problem.gradient(z, drawn.cohort))
        made = problem.disturbed(z, gradient, drawn.cohort, drawn.noise[s])
        np.testing.assert_array_equal(noisy, made)
        np.testing.assert_allclose(after, z - 0.1 * trained * noisy, rtol=1e-14)


def test_the_step_may_change_between_rounds():
    problem = quadratic(SILENT)
    carry, drawn = started(problem, FLOATS, 1)
    slower = fedplt_rows.step(
        problem, replace(FLOATS, local_steps=1, inner_step_u=0.05), carry, drawn
    )
    faster = fedplt_rows.step(problem, replace(FLOATS, local_steps=1), carry, drawn)
    np.testing.assert_allclose(2 * (slower.u - carry.u), faster.u - carry.u, rtol=1e-12)


def test_equal_parameters_are_equal_whatever_they_were_made_from():
    same = FedPLT(tuple(map(tuple, OVERLAPPING)), (1.0, 2.5, 4.0), 3, 0.1)
    assert same == FLOATS
    assert hash(same) == hash(FLOATS)


# ---- refusals


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"masks": [1, 0, 1]}, r"shape of the masks is \(3,\); expected \(n, d\)"),
        ({"masks": [[1, 0], [1], [1]]}, "shape of the masks"),
        ({"masks": np.ones((3, 0))}, "shape of the masks"),
        ({"masks": [[1], [2], [1]]}, "mask of client 1, coordinate 0, is 2; expected 0 or 1"),
        ({"masks": [[1, float("nan")]] * 3}, "mask of client 0, coordinate 1, is nan"),
        ({"masks": [[1, 0], [0, 0], [0, 1]]}, "mask of client 1 is empty"),
        ({"weights": [1, 2]}, r"shape of the weights is \(2,\); expected \(3,\)"),
        ({"weights": [1, 0, 2]}, "weight of client 1 is 0; expected a finite number > 0"),
        ({"weights": [1, 2, -1]}, "weight of client 2 is -1"),
        ({"weights": [1, 2, float("inf")]}, "weight of client 2 is inf"),
        ({"local_steps": 0}, "local steps is 0; expected at least 1"),
        ({"inner_step_u": 0.0}, "inner step u is 0.0"),
    ],
)
def test_wrong_parameters_are_refused(change, said):
    with pytest.raises(FedboundsError, match=said):
        replace(FLOATS, **change)


@pytest.mark.parametrize("masks", [[[1, 0, 1]] * 2, [[1, 1]] * 3])
def test_masks_of_another_problem_are_refused(masks):
    algorithm = FedPLT(masks, [1] * len(masks), 1, 0.1)
    with pytest.raises(FedboundsError, match=r"shape \(n, d\) of the masks"):
        fedplt_rows.init(quadratic(SILENT), algorithm, START, 1)


def test_a_personal_block_is_refused():
    problem = federated_quadratic(clients=3, shared_dimension=3, personal_dimension=1)
    start = Start(u=np.zeros(3), v=np.zeros((3, 1)))
    with pytest.raises(FedboundsError, match="personal dimension d_v is 1"):
        fedplt_rows.init(problem, FLOATS, start, 1)
