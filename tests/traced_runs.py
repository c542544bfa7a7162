"""Small runs on which methods are compared: an algorithm, a problem, and what its step shows."""

import numpy as np
from flint import fmpq

from fedbounds.algorithms.traced import Algorithm
from fedbounds.own import quadratic
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.subject import Shown, Subject

SHOWN = Shown(
    draws={"xi": ("noise",)},
    indices={"k": "weights", "s": ""},
    vectors={"W": (), "Wk": ("k",), "gs": ("k", "s"), "ns": ("k", "s"), "Wn": ()},
)


def _init(problem, start):
    return {"x": start}


def _draw(random, problem, p):
    return {"noise": random.noise(problem, p["tau"])}


def _step(problem, p, state, drawn, see):
    W, masks = state["x"], p["masks"]
    shares = p["weights"] / sum(p["weights"])
    model, gradients, noises = problem.spread(W), [], []
    for s in range(p["tau"]):
        gradients.append(problem.gradient(model))
        noises.append(drawn["noise"][:, :, s])
        model = model - p["eta"] * masks * (gradients[-1] + noises[-1])
    weighted = shares[:, None] * masks
    moved = (weighted * (model - problem.spread(W))).sum(axis=1) / weighted.sum(axis=0)
    see(W=W, Wk=model, gs=np.stack(gradients, axis=2), ns=np.stack(noises, axis=2), Wn=W + moved)
    return {"x": W + moved}


PARTIAL = Algorithm(_init, _draw, _step, "partial training")


def partial_training(*, tau=1, rounds=2, shown=SHOWN):
    """Two clients, two coordinates, the first client without the second of them."""
    hessians, slopes = [[[2, 0], [0, 1]], [[1, 0], [0, 3]]], [[1, -1], [-1, 2]]
    problem, start = quadratic(hessians, slopes, [4, 3], fmpq(1, 4))
    values = {"eta": fmpq(1, 8), "masks": ((1, 0), (1, 1)), "weights": (1, 3), "tau": tau}
    return Subject(PARTIAL, Clients(problem), start, values, rounds, shown)


def scalar(step, *, start=1, rounds=5, draw=lambda random, problem, p: {}, values=None, noise=0):
    """One client with f(x) = x^2/2, and a step of one's own."""
    problem, at = quadratic([[[1]]], [[0]], [start], noise)
    algorithm = Algorithm(_init, draw, step, "own")
    return Subject(algorithm, Clients(problem), at, values or {}, rounds)


def square(problem, state):
    """||x||^2, one number per row."""
    return (state["x"] ** 2).sum(axis=1)
