"""Products of vectors, asked for by formula: refused where a formula means something else here."""

from collections.abc import Callable
from typing import Any

import sympy as sp

from fedbounds.errors import FedboundsError
from fedbounds.theory.symbols import VectorSymbol

from ..instance import Products
from .outcomes import SOURCES

Array = Any


def guarded(
    measure: Callable[[sp.Expr], Array], vectors: frozenset[str], *, noisy: bool, means: bool
) -> Products:
    """Products of the vectors shown, each measured once.

    Parameters
    ----------
    measure : function
        sq(x) or ip(x, y) per round.
    noisy : bool
        Gradients are stochastic: what is said of full gradients is refused.
    means : bool
        W_k^t are those of a run, of all clients: their mean may be asked for.
    """
    known: dict[sp.Expr, Array] = {}

    def value(node: sp.Expr) -> Array:
        _check(node, vectors, noisy, means)
        if node not in known:
            known[node] = measure(node)
        return known[node]

    return value


def _check(node: sp.Expr, vectors: frozenset[str], noisy: bool, means: bool) -> None:
    named = {symbol.name for symbol in node.free_symbols if isinstance(symbol, VectorSymbol)}
    unknown = sorted(named - vectors - set(SOURCES))
    if unknown:
        raise FedboundsError(f"{', '.join(unknown)}: not shown here")
    for inner in node.atoms(sp.Function):
        if inner.func.__name__ != "given":
            continue
        if noisy and "xi" not in {str(source) for source in inner.args[1:]}:
            raise FedboundsError("it speaks of full gradients; here they are stochastic")
        if not means and "Wk" in {symbol.name for symbol in inner.args[0].free_symbols}:
            raise FedboundsError("it speaks of the mean of all W_k of a run; there is none here")
