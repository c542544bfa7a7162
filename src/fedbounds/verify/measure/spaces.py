"""A round as a space of vectors: what ``sq``, ``ip`` and ``given`` of a definition mean there.

A vector has one axis per source and a last one for coordinates. Sources are the past, groups of
draws, and indices (a client, a local step) over which a mean is taken with weights. Either every
outcome is a row (`Listed`), or entries are polynomials whose sources are integrated (`Unrolled`);
the definition that is evaluated is the same.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from operator import add, mul
from typing import Any, Protocol

import numpy as np
import sympy as sp
from flint import fmpq, fmpz

from fedbounds.errors import FedboundsError, unknown_name
from fedbounds.theory.language.setups import PAST as PAST
from fedbounds.theory.language.setups import dot, most, positive
from fedbounds.theory.language.symbols import VectorSymbol

from .balls import Ball
from .evaluate import Numbers, Roots, as_roots, evaluate, total
from .products import mean_product
from .roots import plain
from .slopes import over_all, over_some
from .unknowns import Refused, Variables, bare

Array = Any
_ONE = fmpq(1)
_PRODUCTS = ("sq", "ip")
_MEANS = ("given", "most")


class Space(Protocol):
    """Vectors of a round, and means over its sources."""

    @property
    def sources(self) -> tuple[str, ...]:
        """In the order of the axes."""

    @property
    def vectors(self) -> Mapping[str, Array]:
        """By name; an axis of length one is one that the vector does not depend on."""

    @property
    def factors(self) -> Mapping[str, Array]:
        """Arrays by which a vector may be multiplied, entry by entry."""

    def mean(self, array: Array, kept: tuple[str, ...]) -> Array:
        """Expectation over every source but those kept; their axes stay, with length one."""


@dataclass(frozen=True, eq=False)
class Listed:
    """Every outcome is a row.

    Attributes
    ----------
    sources : tuple of str
    weights : tuple of arrays
        Probabilities of each source's outcomes: the sources are independent.
    vectors, factors : mapping from name to array
    indices : tuple of str
        The sources over which a mean with weights is taken.
    """

    sources: tuple[str, ...]
    weights: tuple[Array, ...]
    vectors: Mapping[str, Array]
    factors: Mapping[str, Array]
    indices: tuple[str, ...] = ()

    def mean(self, array: Array, kept: tuple[str, ...]) -> Array:
        """A weighted sum along the axes; of numbers of cells, their means in each cell first."""
        drawn = set(self.sources) - set(self.indices) - {PAST}
        if array.dtype == object and drawn - set(kept):
            array = np.frompyfunc(over_all if drawn.isdisjoint(kept) else over_some, 1, 1)(array)
        for axis, (source, weight) in enumerate(zip(self.sources, self.weights, strict=True)):
            if source not in kept and array.shape[axis] > 1:
                array = _weighted(array, axis, weight)
        return array

    def mean_product(self, left: Array, right: Array) -> Any:
        """Of the inner product of two vectors; all outcomes have one."""
        return self.mean((left * right).sum(axis=-1, keepdims=True), ()).item()


@dataclass(frozen=True, eq=False)
class Unrolled:
    """Entries are polynomials in the state and the draws; only indices are axes longer than one.

    Attributes
    ----------
    sources : tuple of str
    weights : tuple of arrays or None
        Of an index; None for the past and for draws.
    draws : mapping from source to numbers
        Which of the variables' sources a group of draws has.
    variables : Variables
    vectors, factors : mapping from name to array
    indices : tuple of str
        The sources over which a mean with weights is taken.
    """

    sources: tuple[str, ...]
    weights: tuple[Array | None, ...]
    draws: Mapping[str, tuple[int, ...]]
    variables: Variables
    vectors: Mapping[str, Array]
    factors: Mapping[str, Array]
    indices: tuple[str, ...] = ()

    def mean(self, array: Array, kept: tuple[str, ...]) -> Array:
        """A weighted sum along indices; draws are integrated.

        Raises
        ------
        Refused
            If the past is to be integrated before a product is taken.
        """
        for axis, (source, weight) in enumerate(zip(self.sources, self.weights, strict=True)):
            if source not in kept and weight is not None and array.shape[axis] > 1:
                array = _weighted(array, axis, weight)
        over = [n for source, own in self.draws.items() if source not in kept for n in own]
        if over:
            if set(kept) - set(self.indices):
                self._refuse_carried(array, set(over))
            array = np.frompyfunc(lambda entry: self.variables.mean(entry, over), 1, 1)(array)
        if kept and PAST not in kept and PAST in self.occurring(array):
            raise Refused("the mean over the past is not carried")
        return array

    def mean_product(self, left: Array, right: Array) -> Any:
        """Of the inner product of two vectors."""
        over = [n for own in self.draws.values() for n in own]
        one, other = np.broadcast_arrays(left, right)
        shape = one.shape[:-1]
        own: list[tuple[int, Any]] = [
            (axis, self.weights[axis]) for axis, length in enumerate(shape) if length > 1
        ]
        places = (
            (
                math.prod((weight[at[axis]] for axis, weight in own), start=_ONE),
                one[at].tolist(),
                other[at].tolist(),
            )
            for at in np.ndindex(shape)
        )
        return mean_product(self.variables, places, over)

    def _refuse_carried(self, array: Array, over: set[int]) -> None:
        """A conditional mean over what was carried depends on is not known."""
        if self.variables.stages:
            used = (self.variables.carried_from(entry) for entry in array.reshape(-1))
            if any(own & over for own in used):
                raise Refused("a conditional mean of what see.carry gave is not carried")

    def occurring(self, array: Array) -> set[str]:
        """The past, and the draws, whose unknowns occur in an array."""
        found, numbers = set(), set()
        for entry in array.reshape(-1):
            numbers |= self.variables.occurring(entry)
            if self.variables.degree([entry]):
                found.add(PAST)
        return found | {source for source, own in self.draws.items() if numbers & set(own)}


def depends_on(space: "Listed | Unrolled", array: Array) -> frozenset[str]:
    """The sources along which a vector varies; computed, whatever is declared."""
    found = set()
    entries = np.frompyfunc(bare, 1, 1)(array)
    for axis, source in enumerate(space.sources):
        if array.shape[axis] > 1 and bool(np.any(entries.take([0], axis) != entries)):
            found.add(source)
    if isinstance(space, Unrolled):
        found |= space.occurring(array)
    return frozenset(found)


def _weighted(array: Array, axis: int, weight: Array) -> Array:
    """A sum with weights; with equal ones, which are frequent, the sum is weighted."""
    equal = bool((weight == weight[0]).all())
    weighted = (
        array if equal else array * np.expand_dims(weight, tuple(range(1, array.ndim - axis)))
    )
    if array.dtype == object and Roots in set(map(type, array.reshape(-1))):
        total = _totals(weighted, axis)
    else:
        total = np.asarray(weighted.sum(axis=axis, keepdims=True))
    return total * weight[0] if equal else total


def _totals(entries: Array, axis: int) -> Array:
    """Sums along an axis, each at once: one of roots grows with every term."""
    rows = np.moveaxis(entries, axis, -1)
    found = np.empty(rows.shape[:-1], dtype=object)
    for at in np.ndindex(found.shape):
        found[at] = plain(total(rows[at]))
    return np.expand_dims(found, axis)


def product(node: sp.Expr, space: Listed | Unrolled, values: Mapping[str, Any]) -> Any:
    """E ||x||^2 of ``sq(x)`` or E <x, y> of ``ip(x, y)``: a number, or a polynomial of the past.

    Parameters
    ----------
    values : mapping from symbol name to number
        Factors of vectors.

    Raises
    ------
    FedboundsError
        If a vector or source is not there, or lengths differ.
    """
    if node.func.__name__ in ("given", "most"):
        return mean_of(node, space, values)
    sides = [vector(argument, space, values) for argument in node.args]
    left, right = sides[0], sides[-1]
    if left.shape[-1] != right.shape[-1]:
        raise FedboundsError(
            f"{node}: vectors of {left.shape[-1]} and {right.shape[-1]} coordinates"
        )
    return space.mean_product(left, right)


def mean_of(node: sp.Expr, space: Space, values: Mapping[str, Any]) -> Any:
    """``given(x)``, x a number of every outcome; a sum of roots where they are not rational.

    Or ``most(x, i)``, the largest of such means over an index.
    """
    found = np.asarray(field(node.args[0], space, values))
    if isinstance(node, most):
        return max(space.mean(found, (node.args[1].name,)).reshape(-1))
    return space.mean(found, ()).item()


def vector(node: sp.Expr, space: Space, values: Mapping[str, Any]) -> Array:
    """A linear combination of vectors, conditional means of them, and what factors make of them."""
    name = node.func.__name__
    if isinstance(node, VectorSymbol | sp.Symbol):
        if node.name not in space.vectors:
            raise unknown_name("vector", node.name, space.vectors)
        return space.vectors[node.name]
    if name == "given":
        kept = tuple(source.name for source in node.args[1:])
        for source in kept:
            if source not in space.sources:
                raise unknown_name("source", source, space.sources)
        inside = vector(node.args[0], space, values)
        if not kept and isinstance(space, Unrolled) and PAST in space.occurring(inside):
            raise Refused("the mean over the past is not carried")
        return space.mean(inside, kept)
    if name in space.factors:
        return vector(node.args[0], space, values) * space.factors[name]
    if isinstance(node, sp.Add):
        return reduce(add, (vector(argument, space, values) for argument in node.args))
    if isinstance(node, sp.Mul):
        inside = [argument for argument in node.args if speaks_of(argument, space)]
        if len(inside) == 1:
            own, factor = vector(inside[0], space, values), node / inside[0]
            if factor == -1:
                return own * -1  # nothing is rounded
            return own * field(factor, space, values, own.dtype == object)
    raise FedboundsError(f"{node} is not a linear combination of vectors that are shown")


def field(node: sp.Expr, space: Space, values: Mapping[str, Any], exact: bool = True) -> Any:
    """A number of every outcome, made of `dot` and of means of it; entries of a vector; a number.

    Raises
    ------
    ZeroDivisionError
        If it is not defined everywhere.
    """
    if speaks_of(node, space):
        return vector(node, space, values)
    if isinstance(node, dot):
        left, right = (vector(argument, space, values) for argument in node.args)
        return (left * right).sum(axis=-1, keepdims=True)
    if not node.has(dot):
        return _number(node, values, exact)
    if isinstance(node, positive):
        return _indicators(field(node.args[0], space, values, exact))
    if node.func.__name__ == "given":
        kept = tuple(source.name for source in node.args[1:])
        return space.mean(field(node.args[0], space, values, exact), kept)
    if isinstance(node, sp.Pow) and node.exp == sp.S.Half:
        return _roots(field(node.base, space, values, exact))
    if isinstance(node, sp.Pow) and node.exp.is_Integer:
        inside, power = field(node.base, space, values, exact), int(node.exp)
        return inside**power if power > 0 else 1 / inside**-power
    if isinstance(node, sp.Add):
        return reduce(add, (field(argument, space, values, exact) for argument in node.args))
    if isinstance(node, sp.Mul):
        roots = [own for own in node.args if own.is_Pow and abs(own.exp) == sp.S.Half]
        every = [field(own, space, values, exact) for own in node.args if own not in roots]
        if roots:  # under one: sqrt(2) sqrt(x) is rational at x = 2
            inside = (field(own**2, space, values, exact) for own in roots)
            every.append(_roots(reduce(mul, inside)))
        return reduce(mul, every)
    raise FedboundsError(f"{node} is no number of every outcome")


def alone(space: Listed | Unrolled, index: str, at: int) -> Listed | Unrolled:
    """The same for one value of an index."""
    axis = space.sources.index(index)

    def cut(array: Array) -> Array:
        return array.take([at], axis=axis) if array.shape[axis] > 1 else array

    weights = list(space.weights)
    weights[axis] = np.asarray(weights[axis])[:1] * 0 + 1
    return replace(
        space,
        weights=tuple(weights),
        vectors=Computed(space.vectors, lambda name: cut(space.vectors[name])),
        factors={name: cut(array) for name, array in space.factors.items()},
    )


class Computed(Mapping[str, Array]):
    """Arrays by name, each made when it is first asked for.

    Parameters
    ----------
    names : iterable of str
    make : function from name to array
    """

    def __init__(self, names: Iterable[str], make: Callable[[str], Array]) -> None:
        self._names, self._make = dict.fromkeys(names), make
        self._made: dict[str, Array] = {}

    def __getitem__(self, name: str) -> Array:
        """The array; made once."""
        if name not in self._made:
            if name not in self._names:
                raise KeyError(name)
            self._made[name] = self._make(name)
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        """Whether it can be asked for; it is not made."""
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def speaks_of(node: sp.Basic, space: Space) -> bool:
    """Whether an expression is a vector here."""
    if isinstance(node, VectorSymbol):
        return True
    if isinstance(node, sp.Symbol):
        return node.name in space.vectors
    if isinstance(node, sp.Add | sp.Mul):
        return any(speaks_of(argument, space) for argument in node.args)
    if node.func.__name__ == "given":
        return not node.has(dot)
    return node.func.__name__ in space.factors


def products_in(expression: sp.Expr) -> set[sp.Expr]:
    """The sq and ip of an expression, and the means of numbers of every outcome."""
    every = expression.atoms(sp.Function)
    means = {node for node in every if node.func.__name__ in _MEANS and node.has(dot)}
    inner = {node for node in means if any(node != other and other.has(node) for other in means)}
    return {node for node in every if node.func.__name__ in _PRODUCTS} | means - inner


def _root(square: Any) -> Any:
    if isinstance(square, float):
        return math.sqrt(square)
    if isinstance(square, Ball):
        return square.sqrt()
    if isinstance(square, Roots):
        return plain(square.root(2))
    return _known_root(square.p, square.q)


@lru_cache(maxsize=65_536)  # entries of an array are often equal; to hash a rational is slow
def _known_root(numerator: fmpz, denominator: fmpz) -> Any:
    return plain(as_roots(fmpq(numerator, denominator)).root(2))


_roots = np.frompyfunc(_root, 1, 1)


def _indicators(array: Array) -> Array:
    """1 where an entry is above 0, and 0 elsewhere; of unknowns it is refused."""
    return np.frompyfunc(lambda x: (x > 0) * (x * 0 + 1), 1, 1)(array)


def _number(node: sp.Expr, values: Mapping[str, Any], exact: bool) -> Any:
    exact = exact and not any(isinstance(value, float) for value in values.values())
    rational: Any = (lambda p, q: fmpq(p, q)) if exact else (lambda p, q: p / q)
    return evaluate(node, Numbers(values, {}, rational))
