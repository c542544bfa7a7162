"""Vectors over unknown atoms, and forms in their inner products, in exact rationals.

An atom is an unknown vector (a gradient) or an unknown number (a function value), by its position.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from flint import fmpq

from ...measure.unknowns import Refused

Product = tuple[int, int]  # atoms a <= b
_ZERO = fmpq(0)


@dataclass(frozen=True)
class Vector:
    """A combination of atoms: pairs (atom, coefficient), sorted, none of them zero.

    As an entry of an array it stands for all coordinates of a block: a product of two is their
    inner product.
    """

    entries: tuple[tuple[int, fmpq], ...] = ()

    def __add__(self, other: Any) -> "Vector":
        if not isinstance(other, Vector):
            if other == 0:
                return self
            return NotImplemented
        return Vector(tuple(sorted(_added(dict(self.entries), other.entries).items())))

    __radd__ = __add__

    def __sub__(self, other: Any) -> "Vector":
        found: Vector = self + -1 * other
        return found

    def __mul__(self, factor: Any) -> Any:
        if isinstance(factor, Vector):
            return inner(self, factor)
        factor = as_number(factor)
        return Vector(tuple((a, factor * c) for a, c in self.entries if factor != 0))

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> "Vector":
        divisor = as_number(divisor)
        return Vector(tuple((a, c / divisor) for a, c in self.entries))

    def renamed(self, atoms: Mapping[int, int]) -> "Vector":
        """With other numbers of the atoms."""
        return Vector(tuple(sorted((atoms[a], c) for a, c in self.entries)))


@dataclass(frozen=True, eq=False)
class Form:
    """A combination of inner products, of values and of 1.

    Attributes
    ----------
    products : mapping from (a, b), a <= b, to coefficient
        Of the inner product of atoms a and b; none of them zero.
    values : mapping from number to coefficient
        Of the unknown numbers, likewise.
    constant : fmpq
    """

    products: Mapping[Product, fmpq] = field(default_factory=dict)
    values: Mapping[int, fmpq] = field(default_factory=dict)
    constant: fmpq = _ZERO

    def __add__(self, other: Any) -> "Form":
        if isinstance(other, np.ndarray):
            return NotImplemented  # entry by entry, here and below
        own = as_form(other)
        return Form(
            _added(dict(self.products), own.products.items()),
            _added(dict(self.values), own.values.items()),
            self.constant + own.constant,
        )

    __radd__ = __add__

    def __sub__(self, other: Any) -> "Form":
        return NotImplemented if isinstance(other, np.ndarray) else self + -as_form(other)

    def __rsub__(self, other: Any) -> "Form":
        return as_form(other) - self

    def __neg__(self) -> "Form":
        return self * -1

    def __mul__(self, factor: Any) -> "Form":
        if isinstance(factor, np.ndarray | Vector):
            return NotImplemented  # of a vector, that refuses it
        if isinstance(factor, Form):
            if not (self.is_number or factor.is_number):
                raise Refused("a product of two unknown numbers is no combination of unknowns")
            own, times = (factor, self) if self.is_number else (self, factor)
            return own * times.constant
        if factor == 0:
            return Form()
        return Form(
            {key: c * factor for key, c in self.products.items()},
            {key: c * factor for key, c in self.values.items()},
            self.constant * factor,
        )

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> "Form":
        return self * (1 / fmpq(as_number(divisor)))

    def __eq__(self, other: object) -> bool:
        own = as_form(other)
        mine, theirs = ((x.products, x.values, x.constant) for x in (self, own))
        return mine == theirs

    def __hash__(self) -> int:
        return hash((*sorted(self.products), *sorted(self.values)))

    def renamed(self, vectors: Mapping[int, int], values: Mapping[int, int]) -> "Form":
        """With other numbers of the atoms."""
        moved = {(vectors[a], vectors[b]): c for (a, b), c in self.products.items()}
        return Form(
            {(min(pair), max(pair)): c for pair, c in moved.items()},
            {values[at]: c for at, c in self.values.items()},
            self.constant,
        )

    @property
    def is_number(self) -> bool:
        """Whether nothing in it is unknown."""
        return not self.products and not self.values


def as_number(value: Any) -> Any:
    """A factor of unknowns: a number, or a form in which nothing is unknown.

    Raises
    ------
    Refused
        If it is unknown.
    """
    if not isinstance(value, Form):
        return value
    if not value.is_number:
        raise Refused("what an unknown number multiplies or divides is no combination of unknowns")
    return value.constant


def as_form(value: Any) -> Form:
    """A number as a form; a form as it is."""
    return value if isinstance(value, Form) else number(value)


def _added(total: dict[Any, fmpq], entries: Iterable[tuple[Any, fmpq]]) -> dict[Any, fmpq]:
    for key, coefficient in entries:
        total[key] = total.get(key, fmpq(0)) + coefficient
        if total[key] == 0:
            del total[key]
    return total


def inner(left: Vector, right: Vector) -> Form:
    """The inner product of two vectors."""
    found: dict[Product, fmpq] = {}
    for a, c in left.entries:
        _added(found, ((((a, b) if a <= b else (b, a)), c * d) for b, d in right.entries))
    return Form(found)


def square(vector: Vector) -> Form:
    """The squared norm of a vector."""
    return inner(vector, vector)


def number(value: Any) -> Form:
    """A constant as a form."""
    return Form(constant=fmpq(value))


def mean(items: Iterable[Any], zero: Any) -> Any:
    """The mean of vectors, or of forms; ``zero`` is theirs."""
    every = list(items)
    return fmpq(1, len(every)) * sum(every, start=zero)


Square = tuple[fmpq, Vector]  # a positive weight, and the vector whose squared norm it multiplies


def sum_of_squares(form: Form, size: int) -> tuple[Square, ...] | None:
    """A form in inner products of ``size`` atoms as weighted squares, by exact elimination.

    None if some vectors make it negative.
    """
    rows = [[fmpq(0)] * size for _ in range(size)]
    for (a, b), coefficient in form.products.items():
        rows[a][b] += coefficient / 2
        rows[b][a] += coefficient / 2
    found = []
    for k in range(size):
        pivot, row = rows[k][k], rows[k][k:]
        if pivot < 0 or (pivot == 0 and any(x != 0 for x in row)):
            return None
        if pivot == 0:
            continue
        scaled = [x / pivot for x in row]
        found.append((pivot, Vector(tuple((k + j, x) for j, x in enumerate(scaled) if x != 0))))
        for i in range(k + 1, size):
            if rows[i][k] != 0:
                factor = rows[i][k]
                rows[i][k:] = [x - factor * y for x, y in zip(rows[i][k:], scaled, strict=True)]
    return tuple(found)
