"""Small runs of FedPLT that judge its claims: few clients, coordinates and local steps.

The eigenvalues of every Hessian are rational, so that L and mu are exact. Every run is looked at
in all ways that its view has: with each of the alignments, and each of the bounds on gradients.
"""

from collections.abc import Mapping
from typing import Any

from fedbounds.theory.language.setups import Number, Objective, Planned, Run, Setup

from .long_runs import PLANNED as LONG
from .views import VIEWS

Ways = tuple[tuple[str, dict[str, Any]], ...]

_ONE, _TWO = ((1,),), ((2,),)
_UNIT, _STEEP = ((1, 0), (0, 1)), ((1, 0), (0, 3))
_COUPLED, _OTHER = ((2, 1), (1, 2)), ((2, -1), (-1, 2))
_CUBE = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
_FULL, _SPLIT, _NESTED = ((1, 1), (1, 1)), ((1, 0), (0, 1)), ((1, 0), (1, 1))
_BOTH = ((1,), (1,))
_ALIGNED, _REPAIRED = {"rho_min": "aligned"}, {"rho_min": "compensated"}
_GLOBAL, _LOCAL = {"G^2": "global"}, {"G^2": "local"}

WAYS: Mapping[str, Ways] = {
    "one step": (
        ("one step", _ALIGNED | _GLOBAL),
        ("one step", _REPAIRED | _GLOBAL),
        ("one step of each client", _GLOBAL),
        ("one step of one client", _ALIGNED | _GLOBAL | {"k": 0}),
    ),
    "local steps": (
        ("local steps", _ALIGNED | _GLOBAL),
        ("local steps", _REPAIRED | _GLOBAL),
        ("local steps", _REPAIRED | _LOCAL),
        ("local steps", _ALIGNED | _LOCAL),
        ("local steps of each client", _GLOBAL),
    ),
    "rounds": (
        ("rounds", _ALIGNED | _GLOBAL),
        ("rounds", _REPAIRED | _LOCAL),
        ("rounds", _ALIGNED | _LOCAL),
        ("rounds of each client", _GLOBAL),
        ("rounds of each client", _LOCAL),
    ),
}
# psi_i is any real number where nobody trains i
_FREE_PSI: tuple[Number, ...] = (4, "1/2", -1)


def planned(name: str, view: str, run: Run, *, quick: bool) -> tuple[Planned, ...]:
    """A run in all ways that its view has."""
    ways = WAYS[view]
    if _idle(run):
        free = ({**_ALIGNED, **_GLOBAL, "psi_free": value} for value in _FREE_PSI)
        ways = (*ways, *((f"{view}, free psi", chosen) for chosen in free))
    return tuple(_one(name, seen, run, chosen, quick=quick) for seen, chosen in ways)


def _idle(run: Run) -> bool:
    """Whether nobody trains some coordinate."""
    return not all(map(any, zip(*run.parameter("masks"), strict=True)))


def _one(name: str, view: str, run: Run, chosen: Mapping[str, Any], *, quick: bool) -> Planned:
    said = ", ".join(f"{key} {value}" for key, value in chosen.items() if key != "k")
    told = f"{name}: {VIEWS[view].told}" + (f" ({said})" if said else "")
    return Planned(told, Setup("fedplt", view, run, tuple(chosen.items())), quick)


def run_of(
    hessians: Any,
    slopes: Any,
    masks: Any,
    start: Any,
    rounds: int = 1,
    *,
    tau: int = 1,
    noise: Any = 0,
    weights: Any = (1, 1),
    **more: Any,
) -> Run:
    """A run from numbers; ``more`` are the step size and what else the algorithm asks for."""
    problem = Objective(
        "quadratics", (("hessians", hessians), ("slopes", slopes), ("noise", noise))
    )
    parameters = {"masks": masks, "weights": weights, "tau": tau, **more}
    return Run(problem, start, tuple(parameters.items()), rounds)


def free_step(
    hessians: Any, slopes: Any, masks: Any, start: Any, models: Any, *, common: int = 0, **more: Any
) -> Run:
    """One step from models that are given; ``common``: one noise for all clients."""
    return run_of(hessians, slopes, masks, start, models=models, common=common, **more)


