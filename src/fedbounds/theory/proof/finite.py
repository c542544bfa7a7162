"""Random vectors on a finite product space, and expectations by enumeration, exactly.

Participants are a uniform subset of m out of n clients; a client and a local step are uniform;
every other source is a few fair signs. A noise has one sign of its own per client and step, which
makes it a martingale difference; a vector that depends on the step knows the signs of its client's
earlier steps only. Nothing here uses the checker's rules for products of vectors.
"""

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, product
from math import prod
from typing import Any

import numpy as np

from fedbounds.theory.checker.data import Scope
from fedbounds.theory.checker.text import parsed

Array = Any  # of Fractions, or of floats
Index = tuple[int | None, int | None, int | None]  # participants, client, step

PARTICIPANTS, CLIENT, STEP = "S", "i", "k"
INDICES = (PARTICIPANTS, CLIENT, STEP)
HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Function:
    """One on an outcome of the indices that are not None, else zero; times signs (by position)."""

    index: Index
    signs: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Sign:
    """A fair sign: its source, and the client and step that it belongs to, if any."""

    source: str
    own: tuple[int, int] | None = None

    def __str__(self) -> str:
        return self.source + ("" if self.own is None else f"[{self.own[0] + 1},{self.own[1] + 1}]")


@dataclass(frozen=True)
class Finite:
    """A small space for a scope."""

    scope: Scope
    sizes: tuple[int, int, int]  # outcomes of participants, client and step
    members: tuple[tuple[int, ...], ...]  # who takes part
    signs: tuple[Sign, ...]

    def functions(self, atom: str) -> list[Function]:
        """A basis of the values that a vector may take, coordinate by coordinate."""
        depends = dict(self.scope.atoms)[atom]
        ranges = [
            range(size) if name in depends else (None,)
            for name, size in zip(INDICES, self.sizes, strict=True)
        ]
        return [
            Function(index, signs)
            for s, i, k in product(*ranges)
            for index in [(s, i, k)]
            for signs in self._signs(atom, index)
        ]

    def _signs(self, atom: str, index: Index) -> Iterator[frozenset[int]]:
        depends = dict(self.scope.atoms)[atom]
        centred = dict(self.scope.centred).get(atom, "")
        sources = [s for s in self.scope.sources if s in depends and s not in INDICES]
        own = (index[1], index[2])
        if atom in self.scope.differences:
            source = centred or "past"
            yield frozenset(
                j for j, s in enumerate(self.signs) if (s.source, s.own) == (source, own)
            )
            return
        choices = []
        for source in sources:
            known = [j for j, s in enumerate(self.signs) if s.source == source]
            if STEP in depends and source == sources[-1]:
                known = [j for j in known if self._earlier(self.signs[j], own)]
            free = [frozenset[int]()] if source != centred else []
            choices.append(free + [frozenset({j}) for j in known])
        for chosen in product(*choices):
            yield frozenset[int]().union(*chosen)

    def _earlier(self, sign: Sign, own: tuple[int | None, int | None]) -> bool:
        if sign.own is None:
            return True
        client, step = own
        assert step is not None
        return sign.own[1] < step and client in (None, sign.own[0])

    def inner(self, a: Function, b: Function, kept: frozenset[str]) -> Fraction:
        """E of E[a | kept] E[b | kept]."""
        if a.signs != b.signs or any(self.signs[j].source not in kept for j in a.signs):
            return Fraction(0)
        value = Fraction(1)
        for name, size, x, y in zip(INDICES, self.sizes, a.index, b.index, strict=True):
            if name in kept and x is not None and y is not None:
                value *= Fraction(int(x == y), size)
            else:
                value /= prod(size for at in (x, y) if at is not None)
        return value

    def table(self, values: Mapping[Function, tuple[Fraction, ...]], dimension: int) -> Array:
        """The vector on every outcome: axes participants, client, step, signs, coordinates."""
        shape = (*self.sizes, *(2 for _ in self.signs), dimension)
        found = np.full(shape, Fraction(0), dtype=object)
        for function, vector in values.items():
            at = tuple(slice(None) if x is None else x for x in function.index)
            part = np.full(found[at].shape, Fraction(0), dtype=object)
            part[...] = np.array(vector, dtype=object)
            first = part.ndim - 1 - len(self.signs)
            for j in function.signs:
                sign = np.array([Fraction(1), Fraction(-1)], dtype=object)
                part = part * sign.reshape([2 if d == first + j else 1 for d in range(part.ndim)])
            found[at] = found[at] + part
        return found


def space_of(scope: Scope, n: int, m: int, steps: int, random_past: bool) -> Finite:
    """The space of a scope; ``random_past`` gives the past outcomes of its own."""
    members = tuple(combinations(range(n), m)) if scope.sampled else ((),)
    clients = n if CLIENT in scope.sources else 1
    count = steps if STEP in scope.sources else 1
    centred = dict(scope.centred)
    sources = {centred.get(name, "past") for name in scope.differences}
    signs: list[Sign] = []
    for source in scope.sources:
        if source in INDICES or (source == "past" and not random_past):
            continue
        if source in sources:
            signs += [Sign(source, own) for own in product(range(clients), range(count))]
        else:
            signs.append(Sign(source))
    has_participants = PARTICIPANTS in scope.sources
    sizes = (len(members) if has_participants else 1, clients, count)
    return Finite(scope, sizes, members, tuple(signs))


