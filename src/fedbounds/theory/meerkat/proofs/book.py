"""All proofs of the paper in one book, in the order in which they rest on each other."""

from dataclasses import replace
from functools import cache

from fedbounds.theory.language.glossary import Glossary
from fedbounds.theory.proof import vectors as of_all
from fedbounds.theory.proof.language import Book
from fedbounds.theory.proof.text import comparisons, theory_of
from fedbounds.theory.proof.vectors import notation

from .. import vectors
from ..glossary import GLOSSARY
from . import local, often, parameters, rounds, selection, several, stopped, theorem
from .scopes import MEANT, SCOPES


@cache
def book() -> Book:
    """The book of this paper."""
    theory = theory_of(GLOSSARY, SCOPES, frozenset(), frozenset())
    theory = replace(theory, always=(*theory.always, *comparisons(MEANT)))
    found = Book("meerkat", theory, glossary=GLOSSARY | Glossary(vectors=notation(of_all, vectors)))
    for chapter in (local, rounds, selection, theorem, often, several, stopped, parameters):
        chapter.write(found)
    return found
