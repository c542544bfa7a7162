"""Instances of parts of which none is searched: choices of parameters, and what is planned."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import sympy as sp
from numpy.random import Generator

from fedbounds.theory.language.choices import Choice
from fedbounds.theory.language.claims import Claim, Condition, Part
from fedbounds.theory.language.registry import choices, glossary
from fedbounds.vocabulary import Method

from ...decide.case import Case
from ...decide.profile import Profile
from ...judge.plan import own_cases
from ...setups.choices import choice_case

_FACTORS = tuple(map(sp.Rational, ("1/8", "1/4", "1/2", "3/4", "3/2", "2", "4", "8")))
_KEPT = 0.5  # chance that a number stays


def varied(claim: Claim, part: Part, random: Generator) -> Iterator[Case]:
    """Choices that the theory plans with other numbers; every other one at an edge, if it can be.

    Without end; nothing where none has all the numbers that the part names.
    """
    names = part.constants
    every = [dict(one.choice.values) for one in choices(claim.entry.paper)]
    every = [own for own in every if names <= own.keys()]
    edges = [condition for condition in part.conditions if condition.relation != "=="]
    while every:
        own = _moved(claim, every[int(random.integers(len(every)))], names, random)
        if edges and random.random() < 1 / 2:
            own = _at_edge(claim, edges[int(random.integers(len(edges)))], own, random)
        yield choice_case("drawn", Choice(claim.entry.paper, tuple(own.items())))


def _moved(
    claim: Claim, values: dict[str, Any], names: frozenset[str], random: Generator
) -> dict[str, Any]:
    """Some numbers larger or smaller; whole ones stay whole, and at least 1."""
    found = dict(values)
    for name in sorted(names & values.keys()):
        if isinstance(values[name], tuple) or random.random() < _KEPT:
            continue
        number = sp.Rational(values[name]) * _FACTORS[int(random.integers(len(_FACTORS)))]
        found[name] = str(
            max(sp.Integer(1), sp.floor(number)) if _is_whole(claim, name) else number
        )
    return found


def _at_edge(
    claim: Claim, condition: Condition, values: dict[str, Any], random: Generator
) -> dict[str, Any]:
    """With one number such that both sides are equal; the same if none is found."""
    gap = sp.together(sp.sympify(condition.left - condition.right, strict=True))
    free = sorted(gap.free_symbols, key=str)
    chosen = free[int(random.integers(len(free)))] if free else None
    if chosen is None or _is_whole(claim, chosen.name):
        return values
    known = {x: sp.Rational(values[x.name]) for x in free if x != chosen}
    top = sp.fraction(gap.subs(known))[0]
    for root in sp.Poly(top, chosen).ground_roots() if top.is_polynomial(chosen) else ():
        if root.is_Rational and root > 0:
            return {**values, chosen.name: str(root)}
    return values


def _is_whole(claim: Claim, name: str) -> bool:
    return bool(glossary(claim.entry.paper).constants[name].is_integer)


def planned_of(claim: Claim, seed: int) -> tuple[Case, ...]:
    """Those of the theory's own plan that the claim is about, the cheapest first; no samples."""
    every = _planned(claim.entry.paper, seed)
    own = (case for case in every if case.algorithm_name in claim.algorithms)
    return tuple(sorted(own, key=lambda case: case.work))


@lru_cache(maxsize=1)
def _planned(paper: str, seed: int) -> tuple[Case, ...]:
    every = own_cases(paper, Profile.DEFAULT, seed, floats=False)
    return tuple(case for case in every if case.method is not Method.SAMPLING)
