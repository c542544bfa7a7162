"""Vectors in statements: squared norms, inner products, conditional means, participation.

A vector is a symbol declared in a scope. The expectation is over all randomness and, where the
scope has them, over a uniform client i and a uniform local step k.
"""

from collections.abc import Mapping

import sympy as sp

from fedbounds.errors import FedboundsError
from fedbounds.theory.symbols import VECTORS


class sq(sp.Function):  # type: ignore[misc]
    """E ||x||^2."""

    nargs = 1


class ip(sp.Function):  # type: ignore[misc]
    """E <x, y>."""

    nargs = 2


class given(sp.Function):  # type: ignore[misc]
    """E[x | sources]: ``given(x, past, i)``."""


class present(sp.Function):  # type: ignore[misc]
    """x times the indicator that client i takes part."""

    nargs = 1


VECTORS |= {"past": r"\mathcal F^t", "S": r"\mathcal S^t", "xi": r"\xi^t", "i": "i", "k": "k"}
past, S, xi, i = sp.symbols("past S xi i")


def vectors(notation: Mapping[str, str]) -> tuple[sp.Symbol, ...]:
    """Symbols that stand for vectors, given with the paper's notation in LaTeX."""
    for name, latex in notation.items():
        if VECTORS.get(name, latex) != latex:
            raise FedboundsError(f"vector {name!r} is {VECTORS[name]!r} already; given {latex!r}")
        VECTORS[name] = latex
    return tuple(sp.Symbol(name) for name in notation)
