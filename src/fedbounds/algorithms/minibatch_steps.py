"""Sparse zeroth-order local steps on minibatches, of which both values of an estimate are.

Parameters are those of `sparse_zeroth_order`, and ``pretraining`` (d,), the gradient of the
pre-training objective. How many samples a minibatch has, the problem says. `SCORED` never sends:
its rounds are local steps, and it shows the GradIP score of each.
"""

from collections.abc import Mapping
from typing import Any

from .early_stopping import gradip
from .sparse_zeroth_order import directions, init_models
from .traced import Algorithm, State

Array = Any


def draw(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """A direction and a minibatch of every client."""
    samples = random.samples(problem, 1, problem.batch)
    return {"z": directions(random, problem, p, 1), "samples": samples}


def scalars(
    problem: Any, p: Mapping[str, Any], models: Array, direction: Array, weights: Array
) -> Array:
    """g, shape (rows, n): the difference of two values of the same minibatch, over 2 eps."""
    away = direction * p["epsilon"]
    apart = problem.sampled_value(models + away, weights)
    return (apart - problem.sampled_value(models - away, weights)) / (2 * p["epsilon"])


def step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """One local step of every client, from its own model; its score, and grad f_p."""
    y, z, weights = state["y"], drawn["z"][:, :, 0, ...], drawn["samples"][:, :, 0, ...]
    g = scalars(problem, p, y, z, weights)
    estimated = g[:, :, None] * z
    after = y - estimated * p["eta"]
    slope = problem.gradient(y)
    see(g=slope, noise=problem.sampled_gradient(y, weights) - slope, est=estimated)
    see(score=gradip(g[:, :, None], drawn["z"], p["pretraining"])[:, :, 0])
    nothing = state["x"] * 0
    see(pre=nothing + p["pretraining"], mask=nothing + p["mask"])
    see(ones=nothing + 1, one=nothing[:, 0] + 1)
    return {"x": state["x"], "y": after}


SCORED = Algorithm(init_models, draw, step, "Meerkat, local steps on minibatches")
