"""FedAvg-P, Scaffold-P and their special cases, each against pseudo-code: client after client.

The oracles are written from each paper, for one replica, on plain vectors.
"""

from dataclasses import dataclass
from typing import Any

import bridge
import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from traced_rounds import run

from fedbounds.algorithms import (
    fedavg,
    fedsim,
    parallel_sgd,
    personal_averaging,
    personal_scaffold,
    scaffold,
)
from fedbounds.algorithms.traced import Algorithm
from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, coupled_cosine, to_rational
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.subject import Subject

G_U, G_V, E_U, E_V = fmpq(1, 5), fmpq(1, 7), fmpq(17, 10), fmpq(3, 5)
NOISE = Noise(NoiseLaw.GAUSSIAN, fmpq(7, 10), fmpq(3, 10))
EITHER = {"gamma_u": G_U, "gamma_v": G_V, "eta_u": E_U, "eta_v": E_V}


def quadratic(n, d_u, d_v, seed=1, noise=NOISE):
    """In rationals, coupled, every client its own."""
    rng, d = np.random.default_rng(seed), d_u + d_v
    half = bridge.exact(rng.integers(-3, 4, (n, d, d))) / 2
    linear = bridge.exact(rng.integers(-3, 4, (n, d)))
    return FederatedQuadratic(half + half.transpose(0, 2, 1), linear, d_u, noise)


def starting(problem, seed=0):
    rng = np.random.default_rng(seed)
    size = problem.shared_dimension + problem.clients * problem.personal_dimension
    return bridge.exact(rng.integers(-4, 5, size)) / 3


# ---- each paper's pseudo-code; p has parameters, xi(i, k, block) the noise of a gradient


class World:
    """Stochastic gradients of one replica."""

    def __init__(self, problem):
        self.problem, self.n = problem, problem.clients

    def g(self, i, u, v, noise_u, noise_v):
        """(g_u, g_v)."""
        if isinstance(self.problem, FederatedQuadratic):
            z = np.concatenate([u, v])
            gradient = self.problem.hessian[i] @ z + self.problem.linear[i]
        else:
            p = self.problem
            slope = p.amplitude * np.sin(p.shared_direction @ u + p.personal_direction @ v)
            shared = p.shared_hessian @ u + p.linear[i] - slope * p.shared_direction
            gradient = np.concatenate(
                [shared, p.personal_curvature * v - slope * p.personal_direction]
            )
        return gradient[: len(u)] + noise_u, gradient[len(u) :] + noise_v


NOTHING = np.zeros(0, dtype=object)


def fedavg_oracle(world, p, state, drawn):
    """McMahan et al. 2017: ClientUpdate, and the average of the chosen clients' weights."""
    w, sent = state["x"], []
    for i in np.flatnonzero(drawn["present"] == 1):
        own = w
        for k in range(p["K"]):
            own = own - p["gamma"] * world.g(i, own, NOTHING, drawn["xi"][i, k], NOTHING)[0]
        sent.append(own)
    return {"x": (1 - p["eta"]) * w + p["eta"] * sum(sent) / len(sent)}


def fedsim_oracle(world, p, state, drawn):
    """Pillutla et al. 2022: LocalSim."""
    u, v, sent = state["u"], list(state["v"]), []
    for i in np.flatnonzero(drawn["present"] == 1):
        u_k, v_k = u, v[i]
        for k in range(p["K"]):
            g_u, g_v = world.g(i, u_k, v_k, drawn["xi_u"][i, k], drawn["xi_v"][i, k])
            v_k = v_k - p["gamma_v"] * g_v
            u_k = u_k - p["gamma_u"] * g_u
        v[i] = v_k
        sent.append(u_k)
    return {"u": sum(sent) / len(sent), "v": np.array(v)}


def fedalt_oracle(world, p, state, drawn):
    """Pillutla et al. 2022: LocalAlt."""
    u, v, sent = state["u"], list(state["v"]), []
    for i in np.flatnonzero(drawn["present"] == 1):
        for k in range(p["K_v"]):
            v[i] = v[i] - p["gamma_v"] * world.g(i, u, v[i], 0, drawn["xi_v"][i, k])[1]
        u_k = u
        for k in range(p["K_v"], p["K_v"] + p["K_u"]):
            u_k = u_k - p["gamma_u"] * world.g(i, u_k, v[i], drawn["xi_u"][i, k], 0)[0]
        sent.append(u_k)
    return {"u": sum(sent) / len(sent), "v": np.array(v)}


