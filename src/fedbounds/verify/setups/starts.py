"""Random starts as cases: the probability that an event fails, between two numbers.

By its law, where that is known. Else starts are drawn and counted; what counts as failed is every
start of which it is not certain that the event holds, and the bound is one-sided: counting shows
that a failure is rare, and never that it is not.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from flint import arb, fmpq

from fedbounds.errors import FedboundsError, require, unknown_name
from fedbounds.problems import neural_starts, start_laws
from fedbounds.problems.chances import largest_chance
from fedbounds.theory.language.registry import events
from fedbounds.theory.language.setups import Number, Objective, Says
from fedbounds.theory.language.starts import Event, PlannedStarts, Starts
from fedbounds.vocabulary import Method

from ..decide.case import Case, Found, find
from ..decide.interval import LEVEL
from ..measure import objectives
from ..measure.balls import enclosed
from ..measure.evaluate import IrrationalError, Numbers, evaluate, in_balls

_LEVEL = objectives.exact(LEVEL)
_MOST = 100_000
Chosen = tuple[tuple[str, Number], ...]


def starts_case(one: PlannedStarts) -> Case:
    """As a case."""
    given = one.starts
    method = Method.CONFIDENCE if given.count else Method.BALLS
    return Case(one.name, event_of(given).runs, given, method, given.count)


def event_of(given: Starts) -> Event:
    """What the theory says of its event.

    Raises
    ------
    FedboundsError
        If there is no such event.
    """
    every = events(given.theory)
    if given.event not in every:
        raise unknown_name(f"event of {given.theory}", given.event, every)
    return every[given.event]


@find.register
def _found(given: Starts) -> Found:
    event, problem = event_of(given), objectives.objective(given.problem)
    known = {x: enclosed(y) for x, y in objectives.values(problem).items()} | _chosen(given.chosen)
    if given.count:
        failed = outside(event, given, known)
        top = arb(largest_chance(failed, given.count, _LEVEL))
        chance = arb(0).union(top)
        how = f"{failed} of {given.count} starts fail or are not told, seed {given.seed}"
        estimated = {event.failing.name: f"{how}, in floats whose rounding has no proved bound"}
    else:
        chance, how, estimated = _by_law(event, problem, known), "by its law", {}
    return Found(
        family=f"{event.told}: {how}",
        parameters=known | {event.failing.name: chance},
        series={},
        evidence=objectives.facts(problem),
        estimated=estimated,
    )


def _chosen(pairs: Chosen) -> dict[str, fmpq]:
    return {name: objectives.exact(value) for name, value in pairs}


def outside(event: Event, given: Starts, known: Mapping[str, Any]) -> int:
    """Of how many starts it is not certain that the event holds."""
    require(given.count <= _MOST, "starts", given.count, f"at most {_MOST}")
    failed = 0
    for rows, numbers in _drawn(given.problem, given.seed, given.count, given.chosen):
        holds = np.ones(rows, dtype=bool)
        for says in event.says:
            low, high = numbers[str(says.left)]
            least, most = _ends(says, known)
            holds &= high <= least if says.relation == "<=" else low >= most
        failed += int((~holds).sum())
    return failed


@lru_cache(maxsize=4)  # several events are of the same starts
def _drawn(
    of: Objective, seed: int, count: int, chosen: Chosen
) -> list[tuple[int, dict[str, neural_starts.Between]]]:
    """What is known of starts, in batches of so many."""
    problem, found = objectives.objective(of), []
    for own in neural_starts.gaussian_starts(problem, seed, count):
        numbers = neural_starts.numbers_of(problem, own, _chosen(chosen))
        if numbers is None:
            raise FedboundsError(f"nothing is known of random starts of {of.family!r}")
        found.append((len(own), numbers))
    return found


def _ends(says: Says, known: Mapping[str, Any]) -> tuple[float, float]:
    """Between which floats the right side is."""
    found = arb(evaluate(says.right, in_balls(Numbers(known, {}, fmpq))))
    ends = float(found.lower()), float(found.upper())
    return float(np.nextafter(ends[0], -np.inf)), float(np.nextafter(ends[1], np.inf))


def _by_law(event: Event, problem: Any, known: Mapping[str, Any]) -> arb:
    """That something of it fails: at least as likely as each, at most as all of it together."""
    found = [_fails(event, says, problem, known) for says in event.says]
    least, most = max(x.lower() for x in found), sum((x.upper() for x in found), arb(0))
    return least.union(most.min(arb(1)))


def _fails(event: Event, says: Says, problem: Any, known: Mapping[str, Any]) -> arb:
    edge: fmpq | arb
    try:
        edge = evaluate(says.right, Numbers(known, {}, fmpq))
    except IrrationalError:
        edge = arb(evaluate(says.right, in_balls(Numbers(known, {}, fmpq))))
    edge = edge if isinstance(edge, fmpq) else arb(edge)
    found = start_laws.law_of(problem, str(says.left), says.relation, edge, known)
    if found is None:
        raise FedboundsError(f"the law of {event.told} is not known: starts are to be counted")
    return found
