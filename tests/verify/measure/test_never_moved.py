"""Entries of the state that no round changes are numbers, and nothing else is."""

from dataclasses import replace

import pytest
from flint import fmpq
from meerkat_cases import CASES, known, listed

from fedbounds.verify.measure import unrolled
from fedbounds.verify.measure.unmoved import Unmoved
from fedbounds.verify.setups import found

MASKED = ["one client, three steps, noise", "two clients, own directions, noise",
          "three clients, three steps, noise"]  # fmt: skip
ASKED = ("f", "G_f", "X_f", "X_mask", "Dw_2", "est_m")


def numbers(name):
    found.analysed.cache_clear()
    own = known(CASES[name], "rounds", 2)
    return {x: listed(own.series(x)) for x in ASKED}


@pytest.mark.parametrize("name", MASKED)
def test_numbers_are_those_of_unknowns_everywhere(name, monkeypatch):
    seen = []
    find = unrolled.unmoved

    def watched(*arguments):
        seen.append(find(*arguments))
        return seen[-1]

    monkeypatch.setattr(unrolled, "unmoved", watched)
    fixed = numbers(name)
    own = [x is not None for x in seen[0].numbers["x"]]
    assert own == [not kept for kept in CASES[name].mask]
    case = CASES[name]
    assert seen[0].carried == (case.n * sum(case.mask),) * (case.K - 1)
    monkeypatch.setattr(unrolled, "unmoved", lambda *arguments: Unmoved())
    assert fixed == numbers(name)


def test_a_moving_entry_taken_for_a_number_is_seen(monkeypatch):
    name = MASKED[0]
    right = numbers(name)
    find = unrolled.unmoved

    def wrong(start, *arguments):
        return Unmoved(start) if find(start, *arguments).numbers else Unmoved()

    monkeypatch.setattr(unrolled, "unmoved", wrong)
    assert numbers(name) != right
    found.analysed.cache_clear()


def test_where_all_is_masked_nothing_is_carried():
    """A step of size 0: every model stays, and numbers are those of the start."""
    case = replace(CASES[MASKED[0]], eta=fmpq(0))
    found.analysed.cache_clear()
    series = listed(known(case, "rounds", 2).series("f"))
    assert series == [series[0]] * 3
