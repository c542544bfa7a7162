"""Axes of a grid of bounds, as typed: K=1:100, gamma=1e-4:1e-1:50, n=10:1000:30:log."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from fedbounds.errors import FedboundsError, require
from fedbounds.theory.language.glossary import Glossary
from fedbounds.theory.language.inputs import check_sign, exact

Array = Any
_WHOLE, _POINTS, _MOST = 200, 60, 2000  # values: whole numbers, others, at most


@dataclass(frozen=True, eq=False)
class Axis:
    """Values of one symbol, in increasing order.

    Attributes
    ----------
    name : str
    values : float64 array
    whole : bool
        Whether it counts something.
    log : bool
        Whether values are spaced by equal factors.
    """

    name: str
    values: Array
    whole: bool
    log: bool


def axis(names: Glossary, symbol: sp.Symbol, text: str) -> Axis:
    """The axis of a symbol from "LOW:HIGH[:COUNT][:log]".

    Without COUNT, what counts something takes every whole number if there are at most 200;
    anything else takes 60 values. They are spaced by equal factors if "log" says so.

    Raises
    ------
    FedboundsError
        If the text is malformed, the range is empty, or a value has the wrong sign for the symbol.
    """
    name = symbol.name
    pieces = text.split(":")
    log = pieces[-1] == "log"
    pieces = pieces[: len(pieces) - log]
    if len(pieces) not in (2, 3):
        raise FedboundsError(f"--over {name}={text}: expected LOW:HIGH[:COUNT][:log]")
    low, high = (exact(f"--over {name}", piece) for piece in pieces[:2])
    require(low < high, f"--over {name}", text, "LOW < HIGH")
    require(not log or low > 0, f"--over {name}", text, "LOW > 0 for a logarithmic axis")
    for end in (low, high):
        check_sign(names, symbol, name, {name: end})
    whole = bool(symbol.is_integer)
    every = int(high - low) + 1
    count = every if whole and every <= _WHOLE and not log else _POINTS
    if len(pieces) == 3:
        typed = exact("COUNT", pieces[2])
        fits = typed.is_Integer and 2 <= typed <= _MOST
        require(fits, f"COUNT of --over {name}", pieces[2], f"an integer, 2 to {_MOST}")
        count = int(typed)
    space = np.geomspace if log else np.linspace
    values = space(float(low), float(high), count)
    return Axis(name, np.unique(np.rint(values)) if whole else values, whole, log)
