"""Formulas on arrays, one entry per row of a grid."""

from collections.abc import Mapping
from functools import lru_cache, reduce
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.values import is_measured, spelt

Floats = NDArray[np.float64]


class _larger(sp.Function):
    """Max, entry by entry: NumPy's own printer reduces along an axis."""


class _smaller(sp.Function):
    """Min, entry by entry."""


_MODULES = [
    {
        "_larger": lambda *values: reduce(np.maximum, values),
        "_smaller": lambda *values: reduce(np.minimum, values),
    },
    "numpy",
]


def on_arrays(formula: sp.Expr, rows: Mapping[str, Floats]) -> Floats:
    """Values of a formula, shape (rows,); not finite where it is no real number.

    Raises
    ------
    FedboundsError
        If the formula has a sum over an index.
    """
    if formula.has(sp.Sum):
        raise FedboundsError(f"--grid does not evaluate sums over an index: {formula}")
    names, function = _compiled(formula)
    count = len(next(iter(rows.values())))
    with np.errstate(all="ignore"):
        values = function(*(rows[name] for name in names))
    return np.array(np.broadcast_to(values, count), dtype=float)


@lru_cache(maxsize=256)
def _compiled(formula: sp.Expr) -> tuple[tuple[str, ...], Any]:
    """Names of the arguments, and a function of arrays."""
    measured = {e: sp.Dummy() for e in sp.preorder_traversal(formula) if is_measured(e)}
    plain = formula.xreplace(measured)
    plain = plain.replace(sp.Max, _larger).replace(sp.Min, _smaller)
    names = {dummy: spelt(e) for e, dummy in measured.items()}
    symbols = sorted(plain.free_symbols, key=str)
    # every symbol gets a name of SymPy's own: none of a formula stands in the code
    function = sp.lambdify(symbols, plain, modules=_MODULES, dummify=True)
    return tuple(names.get(s, s.name) for s in symbols), function
