"""A second checker of certificates: one file, Python's standard library alone.

Written from the page `docs/certificates.md`, not from the first checker. Copy it anywhere and run
``python -I second_checker.py certificates.json``: it prints what is accepted, and what is refused
and why; its status is 0 where nothing is refused, 1 where something is, 2 where the file cannot be
read.

Nothing of a document is executed: Python's parser reads its texts, and what is not of the page's
grammar is refused. Where the page is silent, the answer is "refused".
"""

import ast
import hashlib
import heapq
import itertools
import json
import keyword
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeVar

Row = dict[str, Any]
Poly = dict[int, int | Fraction]  # monomial to coefficient, never 0
Value = dict[str, "Quotient"]  # key to quotient, never 0
Linear = dict[str, int]  # name to its factor; the constant under ""
Condition = tuple[ast.expr, str, ast.expr]
Sources = frozenset[str]
Term = tuple[str, Sources, Sources | None]  # E[1 E[atom | inner] | outer]
Vector = dict[Term, "Quotient"]
Key = TypeVar("Key")

BITS = 32  # of an exponent in a monomial, the highest of them a guard
WORK = 10**7  # products of two terms, in one step
DIGITS = 10**6  # bits of a power that is multiplied out
TEXT = 10**5  # letters of an expression
FILE = 2**28  # bytes of a document
RELATIONS = frozenset({"<=", ">=", "=="})
COUNTS = ("integer", "varying")
SIGNS = frozenset({*COUNTS, "positive", "nonnegative", "index"})
RESERVED = "(Sum|Mean|Max|Min)_t|Sum(_ik?)?|sqrt|log|[Mm](ax|in)|sq|ip|dot|given|present|t|k"
OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.USub)
NOISE = "unbiased noise of bounded variance"


class Refused(Exception):
    """Why a step is refused."""


def need(holds: bool, why: str) -> None:
    if not holds:
        raise Refused(why)


# ---- Text


@lru_cache(maxsize=10**5)
def tree(text: str) -> ast.expr:
    """The tree of an expression of the grammar."""
    strange = r"[^A-Za-z0-9_ +\-*/(),]|\b0[0-9]|\b[0-9]+[A-Za-z_]|, *\)|\) *\("
    good = len(text) <= TEXT and not re.search(strange, text)
    need(good, f"{text[:80]!r} is not of the grammar")
    try:
        found = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise Refused(f"{text[:80]!r} cannot be parsed") from None
    limits = {x.args[1] for x in ast.walk(found) if isinstance(x, ast.Call) and len(x.args) == 2}
    for node in ast.walk(found):
        match node:
            case ast.Constant(value=number):
                good = type(number) is int
            case ast.Tuple(elts=[ast.Name(), ast.Constant(value=0), _]):
                good = node in limits
            case ast.Call(func=name, keywords=keywords):
                good = isinstance(name, ast.Name) and not keywords
            case _:
                good = isinstance(node, (*OPERATORS, ast.BinOp, ast.UnaryOp, ast.Name, ast.Load))
        need(good, f"{text[:80]!r} is not of the grammar")
    return found


def same(one: ast.expr, other: ast.expr) -> bool:
    return ast.dump(one) == ast.dump(other)


def called(node: ast.AST) -> str:
    """The name that a node calls, or nothing."""
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def words(*nodes: ast.AST) -> set[str]:
    return {x.id for node in nodes for x in ast.walk(node) if isinstance(x, ast.Name)}


def names(*texts: str) -> tuple[set[str], set[str]]:
    """Names in expressions: those that are called, and the others."""
    nodes = [node for text in texts for node in ast.walk(tree(text))]
    calls = {node.func for node in nodes if isinstance(node, ast.Call)}
    plain = {node.id for node in nodes if isinstance(node, ast.Name) and node not in calls}
    return {called(node) for node in nodes} - {""}, plain


def condition_of(one: Sequence[str]) -> Condition:
    return tree(one[0]), one[1], tree(one[2])


# ---- Polynomials, quotients, values


