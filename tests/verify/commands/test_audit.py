"""`fedbounds audit`: everything that a verdict rests on is printed, once, and an edit shows."""

from dataclasses import fields, is_dataclass, replace

import pytest
from each import each
from own_files import CLAIM, own_file

from fedbounds.facts import Fact
from fedbounds.theory.language import registry
from fedbounds.theory.language.catalogue import paper
from fedbounds.theory.language.claims import Claim, Condition, Part
from fedbounds.theory.language.setups import Says
from fedbounds.theory.language.symbols import K, L
from fedbounds.theory.proof.library import book_of
from fedbounds.verify.commands.audit.lines import lines
from fedbounds.verify.commands.audit.stated import stated
from fedbounds.verify.commands.command_line import status

PAPER = "fedplt"


@pytest.fixture(scope="module")
def printed():
    return "\n".join(line.text for line in lines(PAPER, paper(PAPER).entries))


def of(thing, kind):
    """All of a kind inside data."""
    if isinstance(thing, kind):
        yield thing
    if is_dataclass(thing):
        thing = [getattr(thing, field.name) for field in fields(thing)]
    if isinstance(thing, list | tuple):
        for one in thing:
            yield from of(one, kind)


@each("claim", lambda: [registry.encoded(e) for e in paper(PAPER).entries if e.module])
def test_formulas_conditions_assumptions_and_readings_of_every_claim_are_printed(claim, printed):
    for part in of(claim, Part):
        assert f"{part.left} {part.relation.value} {part.right}" in printed
        for name in part.assumptions:
            assert f"assumption {name}: " in printed
    for said in of(claim, Condition | Says):
        strict = f"{said.left} {said.relation.strip('=')} {said.right}"
        assert str(said) in printed or strict in printed
    if isinstance(claim, Claim) and len(claim.readings) > 1:
        assert all(f"{reading.name!r}" in printed for reading in claim.readings)


def used():
    """Names that claims and what they rest on speak of, by what views say."""
    claims = [registry.encoded(e) for e in paper(PAPER).entries if e.module]
    names = {name for claim in claims for part in of(claim, Part) for name in part.named}
    assumed = {
        str(name) for claim in claims for part in of(claim, Part) for name in part.assumptions
    }
    for view in registry.views(PAPER).values():
        for name, definition in view.quantities.items():
            if name in names:
                yield name, str(definition)
        for name, says in view.assumptions.items():
            if str(name) in assumed:
                yield str(name), ", ".join(map(str, says)) or "of every run"


@each("name definition", lambda: sorted(set(used())))
def test_every_definition_that_is_used_is_printed_under_its_name(name, definition, printed):
    own = [x for x in printed.splitlines() if x.startswith((f"{name}", f"assumption {name}: "))]
    assert any(definition in line for line in own) or f"{name}: = {definition}" in printed


def test_every_given_that_a_claim_rests_on_is_printed(printed):
    steps = book_of(PAPER).steps
    cited = {}
    for step in steps:
        uses = (getattr(use, "name", use) for use in (*step.uses, *step.base))
        cited.setdefault(step.id, set()).update(uses)
    waiting, seen = [step.id for step in steps if step.claim], set()
    while waiting:
        name = waiting.pop()
        if name not in seen and name in cited:
            seen.add(name)
            waiting += cited[name]
    givens = [step for step in steps if step.rule == "given" and step.id in seen]
    assert len(givens) > 50
    for step in givens:
        whole = f"{step.left} {step.relation} {step.right}"
        assert whole in printed or (step.relation == "==" and f"= {step.right}" in printed), step.id


def test_notes_and_places_are_printed(printed):
    for entry in paper(PAPER).entries:
        assert f"{entry.place}: {entry.statement}" in printed
        assert entry.note in printed


def test_a_condition_that_the_paper_does_not_state_shows():
    claim = registry.claim(f"{PAPER}/recursion")
    part = claim.parts[0]
    more = (*part.conditions, Condition(K, "<=", 17 * L))
    planted = replace(claim, parts=(replace(part, conditions=more), *claim.parts[1:]))
    assert not any("K <= 17*L" in line for line in stated(claim))
    assert any("if K <= 17*L" in line for line in stated(planted))


def test_an_assumption_that_says_nothing_shows(monkeypatch):
    own = {
        name: replace(view, assumptions={}, decided={})
        for name, view in registry.views(PAPER).items()
    }
    monkeypatch.setattr(registry, "views", lambda theory: own)
    found = [line.text for line in lines(PAPER, paper(PAPER).entries)]
    assert any("no view says what it is" in line for line in found)


def test_a_file_of_ones_own_is_printed(tmp_path, capsys):
    body = CLAIM.replace('1000")', '1000", conditions=["eta <= 1/(9*L)"])')
    assert status(["audit", own_file(tmp_path, body=body)]) == 0
    told = capsys.readouterr().out
    assert "D_W(t + 1) <= 1000*D_W(t) + 1000" in told
    assert "if eta <= 1/(9*L)" in told
    assert "lines to read" in told


def test_a_name_is_asked_for(capsys):
    assert status(["audit"]) == 2
    assert "Missing argument" in capsys.readouterr().err


def test_facts_are_told_to_be_answered_by_problems(printed):
    assert f"assumption {Fact.SMOOTH}: a fact that every problem answers" in printed
