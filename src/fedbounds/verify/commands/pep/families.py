"""The worst that quadratics with scalar blocks reach at fixed parameters: exact, from below.

A point of the box [-1, 1]^d gives curvatures, slopes and a start; their sizes are those that the
constants just admit. What is searched and reported are instances in rationals, measured exactly.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.problems import FederatedQuadratic, Start
from fedbounds.problems.linear import rational
from fedbounds.theory.language.setups import Objective, Run, Setup
from fedbounds.vocabulary import Method

from ...decide.case import Case
from ...decide.measurement import measure
from ...measure.evaluate import Numbers
from ...setups.found import Named
from ...setups.inside import rounded
from .parameters import Question, left_side

Array = Any
BUDGET = 500  # evaluations of the search
_BITS = (2, 4, 8, 16)  # kept of every number; the coarsest nearly as bad is reported
_FULL_BITS = 24
_NEARLY = 1 - 1e-6
_SCALE_BITS = 30
_OWN = 5  # coordinates of a client: curvatures a, d, coupling, slope, start in v


@dataclass(frozen=True, eq=False)
class Reached:
    """The worst instance found.

    Attributes
    ----------
    left : fmpq
        The claim's left side there, exactly.
    instance : Case
        In rationals.
    evaluations : int
    """

    left: fmpq
    instance: Case
    evaluations: int


def reached(asked: Question, seed: int = 0, budget: int = BUDGET) -> Reached | None:
    """The worst instance of a counted search; None if no instance was admitted."""
    rng = np.random.default_rng(seed)
    dimension = 1 + _OWN * asked.setting.clients
    best, width = (-np.inf, np.zeros(dimension)), 0.5
    for count in range(budget):
        if count < budget // 4 or not np.isfinite(best[0]):
            point = rng.uniform(-1.0, 1.0, dimension)
            edges = rng.uniform(size=dimension) < 1 / 2
            point[edges] = rng.choice([-1.0, 0.0, 1.0], int(edges.sum()))
        else:
            point = best[1].copy()
            moved = rng.choice(dimension, size=int(rng.integers(1, 4)), replace=False)
            point[moved] += width * rng.standard_normal(len(moved))
            point = np.clip(point, -1.0, 1.0)
        left = _left_at(asked, point)
        if left >= best[0]:
            best, width = (left, point), min(1.0, 1.5 * width)
        else:
            width = max(1e-3, 0.9 * width)
    return _exactly(asked, best[1], budget)


def _left_at(asked: Question, point: Array) -> float:
    """The left side; minus infinity where no instance is admitted."""
    exact = instance_at(asked, point, _FULL_BITS)
    return -np.inf if exact is None else float(left_of(asked, exact))


def _exactly(asked: Question, point: Array, evaluations: int) -> Reached | None:
    found = []
    for bits in _BITS:
        instance = instance_at(asked, point, bits)
        if instance is not None:
            found.append(Reached(left_of(asked, instance), instance, evaluations))
    if not found:
        return None
    worst = max(float(one.left) for one in found)
    return next(one for one in found if float(one.left) >= _NEARLY * worst)


def left_of(asked: Question, instance: Case) -> fmpq:
    """The claim's left side on a rational instance, exactly."""
    named = replace(instance, setup=Named(instance.setup, asked.part.quantities))
    series = measure(named).numbers.series
    exact = Numbers(asked.numbers, series, lambda p, q: fmpq(p, q))
    return rational(left_side(asked, exact))


