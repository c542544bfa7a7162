"""A step at chosen parameters: its conditions hold, and every side has rational coefficients."""

from dataclasses import dataclass, replace
from fractions import Fraction

from fedbounds.theory.checker.check import Piece, Pieces, nonnegative, pieces
from fedbounds.theory.checker.data import Assignment, Certificate, Statement
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.expressions import NewVariable, Reader
from fedbounds.theory.checker.values import CONSTANT, Value
from fedbounds.theory.checker.vectors import is_norm

from . import feasible
from .points import Point, Question, fraction
from .rounds import located, sums


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


def instance(question: Question, point: Point) -> Instance | None:
    """The step at a point; None if something in it cannot be read there."""
    # a round and a step are numbers here as well, unless something is summed over them
    summed = any(premise.over for premise in question.certificate.premises)
    kind = {name: question.theory.symbols[name] for name in point}
    symbols = {n: k if summed else k.replace("index", "nonnegative") for n, k in kind.items()}
    theory = replace(question.theory, symbols=symbols)
    fixed = tuple((n, "==", _shown(x)) for n, x in point.items() if symbols[n] != "index")
    varying = tuple(c for c in fixed if symbols[c[0]] == "varying")  # no condition may name them
    theory = replace(theory, always=(*theory.always, *varying))
    own = tuple(c for c in fixed if c not in varying)
    statement = replace(question.statement, conditions=(*question.statement.conditions, *own))
    premises = tuple(replace(p, times=("1",)) for p in question.certificate.premises)
    chart = tuple(Assignment(name, "equal", bound) for name, _, bound in fixed)
    plain = Certificate("combine", chart, premises, (), question.certificate.scope)
    powers: dict[str, bool] = {}  # in conditions only: everything else has rational coefficients
    while True:
        try:
            (found,) = pieces(theory, statement, plain, question.earlier, {}, None, powers)
            break
        except NewVariable as power:
            powers[power.name] = power.positive
        except (Refused, ZeroDivisionError):
            return None
    return _assembled(question, point, found)


def restated(question: Question, found: Instance) -> Instance | None:
    """An instance of the same step with another statement; None if it cannot be read there.

    Nor if the statement names what the step does not, of which more premises may speak.
    """
    statement = question.statement
    reader = found.reader.stating(vectors=bool(statement.scope))
    try:
        left, right = reader.read(statement.left), reader.read(statement.right)
    except (Refused, NewVariable, ZeroDivisionError):
        return None
    value = left - right if statement.relation == ">=" else right - left
    if not _constant(value):
        return None
    gap, known = _line(value, found.point), {CONSTANT}
    known |= {name for line in (found.gap, *(p.line for p in found.premises)) for name in line}
    return replace(found, gap=gap) if gap.keys() <= known else None


def _shown(number: Fraction) -> str:
    return str(number) if number.denominator == 1 else f"{number.numerator}/{number.denominator}"


def _assembled(question: Question, point: Point, found: Pieces) -> Instance | None:
    if not all(_constant(piece.value) for piece in (Piece(found.gap, False), *found.premises)):
        return None
    lines, cited = [], []
    for premise, piece in zip(question.certificate.premises, found.premises, strict=True):
        if piece.error is not None:
            # a cited step says nothing outside its conditions; numbers settle nothing else
            if not str(piece.error).startswith(f"{premise.name} needs "):
                return None
            continue
        lines.append(feasible.Premise(_line(piece.value, point), piece.equality))
        statement = question.cited(premise)
        if statement is not None and not premise.at and not premise.over:
            cited.append(statement)
    gap = _line(found.gap, point)
    names = {name for line in (gap, *(p.line for p in lines)) for name in line} - {CONSTANT}
    if any(map(is_norm, names)):  # which are no free numbers beside vectors
        return None
    return Instance(
        point,
        gap,
        (*lines, *sums(question.theory, names, point)),
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
        name = located(key, point)
        found[name] = found.get(name, Fraction(0)) + fraction(above / below)
    return {name: c for name, c in found.items() if c}