def ascent(rounds: int, **more: Any) -> Run:
    """Every masked gradient points away from W*, and psi turns their sum towards it, or along.

    Coordinate 1 is trained by client 1 only, who moves it the wrong way; W* = 0.
    """
    return run_of((_UNIT, _UNIT), ((-2, 1), (1, "-1/2")), ((1, 1), (0, 1)), (1, 1), rounds,
                  weights=(1, 2), eta="1/256", **more)  # fmt: skip


def idle(**more: Any) -> Run:
    """The same with a third coordinate, near W*, that nobody trains."""
    return run_of((_CUBE, _CUBE), ((-2, 1, 0), (1, "-1/2", 0)), ((1, 1, 0), (0, 1, 0)),
                  (1, 1, "1/8"), weights=(1, 2), eta="1/256", **more)  # fmt: skip


def apart(tau: int, rounds: int) -> Run:
    """Three clients, each training the one coordinate along which its gradient points."""
    return run_of((_CUBE, _CUBE, _CUBE), ((8, 0, 0), (0, 8, 0), (0, 0, 8)), _CUBE, (0, 0, 0),
                  rounds, weights=(1, 1, 1), eta="1/64", tau=tau)  # fmt: skip


def angles(slopes: Any, start: Any, y: Any) -> Run:
    """grad F_1 = g at W_1 = W* + y, of which client 1 trains the first coordinate; W* = 0.

    Lengths are rational for Pythagorean y and g, and W is 1/20 from W_1.
    """
    return free_step((_UNIT, _UNIT), slopes, ((1, 0), (1, 1)), start, (y, start), eta="1/16")


_APART = ((1, -1), (-1, 2))
_OWN = ((4, 2), (3, 3))
_WEIGHTED = {"weights": (1, 3), "noise": "1/4", "eta": "1/64"}


def _nested(**more: Any) -> Run:
    given: dict[str, Any] = {**_WEIGHTED, "start": ("13/4", "11/4"), "models": _OWN, **more}
    return free_step((_COUPLED, _STEEP), _APART, _NESTED, **given)


# W is the mean of the W_k, as Step 4.3 recalls; but in the last, where models are anywhere
_STEPS = {
    "two clients uphill": ascent(1, models=((1, 1), (1, 1)), common=0),
    "unequal weights": _nested(),
    "one noise for all": free_step(
        (_ONE, _ONE), ((1,), (-1,)), _BOTH, (2,), ((3,), (1,)), eta="1/4", noise=1, common=1
    ),
    "conditions at equality": free_step(
        (_ONE, _ONE), ((1,), (-1,)), _BOTH, (2,), ((3,), (1,)), eta="1/2"
    ),
    "F_1* above F*, at its minimiser": free_step(
        (_ONE, _ONE), ((0,), (4,)), _BOTH, (0,), ((0,), (0,)), eta="1/8"
    ),
    # rho_k is not the least where F_k(W_k) is far below F_k(W*)
    "far below the value at W*": free_step(
        (_OTHER, _COUPLED), ((3, 3), (2, -2)), _NESTED, ("-21/8", "25/8"),
        (("-5/2", 4), (-3, "1/2")), eta="1/64", weights=(3, 1),
    ),
    "one client": free_step((_TWO,), ((3,),), ((1,),), (2,), ((2,),), eta="1/4", noise=1,
                            weights=(1,)),
    "one noise for all, masks": _nested(common=1),
    "disjoint masks": free_step(
        (_CUBE, _CUBE, _CUBE), ((1, 2, -1), (0, -3, 1), (-2, 1, 0)), _CUBE, (2, "3/4", "-7/4"),
        ((1, 2, 3), (3, 1, -2), (2, 0, -4)), eta="1/32", weights=(1, 1, 2),
    ),
    "a coordinate of nobody": free_step(
        (_UNIT, _STEEP), ((1, 2), (-1, 0)), ((1, 0), (1, 0)), (2, 3), ((1, 2), (3, 4)),
        eta="1/8", noise="1/4",
    ),
    "a common minimiser": free_step(
        (_COUPLED, _OTHER), ((0, 0), (0, 0)), _SPLIT, (2, 3), ((1, 2), (3, 4)), eta="1/16"
    ),
    "models anywhere": _nested(start=(-3, 5), models=((2, 2), (4, 3)), weights=(1, 1)),
}  # fmt: skip

