"""What exact instances exclude: values of a printed number with which they would break the part.

An instance in rationals says ``rest + times * number >= 0`` or breaks the part, so that it bounds
the number from one side, exactly. A float only ever proposes an instance.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from flint import arb

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import AS_PRINTED, Claim, Condition, Part
from fedbounds.theory.language.registry import encoded_claims
from fedbounds.vocabulary import Index, Method, Relation, Verdict

from ...decide.case import Case, parameters_of, products_of
from ...decide.conditions import refusal
from ...decide.measurement import measure
from ...decide.part import decide, rounds_of
from ...decide.products import with_products
from ...decide.profile import Profile
from ...judge.judge import concerned
from ...judge.plan import instances
from ...measure.evaluate import IrrationalError, Numbers, UndefinedError, evaluate
from ...search.tightest import tightest_parts
from .printed import Printed, replaced, swapped

BUDGET = 200  # evaluations of a search, counted


@dataclass(frozen=True)
class Excluded:
    """The sharpest value that an instance leaves: of a right side every sharper one is refuted by
    it, of a condition this one too.

    Attributes
    ----------
    value : Fraction
    instance : str
    parameters : tuple of pairs
    at : str
        The round, or which of the rounds, clients and steps in order; empty for a run.
    how : str
        "exact rationals", or "balls": certified enclosures, where a root is not rational.
    """

    value: Fraction
    instance: str
    parameters: tuple[tuple[str, str], ...]
    at: str
    how: str = "exact rationals"


@dataclass
class Dropped:
    """A premise of a part, dropped: how many instances that leaves, and the first that breaks it.

    Only instances that the premise keeps out count: inside it the part is judged anyway.
    """

    part: Part
    premise: str
    admitted: int = 0
    broken_by: str = ""


@dataclass
class Survey:
    """What the exact instances say of a claim's numbers and premises.

    Attributes
    ----------
    bounds : dict from number to the sharpest bound
    dropped : list of Dropped
    examined : int
    """

    bounds: dict[Printed, Excluded] = field(default_factory=dict)
    dropped: list[Dropped] = field(default_factory=list)
    examined: int = 0


@dataclass(frozen=True, eq=False)
class Examined:
    """An exact instance with its expectations."""

    subject: Case
    numbers: Numbers


def survey(claim: Claim, numbers: Sequence[Printed], seed: int = 0) -> Survey:
    """Everything that planned and searched exact instances say, each measured once.

    Parameters
    ----------
    claim : Claim
        Of its first reading, the inequalities are looked at.
    numbers : sequence of Printed
    seed : int
        Of the plan and of the searches.
    """
    parts = [part for part in claim.parts if part.relation is not Relation.EQUAL]
    found = Survey(
        dropped=[
            Dropped(part, premise)
            for part in parts
            for premise in (*map(str, part.assumptions), *map(str, part.conditions))
        ]
    )
    for subject in _subjects(claim, parts, numbers, seed):
        one = Examined(subject, measure(subject).numbers)
        found.examined += 1
        for part in parts:
            inside = refusal(part, subject, one.numbers) is None
            for number in numbers:
                if number.part is part:
                    _keep(found, number, _bounds(number, one, inside))
            for dropped in found.dropped:
                if dropped.part is part and not inside:
                    _drop(dropped, one)
    return found


def _keep(found: Survey, number: Printed, bounds: Iterable[Excluded]) -> None:
    """The sharpest bound of a number so far."""
    for bound in bounds:
        known = found.bounds.get(number)
        if known is None or number.towards * (bound.value - known.value) < 0:
            found.bounds[number] = bound


def _subjects(
    claim: Claim, parts: Sequence[Part], numbers: Sequence[Printed], seed: int
) -> Iterator[Case]:
    """The planned instances in rationals, and the tightest one that each search finds."""
    paper = encoded_claims(claim.entry.paper)
    every = paper if any(one.id == claim.id for one in paper) else (*paper, claim)
    for subject in instances(every, Profile.DEFAULT, seed, frozenset(claim.algorithms)):
        if subject.method is Method.RATIONAL and concerned([claim], subject):
            yield subject
    loose = (without(part, condition) for part in parts for condition in part.conditions)
    for part in (*parts, *loose, *filter(None, map(focused, numbers))):
        alone = replace(claim, parts=(part,), readings=(AS_PRINTED,))
        yield from _proposed(alone, seed)


def _proposed(alone: Claim, seed: int) -> list[Case]:
    """The tightest instances of a claim's only part; none where its formula is not defined, as
    1/(K - 1) without the condition that K >= 2.
    """
    try:
        with np.errstate(invalid="ignore", divide="ignore"):
            found = tightest_parts(alone, AS_PRINTED, seed, BUDGET)
    except ZeroDivisionError:
        return []
    return [best.instance for best in found]


def focused(number: Printed) -> Part | None:
    """The part whose ratio of sides is what a number of the right side must at least be.

    None for one of a condition, and where the right side falls with it or is not affine in it.
    """
    if number.condition is not None or number.times is None or number.towards >= 0:
        return None
    return replaced(number.part, left=-number.rest, right=number.times)


def without(part: Part, condition: Condition) -> Part:
    """The part without a condition."""
    return replaced(part, conditions=swapped(part, condition, None))


def _bounds(number: Printed, one: Examined, inside: bool) -> Iterator[Excluded]:
    """What an instance says of a number; nothing where the gap is not affine in it."""
    if number.times is None or not number.towards:
        return
    if number.condition is not None:
        yield from _of_condition(number, number.condition, one)
    elif inside:
        yield from _of_right_side(number, number.times, one)


def _of_right_side(number: Printed, times: sp.Expr, one: Examined) -> Iterator[Excluded]:
    sides = replaced(number.part, left=-number.rest, right=times)
    for at, (rest, factor) in enumerate(_values(sides, one)):
        if factor > 0 if number.towards < 0 else factor < 0:
            yield _excluded(number, rest / factor, one, _place(number.part, at))


def _of_condition(number: Printed, condition: Condition, one: Examined) -> Iterator[Excluded]:
    """Where the part breaks without the condition, the value with which it would be admitted."""
    if not breaks(without(number.part, condition), one):
        return
    try:
        rest, times = (evaluate(x, one.numbers) for x in (number.rest, number.times))
    except IrrationalError:
        return
    if times > 0 if number.towards > 0 else times < 0:
        yield _excluded(number, -rest / times, one, "")


def breaks(part: Part, one: Examined) -> bool | None:
    """Whether an exact instance breaks a part; None where it does not apply, where a round that it
    needs was not measured, or where its formula is not defined.
    """
    if refusal(part, one.subject, one.numbers) is not None:
        return None
    try:
        plain = _plain(part, one)
        return decide(*plain, Method.RATIONAL).verdict is Verdict.VIOLATED
    except (FedboundsError, ZeroDivisionError, UndefinedError):
        return None


def _drop(dropped: Dropped, one: Examined) -> None:
    """Count an instance that only this premise keeps out, and see whether it breaks the part."""
    part, premise = dropped.part, dropped.premise
    fewer = replaced(
        part,
        assumptions=tuple(a for a in part.assumptions if a != premise),
        conditions=tuple(c for c in part.conditions if str(c) != premise),
    )
    broken = breaks(fewer, one)
    if broken is None:
        return
    dropped.admitted += 1
    if broken and not dropped.broken_by:
        dropped.broken_by = one.subject.name


def _plain(part: Part, one: Examined) -> tuple[Part, Numbers]:
    """The part with its products of vectors measured.

    Raises
    ------
    FedboundsError
        If a vector was not measured.
    """
    products = products_of(one.subject)
    if not part.vectors or products is None:
        return part, one.numbers
    return with_products(part, one.numbers, products)


def _values(part: Part, one: Examined) -> Iterator[tuple[Any, Any]]:
    """Both sides in rationals, for every round, client and step that the part speaks of."""
    try:
        sides, numbers = _plain(part, one)
    except FedboundsError:
        return
    rounds = rounds_of(sides, numbers)
    if rounds is not None and not len(rounds):
        return
    try:
        left, right = (evaluate(side, numbers, rounds) for side in (sides.left, sides.right))
    except IrrationalError:
        return
    yield from zip(*(x.reshape(-1) for x in np.broadcast_arrays(left, right)), strict=True)


def _place(part: Part, at: int) -> str:
    if part.index in (Index.RUN, Index.POINT, Index.START):
        return ""
    return f"round {at + part.first_round}" if part.index is Index.ROUND else f"case {at}"


def _excluded(number: Printed, value: Any, one: Examined, at: str) -> Excluded:
    """A bound; of a ball, where a root is not rational, the end that excludes less."""
    ball = isinstance(value, arb)
    if ball:
        man, exponent = (value.lower() if number.towards < 0 else value.upper()).man_exp()
        bound = Fraction(int(man)) * Fraction(2) ** int(exponent)
    else:
        bound = Fraction(int(value.p), int(value.q))
    shown = parameters_of(one.subject).items()
    parameters = tuple((name, str(found)) for name, found in shown)
    return Excluded(bound, one.subject.name, parameters, at, "balls" if ball else "exact rationals")
