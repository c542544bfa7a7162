"""Schedules are the claims' own conditions at equality."""

import numpy as np
import pytest
import sympy as sp
from each import each

from fedbounds.problems import Noise, NoiseLaw, Start, federated_quadratic
from fedbounds.theory.language.catalogue import PAPERS
from fedbounds.theory.language.claims import Claim, Condition, Part, read
from fedbounds.theory.language.registry import claim, encoded_claims
from fedbounds.theory.language.symbols import d_v
from fedbounds.verify.decide.conditions import failure
from fedbounds.verify.measure.evaluate import Numbers, evaluate


def scheduled(found: Claim, number: int, shape: tuple[int, int, int, int], own: int = 2) -> Numbers:
    """A random problem's constants with the step sizes of a schedule, in floats."""
    n, m, steps, rounds = shape
    problem = federated_quadratic(
        clients=n, shared_dimension=2, personal_dimension=own, dissimilarity=1.3 if n > 1 else 0.0,
        smoothness=1.7, strong_convexity=0.2, noise=Noise(NoiseLaw.GAUSSIAN, 0.4, 0.3), seed=n + m,
    )  # fmt: skip
    rng = np.random.default_rng(steps)
    start = Start(rng.standard_normal(2), rng.standard_normal((n, own)))
    values = {k.value: float(c.value) for k, c in problem.constants(start).items()}
    values |= {"n": float(n), "m": float(m), "K": float(steps), "T": float(rounds)}
    values |= {"d_u": 2.0, "d_v": float(own)}
    for name, side in found.schedules[number].items():
        values[name] = float(evaluate(side, Numbers(values, {})))
    return inner_steps(values)


def inner_steps(values: dict[str, float]) -> Numbers:
    inner = {f"gamma_{b}": values["gamma"] / values[f"eta_{b}"] for b in ("u", "v")}
    return Numbers(values | inner, {})


def admits(part: Part, numbers: Numbers) -> bool:
    return all(failure(condition, numbers) is None for condition in part.conditions)


def schedules():
    """Claims, each with the number of a schedule."""
    claims = (found for key in PAPERS for found in encoded_claims(key))
    return [(found, number) for found in claims for number in range(len(found.schedules))]


SHAPES = ((4, 4, 3, 5), (5, 2, 4, 7), (6, 1, 2, 3), (2, 2, 5, 40), (1, 1, 3, 9))


@each("found, number", schedules, told=lambda item: f"{item[0].id}.{item[1] + 1}")
def test_a_schedule_lies_on_the_edge_of_some_part(found, number):
    """All conditions hold, and each step size moved one way or the other breaks one of them."""
    met = 0
    # a claim about one block only is met by problems without the other
    alone = any(Condition(d_v, "==", sp.Integer(0)) in part.conditions for part in found.parts)
    for shape in SHAPES:
        numbers = scheduled(found, number, shape, 0 if alone else 2)
        edges = [
            part
            for reading in found.readings
            for part in read(found, reading)
            if part.conditions and admits(part, numbers)
        ]
        if shape[0] == shape[1]:
            assert edges, shape
        met += bool(edges)
        for name in ("gamma", "eta_u", "eta_v"):
            moved = [
                inner_steps(dict(numbers.constants) | {name: numbers.constants[name] * factor})
                for factor in (1 - 1e-6, 1 + 1e-6)
            ]
            assert not edges or any(
                not all(admits(part, other) for other in moved) for part in edges
            ), (shape, name)
    assert met


def test_partial_participation_has_schedules_too():
    """The claims that allow m < n have a schedule that admits it."""
    for name in ("lem-3.5", "thm-3.7", "cor-3.8"):
        found = claim(f"personalization/{name}")
        for shape in SHAPES:
            numbers = scheduled(found, 0, shape)
            assert admits(found.parts[0], numbers), (name, shape)


@pytest.mark.parametrize("name", ["cor-3.8", "thm-3.11"])
def test_a_corollarys_step_size_satisfies_the_theorems_condition(name):
    """gamma of (3.8) and (3.11 b) is at most 1/(32LK) and 1/(84LK), by evaluation."""
    found = claim(f"personalization/{name}")
    factor = {"cor-3.8": 32, "thm-3.11": 84}[name]
    for shape in SHAPES:
        c = scheduled(found, len(found.schedules) - 1, shape).constants
        assert c["gamma"] * factor * c["L"] * c["K"] <= 1 + 1e-12
