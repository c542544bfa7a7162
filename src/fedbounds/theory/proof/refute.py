"""Numbers that satisfy all that a step cites, and break it.

Only for steps about quantities: a value of a product of vectors need not belong to any vectors.
A linear programme finds the numbers at a sample of the parameters; they are then rational, and
every premise and the step are evaluated again, exactly.
"""

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
from flint import fmpq
from scipy.optimize import linprog

from fedbounds.theory.checker.check import Pieces, nonnegative, pieces
from fedbounds.theory.checker.data import Certificate, Premise, Statement, Theory
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.expressions import NewVariable
from fedbounds.theory.checker.ratios import Ratio
from fedbounds.theory.checker.values import CONSTANT, Value

_SAMPLES = 8
_LARGEST_DENOMINATOR = 10**6

Numbers = tuple[tuple[str, str], ...]


def breaking_numbers(
    theory: Theory,
    statement: Statement,
    certificate: Certificate,
    earlier: Mapping[str, Statement],
) -> Numbers | None:
    """Parameters and quantities as fractions; None if none were found within the counted tries."""
    if statement.scope or certificate.rule != "combine":
        return None
    plain = Certificate(
        "combine",
        certificate.chart,
        tuple(_alone(premise) for premise in certificate.premises),
        scope=certificate.scope,
    )
    powers: dict[str, bool] = {}
    while True:
        try:
            every = list(pieces(theory, statement, plain, earlier, {}, None, powers))
            break
        except NewVariable as power:
            powers[power.name] = power.positive
        except Refused:
            return None
    if powers:
        return None  # a value of a power would have to agree with its base
    for found in every:
        numbers = _of_branch(theory, statement, found)
        if numbers is not None:
            return numbers
    return None


def _alone(premise: Premise) -> Premise:
    return Premise(premise.kind, premise.name, ("1",), premise.arguments, premise.at, premise.over)


def _of_branch(theory: Theory, statement: Statement, found: Pieces) -> Numbers | None:
    values = [found.gap, *(piece.value for piece in found.premises)]
    keys = sorted({key for value in values for key in value.terms} - {CONSTANT})
    if any(key.startswith("<") for key in keys) or any(p.error for p in found.premises):
        return None
    random = np.random.default_rng(0)
    for _ in range(_SAMPLES):
        point = {
            name: fmpq(int(random.integers(0, 12)) + (name in found.gap.ring.positive))
            for name in found.gap.ring.names
        }
        quantities = _solve(theory, statement, found, keys, point)
        if quantities is not None:
            known = found.branch.reader.parameters
            parameters = [(n, str(_at(r, point))) for n, r in sorted(known.items())]
            free = [
                (n, str(point[n]))
                for n in theory.symbols
                if n not in known and theory.symbols[n] != "index" and _occurs(found, n)
            ]
            return (*parameters, *free, *((k, str(v)) for k, v in quantities.items()))
    return None


def _occurs(found: Pieces, name: str) -> bool:
    values = [found.gap, *(piece.value for piece in found.premises)]
    ratios = [r for value in values for r in value.terms.values()]
    return any(r.has(name) for r in (*ratios, *found.branch.reader.parameters.values()))


def _solve(
    theory: Theory,
    statement: Statement,
    found: Pieces,
    keys: list[str],
    point: dict[str, fmpq],
) -> dict[str, Fraction] | None:
    rows = [(_row(found.gap, keys, point), False)]
    rows += [(_row(piece.value, keys, point), piece.equality) for piece in found.premises]
    if not keys:
        broken = rows[0][0][-1] != 0 if statement.relation == "==" else rows[0][0][-1] < 0
        return {} if broken else None
    signs = (1, -1) if statement.relation == "==" else (1,)
    for sign in signs:
        solution = _minimise([sign * x for x in rows[0][0]], rows[1:], keys, theory)
        if solution is not None:
            return dict(zip(keys, solution, strict=True))
    return None


def _minimise(
    gap: list[Fraction],
    premises: list[tuple[list[Fraction], bool]],
    keys: list[str],
    theory: Theory,
) -> list[Fraction] | None:
    """Quantities with a negative gap that satisfy the premises, exactly."""

    def line(row: list[Fraction]) -> np.ndarray:
        scale = max(abs(x) for x in row) or Fraction(1)
        return np.array([float(x / scale) for x in row])

    upper = [line(row) for row, equality in premises if not equality]
    equal = [line(row) for row, equality in premises if equality]
    target = line(gap)
    found = linprog(
        target[:-1],
        A_ub=-np.array([row[:-1] for row in upper]) if upper else None,
        b_ub=np.array([row[-1] for row in upper]) if upper else None,
        A_eq=np.array([row[:-1] for row in equal]) if equal else None,
        b_eq=-np.array([row[-1] for row in equal]) if equal else None,
        bounds=[(0 if nonnegative(theory, key) else -100, 100) for key in keys],
        method="highs",
    )
    if not found.success or found.fun + target[-1] > -1e-6:
        return None
    solution = [Fraction(float(x)).limit_denominator(_LARGEST_DENOMINATOR) for x in found.x]
    return solution if _breaks(gap, premises, solution, keys, theory) else None


def _breaks(
    gap: list[Fraction],
    premises: list[tuple[list[Fraction], bool]],
    solution: list[Fraction],
    keys: list[str],
    theory: Theory,
) -> bool:
    def value(row: list[Fraction]) -> Fraction:
        return sum((a * b for a, b in zip(row, solution, strict=False)), start=row[-1])

    signs = all(x >= 0 for x, key in zip(solution, keys, strict=True) if nonnegative(theory, key))
    held = all(value(row) == 0 if equality else value(row) >= 0 for row, equality in premises)
    return signs and held and value(gap) < 0


def _row(value: Value, keys: list[str], point: dict[str, fmpq]) -> list[Fraction]:
    zero = value.ring.number(0)
    every = [*keys, CONSTANT]
    found = [_at(value.terms.get(key, zero), point) for key in every]
    return [Fraction(int(x.p), int(x.q)) for x in found]


def _at(ratio: Ratio, point: Mapping[str, fmpq]) -> fmpq:
    values = [point[name] for name in ratio.ring.names]
    value: fmpq = ratio.above(*values) / ratio.below(*values)
    return value
