"""What is seen of masked objectives of other losses, whose gradients are no polynomials in masks.

`slope_m` and `slope_n` are the gradients of F_p at w and y, `slope_2` that of F_p' at w: means over
the masks, taken before anything else.
"""

from dataclasses import replace

import sympy as sp

from fedbounds.theory.language.setups import Largest, Says, View, dot
from fedbounds.theory.proof.vectors import ip, sq, vectors

from . import assumed
from . import measured_points as points
from .vectors import at, masked, pr, pv
from .views_points import FREE, MIXED, ROLLING

slope_m, slope_n, slope_2 = vectors(
    {
        "slope_m": r"\nabla F_p(w)",
        "slope_n": r"\nabla F_p(y)",
        "slope_2": r"\nabla F_{p'}(w)",
    }
)
_QUANTITIES = {
    **points.QUANTITIES,
    **points.MISSED,
    **{"I_xy": ip(pr, pv), "Dl_pp": sq(masked - slope_2)},
}
# in balls it is not seen that sides are equal: what claims say with equality is not asked
_EQUALITIES = ("grad_0_F", "grad_0_Fp", "p_dist_2")
_UNDER_MASKS = ("g_m", "g_n", "g_2")
_ENDS = dict.fromkeys(("low", "high", "far", "top"), ())
_RADIUS = sp.Symbol("box", positive=True)


def _listed(view: View, told: str) -> View:
    """The same, with gradients of F_p in place of those under every mask."""
    own = dict.fromkeys(("slope_m", "slope_n", "slope_2"), ())
    left = {x: y for x, y in view.shown.vectors.items() if x not in _UNDER_MASKS}
    shown = replace(
        view.shown,
        vectors={**left, **own},
        derived={"pv": points.PAIR["pv"], "pr": slope_m - slope_n, "masked": slope_m},
        may=(*(x for x in view.shown.may if x not in _UNDER_MASKS), "slope_2"),
    )
    return replace(
        view,
        told=told,
        algorithm="points.LISTED",
        shown=shown,
        scopes=(),
        quantities=_QUANTITIES,
        constants={x: y for x, y in view.constants.items() if x not in _EQUALITIES},
    )


def _in_ball(view: View) -> View:
    """The same where the domain is a ball round 0."""
    kept = {x: y for x, y in view.assumptions.items() if x not in FREE}
    bounded = dict.fromkeys((assumed.BOUNDED_DOMAIN, assumed.BOUNDED_MASKED_GRADIENTS), ())
    return replace(
        view,
        told=f"{view.told} in a ball",
        shown=replace(view.shown, vectors={**view.shown.vectors, **_ENDS}),
        constants={**view.constants, **points.BOX},
        assumptions={**kept, **bounded},
        takes=(*view.takes, "box"),
        requires=(Says(Largest(dot(at, at)), "<=", _RADIUS**2),),
    )


_RANDOM_MASKS = replace(
    MIXED,
    constants={**points.SHARES, **points.MINIMISERS},
    assumptions={**points.OF_MASKS, assumed.BERNOULLI: (), **FREE},
    takes=("points", "keep"),
    may_take=("keep_2",),
)
RANDOM = _listed(_RANDOM_MASKS, "random masks on other losses, at points")
BY_TURNS = _listed(ROLLING, "rolling masks on other losses, at points")

VIEWS = {
    "other losses, random masks": RANDOM,
    "other losses, random masks in a ball": _in_ball(RANDOM),
    "other losses, rolling masks": BY_TURNS,
    "other losses, rolling masks in a ball": _in_ball(BY_TURNS),
}