class Ring:
    """Polynomials in the variables of a branch; a monomial is one integer, exponents its digits."""

    def __init__(self, positive: Mapping[str, bool], work: list[int]) -> None:
        self.positive = positive  # of every variable, whether it is
        self.work = work  # what may still be multiplied
        self.places: dict[str, int] = {}  # of variables met so far
        self.guard = self.sure = 0  # highest bits of exponents; all bits of positive variables
        self.factors: list[Poly] = []
        self.spoken: dict[str, frozenset[str]] = {}  # what a variable speaks of, but of itself

    def variable(self, name: str) -> int:
        """The monomial of a variable."""
        if name not in self.places:
            need(name in self.positive, f"no variable {name[:80]!r}")
            at = BITS * len(self.places)
            self.places[name] = 1 << at
            self.guard |= 1 << (at + BITS - 1)
            self.sure |= ((1 << BITS) - 1) << at if self.positive[name] else 0
        return self.places[name]

    def spend(self, amount: int) -> None:
        self.work[0] -= amount
        need(self.work[0] >= 0, "too much is to be multiplied out")

    def polynomial(self, text: str) -> Poly:
        """A polynomial as documents write it."""
        found: Poly = {}
        for term in text.split(" + "):
            number, *powers = term.replace("**", "^").split("*")
            need(bool(re.fullmatch(r"-?[0-9]+(/[0-9]+)?", number)), "a polynomial cannot be read")
            need(len(powers) < 1000, "a term has too many powers")
            monomial = 0
            for power in powers:
                name, _, degree = power.partition("^")
                need(bool(re.fullmatch("[0-9]{1,6}", degree or "1")), "a degree cannot be read")
                monomial += self.variable(name) * int(degree or "1")
            value = Fraction(number) if "/" in number else int(number)
            found[monomial] = found.get(monomial, 0) + value
        return {m: c for m, c in found.items() if c}

    def times(self, one: Poly, other: Poly) -> Poly:
        self.spend(len(one) * len(other) * (1 + bits(one) * bits(other) // 2**14))
        found: Poly = {}
        for m, c in one.items():
            for n, d in other.items():
                found[m + n] = found.get(m + n, 0) + c * d
        need(not any(m & self.guard for m in found), "a degree is too large")
        return {m: c for m, c in found.items() if c}

    def power(self, poly: Poly, exponent: int) -> Poly:
        small = bits(poly) <= 1 and len(poly) <= 1
        need(small or bits(poly) * exponent <= DIGITS, "a power is too large")
        found: Poly = {0: 1}
        for digit in f"{exponent:b}":
            found = self.times(found, found)
            found = self.times(found, poly) if digit == "1" else found
        return found

    def over(self, one: Poly, other: Poly) -> Poly | None:
        """one / other, or None where that is no polynomial."""
        if not one:
            return {}
        lead, guard = max(other), self.guard
        ends = ((max(one), lead), (min(one), min(other)))  # of a product, they are products
        if any(((m | guard) - n) & guard != guard for m, n in ends):
            return None
        rest, found = dict(one), Poly()
        order = [-m for m in rest]
        heapq.heapify(order)
        while rest:
            at = -heapq.heappop(order)
            if at not in rest:
                continue
            if ((at | guard) - lead) & guard != guard:  # an exponent less than that of lead
                return None
            self.spend(len(other))
            value = rest[at] if other[lead] == 1 else Fraction(rest[at]) / other[lead]
            found[at - lead] = value
            for m, c in other.items():
                to = m + at - lead
                if to not in rest:
                    heapq.heappush(order, -to)
                rest[to] = rest.get(to, 0) - value * c
                if not rest[to]:
                    del rest[to]
        return found

    def quotient(self, poly: Poly, under: Iterable[int] = ()) -> "Quotient":
        """A polynomial over powers of the factors, reduced."""
        left = list(under) or [0] * len(self.factors)
        for at, factor in enumerate(self.factors):
            while left[at] and (less := self.over(poly, factor)) is not None:
                poly, left[at] = less, left[at] - 1 if less else 0
        return Quotient(self, poly, tuple(left))

    def number(self, number: int | Fraction) -> "Quotient":
        return self.quotient({0: number} if number else {})

    def read(self, data: str | Sequence[str]) -> "Quotient":
        """A quotient as documents write it."""
        if isinstance(data, str):
            return self.quotient(self.polynomial(data))
        above, below = data
        under = [0] * len(self.factors)
        for power in below.replace("**", "^").split("*"):
            found = re.fullmatch(r"_d([0-9]{1,6})(?:\^([0-9]{1,6}))?", power)
            if found is None:
                raise Refused("a denominator cannot be read")
            under[int(found[1])] += int(found[2] or "1")
        return self.quotient(self.polynomial(above), under)


def bits(poly: Poly) -> int:
    """Of the largest number in a polynomial."""
    every = (c.numerator.bit_length() | c.denominator.bit_length() for c in poly.values())
    return max(every, default=0)


@dataclass(frozen=True, eq=False, slots=True)
class Quotient:
    """A polynomial over powers of the factors of a branch."""

    ring: Ring
    top: Poly
    under: tuple[int, ...]

    def lifted(self, under: Sequence[int]) -> Poly:
        """The numerator over a larger denominator."""
        found, ring = self.top, self.ring
        for factor, new, old in zip(ring.factors, under, self.under, strict=True):
            found = ring.times(found, ring.power(factor, new - old)) if new > old else found
        return found

    def __add__(self, other: "Quotient") -> "Quotient":
        under = tuple(map(max, self.under, other.under))
        found = dict(self.lifted(under))
        for m, c in other.lifted(under).items():
            found[m] = found.get(m, 0) + c
        return self.ring.quotient({m: c for m, c in found.items() if c}, under)

    def __neg__(self) -> "Quotient":
        return Quotient(self.ring, {m: -c for m, c in self.top.items()}, self.under)

    def __sub__(self, other: "Quotient") -> "Quotient":
        return self + -other

    def __mul__(self, other: "Quotient") -> "Quotient":
        under = (a + b for a, b in zip(self.under, other.under, strict=True))
        return self.ring.quotient(self.ring.times(self.top, other.top), under)

    def __truediv__(self, other: "Quotient") -> "Quotient":
        need(other.positive() or (-other).positive(), "division by what may be zero")
        ring, many = self.ring, 2**BITS
        rest = ring.quotient(other.top, [many] * len(ring.factors))
        need(set(rest.top) == {0}, "division by what is no product of factors")
        inverse: Poly = {0: 1 / Fraction(rest.top[0])}
        above = ring.quotient(ring.number(1).lifted(other.under))
        return self * ring.quotient(inverse, (many - left for left in rest.under)) * above

    def __pow__(self, exponent: int) -> "Quotient":
        if exponent < 0:
            return self.ring.number(1) / self**-exponent
        under = (x * exponent for x in self.under)
        return self.ring.quotient(self.ring.power(self.top, exponent), under)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quotient) and not (self - other).top

    def not_negative(self) -> bool:
        return all(c > 0 for c in self.top.values())

    def positive(self) -> bool:
        sure = self.ring.sure
        return self.not_negative() and any(m | sure == sure for m in self.top)

    def constant(self) -> Fraction | None:
        """The rational number that it is, if it is one."""
        plain = not any(self.under) and not any(self.top)
        return Fraction(self.top.get(0, 0)) if plain else None

    def written(self) -> set[str]:
        """The variables that are written in it."""
        powers = [x for x, power in zip(self.ring.factors, self.under, strict=True) if power]
        every = 0
        for monomial in itertools.chain(self.top, *powers):
            every |= monomial
        places = self.ring.places.items()
        return {x for x, one in places if every & (one * ((1 << BITS) - 1))}

    def speaks(self) -> set[str]:
        """What it speaks of."""
        written = self.written()
        return written.union(*(self.ring.spoken.get(x, frozenset()) for x in written))


def total(pairs: Iterable[tuple[Key, Quotient]]) -> dict[Key, Quotient]:
    """The sum of terms, without what is zero."""
    found: dict[Key, Quotient] = {}
    for key, x in pairs:
        found[key] = found[key] + x if key in found else x
    return {key: x for key, x in found.items() if x.top}


def plus(one: dict[Key, Quotient], other: dict[Key, Quotient]) -> dict[Key, Quotient]:
    return total(itertools.chain(one.items(), other.items()))


def minus(one: dict[Key, Quotient], other: dict[Key, Quotient]) -> dict[Key, Quotient]:
    return plus(one, {key: -x for key, x in other.items()})


def product(one: Value, other: Value) -> Value:
    """The product of two values, one of which must be constant."""
    if set(one) - {""}:
        one, other = other, one
    need(not set(one) - {""}, "a product of two that are measured")
    return total((key, one[""] * x) for key, x in other.items()) if one else {}


def equal(one: Value, other: Value) -> bool:
    return set(one) == set(other) and all(one[key] == other[key] for key in one)


# ---- Reading expressions


class Scope:
    """The vectors of a scope; none where there is no scope."""

    def __init__(self, theory: Row, name: str) -> None:
        rows = theory["scopes"][name] if name else dict.fromkeys(SCOPE, ())
        self.name, self.sampled = name, bool(rows["sampled"])
        self.sources, self.differences = set(rows["sources"]), set(rows["differences"])
        self.atoms = {vector: frozenset(depends) for vector, depends in rows["atoms"]}
        self.derived, self.noises = dict(rows["derived"]), dict(rows["noises"])
        self.centred = dict(rows["centred"])
        self.gradients = {vector: one for vector, *one in rows["gradients"]}
        self.values = {value: one for value, *one in rows["values"]}
        self.vectors = {*self.atoms, *self.derived}


def mentions(key: str, index: str) -> bool:
    """Whether a key is of a round (t) or of a step (k)."""
    bound = key.startswith({"t": "Sum_t(", "k": "Sum_ik("}[index])
    return not bound and index in re.findall(r"[A-Za-z_]\w*", key)


def argument(parts: Linear) -> str:
    """An integer combination, as keys write it."""
    text = ""
    for name in [*sorted(name for name in parts if name), ""]:
        factor = parts.get(name, 0)
        size = "" if name and abs(factor) == 1 else str(abs(factor))
        text += f"{'-' if factor < 0 else '+'}{size}{name}" if factor else ""
    return text.removeprefix("+") or "0"


def of_vectors(key: str) -> bool:
    return key.startswith(("<", "value "))


@dataclass(frozen=True)
class Reader:
    """Reads expressions in a branch: in which scope, at which round and step."""

    branch: "Branch"
    scope: Scope
    slacks: bool = False  # whether they may be named
    at: Mapping[str, Linear] = field(default_factory=dict)

    def symbol(self, name: str) -> Quotient:
        """An assigned parameter, or a variable."""
        branch = self.branch
        if name in branch.parameters:
            return branch.parameters[name]
        known = name in branch.symbols or (self.slacks and name in branch.slacks)
        need(known, f"{name[:80]!r} is not declared, or not to be named here")
        return branch.ring.quotient({branch.ring.variable(name): 1})

    def number(self, number: int | Fraction) -> Quotient:
        return self.branch.ring.number(number)

    def quotient(self, node: ast.expr) -> Quotient:
        """The value of an expression that must be constant."""
        value = self.value(node)
        need(not set(value) - {""}, "something measured where a constant must be")
        return value.get("", self.number(0))

    def value(self, node: ast.expr) -> Value:
        match node:
            case ast.Name(id=name) if name in self.scope.values and name not in self.at:
                return {f"value {name}": self.number(1)}
            case ast.Constant(value=int(number)):
                found = self.number(number)
            case ast.Name(id=name) if name in self.at:
                found = self.number(self.at[name].get("", 0))
                for one in set(self.at[name]) - {""}:
                    found += self.symbol(one) * self.number(self.at[name][one])
            case ast.Name(id=name):
                found = self.symbol(name)
            case ast.UnaryOp(operand=operand):
                return minus({}, self.value(operand))
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return plus(self.value(left), self.value(right))
            case ast.BinOp(left=left, op=ast.Sub(), right=right):
                return minus(self.value(left), self.value(right))
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                return product(self.value(left), self.value(right))
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return product({"": self.number(1) / self.quotient(right)}, self.value(left))
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                found = self.power(self.quotient(left), right)
            case ast.Call(args=arguments) if called(node) in ("sqrt", "Max", "Min", "Sum"):
                found = self.function(called(node), arguments)
            case ast.Call(args=arguments):
                return self.call(called(node), arguments)
            case _:
                raise Refused("an expression cannot be read")
        return total([("", found)])

    def power(self, base: Quotient, node: ast.expr) -> Quotient:
        exponent = self.quotient(node)
        number, ring = exponent.constant(), self.branch.ring
        if number is not None:
            root = base if number.denominator == 1 else self.root(base, number.denominator)
            if root is None:
                raise Refused("a root that is not listed")
            return root**number.numerator
        whole = Fraction(exponent.top.get(0, 0))
        good = not any(exponent.under) and whole.denominator == 1
        need(good, "an exponent that is no polynomial of integer constant")
        rest = exponent - ring.number(whole)
        counts = rest.not_negative() and whole >= 0 and self.integer(node)
        need(base.positive() or (base.not_negative() and counts), "a power that may have no value")
        return self.further("power", [base, rest], base.positive()) * base**whole.numerator

    def root(self, base: Quotient, degree: int) -> Quotient | None:
        """The listed root of this degree."""
        return next(
            (x for x, power, of in self.branch.roots if power == degree and of == base), None
        )

    def further(self, kind: str, of: Sequence[Quotient], positive: bool) -> Quotient:
        """The further variable of these arguments, which for Max and Min are in any order."""
        for number, (is_, arguments, sure) in enumerate(self.branch.variables):
            orders = itertools.permutations(of) if kind in ("Max", "Min") else [of]
            if is_ == kind and len(arguments) == len(of):
                self.branch.ring.spend(math.factorial(len(of)))
                if any(all(map(Quotient.__eq__, one, arguments)) for one in orders):
                    need(sure is positive, f"the sign of _v{number}")
                    return self.branch.ring.quotient({self.branch.ring.variable(f"_v{number}"): 1})
        raise Refused(f"no further variable {kind} of these arguments")

    def integer(self, node: ast.expr) -> bool:
        """Whether an expression is an integer by its form."""
        match node:
            case ast.Name(id=name):
                return self.branch.symbols.get(name) in (*COUNTS, "index")
            case ast.UnaryOp(operand=operand):
                return self.integer(operand)
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right):
                return self.integer(left) and self.integer(right)
        return isinstance(node, ast.Constant)

    def linear(self, node: ast.expr) -> Linear:
        """An integer combination of names, as an argument of a quantity is one."""
        match node:
            case ast.Constant(value=int(number)) if number < 10_000:
                return {"": number}
            case ast.Name(id=name) if name in self.at:
                return dict(self.at[name])
            case ast.Name(id=name) if self.branch.symbols.get(name, "varying") != "varying":
                return {name: 1}
            case ast.UnaryOp(operand=operand):
                return {name: -x for name, x in self.linear(operand).items()}
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
                one, other = self.linear(left), self.linear(right)
                sign = 1 if isinstance(op, ast.Add) else -1
                return {x: one.get(x, 0) + sign * other.get(x, 0) for x in one | other}
        raise Refused("an argument that is no integer combination")

    def function(self, name: str, arguments: Sequence[ast.expr]) -> Quotient:
        """A root, the largest or smallest of several, or a geometric sum."""
        match name, arguments:
            case "sqrt", [x]:
                base = self.quotient(x)
                root = self.root(base, 2)
                need(root is not None or base.not_negative(), "the root of what may be negative")
                return root or self.further("sqrt", [base], base.positive())
            case "Max" | "Min", [_, _, *_]:
                kept: list[Quotient] = []
                for y in map(self.quotient, arguments):
                    if not any(beside(name, x, y) for x in kept):
                        kept = [x for x in kept if not beside(name, y, x)] + [y]
                if len(kept) == 1:
                    return kept[0]
                some = any if name == "Max" else all
                shown = self.branch.extremes and some(x.not_negative() for x in kept)
                need(shown, f"which is the {name} does not show")
                return self.further(name, kept, some(x.positive() for x in kept))
            case "Sum", [ast.BinOp(left=q, op=ast.Pow(), right=ast.Name(id=r)), ast.Tuple(elts=e)]:
                last, one = ast.BinOp(e[2], ast.Add(), ast.Constant(1)), self.number(1)
                need(words(e[0]) == {r} and r not in words(q), "a sum over another index")
                good = self.integer(e[2]) and self.quotient(last).not_negative()
                need(good, "a sum that ends at no integer of at least -1")
                return (self.power(self.quotient(q), last) - one) / (self.quotient(q) - one)
        raise Refused(f"{name} of other arguments")

    def call(self, name: str, arguments: Sequence[ast.expr]) -> Value:
        one = self.number(1)
        if name in self.branch.quantities:
            return {f"{name}({','.join(argument(self.linear(x)) for x in arguments)})": one}
        if self.branch.symbols.get(name) == "varying":
            need([argument(self.linear(x)) for x in arguments] == ["t"], f"{name} of another round")
            return {"": self.symbol(name)}
        match name, arguments:
            case "Sum_t" | "Mean_t", [x]:
                summed = total(self.over_rounds(self.bound("t").value(x), 0))
                return summed if name == "Sum_t" else product({"": one / self.symbol("T")}, summed)
            case "Sum_i", [x]:
                return total(self.over_clients(self.value(x), steps=False))
            case "Sum_ik", [x]:
                return total(self.over_clients(self.bound("k").value(x), steps=True))
            case "sq", [x]:
                return total(self.inner(self.vector(x), self.vector(x)))
            case "ip", [x, y]:
                return total(self.inner(self.vector(x), self.vector(y)))
            case "given", [ast.Call(args=[ast.Call(args=[x, y]) as dot]) as root]:
                need((called(root), called(dot)) == ("sqrt", "dot") and same(x, y), "no norm")
                [((atom, inner, outer), weight)] = self.vector(x).items()
                need(outer is None and weight == one, "the norm of what is no single vector")
                return {f"<{atom}|{','.join(sorted(inner))}>": one}
        raise Refused(f"{name[:80]!r} has no value here")

    def bound(self, index: str) -> "Reader":
        """Within a sum, an index is itself."""
        return replace(self, at={name: x for name, x in self.at.items() if name != index})

    def over_rounds(self, value: Value, first: int) -> Iterator[tuple[str, Quotient]]:
        """The sum over rounds from ``first`` to T - 1."""
        need(first == 1 or not self.branch.late, "a sum over all rounds, where t is positive")
        count = self.symbol("T")
        for key, x in value.items():
            need("t" not in x.speaks(), "a coefficient of a sum speaks of the round")
            need(not of_vectors(key), "a sum over rounds of vectors")
            if not mentions(key, "t"):
                yield key, x * (count - self.number(first))
                continue
            found = re.fullmatch(r"(\w+)\(t([+-][0-9]+)?\)", key)
            if found is None or first + int(found[2] or 0) < 0:
                raise Refused(f"a sum over rounds of {key}")
            name, shift = found[1], int(found[2] or 0)
            yield f"{name}(0)" if count.constant() == 1 else f"Sum_t({name}(t))", x
            for j in range(first + shift):
                yield f"{name}({j})", -x
            for j in range(shift):
                yield f"{name}({argument({'T': 1, '': j})})", x
            for j in range(1, 1 - shift):
                yield f"{name}({argument({'T': 1, '': -j})})", -x

    def over_clients(self, value: Value, steps: bool) -> Iterator[tuple[str, Quotient]]:
        """The sum over clients, or over clients and local steps."""
        theory, local = self.branch.proof.theory, self.symbol("K") if steps else self.number(1)
        own = {*theory["per_step"], *theory["per_client"]}
        for key, x in value.items():
            need("k" not in x.speaks(), "a coefficient of a sum speaks of the step")
            need(not of_vectors(key), "a sum over clients of vectors")
            name, _, inside = key.partition("(")
            *others, last = inside.removesuffix(")").split(",")
            if name in theory["per_step"]:
                good = steps and last == "k" and not any(mentions(one, "k") for one in others)
                need(good, f"a sum over clients of {key}")
                yield f"Sum_ik({key})", x
                continue
            late = (steps and mentions(key, "k")) or (
                name == "Sum_t" and inside.partition("(")[0] in own
            )
            need(not late, f"a sum over clients of {key}")
            if name in theory["per_client"]:
                yield f"Sum_i({key})", x * local
            else:
                yield key, x * local * self.symbol("n")

    # Vectors

    def single(self) -> bool:
        """Whether the participants are the one client that there is."""
        return self.scope.sampled and self.symbol("n").constant() == 1

    def vector(self, node: ast.expr) -> Vector:
        need(bool(self.scope.name), "vectors where there is no scope")
        self.branch.ring.spend(100)  # a vector derived from others twice over doubles
        match node:
            case ast.Constant(value=0):
                return {}
            case ast.Name(id=name) if name in self.scope.atoms:
                return {(name, self.scope.atoms[name], None): self.number(1)}
            case ast.Name(id=name) if name in self.scope.derived:
                return self.vector(tree(self.scope.derived[name]))
            case ast.UnaryOp(operand=operand):
                return minus({}, self.vector(operand))
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return plus(self.vector(left), self.vector(right))
            case ast.BinOp(left=left, op=ast.Sub(), right=right):
                return minus(self.vector(left), self.vector(right))
            case ast.BinOp(left=left, op=ast.Mult() | ast.Div() as op, right=right):
                if isinstance(op, ast.Mult) and not words(left) & self.scope.vectors:
                    left, right = right, left
                by = self.quotient(right)
                by = by if isinstance(op, ast.Mult) else self.number(1) / by
                return total((term, x * by) for term, x in self.vector(left).items())
            case ast.Call(args=[x, *sources]) if called(node) == "given":
                kept = {one.id for one in sources if isinstance(one, ast.Name)}
                good = len(kept) == len(sources) and kept <= self.scope.sources
                need(good, "given what is no source")
                return total((cut(term, kept), weight) for term, weight in self.vector(x).items())
            case ast.Call(args=[x]) if called(node) == "present":
                return self.present(self.vector(x))
        raise Refused("a vector cannot be read")

    def present(self, vector: Vector) -> Vector:
        """The vector, where the client takes part."""
        need(self.scope.sampled, "no clients are sampled in this scope")
        if self.single():
            return vector
        good = all(outer is None and "S" not in inner for _, inner, outer in vector)
        need(good, "present of what depends on participants")
        more = {"S", "i"} & {"S", *self.scope.sources}
        return {(atom, inner, inner | more): x for (atom, inner, _), x in vector.items()}

    def shares(self, one: Term, other: Term) -> list[tuple[Quotient, Sources]]:
        """Of a pair of terms: what has which weight."""
        both, less = one[1] & other[1], self.number(1)
        if one[2] is None and other[2] is None:
            return [(less, both)]
        m, n = self.symbol("m"), self.symbol("n")
        held = (one[1] if one[2] is None else one[2]) & (other[1] if other[2] is None else other[2])
        if one[2] is None or other[2] is None:
            need("S" not in held, "a product with what depends on participants")
            return [(m / n, both & held)]
        if "S" not in held:
            return [(m * m / (n * n), both & held)]
        if "i" in held or "i" not in self.scope.sources:
            return [(m / n, both & held)]
        pair = m * (m - less) / (n * (n - less))
        return [((m / n - pair) / n, both & (held | {"i"})), (pair, both & held)]

    def inner(self, one: Vector, other: Vector) -> Iterator[tuple[str, Quotient]]:
        """The mean inner product of two vectors."""
        single = frozenset({"i"} if self.single() else ())
        for (a, x), (b, y) in itertools.product(one.items(), other.items()):
            first, second = sorted((a[0], b[0]))
            for share, sources in self.shares(a, b):
                shown = sources - single
                centred = (self.scope.centred.get(atom) for atom in (first, second))
                if all(one is None or one in shown for one in centred):
                    yield f"<{first}|{second}|{','.join(sorted(shown))}>", x * y * share


