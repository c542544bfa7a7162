"""Vectors over unknown atoms, and forms in their inner products, in exact rationals.

An atom is an unknown vector (a gradient) or an unknown number (a function value), by its position.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from flint import fmpq

Product = tuple[int, int]  # atoms a <= b
_ZERO = fmpq(0)


@dataclass(frozen=True)
class Vector:
    """A combination of atoms: pairs (atom, coefficient), sorted, none of them zero."""

    entries: tuple[tuple[int, fmpq], ...] = ()

    def __add__(self, other: "Vector") -> "Vector":
        return Vector(tuple(sorted(_added(dict(self.entries), other.entries).items())))

    def __sub__(self, other: "Vector") -> "Vector":
        return self + -1 * other

    def __rmul__(self, factor: Any) -> "Vector":
        return Vector(tuple((a, factor * c) for a, c in self.entries if factor != 0))


@dataclass(frozen=True, eq=False)
class Form:
    """A combination of inner products, of values and of 1.

    Attributes
    ----------
    products : mapping from (a, b), a <= b, to coefficient
        Of the inner product of atoms a and b.
    values : mapping from number to coefficient
        Of the unknown numbers.
    constant : fmpq
    """

    products: Mapping[Product, fmpq] = field(default_factory=dict)
    values: Mapping[int, fmpq] = field(default_factory=dict)
    constant: fmpq = _ZERO

    def __add__(self, other: "Form") -> "Form":
        return Form(
            _added(dict(self.products), other.products.items()),
            _added(dict(self.values), other.values.items()),
            self.constant + other.constant,
        )

    def __sub__(self, other: "Form") -> "Form":
        return self + other * fmpq(-1)

    def __mul__(self, factor: Any) -> "Form":
        return Form(
            {key: c * factor for key, c in self.products.items()},
            {key: c * factor for key, c in self.values.items()},
            self.constant * factor,
        )

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> "Form":
        return self * (1 / fmpq(divisor))


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


def number(value: fmpq) -> Form:
    """A constant as a form."""
    return Form(constant=value)


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
