"""Every planted error is caught by its check, and no original is flagged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.verify.commands.selftest.catalogue import CATALOGUE
from fedbounds.verify.commands.selftest.planted import (
    ErrorKind,
    Outcome,
    Planted,
    Said,
    Trial,
    attempt,
)


@pytest.mark.parametrize("planted", CATALOGUE, ids=[planted.name for planted in CATALOGUE])
def test_a_planted_error_is_caught_and_its_original_is_not_flagged(planted):
    trial = attempt(planted)
    assert trial.outcome is Outcome.CAUGHT, (trial.original, trial.error)
    assert trial.original.how
    assert trial.error.how


def test_every_kind_of_error_is_planted_under_a_name_of_its_own():
    assert {planted.kind for planted in CATALOGUE} == set(ErrorKind)
    names = [planted.name for planted in CATALOGUE]
    assert len(names) == len(set(names))
    assert not set(names) & {kind.value for kind in ErrorKind}
    assert all(planted.control != planted.catch for planted in CATALOGUE)


def planted_with(examine, *, plant=lambda subject: "wrong", control="fine", catch="caught"):
    return Planted(
        "name", ErrorKind.CLAIM, "error", "where", "check", lambda: "right", plant, examine,
        control, catch,
    )  # fmt: skip


words = st.sampled_from(["fine", "caught", "refused", "broke down"])


@given(words, words)
def test_an_error_is_caught_only_where_the_original_passes(original, error):
    said = {"right": Said(original, ""), "wrong": Said(error, "")}
    trial = attempt(planted_with(lambda subject: said[subject]))
    assert (trial.outcome is Outcome.CAUGHT) == (original == "fine" and error == "caught")
    assert (trial.outcome is Outcome.FALSE_ALARM) == (original != "fine")


@pytest.mark.parametrize(
    ("broken", "outcome"), [("right", Outcome.FALSE_ALARM), ("wrong", Outcome.MISSED)]
)
def test_a_check_that_breaks_down_has_caught_nothing(broken, outcome):
    def examine(subject):
        if subject == broken:
            raise ZeroDivisionError("division by zero")
        return Said("caught" if subject == "wrong" else "fine", "")

    trial = attempt(planted_with(examine))
    assert trial.outcome is outcome
    told = trial.original if broken == "right" else trial.error
    assert told == Said("broke down", "ZeroDivisionError: division by zero")


def test_an_error_that_cannot_be_planted_is_not_caught():
    def plant(subject):
        raise KeyError("b^2")

    trial = attempt(planted_with(lambda subject: Said("fine", ""), plant=plant))
    assert trial.outcome is Outcome.MISSED


def test_the_same_trial_says_the_same_again():
    """Nothing found of a planted error stays behind, and nothing is left to chance."""
    chosen = [p for p in CATALOGUE if p.kind in (ErrorKind.ALGORITHM, ErrorKind.PROBLEM)]
    first, again = ([attempt(planted) for planted in chosen] for _ in range(2))
    assert first == again
    assert all(isinstance(trial, Trial) for trial in first)
