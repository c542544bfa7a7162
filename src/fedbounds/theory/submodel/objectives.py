"""Propositions 1 and 2: convexity and smoothness of masked objectives, at pairs of points."""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Part, Reading
from fedbounds.theory.language.symbols import L, mu, t

from . import assumed
from .names import OBJECTIVE
from .symbols import D_xy, G_xy, I_xy, c_max, c_min, p_mean, q_mean

SMOOTH = Fact.SMOOTH
_BOTH = (SMOOTH, Fact.STRONGLY_CONVEX)


def _convex(name: str, constant: sp.Expr, masks: tuple[str, ...]) -> Part:
    return Part(
        name=name,
        left=constant * mu * D_xy(t),
        right=I_xy(t),
        assumptions=(*_BOTH, *masks),
    )


def _smooth(name: str, constant: sp.Expr, masks: tuple[str, ...]) -> Part:
    # squares of both norms; without convexity too
    return Part(
        name=name,
        left=G_xy(t),
        right=(constant * L) ** 2 * D_xy(t),
        assumptions=(SMOOTH, *masks),
    )


_KEPT = (assumed.KEPT,)
PROP_1 = Claim(
    entry("submodel/prop-1"),
    algorithms=OBJECTIVE,
    parts=(
        _convex("strong convexity", p_mean, _KEPT),
        _smooth("smoothness", p_mean, _KEPT),
    ),
)

_COVERED = (assumed.COVERAGE,)
_ONE = sp.Integer(1)
PROP_2 = Claim(
    entry("submodel/prop-2"),
    algorithms=OBJECTIVE,
    parts=(
        _convex("strong convexity", q_mean, _COVERED),
        _smooth("smoothness", q_mean, _COVERED),
        _convex("strong convexity, unchanged", _ONE, _COVERED),
        _smooth("smoothness, unchanged", _ONE, _COVERED),
        _convex("strong convexity, general", c_min, ()),
        _smooth("smoothness, general", c_max, ()),
    ),
    readings=(
        Reading("A: mu and L times the mean coverage", parts=("strong convexity", "smoothness")),
        Reading(
            "B: mu and L unchanged",
            parts=("strong convexity, unchanged", "smoothness, unchanged"),
        ),
        Reading(
            "general masks: mu and L times the least and the largest coverage",
            parts=("strong convexity, general", "smoothness, general"),
        ),
    ),
)

CLAIMS = (PROP_1, PROP_2)
