"""An enumerated round as a space of vectors: which draws a random object is, the draws show."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from fedbounds.errors import FedboundsError

from .enumerated import Round
from .random import Drawn, Outcomes
from .reading import reading, with_derived
from .spaces import Listed
from .subject import Subject, fields, numbers

Array = Any


def listed_space(subject: Subject, one: Round) -> Listed:
    """The vectors of a round, one axis per source of what the theory says is shown.

    Raises
    ------
    FedboundsError
        If two random objects share a call, a call belongs to none, or an array has not the axes
        that it is said to have.
    """
    shown = subject.shown
    axes = _axes(subject, one)
    arrays = {**fields(one.before, one.after), **one.shown}
    read = reading(subject, arrays)
    vectors, factors = (
        {name: _by_source(array, axes) for name, array in own.items()}
        for own in (read.vectors, read.factors)
    )
    weights = (*axes.weights, *read.weights)
    return with_derived(
        subject, Listed(shown.sources, weights, vectors, factors, tuple(shown.indices))
    )


@dataclass(frozen=True, eq=False)
class _Axes:
    """How rows become axes.

    Attributes
    ----------
    pasts : int
    counts : list of int
        Outcomes of every call.
    order : list of int
        Calls in the order of the groups.
    sizes : list of int
        Outcomes of every group.
    weights : list of arrays
        Of the past, and of every group.
    """

    pasts: int
    counts: list[int]
    order: list[int]
    sizes: list[int]
    weights: list[Array]


def _axes(subject: Subject, one: Round) -> _Axes:
    counts = [int(source.count or 0) for source in one.outcomes.sources]
    groups = calls_behind(subject, one.outcomes, one.drawn)
    order = [number for own in groups.values() for number in own]
    order += [number for number in range(len(counts)) if number not in order]  # of one outcome
    weights = [one.start.chances]
    weights += [joint(one.outcomes, own, counts, subject.exact) for own in groups.values()]
    sizes = [prod(counts[number] for number in own) for own in groups.values()]
    return _Axes(len(one.start), counts, order, sizes, weights)


def calls_behind(subject: Subject, every: Outcomes, drawn: Drawn) -> dict[str, tuple[int, ...]]:
    """Which calls of ``draw`` each random object of the theory is made of.

    Raises
    ------
    FedboundsError
        If two random objects share a call, or a call belongs to none.
    """
    counts = [int(source.count or 0) for source in every.sources]
    found: dict[str, tuple[int, ...]] = {}
    owner: dict[int, str] = {}
    for source, names in subject.shown.draws.items():
        own = {number for name in names for number in calls_along(name, drawn, counts)}
        for number in own:
            other = owner.setdefault(number, source)
            if other != source:
                raise FedboundsError(
                    f"{source!r} and {other!r} both depend on "
                    f"{every.sources[number].name}: they are not independent"
                )
        found[source] = tuple(sorted(own))
    left = [n for n, count in enumerate(counts) if count > 1 and n not in owner]
    if left:
        named = ", ".join(every.sources[number].name for number in left)
        raise FedboundsError(f"no random object of the theory has the draws of {named}")
    return found


def calls_along(name: str, drawn: Drawn, counts: list[int]) -> list[int]:
    """The calls along which an array of ``draw`` varies."""
    if name not in drawn:
        raise FedboundsError(f"draw returns no {name!r}; it returns: {', '.join(drawn)}")
    rows = np.asarray(drawn[name]).reshape(*counts, -1)
    return [n for n in range(len(counts)) if bool((rows != rows.take([0], n)).any())]


def joint(every: Outcomes, own: Sequence[int], counts: list[int], exact: bool) -> Array:
    """Probabilities of the joint outcomes of some calls."""
    table = numbers(every.chances, exact=True).reshape(counts)
    others = tuple(number for number in range(len(counts)) if number not in own)
    summed = np.asarray(table.sum(axis=others) if others else table, dtype=object)
    return numbers(summed.reshape(-1).tolist(), exact)


def _by_source(rows: Array, axes: _Axes) -> Array:
    """Rows as one axis per source, in the order of the groups."""
    by_call = rows.reshape(axes.pasts, *axes.counts, *rows.shape[1:])
    inner = range(1 + len(axes.counts), by_call.ndim)
    ordered = by_call.transpose(0, *(1 + number for number in axes.order), *inner)
    return ordered.reshape(axes.pasts, *axes.sizes, *rows.shape[1:])
