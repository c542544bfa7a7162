"""A field of the state that is the mean of another: found by polynomials, and kept so in floats."""

from dataclasses import replace

import many_clients
import numpy as np
import pytest
from each import each
from flint import fmpq
from many_clients import VIEWS
from personal_runs import definitions, pairs, problem, subject

from fedbounds.algorithms import personal_averaging, personal_scaffold
from fedbounds.verify.measure.driven import drive
from fedbounds.verify.measure.driven_run import DrivenKnown, driven_run, in_floats
from fedbounds.verify.measure.driving import Driving
from fedbounds.verify.measure.twins import form_of
from fedbounds.verify.measure.unknowns import Refused
from fedbounds.verify.setups.found import driven_of, view_of


def of(algorithm, n=3, m=2, rounds=3):
    pair = replace(pairs(m, 2)["Scaffold-P"], traced=algorithm)
    return subject(pair, problem(n, 2, 1), rounds)


FOUND = {
    "FedAvg-P": (personal_averaging.ROUNDS, ()),
    "Scaffold-P": (personal_scaffold.ROUNDS, (("c", "ci"),)),
    "its controls renamed": (None, (("a", "b"),)),
}


def renamed():
    """The same rounds; no name tells what is conserved."""
    own = {"c": "a", "ci": "b"}

    def init(problem, start, random, p):
        return {
            own.get(x, x): y for x, y in personal_scaffold.init(problem, start, random, p).items()
        }

    def step(problem, p, state, drawn, see):
        back = {y: x for x, y in own.items()}
        inner = {back.get(x, x): y for x, y in state.items()}
        after = personal_scaffold.step(problem, p, inner, drawn, see)
        return {own.get(x, x): y for x, y in after.items()}

    return replace(personal_scaffold.ROUNDS, init=init, step=step)


@each("name", FOUND)
def test_what_is_conserved_is_found(name):
    algorithm, wanted = FOUND[name]
    assert form_of(in_floats(of(algorithm or renamed()))).means == wanted


def changed(start=lambda state: state, after=lambda state, problem: state):
    def init(problem, x, random, p):
        return start(personal_scaffold.init(problem, x, random, p))

    def step(problem, p, state, drawn, see):
        return after(personal_scaffold.step(problem, p, state, drawn, see), problem)

    return replace(personal_scaffold.ROUNDS, init=init, step=step)


PLANTED = {
    "no mean at first": changed(start=lambda x: {**x, "c": x["c"] + 1}),
    "a round moves it a little less": changed(
        after=lambda x, _: {**x, "c": x["c"] * (1 - fmpq(1, 10**9))}
    ),
    "of one client less": changed(after=lambda x, _: {**x, "c": x["ci"][:, :1, :].sum(axis=1) * 1}),
}


@each("planted", PLANTED)
def test_what_is_not_conserved_is_not_found(planted):
    assert form_of(in_floats(of(PLANTED[planted]))).means == ()


def test_a_large_run_that_is_unlike_its_twin_is_refused():
    """Planted: with more clients than a twin has, c drifts by 1e-6 a round."""

    def drifts(state, problem):
        return {**state, "c": state["c"] * (1 + 1e-6)} if problem.clients > 3 else state

    algorithm = changed(after=drifts)
    assert Driving(in_floats(of(algorithm, n=3))).means == (("c", "ci"),)
    drive(in_floats(of(algorithm, n=3)))
    with pytest.raises(Refused, match=r"state\['c'\] of the large run is no mean"):
        drive(in_floats(of(algorithm, n=4)))


def test_nothing_is_conserved_in_floats_any_more(monkeypatch):
    """The map is another one where c is no mean, which no state of a run is; `test_driven` has both
    against rationals.
    """
    exact = of(personal_scaffold.ROUNDS, rounds=6)
    with_means = driven_run(exact)
    monkeypatch.setattr(Driving, "means", ())
    without = driven_run(exact)
    assert with_means.errors.square[-1] < without.errors.square[-1]
    for run, conserved in ((with_means, False), (without, True)):
        every = abs(np.linalg.eigvals(run.driven.averaged.mean[1:, 1:]) - 1)
        assert bool(every.min() < 1e-9) is conserved
    asked = definitions(3, 2, 2)
    for name, value in DrivenKnown(without, {"gamma": fmpq(1, 4)}, asked).quantities.items():
        (one, two) = (
            DrivenKnown(x, {"gamma": fmpq(1, 4)}, {name: value}) for x in (with_means, without)
        )
        bound = one.errors_of(name) + two.errors_of(name)
        assert (abs(one.series(name) - two.series(name)) <= bound + 1e-300).all(), name


def test_many_rounds_keep_a_bound_near_that_of_averaging():
    """400 rounds of Scaffold-P: before, with c free to drift, 1e-2."""
    setup = many_clients.setup(
        VIEWS["Scaffold-P"], n=3, m=1, K=2, d_u=2, d_v=1, rounds=400, steps=("1/100", "1/100", 2, 2)
    )
    found = driven_of(setup, view_of(setup))
    for name in ("G_u", "G_v", "E"):
        assert (found.errors_of(name) < 1e-4 * found.series(name)).all(), name