def cut(term: Term, kept: Set[str]) -> Term:
    """A term, given these sources only."""
    atom, inner, outer = term
    return (atom, inner & kept, None) if outer is None else (atom, inner, outer & kept)


def beside(name: str, x: Quotient, y: Quotient) -> bool:
    """Whether y does not matter beside x."""
    return (x - y if name == "Max" else y - x).not_negative()


# ---- What is known in a branch

DECIDED = {"split": ("above", "below"), "integer": ("equal", "after")}


def charts(symbols: Mapping[str, str], chart: Sequence[Row]) -> list[list[Row]]:
    """The assignments of every branch; "asked" is whether a condition must say so."""
    assigned = [row["name"] for row in chart]
    split = [row["name"] for row in chart if row["kind"] in DECIDED]
    need(len(set(assigned)) == len(assigned), "a parameter is assigned twice")
    need(all(symbols.get(x, "index") != "index" for x in assigned), "no parameter is assigned")
    need(len(split) <= 8 and all(row["kind"] != "after" for row in chart), "no chart")
    rest = [x for x, sign in symbols.items() if sign in COUNTS and x not in assigned]
    first = [{"name": x, "kind": "above", "bound": "1", "of": "", "asked": True} for x in rest]
    found = []
    for number in range(2 ** len(split)):
        rows: list[Row] = [*first]
        for row in chart:
            kind, asked = row["kind"], True
            if kind in DECIDED:
                kind = DECIDED[kind][number >> split.index(row["name"]) & 1]
                asked = kind == "after"
            rows.append({**row, "kind": kind, "asked": asked})
        found.append(rows)
    return found


