"""Points, pairs and minimisers of masked quadratics as the proofs speak of them.

The mask of client i is part of one draw for all clients, so that it is independent of i.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from fedbounds.problems import FederatedQuadratic, to_float
from fedbounds.problems.domain import project
from fedbounds.problems.masked import masked_gradient
from fedbounds.problems.masked_laws import Bernoulli, Law
from fedbounds.problems.spectrum import to_floats
from fedbounds.theory.submodel.names import OBJECTIVE
from fedbounds.theory.submodel.proofs.scopes import (
    MINIMISERS,
    PAIR,
    POINT,
    POINT_ROLLING,
    QUADRATIC,
    STEP,
)

from ..case import find
from .objectives_masks import kept
from .objectives_optima import full_law, minimisers
from .objectives_setups import Objective
from .step_driving import every_mask, masked_gradients
from .step_spaces import Shown, StepCase, as_floats, shown, space, uniform

Array = Any
DRAWN = ("xi", "i")
_ALONE = np.ones(1)


@dataclass(frozen=True, eq=False)
class Masks:
    """Every draw of masks, shape (M, n, d), with chances (M,)."""

    every: Array
    chance: Array

    @property
    def weights(self) -> tuple[Array, Array]:
        """Of the draw and of a uniform client."""
        return self.chance, uniform(self.every.shape[1])

    def gradients(self, problem: FederatedQuadratic, w: Array) -> Array:
        """grad f_i(m o w) before the mask, shape (M, n, d)."""
        own = (self.every * w).transpose(1, 0, 2)
        found = masked_gradients(problem, np.ones_like(own), own)
        return found.transpose(1, 0, 2)


def masks_of(law: Law, d: int) -> Masks:
    """Bernoulli masks in every combination; of rolling ones the same turn for all clients."""
    if isinstance(law, Bernoulli):
        masks, chance = every_mask(law.keep, d)
        return Masks(masks.transpose(1, 0, 2), chance)
    return Masks(np.array(law.masks, dtype=float).transpose(1, 0, 2), uniform(law.length))


def point_cases(name: str, setup: Objective) -> Iterator[StepCase]:
    """Cases of every point and pair of a set-up."""
    seen = shown(find(setup))
    points, problem = to_floats(setup.points), to_float(setup.problem)
    # of gradients, of which the vectors are differences
    size = float(abs(problem.hessian).sum(axis=2).max() * (1 + abs(points).max()))
    size += float(abs(problem.linear).max())
    for t, w in enumerate(points):
        pair = _pair(setup, w, points[(t + 1) % len(points)])
        for scopes, sources, weights, vectors in (
            ({PAIR, ""}, DRAWN, masks_of(setup.law, len(w)).weights, pair),
            *_at_point(setup, w),
            ({STEP}, ("past",), (_ALONE,), _step(setup, seen, w)),
            ({MINIMISERS}, ("i",), (uniform(setup.problem.clients),), _minimisers(setup)),
        ):
            yield StepCase(
                f"{name}, point {t}: {min(scopes)}", OBJECTIVE[0], frozenset(scopes),
                space(sources, weights, vectors, seen.series, t=t, terms=setup.problem.clients,
                      least=size),
                seen.values, seen.assumptions,
            )  # fmt: skip


def _pair(setup: Objective, x: Array, y: Array) -> dict[str, Array]:
    problem, d = to_float(setup.problem), len(x)
    masks = masks_of(setup.law, d)
    turn = masks.gradients(problem, x) - masks.gradients(problem, y)
    mean = masked_gradient(problem, setup.law, x) - masked_gradient(problem, setup.law, y)
    return _drawn(masks, x - y, turn, mean)


def _drawn(masks: Masks, v: Array, u: Array, r: Array) -> dict[str, Array]:
    """v, u and r with their masked parts."""
    m = masks.every
    return {
        "pv": v[None, None], "mpv": m * v, "cpv": (1 - m) * v, "pu": u, "mpu": m * u,
        "pr": r[None, None], "mpr": m * r,
    }  # fmt: skip


def _at_point(setup: Objective, w: Array) -> Iterator[tuple[Any, ...]]:
    """The scopes of a point, where all clients keep the same share."""
    shares = kept(setup.law)
    if shares is None or len(set(shares)) > 1:
        return
    problem, random = to_float(setup.problem), isinstance(setup.law, Bernoulli)
    masks, share = masks_of(setup.law, len(w)), float(to_floats(np.array(shares[:1]))[0])
    masked = masked_gradient(problem, setup.law, w)
    own = problem.hessian @ w + problem.linear
    full = own.mean(axis=0)
    u = masks.gradients(problem, w) - own
    vectors = _drawn(masks, w, u, masked - share * full)
    vectors |= {"masked": masked[None, None], "full": full[None, None]}
    yield {POINT if random else POINT_ROLLING}, DRAWN, masks.weights, vectors
    if random:
        slope, whole = -problem.linear.mean(axis=0), problem.hessian.mean(axis=0)
        found = {
            "quad": whole @ w, "diag": np.diag(whole) * w, "slope": slope,
            "masked": masked, "full": full,
        }  # fmt: skip
        yield {QUADRATIC}, ("past",), (_ALONE,), {name: x[None] for name, x in found.items()}


def _optima(setup: Objective) -> dict[str, Array]:
    found = minimisers(setup.problem, setup.law, setup.other, setup.domain)
    named = {"opt": found.masked, "opt_2": found.other, "opt_s": found.full}
    return {name: to_floats(w) for name, w in named.items() if w is not None}


def _minimisers(setup: Objective) -> dict[str, Array]:
    """Minimisers and gradients there, and the shares' distance where there is one."""
    problem, optima, n = to_float(setup.problem), _optima(setup), setup.problem.clients
    laws = {"gp": setup.law, "gq": setup.other, "gf": full_law(n)}
    ends = {"o": "opt", "2": "opt_2", "s": "opt_s"}
    found = {name: w[None] for name, w in optima.items()} | {"one": np.ones((1, 1))}
    for name, law in laws.items():
        for end, at in ends.items():
            if law is not None and at in optima:
                found[f"{name}_{end}"] = masked_gradient(problem, law, optima[at])[None]
    first = kept(setup.law)
    second = None if setup.other is None else kept(setup.other)
    if first is not None and second is not None:
        moves = [abs(a - b) for a, b in zip(first, second, strict=True)]
        found["p_diff"] = as_floats(np.array(moves, dtype=object))[:, None]
    return found


def _step(setup: Objective, seen: Shown, w: Array) -> dict[str, Array]:
    """A projected step of F_p from w."""
    problem = to_float(setup.problem)
    masked = masked_gradient(problem, setup.law, w)
    full = (problem.hessian @ w + problem.linear).mean(axis=0)
    found = {"at": w, "full": full, "masked": masked}
    found["hat"] = project(setup.domain, w - masked / seen.values["L"])
    found |= {name: x for name, x in _optima(setup).items() if name in ("opt", "opt_s")}
    return {name: x[None] for name, x in found.items()}
