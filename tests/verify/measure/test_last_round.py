"""The start of the round after the last: its step goes no further than what is asked of it."""

from dataclasses import replace

import numpy as np
import pytest

from fedbounds.algorithms import scheduled_averaging
from fedbounds.theory.overparam.setups import PLANNED
from fedbounds.theory.overparam.vectors import far_l, res, star, x, x0
from fedbounds.theory.proof.vectors import ip, sq
from fedbounds.verify.measure import contract
from fedbounds.verify.setups.found import known_of, view_of

STATES = ("R_2", "R_mean", "far_2", "far_l2")
PRODUCTS = (sq(res), sq(x - star), sq(far_l), ip(x, x0))


def planned(name):
    return next(one.setup for one in PLANNED if one.name == name)


SETUPS = [
    planned(name)
    for name in ("one layer, three clients: two of three in turns, K=15 T=3",
                 "one layer: 1 of 2 at random, K=3 T=4",
                 "three layers: in turns, K=1 T=2")
]  # fmt: skip


def whole(known):
    """The same, of a run whose last round is made whole."""
    return replace(known.trace, ending_with=None, kept={})


@pytest.mark.parametrize("setup", SETUPS, ids=lambda own: own.view)
def test_states_are_those_of_the_whole_round(setup):
    known = known_of(setup, view_of(setup))
    there = [
        name for name in STATES if name != "far_2" or dict(setup.run.problem.data)["depth"] < 2
    ]
    found = {name: known.series(name) for name in there}
    other = known_of(setup, view_of(setup))
    other.trace = whole(other)
    for name in there:
        assert (found[name] == other.series(name)).all()
        assert found[name].shape[-1] == setup.run.rounds + 1


def test_a_step_stops_where_all_that_is_asked_for_was_shown(monkeypatch):
    setup, local = SETUPS[0], []
    known = known_of(setup, view_of(setup))
    steps = scheduled_averaging.local_steps

    def counted(*given):
        local.append(given)
        return steps(*given)

    monkeypatch.setattr(scheduled_averaging, "local_steps", counted)
    for product in PRODUCTS:
        known.trace.end_with(product)
    assert local == []
    assert known.trace.end.vectors["y"].size
    assert len(local) == 1


def test_what_later_parts_of_a_step_show_is_there_too():
    setup = SETUPS[0]
    trace = known_of(setup, view_of(setup)).trace
    own = trace.end_with(ip(res, res))
    np.testing.assert_array_equal(own.vectors["res"], trace.end.vectors["res"])
    for axis, weights in enumerate(own.weights):
        assert len(weights) == len(trace.end.weights[axis])


def test_rationals_stay_rationals_where_a_step_is_cut_short():
    """Of an exact run all that is shown is exact: floats are refused."""
    setup = SETUPS[0]
    subject = known_of(setup, view_of(setup)).trace.subject
    state = {"x": subject.start[None, :], "x0": subject.start[None, :]}

    def step(problem, p, state, drawn, see):
        see(half=state["x"] / 2)
        see(rough=np.array([[0.5]]))
        raise AssertionError("it went on")

    algorithm = replace(subject.algorithm, step=step)
    given = algorithm, subject.problem, subject.parameters(), state, {}
    found = contract.shown_first(*given, frozenset({"half"}))
    assert (found["half"] * 2 == state["x"]).all()
    with pytest.raises(Exception, match="floats"):
        contract.shown_first(*given, frozenset({"half", "rough"}))