_LOCAL_STEPS = {
    "two clients uphill": ascent(2, tau=2),
    "every client its own coordinate": apart(4, 4),
    "full masks": run_of(
        (_COUPLED, _STEEP), ((1, -1), (-2, 1)), _FULL, (3, 2), 4, eta="1/16", tau=2
    ),
    "nested masks": run_of(
        (_UNIT, _COUPLED), ((1, -1), (-1, 1)), _NESTED, (6, 5), 2, eta="1/64", tau=2,
        weights=(1, 3), noise="1/4",
    ),
    "one local step": run_of((_ONE, _TWO), ((1,), (-1,)), _BOTH, (4,), 3, eta="1/8", noise=1),
    "nested masks, second round": run_of(
        (_UNIT, _COUPLED), ((1, -1), (-1, 1)), _NESTED, (6, 5), 5, eta="1/64", tau=2
    ),
    "one coordinate": run_of(
        (_ONE, _TWO), ((4,), (-3,)), _BOTH, (9,), 4, eta="1/32", tau=3, noise=1
    ),
    "two coordinates, two clients": run_of(
        (_UNIT, _STEEP), ((3, 1), (-2, 2)), _SPLIT, (8, -6), 6, eta="1/64", tau=3
    ),
    "one client": run_of(
        (_STEEP,), ((1, 2),), ((1, 0),), (2, 3), 3, eta="1/8", tau=2, weights=(1,)
    ),
}  # fmt: skip

_ROUNDS = {
    "two clients uphill": ascent(1),
    "two clients uphill, two local steps": ascent(3, tau=2),
    "conditions at equality": run_of((_ONE, _ONE), ((1,), (-1,)), _BOTH, (2,), 3, eta="1/2"),
    "nested masks": run_of(
        (_COUPLED, _STEEP), _APART, _NESTED, (4, 3), eta="1/256", tau=2, weights=(1, 3),
        noise="1/4",
    ),
    "two clients uphill, noise": ascent(2, noise="1/64"),
    "opposite gradients": run_of((_ONE, _ONE), ((5,), (-5,)), _BOTH, (1,), 3, eta="1/8", tau=2),
    "noise, four rounds": run_of((_ONE, _TWO), ((1,), (-1,)), _BOTH, (4,), 4, eta="1/8", noise=1),
    "one client": run_of(
        (_TWO,), ((3,),), ((1,),), (2,), 2, eta="1/8", tau=3, noise=1, weights=(1,)
    ),
    "one client, two local steps": run_of(
        (_TWO,), ((3,),), ((1,),), (2,), eta="1/8", tau=2, noise=1, weights=(1,)
    ),
    "one client, half of its coordinates": run_of(
        (_STEEP,), ((1, 2),), ((1, 0),), (2, 3), 3, eta="1/8", tau=2, weights=(1,)
    ),
    "every client its own coordinate": apart(2, 3),
    "a common minimiser": run_of(
        (_COUPLED, _OTHER), ((0, 0), (0, 0)), _FULL, (2, 3), 3, eta="1/16", tau=3
    ),
    "a coordinate of nobody": run_of(
        (_UNIT, _STEEP), ((1, 2), (-1, 0)), ((1, 0), (1, 0)), (1, 2), 2, eta="1/8", noise="1/4"
    ),
    "full masks, unequal weights": run_of(
        (_UNIT, _STEEP), ((3, 1), (-2, 2)), _FULL, (8, -6), 4, eta="1/32", tau=3, weights=(2, 5)
    ),
}  # fmt: skip
_IN_QUICK = 6  # of each

# masked gradients are aligned all the way, and W moves away from W* = 0
AWAY = run_of(
    (_UNIT, _UNIT), ((-8, -2), ("16/3", "4/3")), ((1, 1), (0, 1)), (2, 3), 132, eta="1/1024",
    weights=(2, 3),
)  # fmt: skip

# ---- rho_min and alpha_k that are chosen: where Step 4.4 asks nothing of rho_min