def fedavg_p_oracle(world, p, state, drawn):
    """Algorithm 3.1 of the paper on partial personalisation."""
    u, v, sent = state["u"], list(state["v"]), []
    for i in np.flatnonzero(drawn["present"] == 1):
        u_k, v_k = u, v[i]
        for k in range(p["K"]):
            g_u, g_v = world.g(i, u_k, v_k, drawn["xi_u"][i, k], drawn["xi_v"][i, k])
            u_k, v_k = u_k - p["gamma_u"] * g_u, v_k - p["gamma_v"] * g_v
        sent.append(u_k)
        v[i] = (1 - p["eta_v"]) * v[i] + p["eta_v"] * v_k
    return {"u": (1 - p["eta_u"]) * u + p["eta_u"] * sum(sent) / len(sent), "v": np.array(v)}


def scaffold_p_oracle(world, p, state, drawn):
    """Algorithm 4.1 of the same, line by line."""
    u, v, c_i, c = state["u"], list(state["v"]), list(state["ci"]), state["c"]
    sent, fresh = [], list(c_i)
    for i in np.flatnonzero(drawn["present"] == 1):
        u_k, v_k = u, v[i]
        for k in range(p["K"]):
            g_u, g_v = world.g(i, u_k, v_k, drawn["xi_u"][i, k], drawn["xi_v"][i, k])
            u_k, v_k = u_k - p["gamma_u"] * (g_u - c_i[i] + c), v_k - p["gamma_v"] * g_v
        sent.append(u_k)
        v[i] = (1 - p["eta_v"]) * v[i] + p["eta_v"] * v_k
        fresh[i] = c_i[i] - c + (u - u_k) / (p["K"] * p["gamma_u"])
    change = sum(a - b for a, b in zip(fresh, c_i, strict=True))
    return {
        "u": (1 - p["eta_u"]) * u + p["eta_u"] * sum(sent) / len(sent),
        **{"v": np.array(v), "ci": np.array(fresh), "c": c + change / world.n},
    }


def scaffold_oracle(world, p, state, drawn):
    """Karimireddy et al. 2020, algorithm 1 with option II."""
    x, c_i, c = state["x"], list(state["ci"]), state["c"]
    delta_y, delta_c = [], []
    for i in np.flatnonzero(drawn["present"] == 1):
        y = x
        for k in range(p["K"]):
            g = world.g(i, y, NOTHING, drawn["xi"][i, k], NOTHING)[0]
            y = y - p["eta_l"] * (g - c_i[i] + c)
        plus = c_i[i] - c + (x - y) / (p["K"] * p["eta_l"])
        delta_y.append(y - x)
        delta_c.append(plus - c_i[i])
        c_i[i] = plus
    m = len(delta_y)
    x = x + p["eta_g"] * sum(delta_y) / m
    return {"x": x, "ci": np.array(c_i), "c": c + sum(delta_c) * m / world.n / m}


def parallel_sgd_oracle(world, p, state, drawn):
    """v_i <- v_i - gamma g_i(v_i), every client in every round."""
    v = list(state["v"])
    for i in range(world.n):
        v[i] = v[i] - p["gamma"] * world.g(i, NOTHING, v[i], NOTHING, drawn["xi"][i, 0])[1]
    return {"u": state["u"], "v": np.array(v)}


def plain_start(world, start):
    """Both blocks, or all of it."""
    d = world.problem.shared_dimension
    return start[:d], start[d:].reshape(world.n, world.problem.personal_dimension)


def controls(world, u, v, initial, steps):
    """c_i^0, the mean of K stochastic gradients at the start, and their mean."""
    own = []
    for i in range(world.n):
        every = [world.g(i, u, v[i], initial[i, k], 0)[0] for k in range(steps)]
        own.append(sum(every) / steps)
    return {"ci": np.array(own), "c": sum(own) / world.n}


@dataclass(frozen=True)
class Kind:
    """A traced algorithm, parameters for (n, m, K), its oracle, and the blocks that it is for."""

    algorithm: Algorithm
    make: Any
    oracle: Any
    blocks: tuple[int, int]
    shared: bool = False  # its model is x
    controlled: bool = False  # it starts with control variates


