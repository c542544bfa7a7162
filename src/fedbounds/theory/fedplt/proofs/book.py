"""All proofs of the paper in one book, in the order in which they rest on each other."""

from functools import cache

from fedbounds.theory.proof.language import Book
from fedbounds.theory.proof.text import theory_of

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


@cache
def book() -> Book:
    """The book of this paper."""
    scopes = {**SCOPES, contradictions.FAR: contradictions.SCOPE}
    found = Book("fedplt", theory_of(scopes, frozenset(), frozenset()))
    for chapter in (
        definitions,
        masks,
        one_step,
        values,
        distance,
        rounds,
        results,
        contradictions,
        growth,
    ):
        chapter.write(found)
    return found
