"""All proofs of the paper in one book, in the order in which they rest on each other."""

from dataclasses import replace
from functools import cache

from fedbounds.theory.language.glossary import Glossary
from fedbounds.theory.proof import vectors
from fedbounds.theory.proof.language import Book
from fedbounds.theory.proof.text import theory_of
from fedbounds.theory.proof.vectors import notation

from ..glossary import GLOSSARY
from . import (
    definitions,
    fedavg_drift,
    fedavg_full,
    fedavg_gradients,
    fedavg_increments,
    fedavg_lemmas,
    fedavg_special,
    fedavg_theorems,
    scaffold_drift,
    scaffold_lemmas,
    scaffold_memory,
    scaffold_recursion,
    scaffold_sharper,
    scaffold_steps,
    scaffold_theorems,
    scopes,
    technical,
)
from .scopes import FEDAVG, SCAFFOLD, SCOPES

PER_CLIENT = frozenset(
    {"g_ui", "g_vi", "M_vi", "Dv_i", "s_vi", "cd_i", "C_i", "c_i2", "h_i2", "ch_i"}
)
PER_STEP = frozenset(
    {
        *("E_ik", "Eu_ik", "Ev_ik", "Y_ik"),
        *("A_ik", "Bt_ik", "A_old", "Bt_old", "A_new", "Bt_new", "U_ik", "V_ik"),
    }
)
# those with vectors and definitions of their own, in the order in which they are written
_CHAPTERS = (
    technical,
    fedavg_increments,
    fedavg_lemmas,
    fedavg_drift,
    fedavg_gradients,
    fedavg_theorems,
    fedavg_full,
    fedavg_special,
    scaffold_lemmas,
    scaffold_steps,
    scaffold_drift,
    scaffold_memory,
    scaffold_recursion,
    scaffold_theorems,
    scaffold_sharper,
)


def _algorithm(scope: str) -> str:
    """Whose updates the vectors of a scope follow: the end of its name says so."""
    return next((name for name in (FEDAVG, SCAFFOLD) if scope.endswith(name)), "")


@cache
def book() -> Book:
    """The book of this paper."""
    every = dict(SCOPES)
    for chapter in _CHAPTERS:
        every |= getattr(chapter, "SCOPES", {})
    every = {name: replace(scope, algorithm=_algorithm(name)) for name, scope in every.items()}
    theory = theory_of(GLOSSARY, every, PER_CLIENT, PER_STEP)
    named = notation(vectors, scopes, definitions, *_CHAPTERS)
    found = Book("personalization", theory, glossary=GLOSSARY | Glossary(vectors=named))
    definitions.write(found)
    for chapter in _CHAPTERS:
        if hasattr(chapter, "definitions"):
            chapter.definitions(found)
    for chapter in _CHAPTERS:
        chapter.write(found)
    return found
