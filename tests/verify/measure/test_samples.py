"""Samples of a run in floats lie about its exact moments, and depend on the seed alone."""

from dataclasses import replace

import numpy as np
from flint import fmpq
from traced_runs import scalar, square

from fedbounds.problems import FederatedQuadratic, Noise
from fedbounds.problems.spectrum import to_floats
from fedbounds.verify.measure.answers import Asked, by_moments
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.samples import CHUNK, sample

MEASURED = {"n": square}


def _draw(random, problem, p):
    return {
        "noise": random.noise(problem, 1),
        "normal": random.normal(1),
        "kept": random.bernoulli(fmpq(1, 3), 1),
        "often": random.participants_with_replacement(3, 2),
    }


def _step(problem, p, state, drawn):
    moved = drawn["noise"][:, 0, 0] + drawn["normal"] / 2 + drawn["often"][:, :1]
    return {"x": state["x"] / 2 + drawn["kept"] * moved}


def _runs():
    exact = scalar(_step, draw=_draw, start=2, rounds=3, noise=fmpq(1, 2))
    own = exact.problem.objective
    noise = Noise(own.noise.law, float(own.noise.scale_u), 0.0)
    floats = FederatedQuadratic(to_floats(own.hessian), to_floats(own.linear), 1, noise)
    return exact, replace(exact, problem=Clients(floats), start=to_floats(exact.start))


def test_means_lie_within_five_standard_errors_of_exact_moments():
    exact, floats = _runs()
    wanted = by_moments(exact, Asked(functions=MEASURED)).series["n"].astype(float)
    found = sample(floats, MEASURED, replicas=20_000, seed=0, key="run")
    distance = np.abs(found.means["n"] - wanted)
    assert (distance <= 5 * found.errors["n"] + 1e-12).all()
    assert (found.errors["n"][1:] < 0.05).all()
    assert distance[1:].min() > 0  # it is a sample, not the number itself


def test_the_same_seed_gives_the_same_means_and_another_gives_others():
    _, floats = _runs()
    one, again, other = (
        sample(floats, MEASURED, replicas=200, seed=seed, key="run") for seed in (0, 0, 1)
    )
    assert one.replicas == 2 * CHUNK
    np.testing.assert_array_equal(one.means["n"], again.means["n"])
    assert (one.means["n"][1:] != other.means["n"][1:]).all()
