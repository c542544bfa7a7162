"""A second checker of certificates: one file, Python's standard library alone.

Written from the page `docs/certificates.md`, and from nothing else of the first checker. Copy it and
run ``python -I second_checker.py certificates.json``: it prints what is accepted and what is refused
and why, and ends with 0 where nothing is refused, 1 where something is, 2 where the file is none.

Nothing of a document is executed: Python's parser reads its texts, and whatever is not of the page's
grammar is refused. Where the page is silent, the answer is "refused".
"""

from __future__ import annotations

import ast
import hashlib
import heapq
import itertools
import json
import keyword
import math
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

Row = dict[str, Any]
Poly = dict[int, "int | Fraction"]  # monomial to coefficient, never 0
Value = dict[str, "Quotient"]  # key to quotient, never 0
Linear = dict[str, int]  # name to its factor; the constant under ""
Condition = tuple[ast.expr, str, ast.expr]
Term = tuple[str, frozenset[str], "frozenset[str] | None"]  # E[1 E[atom | inner] | outer]
Vector = dict[Term, "Quotient"]

BITS = 32  # of an exponent in a monomial, the highest of them a guard
WORK = 3 * 10**7  # products of two terms, in one step
DIGITS = 10**6  # bits of a number that is multiplied out
TEXT = 100_000  # letters of an expression
FILE = 2**28  # bytes of a document

RESERVED = frozenset(
    "Sum_t Mean_t Max_t Min_t Sum_i Sum_ik Sum sqrt log Max Min max min sq ip dot given present t k".split()
)
RELATIONS = ("<=", ">=", "==")
COUNTS = ("integer", "varying")
NAME = re.compile(r"[A-Za-z]([A-Za-z0-9_]*[A-Za-z0-9])?")


class Refused(Exception):
    """Why a step is refused."""


def need(holds: bool, why: str) -> None:
    """Refuse unless it holds."""
    if not holds:
        raise Refused(why)


# ---- Text


@lru_cache(maxsize=100_000)
def tree(text: str) -> ast.expr:
    """The tree of an expression of the grammar."""
    need(len(text) <= TEXT, "a text is too long")
    strange = r"[^A-Za-z0-9_ +\-*/(),]|\b0[0-9]|\b[0-9]+[A-Za-z_]|, *\)|\) *\("
    need(not re.search(strange, text), f"{text[:80]!r} is not of the grammar")
    try:
        found = ast.parse(text.strip(" "), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise Refused(f"{text[:80]!r} cannot be parsed") from None
    allowed = (ast.Name, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.USub, ast.Load)
    ranges = set()
    for node in ast.walk(found):
        match node:
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                match name, arguments:
                    case "Sum", [_, ast.Tuple(elts=[ast.Name(), ast.Constant(value=0), _]) as one]:
                        ranges.add(one)
            case ast.Constant(value=number):
                need(type(number) is int, f"{number!r} is no number")
            case ast.Tuple():
                need(node in ranges, "a tuple")
            case _:
                need(isinstance(node, (*allowed, ast.BinOp, ast.UnaryOp)), f"in {text[:80]!r}")
    return found


def same(one: ast.expr, other: ast.expr) -> bool:
    """Whether two expressions are equal as trees."""
    return ast.dump(one) == ast.dump(other)


def called(node: ast.AST) -> str:
    """The name that a node calls, or nothing."""
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def names(*texts: str) -> tuple[set[str], set[str]]:
    """Names in expressions: those that are called, and the others."""
    nodes = [node for text in texts for node in ast.walk(tree(text))]
    calls = {node.func for node in nodes if isinstance(node, ast.Call)}
    plain = {node.id for node in nodes if isinstance(node, ast.Name) and node not in calls}
    return {called(node) for node in nodes} - {""}, plain


def condition_of(one: Sequence[str]) -> Condition:
    """A condition as trees."""
    return tree(one[0]), one[1], tree(one[2])


# ---- Polynomials and quotients


class Ring:
    """Polynomials in the variables of a branch; a monomial is one integer, exponents its digits."""

    def __init__(self, positive: Mapping[str, bool], work: list[int]) -> None:
        self.positive = positive  # whether a variable is, of all that there are
        self.places: dict[str, int] = {}
        self.guard = self.sure = 0  # highest bits of exponents; all bits of positive variables
        self.factors: list[Poly] = []
        self.further: dict[str, frozenset[str]] = {}  # what a further variable speaks of
        self.work = work

    def variable(self, name: str) -> int:
        """The monomial of a variable."""
        if name not in self.places:
            need(name in self.positive, f"no variable {name[:80]!r}")
            at = BITS * len(self.places)
            self.places[name] = 1 << at
            self.guard |= 1 << (at + BITS - 1)
            self.sure |= ((1 << BITS) - 1) << at if self.positive[name] else 0
        return self.places[name]

    def named(self, poly: Iterable[int]) -> Iterator[str]:
        """The variables in a polynomial."""
        every = 0
        for monomial in poly:
            every |= monomial
        return (x for x, one in self.places.items() if every & (one * ((1 << BITS) - 1)))

    def spend(self, amount: int) -> None:
        """Count what is multiplied."""
        self.work[0] -= amount
        need(self.work[0] >= 0, "too much is to be multiplied out")

    def polynomial(self, text: str) -> Poly:
        """A polynomial as documents write it."""
        found: Poly = {}
        for term in text.split(" + "):
            number, *powers = term.replace("**", "^").split("*")
            need(bool(re.fullmatch(r"-?[0-9]+(/[0-9]+)?", number)), "a polynomial cannot be read")
            monomial = 0
            for power in powers:
                name, _, degree = power.partition("^")
                need(bool(re.fullmatch("[0-9]{1,6}", degree or "1")), "a degree cannot be read")
                monomial += self.variable(name) * int(degree or "1")
            need(len(powers) < 1000, "a term has too many powers")
            value = Fraction(number) if "/" in number else int(number)
            found[monomial] = found.get(monomial, 0) + value
        return {m: c for m, c in found.items() if c}

    def times(self, one: Poly, other: Poly) -> Poly:
        """The product of two polynomials."""
        self.spend(len(one) * len(other))
        found: Poly = {}
        for m, c in one.items():
            for n, d in other.items():
                found[m + n] = found.get(m + n, 0) + c * d
        need(not any(m & self.guard for m in found), "a degree is too large")
        return {m: c for m, c in found.items() if c}

    def power(self, poly: Poly, exponent: int) -> Poly:
        """A polynomial to a whole power."""
        most = max((max(abs(c.numerator), c.denominator) for c in poly.values()), default=0)
        need(most.bit_length() * exponent <= DIGITS or most == 1, "a power is too large")
        found: Poly = {0: 1}
        for digit in f"{exponent:b}" if exponent else "":
            found = self.times(found, found)
            found = self.times(found, poly) if digit == "1" else found
        return found

    def over(self, one: Poly, other: Poly) -> Poly | None:
        """one / other, or None where that is no polynomial."""
        lead, guard = max(other), self.guard
        if any(
            ((m | guard) - n) & guard != guard for m, n in zip(ends(one), ends(other), strict=True)
        ):
            return None
        rest, found = dict(one), {}
        order = [-m for m in rest]
        heapq.heapify(order)
        while rest:
            at = -heapq.heappop(order)
            if at not in rest:
                continue
            if ((at | guard) - lead) & guard != guard:
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

    def factored(self, poly: Poly) -> tuple[Poly, tuple[int, ...]]:
        """A polynomial without the branch's factors, and how often each divided it."""
        counts = []
        for factor in self.factors:
            count = 0
            while poly and (less := self.over(poly, factor)) is not None:
                poly, count = less, count + 1
            counts.append(count)
        return poly, tuple(counts)

    def quotient(self, poly: Poly, under: tuple[int, ...] | None = None) -> Quotient:
        """A polynomial over powers of the factors, reduced."""
        left = list(under or (0,) * len(self.factors))
        for at, factor in enumerate(self.factors):
            while left[at] and (less := self.over(poly, factor) if poly else {}) is not None:
                poly, left[at] = less, left[at] - 1
        return Quotient(self, poly, tuple(left))

    def number(self, number: int | Fraction) -> Quotient:
        """A number as a quotient."""
        return self.quotient({0: number} if number else {})

    def read(self, data: str | list[str]) -> Quotient:
        """A quotient as documents write it."""
        if isinstance(data, str):
            return self.quotient(self.polynomial(data))
        above, below = data
        under = [0] * len(self.factors)
        for power in below.replace("**", "^").split("*"):
            found = re.fullmatch(r"_d([0-9]{1,6})(?:\^([0-9]{1,6}))?", power)
            need(found is not None and int(found[1]) < len(under), "a denominator cannot be read")
            under[int(found[1])] += int(found[2] or "1")  # type: ignore[index]
        return self.quotient(self.polynomial(above), tuple(under))


def ends(poly: Poly) -> tuple[int, int]:
    """The last and the first monomial."""
    return max(poly), min(poly)


@dataclass(frozen=True, eq=False, slots=True)
class Quotient:
    """A polynomial over powers of the factors of a branch."""

    ring: Ring
    top: Poly
    under: tuple[int, ...]

    def lifted(self, under: Sequence[int]) -> Poly:
        """The numerator over a larger denominator."""
        found = self.top
        for factor, new, old in zip(self.ring.factors, under, self.under, strict=True):
            found = (
                self.ring.times(found, self.ring.power(factor, new - old)) if new > old else found
            )
        return found

    def __add__(self, other: Quotient) -> Quotient:
        under = tuple(map(max, self.under, other.under))
        found = dict(self.lifted(under))
        for m, c in other.lifted(under).items():
            found[m] = found.get(m, 0) + c
        return self.ring.quotient({m: c for m, c in found.items() if c}, under)

    def __neg__(self) -> Quotient:
        return Quotient(self.ring, {m: -c for m, c in self.top.items()}, self.under)

    def __sub__(self, other: Quotient) -> Quotient:
        return self + -other

    def __mul__(self, other: Quotient) -> Quotient:
        under = tuple(a + b for a, b in zip(self.under, other.under, strict=True))
        return self.ring.quotient(self.ring.times(self.top, other.top), under)

    def __truediv__(self, other: Quotient) -> Quotient:
        need(other.positive() or (-other).positive(), "division by what may be zero")
        left, counts = self.ring.factored(other.top)
        need(list(left) == [0], "division by what is no product of factors")
        number = self.ring.quotient({0: 1 / Fraction(left[0])}, counts)
        return self * number * self.ring.quotient(self.ring.number(1).lifted(other.under))

    def __pow__(self, exponent: int) -> Quotient:
        if exponent < 0:
            return self.ring.number(1) / self**-exponent
        under = tuple(x * exponent for x in self.under)
        return self.ring.quotient(self.ring.power(self.top, exponent), under)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, int):
            return self == self.ring.number(other)
        assert isinstance(other, Quotient)
        return not (self - other).top

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
        return {x for poly in (self.top, *powers) for x in self.ring.named(poly)}

    def speaks(self) -> frozenset[str]:
        """What it speaks of."""
        every = (self.ring.further.get(x, frozenset({x})) for x in self.written())
        return frozenset(itertools.chain.from_iterable(every))


