"""What masked objectives of clients that are not quadratic show, in floats with their rounding.

Minimisers are certified to a distance. Numbers at them are bounds that make a claim harder; those
on both sides of claims are shown only if their errors are below `_SURE` of themselves, well below
what decides a float gap.
"""

from typing import Any

import numpy as np

from fedbounds.problems import Evidence, Start
from fedbounds.problems.cohort import everyone
from fedbounds.problems.constrained import Minimum
from fedbounds.problems.domain import project
from fedbounds.problems.masked import masked_gradient
from fedbounds.problems.masked_laws import Bernoulli, Law
from fedbounds.problems.masked_minimiser import convex_minimiser
from fedbounds.problems.ridge_logistic import RidgeLogistic
from fedbounds.problems.sine import SineBowls
from fedbounds.vocabulary import Assumption, Constant, Quantity

from ..case import Found, find
from .objectives_found import IDENTITIES, mask_evidence, rounded
from .objectives_masks import kept, law_numbers
from .objectives_setups import Smooth, SmoothObjective

Array = Any
Measured = tuple[float, float]  # a number, and what its rounding may be
_EPSILON = float(np.finfo(float).eps)
_SURE = 1e-11
_KNOWN = (Constant.SMOOTHNESS, Constant.STRONG_CONVEXITY)


@find.register
def _find(setup: SmoothObjective) -> Found:
    problem, law, other = setup.problem, setup.law, setup.other
    n, d = problem.clients, problem.shared_dimension
    constants = problem.constants(Start(np.zeros(d), np.zeros((n, 0))))
    L = constants[Constant.SMOOTHNESS]
    numbers = {"n": float(n), "T": float(len(setup.points)), "dim": float(d)}
    masks = law_numbers(law, other)
    numbers |= {name: rounded(x) for name, x in masks.items() if name not in IDENTITIES}
    least: dict[str, Minimum] = {}
    if isinstance(problem, RidgeLogistic):
        least = _minimisers(problem, setup)
        if setup.domain is not None:
            numbers |= {
                "W_sup": float(setup.domain.radius),
                "D_dom": 2 * float(setup.domain.radius),
                "G": problem.gradient_bound(setup.domain.radius),
            }
        numbers |= _optimum_numbers(problem, setup, least)
    points = range(len(setup.points))
    rows = [_at_point(setup, t) | _distances(setup, least, t, L.value) for t in points]
    return Found(
        family=f"masked {type(problem).__name__}",
        parameters=numbers,
        series={q.value: np.array([row[q][0] for row in rows]) for q in rows[0]},
        constants={name: x for name, x in constants.items() if name in _KNOWN},
        evidence=_evidence(setup),
        errors={q.value: np.array([row[q][1] for row in rows]) for q in rows[0]},
    )


def _evidence(setup: SmoothObjective) -> dict[Assumption, Evidence]:
    problem, bounded = setup.problem, setup.domain is not None
    known = bounded and isinstance(problem, RidgeLogistic)
    form = "by the form of the clients"
    return {
        Assumption.SMOOTH: Evidence(True, form),
        Assumption.CONVEX: Evidence(not isinstance(problem, SineBowls), form),
        Assumption.STRONGLY_CONVEX: Evidence(isinstance(problem, RidgeLogistic), form),
        Assumption.QUADRATIC: Evidence(False, form),
        Assumption.UNCONSTRAINED: Evidence(not bounded, f"the domain is {setup.domain}"),
        Assumption.BOUNDED_DOMAIN: Evidence(bounded, f"the domain is {setup.domain}"),
        Assumption.BOUNDED_MASKED_GRADIENTS: Evidence(known or None, "certified on balls only"),
    } | mask_evidence((setup.law, setup.other))


# ---- points


def rounding(problem: Smooth, reach: float) -> float:
    """What rounding may do to a mean of masked gradients at points of norm at most ``reach``."""
    if isinstance(problem, RidgeLogistic):
        return 4.0 * problem.rounding(reach)
    d = problem.shared_dimension
    if isinstance(problem, SineBowls):
        size, terms = float(np.abs(problem.centres).sum(axis=1).max()), d
        steep = 8.0 * float(problem.weights.max())
    else:
        norm = float(np.linalg.norm(problem.matrix))
        size = float(np.abs(problem.targets).sum(axis=1).max()) / norm
        terms, steep = d + len(problem.matrix), (problem.curvature + problem.bend) * norm**2
    return 256.0 * (terms + problem.clients) * _EPSILON * steep * (reach + size)


def largest_gradient(problem: Smooth, w: Array) -> Any:
    """Largest ||grad f_i(m . w)||^2 over clients and all masks."""
    n, d = problem.clients, len(w)
    masks = (np.arange(2**d)[:, None] >> np.arange(d)) & 1
    rows = np.concatenate([masks * w] * n)
    slopes = problem.gradient(rows, everyone(n, len(masks)))
    return (slopes * slopes).sum(axis=1).max()


def _own_gradients(problem: Smooth, w: Array) -> Array:
    return problem.gradient(np.tile(w, (problem.clients, 1)), everyone(problem.clients, 1))


def _square(vector: Array, error: float) -> Measured:
    """||vector||^2 of a vector whose own error is at most ``error``."""
    size = float(np.linalg.norm(vector))
    return size * size, 2 * size * error + error * error + 16 * len(vector) * _EPSILON * size * size


