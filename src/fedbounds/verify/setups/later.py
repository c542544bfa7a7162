"""Longer runs than the file asks for: where an exact recurrence says that a claim fails later.

A bound may hold in every round that is looked at and fail for ever after. Where the step is the
same in every round, the exact moments of a few rounds decide it for all of them.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain
from math import prod

import sympy as sp
from sympy.core.function import AppliedUndef

from fedbounds.errors import FedboundsError
from fedbounds.problems.linear import rational
from fedbounds.theory.language.claims import Part
from fedbounds.theory.language.setups import Setup
from fedbounds.theory.language.standard import standard
from fedbounds.theory.proof.vectors import ip, sq
from fedbounds.vocabulary import Index

from ..decide.case import Case, found
from ..decide.conditions import refusal
from ..decide.measurement import numbers_of
from ..measure.answers import Asked, by_moments
from ..measure.beginnings import beginning
from ..measure.evaluate import Numbers
from ..measure.every_round import holds_forever, rounds_needed
from ..measure.recurrences import Sign
from ..measure.spoken import names_in
from ..measure.trace import subject_of
from ..measure.unknowns import Refused
from ..measure.unrolled import unroll
from .found import view_of
from .tried import sees

Over = tuple[Case, Numbers]


@dataclass(frozen=True)
class Later:
    """What is known of runs of any length.

    Attributes
    ----------
    broken : list of pairs (case, rounds)
        Of every part that fails beyond the rounds of a case, where it does so first.
    forever : list of sets of names of cases
        Of every part those on which it holds whatever the number of rounds is.
    """

    broken: list[tuple[Case, int]]
    forever: list[frozenset[str]]


def later(parts: Sequence[Part], cases: Sequence[Case]) -> Later:
    """What follows for every part from the exact recurrences of cases."""
    first: dict[int, tuple[int, Case]] = {}
    forever: list[set[str]] = [set() for _ in parts]
    for case in cases:
        moments = _moments(case.setup)
        over = cache(partial(_over, case))  # parts ask for few lengths
        linear = frozenset[str]() if moments is None else _linear_in_moments(case.setup)
        for number, part in enumerate(parts if moments is not None else ()):
            if not part.quantities <= linear:
                continue  # a probability, or a root of a moment, is no recurrence
            sign = _sign(part, case, moments or 0, over)
            if sign is None:
                continue
            if sign.negative_at is None:
                forever[number].add(case.name)
                continue
            length = sign.negative_at + (part.index is not Index.RUN)
            shorter = length < first.get(number, (length + 1, case))[0]
            if length > case.setup.run.rounds and shorter:
                first[number] = (length, case)
    found = {(case.name, length): (case, length) for length, case in first.values()}
    return Later(list(found.values()), [frozenset(names) for names in forever])


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
        trace = unroll(subject, shapes)
        every = chain.from_iterable(x.reshape(-1) for x in (trace.ends or {}).values())
        if trace.asked_round or trace.variables.degree(every) > 1:
            return None
    except Refused:
        return None
    entries = sum(map(prod, shapes.values()))
    return (entries + 1) * (entries + 2) // 2


def _linear_in_moments(setup: Setup) -> frozenset[str]:
    """Quantities that are sums of second moments, with the same factors in every round."""
    view = view_of(setup)
    subject = replace(subject_of(setup.run, view), rounds=1)
    known = {**standard(view.shown, infimum=True, minimiser=True), **view.quantities}
    found = {name for name, expression in known.items() if _is_linear(expression)}
    plain = {x: y for x, y in view.functions.items() if "t" not in names_in(y)}
    with suppress(Refused):
        found |= by_moments(subject, Asked(plain)).series.keys()
    return frozenset(found)


def _is_linear(expression: sp.Expr) -> bool:
    """Whether a definition is a sum of squared norms and inner products with fixed factors."""
    products = {x: sp.Dummy() for x in expression.atoms(sq, ip)}
    plain = expression.xreplace(products)
    if plain.atoms(AppliedUndef) or not plain.is_polynomial(*products.values()):
        return False
    return sp.Poly(plain, *products.values()).total_degree() <= 1 if products else True


def _sign(part: Part, case: Case, moments: int, over: Callable[[int], Over]) -> Sign | None:
    """Whether a part fails at some length, and at which first; None where it is not decided."""
    run = case.setup.run
    try:
        measured, numbers = over(max(run.rounds, rounds_needed(part, moments)))
        if refusal(part, measured, numbers) is not None:
            return None
        return holds_forever(part, lambda length: _of_length(numbers, length), moments)
    except (Refused, FedboundsError, ArithmeticError):  # nothing is said of what has no value
        return None


def _over(case: Case, rounds: int) -> Over:
    """The run over so many rounds, and its numbers."""
    measured = case if rounds == case.setup.run.rounds else lengthened(case, rounds)
    return measured, numbers_of(measured, dict(found(measured).series))


def _of_length(numbers: Numbers, length: int) -> Numbers:
    """Of the same run, stopped after so many rounds."""
    constants = {**numbers.constants, "T": rational(length)}
    series = {name: values[: length + 1] for name, values in numbers.series.items()}
    return replace(numbers, constants=constants, series=series)


def lengthened(case: Case, rounds: int) -> Case:
    """The same run over so many rounds."""
    setup: Setup = case.setup
    return replace(case, setup=replace(setup, run=replace(setup.run, rounds=rounds)))