def add(value: Value, key: str, quotient: Quotient) -> None:
    """Add a term to a value."""
    total = value.pop(key) + quotient if key in value else quotient
    if total.top:
        value[key] = total


def plus(one: Value, other: Value) -> Value:
    found = dict(one)
    for key, quotient in other.items():
        add(found, key, quotient)
    return found


def minus(one: Value, other: Value) -> Value:
    return plus(one, {key: -x for key, x in other.items()})


def product(one: Value, other: Value) -> Value:
    """The product of two values, one of which must be constant."""
    if set(one) - {""}:
        one, other = other, one
    need(not set(one) - {""}, "a product of two that are measured")
    return {key: one[""] * x for key, x in other.items()} if one else {}


def equal(one: Value, other: Value) -> bool:
    return set(one) == set(other) and all(one[key] == other[key] for key in one)


def gathered(terms: Iterable[tuple[Term, Quotient]]) -> Vector:
    """A vector of terms, equal ones added."""
    found = Vector()
    for term, weight in terms:
        found[term] = found[term] + weight if term in found else weight
    return {term: weight for term, weight in found.items() if weight.top}


# ---- Reading expressions


class Scope:
    """The vectors of a scope; none where there is no scope."""

    def __init__(self, data: Row | None) -> None:
        rows = data or {}
        self.sources = frozenset(rows.get("sources", ()))
        self.sampled = bool(rows.get("sampled", False))
        self.atoms = {name: frozenset(depends) for name, depends in rows.get("atoms", ())}
        self.derived: dict[str, str] = dict(rows.get("derived", ()))
        self.centred = {(atom, source) for atom, source in rows.get("centred", ())}
        self.gradients = {name: one for name, *one in rows.get("gradients", ())}
        self.noises: dict[str, str] = dict(rows.get("noises", ()))
        self.values = {name: one for name, *one in rows.get("values", ())}
        self.differences = frozenset(rows.get("differences", ()))


def mentions(key: str, index: str) -> bool:
    """Whether a key is of a round (t) or of a step (k)."""
    if key.startswith({"t": "Sum_t(", "k": "Sum_ik("}[index]):
        return False
    return index in re.findall(r"[A-Za-z_]\w*", key)


def combination(parts: Linear) -> str:
    """An argument of a key."""
    ordered = [*sorted(name for name in parts if name), ""]
    text = ""
    for name in ordered:
        factor = parts.get(name, 0)
        size = "" if name and abs(factor) == 1 else str(abs(factor))
        text += f"{'-' if factor < 0 else '+'}{size}{name}" if factor else ""
    return text.removeprefix("+") or "0"


