"""Runs of FedPLT over up to ten thousand rounds.

Masks full or partial; minimisers of the clients shared or their own; with bounded noise or full
gradients; step sizes constant or decaying.
"""

from dataclasses import replace
from typing import Any

from fedbounds.theory.language.setups import Objective, Planned, Run, Setup

_FULL = ((1, 1), (1, 1))
# client 1 trains the first coordinate only
PARTIAL = ((1, 1), (1, 0))
_MOST, _MOST_QUICK = 10_000, 1_000  # rounds
BOUNDED = {"global": "the gradient of F", "local": "the gradient of every F_k"}
DECAYING, LONGER = "1/(z*(t+1))", "2/(z*(t+2))"
_DIAGONAL = (((1, 0), (0, 2)), ((2, 0), (0, 1)))
_SLOW = ((("1/64", 0), (0, 1)),) * 2


def run_of(
    hessians: Any,
    slopes: Any,
    start: Any,
    rounds: int,
    *,
    noise: Any = 0,
    masks: Any = _FULL,
    weights: Any = (1, 2),
    tau: int = 1,
    **step: Any,
) -> Run:
    problem = Objective(
        "quadratics", (("hessians", hessians), ("slopes", slopes), ("noise", noise))
    )
    parameters = {"masks": masks, "weights": weights, "tau": tau, **step}
    return Run(problem, start, tuple(parameters.items()), rounds)


def shared_minimiser(rounds: int, **more: Any) -> Run:
    """F_1 = F_2 up to curvature: W* minimises both."""
    return run_of(_DIAGONAL, ((0, 0), (0, 0)), (3, 1), rounds, **more)


def own_minimisers(rounds: int, **more: Any) -> Run:
    """F_1 and F_2 differ in curvature and minimiser, which are (1, -1) and (-1, 2)."""
    return run_of(_DIAGONAL, ((-1, 2), (2, -2)), (3, 2), rounds, **more)


def partial_masks(rounds: int, eta: Any, first: Any = 1, second: Any = 0) -> Run:
    """Coordinate 2 is trained by client 0 only, towards that client's own minimiser.

    Coordinate 1, of small curvature, keeps the masked gradients aligned for a while. Minimisers
    are (15, 1) and (-15, -1).
    """
    return run_of(_SLOW, (("-15/64", -1), ("15/64", 1)), (first, second), rounds, masks=PARTIAL,
                weights=(1, 1), eta=eta)  # fmt: skip


def rarely_trained(count: int, noise: Any) -> Run:
    """Coordinate 2 is trained by client 0 alone, whose share of the clients is 1/count.

    With noise both minimise at 0; else at (15, 1) and (-15/(count - 1), -1).
    """
    slopes = (("-15/64", -1), (f"15/{64 * (count - 1)}", 1))
    return run_of(_SLOW, ((0, 0), (0, 0)) if noise else slopes, (1, 0), 32, noise=noise,
                masks=PARTIAL, weights=(1, count - 1), eta="1/256")  # fmt: skip


def at_rest(rounds: int) -> Run:
    """Steps 1/(z(t+1)) from a model that every step size leads back to, and that is not W* = 0.

    Clients 1 and 2 train a coordinate each, client 0 both; all curvatures are 1. Minimisers are
    (3, -3), (-5, -2) and (2, 5).
    """
    masks, slopes = ((1, 1), (1, 0), (0, 1)), ((-3, 3), (5, 2), (-2, -5))
    return run_of((((1, 0), (0, 1)),) * 3, slopes, (-1, 1), rounds, masks=masks, weights=(1, 1, 1),
                eta=DECAYING, z="3/2")  # fmt: skip


def setup(run: Run, bounded: str = "global") -> Setup:
    """A run with the sharpest constants that are certified at all that it may visit."""
    steps = run.parameter("eta")
    chosen = {"rho_min": "aligned", "G^2": bounded, "C_rate": "base"}
    if run.parameter("z") is None:
        return Setup("fedplt", "many rounds", run, tuple(chosen.items()))
    chosen |= {"rho_min": "steps", "C_rate": "longer" if steps == LONGER else "base"}
    return Setup("fedplt", "many rounds, steps that decay", run, tuple(chosen.items()))


def planned(label: str, run: Run, bounded: str = "global", *, floats: bool = False) -> Planned:
    """A set-up with its name, in a quick plan too: with fewer rounds, if they are many."""
    z, eta = run.parameter("z"), run.parameter("eta")
    told = (
        f"{label}, tau={run.parameter('tau')} T={run.rounds}, step eta = {eta}"
        f"{'' if z is None else f' z={z}'}, G of {BOUNDED[bounded]}{'' if floats else ', rational'}"
    )
    shorter = run.rounds > _MOST_QUICK
    quick = not shorter or planned(label, replace(run, rounds=_MOST_QUICK), bounded, floats=floats)
    return Planned(told, setup(run, bounded), quick, floats)


_OWN, _SHARED = "full masks, own minimisers, noise", "full masks, shared minimiser, noise 1/2"
_PARTIAL_OWN = "partial masks, own minimisers"
_PARTIAL_SHARED = "partial masks, shared minimiser"
_EXACT = tuple(
    own_minimisers(60, noise="1/2", tau=tau, eta="1/16") for tau in (1, 2)
)  # one run, looked at with either bound
_STEPS = tuple(
    (noise, tau, eta, own_minimisers(_MOST, noise=noise, tau=tau, eta=eta))
    for eta in ("1/32", "1/512")
    for tau in (1, 5)
    for noise in (0, "1/2")
)
_SHORTER = (("1/64", 100), ("1/256", 300), ("1/1024", _MOST))

PLANNED: tuple[Planned, ...] = (
    planned("partial masks, at rest away from W*", at_rest(44)),
    *(planned(_OWN, run, bounded) for bounded in BOUNDED for run in _EXACT),
    *(
        planned(_OWN, own_minimisers(40, noise="1/2", eta=steps, z=1))
        for steps in (DECAYING, LONGER)
    ),
    planned(_PARTIAL_SHARED, shared_minimiser(40, eta="1/64", masks=PARTIAL)),
    planned(_PARTIAL_OWN, partial_masks(40, "1/64")),
    planned(_PARTIAL_OWN, partial_masks(8, "1/256", 1, "1/2")),
    *(
        planned(f"{_OWN} {noise}", run, bounded, floats=True)
        for noise, _, _, run in _STEPS
        for bounded in (BOUNDED if noise else ("global",))
    ),
    *(
        planned(_SHARED, shared_minimiser(_MOST, noise="1/2", tau=tau, eta=eta), floats=True)
        for noise, tau, eta, _ in _STEPS
        if noise
    ),
    *(
        planned(f"{_OWN} 1/2", own_minimisers(_MOST, noise="1/2", tau=tau, eta=steps, z=1),
                floats=True)
        for steps in (DECAYING, LONGER)
        for tau in (1, 5)
    ),
    *(
        planned(label, run, floats=True)
        for eta, rounds in _SHORTER
        for label, run in (
            (_PARTIAL_OWN, partial_masks(rounds, eta)),
            (_PARTIAL_SHARED, shared_minimiser(rounds, eta=eta, masks=PARTIAL)),
        )
    ),
)  # fmt: skip