class Branch:
    """One branch of a chart: its parameters, and what its conditions imply."""

    def __init__(self, proof: "Proof", chart: Sequence[Row], data: Row) -> None:
        self.proof, self.symbols = proof, proof.theory["symbols"]
        self.quantities, self.late = proof.theory["quantities"], proof.late()
        signs = {x: sign in (*COUNTS, "positive") for x, sign in self.symbols.items()}
        signs["t"] = self.late
        self.slacks = {f"{x['name']}_": x["kind"] == "root" for x in chart if x["kind"] != "equal"}
        flags = {f"_v{i}": one["positive"] is True for i, one in enumerate(data["variables"])}
        self.ring = ring = Ring(signs | self.slacks | flags, proof.work)
        for x in (x for x, sign in self.symbols.items() if sign == "varying"):
            ring.spoken |= {x: frozenset({"t"}), f"{x}_": frozenset({"t"})}
        ring.factors = [ring.polynomial(text) for text in data["factors"]]
        sure = all(Quotient(ring, factor, ()).positive() for factor in ring.factors)
        need(sure, "a factor that may vanish")
        self.variables: list[tuple[str, list[Quotient], bool]] = []
        for number, row in enumerate(data["variables"]):
            of = [ring.read(x) for x in row["of"]]
            later = {f"_v{i}" for i in range(number, len(flags))}
            need(not any(later & x.written() for x in of), "a further variable of later ones")
            ring.spoken[f"_v{number}"] = frozenset().union(*(x.speaks() for x in of))
            self.variables.append((row["is"], of, flags[f"_v{number}"]))
        self.roots: list[tuple[Quotient, int, Quotient]] = []
        for row in data["roots"]:
            root, degree, of_ = ring.read(row["root"]), row["degree"], ring.read(row["of"])
            good = type(degree) is int and degree > 1 and root.not_negative()
            need(good and root**degree == of_, "no root")
            self.roots.append((root, degree, of_))
        self.parameters: dict[str, Quotient] = {}
        self.conditions, self.extremes = proof.conditions(), False
        self.plain = Reader(self, Scope(proof.theory, ""))
        self.own = replace(self.plain, slacks=True)  # reads texts of the certificate
        for place, row in enumerate(chart):
            later = {x["name"] for x in chart[place + 1 :]}
            self.assign(row, {"t", "k", row["name"], *later, *(f"{x}_" for x in later)})
        told = {name: ring.read(x) for name, x in data["parameters"].items()}
        need(equal(told, self.parameters), "a parameter is another")
        self.extremes = not proof.unrolled
        self.own = replace(self.own, scope=Scope(proof.theory, proof.scope))
        good = not self.own.scope.sampled or "S" in self.own.scope.sources or self.own.single()
        need(good, "clients are sampled, and participants are no source")

    def reader(self, scope: str) -> Reader:
        """What reads a statement of this scope, or of none."""
        return replace(self.own, slacks=False) if scope else self.plain

    # Charts

    def assign(self, row: Row, hidden: set[str]) -> None:
        """Assign one parameter."""
        name, kind, asked, y = row["name"], row["kind"], row["asked"], f"{row['name']}_"
        sign, one, own = self.symbols[name], self.ring.number(1), self.own
        bound = own.quotient(tree(row["bound"]))
        slack = one if kind == "equal" else self.ring.quotient({self.ring.variable(y): 1})
        hidden |= {y} if kind != "solve" else set()
        need(not bound.speaks() & hidden, f"the bound of {name} speaks of what is not assigned")
        count = sign in COUNTS
        strict = count or sign == "positive"
        least = not asked or (count and bound == one)
        match kind:
            case "above":
                good = least or self.says(name, ">=", bound)
                good = good and (bound.not_negative() or not strict)
                found = bound + slack
            case "scaled":
                good = (least or self.says(name, ">=", bound)) and bound.positive()
                found = bound * (one + slack) ** degree_of(row["of"])
            case "below":
                good = not asked or self.says(name, "<=", bound)
                good = good and strict and bound.positive()
                found = bound / (one + slack)
            case "equal":
                chosen = bound.positive() or (bound.not_negative() and not strict)
                chosen = chosen and name in self.proof.free() and not count
                good = not asked or chosen or self.says(name, "==", bound)
                found = bound
            case "root":
                good, found = strict, slack ** degree_of(row["bound"])
            case "after":
                whole = self.symbols.get(row["bound"]) == "integer" or row["bound"].isdecimal()
                good = bound == one or self.says(name, ">=", bound)
                good = good and whole and sign == "integer"
                found = bound + one + slack
            case "solve":
                good, found = self.linear(own.quotient(tree(row["of"])), name, y), bound
            case _:
                raise Refused(f"a chart of kind {kind[:80]!r}")
        need(good, f"{name} need not be {kind} {row['bound'][:80]!r}")
        self.parameters[name] = found
        if kind == "solve":
            need(own.quotient(tree(row["of"])) == slack * slack, f"{name} is not solved for")

    def linear(self, whole: Quotient, name: str, y: str) -> bool:
        """Whether it is a + b name, with b positive, not negative, and does not speak of y."""
        at, ring = self.ring.variable(name), self.ring
        degree = at * ((1 << BITS) - 1)
        rest = {m: c for m, c in whole.top.items() if not m & degree}
        slope = {m - at: c for m, c in whole.top.items() if m & degree == at}
        parts = [ring.quotient(x, whole.under) for x in (rest, slope)]
        alone = len(rest) + len(slope) == len(whole.top) and parts[1].positive()
        alone = alone and not any(name in part.speaks() for part in parts)
        return alone and whole.not_negative() and y not in whole.speaks()

    def says(self, name: str, relation: str, bound: Quotient) -> bool:
        """Whether a condition says so."""
        variable = self.ring.quotient({self.ring.variable(name): 1})
        wanted = bound - variable if relation == "<=" else variable - bound
        for left, sign, right in self.weaker(self.conditions):
            if name not in words(left, right) or (sign == "==") != (relation == "=="):
                continue
            try:
                gap = self.plain.quotient(right) - self.plain.quotient(left)
            except Refused:  # of what is assigned later, perhaps
                continue
            gap = -gap if sign == ">=" else gap
            ratio = self.ring.quotient(self.ring.over(gap.top, wanted.top) or {})
            if ratio.positive() or (sign == "==" and (-ratio).positive()):
                return True
        return False

    # Conditions

    def weaker(self, conditions: Iterable[Condition]) -> Iterator[Condition]:
        """Conditions, and what follows from each by one argument of a Max or Min alone."""
        for left, relation, right in conditions:
            yield left, relation, right
            name = {">=": "Max", "<=": "Min"}.get(relation)
            calls = [x for x in ast.walk(right) if isinstance(x, ast.Call) and called(x) == name]
            if len(calls) == 1 and self.increases(right, calls[0]):
                for one in calls[0].args:
                    yield left, relation, put(right, calls[0], one)

    def increases(self, node: ast.expr, call: ast.expr) -> bool:
        """Whether an expression is a call times, or divided by, what is positive."""
        while node is not call:
            match node:
                case ast.BinOp(left=left, op=ast.Mult(), right=right) if call in ast.walk(right):
                    node, other = right, left
                case ast.BinOp(left=left, op=ast.Mult() | ast.Div(), right=right):
                    node, other = left, right
                case _:
                    return False
            try:
                if not self.plain.quotient(other).positive():
                    return False
            except Refused:
                return False
        return True

    def implied(self, condition: Condition, reader: Reader) -> bool:
        """Whether a cited condition holds."""
        left, relation, right = condition
        for one, sign, other in self.weaker(self.conditions):
            if sign == relation and same(one, left) and same(other, right):
                return True
        if isinstance(right, ast.Call) and (relation, called(right)) in (
            (">=", "Max"),
            ("<=", "Min"),
        ):
            return all(self.implied((left, relation, one), reader) for one in right.args)
        gap = reader.quotient(right) - reader.quotient(left)
        gap = -gap if relation == ">=" else gap
        return not gap.top if relation == "==" else gap.not_negative()

    def not_negative(self, value: Value) -> bool:
        return all(self.never_negative(key) and x.not_negative() for key, x in value.items())

    def never_negative(self, key: str) -> bool:
        """Whether what a key stands for is never negative."""
        name, _, inside = key.partition("(")
        if name in ("Sum_t", "Sum_i", "Sum_ik"):
            return self.never_negative(inside.removesuffix(")"))
        if key.startswith("<"):
            return len(set(key[1:].split("|")[:-1])) == 1
        return not key or self.quantities.get(name, False) is True

    def check(self, value: Value, data: Mapping[str, Any], what: str) -> None:
        """Refuse where the document writes another value."""
        told = total((key, self.ring.read(x)) for key, x in data.items())
        need(equal(value, told), f"{what} is another")


