"""Random vectors that satisfy all that a step cites, and break it.

Expectations of products are linear in the squares of the vectors' coordinates. A linear programme
weighs candidate coordinates; its prices make a quadratic form, whose most negative directions are
the next candidates. The weights become rational squares, the vectors are written down, and the step
and its premises are evaluated again by enumeration.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import gcd

import numpy as np

from fedbounds.theory.checker.data import Statement
from fedbounds.theory.checker.values import CONSTANT

from . import feasible
from .finite import Array, Evaluator, Function
from .forms import Column, Forms, forms_of
from .instances import Instance
from .outcome_text import shown
from .points import Question

Numbers = tuple[tuple[str, str], ...]
Coordinate = tuple[Fraction, Column]  # a factor of its own

_ROUNDS = 12  # of new candidates
_STARTS = 40
_NEW = 4  # directions per round
_FINEST = (1, 2, 3, 12)  # denominators of a direction's entries
_ROOTS = (1, 2, 3, 4, 6, 8, 12, 24, 60, 120, 720)  # denominators of the square roots of weights
_GAP = 1e-7
_ZERO = 1e-12


def breaking_vectors(question: Question, found: Instance) -> Numbers | None:
    """Parameters, vectors, quantities and both sides; None if the tries run out."""
    forms = forms_of(question, found)
    if forms is None:
        return None
    for sign in (1, -1) if question.statement.relation == "==" else (1,):
        gap = {name: sign * c for name, c in found.gap.items()}
        for columns, weights in _candidates(forms, found, gap):
            numbers = _written(question, found, forms, gap, columns, weights)
            if numbers is not None:
                return numbers
    return None


def _candidates(
    forms: Forms, found: Instance, gap: feasible.Line
) -> Iterator[tuple[list[Column], list[float]]]:
    """Coordinates with weights that break the step, in floats."""
    columns = list(dict.fromkeys(_starts(len(forms.functions))))
    matrices = {key: forms.matrix(key) for key in forms.exact}
    values = [_measured(matrices, column) for column in columns]
    for _ in range(_ROUNDS):
        names = [f"weight {j}" for j in range(len(columns))]
        own = {n: float(sum(x * x for x in c)) for n, c in zip(names, columns, strict=True)}
        lines = [feasible.Premise(_weighed(p.line, values), p.equality) for p in found.premises]
        target = _weighed(gap, values)
        solved = feasible.least(target, lines, found.signed, own)
        if solved is None:
            return
        if solved.least < -_GAP * float(feasible.scale(target)):
            inner = feasible.interior(target, lines, found.signed, own, solved.least / 2)
            for solution in (inner, solved):
                if solution is not None:
                    used = [(j, solution.values.get(n, 0.0)) for j, n in enumerate(names)]
                    kept = [(j, w) for j, w in used if w > _GAP]
                    yield [columns[j] for j, _ in kept], [w for _, w in kept]
        priced = list(zip(found.premises, solved.prices, strict=True))
        form = np.zeros((len(forms.functions), len(forms.functions)))
        for key, matrix in matrices.items():
            price = sum(float(p.line.get(key, 0)) * cost for p, cost in priced)
            form += (float(gap.get(key, 0)) - price) * matrix
        known = set(columns)
        new = [c for c in _directions(forms, form, solved.cap) if c not in known]
        if not new:
            return
        columns += new
        values += [_measured(matrices, column) for column in new]


def _starts(size: int) -> Iterator[Column]:
    """Single basis functions, and a few sums of them; the same on every run."""
    random = np.random.default_rng(0)
    for j in range(size):
        yield tuple(int(j == other) for other in range(size))
    for _ in range(_STARTS):
        yield tuple(map(int, random.integers(-1, 2, size)))


def _directions(forms: Forms, form: Array, cap: float) -> Iterator[Column]:
    """The most negative directions of a quadratic form, rounded."""
    blocks: dict[frozenset[int], list[int]] = {}  # different signs are orthogonal
    for j, (_, function) in enumerate(forms.functions):
        blocks.setdefault(function.signs, []).append(j)
    found = []
    for block in blocks.values():
        sizes, vectors = np.linalg.eigh(form[np.ix_(block, block)])
        found += [(size, block, vectors[:, j]) for j, size in enumerate(sizes[:_NEW])]
    found.sort(key=lambda one: float(one[0]))
    limit = cap - 1e-9 * max(1.0, float(np.abs(form).max()))
    for _, block, vector in [one for one in found[:_NEW] if one[0] < limit]:
        for denominator in _FINEST:
            column = [0] * len(forms.functions)
            for j, x in zip(block, vector / np.abs(vector).max() * denominator, strict=True):
                column[j] = round(float(x))
            common = gcd(*column)
            yield tuple(x // common for x in column)


def _measured(matrices: Mapping[str, Array], column: Column) -> dict[str, float]:
    """The value of every product for one coordinate, in floats."""
    point = np.array(column, dtype=float)
    return {key: float(point @ matrix @ point) for key, matrix in matrices.items()}


def _weighed(line: feasible.Line, values: Sequence[Mapping[str, float]]) -> feasible.Line:
    """A line with weights of coordinates in place of products of vectors, in floats."""
    found = {name: c for name, c in line.items() if not name.startswith("<")}
    keys = [(name, float(c)) for name, c in line.items() if name.startswith("<")]
    for j, own in enumerate(values):
        total = sum(c * own[name] for name, c in keys)
        if abs(total) > _ZERO:
            found[f"weight {j}"] = total
    return found


def _written(
    question: Question,
    found: Instance,
    forms: Forms,
    gap: feasible.Line,
    columns: list[Column],
    weights: list[float],
) -> Numbers | None:
    """Vectors with these coordinates, their squared lengths rounded to rational squares."""
    largest = max(map(np.sqrt, weights), default=1.0)
    for denominator, size in product(_ROOTS, (largest, 1.0)):
        roots = [Fraction(round(np.sqrt(w) / size * denominator), denominator) for w in weights]
        used = [(r, c) for r, c in zip(roots, columns, strict=True) if r]
        if _quantities(found, forms, gap, used) is None:
            continue
        used = _fewer(found, forms, gap, used)
        quantities = _quantities(found, forms, gap, used)
        assert quantities is not None
        sides = _rechecked(question, found, forms, used, quantities)
        if sides is not None:
            return (
                *((name, str(number)) for name, number in found.point.items()),
                *shown(forms.space, _vectors(forms, used)),
                *((name, str(number)) for name, number in quantities.items()),
                *sides,
            )
    return None


def _quantities(
    found: Instance, forms: Forms, gap: feasible.Line, used: Sequence[Coordinate]
) -> dict[str, Fraction] | None:
    """Quantities that break the step, with the vectors given."""
    own = [(root * root, forms.values(column)) for root, column in used]
    total = {key: sum((w * v[key] for w, v in own), Fraction(0)) for key in forms.exact}
    lines = [feasible.Premise(_fixed(p.line, total), p.equality) for p in found.premises]
    return feasible.breaking(_fixed(gap, total), lines, found.signed)


def _fewer(
    found: Instance, forms: Forms, gap: feasible.Line, used: list[Coordinate]
) -> list[Coordinate]:
    """The same without coordinates and entries that are not needed."""
    for coordinate in list(used):
        rest = [other for other in used if other is not coordinate]
        if _quantities(found, forms, gap, rest) is not None:
            used = rest
    for place, (root, column) in enumerate(used):
        for j, entry in enumerate(column):
            if entry:
                thinner = (*used[place][1][:j], 0, *used[place][1][j + 1 :])
                fewer = [*used[:place], (root, thinner), *used[place + 1 :]]
                if _quantities(found, forms, gap, fewer) is not None:
                    used = fewer
    return used


def _fixed(line: feasible.Line, values: Mapping[str, Fraction]) -> feasible.Line:
    found = {name: c for name, c in line.items() if name not in values}
    known = sum((c * values[name] for name, c in line.items() if name in values), Fraction(0))
    found[CONSTANT] = found.get(CONSTANT, Fraction(0)) + known
    return found


def _vectors(
    forms: Forms, used: Sequence[Coordinate]
) -> dict[str, dict[Function, tuple[Fraction, ...]]]:
    found: dict[str, dict[Function, tuple[Fraction, ...]]] = {}
    for j, (atom, function) in enumerate(forms.functions):
        own = found.setdefault(atom, {})
        vector = tuple(root * column[j] for root, column in used)
        if any(vector):
            own[function] = vector
    return found


def _rechecked(
    question: Question,
    found: Instance,
    forms: Forms,
    used: Sequence[Coordinate],
    quantities: Mapping[str, Fraction],
) -> Numbers | None:
    """Both sides by enumeration, if the premises hold and the step does not."""
    space, dimension = forms.space, max(len(used), 1)
    tables = {atom: space.table(v, dimension) for atom, v in _vectors(forms, used).items()}
    zero = space.table({}, dimension)
    tables |= {atom: zero for atom, _ in question.scope.atoms if atom not in tables}
    named = {
        name: quantities.get(f"value {name}", Fraction(0)) for name, _, _ in question.scope.values
    }

    def quantity(text: str) -> Fraction:
        line = found.line(text)
        return feasible.value(line, {name: quantities.get(name, Fraction(0)) for name in line})

    known = Evaluator({**found.point, **named}, quantity, space, tables)
    if not all(_true(known, statement) for statement in found.cited):
        return None
    own = question.statement
    if _true(known, own):
        return None
    return ("left", str(known.value(own.left))), ("right", str(known.value(own.right)))


def _true(known: Evaluator, statement: Statement) -> bool:
    left, right = known.value(statement.left), known.value(statement.right)
    if statement.relation == "==":
        return left == right
    return left <= right if statement.relation == "<=" else left >= right
