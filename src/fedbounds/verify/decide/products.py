"""Products of vectors in a part's sides, as measured quantities of their own."""

from dataclasses import replace
from functools import lru_cache

import sympy as sp

from fedbounds.theory.language.claims import Part
from fedbounds.theory.language.symbols import t
from fedbounds.theory.proof.vectors import ip, sq

from ..measure.evaluate import Numbers
from ..measure.lazily import together
from .case import Products


def with_products(part: Part, numbers: Numbers, products: Products) -> tuple[Part, Numbers]:
    """The part with a quantity for every sq(x) and ip(x, y), and these quantities' values.

    Raises
    ------
    FedboundsError
        If a vector was not measured.
    """
    plain, nodes = _scalar(part)
    series = {name: products(node) for name, node in nodes}
    return plain, replace(numbers, series=together(series, numbers.series))


@lru_cache(maxsize=1024)  # a part is measured on many instances
def _scalar(part: Part) -> tuple[Part, tuple[tuple[str, sp.Expr], ...]]:
    """The part with a quantity for every product, and which is which."""
    sides = {"left": part.left, "right": part.right}
    if part.trivial is not None:
        sides["trivial"] = part.trivial
    nodes = sorted({node for side in sides.values() for node in side.atoms(sq, ip)}, key=str)
    names = {node: sp.Function(f"product_{at}", real=True)(t) for at, node in enumerate(nodes)}
    plain = replace(part, **{name: side.xreplace(names) for name, side in sides.items()})
    return plain, tuple((str(name.func), node) for node, name in names.items())