@dataclass(frozen=True)
class Reader:
    """Reads expressions in a branch: of one scope, at one round."""

    theory: Row
    ring: Ring
    parameters: Mapping[str, Quotient]
    roots: Sequence[tuple[Quotient, int, Quotient]]
    variables: Sequence[Row]
    scope: Scope
    rounds_from: int  # 1 where t is positive
    at: Mapping[str, Linear] = field(default_factory=dict)
    slacks: frozenset[str] = frozenset()  # those that may be named
    extremes: bool = True  # whether Max and Min may be read
    derived: dict[str, Vector] = field(default_factory=dict, compare=False)  # read before

    def elsewhere(self, **changes: Any) -> Reader:
        return replace(self, **changes, derived={})

    def number(self, number: int | Fraction) -> Value:
        return {"": self.ring.number(number)} if number else {}

    def symbol(self, name: str) -> Quotient:
        """An assigned parameter, or a variable."""
        if name in self.parameters:
            return self.parameters[name]
        need(name in self.theory["symbols"] or name in self.slacks, f"no name {name[:80]!r} here")
        return self.ring.quotient({self.ring.variable(name): 1})

    def quotient(self, node: ast.expr) -> Quotient:
        """The value of an expression that must be constant."""
        value = self.value(node)
        need(not set(value) - {""}, "something measured where a constant must be")
        return value.get("", self.ring.number(0))

    def value(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=int(number)):
                return self.number(number)
            case ast.Name(id=name) if name in self.at:
                found = self.number(self.at[name].get("", 0))
                for one, factor in self.at[name].items():
                    if one:
                        found = plus(found, {"": self.symbol(one) * self.ring.number(factor)})
                return found
            case ast.Name(id=name) if name in self.scope.values:
                return {f"value {name}": self.ring.number(1)}
            case ast.Name(id=name):
                return {"": self.symbol(name)}
            case ast.UnaryOp(operand=operand):
                return minus({}, self.value(operand))
            case ast.BinOp(left=base, op=ast.Pow(), right=exponent):
                return self.constant(self.power(self.quotient(base), exponent))
            case ast.BinOp(left=left, op=op, right=right):
                one, other = self.value(left), self.value(right)
                match op:
                    case ast.Add():
                        return plus(one, other)
                    case ast.Sub():
                        return minus(one, other)
                    case ast.Mult():
                        return product(one, other)
                need(not set(other) - {""}, "division by what is measured")
                by = other.get("", self.ring.number(0))
                return product(one, {"": self.ring.number(1) / by})
            case ast.Call(args=arguments):
                return self.call(called(node), arguments)
        raise Refused("an expression cannot be read")

    def constant(self, quotient: Quotient) -> Value:
        return {"": quotient} if quotient.top else {}

    def power(self, base: Quotient, node: ast.expr) -> Quotient:
        exponent = self.quotient(node)
        number = exponent.constant()
        if number is not None:
            root = base if number.denominator == 1 else self.root(base, number.denominator)
            if root is None:
                raise Refused("a root that is not listed")
            return root**number.numerator
        need(not any(exponent.under), "an exponent with a denominator")
        whole = Fraction(exponent.top.get(0, 0))
        need(whole.denominator == 1, "an exponent whose constant is no integer")
        rest = exponent - self.ring.number(whole)
        meant = base.not_negative() and rest.not_negative() and whole >= 0 and self.integer(node)
        need(base.positive() or meant, "a power that may have no value")
        return self.further("power", [base, rest], base.positive()) * base**whole.numerator

    def root(self, base: Quotient, degree: int) -> Quotient | None:
        """The listed root of this degree."""
        fitting = (root for root, power, of in self.roots if power == degree and of == base)
        return next(fitting, None)

    def further(self, kind: str, of: Sequence[Quotient], positive: bool) -> Quotient:
        """The further variable of these arguments."""
        for number, one in enumerate(self.variables):
            left = list(one["of"])
            if one["is"] != kind or len(left) != len(of):
                continue
            for x in of:  # Max and Min in any order
                places = [i for i, y in enumerate(left) if x == y]
                if not places or (kind == "power" and places[0]):
                    break
                del left[places[0]]
            else:
                need(one["positive"] is positive, f"the sign of _v{number}")
                return self.ring.quotient({self.ring.variable(f"_v{number}"): 1})
        raise Refused(f"no further variable {kind} of these arguments")

    def integer(self, node: ast.expr) -> bool:
        """Whether an expression is an integer by its form."""
        match node:
            case ast.Constant():
                return True
            case ast.Name(id=name):
                return self.theory["symbols"].get(name) in (*COUNTS, "index")
            case ast.Call(func=ast.Name(id=name)):
                return self.theory["symbols"].get(name) == "varying"
            case ast.UnaryOp(operand=operand):
                return self.integer(operand)
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right):
                return self.integer(left) and self.integer(right)
        return False

    def linear(self, node: ast.expr) -> Linear:
        """An integer combination of names, as an argument of a quantity is one."""
        match node:
            case ast.Constant(value=int(number)) if number < 10_000:
                return {"": number}
            case ast.Name(id=name) if name in self.at:
                return dict(self.at[name])
            case ast.Name(id=name) if self.theory["symbols"].get(name, "varying") != "varying":
                return {name: 1}
            case ast.UnaryOp(operand=operand):
                return {name: -x for name, x in self.linear(operand).items()}
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
                one, other = self.linear(left), self.linear(right)
                sign = 1 if isinstance(op, ast.Add) else -1
                return {x: one.get(x, 0) + sign * other.get(x, 0) for x in one | other}
        raise Refused("an argument that is no integer combination")

    def call(self, name: str, arguments: Sequence[ast.expr]) -> Value:
        if name in self.theory["quantities"]:
            inside = ",".join(combination(self.linear(x)) for x in arguments)
            return {f"{name}({inside})": self.ring.number(1)}
        if self.theory["symbols"].get(name) == "varying":
            at = [combination(self.linear(x)) for x in arguments]
            need(at == ["t"], f"{name} at another round")
            return {"": self.symbol(name)}
        match name, arguments:
            case "sqrt", [x]:
                return self.constant(self.square_root(self.quotient(x)))
            case "Max" | "Min", [_, _, *_]:
                return self.constant(self.extreme(name, [self.quotient(x) for x in arguments]))
            case "Sum", [ast.BinOp(left=q, op=ast.Pow(), right=ast.Name(id=r)), ast.Tuple(elts=e)]:
                need(isinstance(e[0], ast.Name) and e[0].id == r, "a sum over another index")
                need(r not in {x.id for x in ast.walk(q) if isinstance(x, ast.Name)}, "its index")
                last = ast.BinOp(e[2], ast.Add(), ast.Constant(1))
                need(self.integer(e[2]), "a sum to what is no integer")
                need(self.quotient(last).not_negative(), "a sum to less than -1")
                base, one = self.quotient(q), self.ring.number(1)
                return self.constant((self.power(base, last) - one) / (base - one))
            case "Sum_t" | "Mean_t", [x]:
                inner = self.elsewhere(at={i: to for i, to in self.at.items() if i != "t"})
                total = self.over_rounds(inner.value(x), 0)
                count = self.symbol("T")
                return total if name == "Sum_t" else {k: x / count for k, x in total.items()}
            case "Sum_i", [x]:
                return self.over_clients(self.value(x), steps=False)
            case "Sum_ik", [x]:
                inner = self.elsewhere(at={i: to for i, to in self.at.items() if i != "k"})
                return self.over_clients(inner.value(x), steps=True)
            case "sq", [x]:
                return self.inner(self.vector(x), self.vector(x))
            case "ip", [x, y]:
                return self.inner(self.vector(x), self.vector(y))
            case "given", [ast.Call(args=[ast.Call(args=[x, y]) as dot]) as root]:
                need((called(root), called(dot)) == ("sqrt", "dot") and same(x, y), "no norm")
                [(atom, inner_, outer), *more] = self.vector(x)
                alone = not more and outer is None and self.vector(x)[atom, inner_, None] == 1
                need(alone, "the mean norm of what is no single vector")
                return {f"<{atom}|{self.shown(inner_)}>": self.ring.number(1)}
        raise Refused(f"{name[:80]!r} has no value here")

    def square_root(self, base: Quotient) -> Quotient:
        listed = self.root(base, 2)
        if listed is not None:
            return listed
        need(base.not_negative(), "the root of what may be negative")
        return self.further("sqrt", [base], base.positive())

    def extreme(self, name: str, arguments: Sequence[Quotient]) -> Quotient:
        """The largest or smallest of some, as far as that is known."""
        def beside(x: Quotient, y: Quotient) -> bool:
            return (x - y if name == "Max" else y - x).not_negative()

        kept: list[Quotient] = []
        for y in arguments:
            if not any(beside(x, y) for x in kept):
                kept = [x for x in kept if not beside(y, x)] + [y]
        if len(kept) == 1:
            return kept[0]
        need(self.extremes, "a Max or Min of several is not read here")
        some = any if name == "Max" else all
        need(some(x.not_negative() for x in kept), f"a {name} of what may be negative")
        return self.further(name, kept, some(x.positive() for x in kept))

    # Sums

    def over_rounds(self, value: Value, first: int) -> Value:
        """The sum over rounds from ``first`` to T - 1."""
        need(first == 1 or not self.rounds_from, "a sum over all rounds, where t is positive")
        count, found = self.symbol("T"), Value()
        for key, x in value.items():
            need("t" not in x.speaks(), "a coefficient of a sum speaks of the round")
            need(not key.startswith(("<", "value ")), "a sum over rounds of vectors")
            if not mentions(key, "t"):
                add(found, key, x * (count - self.ring.number(first)))
                continue
            at = re.fullmatch(r"(\w+)\(t([+-][0-9]+)?\)", key)
            need(at is not None and first + int(at[2] or 0) >= 0, f"a sum over rounds of {key}")
            name, shift = at[1], int(at[2] or 0)  # type: ignore[index]
            add(found, f"{name}(0)" if count.constant() == 1 else f"Sum_t({name}(t))", x)
            for j in range(first + shift):
                add(found, f"{name}({j})", -x)
            for j in range(shift):
                add(found, f"{name}({combination({'T': 1, '': j})})", x)
            for j in range(1, 1 - shift):
                add(found, f"{name}({combination({'T': 1, '': -j})})", -x)
        return found

    def over_clients(self, value: Value, steps: bool) -> Value:
        """The sum over clients, or over clients and local steps."""
        local = self.symbol("K") if steps else self.ring.number(1)
        count, found = self.symbol("n") * local, Value()
        for key, x in value.items():
            need(not steps or "k" not in x.speaks(), "a coefficient of a sum speaks of the step")
            need(not key.startswith(("<", "value ")), "a sum over clients of vectors")
            name, _, inside = key.partition("(")
            arguments = inside.removesuffix(")").split(",")
            if name in self.theory["per_step"]:
                others = any(mentions(one, "k") for one in arguments[:-1])
                need(steps and arguments[-1] == "k" and not others, f"a sum of {key}")
                add(found, f"Sum_ik({key})", x)
                continue
            need(not steps or not mentions(key, "k"), f"a sum over steps of {key}")
            if name in self.theory["per_client"]:
                add(found, f"Sum_i({key})", x * local)
                continue
            own = {*self.theory["per_step"], *self.theory["per_client"]}
            need(name != "Sum_t" or inside.partition("(")[0] not in own, f"a sum of {key}")
            add(found, key, x * count)
        return found

    # Vectors

    def single(self) -> bool:
        """Whether there is one client in this branch."""
        return "n" in self.theory["symbols"] and self.symbol("n").constant() == 1

    def vector(self, node: ast.expr) -> Vector:
        match node:
            case ast.Constant(value=0):
                return {}
            case ast.Name(id=name) if name in self.scope.atoms:
                return {(name, self.scope.atoms[name], None): self.ring.number(1)}
            case ast.Name(id=name) if name in self.scope.derived:
                if name not in self.derived:
                    text = tree(self.scope.derived[name])
                    self.derived[name] = replace(self, slacks=frozenset()).vector(text)
                return self.derived[name]
            case ast.UnaryOp(operand=operand):
                return {term: -weight for term, weight in self.vector(operand).items()}
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
                plus_ = isinstance(op, ast.Add)
                more = ((x, w if plus_ else -w) for x, w in self.vector(right).items())
                return gathered(itertools.chain(self.vector(left).items(), more))
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                inside = {x.id for x in ast.walk(left) if isinstance(x, ast.Name)}
                if not inside & {*self.scope.atoms, *self.scope.derived}:
                    left, right = right, left
                by = self.quotient(right)
                return gathered((x, w * by) for x, w in self.vector(left).items())
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                by = self.ring.number(1) / self.quotient(right)
                return {x: w * by for x, w in self.vector(left).items()}
            case ast.Call(args=[x, *sources]) if called(node) == "given":
                kept = frozenset(x.id for x in sources if isinstance(x, ast.Name))
                known = len(kept) == len(sources) and kept <= self.scope.sources
                need(known, "given what is no source")
                return gathered(
                    (
                        (atom, inner & kept, None)
                        if outer is None
                        else (atom, inner, outer & kept),
                        w,
                    )
                    for (atom, inner, outer), w in self.vector(x).items()
                )
            case ast.Call(args=[x]) if called(node) == "present":
                return self.present(self.vector(x))
        raise Refused("a vector cannot be read")

    def present(self, vector: Vector) -> Vector:
        """The vector, where the client takes part."""
        need(self.scope.sampled, "no clients are sampled in this scope")
        if self.single():
            return vector
        need("S" in self.scope.sources, "participants that are no source")
        found, with_ = Vector(), frozenset({"S", "i"} & {"S", *self.scope.sources})
        for (atom, inner, outer), weight in vector.items():
            need(outer is None and "S" not in inner, "present of what depends on participants")
            found[atom, inner, inner | with_] = weight
        return found

    def shares(self, one: Term, other: Term) -> list[tuple[Quotient, frozenset[str]]]:
        """Of a pair of terms: what has which weight."""
        both = one[1] & other[1]
        outers = [x for x in (one[2], other[2]) if x is not None]
        if not outers:
            return [(self.ring.number(1), both)]
        m, n = self.symbol("m"), self.symbol("n")
        chance = m / n
        if len(outers) == 1:
            held = outers[0] & (one[1] if one[2] is None else other[1])
            need("S" not in held, "a product with what depends on participants")
            return [(chance, both & held)]
        held = outers[0] & outers[1]
        if "S" not in held:
            return [(chance * chance, both & held)]
        if "i" in held or "i" not in self.scope.sources:
            return [(chance, both & held)]
        less = self.ring.number(1)
        pair = m * (m - less) / (n * (n - less))
        return [((chance - pair) / n, both & (held | {"i"})), (pair, both & held)]

    def shown(self, sources: frozenset[str]) -> str:
        """Sources in a key."""
        return ",".join(sorted(sources - {"i"} if self.single() else sources))

    def inner(self, one: Vector, other: Vector) -> Value:
        """The mean inner product of two vectors."""
        self.ring.spend(len(one) * len(other))
        found = Value()
        for (a, w), (b, v) in itertools.product(one.items(), other.items()):
            for share, sources in self.shares(a, b):
                first, second = sorted((a[0], b[0]))
                centred = {s for atom, s in self.scope.centred if atom in (first, second)}
                if centred <= sources:
                    add(found, f"<{first}|{second}|{self.shown(sources)}>", w * v * share)
        return found