@dataclass(frozen=True, eq=False)
class Evaluator:
    """Expressions on a finite space.

    Attributes
    ----------
    numbers : dict
        Parameters, and values of the objective at named points.
    quantity : function from the text of a quantity, or of a sum of them, to its value
    space : Finite or None
    tables : dict
        Vectors on all outcomes.
    """

    numbers: Mapping[str, Fraction]
    quantity: Callable[[str], Fraction]
    space: Finite | None = None
    tables: Mapping[str, Array] = field(default_factory=dict)

    def value(self, text: str) -> Fraction:
        """The value of a side of a statement.

        Raises
        ------
        ValueError
            If it is not rational, or cannot be read.
        """
        return self._value(parsed(text))

    def _value(self, node: ast.expr) -> Fraction:
        match node:
            case ast.Constant(value=int() as value):
                return Fraction(value)
            case ast.Name(id=name):
                return self.numbers[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._value(operand)
            case ast.BinOp(left=left, op=op, right=right):
                return _arithmetic(op, self._value(left), self._value(right))
            case ast.Call(func=ast.Name(id="sq" | "ip"), args=arguments):
                return self._product([self._vector(a) for a in arguments])
            case ast.Call(func=ast.Name(id="Max"), args=arguments):
                return max(self._value(a) for a in arguments)
            case ast.Call(func=ast.Name(id="Min"), args=arguments):
                return min(self._value(a) for a in arguments)
            case ast.Call(func=ast.Name(id="sqrt"), args=[inner]):
                return _power(self._value(inner), HALF)
            case ast.Call(func=ast.Name(id=name)) if name in self.numbers:
                return self.numbers[name]  # what each round has its own of
            case ast.Call():
                return self.quantity(ast.unparse(node))
        raise ValueError(f"cannot evaluate {ast.unparse(node)!r}")

    def _space(self) -> Finite:
        if self.space is None:
            raise ValueError("vectors without a space")
        return self.space

    def _product(self, vectors: list[Array]) -> Fraction:
        left, right = np.broadcast_arrays(vectors[0], vectors[-1])
        total = Fraction((left * right).sum())
        return total / int(left.size // left.shape[-1])

    def _vector(self, node: ast.expr) -> Array:
        match node:
            case ast.Constant(value=0):
                return self._space().table({}, 1)
            case ast.Name(id=name) if name in self.tables:
                return self.tables[name]
            case ast.Name(id=name):
                return self._vector(parsed(dict(self._space().scope.derived)[name]))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._vector(operand)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._vector(left) + self._vector(right)
            case ast.BinOp(left=left, op=ast.Sub(), right=right):
                return self._vector(left) - self._vector(right)
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                if self._is_vector(left):
                    return self._vector(left) * self._value(right)
                return self._vector(right) * self._value(left)
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return self._vector(left) / self._value(right)
            case ast.Call(func=ast.Name(id="given"), args=[inner, *kept]):
                return self._given(self._vector(inner), {ast.unparse(s) for s in kept})
            case ast.Call(func=ast.Name(id="present"), args=[inner]):
                return self._vector(inner) * self._indicator()
        raise ValueError(f"cannot evaluate the vector {ast.unparse(node)!r}")

    def _is_vector(self, node: ast.expr) -> bool:
        names = {*self.tables, *dict(self._space().scope.derived)}
        return any(isinstance(x, ast.Name) and x.id in names for x in ast.walk(node))

    def _given(self, vector: Array, kept: set[str]) -> Array:
        sources = [*INDICES, *(s.source for s in self._space().signs)]
        axes = tuple(axis for axis, source in enumerate(sources) if source not in kept)
        count = prod(vector.shape[axis] for axis in axes)
        found: Array = vector.sum(axis=axes, keepdims=True) / Fraction(count)
        return np.broadcast_to(found, vector.shape)

    def _indicator(self) -> Array:
        members, (_, clients, _) = self._space().members, self._space().sizes
        rows = [[Fraction(int(i in group)) for i in range(clients)] for group in members]
        found = np.array(rows, dtype=object)
        return found.reshape(
            len(members), clients, *(1 for _ in range(2 + len(self._space().signs)))
        )


def _arithmetic(op: ast.operator, left: Fraction, right: Fraction) -> Fraction:
    match op:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div():
            return left / right
        case ast.Pow():
            return _power(left, right)
    raise ValueError(f"unknown operation {type(op).__name__}")


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    """A rational power of a perfect power."""
    degree = exponent.denominator
    if degree == 1:
        return base ** int(exponent)
    if base < 0:
        raise ValueError(f"a root of {base}")
    root = Fraction(_root(base.numerator, degree), _root(base.denominator, degree))
    if root**degree != base:
        raise ValueError(f"{base} to the {exponent} is not rational")
    return root ** int(exponent.numerator)


def _root(value: int, degree: int) -> int:
    """The nearest integer to a root."""
    guess = round(value ** (1 / degree)) if value < 2**1000 else 0
    return next((r for r in (guess - 1, guess, guess + 1) if r**degree == value), guess)
