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
from . import everyone, layers, linearised, neurons, rates, start, uniform
from .scopes import ORDERED, SCOPES


@cache
def book() -> Book:
    """The book of this paper."""
    theory = theory_of(GLOSSARY, SCOPES, frozenset(), frozenset())
    theory = replace(theory, always=(*theory.always, *comparisons(ORDERED)))
    known = GLOSSARY | Glossary(vectors=notation(of_all, vectors))
    found = Book("overparam", theory, glossary=known)
    for chapter in (rates, start, layers, everyone, neurons, uniform, linearised):
        chapter.write(found)
    return found
