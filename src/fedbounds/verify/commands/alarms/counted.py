"""One part on instances of a seed: how often it applies, and what is said of it."""

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, islice
from typing import Any

import numpy as np
from numpy.random import Generator

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import AS_PRINTED, Claim, Part
from fedbounds.vocabulary import Index, Method, Verdict

from ...decide.case import Case
from ...decide.conditions import sides
from ...decide.measurement import Measurement, measure
from ...decide.part import Outcome
from ...judge.judge import judge_reading
from ...setups.found import MOST_EXACT_WORK, InFloats, Named, method_of
from ...setups.instance_file import to_data
from .drawn import Chances, Source, sources
from .fixed import planned_of, varied

_MOST = 12  # times as many are drawn at most
_IN_VAIN = 2  # and so many at most while none applies
_EDGE = 1e-4  # relative: so near are the sides of a condition whose step size was rounded
_OFTEN = 0.75  # chance of an edge while fewer than half are at one
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?(/\d+)?")
_UNMEASURED = "not measured: "
_LONGEST = 90  # characters of a reason


@dataclass
class Counts:
    """What was seen of one part.

    Attributes
    ----------
    drawn : int
        Instances that were asked for.
    applicable, at_edge : int
        To which the part applies; of these, those where a condition is an equality.
    methods : Counter
        Of those it applies to, by method.
    settled, undecided, refused : Counter
        By method and reason: what a method left open and rationals decided; what nobody decided;
        and where a method did not answer, which is no instance.
    outside : Counter
        By reason, where the part does not apply or there is no instance.
    violated : list of Case
        Each is an error of the suite.
    """

    drawn: int = 0
    applicable: int = 0
    at_edge: int = 0
    methods: Counter[str] = field(default_factory=Counter)
    settled: Counter[str] = field(default_factory=Counter)
    undecided: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    outside: Counter[str] = field(default_factory=Counter)
    violated: list[Case] = field(default_factory=list)


def counted(claim: Claim, part: Part, key: Sequence[str], seed: int, wanted: int) -> Counts:
    """Judge a part alone on instances until it applied to as many as are wanted.

    Parameters
    ----------
    key : sequence of str
        Names the row: its instances depend on that and on the seed, and on no other row.
    """
    found = Counts()
    alone = replace(claim, parts=(part,), readings=(AS_PRINTED,))
    random = np.random.default_rng([seed, zlib.crc32(" | ".join(key).encode())])
    for case in _cases(claim, part, random, found, seed, wanted):
        found.drawn += 1
        if isinstance(case, Case):
            _add(found, alone, case)
        else:
            found.outside[_plain(case)] += 1
        if found.applicable >= wanted:
            break
    return found


def _cases(
    claim: Claim, part: Part, random: Generator, found: Counts, seed: int, wanted: int
) -> Iterator[Case | str]:
    """Instances, about half of them at edges, or why answers make none. Then planned ones."""
    if part.index is Index.POINT:
        yield from islice(varied(claim, part, random), _MOST * wanted)
        return
    yield from islice(_drawn(sources(claim, part), random, found), _IN_VAIN * wanted)
    if found.applicable:
        more = (_MOST - _IN_VAIN) * wanted
        yield from islice(_drawn(sources(claim, part), random, found), more)
    yield from islice(planned_of(claim, seed), _IN_VAIN * wanted)


def _drawn(own: Sequence[Source], random: Generator, found: Counts) -> Iterator[Case | str]:
    for number in count() if own else ():
        turn, at = divmod(number, len(own))
        often = _OFTEN if 2 * found.at_edge <= found.applicable else 1 - _OFTEN
        try:
            chances = Chances(own[at].space, random, at_edges=bool(random.random() < often))
            yield own[at].case(chances, turn)
        except FedboundsError as error:
            yield f"no instance: {error}"


def _add(found: Counts, claim: Claim, case: Case) -> None:
    """What one instance says of a claim of one part."""
    try:
        measured = measure(case)
        (outcome,) = judge_reading(claim, AS_PRINTED, case, measured).outcomes
    except FedboundsError as error:  # a definition has no value there
        found.outside[_plain(str(error))] += 1
        return
    if _UNMEASURED in outcome.reason:
        found.refused[_kind(case, outcome)] += 1
        return
    if outcome.verdict in (Verdict.NOT_APPLICABLE, Verdict.OUTSIDE):
        found.outside[_plain(outcome.reason)] += 1
        return
    found.applicable += 1
    found.methods[case.method] += 1
    found.at_edge += _is_at_edge(claim.parts[0], measured)
    if outcome.verdict is Verdict.VIOLATED:
        found.violated.append(case)
    elif outcome.verdict is not Verdict.NOT_VIOLATED:
        _add_doubtful(found, claim, case, outcome)


def _is_at_edge(part: Part, measured: Measurement) -> bool:
    """Whether a condition that need not be an equality is one."""
    for condition in part.conditions:
        if condition.relation != "==":
            left, right = (float(side) for side in sides(condition, measured.numbers))
            if abs(left - right) <= _EDGE * max(abs(left), abs(right)):
                return True
    return False


def _add_doubtful(found: Counts, claim: Claim, case: Case, outcome: Outcome) -> None:
    """What a ball or a float leaves open, rationals may settle: above all that sides are equal."""
    exact = _exactly(claim.parts[0], case)
    again = outcome
    if exact is not None:
        (again,) = judge_reading(claim, AS_PRINTED, exact, measure(exact)).outcomes
    if again.verdict is Verdict.VIOLATED:
        found.violated.append(case)
    elif again.verdict is Verdict.NOT_VIOLATED:
        equal = f"{case.method}: both sides are equal"
        found.settled[equal if again.equal else _kind(case, outcome)] += 1
    else:
        found.undecided[_kind(case, outcome)] += 1


def _exactly(part: Part, case: Case) -> Case | None:
    """The same instance in rationals; None if it was measured so."""
    if case.method is Method.RATIONAL or not isinstance(case.setup, Named | InFloats):
        return None
    setup = case.setup.setup
    named = Named(setup, part.named, MOST_EXACT_WORK)
    return replace(case, setup=named, method=method_of(setup))


def stored(case: Case) -> dict[str, Any]:
    """A violated instance as a file holds it, to be replayed."""
    setup = case.setup.setup if isinstance(case.setup, Named | InFloats) else case.setup
    return to_data(replace(case, setup=setup, method=Method.RATIONAL))


def _kind(case: Case, outcome: Outcome) -> str:
    """Method and reason, without its numbers."""
    return f"{case.method}: {_plain(outcome.reason)}"


def _plain(reason: str) -> str:
    return _NUMBER.sub("#", reason)[:_LONGEST]
