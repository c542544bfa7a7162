"""Numbers that a proof allows, on small books whose best constants are known."""

from dataclasses import replace
from fractions import Fraction
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_book import definitions, empty_book, lemma

from fedbounds.theory.language.claims import Condition, Part
from fedbounds.theory.language.registry import claim
from fedbounds.theory.language.symbols import G_u, K, L, gamma, t
from fedbounds.theory.personalization.glossary import GLOSSARY
from fedbounds.theory.personalization.symbols import E
from fedbounds.theory.proof.language import below, condition
from fedbounds.theory.proof.replay import Local, replay
from fedbounds.verify.commands.sensitivity.printed import printed as printed_of
from fedbounds.verify.commands.sensitivity.printed import rational
from fedbounds.verify.commands.sensitivity.proved import (
    Proof,
    against,
    allowed,
    broken,
    chain,
    givens,
    proof_of_part,
)
from fedbounds.verify.commands.sensitivity.used import used

printed = partial(printed_of, signed=GLOSSARY.signed)

FEDAVG = "FedAvg-P"
ANY = claim("personalization/lem-3.4")  # a claim; the books here are not its own
SHORT = Condition(gamma, "<=", 1 / (16 * K * L))
SCALED = Condition(K * L * gamma, "<=", rational(Fraction(1, 16)))


def proof_of(book, name):
    steps = {step.written.id: step for step in replay(book)}
    assert all(step.inherited for step in steps.values())
    return Proof(book, steps, ((steps[name],),))


def bound_book(known, stated):
    book = empty_book()
    book.suppose("bound", E(t), rational(known) * G_u(t), "given here")
    book.line("line", E(t), "<=", rational(stated) * G_u(t), ["asm bound"], vectors=False)
    return proof_of(book, "line")


@settings(max_examples=5)
@given(st.fractions(min_value=Fraction(1, 3), max_value=3, max_denominator=4), st.integers(4, 9))
def test_an_enlarged_number_comes_down_to_what_is_known(known, stated):
    proof = bound_book(known, stated)
    (number,) = printed(Part(E(t), stated * G_u(t)))
    found = allowed(proof, ANY, number)
    assert found.beyond < known <= found.value
    assert found.value - known < Fraction(stated, 256)
    if known.denominator == 1:
        assert found.value == known
    assert "E(" in against(proof, number, found.beyond)


def test_a_number_below_what_is_known_has_no_proof():
    (number,) = printed(Part(E(t), G_u(t) / 2))
    assert allowed(bound_book(Fraction(1), Fraction(2)), ANY, number).value is None


def chained(step_size, bound):
    """gamma <= 1/(16 K L), where 1/(4 K L) would do, in a lemma and in what cites it."""
    book = empty_book()
    more = {"conditions": [step_size], "vectors": False}
    book.line("free", E(t), "<=", 2 * E(t), [], vectors=False)
    book.line("lemma", K * L * gamma * G_u(t), "<=", G_u(t) / 4, [],
              chart=[below(gamma, bound)], **more)  # fmt: skip
    book.line("line", K * L * gamma * G_u(t) + E(t), "<=", G_u(t) / 4 + 2 * E(t),
              ["lemma", "free"], **more)  # fmt: skip
    part = Part(book.steps[-1].left, book.steps[-1].right, conditions=(step_size,))
    number = next(x for x in printed(part) if x.condition is not None)
    return proof_of(book, "line"), number


@pytest.mark.parametrize("step_size", [SHORT, SCALED])
def test_a_condition_is_weakened_along_the_chain(step_size):
    proof, number = chained(step_size, 1 / (16 * K * L))
    found = allowed(proof, ANY, number)
    assert found.value == Fraction(1, 4)
    assert broken(proof, number, Fraction(1, 4)) == ""
    assert broken(proof, number, Fraction(1, 3)) == "lemma"


def test_a_premise_is_used_where_it_bounds_and_through_what_cites_it():
    proof, _ = chained(SHORT, 1 / (16 * K * L))
    found = used(proof, ("gamma", "<=", "1/(16*K*L)"))
    assert (found.directly, found.through) == (("lemma",), ("line",))
    assert [step.written.id for step in chain(proof)] == ["free", "lemma", "line"]


def test_a_condition_that_is_cited_with_a_multiplier_is_used_directly():
    book = empty_book()
    book.line("line", gamma * E(t), "<=", E(t) / (16 * K * L), [condition(SHORT, times=E(t))],
              conditions=[SHORT], vectors=False)  # fmt: skip
    proof = proof_of(book, "line")
    assert used(proof, ("gamma", "<=", "1/(16*K*L)")).directly == ("line",)


def test_what_is_given_under_a_condition_says_nothing_beyond_it():
    book = empty_book()
    book.suppose("bound", E(t), G_u(t), "given here")
    given_step = book.steps.pop()
    statement = replace(given_step.statement, conditions=(("gamma", "<=", "1/(16*K*L)"),))
    book.steps.append(replace(given_step, statement=statement, conditions=(SHORT,)))
    book.line("line", E(t), "<=", G_u(t), ["asm bound"], conditions=[SHORT], vectors=False)
    proof = proof_of(book, "line")
    (number,) = [x for x in printed(Part(E(t), G_u(t), conditions=(SHORT,))) if x.condition]
    assert allowed(proof, ANY, number).value == Fraction(1, 16)
    assert broken(proof, number, Fraction(1, 15)) == "asm bound"


def test_a_part_is_proved_for_every_algorithm_that_it_speaks_of():
    whole = claim("personalization/lem-3.2")
    part, book = whole.part("u"), lemma(definitions(empty_book()))
    only = replace(whole, algorithms=(FEDAVG,))
    assert len(whole.algorithms) == 2
    steps = replay(book)
    assert proof_of_part(book, steps, whole, part).names == ("lem-3.2:u",)  # of any algorithm
    steps = (*steps[:-1], with_algorithm(steps[-1], FEDAVG))
    assert proof_of_part(book, steps, only, part).names == ("lem-3.2:u",)
    assert proof_of_part(book, steps, whole, part) is None
    assert proof_of_part(book, marked(steps), only, part) is None


def with_algorithm(step, name):
    statement = replace(step.written.statement, algorithm=name)
    return replace(step, written=replace(step.written, statement=statement))


def marked(steps):
    """The steps, the last one without a proof."""
    return (*steps[:-1], replace(steps[-1], local=Local.OPEN))


def test_a_claim_that_is_taken_as_given_is_named_and_proves_nothing():
    book = empty_book()
    book.suppose("bound", E(t), G_u(t), "given here")
    book.steps[0] = replace(book.steps[0], claim=ANY.id, reading="as printed")
    book.line("line", E(t), "<=", 2 * G_u(t), ["asm bound"], vectors=False)
    assert givens(proof_of(book, "line")) == ("asm bound",)
    assert proof_of_part(book, replay(book), ANY, ANY.part("")) is None
    assert givens(bound_book(Fraction(1), Fraction(2))) == ()
