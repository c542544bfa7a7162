"""Longer runs than the file asks for: where an exact recurrence says that a claim fails later.

A bound may hold in every round that is looked at and fail for ever after. Where the step is the
same in every round, the exact moments of a few rounds decide it for all of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod

from fedbounds.errors import FedboundsError
from fedbounds.problems.linear import rational
from fedbounds.theory.language.claims import Part
from fedbounds.theory.language.setups import Setup
from fedbounds.vocabulary import Index

from ..decide.case import Case, found
from ..decide.conditions import refusal
from ..decide.measurement import numbers_of
from ..measure.beginnings import beginning
from ..measure.evaluate import Numbers
from ..measure.every_round import holds_forever, rounds_needed
from ..measure.trace import subject_of
from ..measure.unknowns import Refused
from ..measure.unrolled import unroll
from .found import view_of
from .tried import sees


def later(parts: Sequence[Part], cases: Sequence[Case]) -> list[tuple[Case, int]]:
    """Of every part that fails beyond the rounds of a case, the case where it does so first."""
    first: dict[int, tuple[int, Case]] = {}
    for case in cases:
        for number, length in _failing(parts, case):
            if length < first.get(number, (length + 1, case))[0]:
                first[number] = (length, case)
    found = {(case.name, length): (case, length) for length, case in first.values()}
    return list(found.values())


def _failing(parts: Sequence[Part], case: Case) -> Iterator[tuple[int, int]]:
    """Numbers of the parts that fail beyond the rounds of a case, and after how many."""
    moments, rounds = _moments(case.setup), case.setup.run.rounds
    if moments is None:
        return
    needed = {number: _needed(part, moments, rounds) for number, part in enumerate(parts)}
    lengths = {length for length in needed.values() if length is not None}
    for length in sorted(lengths, reverse=True):  # the longest that is measured tells the others
        try:
            measured = case if length == rounds else lengthened(case, length)
            numbers = numbers_of(measured, dict(found(measured).series))
        except (Refused, FedboundsError, ArithmeticError):
            continue
        for number, own in needed.items():
            if own is not None and own <= length:
                fails = _fails(parts[number], measured, _of_length(numbers, own), moments)
                if fails is not None and fails > rounds:
                    yield number, fails
        return


def _needed(part: Part, moments: int, rounds: int) -> int | None:
    """How many rounds tell whether a part holds for ever, at least those that there are."""
    try:
        return max(rounds, rounds_needed(part, moments))
    except Refused:
        return None


def _moments(setup: Setup) -> int | None:
    """How many second moments a round carries on; None if rounds differ, or are not affine."""
    view = view_of(setup)
    if any(sees(value) for value in view.constants.values()):
        return None  # constants may see the length
    subject = subject_of(setup.run, view)
    if not subject.exact:
        return None
    try:
        shapes = beginning(subject).shapes
        if unroll(subject, shapes).asked_round:
            return None
    except Refused:
        return None
    entries = sum(map(prod, shapes.values()))
    return (entries + 1) * (entries + 2) // 2


def _fails(part: Part, case: Case, numbers: Numbers, moments: int) -> int | None:
    """The first length at which a part fails, if that is decided."""
    try:
        if refusal(part, case, numbers) is not None:
            return None
        at = holds_forever(part, lambda length: _of_length(numbers, length), moments).negative_at
    except (Refused, FedboundsError, ArithmeticError):  # nothing is said of what has no value
        return None
    return None if at is None else at if part.index is Index.RUN else at + 1


def _of_length(numbers: Numbers, length: int) -> Numbers:
    """Of the same run, stopped after so many rounds."""
    constants = {**numbers.constants, "T": rational(length)}
    series = {name: values[: length + 1] for name, values in numbers.series.items()}
    return replace(numbers, constants=constants, series=series)


def lengthened(case: Case, rounds: int) -> Case:
    """The same run over so many rounds."""
    setup: Setup = case.setup
    return replace(case, setup=replace(setup, run=replace(setup.run, rounds=rounds)))
