"""All proofs of the paper in one book, in the order in which they rest on each other."""

from functools import cache

from fedbounds.theory.language.glossary import Glossary
from fedbounds.theory.proof import vectors as of_all
from fedbounds.theory.proof.language import Book
from fedbounds.theory.proof.text import theory_of
from fedbounds.theory.proof.vectors import notation

from .. import vectors
from ..glossary import GLOSSARY
from . import (
    contradictions,
    definitions,
    distance,
    growth,
    masks,
    one_step,
    results,
    rounds,
    values,
)
from .scopes import SCOPES

_CHAPTERS = (
    definitions,
    masks,
    one_step,
    values,
    distance,
    rounds,
    results,
    contradictions,
    growth,
)


@cache
def book() -> Book:
    """The book of this paper."""
    scopes = {**SCOPES, contradictions.FAR: contradictions.SCOPE}
    theory = theory_of(GLOSSARY, scopes, frozenset(), frozenset())
    named = Glossary(vectors=notation(of_all, vectors, *_CHAPTERS))
    found = Book("fedplt", theory, glossary=GLOSSARY | named)
    for chapter in _CHAPTERS:
        chapter.write(found)
    return found
