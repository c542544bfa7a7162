"""What a claim of any kind says, as short lines: its formulas, what they suppose, its readings."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import groupby
from typing import Any, TypeVar

import sympy as sp

from fedbounds.theory.language.claims import AS_PRINTED, Claim, Part, Reading
from fedbounds.theory.language.equivalences import Equivalence
from fedbounds.theory.language.orders import ComparisonClaim
from fedbounds.theory.language.setting import (
    Asked,
    AssumptionClaim,
    InTheEnd,
    NoBound,
    OnRun,
    Stated,
    Universal,
)
from fedbounds.vocabulary import Index

from ...page.words import described

_Kind = TypeVar("_Kind")


def stated(claim: Any) -> Iterator[str]:
    """What it says, line by line."""
    if not isinstance(claim, Claim):
        yield from _in_words(claim)
        return
    if claim.experiment is not None:
        yield from described(claim.experiment)
    yield from part_lines(claim.parts)
    if claim.readings != (AS_PRINTED,):
        yield f"read {'; '.join(map(_turned, claim.readings))}"


def part_lines(parts: tuple[Part, ...]) -> Iterator[str]:
    """A line for each formula; what several neighbours suppose stands before them."""
    for under, own in groupby(parts, supposed):
        each = list(own)
        alone = len(each) == 1
        if under and not alone:
            yield f"{under}:"
        for part in each:
            yield formula(part) + (f" | {under}" if under and alone else "")


def formula(part: Part) -> str:
    """Its name and its two sides."""
    name = f"{part.name}: " if part.name else ""
    least = "" if part.trivial is None else f" (trivial: <= {part.trivial})"
    zero = "".join(f" (nothing where {d} is 0)" for d in part.divisors)
    return f"{name}{part.left} {part.relation.value} {part.right}{least}{zero}"


def supposed(part: Part) -> str:
    """What a part holds under, and of what it is said; empty for all rounds of all runs."""
    index = "" if part.index is Index.ROUND else str(part.index)
    every = (
        *(f"if {condition}" for condition in part.conditions),
        *(f"assuming {name}" for name in part.assumptions),
        f"for {part.algorithm}" if part.algorithm else "",
        f"of {', '.join(part.scopes)}" if part.scopes else "",
        index,
        f"from t = {part.first_round}" if part.first_round else "",
    )
    return "; ".join(filter(None, every))


def _turned(reading: Reading) -> str:
    """What a reading turns."""
    turned = (
        f"parts {', '.join(map(repr, reading.parts))}" if reading.parts else "",
        f"with {reading.relation.value}" if reading.relation else "",
        *(f"{new} times {old}" if isinstance(old, type) else f"{new} for {old}"
          for old, new in reading.substitute),
    )  # fmt: skip
    named = f"{reading.name!r} ({reading.ambiguity})" if reading.ambiguity else f"{reading.name!r}"
    return f"{named}: {', '.join(filter(None, turned)) or 'as it stands'}"


def _in_words(claim: Any) -> Iterator[str]:
    yield from described(claim)
    if isinstance(claim, Equivalence):
        for pair in claim.pairs:
            sides = (f"{x.name}({_given(x.parameters)})" for x in (pair.general, pair.special))
            under = "".join(f", if {condition}" for condition in pair.conditions)
            yield f"{pair.name or pair.reading}: {' is '.join(sides)}{under}"
    if isinstance(claim, ComparisonClaim):
        vanishing = ", ".join(map(str, claim.vanishing)) or "nothing"
        yield f"{claim.said}, up to {claim.left_out}; may vanish: {vanishing}"
        yield from (f"never small: {product}" for product in claim.at_least_one)
        yield from (f"read {sense.value!r}" for sense in claim.senses)
    if isinstance(claim, Universal):
        for _, said in claim.cases:
            yield from _said(said)


def _said(said: Stated) -> Iterator[str]:
    match said:
        case OnRun(parts=parts, start=start):
            yield from () if start is None else (f"from {start}",)
            yield from part_lines(parts)
        case InTheEnd(one_of=one_of, variants=variants, rests=rests):
            yield f"as t grows: {' or '.join(map(str, one_of))}"
            yield from (f"{x.name}: the same run with {_given(dict(x.parameters))}"
                        for x in variants)  # fmt: skip
            yield from (f"a finite run shows it where: {rests}",) if rests else ()
        case NoBound(parts=parts, step=step):
            yield from part_lines(parts)
            yield f"by the step {step}"


def _given(values: Any) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items())


def assumptions_of(claim: Any) -> tuple[str, ...]:
    """Names of all that it assumes, in any reading."""
    own = [name for part in inside(claim, Part) for name in part.assumptions]
    own += [name for asked in inside(claim, Asked) for name in asked.assumptions]
    if isinstance(claim, AssumptionClaim):
        own += map(claim.read, claim.readings)
    own += [end.rests for end in inside(claim, InTheEnd) if end.rests]
    return tuple(dict.fromkeys(map(str, own)))


def expressions(thing: Any) -> Iterator[sp.Basic]:
    """Every formula inside it, of parts, conditions and what else it says."""
    yield from inside(thing, sp.Basic)


def inside(thing: Any, kind: type[_Kind]) -> Iterator[_Kind]:
    """All of one kind in data, at any depth."""
    if isinstance(thing, kind):
        yield thing
    if isinstance(thing, dict):
        thing = (*thing.keys(), *thing.values())
    elif is_dataclass(thing) and not isinstance(thing, type):
        thing = tuple(getattr(thing, field.name) for field in fields(thing))
    if isinstance(thing, (list, tuple)):
        for one in thing:
            yield from inside(one, kind)
