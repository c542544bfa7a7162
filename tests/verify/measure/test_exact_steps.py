"""Moments step by step in matrices: those of forms, pair by pair, and those of slow oracles."""

import pytest
from flint import fmpq
from meerkat_cases import CASES, closed, differing, known, listed, setup_of
from traced_runs import partial_training

from fedbounds.verify.measure import exact_steps, step_maps
from fedbounds.verify.measure.beginnings import beginning
from fedbounds.verify.measure.exact_steps import ExactMap, TooMuchError, matrix_of
from fedbounds.verify.measure.many_rounds import in_rationals, rounds_of, traced
from fedbounds.verify.measure.moments import moments
from fedbounds.verify.measure.trace import subject_of
from fedbounds.verify.measure.unknowns import Refused
from fedbounds.verify.setups.found import view_of


@pytest.fixture
def wide(monkeypatch):
    """Whatever a step carries is too much for forms."""
    monkeypatch.setattr(step_maps, "MOST_STATE", 0)


@pytest.mark.parametrize("name", CASES)
def test_expectations_of_rounds_are_the_oracles(name, wide):
    found, wanted = known(CASES[name], "rounds", 2), closed(CASES[name], "rounds", 2)
    assert {x: listed(found.series(x)) for x in wanted} == wanted


def test_without_covariances_they_are_not(wide, monkeypatch):
    """Planted: monomials of the sources are taken for independent of themselves."""
    monkeypatch.setattr(step_maps, "covariances", lambda named, every: iter(()))
    assert {"f", "Dw_2", "est_m"} & differing(CASES["two clients, two steps"], "rounds", 2)


@pytest.mark.parametrize("centre", [(), (fmpq(1, 3), fmpq(-2))])
def test_outcomes_that_are_listed_and_any_centre(centre):
    """Participants and bits of masks, two steps of noise; `many_rounds` has pairs one by one."""
    subject = partial_training(tau=2)
    trace = traced(subject)
    (own,) = step_maps.step_maps(trace, [centre] if centre else ())
    first, size = beginning(subject), trace.variables.entries + 1
    start = first.moments(centre)
    rows = [[start[min(i, j), max(i, j)] for j in range(size)] for i in range(size)]
    wanted = in_rationals(rounds_of(subject, trace, centre)).values
    found = matrix_of(rows)
    for values in wanted[1:]:
        found = ExactMap(own)(found)
        assert {pair: found[pair] for pair in values} == dict(values)


def test_what_is_too_much_is_not_done(wide, monkeypatch):
    run = setup_of(CASES["two clients, two steps"], "rounds", 2)
    subject = subject_of(run.run, view_of(run))
    with pytest.raises(TooMuchError, match="more than 3 products of rationals within 2 rounds"):
        _ = moments(subject, most=3).values[2][1, 1]
    monkeypatch.setattr(exact_steps, "MOST_PRODUCTS", 100)
    with pytest.raises(TooMuchError, match="more than 100 products within"):
        _ = moments(subject).values[2][1, 1]
    monkeypatch.setattr(step_maps, "MOST_WIDE", 5)
    with pytest.raises(Refused, match="6 numbers; at most 5"):
        moments(subject)
