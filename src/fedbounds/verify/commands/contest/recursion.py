"""The expectation of an error in every round, without sampling, fast enough for a grid of runs.

A round is read off polynomials as few matrices, exactly, and rounded once; second moments M follow
a linear recursion. An error is a linear form of M, so only the entries of M that it depends on,
directly or through later rounds, are carried. Many rounds are then one matrix product: with O the
rows w, wP, ..., wP^(B-1), the values of B rounds are O x.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from fedbounds.errors import FedboundsError
from fedbounds.verify.measure.balls import precise
from fedbounds.verify.measure.beginnings import beginning
from fedbounds.verify.measure.expressions import at_once, without_products
from fedbounds.verify.measure.folded import unroll_folded
from fedbounds.verify.measure.round_maps import forms_of
from fedbounds.verify.measure.round_matrices import Matrix, RoundMatrices, read_off
from fedbounds.verify.measure.spaces import product
from fedbounds.verify.measure.subject import Subject
from fedbounds.verify.measure.unknowns import Refused
from fedbounds.verify.measure.unrolled import Unrolling, unrolled_space

Array = Any
_BLOCK = 256  # rounds per matrix product
_MOST = 2500  # entries of M: P is then 50 MB


@dataclass(frozen=True, eq=False)
class Recursion:
    """x^(t+1) = P x^t, and the error of round t is w x^t.

    Attributes
    ----------
    matrix : array, shape (N, N)
        P.
    weights : array, shape (N,)
        w.
    first : array, shape (N,)
        x^0: second moments of the start, one for each unordered pair of coordinates.
    """

    matrix: Array
    weights: Array
    first: Array

    def values(self) -> Iterator[Array]:
        """Errors of the rounds in order, block by block; endless."""
        rows, power, x = self.weights[None, :], self.matrix, self.first
        with np.errstate(over="ignore", invalid="ignore"):  # divergence shows in the values
            yield rows @ x
            while len(rows) < _BLOCK:
                yield rows @ (power @ x)
                rows, power = np.concatenate([rows, rows @ power]), power @ power
            while True:
                x = power @ x
                yield rows @ x


def error_recursion(subject: Subject, error: sp.Expr) -> Recursion:
    """The recursion of an error of a round's start, by its definition.

    Parameters
    ----------
    subject : Subject
        In rationals.

    Raises
    ------
    FedboundsError
        If a round is not affine in state, noise and participation, or the state is too large.
    """
    try:
        start = beginning(subject)
        trace = unroll_folded(subject, start.shapes)
        with precise():
            rounds = read_off(trace)
        form = _form(subject, trace, error)
    except Refused as refused:
        raise FedboundsError(f"there is no exact expectation: {refused}") from refused
    terms = _terms(rounds)
    pairs = np.argwhere(np.triu(_needed(terms, form)))
    if len(pairs) > _MOST:
        raise FedboundsError(
            f"exact expectations need {len(pairs)} second moments here, with n = "
            f"{int(subject.problem.clients)} and d_u = {subject.problem.dimension}; at most "
            f"{_MOST} are supported: take fewer clients or shared dimensions"
        )
    doubled = np.where(pairs[:, 0] == pairs[:, 1], 1.0, 2.0)
    matrix = sum(weight * _product(a, b, pairs) for a, b, weight in terms)
    added = np.zeros_like(form)
    added[1:, 1:] = [[float(x.mid()) for x in row] for row in rounds.noise.table()]
    constant = np.flatnonzero((pairs == 0).all(axis=1))[0]
    matrix[:, constant] += added[pairs[:, 0], pairs[:, 1]]
    return Recursion(
        matrix=matrix,
        weights=form[pairs[:, 0], pairs[:, 1]] * doubled,
        first=np.array([float(start.moment((i, j))) for i, j in pairs.tolist()]),
    )


def _form(subject: Subject, trace: Unrolling, error: sp.Expr) -> Array:
    """The error as a symmetric form of (1, x)."""
    space, named = unrolled_space(subject, trace), trace.variables
    plain, nodes = without_products(sp.expand(error))
    plain = at_once(plain)
    factors = {name: plain.coeff(sp.Symbol(name)) for name, _ in nodes}
    rest = sp.expand(plain - sum(x * sp.Symbol(name) for name, x in factors.items()))
    if rest != 0 or any(x.free_symbols for x in factors.values()):
        raise FedboundsError(f"the error {error} is no combination of squares and products")
    found = np.zeros((named.entries + 1,) * 2)
    for name, node in nodes:
        forms = forms_of(named, product(node, space, {}))
        for (i, j), value in forms.get((), {}).items():
            found[i, j] += float(value) * float(factors[name]) / 2
            found[j, i] += float(value) * float(factors[name]) / 2
    return found


Terms = list[tuple[Array, Array, float]]


def _terms(rounds: RoundMatrices) -> Terms:
    """M+ is the sum of weight (A M B' + B M A')/2, and of what noise adds."""
    common, pairs = rounds.spread
    whole = _dense(rounds.mean, rounds.size)
    whole[0, 0] = 1.0  # of the constant
    found = [(whole, whole, 1.0)]
    if common:
        total = _dense(rounds.total, rounds.size)
        found.append((total, total, float(common)))
    every = [_dense(part, rounds.size) for part in rounds.parts]
    found += [(every[a], every[b], float(x) * (1 if a == b else 2)) for a, b, x in pairs]
    return found


def _dense(matrix: Matrix, size: int) -> Array:
    found = np.zeros((size + 1, size + 1))
    for i, row in matrix.items():
        for j, value in row.items():
            found[i + 1, j] = float(value)
    return found


def _needed(terms: Terms, form: Array) -> Array:
    """Which entries of M the form depends on, now or through later rounds; symmetric 0/1."""
    steps = sum((abs(a) + abs(b) for a, b, _ in terms), np.zeros_like(form)) != 0
    steps = steps.astype(float)
    needed = form != 0
    needed[0, 0] = True  # what noise adds is carried by E 1
    while True:
        wider = needed | (steps.T @ needed @ steps > 0)
        if (wider == needed).all():
            return needed | needed.T
        needed = wider


def _product(a: Array, b: Array, pairs: Array) -> Array:
    """The map M -> (a M b' + b M a')/2 on symmetric M, in the entries of ``pairs``."""
    i, j = pairs[:, 0], pairs[:, 1]
    off = np.where(i == j, 0.0, 1.0)
    found = 0.0
    for one, other in ((a, b), (b, a)):
        left, right = one[i], other[j]
        found = found + (left[:, i] * right[:, j] + left[:, j] * right[:, i] * off) / 2
    return found
