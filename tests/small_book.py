"""A small book of proofs for tests: Lemma 3.2, and steps that cite it."""

from fedbounds.theory.language.symbols import G_u, K, gamma, n, t
from fedbounds.theory.personalization.glossary import GLOSSARY
from fedbounds.theory.personalization.proofs.scopes import FEDAVG, SCOPES, au, hu, u, uh, v, vh
from fedbounds.theory.personalization.symbols import E, T_1u
from fedbounds.theory.proof.language import Book, fact, square
from fedbounds.theory.proof.text import theory_of
from fedbounds.theory.proof.vectors import given, ip, past, sq

THEORY = theory_of(GLOSSARY, SCOPES, frozenset(), frozenset())
GRADIENT = given(au, past)


def empty_book():
    return Book("personalization", THEORY)


def definitions(book):
    book.define("T_1u", T_1u(t), -gamma * K * ip(GRADIENT, hu), "Definition 3.1", FEDAVG)
    book.define("G_u", G_u(t), sq(GRADIENT), "Table 1", FEDAVG)
    book.define("E", E(t), n * K * (sq(uh - u) + sq(vh - v)), "Table 1", FEDAVG)
    return book


DEFINITIONS = ["def T_1u", "def G_u", "def E"]
SQUARE = square(GRADIENT + hu - au)


def lemma(book, uses=None, **more):
    every = [*DEFINITIONS, fact("smooth", hu, au), SQUARE]
    book.prove("lem-3.2", "u", every if uses is None else uses, scope=FEDAVG, **more)
    return book
