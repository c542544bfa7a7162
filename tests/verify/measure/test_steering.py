"""Plain floats that steer a search, and balls of long runs, against rationals."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from fedbounds.theory.language.claims import read
from fedbounds.theory.language.registry import claim
from fedbounds.theory.language.setups import Objective, Run, Setup
from fedbounds.verify.decide.case import find
from fedbounds.verify.measure import steering
from fedbounds.verify.measure.moments import FLOATS
from fedbounds.verify.measure.steering import UnclearError
from fedbounds.verify.search.seeking import spaces
from fedbounds.verify.search.tape import Tape
from fedbounds.verify.setups.found import Named, method_of
from fedbounds.verify.setups.inside import NoStepsError
from fedbounds.vocabulary import Method

Array = Any
_NAMES = frozenset({"G_u", "G_v", "C"})


def shown(setup: Setup, bits: int) -> dict[str, Array]:
    found = find(Named(setup, _NAMES, bits=bits)).series
    return {name: np.vectorize(float)(found[name]) for name in _NAMES}


def holds(balls: Array, exact: Array) -> bool:
    """Whether each ball holds its number."""
    with ctx.workprec(5000):
        pairs = zip(balls.flat, exact.flat, strict=True)
        return all(x == y if type(x) is fmpq else x.contains(arb(y)) for x, y in pairs)


def searched(count: int) -> list[Setup]:
    """Set-ups among which one searches, of few rounds."""
    found = claim("personalization/eq-4.5")
    (space,) = spaces(found, read(found, found.readings[0])[0])
    random, every = np.random.default_rng(0), list[Setup]()
    for corner in range(count):
        try:
            case = space.case(Tape(space, {}, random, corner=corner), _NAMES)
        except NoStepsError:
            continue
        if case.setup.setup.run.rounds <= 30:
            every.append(case.setup.setup)
    return every


def test_floats_are_what_rationals_are_or_say_that_they_do_not_tell():
    told = 0
    for setup in searched(20):
        exact = shown(setup, 0)
        try:
            floats = shown(setup, FLOATS)
        except UnclearError:
            continue
        told += 1
        for name, values in exact.items():
            scale = max(abs(values).max(), 1e-300)
            assert abs(floats[name] - values).max() <= 1e-4 * scale
    assert told >= 5


def scaffold(rounds: int, slope: str = "0") -> Setup:
    """Two clients that pull apart, of which one takes part."""
    data = (("hessians", [((1,),), ((1,),)]), ("slopes", [(slope,), (f"-{slope}",)]),
            ("noise", 0), ("personal", 0), ("personal_noise", 0))  # fmt: skip
    taken = (("cohort", 1), ("K", 1), ("gamma_u", "1/200"), ("gamma_v", "1/200"),
             ("eta_u", "1"), ("eta_v", "1"))  # fmt: skip
    run = Run(Objective("quadratics", data), ("1",), taken, rounds)
    return Setup("personalization", "Scaffold-P, rounds", run)


def test_large_slopes_that_cancel_cost_no_digits():
    setup = scaffold(300, "1000000")
    exact, floats = shown(setup, 128), shown(setup, FLOATS)
    assert floats["G_u"][-1] == pytest.approx(exact["G_u"][-1], rel=1e-3)


def test_from_the_origin_they_do_and_it_is_said(monkeypatch):
    monkeypatch.setattr(steering, "_settled", lambda step, start: {})
    with pytest.raises(UnclearError):
        shown(scaffold(299, "1000000"), FLOATS)  # no other test's: what was measured is remembered


def test_a_centre_far_from_the_start_is_none():
    class Nearly:
        """A map that moves nearly nothing, to a far place."""

        def form(self, pair: Any) -> Any:
            return {(0, 0): fmpq(1, 10), (0, 1): 1 - fmpq(1, 10**6)} if pair[1] else {(0, 0): 1}

    start = {(0, 0): fmpq(1), (0, 1): fmpq(1), (1, 1): fmpq(1)}
    assert not steering._settled(Nearly(), start)


def test_what_is_above_all_floats_is_no_number():
    far = replace(scaffold(400).run, parameters=tuple(
        (x, "200" if x in ("gamma_u", "eta_u") else y) for x, y in scaffold(400).run.parameters
    ))  # fmt: skip
    with pytest.raises(OverflowError):
        shown(replace(scaffold(400), run=far), FLOATS)


@pytest.mark.parametrize("left", [1e-3, 1e-30, 9e3])
def test_what_is_small_beside_its_terms_is_not_taken_for_nothing(left):
    """Planted: of terms of 1e14 it may be all that rounding left, however small it is."""
    sizes = np.array([1e14, 1e14])
    with pytest.raises(UnclearError):
        steering._check(np.array([left, 0.0]), sizes)
    steering._check(np.array([0.0, 0.0]), sizes)
    steering._check(np.array([1e5, left]), sizes)


def test_balls_hold_the_rationals():
    for setup in searched(12):
        exact = find(Named(setup, _NAMES, bits=0)).series
        balls = find(Named(setup, _NAMES, bits=128)).series
        for name in _NAMES:
            assert holds(balls[name], exact[name])


def test_a_run_of_many_rounds_is_in_balls_that_hold_what_rationals_give():
    setup = scaffold(401)
    assert method_of(setup) is Method.BALLS
    balls, exact = find(setup).series["G_u"], find(Named(setup, _NAMES, bits=0)).series["G_u"]
    assert holds(balls, exact)
    assert all(float(ball.rad()) < 1e-30 * float(ball.mid()) for ball in balls.flat)
