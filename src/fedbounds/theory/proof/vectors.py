"""Vectors in statements: squared norms, inner products, conditional means, participation.

A vector is a symbol declared in a scope. The expectation is over all randomness and, where the
scope has them, over a uniform client i and a uniform local step k.
"""

from collections.abc import Mapping

import sympy as sp

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.symbols import VectorSymbol


class sq(sp.Function):
    """E ||x||^2."""

    nargs = 1


class ip(sp.Function):
    """E <x, y>."""

    nargs = 2


class given(sp.Function):
    """E[x | sources]: ``given(x, past, i)``."""


class over(sp.Function):
    """A mean that is one over indices as well: ``over(sq(x), k)``, as it is printed."""


class present(sp.Function):
    """x times the indicator that client i takes part."""

    nargs = 1


past, S = VectorSymbol("past", r"\mathcal F^t"), VectorSymbol("S", r"\mathcal S^t")
xi, i = VectorSymbol("xi", r"\xi^t"), VectorSymbol("i", "i")


def vectors(notation: Mapping[str, str]) -> tuple[VectorSymbol, ...]:
    """Symbols that stand for vectors, given with the paper's notation in LaTeX."""
    return tuple(VectorSymbol(name, latex) for name, latex in notation.items())


def notation(*modules: object) -> dict[str, str]:
    """LaTeX of every vector that modules name; a name with two notations is an error."""
    found: dict[str, str] = {}
    for module in modules:
        for one in vars(module).values():
            if isinstance(one, VectorSymbol) and found.setdefault(one.name, one.latex) != one.latex:
                raise FedboundsError(
                    f"vector {one.name!r} is {found[one.name]!r} already; given {one.latex!r}"
                )
    return found
