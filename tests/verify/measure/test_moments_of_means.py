"""What a mean over the past, or a source of one outcome, does where entries are polynomials."""

import pytest
from flint import fmpq
from traced_runs import partial_training, scalar, square

from fedbounds.theory.language.symbols import VectorSymbol
from fedbounds.theory.proof.vectors import given, sq
from fedbounds.verify.measure.answers import Asked, by_enumeration, by_moments
from fedbounds.verify.measure.unrolled import unroll

W, past = VectorSymbol("W", "W"), VectorSymbol("past", "past")


@pytest.mark.parametrize("of", [given(W), given(W) + W])
def test_a_mean_over_the_past_is_enumerated_and_refused_of_moments(of):
    asked = Asked(definitions={"mean": sq(of), "conditional": sq(given(W, past))})
    listed, carried = (
        method(partial_training(rounds=2), asked) for method in (by_enumeration, by_moments)
    )
    assert listed.series["mean"][1] != listed.series["conditional"][1]
    assert "past is not carried" in carried.missing["mean"]
    assert list(carried.series["conditional"]) == list(listed.series["conditional"])


def test_a_source_of_one_outcome_is_no_unknown():
    def step(problem, p, state, drawn):
        return {"x": state["x"] / 2 + drawn["noise"][:, 0, 0] + drawn["sure"]}

    def draw(random, problem, p):
        return {"noise": random.noise(problem, 3), "sure": random.bernoulli(fmpq(1), 1)}

    subject = scalar(step, draw=draw, start=3, rounds=3)
    trace = unroll(subject, {"x": (1, 1)})
    assert trace.variables.sources == ()
    both = [method(subject, Asked({"n": square})) for method in (by_enumeration, by_moments)]
    assert list(both[0].series["n"]) == list(both[1].series["n"])