# ---- What is known in a branch

KINDS = {"split": ("above", "below"), "integer": ("equal", "after")}


@dataclass(frozen=True)
class Case:
    """What a certificate is of: the statement, and what holds where a block is absent."""

    theory: Row
    statement: Row
    scope: str
    absent: Row | None

    def conditions(self) -> list[Condition]:
        """Conditions that hold, in their order."""
        held = self.absent["holds"] if self.absent else []
        every = [*self.theory["always"], *self.statement["conditions"], *held]
        return [condition_of(one) for one in every]

    def rounds_from(self) -> int:
        """1 where the statement is of rounds from 1 on."""
        calls, _ = names(self.statement["left"], self.statement["right"])
        return 0 if calls & {"Sum_t", "Mean_t"} else int(self.statement["first"])

    def assumptions(self) -> set[str]:
        return {
            *self.statement["assumptions"],
            *(self.absent or {"assumptions": ()})["assumptions"],
        }

    def free(self) -> set[str]:
        """Parameters that may be chosen."""
        rows = [*self.theory["always"], *self.statement["conditions"]]
        texts = [side for left, _, right in rows for side in (left, right)]
        _, named = names(self.statement["left"], self.statement["right"], *texts)
        return set((self.absent or {"free": ()})["free"]) - named


def case_of(theory: Row, statement: Row, scope: str) -> Case:
    """The case of a certificate in this scope."""
    zero = [x for x in theory["absent"] if [x["dimension"], "==", "0"] in statement["conditions"]]
    need(bool(scope) or len(zero) < 2, "more than one block is absent")
    return Case(theory, statement, scope, zero[0] if zero and not scope else None)