def put(node: ast.expr, call: ast.expr, other: ast.expr) -> ast.expr:
    """The expression, with another one in place of a call."""
    if isinstance(node, ast.BinOp):
        return ast.BinOp(put(node.left, call, other), node.op, put(node.right, call, other))
    return other if node is call else node


def degree_of(text: str) -> int:
    need(bool(re.fullmatch("[1-9][0-9]{0,3}", text)), "no degree")
    return int(text)


# ---- Facts


def fact(name: str, arguments: Sequence[str], scope: Scope) -> Row:
    """What a fact says of its arguments, as a statement."""
    for one in arguments:
        tree(one)
    needed: list[tuple[str, str, str]] = []
    assumes, relation = "", "<="

    def mean(vector: str, *less: str) -> str:
        return f"given({', '.join([vector, *sorted(scope.atoms[vector] - set(less))])})"

    match name, arguments:
        case "growth", [c, count, b]:
            number = "[0-9]{1,99}(/[0-9]{1,99})?"
            good = all(re.fullmatch(number, x) for x in (c, b)) and Fraction(c) <= 8
            terms = [Fraction(c) ** j / math.factorial(j) for j in range(41 if good else 0)]
            good = good and Fraction(b) >= sum(terms) + terms[40] * (
                4 ** (int(Fraction(c)) + 1) - 1
            )
            need(good, "growth that is not shown")
            left, right, needed = f"(1 + ({c})/({count}))**({count})", b, [(count, ">=", "1")]
        case "power_grows", [q, a, b]:
            left, right = f"({q})**({a})", f"({q})**({b})"
            needed = [(q, ">=", "1"), (a, "<=", b)]
        case "power_falls", [q, a, b]:
            left, right = f"({q})**({b})", f"({q})**({a})"
            needed = [(q, "<=", "1"), (q, ">=", "0"), (a, "<=", b)]
        case "root_grows", [x, y]:
            left, right, needed = f"sqrt({x})", f"sqrt({y})", [(x, ">=", "0"), (x, "<=", y)]
        case "largest" | "least", [x, _, *_]:
            every = {ast.dump(tree(one)) for one in arguments}
            need(len(every) == len(arguments), "two arguments are equal")
            shown = f"{'Max' if name == 'largest' else 'Min'}({', '.join(arguments)})"
            left, right = (x, shown) if name == "largest" else (shown, x)
        case "mean_norm", [x, d]:
            left, right = f"2*({d})*given(sqrt(dot({x}, {x})))", f"({d})**2 + sq({x})"
        case "smooth", [p, q]:
            (block, *one), (other, *two) = scope.gradients[p], scope.gradients[q]
            need(block == other, "gradients in two blocks")
            apart = [f"sq(({x}) - ({y}))" for x, y in zip(one, two, strict=True) if x != y]
            factor = "2*L**2" if len(apart) == 2 else "L**2"
            left, right, assumes = (
                f"sq({p} - {q})",
                f"{factor}*({' + '.join(apart) or 0})",
                "smooth",
            )
        case "variance", [x]:
            left, right, assumes = f"sq({x})", scope.noises[x], NOISE
        case "martingale", [x, "k" | "ik" as axes]:
            good = x in scope.differences and set(axes) <= scope.atoms[x]
            need(good, "no martingale difference")
            left, relation, assumes = f"sq({mean(x, *axes)})", "==", NOISE
            right = f"sq({x})/{'K' if axes == 'k' else '(n*K)'}"
        case "dissimilarity", [p]:
            block, u, _ = scope.gradients[p]
            need(block == "u" and "i" not in scope.atoms[u], "its point is not shared")
            left, right = f"sq({p} - {mean(p, 'i')})", "b2"
            assumes = "bounded gradient dissimilarity"
        case "descent", [x, y, p]:
            block, *point = scope.gradients[p]
            start, end, own = scope.values[x], scope.values[y], "uv".index(block)
            good = start == point and start[1 - own] == end[1 - own] and "i" in scope.sources
            need(good, "no step in one block")
            step = f"({end[own]}) - ({start[own]})"
            left, right, assumes = f"{y} - {x}", f"ip({p}, {step}) + L/2*sq({step})", "smooth"
        case "infimum", []:
            left, right, assumes = "0", "f(T)", "bounded below"
        case "initial_gap", []:
            left, relation, right, assumes = "f(0)", "==", "F_0", "bounded below"
        case _:
            raise Refused(f"no fact {name[:80]!r} of these arguments")
    told = {"left": left, "relation": relation, "right": right, "conditions": needed}
    return told | {
        "assumptions": [assumes] * bool(assumes),
        "first": 0,
        "scope": "",
        "algorithm": "",
    }


