"""What a proof rests on: definitions, assumptions, facts and steps; all else is a given, and named."""

import re
from dataclasses import replace

import pytest

from fedbounds.theory.checker.check import check
from fedbounds.theory.checker.data import Certificate, Premise, Statement, Step
from fedbounds.theory.checker.definitions import supposed_of
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.language.registry import claim, encoded_claims
from fedbounds.theory.language.symbols import D_W, eta, t
from fedbounds.theory.proof.language import Book, cited
from fedbounds.theory.proof.library import book_of, replayed
from fedbounds.theory.proof.replay import Local, inherit, marked_false, replay, rests_on
from fedbounds.theory.proof.status import Told, proof_of, summed_up
from fedbounds.vocabulary import ProofStatus

PAPERS = ("personalization", "fedplt", "submodel")
# lines of the paper that fail stand behind these, though our corrected line is cited
ON_CORRECTED_LINES = ("lem-4.1", "eq-4.4", "eq-A.13", "eq-A.9")
# what is supposed there is the claim, or a theorem in other symbols
ON_THEMSELVES = (
    "lem-1", "lem-10", "lem-12", "claim-virtual", "claim-recover", "lem-2-quad", "cor-1",
    "thm-6/corrected",
)  # fmt: skip
# a theorem of the paper itself, not one of a book that is cited
RESTATED = re.compile(
    r"(?<!Nesterov, )\b(?:Lemma \d|Theorem \d|Proposition \d|lem-\w|thm-\d|prop-\d|fedplt/\w)"
)


def status(claim_id, steps=None):
    paper = claim_id.partition("/")[0]
    return proof_of(claim(claim_id), replayed(paper) if steps is None else steps)


@pytest.mark.parametrize("name", ON_CORRECTED_LINES)
def test_a_corrected_line_in_place_of_the_papers_is_another_proof(name):
    assert status(f"personalization/{name}").status is ProofStatus.PROVED_OTHERWISE


@pytest.mark.parametrize("name", ON_THEMSELVES)
def test_what_is_supposed_is_named(name):
    found = status(f"submodel/{name}")
    assert found.status is ProofStatus.CONDITIONAL
    assert found.givens


@pytest.mark.parametrize("paper", PAPERS)
def test_what_is_proved_rests_on_nothing_supposed(paper):
    steps = replayed(paper)
    for own in encoded_claims(paper):
        found = proof_of(own, steps)
        if found.status in (ProofStatus.PROVED, ProofStatus.PROVED_OTHERWISE):
            assert found.givens == ()
        assert (found.status is ProofStatus.CONDITIONAL) == bool(found.givens)


def test_the_proofs_of_personalization_suppose_nothing():
    steps = replayed("personalization")
    assert not [s.written.id for s in steps if s.inherited and s.written.claim and s.givens]


@pytest.mark.parametrize("paper", PAPERS)
def test_every_citation_is_used(paper):
    idle = {
        step.written.id: set(cited(step.written)) - set(rests_on(step))
        for step in replayed(paper)
        if step.local is Local.PROVED
    }
    assert {name: left for name, left in idle.items() if left} == {}


def test_a_citation_with_multiplier_zero_is_refused():
    theory = book_of("personalization").theory
    lemma = Statement("E(t)", "<=", "E(t)")
    idle = Certificate("combine", premises=(Premise("step", "lem", ("0",)),))
    with pytest.raises(Refused, match="its multiplier is zero"):
        check(theory, Step("thm", Statement("0", "<=", "sigma_u2"), idle), {"lem": lemma})


@pytest.mark.parametrize("broken", ["lem-4:round", "lem-5:drift", "thm-1:distance"])
def test_breaking_a_lemma_breaks_what_rests_on_it(broken):
    """Theorem 1 stands in other symbols in the proof of Corollary 1, which inherits."""
    steps = replayed("submodel")
    changed = tuple(
        replace(step, local=Local.OPEN) if step.written.id == broken else step for step in steps
    )
    found = status("submodel/cor-1", marked_false(inherit(changed), {broken}))
    assert found.status is ProofStatus.GAP
    assert broken in found.failed


@pytest.mark.parametrize("paper", PAPERS)
def test_a_theorem_of_the_paper_that_is_given_again_names_what_it_restates(paper):
    told = {step.id: step for step in book_of(paper).steps}
    for step in replayed(paper):
        bounds = step.supposed and step.written.relation != "=="  # else it says what a name means
        if bounds and RESTATED.search(step.written.origin):
            own = told.get(step.written.id, step.written)
            assert own.uses, (step.written.id, own.origin)


@pytest.mark.parametrize("paper", PAPERS)
def test_a_definition_introduces_its_name(paper):
    """Spoken of before, by any other statement, the same line is a supposition."""
    book = book_of(paper)
    statements = [step.statement for step in book.steps]
    given = [step.rule == "given" for step in book.steps]
    tried = 0
    for at, own in enumerate(supposed_of(book.theory, statements, given)):
        if not given[at] or own or statements[at].scope:
            continue
        name = statements[at].left
        before = [Statement(name, "<=", name), *statements]
        assert supposed_of(book.theory, before, [False, *given])[at + 1]
        tried += 1
    assert tried or paper == "submodel"


def planted():
    """A book in which D_W is said to fall, and a step that rests on it."""
    book = Book("planted", replace(book_of("fedplt").theory, scopes={}))
    book.suppose("falls", D_W(t + 1), D_W(t), "nowhere")
    book.line("thm", D_W(t + 1), "<=", (1 + eta) * D_W(t), ["asm falls"])
    return book


def test_a_supposition_and_a_declared_sign_are_givens():
    *_, thm, sign = replay(planted())
    assert thm.local is Local.PROVED
    assert thm.givens == ("sign of D_W", "asm falls")
    assert (sign.written.id, sign.supposed) == ("sign of D_W", True)


def test_a_sign_that_the_definition_shows_is_none():
    steps = replayed("fedplt")
    assert not any("sign of D_W" in step.givens for step in steps)
    assert any("sign of F_glob" in step.givens for step in steps)


def told(name, source, reading="as printed", **more):
    own = {"local": Local.PROVED, "missing": (), "failed": (), "givens": ()} | more
    return Told(name, reading, source, **own)


def test_a_part_that_only_our_step_proves_is_not_proved_by_the_paper():
    line = told("a line", "paper", reading="")
    assert summed_up([line, told("x:part", "ours")], [], set()).status is (
        ProofStatus.PROVED_OTHERWISE
    )
    assert summed_up([line, told("x:part", "paper")], [], set()).status is ProofStatus.PROVED


def test_of_two_proofs_the_one_that_supposes_less_counts():
    paper, ours = told("x", "paper", givens=("asm g",)), told("x", "ours")
    assert summed_up([paper], [], set()).status is ProofStatus.CONDITIONAL
    found = summed_up([paper, ours], [], set())
    assert (found.status, found.givens) == (ProofStatus.PROVED_OTHERWISE, ())
