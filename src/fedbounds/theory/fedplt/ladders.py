"""How FedPLT's error depends on one parameter, and on time: what is shown beside the claims."""

from typing import Any

import sympy as sp

from fedbounds.theory.language.setups import Course, Family, Number, Run, Setup
from fedbounds.theory.language.symbols import eta, t, tau

from .distance import BRACKET, CONTRACTION
from .long_runs import (
    DECAYING,
    LONGER,
    PARTIAL,
    own_minimisers,
    partial_masks,
    rarely_trained,
    setup,
    shared_minimiser,
)
from .rounds import ADDED
from .symbols import B_step, nu_max, psi_max, rho_min, z

_RUNGS = range(7)
_STEPS = tuple(f"1/{2 ** (6 + at)}" for at in _RUNGS)
_COUNTS = tuple(2 ** (1 + at) for at in _RUNGS)  # of local steps; and 1/share of the clients
_STARTS = tuple(f"1/{2**at}" for at in _RUNGS)
_SLOW = "1/2048"
_NOISE = "full masks, shared minimiser, noise"
_ALONE = "full masks, own minimisers, full gradients"
_MASKED = "partial masks, own minimisers, full gradients"


def _floor(name: str, over: sp.Symbol, values: tuple[Number, ...], runs: list[Run]) -> Family:
    """Constant steps: the limit of D^t beside eta B/z."""
    return Family(
        name=name,
        over=over,
        values=values,
        setups=tuple(setup(run) for run in runs),
        quantity="D_W",
        bound=eta * B_step / z,
        power=eta * ADDED.subs(nu_max, BRACKET) / CONTRACTION,
        large=over in (tau, psi_max),
        told=("floor of D^t", "bound on it"),
    )


FLOORS = (
    _floor(_NOISE, eta, _STEPS, [shared_minimiser(60, noise="1/2", eta=x) for x in _STEPS]),
    _floor(f"{_ALONE}, tau = 4", eta, _STEPS, [own_minimisers(60, tau=4, eta=x) for x in _STEPS]),
    _floor(_MASKED, eta, _STEPS, [partial_masks(2 ** (5 + at), x) for at, x in enumerate(_STEPS)]),
    _floor(_NOISE, tau, _COUNTS,
           [shared_minimiser(60, noise="1/2", tau=x, eta=_SLOW) for x in _COUNTS]),
    _floor(_ALONE, tau, _COUNTS, [own_minimisers(60, tau=x, eta=_SLOW) for x in _COUNTS]),
    _floor(_MASKED, psi_max, _COUNTS, [rarely_trained(x, 0) for x in _COUNTS]),
    _floor("partial masks, shared minimiser, noise", psi_max, _COUNTS,
           [rarely_trained(x, "1/2") for x in _COUNTS]),
    # rho_min is what the runs show
    _floor(f"{_MASKED}: other starts", rho_min, (),
           [partial_masks(32, "1/256", x, "1/2") for x in _STARTS]),
)  # fmt: skip

# D^t z^2/B with equality in the recursion, whatever D^0 is: the first step forgets it
RECURSIONS = {
    DECAYING: sp.harmonic(t) / t,
    LONGER: 4 * (t + 1 - sp.harmonic(t + 1)) / (t * (t + 1)),
}
_LAST = 10_000
_RUNS: dict[str, dict[str, Any]] = {
    "full masks, own minimisers, noise": {"noise": "1/2"},
    "full masks, own minimisers, noise, tau = 5": {"noise": "1/2", "tau": 5},
    "full masks, own minimisers, full gradients, tau = 5": {"tau": 5},
    "partial masks, own minimisers, noise": {"noise": "1/2", "masks": PARTIAL},
}


def _course(name: str, steps: str, what: Setup | sp.Expr) -> Course:
    told = steps.replace("*", "")
    return Course(f"{name}, steps {told}", what, "D_W", "D^t", _LAST, power=-1)


RATES = tuple(
    course
    for steps, alone in RECURSIONS.items()
    for course in (
        _course("recursion with equality", steps, alone),
        *(
            _course(label, steps, setup(own_minimisers(_LAST, eta=steps, z=1, **more)))
            for label, more in _RUNS.items()
        ),
    )
)

SHOWN = {
    "fedplt/constant-step-floor": FLOORS,
    "fedplt/decaying-step": RATES,
    "fedplt/exact-convergence": RATES,
}