# ---- Before any rule


def is_name(text: str) -> bool:
    formed = re.fullmatch(r"[A-Za-z]([A-Za-z0-9_]*[A-Za-z0-9])?", text)
    return formed is not None and not re.fullmatch(RESERVED, text) and not keyword.iskeyword(text)


def check_book(book: Row) -> None:
    """Refuse a book of another version or theory, or with names and signs that must not be."""
    theory = book["theory"]
    good = type(book["version"]) is int and book["version"] == 2 and fits(theory, THEORY)
    need(good, "no book of version 2")
    text = json.dumps(theory, sort_keys=True, separators=(",", ":"))
    need(hashlib.sha256(text.encode()).hexdigest() == book["hash"], "the theory was edited")
    symbols, quantities = theory["symbols"], theory["quantities"]
    for name, sign in symbols.items():
        good = (sign == "index") == (name in ("t", "k"))
        good = good and (sign == "integer" or name not in ("n", "m", "K", "T"))
        need(good, f"the sign of {name[:80]!r}")
    plain = [*(set(symbols) - {"t", "k"}), *quantities]
    need(all(map(is_name, plain)) and len(set(plain)) == len(plain), "a name that is none")


def check_scope(theory: Row, name: str, algorithm: str) -> None:
    """Refuse a scope that is not there, of another algorithm, or whose names are not distinct."""
    need(not name or name in theory["scopes"], f"no scope {name[:80]!r}")
    rows = theory["scopes"][name] if name else {"algorithm": "", "atoms": [], "derived": []}
    need(rows["algorithm"] in ("", algorithm), "a scope of another algorithm")
    if name:
        vectors = [one[0] for one in (*rows["atoms"], *rows["derived"])]
        values = {one[0] for one in rows["values"]}
        own = [*(set(rows["sources"]) - {"k"}), *vectors, *values]
        need(all(map(is_name, own)), "a name that is none")
        every = [*own, *theory["symbols"], *theory["quantities"]]
        need(len(set(every)) == len(every), "a name is of two kinds")


def check_statement(theory: Row, statement: Row) -> None:
    """Refuse a statement that is not well-formed."""
    for left, _, right in statement["conditions"]:
        calls, plain = names(left, right)
        known = all(theory["symbols"].get(x, "index") not in ("index", "varying") for x in plain)
        need(known and calls <= {"sqrt", "log", "Max", "Min"}, "a name in a condition")
    scope = statement["scope"]
    need(not scope or scope in theory["scopes"], "the statement's scope is not there")
    algorithm = theory["scopes"][scope]["algorithm"] if scope else ""
    need(algorithm in ("", statement["algorithm"]), "a scope of another algorithm")


def check_names(theory: Row, statement: Row) -> None:
    """Refuse a statement that names what is not declared."""
    sides = (statement["left"], statement["right"])
    calls, plain = names(*sides)
    varying = {x for x, sign in theory["symbols"].items() if sign == "varying"}
    calls = {x for x in calls if not re.fullmatch(RESERVED, x)}
    need(calls <= {*theory["quantities"], *varying}, "what is called is not declared")
    scope = Scope(theory, statement["scope"])
    sums = [x for side in sides for x in ast.walk(tree(side)) if isinstance(x, ast.Tuple)]
    own = {*scope.sources, *scope.vectors, *scope.values}
    known = own.union(theory["symbols"].keys() - varying, *(words(x.elts[0]) for x in sums))
    need(plain <= known, f"{min(plain - known, default='')[:80]!r} is not declared")


def check_needs(theory: Row, statement: Row, part: Row) -> None:
    """Refuse where a part of a certificate names a vector and lacks what that needs."""
    if not part["scope"]:
        return
    scope = Scope(theory, part["scope"])
    left = [statement["left"], statement["right"]] if statement["scope"] else []
    for row in (*part["premises"], *part["squares"]):
        left += [*row["times"], row.get("vector", "0")]
        if row.get("kind") == "fact":
            says = fact(row["name"], row["arguments"], scope)
            left += [says["left"], says["right"]]
    named = set[str]()
    while left:
        new = names(*left)[1] - named
        named |= new
        left = [scope.derived[x] for x in new if x in scope.derived]
        left += [point for x in new for point in scope.values.get(x, ()) if point]
    held = [*theory["always"], *statement["conditions"]]
    for one in theory["scopes"][part["scope"]]["needs"]:
        if named & set(one["vectors"]):
            told = all(x in held for x in one["conditions"])
            told = told and set(one["assumptions"]) <= set(statement["assumptions"])
            need(told, "a vector needs what the statement does not say")


# ---- Rules


