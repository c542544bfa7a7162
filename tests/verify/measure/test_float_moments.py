"""Moments in floats: what rounding did is at most what is said, and that is little."""

from dataclasses import replace

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from traced_runs import partial_training, scalar, square

from fedbounds.algorithms.traced import Algorithm
from fedbounds.own import quadratic
from fedbounds.problems.linear import rational
from fedbounds.verify.measure.answers import Asked, by_moments
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.float_moments import float_moments
from fedbounds.verify.measure.many_rounds import traced
from fedbounds.verify.measure.subject import Subject
from fedbounds.verify.measure.unknowns import Refused


def _draw(random, problem, p):
    return {
        "present": random.participants(3, p["m"]),
        "kept": random.bernoulli(fmpq(2, 3), 3, 2),
        "noise": random.noise(problem, 1),
    }


def _step(problem, p, state, drawn):
    x = state["x"]
    gradients = problem.gradient(x) + drawn["noise"][:, :, 0]
    weights = drawn["present"][:, :, None] * drawn["kept"]
    return {"x": x - p["eta"] / p["m"] * (weights * gradients).sum(axis=1)}


ALGORITHM = Algorithm(lambda problem, start: {"x": start}, _draw, _step, "masked, some clients")


def _subject(m, eta, slopes, rounds, changing):
    hessians = [[[2, 1], [1, 2]], [[1, 0], [0, 3]], [[1, 0], [0, 1]]]
    problem, start = quadratic(hessians, slopes, [4, -3], fmpq(1, 2))
    values = {"m": m, "eta": eta}
    steps = {"eta": lambda t: eta / (t + 1)} if changing else {}
    return Subject(ALGORITHM, Clients(problem), start, values, rounds, changing=steps)


def _compared(subject, centre):
    """Errors and their bounds, exact, of the square of the model; and its largest value."""
    trace = traced(subject)
    (value,) = square(subject.problem, trace.before)[:1].tolist()
    found = float_moments(subject, trace, {"n": value}, centre)
    exact = by_moments(subject, Asked(functions={"n": square})).series["n"]
    pairs = zip(found.series["n"], exact, strict=True)
    errors = [abs(rational(one) - other) for one, other in pairs]
    return errors, [rational(x) for x in found.errors["n"]], max(exact)


@settings(max_examples=20, deadline=None)
@given(
    m=st.integers(1, 3),
    eta=st.sampled_from([fmpq(1, 3), fmpq(1, 7), fmpq(3, 50)]),
    slopes=st.lists(st.lists(st.integers(-5, 5), min_size=2, max_size=2), min_size=3, max_size=3),
    changing=st.booleans(),
    centre=st.sampled_from([(fmpq(0), fmpq(0)), (fmpq(1, 3), fmpq(-2, 7))]),
)
def test_no_error_exceeds_its_bound(m, eta, slopes, changing, centre):
    errors, bounds, _ = _compared(_subject(m, eta, slopes, 12, changing), centre)
    assert all(error <= bound for error, bound in zip(errors, bounds, strict=True))


def test_the_bound_stays_near_rounding_over_many_rounds():
    errors, bounds, size = _compared(partial_training(tau=2, rounds=150), (fmpq(0), fmpq(0)))
    assert float(max(bounds)) < 1e-12 * float(size)
    assert 0 < max(errors) <= max(bounds)


def test_a_centre_near_the_end_keeps_digits():
    subject = _subject(3, fmpq(1, 7), [[500, 0], [500, 0], [500, 0]], 30, False)
    best = subject.problem.minimiser
    far, near = (_compared(subject, centre)[1][-1] for centre in ((fmpq(0), fmpq(0)), tuple(best)))
    assert near != far


def test_what_overflows_is_said_with_its_round():
    subject = scalar(lambda problem, p, state, drawn: {"x": state["x"] * 100}, rounds=400)
    trace = traced(subject)
    (value,) = square(subject.problem, trace.before).tolist()
    found = float_moments(subject, trace, {"n": value}, [fmpq(0)])
    assert 70 < found.diverged_at < 90
    assert len(found.series["n"]) == found.diverged_at
    assert np.isfinite(found.series["n"]).all()


def test_a_step_that_asks_for_the_round_itself_is_refused():
    subject = scalar(lambda problem, p, state, drawn: {"x": state["x"] / (p["t"] + 2)})
    with pytest.raises(Refused, match="round"):
        traced(subject)


def test_a_parameter_that_changes_is_followed_without_a_trace_for_each_round():
    subject = replace(partial_training(rounds=40), changing={"eta": lambda t: fmpq(1, 8 + t)})
    errors, bounds, _ = _compared(subject, (fmpq(0), fmpq(0)))
    assert all(error <= bound for error, bound in zip(errors, bounds, strict=True))
    assert float(max(bounds)) < 1e-10
