"""Multipliers of a step's premises and squares: found here, trusted nowhere.

At sample values of the parameters a linear programme says which multipliers, and which
coefficients of the remainder, are zero; those equations are then solved exactly, over quotients of
polynomials. The checker decides whether the result proves the step.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from flint import fmpq

from fedbounds.theory.checker.check import (
    Pieces,
    nonnegative,
    pieces,
    remainder,
    remainders,
)
from fedbounds.theory.checker.data import Certificate, Premise, Square, Statement, Theory
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.expressions import ROUND, NewVariable
from fedbounds.theory.checker.ratios import Ratio, Ring
from fedbounds.theory.checker.values import CONSTANT, Value

UNKNOWN = "?"
ZERO = "((0) / (1))"  # how a multiplier that is found to be zero is written
_TRIES = 6  # sample points and objectives
_ENOUGH = 2  # points without multipliers: one would do, but for rounding
_ZERO = 1e-7
_NO_SOLUTION = 2  # SciPy's word for an infeasible programme
_EXTREMES = ("largest", "least")  # facts of numbers that are compared
_COMPARED = "#"  # of the key of a term in such numbers; no quantity begins so
_FREE = ("root", "equal", "solve")  # assignments that are identities


_Point = Mapping[str, fmpq]


class _Infeasible(Exception):
    """There are no multipliers at a point."""


@dataclass(frozen=True, eq=False)
class Problem:
    """A step whose certificate has unknown multipliers.

    Where numbers are compared with their maximum, each of them is looked at ``apart``.
    """

    theory: Theory
    statement: Statement
    certificate: Certificate
    earlier: Mapping[str, Statement]
    at: Mapping[str, str]
    hypothesis: Statement | None
    apart: bool = False

    @property
    def entries(self) -> list[Premise | Square]:
        """Premises, then squares."""
        return [*self.certificate.premises, *self.certificate.squares]


@dataclass(frozen=True, eq=False)
class _Row:
    """One branch: the gap less known entries, and a column for each unknown multiplier."""

    found: Pieces
    rest: Value
    columns: list[Value]
    signed: list[bool]
    refused: tuple[str, ...]  # why premises are of no use here


def complete(
    theory: Theory,
    statement: Statement,
    certificate: Certificate,
    earlier: Mapping[str, Statement],
    at: Mapping[str, str] | None = None,
    hypothesis: Statement | None = None,
) -> Certificate:
    """The certificate with every unknown multiplier filled in.

    Raises
    ------
    Refused
        If no multipliers were found within the counted tries.
    """
    problem = Problem(theory, statement, certificate, earlier, at or {}, hypothesis)
    unknown = [i for i, e in enumerate(problem.entries) if e.times[0].startswith(UNKNOWN)]
    if not unknown:
        return certificate
    try:
        return _completed(problem, unknown)
    except Refused:
        if not any(isinstance(e, Premise) and e.name in _EXTREMES for e in problem.entries):
            raise
    return _completed(replace(problem, apart=True), unknown)


def _completed(problem: Problem, unknown: Sequence[int]) -> Certificate:
    certificate = problem.certificate
    rows = list(_rows(problem, certificate, unknown))
    for candidate in _common(problem, rows, unknown):
        if _proves(problem, candidate, rows):
            return candidate
    return _filled(problem, unknown, [_per_branch(problem, row) for row in rows])


def _proves(problem: Problem, certificate: Certificate, rows: Sequence[_Row]) -> bool:
    """Whether nothing negative is left; what the multipliers multiply is that of the rows."""
    theory, statement = problem.theory, problem.statement
    try:
        return all(
            remainder(theory, statement, certificate, row.found, number).ok
            for number, row in enumerate(rows)
        )
    except NewVariable:  # a multiplier has a power that the rows have not
        return _proves_anew(problem, certificate)
    except Refused:
        return False


def _proves_anew(problem: Problem, certificate: Certificate) -> bool:
    theory, statement, earlier = problem.theory, problem.statement, problem.earlier
    try:
        found = remainders(theory, statement, certificate, earlier, problem.at, problem.hypothesis)
    except Refused:
        return False
    return all(one.ok for one in found)


def _rows(problem: Problem, certificate: Certificate, unknown: Sequence[int]) -> Iterator[_Row]:
    powers: dict[str, bool] = {}
    while True:
        try:
            every = list(
                pieces(
                    problem.theory,
                    problem.statement,
                    certificate,
                    problem.earlier,
                    problem.at,
                    problem.hypothesis,
                    powers,
                )
            )
            rows = [_row(problem, found, number, unknown) for number, found in enumerate(every)]
            break
        except NewVariable as found_name:
            powers[found_name.name] = found_name.positive
    yield from rows


def _row(problem: Problem, found: Pieces, number: int, unknown: Sequence[int]) -> _Row:
    reader, rest = found.branch.reader, found.gap
    columns, signed, refused = [], [], []
    premises = len(found.premises)
    for index, entry in enumerate(problem.entries):
        text = entry.times[0] if len(entry.times) == 1 else entry.times[number]
        factor = reader.read(_factor(text) if index in unknown else text)
        piece = found.premises[index] if index < premises else None
        value = found.squares[index - premises] if piece is None else piece.value
        if piece is not None and piece.error is not None:
            if factor.terms and index not in unknown:
                raise piece.error
            value = Value(reader.ring, {})
            refused.append(str(piece.error))
        if index in unknown:
            columns.append(factor * value)
            signed.append(piece is not None and piece.equality)
        else:
            rest = rest - factor * value
    if problem.apart:
        rest, *columns = _apart([rest, *columns])
    return _Row(found, rest, columns, signed, tuple(refused))


def _apart(values: Sequence[Value]) -> list[Value]:
    """With a term for each number that is compared, where all values are linear in these."""
    plain = [x.terms[CONSTANT] for x in values[1:] if x.terms.keys() == {CONSTANT}]
    ring = values[0].ring
    names = {name for ratio in plain for name in ratio.names()} - {ROUND}
    ratios = [x.terms[CONSTANT] for x in values if CONSTANT in x.terms]
    for ratio in ratios:
        names -= _variables(ring, ratio.below)
        for exponents in ratio.above.to_dict():
            names -= {name for name, power in zip(ring.names, exponents, strict=True) if power > 1}
    return [_by_number(value, names) for value in values]


def _variables(ring: Ring, polynomial: Any) -> set[str]:
    every = polynomial.to_dict()
    return {x for row in every for x, power in zip(ring.names, row, strict=True) if power}


def _by_number(value: Value, names: Set[str]) -> Value:
    terms = {key: ratio for key, ratio in value.terms.items() if key != CONSTANT}
    if CONSTANT in value.terms:
        whole = value.terms[CONSTANT]
        for exponents, coefficient in whole.above.to_dict().items():
            pairs = list(zip(value.ring.names, exponents, strict=True))
            compared = [name for name, power in pairs if power and name in names]
            of = _COMPARED + "*".join(compared) if compared else CONSTANT
            part = Ratio(value.ring, value.ring.number(coefficient).above, whole.below)
            for name, power in pairs:
                if power and name not in names:
                    part = part * value.ring.variable(name).power(fmpq(power))
            terms[of] = terms[of] + part if of in terms else part
    return Value(value.ring, terms)


def _factor(text: str) -> str:
    return text.removeprefix(UNKNOWN).removeprefix("*") or "1"


def _filled(problem: Problem, unknown: Sequence[int], rows: list[list[Ratio]]) -> Certificate:
    """The certificate with these multipliers: one row for all branches, or one for each."""
    entries = problem.entries
    for j, index in enumerate(unknown):
        factor = _factor(entries[index].times[0])
        texts = tuple(f"({row[j]})" + (f"*({factor})" if factor != "1" else "") for row in rows)
        entries[index] = replace(entries[index], times=texts)
    count = len(problem.certificate.premises)
    return replace(
        problem.certificate,
        premises=tuple(e for e in entries[:count] if isinstance(e, Premise)),
        squares=tuple(e for e in entries[count:] if isinstance(e, Square)),
    )


def _common(problem: Problem, rows: list[_Row], unknown: Sequence[int]) -> Iterator[Certificate]:
    """Multipliers in the parameters themselves, the same in every branch."""
    chart = tuple(a for a in problem.certificate.chart if a.kind in _FREE)
    free_problem = replace(problem, theory=replace(problem.theory, symbols=_loose(problem.theory)))
    try:
        (free,) = _rows(free_problem, replace(problem.certificate, chart=chart), unknown)
    except (Refused, ValueError):
        return
    tries = ((_moved(row, free, point), by) for row in rows for point, by in _tries(row))
    for solution in _solutions(problem, free, tries):
        yield _filled(problem, unknown, [solution])


def _loose(theory: Theory) -> dict[str, str]:
    """Counts as positive numbers, so that a chart need not shift them."""
    return {n: "positive" if s == "integer" else s for n, s in theory.symbols.items()}


def _moved(row: _Row, free: _Row, point: _Point) -> _Point | None:
    """A point of a branch as values of the variables of the chart without bounds."""
    known = row.found.branch.reader.parameters
    moved = {}
    for name in free.rest.ring.names:
        if name in known:
            moved[name] = _at(known[name], point)
        elif name in point:
            moved[name] = point[name]
        else:
            return None
    return moved


def _per_branch(problem: Problem, row: _Row) -> list[Ratio]:
    for solution in _solutions(problem, row, _tries(row)):
        if _leaves_nothing_negative(problem, row, solution):
            return solution
    reasons = ["no multipliers found: the premises, so combined, do not give the step"]
    raise Refused("; ".join([*dict.fromkeys(row.refused), *reasons]))


def _leaves_nothing_negative(problem: Problem, row: _Row, solution: list[Ratio]) -> bool:
    rest = row.rest
    for value, column, signed in zip(solution, row.columns, row.signed, strict=True):
        if not signed and not value.nonnegative():
            return False
        rest = rest - Value.of(value) * column
    exact = problem.statement.relation == "=="
    return all(
        ratio.is_zero() or (not exact and _may_stay(problem, key) and ratio.nonnegative())
        for key, ratio in rest.terms.items()
    )


def _may_stay(problem: Problem, key: str) -> bool:
    """Whether what a term is of is not negative; all variables of a ring are so."""
    return key.startswith(_COMPARED) or nonnegative(problem.theory, key)


def _solutions(
    problem: Problem, row: _Row, tries: Iterable[tuple[_Point | None, list[float]]]
) -> Iterator[list[Ratio]]:
    """Multipliers of every try, until none are left to be found.

    Multipliers that prove a step are multipliers at every point.
    """
    lacking = 0
    for point, objective in tries:
        try:
            solution = None if point is None else _solve(problem, row, point, objective)
        except _Infeasible:
            lacking += 1
            if lacking == _ENOUGH:
                return
        else:
            if solution is not None:
                yield solution


def _tries(row: _Row) -> Iterator[tuple[_Point, list[float]]]:
    """Sample points of a branch with objectives; the same on every run."""
    for number in range(_TRIES):
        # by its name alone, so that a name more elsewhere leaves every point as it is
        draws = {name: Random(f"{number} {name}") for name in row.rest.ring.names}
        point = {name: fmpq(r.randint(2, 29), r.randint(2, 9)) for name, r in draws.items()}
        random = Random(number)
        yield point, [1.0 if number == 0 else random.random() for _ in row.columns]


def _at(ratio: Ratio, point: _Point) -> fmpq:
    values = [point[name] for name in ratio.ring.names]
    value: fmpq = ratio.above(*values) / ratio.below(*values)
    return value


def _solve(
    problem: Problem, row: _Row, point: _Point, objective: Sequence[float]
) -> list[Ratio] | None:
    """Exact multipliers with the zeros that the linear programme has at a point.

    Raises
    ------
    _Infeasible
        If there are no multipliers at the point.
    """
    from scipy.optimize import linprog  # slow to import: a quarter of what starting takes

    keys = sorted(set(row.rest.terms).union(*(column.terms for column in row.columns)))
    exact = problem.statement.relation == "=="
    free = {key for key in keys if not exact and _may_stay(problem, key)}
    zero = row.rest.ring.number(0)
    try:
        lines = [
            [_float(_at(v.terms.get(key, zero), point)) for v in (*row.columns, row.rest)]
            for key in keys
        ]
    except ZeroDivisionError:
        return None
    lines = [[x / _largest(line) for x in line] for line in lines]
    sizes = [_largest([line[j] for line in lines]) for j in range(len(row.columns))]
    scaled = [[x / s for x, s in zip(line, sizes, strict=False)] for line in lines]
    inner = [number for number, key in enumerate(keys) if key in free]
    outer = [number for number, key in enumerate(keys) if key not in free]
    found = linprog(
        objective,
        A_ub=[scaled[number] for number in inner] or None,
        b_ub=[lines[number][-1] for number in inner] or None,
        A_eq=[scaled[number] for number in outer] or None,
        b_eq=[lines[number][-1] for number in outer] or None,
        bounds=[
            (0, 0) if not column.terms else (None, None) if signed else (0, None)
            for column, signed in zip(row.columns, row.signed, strict=True)
        ],
        method="highs",
    )
    if found.status == _NO_SOLUTION:
        raise _Infeasible
    if not found.success:
        return None
    used = [j for j, value in enumerate(found.x) if row.signed[j] or value > _ZERO]
    left = [
        line[-1] - sum(x * y for x, y in zip(own, found.x, strict=True))
        for line, own in zip(lines, scaled, strict=True)
    ]
    tight = [keys[number] for number in outer]
    tight += [keys[number] for number in inner if abs(left[number]) < _ZERO]
    return _eliminate(row, tight, used, point)


def _largest(line: Sequence[float]) -> float:
    return max((abs(x) for x in line), default=0.0) or 1.0


def _float(value: fmpq) -> float:
    return int(value.p) / int(value.q)


def _eliminate(row: _Row, keys: Sequence[str], used: Sequence[int], point: _Point) -> list[Ratio]:
    """Solve for the used multipliers so that these coefficients vanish; what stays free is 0."""
    zero, one = row.rest.ring.number(0), row.rest.ring.number(1)
    pivots: list[tuple[int, dict[int, Ratio], Ratio]] = []
    for key in keys:
        line = {j: row.columns[j].terms[key] for j in used if key in row.columns[j].terms}
        right = row.rest.terms.get(key, zero)
        for pivot, other, value in pivots:
            factor = line.get(pivot)
            if factor is None or factor.is_zero():
                continue
            for j, weight in other.items():
                line[j] = line.get(j, zero) - factor * weight
            right = right - factor * value
        chosen = next((j for j, w in line.items() if not w.is_zero() and _at(w, point) != 0), None)
        if chosen is None:
            continue
        inverse = _inverse(line[chosen])
        own = {j: w * inverse for j, w in line.items() if not w.is_zero()}
        own[chosen] = one
        right = right * inverse
        pivots = [_substituted(p, chosen, own, right, zero) for p in pivots]
        pivots.append((chosen, own, right))
    solution = [zero] * len(row.columns)
    for pivot, _, value in pivots:
        solution[pivot] = value
    return solution


def _substituted(
    pivot: tuple[int, dict[int, Ratio], Ratio],
    chosen: int,
    own: dict[int, Ratio],
    right: Ratio,
    zero: Ratio,
) -> tuple[int, dict[int, Ratio], Ratio]:
    index, line, value = pivot
    factor = line.get(chosen)
    if factor is None or factor.is_zero():
        return pivot
    changed = dict(line)
    for j, weight in own.items():
        changed[j] = changed.get(j, zero) - factor * weight
    return index, changed, value - factor * right


def _inverse(ratio: Ratio) -> Ratio:
    """1/x without asking whether x may vanish: the checker asks."""
    return Ratio(ratio.ring, ratio.below, ratio.above)