@dataclass(frozen=True)
class Proof:
    """What is proved, in which scope, and from which earlier statements."""

    theory: Row
    statement: Row
    scope: str
    earlier: Mapping[str, Row]
    work: list[int]
    unrolled: bool = False  # a recursion, of rounds from 0 on, to which no block is absent

    def late(self) -> bool:
        """Whether it is of rounds from 1 on."""
        calls, _ = names(self.statement["left"], self.statement["right"])
        return (
            self.statement["first"] == 1 and not self.unrolled and not calls & {"Sum_t", "Mean_t"}
        )

    def absent(self) -> Row:
        """The block that is absent, or one that is none."""
        rows, held = self.theory["absent"], self.statement["conditions"]
        found = [x for x in rows if [x["dimension"], "==", "0"] in held]
        if self.scope or self.unrolled or not found:
            return {"holds": [], "assumptions": [], "free": []}
        [block] = found  # one at most
        return dict(block)

    def conditions(self) -> list[Condition]:
        rows = (self.theory["always"], self.statement["conditions"], self.absent()["holds"])
        return [condition_of(one) for one in itertools.chain(*rows)]

    def free(self) -> set[str]:
        """Parameters that may be chosen."""
        rows = [*self.theory["always"], *self.statement["conditions"]]
        sides = [side for left, _, right in rows for side in (left, right)]
        named = words(*map(tree, (self.statement["left"], self.statement["right"], *sides)))
        return set(self.absent()["free"]) - named

    def step(self, name: str) -> Row:
        """An earlier statement, which is well-formed."""
        need(name in self.earlier, f"no earlier step {name[:80]!r}")
        check_statement(self.theory, self.earlier[name])
        return self.earlier[name]

    def check(self, certificate: Row, data: Row) -> None:
        """Refuse, or return."""
        theory, statement, part = self.theory, self.statement, certificate
        check_statement(theory, statement)
        check_names(theory, statement)
        while part:
            check_scope(theory, part["scope"], statement["algorithm"])
            own = statement["scope"] in ("", part["scope"])
            need(own, "a statement is proved in its scope")
            check_needs(theory, statement, part)
            part = part["base"]
        match certificate["rule"]:
            case "given":
                need(certificate["origin"] != "", "a given statement has an origin")
                for row in certificate["premises"]:
                    good = row["kind"] == "step" and row["name"] in self.earlier
                    need(good, "a given statement restates earlier steps")
            case "combine":
                self.combine(certificate, data["branches"])
            case "induction":
                self.induction(certificate, data)
            case "unroll":
                replace(self, scope="", unrolled=True).unroll(certificate, data["branches"])
            case "root":
                self.root(certificate, data["branches"])

    def branches(self, certificate: Row, rows: Sequence[Row]) -> Iterator[tuple[Branch, Row]]:
        every = charts(self.theory["symbols"], certificate["chart"])
        need(len(rows) == len(every), "another number of branches")
        return ((Branch(self, chart, data), data) for chart, data in zip(every, rows, strict=True))

    def combine(
        self,
        certificate: Row,
        rows: Sequence[Row],
        at: Mapping[str, Linear] | None = None,
        hypothesis: bool = False,
        under: str = "0",
    ) -> None:
        """The statement, from premises times multipliers and from squares."""
        premises, squares = certificate["premises"], certificate["squares"]
        idle = {place for place, row in enumerate(premises) if row["kind"] == "step"}
        equality = self.statement["relation"] == "=="
        need(not (equality and squares), "a square in an equality")
        for number, (branch, data) in enumerate(self.branches(certificate, rows)):
            reader = branch.reader(self.statement["scope"])
            left = difference(replace(reader, at=at or {}), self.statement)
            branch.check(left, data["gap"], "the gap")
            inside = reader.value(tree(under))
            branch.check(inside, data.get("under", {}), "what is under the root")
            need(branch.not_negative(inside), "what is under the root may be negative")
            for place, (row, told) in enumerate(zip(premises, data["premises"], strict=True)):
                times = branch.own.value(multiplier(row, number))
                need((told is None) == (not times), "a multiplier that is zero, or is not")
                if told is None:
                    continue
                idle.discard(place)
                relation, says = self.premise(branch, row, hypothesis)
                sure = relation == "==" or (not equality and branch.not_negative(times))
                need(sure, "an inequality in an equality, or times what may be negative")
                branch.check(times, told["times"], "a multiplier")
                branch.check(says, told["difference"], "a premise")
                left = minus(left, product(times, says))
            for row, told in zip(squares, data["squares"], strict=True):
                times = branch.own.value(multiplier(row, number))
                vector = branch.own.vector(tree(row["vector"]))
                square = total(branch.own.inner(vector, vector))
                need(branch.not_negative(times), "a square times what may be negative")
                branch.check(times, told["times"], "a multiplier")
                branch.check(square, told["square"], "a square")
                left = minus(left, product(times, square))
            branch.check(left, data["remainder"], "the remainder")
            need(not left if equality else branch.not_negative(left), "the remainder may not be")
        need(not idle, "a step is cited and not used")

    def induction(self, certificate: Row, data: Row) -> None:
        """The statement at its start, and at the next from itself."""
        x, base, statement = certificate["variable"], certificate["base"], self.statement
        need(x in ("t", "k") and x in self.theory["symbols"], "induction over no index")
        need(base is not None and not statement["scope"], "no start, or a statement of vectors")
        first = {"": statement["first"] if x == "t" else 0}
        replace(self, scope=base["scope"]).combine(base, data["base"], {x: first})
        self.combine(certificate, data["next"], {x: {x: 1, "": 1}}, hypothesis=True)

    def root(self, certificate: Row, rows: Sequence[Row]) -> None:
        """X <= sqrt(B), from X <= d/2 + B/(2 d) for every positive d."""
        cited = [self.earlier.get(row["name"]) for row in certificate["premises"]]
        text = json.dumps([self.theory, self.statement, cited])
        assigned = {row["name"] for row in certificate["chart"]}
        spoken = "any_d" in re.findall(r"\w+", text) or "any_d" in assigned
        need(not spoken and certificate["base"] is None, "any_d is spoken of, or there is a base")
        symbols = self.theory["symbols"] | {"any_d": "positive"}
        statement = self.statement | {"right": tangent(self.statement, "any_d")}
        wide = replace(self, theory=self.theory | {"symbols": symbols}, statement=statement)
        wide.combine(certificate, rows, under=under_root(self.statement))

    def unroll(self, certificate: Row, rows: Sequence[Row]) -> None:
        """The sum of x(t) over rounds, from x(t + 1) <= r x(t) + y(t)."""
        statement, name, [row] = self.statement, certificate["variable"], certificate["premises"]
        says, rate = self.step(row["name"]), f"({certificate['origin']})"
        plain = row["kind"] == "step" and not row["at"] and not row["over"]
        need(plain and name in self.theory["quantities"], "a recursion not as it stands")
        forms = {(f"{name}(t + 1)", 0): 0, (f"{name}(t)", 1): 1}
        later = forms.get((says["left"], says["first"]))
        sides = (says["relation"], statement["relation"], statement["left"])
        good = later is not None and sides == ("<=", "<=", f"Sum_t({name}(t))")
        need(good, "no recursion, or no sum of what recurs")
        self.may_cite(says, statement["assumptions"])
        tree(certificate["origin"])
        for branch, data in self.branches(certificate, rows):
            read = branch.plain
            held = all(branch.implied(condition_of(x), read) for x in says["conditions"])
            factor = read.quotient(tree(rate))
            good = held and "t" not in factor.speaks() and (factor - read.number(1)).positive()
            need(good, "a condition is not implied, or a factor may be 1")
            next_ = replace(read, at={"t": {"t": 1, "": 1}} if later else {})
            added = minus(next_.value(tree(says["right"])), read.value(tree(f"{rate}*{name}(t)")))
            good = branch.not_negative(added) and not any(x.startswith(f"{name}(") for x in added)
            need(good, "what is added may be negative, or recurs")
            start, rest = (tree(f"({rate}**{n} - 1)/({rate} - 1)") for n in ("T", "(T - 1)"))
            bound = product(read.value(start), read.value(tree(f"{name}(0)")))
            bound = plus(bound, product(read.value(rest), total(read.over_rounds(added, 0))))
            claimed = read.value(tree(statement["right"]))
            left = minus(claimed, bound)
            branch.check({"": factor}, data["factor"], "the factor")
            branch.check(added, data["added"], "what is added")
            branch.check(bound, data["bound"], "the bound")
            branch.check(claimed, data["claimed"], "what is claimed")
            branch.check(left, data["remainder"], "the remainder")
            need(branch.not_negative(left), "the remainder may be negative")

    # Premises

    def may_cite(self, says: Row, assumptions: Iterable[str]) -> None:
        own = says["algorithm"] in ("", self.statement["algorithm"])
        need(own, "what is cited is of another algorithm")
        need(set(says["assumptions"]) <= set(assumptions), "what is cited assumes more")

    def premise(self, branch: Branch, row: Row, hypothesis: bool) -> tuple[str, Value]:
        """The relation of a premise, and its difference."""
        match row["kind"]:
            case "condition":
                return condition(branch, row["name"])
            case "hypothesis":
                need(hypothesis, "a hypothesis where there is none")
                return self.statement["relation"], difference(branch.plain, self.statement)
            case "fact":
                reader = branch.own
                says = fact(row["name"], row["arguments"], reader.scope)
            case _:
                says = self.step(row["name"])
                reader = branch.reader(says["scope"])
        need(says["scope"] in ("", self.scope), "a step of another scope")
        self.may_cite(says, [*self.statement["assumptions"], *self.absent()["assumptions"]])
        reader = replace(reader, at=self.places(branch, row, says["first"]))
        if row["kind"] == "step" and row["arguments"]:
            [number] = row["arguments"]
            need(reader.quotient(tree(number)).positive(), "a tangent at what may be zero")
            says = says | {"right": tangent(says, number)}
        held = all(branch.implied(condition_of(x), reader) for x in says["conditions"])
        need(held, "a condition of what is cited is not implied")
        value = difference(reader, says)
        need(not row["at"] or not any(map(of_vectors, value)), "vectors at another round")
        match row["over"]:
            case "t":
                value = total(branch.plain.over_rounds(value, says["first"]))
            case "i" | "ik" as axes:
                value = total(branch.plain.over_clients(value, steps=axes == "ik"))
        return says["relation"], value

    def places(self, branch: Branch, row: Row, first: int) -> dict[str, Linear]:
        """What replaces t and k, where a fact or a step holds."""
        at = dict(row["at"])
        good = len(at) == len(row["at"]) and at.keys() <= {"t", "k"} - set(row["over"])
        need(good and at.get("k", "k") in ("k", "0"), "an index that must not be replaced so")
        found = {name: branch.plain.linear(tree(text)) for name, text in at.items()}
        parts = {name: x for name, x in found.get("t", {"t": 1}).items() if x}
        stays, number = parts.get("t", 0), parts.get("", 0)
        if row["over"] != "t":
            start = number + (self.statement["first"] if stays else 0)
            good = parts.keys() <= {"t", ""} and stays in (0, 1) and not (stays and number > 0)
            need(good and start >= first, "at a round of which it is not said")
        if number and not stays:
            last = branch.plain.symbol("T") - branch.ring.number(number + 1)
            need(last.not_negative(), "at a round that there may not be")
        return found