class Branch:
    """One branch of a chart: its parameters, and what its conditions imply."""

    def __init__(
        self, case: Case, chart: Sequence[Row], data: Row, work: list[int], unrolled: bool = False
    ) -> None:
        self.case, symbols = case, case.theory["symbols"]
        signs = {x: sign in (*COUNTS, "positive") for x, sign in symbols.items()}
        rounds_from = 0 if unrolled else case.rounds_from()
        signs["t"] = bool(rounds_from)
        slacks = {f"{x['name']}_": x["kind"] == "root" for x in chart if x["kind"] != "equal"}
        variables = data["variables"]
        flags = {f"_v{number}": bool(one["positive"]) for number, one in enumerate(variables)}
        self.ring = ring = Ring(signs | slacks | flags, work)
        for x in [x for x, sign in symbols.items() if sign == "varying"]:
            ring.further |= {x: frozenset({x, "t"}), f"{x}_": frozenset({f"{x}_", "t"})}
        ring.factors = [ring.polynomial(text) for text in data["factors"]]
        one = ring.number(1)
        for factor in ring.factors:
            need(Quotient(ring, factor, one.under).positive(), "a factor that may vanish")
        read: list[Row] = []
        for number, row in enumerate(variables):
            of = [ring.read(x) for x in row["of"]]
            later = {f"_v{x}" for x in range(number, len(variables))}
            need(not any(later & x.written() for x in of), "a further variable of later ones")
            ring.further[f"_v{number}"] = frozenset().union(*(x.speaks() for x in of))
            read.append({"is": row["is"], "of": of, "positive": row["positive"]})
        roots = []
        for row in data["roots"]:
            root, of, degree = ring.read(row["root"]), ring.read(row["of"]), row["degree"]
            need(type(degree) is int and degree > 1 and root**degree == of, "a root is another")
            need(root.not_negative(), "a root that may be negative")
            roots.append((root, degree, of))
        self.parameters: dict[str, Quotient] = {}
        self.reader = Reader(
            case.theory,
            ring,
            self.parameters,
            roots,
            read,
            Scope(None),
            rounds_from,
            extremes=False,
        )
        self.own = self.reader.elsewhere(slacks=frozenset(slacks))  # of texts of the certificate
        self.conditions = case.conditions()
        for place, row in enumerate(chart):
            later = {x["name"] for x in chart[place + 1 :]}
            self.assign(row, later | {f"{x}_" for x in later})
        told = {name: ring.read(x) for name, x in data["parameters"].items()}
        need(equal(told, self.parameters), "a parameter is another")
        scope = Scope(case.theory["scopes"][case.scope] if case.scope else None)
        self.reader = self.reader.elsewhere(extremes=not unrolled)
        self.own = self.own.elsewhere(extremes=not unrolled, scope=scope)
        self.scoped = self.reader.elsewhere(scope=scope)

    def in_scope(self, scope: str) -> Reader:
        """What reads a statement of this scope."""
        return self.scoped if scope else self.reader

    # Charts

    def assign(self, row: Row, later: set[str]) -> None:
        """Assign one parameter."""
        name, kind, degree = row["name"], row["kind"], row["of"]
        sign, y = self.case.theory["symbols"][name], f"{row['name']}_"
        bound, one = self.own.quotient(tree(row["bound"])), self.ring.number(1)
        slack = one if kind == "equal" else self.ring.quotient({self.ring.variable(y): 1})
        hidden = {"t", "k", name, *later} | ({y} if kind != "solve" else set())
        need(not bound.speaks() & hidden, f"the bound of {name} speaks of what comes later")
        count, free = sign in COUNTS, row["free"]
        least = free or (count and bound == 1)
        match kind:
            case "above":
                need(least or self.says(name, ">=", bound), f"nothing says {name} >= its bound")
                need(sign == "nonnegative" or bound.not_negative(), f"the bound of {name}")
                found = bound + slack
            case "below":
                need(free or self.says(name, "<=", bound), f"nothing says {name} <= its bound")
                need((count or sign == "positive") and bound.positive(), f"the bound of {name}")
                found = bound / (one + slack)
            case "equal":
                choice = name in self.case.free() and not count
                choice = choice and (
                    bound.positive() or (sign == "nonnegative" and bound.not_negative())
                )
                need(free or self.says(name, "==", bound) or choice, f"nothing says what {name} is")
                found = bound
            case "scaled":
                need(least or self.says(name, ">=", bound), f"nothing says {name} >= its bound")
                need(bound.positive() and is_degree(degree), f"the bound of {name}")
                found = bound * (one + slack) ** int(degree)
            case "root":
                need(count or sign == "positive", f"{name} may be zero")
                need(is_degree(row["bound"]), f"the degree of {name}")
                found = slack ** int(row["bound"])
            case "after":
                digits = bool(re.fullmatch("[0-9]+", row["bound"]))
                whole = digits or self.case.theory["symbols"].get(row["bound"]) == "integer"
                need(sign == "integer" and whole, f"{name} or its bound is no integer")
                need(
                    bound == 1 or self.says(name, ">=", bound), f"nothing says {name} >= its bound"
                )
                found = bound + one + slack
            case "solve":
                self.solved(name, y, self.own.quotient(tree(degree)))
                found = bound
            case _:
                raise Refused(f"a chart of kind {kind}")
        self.parameters[name] = found
        if kind == "solve":
            need(self.own.quotient(tree(degree)) == slack * slack, f"{name} is not solved for")

    def solved(self, name: str, y: str, expression: Quotient) -> None:
        """Refuse unless it is a + b name, with b positive, and not negative."""
        at, ring = self.ring.variable(name), self.ring
        degree = at * ((1 << BITS) - 1)
        need(all(m & degree in (0, at) for m in expression.top), f"not linear in {name}")
        rest = {m: c for m, c in expression.top.items() if not m & degree}
        slope = {m - at: c for m, c in expression.top.items() if m & degree}
        parts = [ring.quotient(x, expression.under) for x in (rest, slope)]
        named = {x for part in parts for x in part.speaks()}
        need(parts[1].positive() and name not in named, f"not linear in {name}")
        need(expression.not_negative() and y not in expression.speaks(), f"no square of {y}")

    def says(self, name: str, relation: str, bound: Quotient) -> bool:
        """Whether a condition says so."""
        variable = self.ring.quotient({self.ring.variable(name): 1})
        wanted = bound - variable if relation == "<=" else variable - bound
        for left, sign, right in self.weaker(self.conditions):
            if (sign == "==") != (relation == "==") or not any(
                isinstance(x, ast.Name) and x.id == name
                for side in (left, right)
                for x in ast.walk(side)
            ):
                continue
            try:
                gap = self.reader.quotient(right) - self.reader.quotient(left)
            except Refused:
                continue
            gap = -gap if sign == ">=" else gap
            ratio = self.ring.over(gap.top, wanted.top) if gap.top and wanted.top else None
            if ratio is not None:
                by = Quotient(self.ring, ratio, self.ring.number(1).under)
                if by.positive() or (sign == "==" and (-by).positive()):
                    return True
        return not wanted.top

    # Conditions

    def weaker(self, conditions: Iterable[Condition]) -> Iterator[Condition]:
        """Conditions, and what follows from each by leaving out arguments of a Max or Min."""
        for left, relation, right in conditions:
            yield left, relation, right
            name = {">=": "Max", "<=": "Min"}.get(relation)
            calls = [x for x in ast.walk(right) if name is not None and called(x) == name]
            if len(calls) == 1 and self.times_positive(right, calls[0]):
                for argument in calls[0].args:  # type: ignore[attr-defined]
                    yield left, relation, put(right, calls[0], argument)

    def times_positive(self, node: ast.expr, call: ast.AST) -> bool:
        """Whether an expression is a call times, or divided by, what is positive."""
        while node is not call:
            match node:
                case ast.BinOp(left=left, op=ast.Mult(), right=right):
                    inside = any(x is call for x in ast.walk(right))
                    node, other = (right, left) if inside else (left, right)
                case ast.BinOp(left=left, op=ast.Div(), right=right):
                    node, other = left, right
                case _:
                    return False
            try:
                if not self.reader.quotient(other).positive():
                    return False
            except Refused:
                return False
        return True

    def implied(self, condition: Condition, reader: Reader) -> bool:
        """Whether a cited condition holds."""
        left, relation, right = condition
        named = {x.id for x in (*ast.walk(left), *ast.walk(right)) if isinstance(x, ast.Name)}
        if "t" in named:
            return False
        for one, sign, other in self.weaker(self.conditions):
            if sign == relation and same(one, left) and same(other, right):
                return True
        if isinstance(right, ast.Call) and (relation, called(right)) in {
            (">=", "Max"),
            ("<=", "Min"),
        }:
            if all(self.implied((left, relation, x), reader) for x in right.args):
                return True
        gap = minus(reader.value(right), reader.value(left))
        gap = minus({}, gap) if relation == ">=" else gap
        return not gap if relation == "==" else self.not_negative(gap)

    def not_negative(self, value: Value) -> bool:
        signs = self.case.theory["quantities"]
        return all(never_negative(signs, key) and x.not_negative() for key, x in value.items())

    def told(self, data: Mapping[str, Any]) -> Value:
        """A value of the document."""
        found = {key: self.ring.read(x) for key, x in data.items()}
        return {key: x for key, x in found.items() if x.top}


def put(node: ast.expr, call: ast.AST, other: ast.expr) -> ast.expr:
    """The expression, with another one in place of a call."""
    if node is call:
        return other
    if isinstance(node, ast.BinOp):
        return ast.BinOp(put(node.left, call, other), node.op, put(node.right, call, other))
    return node


def never_negative(quantities: Mapping[str, bool], key: str) -> bool:
    """Whether what a key stands for is never negative."""
    if key.startswith("<"):
        *vectors, _ = key[1:-1].split("|")
        return len(set(vectors)) == 1
    name, _, inside = key.partition("(")
    if name in ("Sum_t", "Sum_i", "Sum_ik"):
        return never_negative(quantities, inside.removesuffix(")"))
    return not key or quantities.get(name, False)


def is_degree(text: str) -> bool:
    return bool(re.fullmatch("[1-9][0-9]{0,3}", text))


def charts(theory: Row, chart: Sequence[Row]) -> list[list[Row]]:
    """The assignments of every branch, in the order of branches."""
    symbols, assigned = theory["symbols"], [row["name"] for row in chart]
    need(len(set(assigned)) == len(assigned), "a parameter is assigned twice")
    need(all(symbols.get(x, "index") != "index" for x in assigned), "no parameter")
    split = [row["name"] for row in chart if row["kind"] in KINDS]
    need(len(split) <= 8, "too many branches")
    rest = [x for x, sign in symbols.items() if sign in COUNTS and x not in assigned]
    first = [{"name": x, "kind": "above", "bound": "1", "of": "", "free": False} for x in rest]
    found = []
    for number in range(2 ** len(split)):
        rows = list(first)
        for row in chart:
            kind, free = row["kind"], row["kind"] == "split"
            need(kind != "after", "a chart of kind after")
            if kind in KINDS:
                kind = KINDS[kind][number >> split.index(row["name"]) & 1]
                free = free or kind == "equal"
            rows.append({**row, "kind": kind, "free": free})
        found.append(rows)
    return found


# ---- Facts


