"""Quantities of a model that every theory may use, by definition.

They speak of what is known at a round's start, with no step; no theory's own text can name that.
"""

import sympy as sp

from ..proof.vectors import given, ip, sq
from .setups import PAST, Shown
from .symbols import VectorSymbol, n


def _vector(name: str) -> VectorSymbol:
    return VectorSymbol(name, name)


WHOLE, BLOCK_U, BLOCK_V = "x", "u", "v"  # a model that is shared as a whole, or its blocks
AFTER = "_next"  # of the name of a field of the state
HERE = _vector("model at hand")
BEST = _vector("minimiser")
GRADIENTS = _vector("gradients of clients")  # of all coordinates, or by the shared block
PERSONAL = _vector("personal gradients")
VALUES = _vector("values of clients")  # of one coordinate
ONE = _vector("one")
INFIMUM = sp.Symbol("infimum of f")
CLIENT = "client at hand"  # the index of these vectors; clients weigh alike

_MEAN = given(GRADIENTS, _vector(PAST))
_GAP = ip(VALUES, ONE) - INFIMUM
OF_WHOLE = {"G_u": sq(_MEAN), "B": n * sq(GRADIENTS), "f": _GAP, "D_W": sq(HERE - BEST)}
OF_BLOCKS = {"G_u": sq(_MEAN), "G_v": sq(PERSONAL), "B": n * sq(GRADIENTS), "f": _GAP}


def standard(shown: Shown, *, infimum: bool, minimiser: bool) -> dict[str, sp.Expr]:
    """Of a model that is seen so; f and D_W, where the infimum and a minimiser are known."""
    whole = WHOLE in shown.vectors
    unknown = {*(() if infimum else ("f",)), *(() if minimiser else ("D_W",))}
    found = OF_WHOLE if whole else OF_BLOCKS
    return {name: x for name, x in found.items() if name not in unknown} | _moved(shown)


def _moved(shown: Shown) -> dict[str, sp.Expr]:
    """How far models step; of clients that weigh alike, personal blocks too."""
    if WHOLE in shown.vectors:
        return {"Du_2": _step(WHOLE)}
    weighed = any(shown.indices.values())
    return {"Du_2": _step(BLOCK_U)} | ({} if weighed else {"Dv_2": _step(BLOCK_V)})


def _step(model: str) -> sp.Expr:
    return sq(_vector(model + AFTER) - _vector(model))