def instance_at(asked: Question, point: Array, bits: int) -> Case | None:
    """The rational instance of a point, inside the constants; None if there is none.

    Where b^2 bounds the slopes, they and the start have sizes of their own; else one size.
    """
    setting, limits = asked.setting, asked.setting.constants
    problem, start = _unscaled(asked, point, bits)
    if problem.minimiser is None:
        return None  # f is unbounded below
    own = _constants(problem, start)
    if setting.dissimilar:
        problem = _with_slopes(problem, _root_below(limits["b^2"], own["b^2"]))
        size = _root_below(limits.get("F_0", own["F_0"]), own["F_0"])
    else:
        named = [name for name in limits if name != "L" and own.get(name, 0) > 0]
        size = min((_root_below(limits[name], own[name]) for name in named), default=fmpq(1))
        problem = _with_slopes(problem, size)
    start = Start(u=start.u * size, v=start.v * size)
    own = _constants(problem, start)
    if any(own[name] > limit for name, limit in limits.items()):
        return None
    name = f"quadratic, scalar blocks, n={setting.clients}"
    setup = Setup(asked.claim.entry.paper, asked.view, _run(asked, problem, start))
    return Case(name, asked.part.algorithm or asked.claim.algorithms[0], setup, Method.RATIONAL)


def _constants(problem: FederatedQuadratic, start: Start) -> dict[str, fmpq]:
    return {name.value: rational(c.value) for name, c in problem.constants(start).items()}


def _with_slopes(problem: FederatedQuadratic, factor: fmpq) -> FederatedQuadratic:
    return FederatedQuadratic(problem.hessian, problem.linear * factor, problem.shared_dimension)


def _run(asked: Question, problem: FederatedQuadratic, start: Start) -> Run:
    """The same as data."""
    setting = asked.setting
    data = {"hessians": problem.hessian.tolist(), "slopes": problem.linear.tolist(), "noise": 0}
    data |= {"personal": problem.personal_dimension, "personal_noise": 0}
    begin = (*start.u.tolist(), *start.v.reshape(-1).tolist())
    objective = Objective("quadratics", tuple(data.items()))
    return Run(objective, begin, tuple(setting.parameters.items()), setting.rounds)


def _simple(array: Array, bits: int) -> Array:
    """Rationals of so many significant binary digits."""
    out = np.empty(array.shape, dtype=object)
    out.reshape(-1)[:] = [rational(rounded(x, bits)) for x in array.reshape(-1)]
    return out


def _unscaled(asked: Question, point: Array, bits: int) -> tuple[FederatedQuadratic, Start]:
    """Curvatures at most L, slopes without a mean: the origin is stationary."""
    setting = asked.setting
    n, smoothness = setting.clients, setting.constants["L"]
    own = point[1:].reshape(n, _OWN)
    a, d, coupling, slope, begin = (own[:, j] for j in range(_OWN))
    if setting.dissimilar and n > 1 and setting.shared:
        a, coupling = np.full(n, a[0]), np.zeros(n)  # else no finite b
    hessian = np.zeros((n, 2, 2))
    hessian[:, 0, 0], hessian[:, 1, 1] = a, d
    hessian[:, 0, 1] = hessian[:, 1, 0] = coupling
    slopes = _simple(np.stack([slope, np.zeros(n)], axis=1), bits)
    slopes[:, 0] = slopes[:, 0] - slopes[:, 0].sum() / n
    kept = [j for j, present in enumerate((setting.shared, setting.personal)) if present]
    problem = FederatedQuadratic(
        _simple(hessian, bits)[np.ix_(range(n), kept, kept)] * smoothness,
        slopes[:, kept],
        int(setting.shared),
    )
    start = Start(
        u=_simple(point[:1], bits)[: int(setting.shared)],
        v=_simple(begin[:, None], bits)[:, : int(setting.personal)],
    )
    return problem, start


def _root_below(limit: fmpq, own: fmpq) -> fmpq:
    """A rational whose square is at most limit / own: the root, where rational; 1 for own = 0."""
    if own == 0:
        return fmpq(1)
    ratio = limit / own
    if ratio == 0:
        return fmpq(0)
    root = fmpq(ratio.p.isqrt(), ratio.q.isqrt())
    if root**2 == ratio:
        return root
    near = (int(ratio.p) / int(ratio.q)) ** 0.5 * (1 - 1e-15)
    return rational(rounded(near, _SCALE_BITS, -1))
