"""Quantities of a round that is driven: what ``sq``, ``ip`` and ``given`` mean there.

A vector is linear in (1, x), in the presence of clients and in noise. An inner product of two is a
matrix that is multiplied with E (1, x)(1, x)', and a number that noise adds; see `terms`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod, sqrt
from typing import Any

import numpy as np
import sympy as sp

from fedbounds.errors import FedboundsError

from .driven import Driven
from .rounded import TINY, UNIT
from .spaces import PAST, Computed, vector
from .subject import AFTER
from .terms import Factor, Linear, Size, Term, inner, sizes, tied
from .twins import POINT, SLOPE
from .unknowns import Refused

Array = Any


@dataclass(frozen=True)
class Met:
    """A vector in a product: (a, b) for its size, (d, f) for its error, (a, b) of its terms."""

    size: tuple[float, float]
    wrong: tuple[float, float]
    terms: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Product:
    """E <x, y> as a function of M = E (1, x)(1, x)'.

    Attributes
    ----------
    matrix : array, shape (N + 1, N + 1)
    number : float
    factor : float
        By which the product of both vectors is multiplied, in it.
    sides : tuple of two Met
    places : int
        Of how many products it is a sum.
    """

    matrix: Array
    number: float
    factor: float
    sides: tuple[Met, ...]
    places: int


@dataclass(frozen=True, eq=False)
class Value:
    """Numbers <z, g> / 2: values of an objective at z."""

    z: Linear
    g: Linear
    dtype = np.dtype(np.float64)


@dataclass(frozen=True, eq=False)
class DrivenSpace:
    """The vectors of a round that is driven.

    Attributes
    ----------
    driven : Driven
    chosen : tuple of pairs (index, value)
        Indices of which one value is looked at.
    """

    driven: Driven
    chosen: tuple[tuple[str, int], ...] = ()
    _known: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """In the order of the theory."""
        return self.driven.subject.shown.sources

    @cached_property
    def _order(self) -> tuple[str, ...]:
        return tuple(self.driven.subject.shown.indices)

    @cached_property
    def indices(self) -> Mapping[str, int]:
        """How many values each has."""
        found = dict.fromkeys(self._order, 1)
        for name, own in self.driven.subject.shown.vectors.items():
            terms = self.driven.shown.get(name) or self.driven.shown.get(name + POINT)
            shape = terms[0].array.shape[2:] if terms else self._fields.get(name, ())
            found |= {x: int(shape[at]) for at, x in enumerate(own) if at < len(shape)}
        return found

    @cached_property
    def _fields(self) -> Mapping[str, tuple[int, ...]]:
        shapes = self.driven.driving.shapes
        return shapes | {name + AFTER: shape for name, shape in shapes.items()}

    def alone(self, index: str, at: int) -> "DrivenSpace":
        """The same for one value of an index."""
        return DrivenSpace(self.driven, (*self.chosen, (index, at)))

    # ---- vectors

    @cached_property
    def factors(self) -> Mapping[str, Any]:
        """Presence, where it is 0 or 1."""
        shown = self.driven.subject.shown
        return Computed(shown.factors, lambda name: self._factor(name, shown.factors[name]))

    def _factor(self, name: str, indices: tuple[str, ...]) -> Factor:
        driving, n = self.driven.driving, self.driven.driving.clients
        if len(indices) != 1:
            raise Refused(f"{name} is not a number of each client")
        only = dict(self.chosen).get(indices[0])
        none = driving.drawn({})
        if name not in none:
            raise Refused(f"{name} is no draw")
        axis = 2 + self._order.index(indices[0])
        base = np.asarray(none[name]).reshape(n)
        if driving.law is None:
            return Factor(np.zeros((0, n)), axis, base, only)
        kinds = len(driving.entries) // n
        weights = np.zeros((kinds, n))
        for entry, client in enumerate(driving.entries):
            own = np.asarray(driving.drawn(driving.present(entry, 1))[name]).reshape(n) - base
            weights[entry // n, client] = own[client]
            own[client] = 0.0
            if own.any() or base.any():
                raise Refused(f"{name} of a client depends on the presence of another")
        if not np.isin(weights, (0.0, 1.0)).all():
            raise Refused(f"{name} is not 0 or 1")
        return Factor(weights, axis, None, only)

    @cached_property
    def vectors(self) -> Mapping[str, Any]:
        """By name."""
        shown = self.driven.subject.shown
        return Computed((*shown.vectors, *shown.derived), self._vector)

    def _vector(self, name: str) -> Any:
        shown = self.driven.subject.shown
        if name not in shown.vectors:
            values = self.driven.subject.values
            known = {x: float(y) for x, y in values.items() if not isinstance(y, tuple | list)}
            return vector(shown.derived[name], self, known)
        if name in self.driven.driving.form.refused:
            raise Refused(self.driven.driving.form.refused[name])
        if name + POINT in self.driven.shown:
            return Value(*(self._shown(name + x, shown.vectors[name]) for x in (POINT, SLOPE)))
        if name in self.driven.shown:
            return self._shown(name, shown.vectors[name])
        return self._of_state(name, shown.vectors[name])

    def _shown(self, name: str, indices: tuple[str, ...]) -> Linear:
        wrong = self.driven.wrong
        found = self._linear(self.driven.shown[name], indices, wrong.shown.get(name))
        exact = wrong.exact.get(name, np.False_)
        for index, at in self.chosen:
            if index in indices and exact.ndim and exact.shape[indices.index(index)] > 1:
                exact = exact.take([at], axis=indices.index(index))
        return replace(found, exact=bool(exact.all()))

    def _of_state(self, name: str, indices: tuple[str, ...]) -> Linear:
        found = self.driven
        own = name.removesuffix(AFTER)
        if own not in found.driving.places:
            raise FedboundsError(f"step shows no {name!r}; no field of the state is called so")
        at, shape = np.arange(found.size)[found.driving.places[own]], found.driving.shapes[own]

        def placed(matrix: Array) -> Array:
            return matrix.T.reshape(len(matrix.T), 1, *shape)

        if own == name:
            unit = np.eye(found.size)[at]
            unit[:, 0] = found.centre[at - 1]
            whole = self._linear((Term(placed(unit), noise=False),), indices, None)
            return replace(whole, exact=True)
        n, kinds = found.driving.clients, len(found.law.means)
        first = found.driving.places[own].start
        base = found.absent[at].copy()
        base[:, 0] += found.centre[at - 1]
        terms = [Term(placed(base), noise=False)]
        for kind in range(kinds or 1):
            arrays, pushed = np.zeros((found.size, n, *shape)), []
            for c in range(n):
                entry = kind * n + c
                if kinds:
                    part = found.parts[entry]
                    inside = np.isin(part.rows, at)
                    flat = np.zeros((len(part.columns), len(at)))
                    flat[:, part.rows[inside] - first] = part.values[inside].T
                    arrays[part.columns, c] = flat.reshape(len(flat), *shape)
                if entry in found.pushed:
                    own_noise = found.pushed[entry]
                    pushed.append(own_noise[:, at - 1].reshape(len(own_noise), *shape))
            if kinds and arrays.any():
                terms.append(Term(arrays, False, kind))
            if pushed:
                terms.append(Term(np.stack(pushed, axis=1), True, kind if kinds else None))
        if len(shape) > 1 and shape[0] == n:
            terms = [tied(x, 2, n) if x.spread else x for x in terms]
        places = found.wrong.after[:, at - 1].reshape(3, *shape)
        return self._linear(tuple(terms), indices, places)

    def _linear(
        self, terms: tuple[Term, ...], indices: tuple[str, ...], wrong: Array | None
    ) -> Linear:
        found = Linear(
            self.driven.law,
            tuple(self._placed(x, indices) for x in terms if not x.noise or x.array.any()),
            self._size(terms, wrong),
        )
        for index, at in self.chosen:
            axis = 2 + self._order.index(index)
            if found.shape[axis - 1] > 1:
                found = found.alone(axis, at)
        return found

    def _placed(self, x: Term, indices: tuple[str, ...]) -> Term:
        """One axis per index of the theory."""
        array = x.array
        if array.ndim == 2 + len(indices):
            array = array[..., None]  # a number for each
        inside = [
            array.shape[2 + indices.index(index)] if index in indices else 1
            for index in self._order
        ]
        array = array.reshape(*array.shape[:2], *inside, array.shape[-1])
        axis = None if x.tied is None else 2 + self._order.index(indices[x.tied - 2])
        return Term(array, x.noise, x.kind, axis)

    def _size(self, terms: tuple[Term, ...], wrong: Array | None) -> Size:
        """Bounds of a vector and of its error; see `terms` and `driven_errors`."""
        every = [sizes(x, self.driven.law) for x in terms]
        first, rest = (sum(own[at] for own in every) for at in (0, 1))
        places = max(1, prod(terms[0].array.shape[2:-1]))
        if wrong is None:
            return Size((first, rest), (TINY, TINY))
        constant, unit, noise = (sqrt((x**2).sum() / places) * 1.001 for x in wrong)
        own = 4 * UNIT  # of the differences that responses are
        lost = constant + noise + own * first + TINY, unit + own * rest + TINY
        return Size((first, rest), lost)

    # ---- means

    @cached_property
    def weights(self) -> tuple[Array | None, ...]:
        """Of the indices."""
        shown = self.driven.subject.shown
        if any(shown.indices.values()):
            raise Refused("indices with weights are not driven")
        return (None,) * len(self._order)

    def mean(self, array: Linear, kept: tuple[str, ...]) -> Linear:
        """A conditional mean.

        Raises
        ------
        Refused
            If the past is to be integrated.
        """
        if PAST not in kept:
            raise Refused("the mean over the past is not carried")
        if not isinstance(array, Linear):
            raise Refused("a conditional mean of values is not driven")
        found, noises = array, np.ones(len(self.driven.driving.inner))
        for source, (law, own) in self.driven.sources.items():
            if source in kept:
                continue
            noises[own] = 0.0
            if law:
                found = found.without_presence()
        if not noises.all():
            found = found.without_noise(noises)
        assert self.weights is not None
        for axis, index in enumerate(self._order, 2):
            if index not in kept and found.shape[axis - 1] > 1:
                found = found.averaged(axis)
        return found

    # ---- inner products

    def product(self, node: sp.Expr, values: Mapping[str, Any]) -> Product:
        """``sq`` or ``ip`` as a function of moments."""
        sides = [vector(argument, self, values) for argument in node.args]
        left, right = sides[0], sides[-1]
        if isinstance(left, Value) or isinstance(right, Value):
            return self._value(left, right)
        if left.shape[-1] != right.shape[-1]:
            raise FedboundsError(
                f"{node}: vectors of {left.shape[-1]} and {right.shape[-1]} coordinates"
            )
        return self._product(left, right)

    def _product(self, left: Linear, right: Linear, factor: float = 1.0) -> Product:
        matrix, number = inner(left, right, self.driven.size)
        places = prod(np.broadcast_shapes(left.shape, right.shape))
        own = matrix, number
        sides = tuple(
            self._met(x, own if left is right else inner(x, x, self.driven.size), places)
            for x in (left, right)
        )
        return Product(matrix * factor, number * factor, abs(factor), sides, places)

    def _met(self, x: Linear, square: tuple[Array, float], places: int) -> Met:
        """How large a vector is, whatever cancelled in it, from its square."""
        matrix, number = square
        terms = x.size()
        rounded = (places + 40) * UNIT
        first, rest = (
            sqrt(max(own, 0.0) * 1.001 + rounded * size**2)
            for own, size in zip(
                (matrix[0, 0] + number, float(np.trace(matrix)) - matrix[0, 0]), terms, strict=True
            )
        )
        return Met((first, rest), x.bound.wrong, terms)

    def _value(self, left: Any, right: Any) -> Product:
        """A value times a number."""
        value, other = (left, right) if isinstance(left, Value) else (right, left)
        number = other.constant() if isinstance(other, Linear) else None
        if number is None or number.size != 1:
            raise Refused("a value is multiplied with what is no number")
        return self._product(value.z, value.g, float(number.item()) / 2)

    def of_the_past(self, names: set[str]) -> bool:
        """Whether vectors are those of a round's start."""
        for name in names & set(self.vectors):
            found = self.vectors[name]
            every = (found.z, found.g) if isinstance(found, Value) else (found,)
            if any(x.spread for own in every for x in own.terms):
                return False
        return True