KINDS = {
    "FedAvg": Kind(
        fedavg.ROUNDS, lambda n, m, K: {"m": m, "K": K, "gamma": G_U, "eta": E_U},
        fedavg_oracle, (2, 0), shared=True,
    ),
    "FedSim": Kind(
        fedsim.ROUNDS, lambda n, m, K: {"m": m, "K": K, "gamma_u": G_U, "gamma_v": G_V},
        fedsim_oracle, (2, 1),
    ),
    "FedAlt": Kind(
        personal_averaging.ALTERNATING,
        lambda n, m, K: {"cohort": m, "K_v": K, "K_u": 2, "gamma_u": G_U, "gamma_v": G_V},
        fedalt_oracle, (1, 2),
    ),
    "Scaffold": Kind(
        scaffold.ROUNDS, lambda n, m, K: {"m": m, "K": K, "eta_l": G_U, "eta_g": E_U},
        scaffold_oracle, (2, 0), shared=True, controlled=True,
    ),
    "parallel SGD": Kind(
        parallel_sgd.ROUNDS, lambda n, m, K: {"gamma": G_V}, parallel_sgd_oracle, (0, 2)
    ),
    "FedAvg-P": Kind(
        personal_averaging.ROUNDS, lambda n, m, K: {"cohort": m, "K": K, **EITHER},
        fedavg_p_oracle, (2, 1),
    ),
    "Scaffold-P": Kind(
        personal_scaffold.ROUNDS, lambda n, m, K: {"cohort": m, "K": K, **EITHER},
        scaffold_p_oracle, (2, 1), controlled=True,
    ),
}  # fmt: skip


def subject_of(kind, problem, n, m, K, rounds=3, seed=0, algorithm=None):
    own = KINDS[kind]
    values = own.make(n, m, K)
    return Subject(
        algorithm or own.algorithm, Clients(problem), starting(problem, seed), values, rounds
    )


def rows(array, row):
    return {name: own[row] for name, own in array.items()}


def far(kind, problem, n, m, K, seed=0, algorithm=None):
    """Whether a run is another than the oracle's; its largest difference, in floats."""
    own, one = KINDS[kind], subject_of(kind, problem, n, m, K, seed=seed, algorithm=algorithm)
    found, world, p = run(one, seed=seed), World(problem), one.parameters()
    worst = 0.0
    for r in range(2):
        u, v = plain_start(world, one.start)
        state = {"x": u} if own.shared else {"u": u, "v": v}
        if own.controlled:
            initial = found.initial[0][r] * problem.noise.scale_u
            state |= controls(world, u, v, initial, K)
        for t in range(one.rounds + 1):
            for name, value in state.items():
                given_ = found.states[t][name][r]
                assert given_.shape == np.shape(value)
                if value.size:
                    worst = max(worst, float(abs(given_ - value).max()))
            if t < one.rounds:
                state = own.oracle(world, p, state, rows(found.draws[t], r))
    return worst


# ---- the oracles


@pytest.mark.parametrize("kind", KINDS)
@given(n=st.integers(1, 4), data=st.data(), K=st.integers(1, 3), seed=st.integers(0, 1000))
def test_runs_are_the_oracles_in_rationals_whatever_the_sizes(kind, n, data, K, seed):
    m = data.draw(st.integers(1, n))
    problem = quadratic(n, *KINDS[kind].blocks, seed=seed)
    assert far(kind, problem, n, m, K, seed) == 0


