"""What vectors depend on in a run is held against what the proofs declare."""

from dataclasses import replace
from functools import cache

import pytest

from fedbounds.errors import ConflictError
from fedbounds.theory.proof.library import book_of
from fedbounds.verify.dependences import check_declared
from fedbounds.verify.step_check import _cases

NAME = "FedAvg-P"


@cache
def runs():
    return tuple(case.outcomes for case in _cases() if case.scope == NAME)


def scope():
    return book_of("personalization").theory.scopes[NAME]


def declared(atom, sources):
    kept = tuple(pair for pair in scope().atoms if pair[0] != atom)
    return replace(scope(), atoms=(*kept, (atom, sources)))


def test_what_is_declared_holds_on_every_run():
    check_declared(NAME, scope(), runs())
    atom, sources = scope().atoms[0]
    check_declared(NAME, declared(atom, (*sources, "S")), runs())  # less is not needed


@pytest.mark.parametrize(("atom", "missing"), [("hu", "xi"), ("av", "i")])
def test_a_planted_independence_is_a_conflict(atom, missing):
    sources = tuple(set(dict(scope().atoms)[atom]) - {missing})
    with pytest.raises(ConflictError, match=f"{atom} of .*depends on {missing} in a run"):
        check_declared(NAME, declared(atom, sources), runs())


def test_a_vector_that_does_not_average_out_is_a_conflict():
    with pytest.raises(ConflictError, match="hu of .*has mean"):
        check_declared(NAME, replace(scope(), centred=(("hu", "xi"),)), runs())
