"""Dual multipliers as rationals: an upper bound of the worst case that is proved, not computed.

With l_j >= 0, the objective is sum_j l_j form_j + bound - S for some form S in inner products, as
an identity. Where S is a sum of squares, every form_j <= 0 gives objective <= bound. The
multipliers are rounded, an exact linear solve makes the function values cancel, and S is
eliminated in rationals: no step of the proof is a float.

At a solver's optimum S is singular, and rounding may spoil it. Then the multipliers are sought
again with a little more than the optimal bound, where S can be kept away from singular.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from .forms import Form, Square, sum_of_squares
from .formulate import WorstCase
from .solve import SOLVER, Solved

Array = Any
_DENOMINATORS = (10**3, 10**6, 10**9, 10**12)  # the coarsest that works is kept
_SLACKS = (1e-5, 1e-4, 1e-3)  # of the bound, relative
_CLOSE = 1e-4  # a bound so near the solver's is not sought again
_NEGLIGIBLE = 1e-7  # multipliers so much smaller than the largest are zero


@dataclass(frozen=True, eq=False)
class Certificate:
    """Why the objective is at most ``bound``.

    Attributes
    ----------
    bound : fmpq
    multipliers : tuple of (position of an inequality, positive multiplier)
    squares : tuple of Square
        They add up to what the multipliers leave.
    """

    bound: fmpq
    multipliers: tuple[tuple[int, fmpq], ...]
    squares: tuple[Square, ...]


def certify(problem: WorstCase, objective: Form, solved: Solved) -> Certificate | None:
    """An exact certificate near the solver's multipliers; None if none is found."""
    best: Certificate | None = None
    for multipliers in _candidates(problem, objective, solved):
        for denominator in _DENOMINATORS:
            found = repaired(problem, objective, _rounded(multipliers, denominator))
            if found is None:
                continue
            if float(found.bound) <= solved.dual + _CLOSE * abs(solved.dual):
                return found
            if best is None or found.bound < best.bound:
                best = found
    return best


def _candidates(problem: WorstCase, objective: Form, solved: Solved) -> Iterator[Array]:
    yield np.array(solved.multipliers)
    for slack in _SLACKS:
        found = _interior(problem, objective, solved.dual * (1 + slack))
        if found is not None:
            yield found


def _rounded(multipliers: Array, denominator: int) -> dict[int, fmpq]:
    least = _NEGLIGIBLE * multipliers.max(initial=0.0)
    whole = np.round(multipliers * denominator)
    return {
        int(at): fmpq(int(whole[at]), denominator)
        for at in np.flatnonzero((whole > 0) & (multipliers > least))
    }


def repaired(problem: WorstCase, objective: Form, rounded: dict[int, fmpq]) -> Certificate | None:
    """The certificate of multipliers near the given ones; the largest of them change.

    None if their function values cannot cancel, or what is left is no sum of squares.
    """
    order = sorted(rounded, key=lambda at: (-rounded[at], at))
    forms = [problem.inequalities[at].form for at in order]
    values = _left(problem, objective, rounded).values
    zero = fmpq(0)
    rows = [
        [*(form.values.get(value, zero) for form in forms), -values.get(value, zero)]
        for value in range(len(problem.values))
    ]
    reduced, rank = fmpq_mat(rows).rref()
    found = dict(rounded)
    for row in range(rank):
        pivot = next(j for j in range(len(order) + 1) if reduced[row, j] != 0)
        if pivot == len(order):
            return None
        found[order[pivot]] += reduced[row, len(order)]
    return checked(problem, objective, found)


def checked(
    problem: WorstCase, objective: Form, multipliers: dict[int, fmpq]
) -> Certificate | None:
    """The certificate of these multipliers, if they prove anything."""
    left = _left(problem, objective, multipliers)
    if left.values or any(value < 0 for value in multipliers.values()):
        return None
    squares = sum_of_squares(left, len(problem.vectors))
    if squares is None:
        return None
    kept = tuple((at, value) for at, value in sorted(multipliers.items()) if value > 0)
    return Certificate(-left.constant, kept, squares)


def _left(problem: WorstCase, objective: Form, multipliers: dict[int, fmpq]) -> Form:
    """sum_j l_j form_j - objective = S - bound."""
    total = objective * fmpq(-1)
    for at, value in multipliers.items():
        total = total + value * problem.inequalities[at].form
    return total


def _interior(problem: WorstCase, objective: Form, bound: float) -> Array | None:
    """Multipliers for a bound with the smallest eigenvalue of S as large as possible."""
    cvxpy: Any = import_module("cvxpy")  # comes with PEPit; its types are partial
    size, count = len(problem.vectors), len(problem.inequalities)
    squares = np.array([_matrix(i.form, size).reshape(-1) for i in problem.inequalities])
    values = np.zeros((len(problem.values), count))
    for at, inequality in enumerate(problem.inequalities):
        for value, coefficient in inequality.form.values.items():
            values[value, at] = float(coefficient)
    target = np.zeros(len(problem.values))
    for value, coefficient in objective.values.items():
        target[value] = float(coefficient)
    constants = np.array([float(i.form.constant) for i in problem.inequalities])
    multipliers, margin = cvxpy.Variable(count, nonneg=True), cvxpy.Variable()
    flat = squares.T @ multipliers - _matrix(objective, size).reshape(-1)
    left = cvxpy.reshape(flat, (size, size), order="C")
    limits = [
        values @ multipliers == target,
        left >> margin * np.eye(size),
        -constants @ multipliers + float(objective.constant) <= bound,
    ]
    asked = cvxpy.Problem(cvxpy.Maximize(margin), limits)
    with warnings.catch_warnings():  # of inaccuracy: what is found is checked exactly
        warnings.simplefilter("ignore")
        asked.solve(solver=SOLVER)
    return None if multipliers.value is None else np.maximum(multipliers.value, 0.0)


def _matrix(form: Form, size: int) -> Array:
    found = np.zeros((size, size))
    for (a, b), coefficient in form.products.items():
        found[a, b] += float(coefficient) / 2
        found[b, a] += float(coefficient) / 2
    return found
