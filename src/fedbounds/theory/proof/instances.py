"""A step at chosen parameters: its conditions hold, and every side is linear with rational numbers."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random

from flint import fmpq

from fedbounds.theory.checker.charts import Branch, branches
from fedbounds.theory.checker.check import Piece, Pieces, nonnegative, pieces
from fedbounds.theory.checker.data import (
    Assignment,
    Certificate,
    Comparison,
    Premise,
    Scope,
    Statement,
    Theory,
)
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.expressions import NewVariable, Reader, parsed
from fedbounds.theory.checker.facts import FACTS
from fedbounds.theory.checker.keys import affine_of, parts
from fedbounds.theory.checker.values import CONSTANT, Value

from . import feasible
from .finite import Evaluator

Point = dict[str, Fraction]
_DRAWS = 60  # of the variables of a chart, per branch
_SMALL = (0, 0, 0, 1, 2)
_WIDE = (0, 1, 2, 3, 5, 8, 11, 100)
_FREE = (Fraction(1), Fraction(1), Fraction(2), Fraction(1, 2), Fraction(3))
_COUNTED = {"n", "m", "K", "T"}  # sums over rounds and clients speak of them
_INDEX = "index"
_SUM = re.compile(r"^Sum_(t|i|ik)\((.*)\)$")


@dataclass(frozen=True, eq=False)
class Instance:
    """A step at one choice of its parameters.

    Attributes
    ----------
    point : dict
        Every parameter that occurs.
    gap : Line
        right - left, in quantities and products of vectors.
    premises : tuple of Premise
        What is cited, and that a sum of non-negative quantities is at least any of them.
    signed : frozenset of str
        Names that may be negative.
    reader : Reader
        Of further expressions at this point.
    cited : tuple of Statement
        Those of the cited statements that are used as they stand.
    refused : tuple of str
        Cited statements whose conditions do not hold here, so that they say nothing.
    """

    point: Point
    gap: feasible.Line
    premises: tuple[feasible.Premise, ...]
    signed: frozenset[str]
    reader: Reader
    cited: tuple[Statement, ...]
    refused: tuple[str, ...]

    def line(self, text: str) -> feasible.Line:
        """An expression in quantities."""
        return _line(self.reader.read(text), self.point)


@dataclass(frozen=True, eq=False)
class Question:
    """A step whose numbers are looked for."""

    theory: Theory
    statement: Statement
    certificate: Certificate
    earlier: Mapping[str, Statement]

    @property
    def scope(self) -> Scope:
        """Whose vectors its premises speak of."""
        name = self.certificate.scope
        return self.theory.scopes[name] if name else Scope()

    def cited(self, premise: Premise) -> Statement | None:
        """What a premise says; None for a condition."""
        if premise.kind == "step":
            return self.earlier.get(premise.name)
        if premise.kind == "fact" and premise.name in FACTS:
            return FACTS[premise.name](self.scope, premise.arguments)
        return None

    @property
    def statements(self) -> list[Statement]:
        """The step's own, and those of its premises."""
        found = [self.cited(premise) for premise in self.certificate.premises]
        return [self.statement, *(s for s in found if s is not None)]

    def names(self) -> set[str]:
        """Symbols of the theory that occur."""
        texts = [side for s in self.statements for side in (s.left, s.right)]
        texts += [c[at] for s in self.statements for c in s.conditions for at in (0, 2)]
        texts += [expression for _, expression in self.scope.derived]
        found = names_in(texts)
        return (found | _COUNTED) & set(self.theory.symbols)


def names_in(texts: Iterable[str]) -> set[str]:
    """Names that occur in expressions; relations are none."""
    trees = [parsed(text) for text in texts if text not in ("<=", ">=", "==")]
    return {node.id for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name)}


def points(question: Question, small: bool) -> Iterator[Point]:
    """Parameters at which the step's conditions hold; the same on every run."""
    names = question.names()
    plain, random = question.statement, Random(0)
    seen: list[Point] = []
    try:
        every = list(
            branches(question.theory, None, plain.conditions, question.certificate.chart, {})
        )
    except (Refused, NewVariable):
        every = list(branches(question.theory, None, plain.conditions, (), {}))
    for draw in range(_DRAWS):
        for branch in every:
            point = _point(question, branch, names, random, draw, small)
            if point is not None and point not in seen and _holds(question, point):
                seen.append(point)
                yield point


def _point(
    question: Question, branch: Branch, names: set[str], random: Random, draw: int, small: bool
) -> Point | None:
    ring, known = branch.reader.ring, branch.reader.parameters
    free = {}
    for name in ring.names:
        positive, slack = name in ring.positive, name not in question.theory.symbols
        if slack:
            choice = random.choice(_SMALL if small else _WIDE) if draw else 0
            free[name] = fmpq(choice + positive)
        else:
            drawn = random.choice(_FREE) if draw else Fraction(1)
            free[name] = fmpq(drawn.numerator, drawn.denominator)
    values = [free[name] for name in ring.names]
    point = {}
    for name in sorted(names):
        if name not in known:
            point[name] = _fraction(free[name])
            continue
        below = known[name].below(*values)
        if below == 0:
            return None
        point[name] = _fraction(known[name].above(*values) / below)
    for index, count, first in (("k", "K", 0), ("t", "T", question.statement.first)):
        if index in names:
            last = int(point.get(count, Fraction(4))) - 1
            point[index] = Fraction(random.randint(first, max(first, last)))
    return point


