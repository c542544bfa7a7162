"""The constants of Theorems 3.7, 3.11 and 4.5 and of their corollaries, derived from one round."""

from dataclasses import dataclass

import sympy as sp

from fedbounds.theory.language.claims import Part
from fedbounds.theory.language.registry import claim
from fedbounds.theory.language.symbols import B_0
from fedbounds.theory.proof.derive import Memory, Row, derive, total
from fedbounds.theory.proof.step_size import at_best_step


@dataclass(frozen=True)
class Route:
    """A claim and what it is derived from, each as (claim, part).

    Attributes
    ----------
    claim : the theorem, or a corollary that chooses its step size
    theorem, descent : the bound for every step size, and one round of it
    memory, start : the recursion of a quantity of earlier rounds, and where it starts
    """

    claim: tuple[str, str]
    theorem: tuple[str, str]
    descent: tuple[str, str]
    memory: tuple[str, str] | None = None
    start: sp.Expr = sp.S.Zero


def _routes() -> tuple[Route, ...]:
    partial = (("thm-3.7", ""), ("thm-3.7-desc", "descent"))
    full = (("thm-3.11", "a"), ("thm-3.11-desc", ""), ("lem-3.6", "b"), B_0)
    scaffold = (("thm-4.5", ""), ("thm-4.5-desc", "descent"), ("lem-4.4", ""))
    return (
        Route(("thm-3.7", ""), *partial),
        Route(("cor-3.8", ""), *partial),
        Route(("thm-3.11", "a"), *full),
        Route(("thm-3.11", "b"), *full),
        Route(("thm-4.5", ""), *scaffold),
        Route(("cor-4.6", ""), *scaffold),
    )


ROUTES = _routes()


def rows(route: Route) -> tuple[Row, ...]:
    """Its constants, derived and as stated."""
    theorem, descent = _part(route.theorem), _part(route.descent)
    memory = None if route.memory is None else Memory(_part(route.memory), route.start)
    found = derive(theorem, descent, memory)
    if route.claim == route.theorem:
        return found
    return at_best_step(total(found), theorem, _part(route.claim))


def _part(name: tuple[str, str]) -> Part:
    return claim(f"personalization/{name[0]}").part(name[1])
