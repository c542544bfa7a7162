"""Random vectors that satisfy all that a step cites, and break it.

Expectations of products are linear in the squares of the vectors' coordinates. A linear programme
weighs candidate coordinates; its prices make a quadratic form, whose most negative directions are
the next candidates. The weights become rational squares, the vectors are written down, and the step
and its premises are evaluated again by enumeration.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from fedbounds.theory.checker.data import Statement
from fedbounds.theory.checker.values import CONSTANT

from . import feasible
from .finite import INDICES, Array, Evaluator, Finite, Function, Index, space_of
from .instances import Instance, Question

Numbers = tuple[tuple[str, str], ...]
Column = tuple[Fraction, ...]  # one coordinate of every vector, in the basis functions
Coordinate = tuple[Fraction, Column]  # a factor of its own

_ROUNDS = 12  # of new candidates
_STARTS = 40
_NEW = 4  # directions per round
_FINEST = (1, 2, 3, 12)  # denominators of a direction's entries
_ROOTS = (1, 2, 3, 4, 6, 8, 12, 24, 60, 120, 720)  # denominators of the square roots of weights
_MOST_SIGNS = 6
_MOST_FUNCTIONS = 200
_GAP = 1e-7


@dataclass(frozen=True, eq=False)
class _Forms:
    """The products of vectors as quadratic forms in the basis functions."""

    space: Finite
    functions: list[tuple[str, Function]]
    exact: dict[str, dict[tuple[int, int], Fraction]]

    def matrix(self, key: str) -> Array:
        """One form, symmetric."""
        size = len(self.functions)
        found = np.zeros((size, size))
        for (a, b), weight in self.exact[key].items():
            found[a, b] += float(weight) / 2
            found[b, a] += float(weight) / 2
        return found

    def values(self, column: Column) -> dict[str, Fraction]:
        """The value of every product for one coordinate."""
        return {
            key: sum((w * column[a] * column[b] for (a, b), w in form.items()), Fraction(0))
            for key, form in self.exact.items()
        }


def breaking_vectors(question: Question, found: Instance) -> Numbers | None:
    """Parameters, vectors, quantities and both sides; None if the tries run out."""
    forms = _forms(question, found)
    if forms is None:
        return None
    for sign in (1, -1) if question.statement.relation == "==" else (1,):
        gap = {name: sign * c for name, c in found.gap.items()}
        for columns, weights in _candidates(forms, found, gap):
            numbers = _written(question, found, forms, gap, columns, weights)
            if numbers is not None:
                return numbers
    return None


def _forms(question: Question, found: Instance) -> _Forms | None:
    lines = [found.gap, *(premise.line for premise in found.premises)]
    keys = sorted({name for line in lines for name in line if name.startswith("<")})
    products = {key: _parts(key) for key in keys}
    atoms = sorted({atom for a, b, _ in products.values() for atom in (a, b)})
    scope = question.scope
    depends, centred = {a: frozenset(d) for a, d in scope.atoms}, dict(scope.centred)
    counts = [int(found.point.get(name, Fraction(1))) for name in ("n", "m", "K")]
    noisy_past = any(a in scope.differences and not centred.get(a) for a in atoms)
    forgets = any("past" in depends[a] & depends[b] - kept for a, b, kept in products.values())
    space = space_of(scope, counts[0], counts[1], counts[2], noisy_past or forgets)
    if len(space.signs) > _MOST_SIGNS:
        return None
    functions = [(atom, function) for atom in atoms for function in space.functions(atom)]
    if len(functions) > _MOST_FUNCTIONS:
        return None
    rows = {atom: [j for j, (a, _) in enumerate(functions) if a == atom] for atom in atoms}
    exact = {}
    for key, (a, b, kept) in products.items():
        form = {
            (x, y): space.inner(functions[x][1], functions[y][1], kept)
            for x in rows[a]
            for y in rows[b]
        }
        exact[key] = {pair: weight for pair, weight in form.items() if weight}
    return _Forms(space, functions, exact)


def _parts(key: str) -> tuple[str, str, frozenset[str]]:
    first, second, kept = key[1:-1].split("|")
    return first, second, frozenset(kept.split(",")) - {""}


def _candidates(
    forms: _Forms, found: Instance, gap: feasible.Line
) -> Iterator[tuple[list[Column], list[float]]]:
    """Coordinates with weights that break the step, in floats."""
    size = len(forms.functions)
    columns = list(dict.fromkeys(_starts(size)))
    values = [forms.values(column) for column in columns]
    matrices = {key: forms.matrix(key) for key in forms.exact}
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
        form = np.zeros((size, size))
        priced = list(zip(found.premises, solved.prices, strict=True))
        for key, matrix in matrices.items():
            price = sum(float(p.line.get(key, 0)) * cost for p, cost in priced)
            form += (float(gap.get(key, 0)) - price) * matrix
        new = [c for c in _directions(form, solved.cap) if c not in set(columns)]
        if not new:
            return
        columns += new
        values += [forms.values(column) for column in new]


def _starts(size: int) -> Iterator[Column]:
    """Single basis functions, and a few sums of them; the same on every run."""
    random = np.random.default_rng(0)
    for j in range(size):
        yield tuple(Fraction(int(j == other)) for other in range(size))
    for _ in range(_STARTS):
        yield tuple(Fraction(int(x)) for x in random.integers(-1, 2, size))


def _directions(form: Array, cap: float) -> Iterator[Column]:
    """The most negative directions of a quadratic form, rounded."""
    sizes, vectors = np.linalg.eigh(form)
    seen = set()
    for j in range(min(_NEW, len(sizes))):
        if sizes[j] > cap - 1e-9 * max(1.0, abs(sizes[-1])):
            return
        direction = vectors[:, j] / np.abs(vectors[:, j]).max()
        for denominator in _FINEST:
            rounded = np.rint(direction * denominator).astype(int)
            column = tuple(Fraction(int(x), denominator) for x in rounded)
            if column not in seen and any(column):
                seen.add(column)
                yield column


def _weighed(line: feasible.Line, values: Sequence[Mapping[str, Fraction]]) -> feasible.Line:
    """A line with weights of coordinates in place of products of vectors."""
    found = {name: c for name, c in line.items() if not name.startswith("<")}
    keys = [(name, c) for name, c in line.items() if name.startswith("<")]
    for j, own in enumerate(values):
        total = sum((c * own[name] for name, c in keys), Fraction(0))
        if total:
            found[f"weight {j}"] = total
    return found


def _written(
    question: Question,
    found: Instance,
    forms: _Forms,
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
                *_shown(forms, used),
                *((name, str(number)) for name, number in quantities.items()),
                *sides,
            )
    return None


def _quantities(
    found: Instance, forms: _Forms, gap: feasible.Line, used: Sequence[Coordinate]
) -> dict[str, Fraction] | None:
    """Quantities that break the step, with the vectors given."""
    own = [(root * root, forms.values(column)) for root, column in used]
    total = {key: sum((w * v[key] for w, v in own), Fraction(0)) for key in forms.exact}
    lines = [feasible.Premise(_fixed(p.line, total), p.equality) for p in found.premises]
    return feasible.breaking(_fixed(gap, total), lines, found.signed)


def _fewer(
    found: Instance, forms: _Forms, gap: feasible.Line, used: list[Coordinate]
) -> list[Coordinate]:
    """The same without coordinates and entries that are not needed."""
    for coordinate in list(used):
        rest = [other for other in used if other is not coordinate]
        if _quantities(found, forms, gap, rest) is not None:
            used = rest
    for place, (root, column) in enumerate(used):
        for j, entry in enumerate(column):
            if entry:
                thinner = (*used[place][1][:j], Fraction(0), *used[place][1][j + 1 :])
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
    forms: _Forms, used: Sequence[Coordinate]
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
    forms: _Forms,
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


def _shown(forms: _Forms, used: Sequence[Coordinate]) -> Iterator[tuple[str, str]]:
    """Every vector, outcome by outcome of what it depends on; zero where nothing is said."""
    for atom, values in _vectors(forms, used).items():
        places: dict[Index, list[str]] = {}
        for function, vector in values.items():
            signs = " ".join(str(forms.space.signs[j]) for j in sorted(function.signs))
            places.setdefault(function.index, []).append(_term_text(vector, signs))
        texts = []
        for index, terms in places.items():
            at = ", ".join(
                f"{name}={_outcome(forms.space, name, x)}"
                for name, x in zip(INDICES, index, strict=True)
                if x is not None
            )
            texts.append(f"{at}: {_joined(terms)}" if at else _joined(terms))
        yield atom, "; ".join(texts) or "0"


def _joined(terms: Sequence[str]) -> str:
    return " + ".join(terms).replace("+ -", "- ")


def _outcome(space: Finite, name: str, at: int) -> Any:
    if name == INDICES[0]:
        return "{" + ",".join(str(client + 1) for client in space.members[at]) + "}"
    return at if name == INDICES[2] else at + 1


def _term_text(vector: Sequence[Fraction], signs: str) -> str:
    if len(vector) > 1:
        return f"({', '.join(map(str, vector))}) {signs}".strip()
    if not signs or abs(vector[0]) != 1:
        return f"{vector[0]} {signs}".strip()
    return signs if vector[0] == 1 else f"-{signs}"
