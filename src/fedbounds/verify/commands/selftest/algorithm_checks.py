"""Checks that a wrong algorithm fails: what each says of the algorithms as they are now.

A wrong algorithm may violate no bound at all. What catches it is that it must be another algorithm
under a restriction, that clients have no names, that draws follow their law, and that identities
about its iterates hold.
"""

from dataclasses import replace
from functools import singledispatch
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.linear import rational
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.planted import DrawLaw, Identity, Reduces, Renamed
from fedbounds.theory.language.registry import claim, encoded
from fedbounds.theory.language.setups import Setup
from fedbounds.vocabulary import Verdict

from ...decide.measurement import measure
from ...judge.judge import judge_reading
from ...measure.clients import Clients
from ...measure.contract import State, drawn_by, stepped
from ...measure.enumerated import sources_of_init, started_from
from ...measure.objectives import exact
from ...measure.random import answered, sampled, sources_of
from ...measure.same import compare
from ...measure.same_draws import Drawing, Law
from ...measure.sources import Source
from ...measure.subject import Subject
from ...measure.trace import subject_of as traced
from ...setups.found import view_of
from ...setups.pairs import shapes_of, two_of
from .claim_errors import subject_of
from .planted import Said
from .said import verdict_said

Array = Any
HOLDS, BROKEN = "holds", "broken"
_ROWS = 8


@singledispatch
def said(check: Any, paper: str) -> Said:
    """What a check says now."""
    raise TypeError(f"{type(check).__name__} is no check")


@singledispatch
def told(check: Any, paper: str) -> tuple[str, str, str]:
    """The check in a few words; what it must say of the original, and of the error."""
    raise TypeError(f"{type(check).__name__} is no check")


_VERDICTS = (Verdict.NOT_VIOLATED.value, Verdict.VIOLATED.value)
_LAW = (HOLDS, BROKEN)


# ---- identities


@said.register
def _identity(check: Identity, paper: str) -> Said:
    """The gravest verdict on a part of a claim as printed, in exact rationals."""
    found, subject = claim(f"{paper}/{check.claim}"), subject_of(check.setup)
    return verdict_said(judge_reading(found, found.readings[0], subject, measure(subject)).deciding)


@told.register
def _told_identity(check: Identity, paper: str) -> tuple[str, str, str]:
    return f"identity {paper}/{check.claim}, in rationals", *_VERDICTS


# ---- equivalences


@said.register
def _reduces(check: Reduces, paper: str) -> Said:
    """Whether the first pair of an equivalence is one algorithm, on one small problem."""
    equivalence = encoded(entry(f"{paper}/{check.claim}"))
    pair, shapes = equivalence.pairs[0], equivalence.shapes
    every = shapes_of(pair.conditions, shapes)
    shape = next(shape for shape in every if shape.name == check.shape)
    found = compare(two_of(pair, shape, shapes.rounds))
    text = f"{pair.general.name} against {pair.special.name}: {found.reason}"
    if found.verdict is Verdict.VIOLATED and found.deviation:
        text = f"{text}, by up to {float(fmpq(found.deviation)):.6g}"
    return Said(found.verdict.value, text)


@told.register
def _told_reduces(check: Reduces, paper: str) -> tuple[str, str, str]:
    special = encoded(entry(f"{paper}/{check.claim}")).pairs[0].special.name
    return f"reduces to {special}, in rationals", *_VERDICTS


# ---- clients have no names


@said.register
def _renamed(check: Renamed, paper: str) -> Said:
    """Whether a round with clients in another order is that round, reordered."""
    one = _traced(check.setup)
    problem, n = one.problem.objective, int(one.problem.clients)
    assert isinstance(problem, FederatedQuadratic)
    order = [*range(1, n), 0]
    u, v = one.problem.blocks(one.start[None])
    other = replace(
        one,
        problem=Clients(
            replace(problem, hessian=problem.hessian[order], linear=problem.linear[order])
        ),
        start=np.concatenate([u[0], v[0][order].reshape(-1)]),
    )
    first, second = _round(one, list(range(n))), _round(other, order)
    far = max(
        abs(first[name][:, order] - x).max() if name == "v" else abs(first[name] - x).max()
        for name, x in second.items()
        if name in ("u", "v")
    )
    return Said(BROKEN if far > 0 else HOLDS, f"the two rounds differ by up to {float(far):.6g}")


@told.register
def _told_renamed(check: Renamed, paper: str) -> tuple[str, str, str]:
    return "invariance under renaming clients, in rationals", *_LAW


def _round(one: Subject, order: list[int]) -> State:
    """One round of some draws, those of the clients in this order."""
    p = one.parameters()
    begun = sources_of_init(one)
    state = answered(
        lambda random: started_from(one, random, _ROWS), begun, _reordered(begun, order)
    )
    sources = sources_of(lambda random: drawn_by(one.algorithm, random, one.problem, p), exact=True)
    drawn = answered(
        lambda random: drawn_by(one.algorithm, random, one.problem, p),
        sources,
        _reordered(sources, order),
    )
    return stepped(one.algorithm, one.problem, p, state, drawn)[0]


def _reordered(sources: list[Source], order: list[int]) -> list[Array]:
    """Some outcomes of each; the first axis of all of them counts clients."""
    return [rows[:, order] for rows in sampled(sources, True, _ROWS)]


# ---- laws of draws


@said.register
def _draw_law(check: DrawLaw, paper: str) -> Said:
    """Means of all entries, and how likely every outcome is, from all outcomes."""
    law = Drawing(_traced(check.setup)).law(check.draw)
    means, chances = dict.fromkeys(map(str, _means(law))), sorted(set(law.values()))
    text = f"means {', '.join(means)}; {len(law)} outcomes of probability {chances[0]}"
    more = f" to {chances[-1]}" if len(chances) > 1 else ""
    return Said(HOLDS if _is_law(check, law) else BROKEN, text + more)


def _is_law(check: DrawLaw, law: Law) -> bool:
    wanted = np.asarray(exact(check.mean), dtype=object).reshape(-1)
    alike = len(law) == check.alike and len(set(law.values())) == 1
    return _means(law) == list(wanted) and (alike or not check.alike)


@told.register
def _told_draw_law(check: DrawLaw, paper: str) -> tuple[str, str, str]:
    return f"law of the draws, every outcome of {check.draw}", *_LAW


def _traced(setup: Setup) -> Subject:
    return traced(setup.run, view_of(setup))


def _means(law: Law) -> list[fmpq]:
    """Of every entry."""
    size = len(next(iter(law)))
    terms = [[rational(row[at]) * chance for row, chance in law.items()] for at in range(size)]
    return [sum(own, fmpq(0)) for own in terms]