def fact(name: str, arguments: Sequence[str], scope: Scope) -> Row:
    """What a fact says of its arguments, as a statement."""
    for argument in arguments:
        tree(argument)
    conditions: list[tuple[str, str, str]] = []
    assumes, relation = "", "<="

    def without(vector: str, *sources: str) -> str:
        kept = sorted(scope.atoms[vector] - set(sources))
        return f"given({', '.join([vector, *kept])})"

    match name, arguments:
        case "growth", [c, N, b]:
            ratio = "[0-9]{1,9}(/[0-9]{1,9})?"
            need(all(re.fullmatch(ratio, x) for x in (c, b)), "growth of what is no number")
            rate = Fraction(c)
            need(rate <= 8, "growth of more than 8")
            most = sum((rate**j / math.factorial(j) for j in range(40)), Fraction(0))
            most += rate**40 * 4 ** (math.floor(rate) + 1) / math.factorial(40)
            need(Fraction(b) >= most, "growth of more than that")
            left, right = f"(1 + ({c})/({N}))**({N})", b
            conditions = [(N, ">=", "1")]
        case "power_grows", [q, a, b]:
            left, right = f"({q})**({a})", f"({q})**({b})"
            conditions = [(q, ">=", "1"), (a, "<=", b)]
        case "power_falls", [q, a, b]:
            left, right = f"({q})**({b})", f"({q})**({a})"
            conditions = [(q, "<=", "1"), (q, ">=", "0"), (a, "<=", b)]
        case "root_grows", [x, y]:
            left, right = f"sqrt({x})", f"sqrt({y})"
            conditions = [(x, ">=", "0"), (x, "<=", y)]
        case "largest" | "least", [x, _, *_]:
            distinct = len({ast.dump(tree(one)) for one in arguments}) == len(arguments)
            need(distinct, "two arguments are equal")
            every = ", ".join(arguments)
            largest = name == "largest"
            left, right = (x, f"Max({every})") if largest else (f"Min({every})", x)
        case "mean_norm", [x, d]:
            left = f"2*({d})*given(sqrt(dot({x}, {x})))"
            right = f"({d})**2 + sq({x})"
        case "smooth", [p, q]:
            (block, *one), (other, *two) = scope.gradients[p], scope.gradients[q]
            need(block == other, "gradients in two blocks")
            apart = [(x, y) for x, y in zip(one, two, strict=True) if x != y]
            total = " + ".join(f"sq(({x}) - ({y}))" for x, y in apart) or "0"
            left, right = f"sq({p} - {q})", f"{'2*' if len(apart) == 2 else ''}L**2*({total})"
            assumes = "smooth"
        case "variance", [x]:
            left, right = f"sq({x})", scope.noises[x]
            assumes = "unbiased noise of bounded variance"
        case "martingale", [x, "k" | "ik" as w]:
            need(x in scope.differences and set(w) <= scope.atoms[x], "no martingale difference")
            left, relation = f"sq({without(x, *w)})", "=="
            right = f"sq({x})/{'K' if w == 'k' else '(n*K)'}"
            assumes = "unbiased noise of bounded variance"
        case "dissimilarity", [p]:
            block, u, _ = scope.gradients[p]
            need(block == "u" and "i" not in scope.atoms[u], "its point is not shared")
            left, right = f"sq({p} - {without(p, 'i')})", "b2"
            assumes = "bounded gradient dissimilarity"
        case "descent", [x, y, p]:
            block, *point = scope.gradients[p]
            start, end = scope.values[x], scope.values[y]
            own = ("u", "v").index(block)
            fits_ = start == point and start[1 - own] == end[1 - own] and "i" in scope.sources
            need(fits_, "no step in one block")
            step = f"({end[own]}) - ({start[own]})"
            left, right = f"({y}) - ({x})", f"ip({p}, {step}) + L/2*sq({step})"
            assumes = "smooth"
        case "infimum", []:
            left, right, assumes = "0", "f(T)", "bounded below"
        case "initial_gap", []:
            left, relation, right, assumes = "f(0)", "==", "F_0", "bounded below"
        case _:
            raise Refused(f"no fact {name[:80]!r} of these arguments")
    return {
        "left": left,
        "relation": relation,
        "right": right,
        "conditions": conditions,
        "assumptions": [assumes] if assumes else [],
        "first": 0,
        "scope": "",
        "algorithm": "",
    }


# ---- Before any rule


def check_theory(theory: Row) -> None:
    """Refuse a theory whose names or signs are not as they must be."""
    symbols, quantities = theory["symbols"], theory["quantities"]
    for name, sign in symbols.items():
        need((sign == "index") == (name in ("t", "k")), f"the sign of {name}")
        need(name not in ("n", "m", "K", "T") or sign == "integer", f"the sign of {name}")
    plain = [*(x for x in symbols if x not in ("t", "k")), *quantities]
    need(all(is_name(x) for x in plain), "a name that is none")
    need(not set(symbols) & set(quantities), "a symbol is a quantity")


def is_name(text: str) -> bool:
    allowed = text not in RESERVED and not keyword.iskeyword(text)
    return bool(NAME.fullmatch(text)) and allowed


def check_scope(theory: Row, name: str, algorithm: str) -> None:
    """Refuse a scope that is not there, of another algorithm, or whose names are not distinct."""
    if not name:
        return
    scope = theory["scopes"].get(name)
    need(scope is not None, f"no scope {name[:80]!r}")
    need(scope["algorithm"] in ("", algorithm), "a scope of another algorithm")
    vectors = [one[0] for one in (*scope["atoms"], *scope["derived"])]
    kinds = [set(scope["sources"]) - {"k"}, set(vectors), {one[0] for one in scope["values"]}]
    need(len(set(vectors)) == len(vectors), "two vectors share a name")
    every = [*kinds, set(theory["symbols"]), set(theory["quantities"])]
    need(len(set().union(*every)) == sum(map(len, every)), "a name is of two kinds")
    need(all(is_name(x) for kind in kinds for x in kind), "a name that is none")


def check_statement(theory: Row, statement: Row) -> None:
    """Refuse a statement that is not well-formed."""
    symbols = theory["symbols"]
    for left, _, right in statement["conditions"]:
        calls, plain = names(left, right)
        known = all(symbols.get(x, "index") not in ("index", "varying") for x in plain)
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
    need(calls <= {*theory["quantities"], *RESERVED, *varying}, "something is called")
    scope = Scope(theory["scopes"][statement["scope"]] if statement["scope"] else None)
    sums = (x for side in sides for x in ast.walk(tree(side)) if isinstance(x, ast.Tuple))
    indices = {one.elts[0].id for one in sums if isinstance(one.elts[0], ast.Name)}
    vectors = {*scope.sources, *scope.atoms, *scope.derived, *scope.values}
    known = (set(theory["symbols"]) - varying) | vectors | indices
    need(plain <= known, f"{sorted(plain - known)[:1]} is not declared")


def check_needs(theory: Row, statement: Row, part: Row) -> None:
    """Refuse where a part of a certificate names a vector and lacks what that needs."""
    scope = Scope(theory["scopes"][part["scope"]])
    texts = [statement["left"], statement["right"]] if statement["scope"] else []
    for row in (*part["premises"], *part["squares"]):
        texts += [*row["times"], *([row["vector"]] if "vector" in row else [])]
        if row.get("kind") == "fact":
            says = fact(row["name"], row["arguments"], scope)
            texts += [says["left"], says["right"]]
    named, left = set[str](), texts
    while left:
        new = names(*left)[1] - named
        named |= new
        left = [scope.derived[x] for x in new if x in scope.derived]
        left += [point for x in new for point in scope.values.get(x, ()) if point]
    held = [*theory["always"], *statement["conditions"]]
    for one in theory["scopes"][part["scope"]]["needs"]:
        if named & set(one["vectors"]):
            told = all(x in held for x in one["conditions"])
            need(told and set(one["assumptions"]) <= set(statement["assumptions"]), "a need")


# ---- Rules


