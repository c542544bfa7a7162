"""What vectors depend on in a run is held against what the proofs declare."""

from dataclasses import replace
from functools import cache

import pytest

from fedbounds.errors import ConflictError
from fedbounds.theory.fedplt.proofs.scopes import SCOPES, STEP
from fedbounds.verify.dependences import check_declared
from fedbounds.verify.fedplt.step_cases import cases

SCOPE = SCOPES[STEP]


@cache
def runs():
    return [case.found.space for case in cases() if STEP in case.scopes]


def declared(atom, sources):
    kept = tuple(pair for pair in SCOPE.atoms if pair[0] != atom)
    return replace(SCOPE, atoms=(*kept, (atom, sources)))


def test_what_is_declared_holds_on_every_run():
    check_declared(STEP, SCOPE, runs())
    check_declared(STEP, declared("g", ("past", "k", "xi")), runs())  # less is not needed


@pytest.mark.parametrize(("atom", "sources"), [("g", ("past",)), ("mn", ("past", "k"))])
def test_a_planted_independence_is_a_conflict(atom, sources):
    missing = (set(dict(SCOPE.atoms)[atom]) - set(sources)).pop()
    with pytest.raises(ConflictError, match=f"{atom} of .*depends on {missing} in a run"):
        check_declared(STEP, declared(atom, sources), runs())


def test_a_vector_that_does_not_average_out_is_a_conflict():
    with pytest.raises(ConflictError, match="mg of .*has mean"):
        check_declared(STEP, replace(SCOPE, centred=(("mg", "xi"),)), runs())
