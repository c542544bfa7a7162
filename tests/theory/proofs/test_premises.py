"""Which assumptions and conditions a proof needs, and where on its chain."""

import sympy as sp
from small_book import DEFINITIONS, SQUARE, definitions, empty_book, lemma

from fedbounds.facts import Fact
from fedbounds.theory.checker.check import check
from fedbounds.theory.checker.data import Step
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import G_u, K, L, gamma, n, t
from fedbounds.theory.personalization.proofs.scopes import FEDAVG, au, hu
from fedbounds.theory.personalization.symbols import E, T_1u
from fedbounds.theory.proof.language import above, below, condition, fact
from fedbounds.theory.proof.premises import needs
from fedbounds.theory.proof.replay import replay
from fedbounds.theory.proof.vectors import sq

ASSUMED = [Fact.SMOOTH, Fact.NOISE]
NOISE, SMOOTH = Fact.NOISE, Fact.SMOOTH
STEP_SIZE = Condition(gamma, "<=", 1 / (2 * L * K))
SEVERAL = Condition(K, ">=", sp.Integer(2))


def found(book, *names):
    steps = replay(book)
    assert not [s.reason for s in steps if s.reason]
    every = needs(book, steps, names)
    return {(need.step, need.premise): need for need in every}


def chain(conditions=(STEP_SIZE,)):
    """Lemma 3.2, and two steps that rest on it: the last needs the step size too."""
    book = lemma(definitions(empty_book()))
    more = {"assumptions": ASSUMED, "vectors": False}
    given_ = lemma_conditions()
    drift = L**2 * gamma / n * E(t)
    book.line("weaker", T_1u(t), "<=", drift, ["lem-3.2:u"], conditions=given_, **more)
    book.line("last", T_1u(t), "<=", L / (2 * K * n) * E(t),
              ["weaker"], chart=[below(gamma, 1 / (2 * L * K))],
              conditions=[*given_, *conditions], **more)  # fmt: skip
    return book


def lemma_conditions():
    return lemma(definitions(empty_book())).steps[-1].conditions


def test_an_assumption_is_needed_where_the_chain_first_uses_it():
    every = found(chain(), "lem-3.2:u", "weaker", "last")
    for name in ("lem-3.2:u", "weaker", "last"):
        need = every[name, SMOOTH]
        assert (need.needed, need.where) == (True, "lem-3.2:u")
        assert "smooth assumes smooth" in need.reason


def test_what_no_step_uses_is_not_needed_and_there_is_a_certificate():
    book = chain()
    every = found(book, "last")
    need = every["last", NOISE]
    assert (need.needed, need.where, need.reason) == (False, "", "")
    steps = replay(book)
    statement = next(s.written.statement for s in steps if s.written.id == "last")
    kept = tuple(a for a in statement.assumptions if a != NOISE)
    earlier = {s.written.id: s.written.statement for s in steps}
    # the cited step is taken without it as well
    fewer = {n: type(s)(s.left, s.relation, s.right, s.conditions,
                        tuple(a for a in s.assumptions if a != NOISE), s.first, s.scope)
             for n, s in earlier.items()}  # fmt: skip
    target = type(statement)(statement.left, statement.relation, statement.right,
                             statement.conditions, kept)  # fmt: skip
    check(book.theory, Step("last", target, need.certificate), fewer)


def test_a_condition_is_needed_by_the_step_that_uses_it():
    every = found(chain(), "weaker", "last")
    need = every["last", "gamma <= 1/(2*K*L)"]
    assert (need.needed, need.where) == (True, "last")
    assert not [premise for step, premise in every if step == "weaker" and "<=" in premise]


def test_the_lemmas_conditions_are_not_needed_anywhere():
    every = found(chain(), "last")
    others = [need for (_, name), need in every.items() if "==" in name]
    assert others
    assert not any(need.needed for need in others)


def test_a_condition_that_only_the_chart_names_is_not_needed():
    book = empty_book()
    book.line("more", K * G_u(t), ">=", G_u(t), conditions=[SEVERAL], chart=[above(K, 2)],
              vectors=False)  # fmt: skip
    need = found(book, "more")["more", "K >= 2"]
    assert not need.needed
    assert not need.certificate.chart


def test_a_condition_in_other_words_is_traced_to_the_step_that_needs_it():
    book = empty_book()
    book.line("small", 2 * L * K * gamma * G_u(t), "<=", G_u(t),
              [condition(STEP_SIZE, times=None)], chart=[below(gamma, 1 / (2 * L * K))],
              conditions=[STEP_SIZE], vectors=False)  # fmt: skip
    smaller = Condition(gamma, "<=", 1 / (3 * L * K))
    book.line("cites", 2 * L * K * gamma * G_u(t), "<=", 2 * G_u(t), ["small"],
              chart=[below(gamma, 1 / (3 * L * K))], conditions=[smaller], vectors=False)  # fmt: skip
    every = found(book, "small", "cites")
    assert every["small", "gamma <= 1/(2*K*L)"].where == "small"
    need = every["cites", "gamma <= 1/(3*K*L)"]
    assert (need.needed, need.where) == (True, "small")


def test_conditions_keep_their_places_when_one_before_them_goes():
    book = empty_book()
    book.line("used", 2 * L * K * gamma, "<=", 1, [condition(STEP_SIZE, times=2 * L * K)],
              conditions=[SEVERAL, STEP_SIZE], vectors=False)  # fmt: skip
    every = found(book, "used")
    assert not every["used", "K >= 2"].needed
    assert every["used", "gamma <= 1/(2*K*L)"].needed
    (premise,) = every["used", "K >= 2"].certificate.premises
    # m <= n and k <= K - 1 hold everywhere
    assert premise.name == str(len(book.theory.always))


def test_what_is_taken_as_given_keeps_its_assumption():
    book = definitions(empty_book())
    book.suppose("start", G_u(0), E(0), "an assumption", [Fact.NOISE])
    book.line("from it", G_u(0), "<=", 2 * E(0), ["asm start"], assumptions=ASSUMED, vectors=False)
    every = found(book, "from it")
    need = every["from it", NOISE]
    assert (need.needed, need.where) == (True, "asm start")
    assert not every["from it", SMOOTH].needed


def test_a_second_way_makes_a_premise_unneeded():
    book = definitions(empty_book())
    uses = [*DEFINITIONS, fact("smooth", hu, au), SQUARE]
    book.line("one way", sq(hu - au), "<=", sq(hu - au), uses, scope=FEDAVG, assumptions=ASSUMED)
    assert not any(need.needed for need in found(book, "one way").values())


def test_steps_that_are_not_proved_are_left_out():
    book = lemma(definitions(empty_book()), [*DEFINITIONS, SQUARE])
    steps = replay(book)
    assert needs(book, steps, ["lem-3.2:u", "def E"]) == ()


def test_a_premise_of_an_unproved_step_is_blamed_on_it():
    book = lemma(definitions(empty_book()), [*DEFINITIONS, SQUARE])
    book.line("weaker", T_1u(t), "<=", L**2 * gamma / n * E(t), ["lem-3.2:u"],
              conditions=lemma_conditions(), assumptions=ASSUMED, vectors=False)  # fmt: skip
    every = {need.premise: need for need in needs(book, replay(book), ["weaker"])}
    assert (every[SMOOTH].needed, every[SMOOTH].where) == (True, "lem-3.2:u")