@dataclass(frozen=True)
class Step:
    """A row of a book, and the statements before it."""

    theory: Row
    row: Row
    earlier: Mapping[str, Row]
    work: list[int] = field(default_factory=lambda: [WORK])

    def check(self) -> None:
        """Refuse, or return."""
        theory, statement, certificate = self.theory, self.row["statement"], self.row["certificate"]
        check_statement(theory, statement)
        check_names(theory, statement)
        parts = [certificate, *([certificate["base"]] if certificate["base"] else [])]
        for part in parts:
            check_scope(theory, part["scope"], statement["algorithm"])
            own = not statement["scope"] or part["scope"] == statement["scope"]
            need(own, "a statement is proved in its scope")
            if part["scope"]:
                check_needs(theory, statement, part)
        if certificate["rule"] == "given":
            need(certificate["origin"] != "", "a given statement has an origin")
            for premise in certificate["premises"]:
                need(premise["kind"] == "step", "a given statement restates steps")
                self.step(premise["name"])
            return
        data = self.row["expanded"]
        case = case_of(theory, statement, certificate["scope"])
        match certificate["rule"]:
            case "combine":
                self.combine(case, certificate, data["branches"])
            case "induction":
                self.induction(case, certificate, data)
            case "unroll":
                self.unroll(case, certificate, data["branches"])
            case "root":
                self.root(case, certificate, data["branches"])

    def step(self, name: str) -> Row:
        """An earlier statement."""
        need(name in self.earlier, f"no earlier step {name[:80]!r}")
        return self.earlier[name]

    def combine(
        self,
        case: Case,
        certificate: Row,
        rows: Sequence[Row],
        at: Mapping[str, Linear] | None = None,
        hypothesis: bool = False,
        under: str = "",
    ) -> None:
        """The statement, from premises times multipliers and from squares."""
        every, used = charts(self.theory, certificate["chart"]), set()
        need(len(rows) == len(every), "another number of branches")
        equality = case.statement["relation"] == "=="
        for number, (chart, data) in enumerate(zip(every, rows, strict=True)):
            branch = Branch(case, chart, data, self.work)
            plain = branch.in_scope(case.statement["scope"])
            left = difference(plain.elsewhere(at=at or {}), case.statement)
            need(equal(left, branch.told(data["gap"])), "the gap is another")
            if under:
                value = plain.value(tree(under))
                need(equal(value, branch.told(data["under"])), "what is under the root is another")
                need(branch.not_negative(value), "what is under the root may be negative")
            told = zip(certificate["premises"], data["premises"], strict=True)
            for place, (premise, one) in enumerate(told):
                times = branch.own.value(multiplier(premise, number, len(every)))
                need((one is None) == (not times), "a multiplier that is zero, or is not")
                if one is None:
                    continue
                used.add(place)
                relation, says = self.premise(branch, premise, hypothesis)
                sure = relation == "==" or (not equality and branch.not_negative(times))
                need(sure, "an inequality times what may be negative, or for an equality")
                need(equal(times, branch.told(one["times"])), "a multiplier is another")
                need(equal(says, branch.told(one["difference"])), "a premise is another")
                left = minus(left, product(times, says))
            need(not equality or not certificate["squares"], "squares for an equality")
            for square, one in zip(certificate["squares"], data["squares"], strict=True):
                times = branch.own.value(multiplier(square, number, len(every)))
                vector = branch.own.vector(tree(square["vector"]))
                value = branch.own.inner(vector, vector)
                need(branch.not_negative(times), "a square times what may be negative")
                need(equal(times, branch.told(one["times"])), "a multiplier is another")
                need(equal(value, branch.told(one["square"])), "a square is another")
                left = minus(left, product(times, value))
            need(equal(left, branch.told(data["remainder"])), "the remainder is another")
            need(not left if equality else branch.not_negative(left), "the remainder")
        for place, premise in enumerate(certificate["premises"]):
            need(premise["kind"] != "step" or place in used, "a step is cited and not used")

    def induction(self, case: Case, certificate: Row, data: Row) -> None:
        """The statement at its start, and at the next from itself."""
        x, base, statement = certificate["variable"], certificate["base"], case.statement
        need(x in ("t", "k") and x in self.theory["symbols"], "induction over no index")
        need(base is not None and base["rule"] == "combine", "induction without a start")
        need(not statement["scope"], "induction over a statement of vectors")
        first = {"": statement["first"] if x == "t" else 0}
        start = case_of(self.theory, statement, base["scope"])
        self.combine(start, base, data["base"], {x: first})
        self.combine(case, certificate, data["next"], {x: {x: 1, "": 1}}, hypothesis=True)

    def root(self, case: Case, certificate: Row, rows: Sequence[Row]) -> None:
        """X <= sqrt(B), from X <= d/2 + B/(2 d) for every positive d."""
        statement, any_d = case.statement, "any_d"
        under = under_root(statement)
        cited = [self.step(x["name"]) for x in certificate["premises"] if x["kind"] == "step"]
        words = set(re.findall(r"\w+", json.dumps([self.theory, statement, cited])))
        assigned = {row["name"] for row in certificate["chart"]}
        need(any_d not in words | assigned, "any_d is spoken of")
        need(certificate["base"] is None, "a root with a base")
        theory = self.theory | {"symbols": self.theory["symbols"] | {any_d: "positive"}}
        bound = statement | {"right": f"{any_d}/2 + ({under})/(2*{any_d})"}
        other = replace(case, theory=theory, statement=bound)
        replace(self, theory=theory).combine(other, certificate, rows, under=under)

    def unroll(self, case: Case, certificate: Row, rows: Sequence[Row]) -> None:
        """A sum over rounds, from a recursion."""
        theory, statement, name = self.theory, case.statement, certificate["variable"]
        need(name in theory["quantities"] and len(certificate["premises"]) == 1, "no recursion")
        premise = certificate["premises"][0]
        plain = (premise["kind"], premise["at"], premise["over"], premise["arguments"])
        need(plain == ("step", [], "", []) and not certificate["scope"], "not as it stands")
        cited = self.step(premise["name"])
        check_statement(theory, cited)
        forms = {(f"{name}(t + 1)", 0): 0, (f"{name}(t)", 1): 1}
        shift = forms.get((cited["left"], cited["first"]))
        need(shift is not None and cited["relation"] == "<=", "no recursion")
        sides = (statement["left"], statement["relation"], statement["scope"], cited["scope"])
        need(sides == (f"Sum_t({name}(t))", "<=", "", ""), "no sum of what recurs")
        need(set(cited["assumptions"]) <= set(statement["assumptions"]), "an assumption")
        need(cited["algorithm"] in ("", statement["algorithm"]), "of another algorithm")
        case, rate = replace(case, absent=None), f"({certificate['origin']})"
        tree(certificate["origin"])
        every = charts(theory, certificate["chart"])
        for chart, data in zip(every, rows, strict=True):
            branch = Branch(case, chart, data, self.work, unrolled=True)
            held = [condition_of(x) for x in cited["conditions"]]
            need(all(branch.implied(x, branch.reader) for x in held), "a condition is not implied")
            factor = branch.reader.quotient(tree(rate))
            need("t" not in factor.speaks(), "a factor that speaks of t")
            need((factor - branch.ring.number(1)).positive(), "a factor that may be 1")
            later = branch.reader.elsewhere(at={"t": {"t": 1, "": 1}} if shift else {})
            own = product({"": factor}, branch.reader.value(tree(f"{name}(t)")))
            added = minus(later.value(tree(cited["right"])), own)
            need(not any(key.startswith(f"{name}(") for key in added), "it recurs otherwise")
            need(branch.not_negative(added), "what is added may be negative")
            sums = [tree(f"({rate}**{n} - 1)/({rate} - 1)") for n in ("T", "(T - 1)")]
            start, rest = (branch.reader.value(x) for x in sums)
            bound = product(start, branch.reader.value(tree(f"{name}(0)")))
            bound = plus(bound, product(rest, branch.reader.over_rounds(added, 0)))
            claimed = branch.reader.value(tree(statement["right"]))
            left = minus(claimed, bound)
            values = {"added": added, "bound": bound, "claimed": claimed, "remainder": left}
            for key, value in (values | {"factor": {"": factor}}).items():
                need(equal(value, branch.told(data[key])), f"{key} is another")
            need(branch.not_negative(left), "the remainder may be negative")

    # Premises

    def premise(self, branch: Branch, row: Row, hypothesis: bool) -> tuple[str, Value]:
        """The relation of a premise, and its difference."""
        case = branch.case
        match row["kind"]:
            case "condition":
                return self.condition(branch, row["name"])
            case "hypothesis":
                need(hypothesis, "a hypothesis where there is none")
                return case.statement["relation"], difference(branch.reader, case.statement)
            case "fact":
                says, reader = fact(row["name"], row["arguments"], branch.own.scope), branch.own
            case _:
                says = self.step(row["name"])
                check_statement(self.theory, says)
                reader = branch.in_scope(says["scope"])
                need(says["scope"] in ("", case.scope), "a step of another scope")
        need(says["algorithm"] in ("", case.statement["algorithm"]), "of another algorithm")
        need(set(says["assumptions"]) <= case.assumptions(), "an assumption is not the statement's")
        held = [condition_of(x) for x in says["conditions"]]
        need(all(branch.implied(x, reader) for x in held), "a condition is not implied")
        at = self.places(branch, row, says["first"])
        value = self.said(branch, reader.elsewhere(at=at), row, says)
        measured = any(key.startswith(("<", "value ")) for key in value)
        need(not row["at"] or not measured, "vectors at another round")
        match row["over"]:
            case "t":
                value = branch.reader.over_rounds(value, says["first"])
            case "i" | "ik" as over:
                value = branch.reader.over_clients(value, steps=over == "ik")
        return says["relation"], value

    def said(self, branch: Branch, reader: Reader, row: Row, says: Row) -> Value:
        """The difference of a fact or a step, or of a step at a number where it says a root."""
        if row["kind"] == "fact" or not row["arguments"]:
            return difference(reader, says)
        [text] = row["arguments"]
        need(not row["at"], "a root at another round")
        number = branch.reader.quotient(tree(text))
        need(number.positive(), "a root at what may be zero")
        bound = reader.value(tree(under_root(says)))
        half = {"": branch.ring.number(Fraction(1, 2))}
        mean = plus({"": number}, product({"": branch.ring.number(1) / number}, bound))
        return minus(product(half, mean), reader.value(tree(says["left"])))

    def places(self, branch: Branch, row: Row, first: int) -> dict[str, Linear]:
        """What replaces t and k, where a fact or a step holds."""
        found: dict[str, Linear] = {}
        for index, text in row["at"]:
            need(index in ("t", "k") and index not in found, "no index, or twice")
            need(index not in row["over"], "an index that is summed over")
            parts = {name: x for name, x in branch.reader.linear(tree(text)).items() if x}
            need(index == "t" or parts in ({"k": 1}, {}), "at another step")
            found[index] = parts
        if row["over"] != "t":
            parts = found.get("t", {"t": 1})
            stays, number = parts.get("t", 0), parts.get("", 0)
            need(set(parts) <= {"t", ""} and stays in (0, 1), "at no round")
            back = -number if stays else number
            start = self.row["statement"]["first"] - back if stays else back
            need(back >= 0 and start >= first, "at a round of which nothing is said")
            if back and not stays:
                rounds = branch.reader.symbol("T") - branch.ring.number(back + 1)
                need(rounds.not_negative(), "at a round that there may not be")
        return found

    def condition(self, branch: Branch, name: str) -> tuple[str, Value]:
        """A condition as a premise, perhaps a weaker one, perhaps squared."""
        form = re.fullmatch(r"([0-9]{1,4})(?: ([0-9]{1,4}))?( squared)?", name)
        if form is None:
            raise Refused("no condition")
        one = branch.conditions[int(form[1])]
        if form[2]:
            one = list(branch.weaker([one]))[int(form[2])]
        left, right = (branch.reader.value(side) for side in (one[0], one[2]))
        if form[3]:
            sure = branch.not_negative(left) and branch.not_negative(right)
            need(sure, "a square of what may be negative")
            left, right = product(left, left), product(right, right)
        return one[1], minus(left, right) if one[1] == ">=" else minus(right, left)


