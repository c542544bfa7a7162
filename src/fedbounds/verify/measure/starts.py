"""A round's start as a space of vectors: what a state tells of the problem; no step is run."""

from collections.abc import Callable, Mapping, Set
from functools import partial
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.standard import BEST, CLIENT, GRADIENTS, HERE, ONE, PERSONAL, VALUES

from .clients import Clients
from .contract import BLOCK_U, BLOCK_V, MODEL, State, same
from .enumerated import Rows
from .spaces import PAST, Computed, Listed, Unrolled
from .subject import Subject, numbers
from .unrolled import Unrolling

Array = Any
_OfState = Callable[[Clients, State], Array]
_INSTANT: Mapping[str, _OfState] = {
    ONE.name: lambda p, s: p.xp.ones((1, 1, 1), dtype=int),
    BEST.name: lambda p, s: p.minimiser[None, None, :],
}
_WHOLE: Mapping[str, _OfState] = {
    HERE.name: lambda p, s: s[MODEL][:, None, :],
    GRADIENTS.name: lambda p, s: p.gradient(s[MODEL]),
    VALUES.name: lambda p, s: p.value(s[MODEL])[:, :, None],
}
_BLOCKS: Mapping[str, _OfState] = {
    GRADIENTS.name: lambda p, s: p.gradients(s[BLOCK_U], s[BLOCK_V])[0],
    PERSONAL.name: lambda p, s: p.gradients(s[BLOCK_U], s[BLOCK_V])[1],
    VALUES.name: lambda p, s: p.value(s[BLOCK_U], s[BLOCK_V])[:, :, None],
}


def listed_start(subject: Subject, rows: Rows, names: Set[str]) -> Listed:
    """Of states that are listed, and of the vectors of these names.

    Raises
    ------
    FedboundsError
        If objectives are in floats where the run is exact, or mix states.
    """
    known = _vectors(subject, rows.state, exact=subject.exact)
    vectors = {name: known[name] for name in known if name in names}
    weights = (rows.chances, _equal(subject))
    return Listed((PAST, CLIENT), weights, vectors, {}, (CLIENT,))


def unrolled_start(subject: Subject, trace: Unrolling) -> Unrolled:
    """Of an unknown state, that of a round on unknowns."""
    state = {name: rows[:1] for name, rows in trace.before.items()}
    vectors = _vectors(subject, state, exact=False)
    weights = (None, _equal(subject))
    return Unrolled((PAST, CLIENT), weights, {}, trace.variables, vectors, {}, (CLIENT,))


def _equal(subject: Subject) -> Array:
    count = int(subject.problem.clients)
    return numbers([fmpq(1, count)] * count, subject.exact)


def _vectors(subject: Subject, state: State, *, exact: bool) -> Computed:
    of_state = _WHOLE if MODEL in state else _BLOCKS
    every = {**_INSTANT, **of_state}
    return Computed(every, partial(_vector, every, subject.problem, state, exact))


def _vector(
    every: Mapping[str, _OfState], problem: Clients, state: State, exact: bool, name: str
) -> Array:
    """One of them, in which each state has what it has by itself.

    Raises
    ------
    FedboundsError
        If objectives are in floats where the run is exact, or mix states.
    """
    found = np.asarray(every[name](problem, state))
    if exact and (found.dtype.kind not in "Oiu" or any(isinstance(x, float) for x in found.flat)):
        raise FedboundsError(f"{name}: in floats; exact runs have rationals")
    rows = len(next(iter(state.values())))
    if name in _INSTANT or rows == 1 or not isinstance(found, np.ndarray):
        return found
    for order in ([rows - 1], [rows - 1, 0]):
        alone = {key: x[np.array(order)] for key, x in state.items()}
        if not same(np.asarray(every[name](problem, alone)), found[np.array(order)]):
            raise FedboundsError(
                f"{name}: a state has another one by itself than among others; "
                "objectives must not mix rows (the first axis)"
            )
    return found
