"""A round as a space of vectors in which all its draws are one random object.

Enough where a theory does not say which draws its random objects are, and names none.
"""

from typing import Any

import numpy as np

from .enumerated import Round
from .reading import reading, with_derived
from .spaces import PAST, Listed, Unrolled
from .subject import Subject, fields, numbers
from .unrolled import Unrolling

Array = Any
DRAWS = "draws"


def listed_whole(subject: Subject, one: Round) -> Listed:
    """The vectors of an enumerated round: an axis for the past, one for all draws.

    Raises
    ------
    FedboundsError
        If an array that the theory names is not there, or has not the axes that it should have.
    """
    shown = subject.shown
    read = reading(subject, {**fields(one.before, one.after), **one.shown})
    pasts, count = len(one.start), len(one.outcomes.chances)
    vectors, factors = (
        {name: array.reshape(pasts, count, *array.shape[1:]) for name, array in own.items()}
        for own in (read.vectors, read.factors)
    )
    chances = numbers(one.outcomes.chances, subject.exact)
    weights = (one.start.chances, chances, *read.weights)
    sources = (PAST, DRAWS, *shown.indices)
    return with_derived(subject, Listed(sources, weights, vectors, factors, tuple(shown.indices)))


def unrolled_whole(subject: Subject, trace: Unrolling) -> Unrolled:
    """The vectors of a round on unknowns: an axis for the outcomes of what is listed.

    Raises
    ------
    FedboundsError
        As `listed_whole`.
    """
    shown = subject.shown
    read = reading(subject, {**trace.around, **trace.shown})
    vectors, factors = (
        {name: np.expand_dims(array, 0) for name, array in own.items()}
        for own in (read.vectors, read.factors)
    )
    chances = numbers(trace.listed.chances, subject.exact)
    weights = (None, chances, *read.weights)
    draws = {DRAWS: tuple(range(len(trace.variables.sources)))}
    space = Unrolled(
        (PAST, DRAWS, *shown.indices),
        weights,
        draws,
        trace.variables,
        vectors,
        factors,
        tuple(shown.indices),
    )
    return with_derived(subject, space)
