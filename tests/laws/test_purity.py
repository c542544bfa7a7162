"""Sampling, changed inputs and lost shapes are seen."""

from dataclasses import dataclass

import numpy as np
import pytest

from fedbounds import laws

X = np.array([1.0, 2.0])


@dataclass
class Model:
    weights: np.ndarray
    rounds: int


def step(x, draws):
    return {"x": x - draws["noise"], "parts": (x, [x.sum()])}


def test_a_function_that_only_computes_obeys():
    draws = {"noise": np.ones(2)}
    laws.deterministic(step, X, draws)
    laws.keeps_inputs(step, X, draws)
    laws.keeps_shape(lambda x: x * 2, X)


def test_sampling_inside_is_caught():
    rng = np.random.default_rng(0)
    with pytest.raises(laws.LawBroken, match="no sampling inside") as caught:
        laws.deterministic(lambda x: Model(x + rng.normal(size=2), 1), X)
    assert caught.value.where["place"] == "result.weights"


def test_memory_between_calls_is_caught():
    calls = []

    def remembers(x):
        calls.append(x)
        return [x] * len(calls)

    with pytest.raises(laws.LawBroken, match="one of the two results only"):
        laws.deterministic(remembers, X)


def adds_in_place(x):
    x += 1
    return x


def counts_rounds(model):
    model.rounds += 1


def sets_a_key(draws):
    draws["seen"] = 1


def draws_from(rng):
    return rng.normal()


@pytest.mark.parametrize(
    ("call", "argument", "place"),
    [
        (adds_in_place, X.copy(), "arguments[0]"),
        (counts_rounds, Model(X, 0), "arguments[0].rounds"),
        (sets_a_key, {}, "arguments[0]['seen']"),
        (draws_from, np.random.default_rng(0), "arguments[0].state"),
        (lambda parts: parts[0].sort(), [np.array([2, 1])], "arguments[0][0]"),
    ],
)
def test_a_changed_input_is_caught(call, argument, place):
    with pytest.raises(laws.LawBroken) as caught:
        laws.keeps_inputs(call, argument)
    assert (caught.value.law, caught.value.where["changed"]) == ("inputs unchanged", place)


def test_a_lost_shape_is_caught():
    with pytest.raises(laws.LawBroken, match=r"shape \(2, 1\), x has shape \(2,\)"):
        laws.keeps_shape(lambda x: x[:, None], X)