def _fraction(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def _holds(question: Question, point: Point) -> bool:
    """Whether every parameter has its sign, and every condition of the step holds."""
    theory = question.theory
    for name, number in point.items():
        sign = theory.symbols[name]
        if sign == "integer" and (number.denominator > 1 or number < 1):
            return False
        if number < 0 or (sign == "positive" and number == 0):
            return False
    if "t" in point and "T" in point and point["t"] >= point["T"]:
        return False
    known = Evaluator(point, _no_quantity)
    try:
        return all(
            _compared(known, condition)
            for condition in (*theory.always, *question.statement.conditions)
            if set(point) >= names_in(condition) & set(theory.symbols)
        )
    except (ValueError, ZeroDivisionError):
        return False


def _no_quantity(text: str) -> Fraction:
    raise ValueError(f"{text} in a condition")


def _compared(known: Evaluator, condition: Comparison) -> bool:
    left, right = known.value(condition[0]), known.value(condition[2])
    match condition[1]:
        case "<=":
            return left <= right
        case ">=":
            return left >= right
    return left == right


def instance(question: Question, point: Point) -> Instance | None:
    """The step at a point; None if something in it cannot be read there."""
    # a round and a step are numbers here as well; at 0 they stay names, without coefficients
    kind = {name: question.theory.symbols[name] for name in point}
    symbols = {n: kind[n] if kind[n] != _INDEX or not point[n] else "nonnegative" for n in point}
    theory = replace(question.theory, symbols=symbols)
    fixed = tuple((name, "==", _shown(x)) for name, x in point.items() if symbols[name] != _INDEX)
    statement = replace(question.statement, conditions=(*question.statement.conditions, *fixed))
    premises = tuple(replace(p, times=("1",)) for p in question.certificate.premises)
    chart = tuple(Assignment(name, "equal", bound) for name, _, bound in fixed)
    plain = Certificate("combine", chart, premises, (), question.certificate.scope)
    try:
        (found,) = pieces(theory, statement, plain, question.earlier, {}, None, {})
    except (Refused, NewVariable, ZeroDivisionError):
        return None
    return _assembled(question, point, found)


def _shown(number: Fraction) -> str:
    return str(number) if number.denominator == 1 else f"{number.numerator}/{number.denominator}"


def _assembled(question: Question, point: Point, found: Pieces) -> Instance | None:
    if not all(_constant(piece.value) for piece in (Piece(found.gap, False), *found.premises)):
        return None
    lines, cited = [], []
    for premise, piece in zip(question.certificate.premises, found.premises, strict=True):
        if piece.error is not None:
            # outside its conditions a cited step says nothing; anything else is no matter of numbers
            if not str(piece.error).startswith(f"{premise.name} needs "):
                return None
            continue
        lines.append(feasible.Premise(_line(piece.value, point), piece.equality))
        statement = question.cited(premise)
        if statement is not None and not premise.at and not premise.over:
            cited.append(statement)
    gap = _line(found.gap, point)
    names = {name for line in (gap, *(p.line for p in lines)) for name in line} - {CONSTANT}
    return Instance(
        point,
        gap,
        (*lines, *_sums(question.theory, names, point)),
        frozenset(name for name in names if not nonnegative(question.theory, name)),
        found.branch.reader,
        tuple(cited),
        tuple(str(piece.error) for piece in found.premises if piece.error is not None),
    )


def _constant(value: Value) -> bool:
    return all(r.above.is_constant() and r.below.is_constant() for r in value.terms.values())


def _line(value: Value, point: Point) -> feasible.Line:
    found: dict[str, Fraction] = {}
    for key, ratio in value.terms.items():
        if ratio.is_zero():
            continue
        above, below = (p.leading_coefficient() for p in (ratio.above, ratio.below))
        name = _located(key, point)
        found[name] = found.get(name, Fraction(0)) + _fraction(above / below)
    return {name: c for name, c in found.items() if c}


def _located(key: str, point: Point) -> str:
    """A quantity's name with its rounds and steps as numbers: E(t+1) at t = 1 is E(2)."""
    inside = _SUM.match(key)
    if inside is not None:
        axis, inner = inside.groups()
        bound = {"t": ("t",), "i": (), "ik": ("k",)}[axis]
        kept = {name: number for name, number in point.items() if name not in bound}
        return f"Sum_{axis}({_located(inner, kept)})"
    found = parts(key)
    if found is None:
        return key
    name, arguments = found
    return f"{name}({','.join(_number(a, point) for a in arguments)})"


def _number(text: str, point: Point) -> str:
    affine = affine_of(text)
    if any(name and name not in point for name in affine):
        return text
    return str(sum(factor * (point[name] if name else 1) for name, factor in affine.items()))


def _sums(theory: Theory, names: set[str], point: Point) -> Iterator[feasible.Premise]:
    """A sum is at least what is known of its terms, and equal to it if all are known."""
    for name in sorted(names):
        inside = _SUM.match(name)
        if inside is None:
            continue
        axis, inner = inside.groups()
        terms = {other for other in names if _is_term(axis, inner, other, point)}
        count = {"t": point.get("T"), "i": point.get("n"), "ik": None}[axis]
        if axis == "ik" and "n" in point and "K" in point:
            count = point["n"] * point["K"]
        complete = count is not None and len(terms) == count
        if complete or (terms and nonnegative(theory, inner)):
            line = {name: Fraction(1), **{term: Fraction(-1) for term in terms}}
            yield feasible.Premise(line, complete)


def _is_term(axis: str, inner: str, other: str, point: Point) -> bool:
    if axis == "i":
        return inner == other
    mine, theirs = parts(inner), parts(other)
    if mine is None or theirs is None or mine[0] != theirs[0]:
        return False
    count = point.get("T" if axis == "t" else "K")
    at = theirs[1][-1]
    same = axis == "t" or mine[1][:-1] == theirs[1][:-1]
    return same and at.isdigit() and count is not None and int(at) < count