@pytest.mark.parametrize("kind", ["FedSim", "FedAlt", "FedAvg-P", "Scaffold-P"])
def test_runs_are_the_oracles_on_a_coupled_nonlinear_problem(kind):
    noise = Noise(NoiseLaw.GAUSSIAN, 0.7, 0.3)
    problem = coupled_cosine(
        clients=4, shared_dimension=2, personal_dimension=1, noise=noise, seed=2
    )
    own = KINDS[kind]
    one = subject_of(kind, to_rational(problem), 4, 2, 2)
    floats = Subject(own.algorithm, Clients(problem), one.start.astype(float), dict(one.values), 3)
    found, world, p = run(floats, seed=1), World(problem), floats.parameters()
    state = rows(found.states[0], 0)
    for t in range(3):
        state = own.oracle(world, p, state, rows(found.draws[t], 0))
        for name, value in state.items():
            np.testing.assert_allclose(found.states[t + 1][name][0], value, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("kind", ["FedSim", "FedAlt", "FedAvg-P", "Scaffold-P"])
@pytest.mark.parametrize("blocks", [(2, 0), (0, 2)])
def test_a_block_may_be_empty(kind, blocks):
    assert far(kind, quadratic(3, *blocks), 3, 2, 2) == 0


def test_the_order_of_blocks_matters_to_fedalt_and_not_to_fedsim():
    """FedAlt with one step each is not FedSim with one, since u sees the new v_i."""
    problem = quadratic(3, 2, 1, noise=Noise(NoiseLaw.GAUSSIAN, 0, 0))
    alternating = {"cohort": 3, "K_v": 1, "K_u": 1, "gamma_u": G_U, "gamma_v": G_V}
    start = starting(problem)
    sim = run(subject_of("FedSim", problem, 3, 3, 1, rounds=1))
    alt = run(Subject(personal_averaging.ALTERNATING, Clients(problem), start, alternating, 1))
    assert (sim.states[1]["v"] == alt.states[1]["v"]).all()
    assert (sim.states[1]["u"] != alt.states[1]["u"]).any()


# ---- what is known of them


@pytest.mark.parametrize("kind", ["Scaffold", "Scaffold-P"])
def test_the_mean_of_the_controls_is_the_control(kind):
    found = run(subject_of(kind, quadratic(3, *KINDS[kind].blocks), 3, 2, 2))
    for state in found.states:
        assert (state["ci"].sum(axis=1) / fmpq(3) == state["c"]).all()


def test_controls_are_the_mean_gradients_of_the_last_participation():
    """c_i = (1/K) sum_k of the stochastic gradients met when client i last took part."""
    problem = quadratic(3, 2, 1)
    found = run(subject_of("Scaffold-P", problem, 3, 2, 2, rounds=4))
    world, p = World(problem), found.subject.parameters()
    for r in range(2):
        expected = list(found.states[0]["ci"][r])
        for before, after, drawn in zip(found.states, found.states[1:], found.draws, strict=False):
            for i in np.flatnonzero(drawn["present"][r] == 1):
                u, v, met = before["u"][r], before["v"][r, i], []
                for k in range(2):
                    noise = drawn["xi_u"][r, i, k], drawn["xi_v"][r, i, k]
                    g_u, g_v = world.g(i, u, v, *noise)
                    met.append(g_u)
                    u = u - p["gamma_u"] * (g_u - before["ci"][r, i] + before["c"][r])
                    v = v - p["gamma_v"] * g_v
                expected[i] = sum(met) / 2
            assert (after["ci"][r] == np.array(expected)).all()


def test_one_client_alone_needs_no_correction():
    silent = quadratic(1, 2, 1, noise=Noise(NoiseLaw.GAUSSIAN, 0, 0))
    plain, corrected = (
        run(subject_of(kind, silent, 1, 1, 2)) for kind in ("FedAvg-P", "Scaffold-P")
    )
    for one, other in zip(plain.states, corrected.states, strict=True):
        assert (one["u"] == other["u"]).all()
        assert (one["v"] == other["v"]).all()


def test_increments_are_sums_of_noisy_gradients():
    """The identity alg-inc: both increments carry the effective step gamma."""
    problem, gamma = quadratic(4, 2, 1), fmpq(3, 25)
    outer = {"eta_u": fmpq(8, 5), "eta_v": fmpq(4, 5)}
    inner = {"gamma_u": gamma / outer["eta_u"], "gamma_v": gamma / outer["eta_v"]}
    shown = {}

    def step(problem, p, state, drawn, see):
        def look(**named):
            for name, array in named.items():
                shown.setdefault(name, array)  # rows are also asked for by themselves
            see(**named)

        return personal_averaging.step(problem, p, state, drawn, look)

    algorithm = Algorithm(personal_averaging.init, personal_averaging.draw, step)
    values = {"cohort": 2, "K": 3, **inner, **outer}
    found = run(Subject(algorithm, Clients(problem), starting(problem), values, 1))
    drawn, (before, after) = found.draws[0], found.states
    present = drawn["present"][:, :, None]
    noisy_u = (shown["hu"] + drawn["xi_u"]).sum(axis=2) * present
    noisy_v = (shown["hv"] + drawn["xi_v"]).sum(axis=2) * present
    assert (after["u"] - before["u"] == noisy_u.sum(axis=1) * (-gamma / 2)).all()
    assert (after["v"] - before["v"] == noisy_v * (-gamma)).all()


# ---- what does not fit


@pytest.mark.parametrize(
    ("kind", "blocks", "message"),
    [
        ("FedAvg", (2, 1), r"init returned a model of shape state\['x'\]"),
        ("Scaffold", (2, 1), "personal dimension of a problem asked for gradient"),
        ("parallel SGD", (1, 2), "shared dimension d_u is 1"),
    ],
)
def test_a_problem_of_the_wrong_shape_is_refused(kind, blocks, message):
    with pytest.raises(FedboundsError, match=message):
        run(subject_of(kind, quadratic(3, *blocks), 3, 2, 1))


@pytest.mark.parametrize("kind", ["FedAvg", "FedSim", "Scaffold", "FedAvg-P", "Scaffold-P"])
def test_more_participants_than_clients_are_refused(kind):
    with pytest.raises(FedboundsError, match="participants m is 4"):
        run(subject_of(kind, quadratic(3, *KINDS[kind].blocks), 3, 4, 1))


# ---- planted errors


def one_step_fewer(own):
    def step(problem, p, state, drawn, see):
        return own.step(problem, p.with_values({"K": p["K"] - 1}), state, drawn, see)

    return step


def mean_over_all(own):
    def step(problem, p, state, drawn, see):
        return own.step(problem, p.with_values({"m": problem.clients}), state, drawn, see)

    return step


def everyone_counts(own):
    def step(problem, p, state, drawn, see):
        everyone = {**drawn, "present": drawn["present"] * 0 + 1}
        return own.step(problem, p, state, everyone, see)

    return step


@pytest.mark.parametrize("plant", [one_step_fewer, mean_over_all, everyone_counts])
@pytest.mark.parametrize("kind", ["FedAvg", "FedSim", "Scaffold"])
def test_planted_errors_are_caught_by_the_oracle(plant, kind):
    own = KINDS[kind].algorithm
    wrong = Algorithm(own.init, own.draw, plant(own), own.name)
    problem = quadratic(4, *KINDS[kind].blocks)
    assert far(kind, problem, 4, 2, 3) == 0
    assert far(kind, problem, 4, 2, 3, algorithm=wrong) > 1e-3


def wrong_sign(step):
    def wrong(problem, p, state, drawn, see):
        turned = {**state, "ci": -state["ci"], "c": -state["c"]}
        after = step(problem, p, turned, drawn, see)
        return {**after, "ci": -after["ci"], "c": -after["c"]}

    return wrong


def mean_over_participants_only(step):
    def wrong(problem, p, state, drawn, see):
        after = step(problem, p, state, drawn, see)
        return {**after, "c": state["c"] + (after["c"] - state["c"]) * fmpq(3, 2)}

    return wrong


def absent_clients_renewed(step):
    def wrong(problem, p, state, drawn, see):
        everyone = {**drawn, "present": drawn["present"] * 0 + 1}
        renewed = step(problem, p, state, everyone, lambda **_: None)
        after = step(problem, p, state, drawn, see)
        return {**after, "ci": renewed["ci"], "c": renewed["c"]}

    return wrong


@pytest.mark.parametrize("plant", [wrong_sign, mean_over_participants_only, absent_clients_renewed])
@pytest.mark.parametrize("kind", ["Scaffold", "Scaffold-P"])
def test_planted_errors_of_controls_are_caught_by_the_oracle(plant, kind):
    own = KINDS[kind].algorithm
    wrong = Algorithm(own.init, own.draw, plant(own.step), own.name)
    assert far(kind, quadratic(3, *KINDS[kind].blocks), 3, 2, 2, algorithm=wrong) > 1e-3


def test_controls_that_start_at_zero_are_caught():
    own = personal_scaffold.ROUNDS

    def init(problem, start, random, p):
        state = own.init(problem, start, random, p)
        return {**state, "ci": state["ci"] * 0, "c": state["c"] * 0}

    wrong = Algorithm(init, own.draw, own.step, own.name)
    assert far("Scaffold-P", quadratic(3, 2, 1), 3, 2, 2, algorithm=wrong) > 1e-3


def test_a_shared_update_at_the_old_personal_variables_is_caught(monkeypatch):
    problem, original = quadratic(3, 1, 2), personal_averaging.local

    def local(problem, state, noise, sizes, steps, correction=0):
        reached, shown = original(problem, state, noise, sizes, steps)

        def later(k, *at):
            return noise(k + 2, *at)

        still = original(problem, state, later, lambda k: (sizes(steps - 1)[0], 0), 2)[0]
        return (still[0], reached[1]), shown

    assert far("FedAlt", problem, 3, 2, 2) == 0
    monkeypatch.setattr(personal_averaging, "local", local)
    assert far("FedAlt", problem, 3, 2, 2) > 1e-3