def difference(reader: Reader, statement: Row) -> Value:
    """What a statement says is not negative, or is zero."""
    left, right = (reader.value(tree(statement[side])) for side in ("left", "right"))
    return minus(left, right) if statement["relation"] == ">=" else minus(right, left)


def multiplier(row: Row, number: int, branches: int) -> ast.expr:
    """The multiplier of a premise or a square in a branch."""
    need(len(row["times"]) in (1, branches), "another number of multipliers")
    return tree(row["times"][number if len(row["times"]) > 1 else 0])


def under_root(statement: Row) -> str:
    """B, of a statement X <= sqrt(B)."""
    right = tree(statement["right"])
    if statement["relation"] != "<=" or called(right) != "sqrt" or not isinstance(right, ast.Call):
        raise Refused("no root on the right side")
    [under] = right.args
    return ast.unparse(under)


# ---- Documents

PAIRS, TEXTS, TRIPLE = [(str, str)], [str], (str, str, str)
STATEMENT = {
    "left": str,
    "relation": frozenset(RELATIONS),
    "right": str,
    "conditions": [(str, frozenset(RELATIONS), str)],
    "assumptions": TEXTS,
    "first": frozenset({0, 1}),
    "scope": str,
    "algorithm": str,
}
CERTIFICATE: Row = {
    "rule": frozenset({"given", "combine", "induction", "unroll", "root"}),
    "chart": [{"name": str, "kind": str, "bound": str, "of": str}],
    "premises": [
        {
            "kind": frozenset({"step", "fact", "condition", "hypothesis"}),
            "name": str,
            "arguments": TEXTS,
            "at": PAIRS,
            "over": frozenset({"", "t", "i", "ik"}),
            "times": TEXTS,
        }
    ],
    "squares": [{"vector": str, "times": TEXTS}],
    "scope": str,
    "variable": str,
    "base": object,
    "origin": str,
}
SCOPE = {
    "sources": TEXTS,
    "atoms": [(str, TEXTS)],
    "centred": PAIRS,
    "derived": PAIRS,
    "gradients": [(str, str, str, str)],
    "noises": PAIRS,
    "differences": TEXTS,
    "values": [TRIPLE],
    "sampled": bool,
    "algorithm": str,
    "needs": [{"vectors": TEXTS, "assumptions": TEXTS, "conditions": [TRIPLE]}],
}
THEORY = {
    "symbols": {"*": frozenset({"integer", "positive", "nonnegative", "index", "varying"})},
    "quantities": {"*": bool},
    "per_client": TEXTS,
    "per_step": TEXTS,
    "scopes": {"*": SCOPE},
    "always": [(str, frozenset(RELATIONS), str)],
    "absent": [{"dimension": str, "holds": [TRIPLE], "assumptions": TEXTS, "free": TEXTS}],
}


def fits(data: object, shape: Any) -> bool:
    """Whether data has the form that a page's table gives."""
    match shape:
        case frozenset():
            return type(data) in (str, int) and data in shape
        case list():
            return type(data) is list and all(fits(x, shape[0]) for x in data)
        case tuple():
            pairs = zip(data, shape, strict=False) if isinstance(data, list) else ()
            return len(list(pairs)) == len(shape) and all(map(fits, data, shape))  # type: ignore
        case {"*": inner}:
            return type(data) is dict and all(fits(x, inner) for x in data.values())
        case dict():
            if not isinstance(data, dict) or set(data) != set(shape):
                return False
            return all(fits(data[key], inner) for key, inner in shape.items())
    return shape is object or type(data) is shape


def answers(book: Row) -> Iterator[tuple[str, str]]:
    """Every step that has a certificate, and why it is refused, or nothing."""
    theory, wrong = book["theory"], ""
    try:
        check_book(book)
    except Refused as error:
        wrong = str(error)
    earlier: dict[str, Row] = {}
    for row in book["steps"]:
        name, statement = row["id"], row["statement"]
        try:
            need(not wrong, wrong)
            need(fits(statement, STATEMENT), "no statement")
            other = earlier.get(name, statement)
            need(other == statement, "an earlier row of this id says something else")
            if row["certificate"] is not None:
                check_form(row["certificate"])
                before = {x: one for x, one in earlier.items() if x != name}
                Step(theory, row, before).check()
            reason = ""
        except Refused as error:
            reason = str(error)
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            reason = f"cannot be read: {error!r}"
        except (RecursionError, MemoryError):
            reason = "too deep, or too large"
        if fits(statement, STATEMENT):
            earlier.setdefault(name, statement)
        if row["certificate"] is not None:
            yield name, reason


def check_book(book: Row) -> None:
    """Refuse a book of another version or theory."""
    need(book["version"] == 2 and fits(book["theory"], THEORY), "no book of version 2")
    text = json.dumps(book["theory"], sort_keys=True, separators=(",", ":"))
    need(hashlib.sha256(text.encode()).hexdigest() == book["hash"], "the theory was edited")
    check_theory(book["theory"])


def check_form(certificate: object) -> None:
    """Refuse what has not the form of a certificate."""
    need(fits(certificate, CERTIFICATE), "no certificate")
    assert isinstance(certificate, dict)
    if certificate["base"] is not None:
        need(fits(certificate["base"], CERTIFICATE), "no certificate")


def main(arguments: Sequence[str]) -> int:
    """Check the books of a document and print what is refused."""
    try:
        [path] = arguments
        with open(path, "rb") as file:
            data = file.read(FILE + 1)
        need(len(data) <= FILE, "too large")
        books = json.loads(data)
        rows = {"version": object, "hash": object, "theory": object, "steps": [dict]}
        need(fits(books, {"*": rows}), "no books of certificates")
        steps = [row for book in books.values() for row in book["steps"]]
        plain = all(
            type(row.get("id")) is str and {"statement", "certificate"} <= set(row) for row in steps
        )
        need(plain, "a step without an id, a statement or a certificate")
    except (OSError, ValueError, RecursionError, Refused) as error:
        print(f"second_checker: {ascii(str(error))}", file=sys.stderr)
        return 2
    status = 0
    for paper, book in books.items():
        found = list(answers(book))
        refused = [(name, reason) for name, reason in found if reason]
        print(f"{ascii(paper)[1:-1]}: {len(found) - len(refused)} accepted, {len(refused)} refused")
        for name, reason in refused:
            print(f"  {ascii(name)[1:-1]}: {ascii(reason)[1:-1]}")
        status = 1 if refused else status
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