_CHOSEN = (("2", "-1"), ("1", "3"))
# psi = (1, 2), L = 3: 2 eta psi_max^2 L = 1, so that conditions (ii) and (iii) meet at 1 and 2
_AT_EQUALITY = free_step(
    (_COUPLED, _STEEP), _APART, _NESTED, ("3/2", 1), _CHOSEN, eta="1/24"
)  # fmt: skip
_LONGEST = free_step((_COUPLED, _STEEP), _APART, _FULL, ("3/2", 1), _CHOSEN, eta="1/3")
# mu = 1 and psi = 1: as long as the first of the decaying steps may be
_FIRST = free_step((_ONE, _TWO), ((1,), (-1,)), _BOTH, (2,), ((3,), (1,)), eta=2)
_NOBODY = free_step(
    (_UNIT, _UNIT), ((1, 0), (-1, 0)), ((1, 0), (1, 0)), (1, 0), ((1, 0), (1, 0)), eta="1/2"
)
_AT_REST = ((1, 1, "1/8"), (1, 1, "1/8"))
# client 1 trains what its gradient has least of: alpha_1 = 1/2 is enough
_UNEVEN = {
    "unequal": ("1/2", 1),
    "all 1": (1, 1),
}


def _attenuated(alpha: Any) -> Run:
    return free_step((_UNIT, _UNIT), ((0, -4), (0, 4)), _NESTED, (1, 0), ((1, 0), (1, 0)),
                     eta="1/64", attenuation=alpha)  # fmt: skip


_SPECIAL = (
    *(
        _one(f"any rho_min, {name}", "one step", run, {"rho_min": rho_min} | _GLOBAL, quick=True)
        for name, run, rho_min in (
            ("condition (ii) at equality", _AT_EQUALITY, 1),
            ("condition (iii) at equality", _AT_EQUALITY, 2),
            # gamma_k = 1/16 has a rational root
            ("between (ii) and (iii)", _AT_EQUALITY, "7/4"),
            ("eta = 1/L", _LONGEST, 2),
            ("eta = 1/z", _FIRST, "1/2"),
        )
    ),
    _one("two clients uphill, an idle coordinate", "one step, free psi",
         idle(models=_AT_REST, common=0), _ALIGNED | _GLOBAL | {"psi_free": 4}, quick=True),
    _one("two clients uphill, an idle coordinate", "rounds, free psi", idle(),
         _ALIGNED | _GLOBAL | {"psi_free": 4}, quick=True),
    _one("any rho_min", "one step, free psi", _NOBODY, {"rho_min": 2, "psi_free": -1} | _GLOBAL,
         quick=True),
    *(
        _one(f"alpha {name}", "one step, chosen attenuations", _attenuated(alpha),
             {"rho_min": 1}, quick=True)
        for name, alpha in _UNEVEN.items()
    ),
)  # fmt: skip

# angles above 90 degrees first: the two readings name the same numbers
_ANGLES = {
    "above 90 degrees, better masked": angles(
        ((8, 16), (-8, -16)), ("-297/100", "-99/25"), (-3, -4)
    ),
    "above 90 degrees, worse masked": angles(
        ((16, -2), (-16, 2)), ("-397/100", "-74/25"), (-4, -3)
    ),
    "below 90 degrees, better masked": angles(((2, 8), (-2, -8)), ("303/100", "101/25"), (3, 4)),
    "below 90 degrees, worse masked": angles(((8, -8), (-8, 8)), ("403/100", "76/25"), (4, 3)),
    "outside of a mask": angles(((-3, 1), (3, -1)), ("303/100", "101/25"), (3, 4)),
}

NOTHING = Objective("quadratics", (("hessians", (((0,),),)), ("slopes", ((0,),)), ("noise", 0)))

# ---- recursions with equality, and runs that satisfy one; C at the edges of its conditions


def sequence(start: Any, B: Any, steps: str, C: Any, z: Any = "1/2") -> Setup:
    """D^{t+1} = (1 - z eta^t) D^t + (eta^t)^2 B."""
    parameters = (("z", z), ("B_step", B), ("steps", tuple(steps.split())))
    run = Run(NOTHING, (start,), parameters, len(steps.split()))
    return Setup("fedplt", "recursion", run, (("C_rate", C),))