def _at_point(setup: SmoothObjective, t: int) -> dict[Quantity, Measured]:
    problem, law = setup.problem, setup.law
    w, after = setup.points[t], setup.points[(t + 1) % len(setup.points)]
    error = rounding(problem, float(max(np.linalg.norm(w), np.linalg.norm(after))))
    slope, own = masked_gradient(problem, law, w), _own_gradients(problem, w)
    turn, move, full = slope - masked_gradient(problem, law, after), w - after, own.mean(axis=0)
    steepest = float(largest_gradient(problem, w))
    found = {
        Quantity.MASKED_SLOPE: (float(turn @ move), 4 * error * float(np.linalg.norm(move))),
        Quantity.PAIR_DISTANCE: _square(move, 0.0),
        Quantity.PAIR_GRADIENTS: _square(turn, 2 * error),
        Quantity.MASK_GAP: _square(slope - full, 2 * error),
        Quantity.POINT_NORM: _square(w, 0.0),
        Quantity.POINT_ABSOLUTE: (float(np.abs(w).sum()), 0.0),
        Quantity.GRADIENT_FULL: _square(full, error),
        Quantity.GRADIENT_MASKED: _square(slope, error),
        Quantity.MASKED_GRADIENT_MAX: (steepest, 4 * steepest**0.5 * error + 4 * error * error),
    }
    keep = kept(law)
    if keep is not None:
        missed = (1 - np.array([float(p) for p in keep])) * np.linalg.norm(own, axis=1)
        found[Quantity.MISSED_GRADIENTS] = (float(missed.mean()), 2 * error)
    if setup.other is not None:
        apart = slope - masked_gradient(problem, setup.other, w)
        found[Quantity.MASK_GAP_PAIR] = _square(apart, 2 * error)
    return found


def _distances(
    setup: SmoothObjective, least: dict[str, Minimum], t: int, L: float
) -> dict[Quantity, Measured]:
    if not least:
        return {}
    problem, w = setup.problem, setup.points[t]
    hat = project(setup.domain, w - masked_gradient(problem, setup.law, w) / L)
    full, own = least["full"], least["masked"]
    return {
        Quantity.DISTANCE_MASKED: _square(w - own.point, own.error),
        Quantity.DISTANCE_FULL: _square(w - full.point, full.error),
        Quantity.LOSS_HAT: _loss(problem, hat, full),
    }


# ---- minimisers


def _minimisers(problem: RidgeLogistic, setup: SmoothObjective) -> dict[str, Minimum]:
    laws = {"full": _full(problem.clients), "masked": setup.law, "other": setup.other}
    return {name: _minimiser(problem, law, setup) for name, law in laws.items() if law is not None}


def _full(clients: int) -> Bernoulli:
    """Full models."""
    return Bernoulli((1,) * clients)


def _minimiser(problem: RidgeLogistic, law: Law, setup: SmoothObjective) -> Minimum:
    """w*(p): every h_i^m has ridge/2 ||m . w||^2 of its own, whose mean is strongly convex."""
    held = rounded(law_numbers(law, None)["p_mean"])
    return convex_minimiser(
        problem,
        problem,
        law,
        setup.domain,
        smoothness=problem.smoothness,
        strong_convexity=problem.ridge * held,
    )


def _loss(problem: RidgeLogistic | Smooth, w: Array, least: Minimum) -> Measured:
    """F(w) - F(w*)."""
    n = problem.clients
    values = [
        float(problem.value(np.tile(x, (n, 1)), everyone(n, 1)).mean()) for x in (w, least.point)
    ]
    slope = _own_gradients(problem, least.point).mean(axis=0)
    steep = float(np.linalg.norm(slope)) + rounding(problem, float(np.linalg.norm(least.point)))
    return values[0] - values[1], 1e-13 * sum(map(abs, values)) + 2 * steep * least.error + 1e-14


def _optimum_numbers(
    problem: RidgeLogistic, setup: SmoothObjective, least: dict[str, Minimum]
) -> dict[str, float]:
    """Constants at minimisers: on the side that makes claims harder, or sure."""
    law, other, L = setup.law, setup.other, problem.smoothness
    everything = _full(problem.clients)
    own, full = least["masked"], least["full"]

    def gap(first: Law, second: Law, at: Minimum) -> Measured:
        w = at.point
        apart = masked_gradient(problem, first, w) - masked_gradient(problem, second, w)
        error = rounding(problem, float(np.linalg.norm(w)))
        return _square(apart, 2 * error + 2 * L * at.error)

    def between(a: Minimum, b: Minimum) -> Measured:
        return _square(a.point - b.point, a.error + b.error)

    found = {
        "full_dist": _above(between(own, full)),
        "opt_size": _above(_square(own.point, own.error)),
    }
    found |= {
        "gap_full_at_p": _below(gap(law, everything, own)),
        "gap_full_at_1": _below(gap(law, everything, full)),
    }
    if other is not None:
        second = least["other"]
        gaps = {"gap_at_1": gap(law, other, own), "gap_at_2": gap(law, other, second)}
        found["opt_dist"] = _above(between(own, second))
        if isinstance(law, Bernoulli):
            found |= {name: _below(x) for name, x in gaps.items()}
        else:  # both sides of Lemma 7
            found |= {name: x for name, (x, error) in gaps.items() if error <= _SURE * x}
    return found


def _above(number: Measured) -> float:
    """For what claims bound: at least the number."""
    return number[0] + number[1]


def _below(number: Measured) -> float:
    """For what claims bound others by: at most the number."""
    return max(0.0, number[0] - number[1])