def condition(branch: Branch, name: str) -> tuple[str, Value]:
    """A condition as a premise, perhaps a weaker one, perhaps squared."""
    form = re.fullmatch(r"([0-9]{1,4})(?: ([0-9]{1,4}))?( squared)?", name)
    if form is None:
        raise Refused("no condition")
    every = list(branch.weaker([branch.conditions[int(form[1])]]))
    left, relation, right = every[int(form[2] or 0)]
    one, other = branch.plain.quotient(left), branch.plain.quotient(right)
    if form[3]:
        need(one.not_negative() and other.not_negative(), "a square of what may be negative")
        one, other = one * one, other * other
    return relation, total([("", one - other if relation == ">=" else other - one)])


def difference(reader: Reader, statement: Row) -> Value:
    """What a statement says is not negative, or is zero."""
    left, right = (reader.value(tree(statement[side])) for side in ("left", "right"))
    return minus(left, right) if statement["relation"] == ">=" else minus(right, left)


def multiplier(row: Row, number: int) -> ast.expr:
    """The multiplier of a premise or a square in a branch."""
    return tree(row["times"][number if len(row["times"]) != 1 else 0])


def under_root(statement: Row) -> str:
    """B, of a statement X <= sqrt(B)."""
    right = tree(statement["right"])
    need(statement["relation"] == "<=" and called(right) == "sqrt", "no bound by a root")
    [inside] = (x for x in ast.iter_child_nodes(right) if x is not getattr(right, "func", None))
    return ast.unparse(inside)


def tangent(statement: Row, number: str) -> str:
    """What X <= sqrt(B) says at a positive number."""
    return f"({number})/2 + ({under_root(statement)})/(2*({number}))"


# ---- Documents

PAIRS, TRIPLES, CONDITIONS = [(str, str)], [(str, str, str)], [(str, RELATIONS, str)]
NEED = dict(vectors=[str], assumptions=[str], conditions=TRIPLES)
SCOPE = (
    dict(sources=[str], atoms=[(str, [str])], centred=PAIRS, derived=PAIRS, noises=PAIRS)
    | dict(gradients=[(str, str, str, str)], differences=[str], values=TRIPLES, sampled=bool)
    | dict(algorithm=str, needs=[NEED])
)
ABSENT = dict(dimension=str, holds=TRIPLES, assumptions=[str], free=[str])
THEORY = dict(
    symbols={"*": SIGNS}, quantities={"*": bool}, per_client=[str], per_step=[str]
) | dict(scopes={"*": SCOPE}, always=CONDITIONS, absent=[ABSENT])
STATEMENT = dict(left=str, relation=RELATIONS, right=str, conditions=CONDITIONS) | dict(
    assumptions=[str], first=frozenset({0, 1}), scope=str, algorithm=str
)
PREMISE = dict(kind=frozenset({"step", "fact", "condition", "hypothesis"}), name=str) | dict(
    arguments=[str], at=PAIRS, over=frozenset({"", "t", "i", "ik"}), times=[str]
)
RULES = frozenset({"given", "combine", "induction", "unroll", "root"})
CERTIFICATE = dict(
    chart=[dict(name=str, kind=str, bound=str, of=str)], premises=[PREMISE], rule=RULES
) | dict(squares=[dict(vector=str, times=[str])], scope=str, variable=str, origin=str)
BOOK = dict(version=object, hash=object, theory=dict, steps=[dict])


def fits(data: Any, shape: Any) -> bool:
    """Whether data has a form: a type, what it may be, or forms of what is in it."""
    match shape:
        case frozenset():
            return type(data) in (str, int) and data in shape
        case [inner]:
            return type(data) is list and all(fits(x, inner) for x in data)
        case {"*": inner}:
            return type(data) is dict and all(fits(x, inner) for x in data.values())
        case dict():
            return (
                type(data) is dict
                and data.keys() == shape.keys()
                and all(fits(data[key], inner) for key, inner in shape.items())
            )
        case tuple():
            return type(data) is list and len(data) == len(shape) and all(map(fits, data, shape))
    return shape is object or type(data) is shape


def formed(certificate: Any) -> bool:
    """Whether it is a certificate, and its base, if it has one."""
    if not fits(certificate, CERTIFICATE | {"base": object}):
        return False
    return certificate["base"] is None or formed(certificate["base"])


def check_row(theory: Row, row: Row, earlier: Mapping[str, Row]) -> None:
    """Refuse a row of a book, or return."""
    name, statement, certificate = row["id"], row["statement"], row["certificate"]
    need(fits(statement, STATEMENT) and formed(certificate), "no statement, or no certificate")
    need(earlier.get(name, statement) == statement, "an earlier row says something else")
    others = {x: one for x, one in earlier.items() if x != name}
    proof = Proof(theory, statement, certificate["scope"], others, [WORK])
    proof.check(certificate, row.get("expanded", {}))


def answers(book: Row) -> Iterator[tuple[str, str]]:
    """Every step that has a certificate, and why it is refused, or nothing."""
    wrong, earlier = refusal(check_book, book), dict[str, Row]()
    for row in book["steps"]:
        if row["certificate"] is not None:
            yield row["id"], wrong or refusal(check_row, book["theory"], row, earlier)
        if fits(row["statement"], STATEMENT):
            earlier.setdefault(row["id"], row["statement"])


def refusal(check: Callable[..., None], *arguments: Any) -> str:
    """Why a check refuses, or nothing."""
    try:
        check(*arguments)
    except Refused as error:
        return str(error)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        return f"it cannot be read: {error!r}"[:200]
    except (RecursionError, MemoryError):
        return "it is too deep, or too large"
    return ""


def main(arguments: Sequence[str]) -> int:
    """Check the books of a document and print what is refused."""
    try:
        [path] = arguments
        with open(path, "rb") as file:
            data = file.read(FILE + 1)
        books: Row = json.loads(data) if len(data) <= FILE else {"": "too large"}
        good = fits(books, {"*": BOOK}) and all(
            type(row.get("id")) is str and row.keys() >= {"statement", "certificate"}
            for book in books.values()
            for row in book["steps"]
        )
        need(good, "no document of certificates, or one that is too large")
    except (OSError, ValueError, RecursionError, Refused) as error:
        print(f"second_checker: {str(error)!a}", file=sys.stderr)
        return 2
    status = 0
    for paper, book in books.items():
        found = list(answers(book))
        refused = [(name, why) for name, why in found if why]
        print(f"{paper!a}: {len(found) - len(refused)} accepted, {len(refused)} refused")
        for name, why in refused:
            print(f"  {name!a}: {why!a}")
        status = 1 if refused else status
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
