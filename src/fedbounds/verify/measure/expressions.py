"""What expressions of definitions are made of, found once: they are the same on every set-up."""

from dataclasses import dataclass
from functools import lru_cache

import sympy as sp
from sympy.core.function import AppliedUndef

from fedbounds.theory.language.setups import Largest, Least, MeanOfLargest, Settled, above
from fedbounds.theory.language.symbols import VectorSymbol, constants_in, k, t

from .spaces import products_in

_MOST = 4096
_EXTREMES = (Largest, Least, MeanOfLargest, above, Settled)  # numbers of a whole run


@dataclass(frozen=True)
class Named:
    """What an expression names, in order: what is missing first is told the same everywhere.

    Attributes
    ----------
    constants, series : tuples of str
    has_step : bool
        Whether k occurs.
    has_steps : bool
        Whether a quantity of local steps does.
    """

    constants: tuple[str, ...]
    series: tuple[str, ...]
    has_step: bool
    has_steps: bool


@lru_cache(_MOST)
def named_in(plain: sp.Expr) -> Named:
    """Of an expression without vectors."""
    calls = plain.atoms(AppliedUndef)
    return Named(
        tuple(sorted(constants_in(plain))),
        tuple(sorted({call.func.__name__ for call in calls})),
        plain.has(k),
        any(len(call.args) > 1 for call in calls),
    )


@lru_cache(_MOST)
def besides_vectors(node: sp.Expr) -> frozenset[str]:
    """Names of symbols that are no vectors."""
    return frozenset(x.name for x in node.free_symbols if not isinstance(x, VectorSymbol))


@lru_cache(_MOST)
def without_products(expression: sp.Expr) -> tuple[sp.Expr, tuple[tuple[str, sp.Expr], ...]]:
    """With a quantity for every sq and ip, and which is which."""
    nodes = sorted(products_in(expression), key=str)
    names = {node: sp.Function(f"_product_{at}")(t) for at, node in enumerate(nodes)}
    return expression.xreplace(names), tuple((str(x.func), node) for node, x in names.items())


@lru_cache(_MOST)
def at_once(plain: sp.Expr) -> sp.Expr:
    """With numbers for the products, which have one value."""
    own = {x for x in plain.atoms(AppliedUndef) if x.func.__name__.startswith("_product_")}
    return plain.xreplace({x: sp.Symbol(x.func.__name__) for x in own})


@lru_cache(_MOST)
def expanded(plain: sp.Expr) -> sp.Expr:
    """Multiplied out."""
    return sp.expand(plain)


@lru_cache(_MOST)
def has_extremes(expression: sp.Expr) -> bool:
    """Whether it names numbers of a whole run."""
    return bool(expression.has(*_EXTREMES))


@lru_cache(_MOST)
def innermost(expression: sp.Expr) -> tuple[sp.Expr, ...]:
    """Extremes with no extreme inside."""
    every = sorted(expression.atoms(*_EXTREMES), key=str)
    return tuple(x for x in every if not any(own.has(*_EXTREMES) for own in x.args))
