"""Scaffold-P's quantities: what its views measure is what another program found.

The stored values are second moments of hand-written features; brute force is in
`test_brute_force`.
"""

import json
from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from flint import fmpq

from fedbounds.errors import ConflictError
from fedbounds.theory.language.registry import claim
from fedbounds.theory.language.setups import Objective, Run, Setup
from fedbounds.theory.personalization.proofs.book import book
from fedbounds.theory.personalization.proofs.scopes import d, di, u, u1
from fedbounds.theory.personalization.views_scaffold import VIEWS
from fedbounds.theory.proof.vectors import present
from fedbounds.verify.decide.case import find
from fedbounds.verify.decide.part import decide
from fedbounds.verify.measure.evaluate import Numbers
from fedbounds.verify.setups import found as of_setups
from fedbounds.verify.setups import steps
from fedbounds.verify.setups.steps import Judged, least_on
from fedbounds.vocabulary import Method, Verdict

STORED = Path(__file__).parents[2] / "data" / "personalization_scaffold_exact.json"
_PROBLEM = ("hessians", "slopes", "noise", "personal", "personal_noise")
_NOT_CLAIMED = {"P_u", "T_3u"}  # of Scaffold-P


@cache
def stored():
    """What another program found of these runs."""
    return json.loads(STORED.read_text())


def setup_of(data, view="rounds", **more):
    problem = Objective("quadratics", tuple((name, data[name]) for name in _PROBLEM))
    parameters = tuple({**data["parameters"], **more}.items())
    run = Run(problem, data["start"], parameters, data["rounds"])
    return Setup("personalization", f"Scaffold-P, {view}", run)


def others(found, wanted, infimum="0"):
    """Names of quantities that are not as wanted, and how many numbers are."""
    wrong, equal = set(), 0
    for name, nested in wanted.items():
        rows = np.array(nested, dtype=object)
        if name not in found.series or found.series[name].shape[:-1] != rows.shape[:-1]:
            wrong.add(name)
            continue
        lowest = F(infimum) if name == "f" else 0
        for place, number in np.ndenumerate(found.series[name]):
            if number != number:  # a quantity that looks back has no round 0
                assert place[-1] == 0, name
            elif F(str(number)) + lowest != F(rows[place]):
                wrong.add(name)
            else:
                equal += 1
    return wrong, equal


def test_views_show_what_another_program_found():
    compared = 0
    for name, data in stored().items():
        found = find(setup_of(data))
        assert not found.missing
        assert not found.undefined, name
        wrong, equal = others(found, data["series"])
        assert wrong == _NOT_CLAIMED, name
        compared += equal
    assert compared > 2300


# ---- definitions of the proofs, in the scopes in which they are said


def _judged(data, view, **more):
    setup = setup_of(data, view, **more)
    return Judged(setup, VIEWS[setup.view])


def test_every_definition_of_the_proofs_holds_exactly():
    data = stored()["three clients, two of them"]
    every = [_judged(data, view) for view in ("rounds", "one client", "one memory")]
    for k in range(data["parameters"]["K"]):
        views = ("one local step", "one local step and all memories")
        every += [_judged(data, view, k=k) for view in views]
    seen = {}
    for step in book().steps:
        if step.id.startswith("def ") and step.scope:
            gaps = [least_on(step, on) for on in every if step.scope in on.view.scopes]
            seen |= {step.id: gaps} if gaps else {}
    assert all(gap == 0 for gaps in seen.values() for gap in gaps), seen
    assert len(seen) > 60


PLANTED = {
    "W_2": lambda is_: is_.replace(present, lambda inside: inside),
    "W_own": lambda is_: is_.replace(present, lambda inside: inside),
    "Y_sum": lambda is_: is_.replace(present, lambda inside: inside),
    "S_3u": lambda is_: is_.xreplace({d: 0 * d}),
    "cd_i": lambda is_: is_.xreplace({di: d}),  # the mean of all clients
    "A_old": lambda is_: is_.xreplace({u1: u}),
}


def test_planted_definitions_are_seen(monkeypatch):
    view, data = VIEWS["Scaffold-P, rounds"], stored()["three clients, two of them"]
    changed = {name: change(view.quantities[name]) for name, change in PLANTED.items()}
    planted = {"Scaffold-P, rounds": replace(view, quantities={**view.quantities, **changed})}
    monkeypatch.setattr(of_setups, "views", lambda theory: planted)
    assert others(find(setup_of(data)), data["series"])[0] == {*PLANTED, *_NOT_CLAIMED}


# ---- what proofs say of vectors; quantities of the next round


def _with_derived(atom, said):
    """The scope of a round in which one vector is something else."""
    scope = book().theory.scopes["Scaffold-P"]
    derived = tuple((name, said if name == atom else own) for name, own in scope.derived)
    return {"Scaffold-P": replace(scope, derived=derived)}


def test_what_vectors_are_is_held_against_states_that_a_run_has(monkeypatch):
    """c_i is not the mean stochastic gradient of last participations whatever the state is."""
    on = _judged(stored()["three clients, two of them"], "rounds")
    monkeypatch.setattr(steps, "judged_on", lambda theory: (on,))
    steps.check_declared("personalization", book().theory.scopes)
    for atom, said in (("ci", "given(eu, past, i)"), ("di", "given(eu + Wh, past, i)")):
        with pytest.raises(ConflictError, match=f"{atom} of 'Scaffold-P' is another"):
            steps.check_declared("personalization", _with_derived(atom, said))


def test_what_looks_back_has_no_round_0():
    data = stored()["three clients, two of them"]
    found = find(setup_of(data))
    numbers = Numbers({**found.parameters}, dict(found.series), fmpq)
    part = replace(claim("personalization/lem-4.4-split").parts[0], conditions=(), assumptions=())
    later, early = (
        decide(replace(part, first_round=at), numbers, Method.RATIONAL) for at in (1, 0)
    )
    assert later.rounds == 3 * 2 * 2
    assert later.reason == ""
    assert "1 of 3 rounds left out" in early.reason
    assert (later.verdict, early.verdict) == (Verdict.VIOLATED, Verdict.VIOLATED)  # as printed
    assert (early.unresolved, early.since) == (1, 0)
    seen = replace(early, reason="", verdict=later.verdict, unresolved=0, since=None)
    assert seen == later
