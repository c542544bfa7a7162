"""Choices of the parameters at which a step's conditions hold."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from flint import fmpq

from fedbounds.theory.checker.charts import Branch, branches
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
from fedbounds.theory.checker.expressions import NewVariable
from fedbounds.theory.checker.facts import FACTS
from fedbounds.theory.checker.text import words

from .finite import Evaluator

Point = dict[str, Fraction]
_DRAWS = 60  # of the variables of a chart, per branch
_SMALL = (0, 0, 0, 1, 2)
_WIDE = (0, 1, 2, 3, 7, 8, 26, 99)  # next to squares and cubes
_FREE = (Fraction(1), Fraction(1), Fraction(2), Fraction(1, 2), Fraction(3))
_COUNTED = {"n", "m", "K", "T"}  # sums over rounds and clients speak of them


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
    return words(*(text for text in texts if text not in ("<=", ">=", "==")))


def points(question: Question, small: bool) -> Iterator[Point]:
    """Parameters at which the step's conditions hold; the same on every run."""
    names = question.names()
    plain, random = question.statement, Random(0)
    seen: list[Point] = []
    try:
        every = _branches(question, question.certificate.chart)
    except Refused:
        every = _branches(question, ())
    for draw in range(_DRAWS):
        for branch in every:
            point = _point(question, branch, names, random, draw, small)
            if point is None:
                continue
            _mend(point, plain.conditions, set(branch.reader.parameters))
            if point not in seen and _holds(question, point):
                seen.append(point)
                yield point


def _branches(question: Question, chart: tuple[Assignment, ...]) -> list[Branch]:
    powers: dict[str, bool] = {}
    while True:
        try:
            found = branches(question.theory, None, question.statement.conditions, chart, powers)
            return list(found)
        except NewVariable as power:
            powers[power.name] = power.positive


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
            point[name] = fraction(free[name])
            continue
        below = known[name].below(*values)
        if below == 0:
            return None
        point[name] = fraction(known[name].above(*values) / below)
    for index, count, first in (("k", "K", 0), ("t", "T", question.statement.first)):
        if index in names:
            last = int(point.get(count, Fraction(4))) - 1
            point[index] = Fraction(random.randint(first, max(first, last)))
    return point


def _mend(point: Point, conditions: Sequence[Comparison], fixed: set[str]) -> None:
    """Move parameters that the chart leaves free: inequalities first, then equalities."""
    bounded = {c[0] for c in conditions if c[1] != "=="} & set(point)
    for condition in conditions:
        if condition[1] != "==":
            _satisfy(point, condition, [condition[0]] if condition[0] in bounded - fixed else [])
    for condition in conditions:
        if condition[1] == "==":
            free = names_in(condition) & set(point) - bounded - fixed
            fixed = fixed | _satisfy(point, condition, sorted(free))


def _satisfy(point: Point, condition: Comparison, free: Sequence[str]) -> set[str]:
    """Move one of these parameters so that both sides agree, unless the condition holds."""
    left, relation, right = condition

    def gap(name: str, number: Fraction) -> Fraction:
        known = Evaluator({**point, name: number}, _no_quantity)
        return known.value(left) - known.value(right)

    for name in free:
        try:
            now, start = gap(name, point[name]), gap(name, Fraction(0))
            if now == 0 or (now < 0 and relation == "<=") or (now > 0 and relation == ">="):
                break
            slope = gap(name, Fraction(1)) - start
            if slope and gap(name, -start / slope) == 0:
                point[name] = -start / slope
                return {name}
        except (KeyError, ValueError, ZeroDivisionError):
            continue
    return set()


def fraction(value: fmpq) -> Fraction:
    """A rational of the checker."""
    return Fraction(int(value.p), int(value.q))


def _holds(question: Question, point: Point) -> bool:
    """Whether every parameter has its sign, and every condition of the step holds."""
    theory = question.theory
    for name, number in point.items():
        sign = theory.symbols[name]
        if sign in ("integer", "varying") and (number.denominator > 1 or number < 1):
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
