"""A run in one view, analysed once: vectors, quantities, constants, and what its models show."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp

from fedbounds.errors import require
from fedbounds.problems.linear import is_exact
from fedbounds.theory.fedplt.vectors import MEANS

from ..outcomes import MOST_ROWS
from .kinds import samples
from .measured import a_round, constants, distance, one_step
from .outcomes import Enumerated, all_rounds, all_steps, free_outcomes
from .setups import Run, View
from .values import alignment, evaluate, with_vectors
from .views import dependent, of_client, with_virtual_step
from .visited import Visited, visited

Array = Any


@dataclass(frozen=True, eq=False)
class Analysis:
    """What a run shows in one view.

    Attributes
    ----------
    every : tuple of Enumerated
        One per round, or step.
    series : mapping from quantity name to array
        D_W at the end too, unless the vectors are free.
    constants : mapping from symbol name to rational
    visited : Visited
    """

    every: tuple[Enumerated, ...]
    series: Mapping[str, Array]
    constants: Mapping[str, Any]
    visited: Visited


@lru_cache(maxsize=4)  # the cases of one run follow each other
def analysed(run: Run, view: View) -> Analysis:
    """The analysis of a run.

    Raises
    ------
    FedboundsError
        If the run is not in exact rationals, or has too many outcomes.
    """
    require(is_exact(run.problem.hessian), "problem", "in floats", "exact rationals")
    plain = _enumerated(run, view)
    values = constants(run.problem, run.algorithm, plain[0])
    rows = [_quantities(run, view, found, values["mu"]) for found in plain]
    series = {
        name: _array([row[name] for row in rows])
        for name in rows[0]
        if all(name in row for row in rows)
    }
    if view is not View.FREE:
        series["D_W"] = np.append(series["D_W"], distance(plain[-1], "Wn"))
    every = tuple(_named(found, view) for found in plain)
    return Analysis(every, series, values, visited(run, plain))


def _quantities(run: Run, view: View, found: Enumerated, mu: Any) -> dict[str, Any]:
    """Of one round, or step; after a round the analysis takes a step, if that is small enough."""
    if view is not View.ROUNDS:
        return one_step(found, mu)
    past, xi, *_ = (len(weight) for weight in found.space.weights)
    single = replace(run.algorithm, local_steps=1)
    if past * xi * len(samples(run.problem, single)) > MOST_ROWS:
        return a_round(found)
    return a_round(with_virtual_step(run.problem, run.algorithm, found))


def _enumerated(run: Run, view: View) -> list[Enumerated]:
    problem, algorithm = run.problem, run.algorithm
    if view is View.FREE:
        found = free_outcomes(problem, algorithm, run.start.u, run.own)
        return [dependent(found) if run.dependent else found]
    if view is View.STEPS:
        return list(all_steps(problem, algorithm, run.start, run.count))
    return list(all_rounds(problem, [algorithm] * run.count, run.start))


def _named(found: Enumerated, view: View) -> Enumerated:
    """With the vectors that claims name; a vector `anyv` for "all v", and it masked."""
    named = with_vectors(found, MEANS)
    vectors = dict(named.space.vectors)
    vectors["anyv"] = vectors["Wk"] - vectors["Wstar"]
    vectors["mv"] = found.factors["mask"] * vectors["anyv"]
    ratio = alignment(found)[..., None, None]
    if view is not View.ROUNDS and (ratio == ratio).all():
        vectors["rg"] = ratio * vectors["g"]
    return replace(named, space=replace(named.space, vectors=vectors))


def products(analysis: Analysis, node: sp.Expr) -> Array:
    """sq(x) or ip(x, y) of each round, over the clients that are there."""
    return _array([evaluate(node, found, analysis.constants).value for found in analysis.every])


@lru_cache(maxsize=16)
def alone(analysis: Analysis, client: int) -> Analysis:
    """What one client shows."""
    return replace(analysis, every=tuple(of_client(found, client) for found in analysis.every))


def _array(values: list[Any]) -> Array:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found
