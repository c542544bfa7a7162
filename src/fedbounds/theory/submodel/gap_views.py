"""What is seen of the gap between test and training loss: random masks beside full models.

F_train is F_S of a random data set S, F_test the loss of a fresh sample. Losses are squares.
"""

from dataclasses import replace

import sympy as sp

from fedbounds.theory.language.beside import Passed, Reached, Side, Sides
from fedbounds.theory.language.setups import Says, Shown, View, Where
from fedbounds.theory.language.symbols import t
from fedbounds.theory.proof.vectors import ip, sq, vectors

from .names import RANDOM_FULL
from .stability_measured import OF_MASKS, V_own, V_pop, keep, ones
from .symbols import p_mean
from .vectors import one

V_pop_share, V_own_share = vectors(
    {"V_pop_share": r"F_{\mathrm{pop}}(pw^t)", "V_own_share": "F_S(pw^t)"}
)
level = sp.Symbol("level")
_D = ("data",)
MASKED = View(
    told="random masks on data sets of a law, losses",
    algorithm="coupled.LOSSES",
    shown=Shown(
        {"xi": ("masks", "samples")},
        {"data": "", "i": ""},
        {
            **dict.fromkeys(("V_pop", "V_own", "V_pop_share", "V_own_share"), _D),
            **dict.fromkeys(("one", "ones"), ()),
            "keep": ("i",),
        },
    ),
    quantities={
        "train": ip(V_own, one),
        "test_gap": ip(V_pop - V_own, one),
        "share_gap": ip(V_pop_share - V_own_share, one),
    },
    states=("train", "test_gap", "share_gap"),
    constants={"dim": sq(ones), "p_mean": OF_MASKS["p_mean"]},
    takes=("keep", "K", "eta", "n_s"),
    many=True,
    # one share, by which models are scaled; a level of training loss
    requires=(Says(sq(keep), "==", p_mean**2), Says(level, ">=", sp.Integer(0))),
)
FULL = replace(
    MASKED,
    told="full models on data sets of a law, losses",
    requires=(Says(sq(keep - one), "==", sp.Integer(0)), MASKED.requires[-1]),
)
VIEWS = {"losses of random masks": MASKED, "losses of full models": FULL}

_MASKED, _FULL = map(sp.Symbol, ("masked", "full"))


def _size(side: sp.Symbol, name: str) -> sp.Expr:
    value = Side(side, sp.Function(name)(t))
    return sp.Max(value, -value)


def _at_level(side: sp.Symbol) -> tuple[sp.Expr, sp.Expr]:
    """The gap at the first round at or below the level of training loss, and before it."""
    asked = _size(side, "test_gap"), Side(side, sp.Function("train")(t)), Side(side, level)
    return Reached(*asked), Passed(*asked)


_OURS, _THEIRS = _at_level(_MASKED), _at_level(_FULL)
# between two rounds the level is met: the order must not depend on where
_LESS = sp.sign(sp.Min(*_THEIRS) - sp.Max(*_OURS)) + 1
_MORE = sp.sign(sp.Min(*_OURS) - sp.Max(*_THEIRS))
_CLEAR = (Says(sp.Max(_LESS, _MORE), ">=", sp.Integer(1)),)
SIDES = {
    "random masks beside full models": Sides(
        told="training and test loss of regression, random masks and full models",
        runs=RANDOM_FULL[0],
        views={_MASKED.name: "losses of random masks", _FULL.name: "losses of full models"},
        varies=("keep",),
        series={
            "tg_rand": _size(_MASKED, "test_gap"),
            "tg_full": _size(_FULL, "test_gap"),
            "tg_scaled": _size(_MASKED, "share_gap"),
        },
        constants={
            "p_mean": Side(_MASKED, p_mean),
            "gap_rand_eq": Where(_OURS[0], _CLEAR),
            "gap_full_eq": Where(_THEIRS[0], _CLEAR),
        },
    )
}