_DECAYING = "2 1 2/3 1/2 2/5 1/3 2/7 1/4 2/9 1/5 2/11 1/6"  # 1/(z(t+1)), z = 1/2
_LONGER = "2 4/3 1 4/5 2/3 4/7 1/2 4/9 2/5 4/11 1/3 4/13"  # 2/(z(t+2))
_SEQUENCES = {
    "eta = 1/(2z)": sequence(4, 3, "1 1 1 1 1 1", "base"),
    "eta near 1/z": sequence(4, 3, "255/128 255/128 255/128 255/128", "base"),
    "small eta": sequence(40, 3, "1/32 1/32 1/32 1/32 1/32 1/32 1/32 1/32", "base"),
    "B = 0": sequence(4, 0, "1/2 1/2 1/2 1/2", 4),
    "D^0 = 0": sequence(0, 3, "1/2 1/2 1/2 1/2", "base"),
    "one round": sequence(4, 3, "1/2", "base"),
    "steps 1/(z(t+1)), start near, C = D^0 + B/z^2": sequence(6, 3, "2 1 2/3", "base"),
    "steps 1/(z(t+1)), start at W*": sequence(0, 3, "2 1 2/3", "base"),
    "steps 1/(z(t+1)), start far, C = D^0 + B/z^2": sequence(24, 3, _DECAYING, "base"),
    "steps 1/(z(t+1)), start far, C = B/z^2": sequence(24, 3, _DECAYING, "any"),
    "steps 1/(z(t+1)), start near, C = B/z^2": sequence(6, 3, "2 1 2/3", "any"),
    "steps 1/(z(t+1)), start far, C large": sequence(24, 3, _DECAYING, 240),
    "steps 1/(z(t+1)), one round": sequence(24, 3, "2", "base"),
    "longer steps, start near, C least": sequence(12, 3, _LONGER, "longer"),
    "longer steps, start near, C larger": sequence(12, 3, _LONGER, 120),
    "longer steps, start far, C least": sequence(96, 3, _LONGER, "longer"),
    "longer steps, start far, C larger": sequence(96, 3, _LONGER, 120),
    "longer steps, start at W*, C least": sequence(0, 3, _LONGER, "longer"),
    "longer steps, start at W*, C larger": sequence(0, 3, _LONGER, 120),
}
_PACED = {
    "constant steps": ("1/4 1/4 1/4", "base"),
    "steps 1/(z(t+1))": ("1 1/2 1/3", "base"),
    "steps 1/(z(t+1)), least C": ("1 1/2 1/3", "any"),
    "steps 2/(z(t+2))": ("1 2/3 1/2", "longer"),
}


def _paced(steps: str, C: str) -> Setup:
    run = run_of((_ONE, _ONE), ((1,), (-1,)), _BOTH, (4,), 3, noise=1,
                 steps=tuple(steps.split()))  # fmt: skip
    chosen = (("z", 1), ("B_step", "least"), ("C_rate", C))
    return Setup("fedplt", "rounds, a step size each", run, chosen)


_BETWEEN = {
    f"{done} of {tau} local steps, {rounds} rounds": run_of(
        (_UNIT, _COUPLED), ((1, -1), (-1, 1)), _NESTED, (6, 5), rounds, eta="1/64", tau=tau,
        weights=(1, 3), noise=noise, j=done,
    )
    for done, tau, rounds, noise in ((1, 2, 1, "1/4"), (1, 2, 2, 0), (2, 3, 2, 0))
}  # fmt: skip
# the step of the analysis has noise of its own
_ANALYSED = run_of((_ONE, _TWO), ((1,), (-1,)), _BOTH, (4,), eta="1/8", tau=2, noise=1)

PLANNED: tuple[Planned, ...] = (
    _one("away from W*", "rounds", AWAY, _ALIGNED | _GLOBAL, quick=False),
    *(Planned(f"recursion, {name}", setup, True) for name, setup in _SEQUENCES.items()),
    *(Planned(f"FedPLT, {name}", _paced(*own), True) for name, own in _PACED.items()),
    *_SPECIAL,
    _one("noise, one round", "rounds, then the analysis's step", _ANALYSED, _ALIGNED | _GLOBAL,
         quick=True),
    *(_one(name, "between rounds", run, _LOCAL, quick=True) for name, run in _BETWEEN.items()),
    *(
        _one(f"angles {name}", "one step of one client", run, _ALIGNED | _GLOBAL | {"k": 0},
             quick=True)
        for name, run in _ANGLES.items()
    ),
    *LONG,
    *(
        one
        for view, runs in (("one step", _STEPS), ("local steps", _LOCAL_STEPS),
                           ("rounds", _ROUNDS))
        for at, (name, run) in enumerate(runs.items())
        for one in planned(name, view, run, quick=at < _IN_QUICK)
    ),
)  # fmt: skip
