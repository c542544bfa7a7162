"""What a step shows, read as a theory says: indices get axes, derived vectors their meaning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
import sympy as sp

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.setups import dot

from .spaces import Computed, Listed, Unrolled, field, vector
from .subject import Subject

Array = Any
OneSpace = TypeVar("OneSpace", bound=Listed | Unrolled)


@dataclass(frozen=True, eq=False)
class Reading:
    """Arrays with rows, one axis per index of the theory, and coordinates.

    Attributes
    ----------
    vectors, factors : mapping from name to array
        The axis of an index that an array has not is of length one.
    weights : tuple of arrays
        Of the indices.
    """

    vectors: Mapping[str, Array]
    factors: Mapping[str, Array]
    weights: tuple[Array, ...]


def reading(subject: Subject, arrays: Mapping[str, Array]) -> Reading:
    """The arrays that a theory names.

    Raises
    ------
    FedboundsError
        If one is not there, or has not the axes that it is said to have.
    """
    shown = subject.shown
    lengths: dict[str, int] = {}
    vectors, factors = (
        {
            name: _shaped(name, arrays, indices, tuple(shown.indices), lengths)
            for name, indices in named.items()
            if name in arrays or name not in shown.may
        }
        for named in (shown.vectors, shown.factors)
    )
    weights = tuple(subject.weights(index, lengths.get(index, 1)) for index in shown.indices)
    return Reading(vectors, factors, weights)


def with_derived(subject: Subject, space: OneSpace) -> OneSpace:
    """With the vectors that stand for others, as far as these are there."""
    known = {name: x for name, x in subject.values.items() if not isinstance(x, tuple | list)}
    shown: Mapping[str, Array] = space.vectors
    meanings: Mapping[str, sp.Expr] = subject.shown.derived

    def there(name: str) -> bool:
        own = _names_in(meanings[name]) - known.keys() - set(subject.shown.sources)
        return all(x in shown or (x in meanings and there(x)) for x in own)

    def made(name: str) -> Array:
        if name in shown:
            return shown[name]
        meant = meanings[name]  # a vector, or a number of every outcome
        return np.asarray((field if meant.has(dot) else vector)(meant, whole, known))

    names = (*shown, *(name for name in meanings if name not in shown and there(name)))
    whole: OneSpace = replace(space, vectors=Computed(names, made))
    return whole


@lru_cache(maxsize=1024)  # of every round that is followed
def _names_in(meaning: sp.Expr) -> frozenset[str]:
    return frozenset(symbol.name for symbol in meaning.free_symbols)


def _shaped(
    name: str,
    arrays: Mapping[str, Array],
    own: Sequence[str],
    indices: tuple[str, ...],
    lengths: dict[str, int],
) -> Array:
    """One axis per index.

    Parameters
    ----------
    lengths : dict
        Of the indices; those that are new are entered.
    """
    if name not in arrays:
        raise FedboundsError(f"step shows no {name!r}; it shows: {', '.join(sorted(arrays))}")
    array = np.asarray(arrays[name])
    array = array[..., None] if array.ndim == 1 + len(own) else array  # a number for each
    if array.ndim != 2 + len(own):
        raise FedboundsError(
            f"{name!r} has shape {arrays[name].shape}; expected rows, "
            f"{', '.join((*own, 'coordinates'))}"
        )
    if [index for index in indices if index in own] != list(own):
        raise FedboundsError(
            f"indices of {name!r} are {', '.join(own)}; expected in the order of "
            f"{', '.join(indices)}"
        )
    inner = [1] * len(indices)
    for at, index in enumerate(own, 1):
        length = array.shape[at]
        if lengths.setdefault(index, length) != length:
            raise FedboundsError(
                f"{name!r} has {length} values of the index {index!r}; expected {lengths[index]}"
            )
        inner[indices.index(index)] = length
    return array.reshape(len(array), *inner, array.shape[-1])
