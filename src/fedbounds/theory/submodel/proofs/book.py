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
    corrections,
    definitions_rounds,
    lipschitz,
    mean_stability,
    minimisers,
    objectives,
    quadratics,
    random_convex,
    random_definitions,
    random_nonconvex,
    rates,
    risk,
    rolling_definitions,
    rolling_lemmas,
    rolling_theorems,
    runs,
    scopes,
    stability,
    sub_models,
)

WITH_SCOPES = (
    scopes,
    definitions_rounds,
    quadratics,
    lipschitz,
    sub_models,
    mean_stability,
    risk,
    runs,
    rates,
    corrections,
)
SCOPES = {name: scope for chapter in WITH_SCOPES for name, scope in chapter.SCOPES.items()}
CHAPTERS = (
    objectives,
    quadratics,
    minimisers,
    lipschitz,
    random_definitions,
    random_convex,
    random_nonconvex,
    rolling_definitions,
    rolling_lemmas,
    rolling_theorems,
    stability,
    sub_models,
    mean_stability,
    risk,
    runs,
    rates,
    corrections,
)
# a mask keeps a share of at most one; smooth and strongly convex functions have mu <= L
ALWAYS = (
    ("m", "<=", "n"),
    ("k", "<=", "K - 1"),
    ("p", "<=", "1"),
    ("p_2", "<=", "1"),
    ("p_own", "<=", "1"),
    ("p_mean", "<=", "1"),
    ("q", "<=", "1"),
    ("q_mean", "<=", "1"),
    ("mu", "<=", "L"),
)


@cache
def book() -> Book:
    """The book of this paper."""
    theory = theory_of(GLOSSARY, SCOPES, frozenset(), frozenset(), ALWAYS)
    named = Glossary(vectors=notation(of_all, vectors, *WITH_SCOPES, *CHAPTERS))
    found = Book("submodel", theory, glossary=GLOSSARY | named)
    for chapter in CHAPTERS:
        chapter.write(found)
    return found
