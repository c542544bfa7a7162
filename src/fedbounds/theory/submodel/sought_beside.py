"""Runs side by side, where runs settle, and ladders in p: where instances are searched."""

from functools import partial
from itertools import product
from typing import Any

from fedbounds.theory.language.beside import Beside
from fedbounds.theory.language.setups import Ladder, Objective, Run, Setup
from fedbounds.theory.language.sought import Counts, Seeking, Sought, Steps
from fedbounds.theory.language.symbols import K, L

from . import run_ladders, side_setups
from . import sought_shapes as shapes
from .names import CAPACITY_LADDERS, ROLLING, ROLLING_RANDOM, ROLLING_STATIC
from .side_setups import beside_random, beside_static

_STEPS = Steps(largest={"eta": 2 / (K * L)}, told=frozenset(("sigma^2",)))
_SIZES = ((1, 1), (2, 1), (2, 2))  # coordinates, and sub-models; of static masks as wide
_MORE_SIZES = (*_SIZES, (1, 2), (3, 2), (3, 3))


def _counts(
    rounds: tuple[int, ...], sizes: tuple[tuple[int, int], ...] = _MORE_SIZES
) -> tuple[Counts, ...]:
    every = (
        {"n": n, "d": d, "S_sub": S, "K": own, "T": T}
        for n, (d, S), own, T in product((1, 2), sizes, (1, 2), rounds)
    )
    return tuple(sorted(every, key=lambda x: x["n"] * x["d"] * x["K"] * x["T"]))


def _clients(seek: Seeking) -> tuple[dict[str, Any], Any]:
    """Data of a problem, and sub-models."""
    counts = seek.counts()
    n, d = counts["n"], counts["d"]
    own, one = shapes.with_minimisers(seek, n, d)
    noise = seek.size("1/100", 100) if seek.choice((False, True)) else 0
    masks = shapes.sub_models(seek, n, d, counts["S_sub"], one=one, covering=True)
    return {"hessians": own.hessians, "slopes": own.slopes, "noise": noise}, masks


def _beside(static: bool, seek: Seeking) -> Beside:
    counts = seek.counts()
    data, masks = _clients(seek)
    start = shapes.point(seek, counts["d"])
    eta = seek.steps(Objective("quadratics", tuple(data.items())), start)["eta"]
    cohort = side_setups.Cohort(data["hessians"], data["slopes"], start, masks, 1, data["noise"])
    orders = seek.choice((1, counts["n"]))
    make = beside_static if static else beside_random
    return make(cohort, orders, counts["K"], eta, counts["T"])


def _settling(seek: Seeking) -> Setup:
    """Rolling masks as epochs go on."""
    counts = seek.counts()
    data, masks = _clients(seek)
    start, problem = shapes.point(seek, counts["d"]), Objective("quadratics", tuple(data.items()))
    eta = seek.steps(problem, start)["eta"]
    taken = {"sub_models": masks, "orders": seek.choice((1, counts["n"])), "K": counts["K"]}
    run = Run(problem, start, (*taken.items(), ("eta", eta)), counts["T"])
    return Setup("submodel", "as epochs go on", run)


def _over_p(seek: Seeking) -> Ladder:
    """Two p of all clients, and full masks; eta K L = 1/10."""
    counts = seek.counts()
    n, d = counts["n"], counts["d"]
    own, _ = shapes.with_minimisers(seek, n, d)
    noise = seek.size("1/100", 100) if seek.choice((False, True)) else 0
    top = shapes.most_curvature(own.hessians)
    cohort = run_ladders.Cohort(
        own.hessians, own.slopes, shapes.point(seek, d), str(noise), L=str(top)
    )
    shares = seek.choice((("1/4", 1), ("1/2", 1), ("1/4", "1/2", 1)))
    return run_ladders.over_capacity(cohort, shares, counts["K"], counts["T"])


SOUGHT = (
    Sought(ROLLING_RANDOM[0], _counts((1, 2, 4)), _STEPS, partial(_beside, False)),
    Sought(ROLLING_STATIC[0], _counts((1, 2, 4), _SIZES), _STEPS, partial(_beside, True)),
    Sought(ROLLING, _counts((1,)), _STEPS, _settling, view="as epochs go on"),
    Sought(CAPACITY_LADDERS[0], _counts((1, 4, 20), _SIZES), Steps(), _over_p),
)
