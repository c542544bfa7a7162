"""Moments step by step in floats: as far from exact ones as they say, at most."""

from dataclasses import replace

import numpy as np
import pytest
from flint import arb, fmpq
from meerkat_cases import CASES, closed, setup_of
from traced_runs import partial_training

from fedbounds.algorithms.traced import Algorithm
from fedbounds.own import quadratic
from fedbounds.verify.decide.case import find
from fedbounds.verify.measure import float_steps
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.float_steps import FloatMap
from fedbounds.verify.measure.many_rounds import in_rationals, rounds_of, traced
from fedbounds.verify.measure.step_maps import step_maps
from fedbounds.verify.measure.stepped_run import stepped
from fedbounds.verify.measure.subject import Subject
from fedbounds.verify.measure.unknowns import Refused
from fedbounds.verify.setups.found import InFloats

VIEWS = ("rounds", "local steps")


def off(case, view, rounds):
    """Of all quantities, how far floats are from the oracle's numbers, and may be."""
    found = find(InFloats(setup_of(case, view, rounds)))
    wanted, every = closed(case, view, rounds), {}
    for name, numbers in wanted.items():
        series, wrong = (np.asarray(x[name]) for x in (found.series, found.errors))
        exact = np.array(numbers, dtype=object)
        apart = [
            abs(fmpq(*x.as_integer_ratio()) - y)
            for x, y in zip(series.flat, exact.flat, strict=True)
        ]
        every[name] = apart, wrong.reshape(-1).tolist(), [abs(x) for x in exact.flat]
    return every


def within(every):
    return {name for name, (apart, wrong, _) in every.items()
            if all(arb(x) <= arb(y) for x, y in zip(apart, wrong, strict=True))}  # fmt: skip


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", CASES)
def test_quantities_are_within_their_errors_and_these_are_small(name, view):
    every = off(CASES[name], view, 3)
    assert within(every) == set(every)
    for _, wrong, sizes in every.values():
        largest = max(map(float, sizes))
        assert max(wrong) <= 1e-9 * max(largest, 1.0)


def test_errors_are_no_larger_than_they_are_by_luck(monkeypatch):
    """Planted: weights of a map are off by 1e-10, and errors do not tell of it."""
    own = FloatMap._sums
    monkeypatch.setattr(FloatMap, "_sums", lambda *x: own(*x) * (1 + 1e-10))
    every = off(CASES["two clients, two steps"], "rounds", 3)
    assert "Dw_2" not in within(every)


def errors(trace, subject):
    """Of the moments of the state: true ones in the norms, and bounds."""
    exact = in_rationals(rounds_of(subject, traced(subject), trace.centre)).values
    size, found = trace.steps.size + 1, []
    for t, values in enumerate(exact):
        own = trace.steps.moments[0][t]
        apart = np.array(
            [[float(fmpq(*own[i, j].as_integer_ratio()) - values[min(i, j), max(i, j)])
              for j in range(size)] for i in range(size)]
        )  # fmt: skip
        true = np.linalg.norm(apart[0]), np.linalg.norm(apart[1:, 1:], "nuc")
        found.append((true, tuple(trace.steps.wrong[0][t])))
    return found


def test_errors_of_moments_are_bounded_in_their_norms():
    """Outcomes that are listed, noise and bits; every round adds to what there was."""
    subject = replace(partial_training(tau=2), rounds=40)
    for (mean, square), (one, two) in errors(stepped(subject), subject):
        assert mean <= one <= 1e-10
        assert square <= two <= 1e-10


def shifted_errors(rounds=6, shift=1e-6):
    """Of moments all of which are off by as much at the start: how far they are after, and may be."""
    subject = partial_training(tau=1)
    (own,) = step_maps(traced(subject))
    units = np.linspace(0.5, 2, own.before - 1)
    map_, found = FloatMap(own, units, units), []
    moment = stepped(subject).steps.moments[0][0]
    off = np.full_like(moment, shift)
    off[0, 0] = 0.0
    wrong = float_steps._wrong(off, units)
    moved = moment + off
    for _ in range(rounds):
        (moment, _), (moved, lost) = map_(moment), map_(moved)
        wrong = float_steps._grown(map_, wrong, float_steps._wrong(lost, units))
        apart = moved - moment
        scaled = apart[1:, 1:] * units[:, None] * units
        found.append((np.linalg.norm(apart[0, 1:] * units), np.linalg.norm(scaled, "nuc"), *wrong))
    return found


def test_an_error_grows_no_more_than_is_said(monkeypatch):
    """Planted: it is said to grow by the square of what it grows by, where that is less than 1."""
    every = shifted_errors()
    assert all(0 < mean <= one and 0 < square <= two for mean, square, one, two in every)
    growth = FloatMap.growth.func
    monkeypatch.setattr(FloatMap, "growth", property(lambda own: [x**4 for x in growth(own)]))
    assert any(mean > one or square > two for mean, square, one, two in shifted_errors())


def scaled(rounds, eta, start=3):
    """x is multiplied by eta in every round."""

    def step(problem, p, state, drawn, see):
        return {"x": state["x"] * p["eta"]}

    problem, at = quadratic([[[1]]], [[0]], [start])
    algorithm = Algorithm(lambda problem, start: {"x": start}, lambda *_: {}, step, "own")
    return Subject(algorithm, Clients(problem), at, {"eta": eta}, rounds)


def test_errors_of_small_moments_do_not_vanish(monkeypatch):
    """The square of an error below 1e-162 is 0; planted: a norm that is its root."""
    subject = scaled(120, fmpq(102003, 102002), fmpq(1, 10**84))

    def kept():
        steps, every = stepped(subject).steps, range(121)
        true = [fmpq(1, 10**168) * fmpq(102003, 102002) ** (2 * t) for t in every]
        values, wrong = steps.told({(1, 1): fmpq(1)}, slice(0, 121))
        apart = [abs(fmpq(*values[t].as_integer_ratio()) - true[t]) for t in every]
        return all(apart[t] <= fmpq(*wrong[t].as_integer_ratio()) for t in every)

    assert kept()
    monkeypatch.setattr(float_steps, "_norm", np.linalg.norm)
    monkeypatch.setattr(float_steps, "TINY", 0.0)
    monkeypatch.setattr(float_steps, "_LOST", 0.0)
    assert not kept()


def test_what_is_not_followed_is_refused(monkeypatch):
    with pytest.raises(Refused, match="too large for floats after round"):
        stepped(scaled(9, fmpq(10) ** 30))
    with pytest.raises(Refused, match="no round is run"):
        stepped(scaled(0, fmpq(2)))
    monkeypatch.setattr(float_steps, "_MOST_ENTRIES", 10)
    with pytest.raises(Refused, match="moments of all rounds are too large"):
        stepped(scaled(9, fmpq(2)))


def test_constants_are_exact_and_a_mean_norm_is_not_measured():
    found = find(InFloats(setup_of(CASES["two clients, two steps"], "rounds", 2)))
    numbers = {str(x): y for x, y in found.parameters.items()}
    assert numbers["u_m"] == fmpq(2)
    assert "not looked at in floats" in found.undefined["G_1"]
