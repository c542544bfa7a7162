"""FedAvg-P, Scaffold-P and their special cases as pseudo-code: client after client.

The oracles are written from each paper, for one replica, on plain vectors.
"""

from dataclasses import dataclass
from typing import Any

import bridge
import numpy as np
from flint import fmpq
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
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw
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
