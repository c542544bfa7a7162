"""Instances on which steps of the sub-model proofs are evaluated, and how their vectors are kept.

Numbers come from what judges the claims, in rationals, and are rounded; vectors come from driving
the algorithms in floats under every outcome of every source.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb

from fedbounds.problems.spectrum import to_floats
from fedbounds.vocabulary import Assumption

from ..case import Found
from ..outcomes import Outcomes

Array = Any


@dataclass(frozen=True, eq=False)
class StepCase:
    """One round, epoch, point or pair, with all numbers.

    Attributes
    ----------
    name : str
    algorithm : str
        As claims name it.
    scopes : frozenset of str
        Whose vectors are there.
    outcomes : Outcomes
        Its series are the measured quantities.
    values : mapping from symbol name to number
    assumptions : frozenset of Assumption
        Those that hold.
    """

    name: str
    algorithm: str
    scopes: frozenset[str]
    outcomes: Outcomes
    values: Mapping[str, float]
    assumptions: frozenset[Assumption]


@dataclass(frozen=True, eq=False)
class Shown:
    """What was found of a set-up, in floats."""

    values: dict[str, float]
    series: dict[str, np.ndarray]
    assumptions: frozenset[Assumption]


def shown(found: Found) -> Shown:
    """Numbers and quantities rounded to floats, and the assumptions that hold."""
    values = {name: as_float(x) for name, x in found.parameters.items()}
    values |= {name.value: as_float(c.value) for name, c in found.constants.items()}
    series = {name: as_floats(np.asarray(array)) for name, array in found.series.items()}
    holding = frozenset(name for name, proof in found.evidence.items() if proof.holds)
    return Shown(values, series, holding)


def as_float(number: Any) -> float:
    """A rational, or the middle of a narrow ball, as a float."""
    if isinstance(number, arb):
        return float(number.mid())
    return float(to_floats(np.array([number], dtype=object))[0])


def as_floats(array: np.ndarray) -> np.ndarray:
    """The same entry by entry."""
    flat = [as_float(x) for x in array.reshape(-1)]
    return np.array(flat, dtype=np.float64).reshape(array.shape)


def space(
    sources: Sequence[str],
    weights: Sequence[np.ndarray],
    vectors: Mapping[str, np.ndarray],
    series: Mapping[str, np.ndarray],
    *,
    t: int = 0,
    terms: int = 1,
    least: float = 0.0,
    present: np.ndarray | None = None,
) -> Outcomes:
    """Vectors of these sources; axes on which nothing depends may have length one.

    Parameters
    ----------
    terms : int
        Of how many vectors a quantity is at most the squared sum, to which rounding is compared.
    least : float
        A size that rounding is compared to at least, where vectors are differences of larger ones.
    """
    most = max(float(abs(array).max()) for array in vectors.values())
    return Outcomes(
        sources=tuple(sources),
        weights=tuple(weights),
        vectors=vectors,
        present=np.ones((1,) * (len(sources) + 1)) if present is None else present,
        samples=np.zeros((1, 1, terms, 1)),
        t=t,
        client=None,
        step=None,
        series=dict(series),
        scale=max(most, least),
    )


def uniform(size: int) -> np.ndarray:
    """Equal probabilities."""
    return np.full(size, 1 / size)
