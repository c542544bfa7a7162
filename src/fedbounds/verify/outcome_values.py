"""The value of a statement on the outcomes of a round: every expectation is a finite sum.

Statements are SymPy expressions in measured quantities, ``sq(x) = E ||x||^2`` and
``ip(x, y) = E <x, y>`` of linear combinations of vectors, ``given(x, sources)`` and ``present(x)``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add, mul
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq
from sympy.core.function import AppliedUndef

from fedbounds.errors import FedboundsError, unknown_name
from fedbounds.problems.linear import is_exact, rational

from . import evaluate as scalars
from .outcomes import PERSONAL, Outcomes

_PRODUCTS = frozenset({"sq", "ip"})
_OF_VECTORS = frozenset({"given", "present"})


@dataclass(frozen=True)
class Evaluated:
    """A value, and the size to which its rounding is compared.

    The size is the sum of the absolute values of all terms, with the largest entry of any vector
    in the place of each entry: nothing that cancels is lost. The value is exact where the outcomes
    are.
    """

    value: Any
    size: float


@dataclass(frozen=True, eq=False)
class _Vector:
    array: np.ndarray
    size: float


@dataclass(frozen=True, eq=False)
class _Scope:
    outcomes: Outcomes
    values: Mapping[str, Any]


def evaluate(expression: sp.Expr, outcomes: Outcomes, values: Mapping[str, float]) -> Evaluated:
    """Value of an expression in the round, or step, of ``outcomes``.

    Parameters
    ----------
    values : mapping from symbol name to number
        Constants and parameters. The round ``t``, and the step ``k`` where there is one, are known.

    Raises
    ------
    FedboundsError
        If a symbol has no value, a quantity was not measured, or a vector is misused.
    """
    known: dict[str, float] = {"t": outcomes.t, **values}
    if outcomes.step is not None:
        known["k"] = outcomes.step
    return _scalar(sp.sympify(expression, strict=True), _Scope(outcomes, known))


def _scalar(expression: sp.Expr, scope: _Scope) -> Evaluated:
    name = _name(expression)
    if name in _PRODUCTS:
        return _product(expression, scope)
    if name in _OF_VECTORS:
        raise FedboundsError(f"{expression} is a vector; expected a number")
    if isinstance(expression, AppliedUndef):
        return _quantity(expression, scope)
    if not any(_measured(node) for node in sp.preorder_traversal(expression)):
        return _constant(expression, scope)
    parts = [_scalar(argument, scope) for argument in expression.args]
    numbers, sizes = [part.value for part in parts], [part.size for part in parts]
    if isinstance(expression, sp.Add):
        return Evaluated(sum(numbers), sum(sizes))
    if isinstance(expression, sp.Mul):
        return Evaluated(reduce(mul, numbers), reduce(mul, sizes))
    if isinstance(expression, sp.Pow) and expression.exp.is_Integer and expression.exp > 0:
        return Evaluated(numbers[0] ** int(expression.exp), sizes[0] ** int(expression.exp))
    if isinstance(expression, sp.Max | sp.Min):
        chosen = max(numbers) if isinstance(expression, sp.Max) else min(numbers)
        return Evaluated(chosen, max(sizes))
    raise FedboundsError(f"cannot evaluate {type(expression).__name__} in {expression}")


def _name(expression: sp.Basic) -> str:
    return str(getattr(expression.func, "__name__", ""))


def _measured(node: sp.Basic) -> bool:
    return isinstance(node, AppliedUndef) or _name(node) in _PRODUCTS | _OF_VECTORS


def _constant(expression: sp.Expr, scope: _Scope) -> Evaluated:
    if is_exact(scope.outcomes.weights[0]):
        exact = {name: rational(number) for name, number in scope.values.items()}
        numbers = scalars.Numbers(exact, {}, lambda p, q: fmpq(p, q))
        value = scalars.evaluate(expression, numbers)
    else:
        numbers = scalars.Numbers(scope.values, {})
        value = float(scalars.evaluate(expression, numbers))
    return Evaluated(value, float(scalars.scale(numbers, None, expression)))


def _quantity(atom: sp.Expr, scope: _Scope) -> Evaluated:
    """A measured quantity at its round."""
    outcomes, name = scope.outcomes, _name(atom)
    if name not in outcomes.series:
        raise FedboundsError(f"the quantity {name!r} was not measured")
    series = outcomes.series[name]
    place = tuple(scalars.whole(_constant(argument, scope).value) for argument in atom.args)
    if len(place) != series.ndim or any(
        not 0 <= index < length for index, length in zip(place, series.shape, strict=True)
    ):
        raise FedboundsError(f"{atom} was not measured at {place}")
    at = place[-1]
    value = series[place]
    if value != value:  # NaN
        raise FedboundsError(f"{atom} was not measured in round {at}")
    _, n, local_steps, _ = outcomes.samples.shape
    return Evaluated(value, float(abs(value)) + (n * local_steps * outcomes.scale) ** 2)


def _product(expression: sp.Expr, scope: _Scope) -> Evaluated:
    """E <x, y>, or E ||x||^2."""
    outcomes = scope.outcomes
    blocks = {
        symbol.name in PERSONAL
        for symbol in expression.free_symbols
        if symbol.name in outcomes.vectors
    }
    if len(blocks) > 1:
        raise FedboundsError(f"{expression} mixes vectors of the shared and the personal block")
    sides = [_vector(argument, scope) for argument in expression.args]
    left, right = sides[0], sides[-1]
    products = (left.array * right.array).sum(axis=-1, keepdims=True)
    value = _mean(products, outcomes, ())
    width = max(left.array.shape[-1], right.array.shape[-1])
    return Evaluated(value.item(), width * left.size * right.size)


def _vector(expression: sp.Expr, scope: _Scope) -> _Vector:
    outcomes, name = scope.outcomes, _name(expression)
    if expression.is_zero:
        zero = fmpq(0) if is_exact(outcomes.weights[0]) else 0.0
        return _Vector(np.full((1,) * (len(outcomes.sources) + 1), zero), 0.0)
    if isinstance(expression, sp.Symbol):
        return _Vector(outcomes.vector(expression.name), outcomes.scale)
    if name == "present":
        inside = _vector(expression.args[0], scope)
        return _Vector(inside.array * outcomes.present, inside.size)
    if name == "given":
        inside = _vector(expression.args[0], scope)
        kept = tuple(source.name for source in expression.args[1:])
        return _Vector(_mean(inside.array, outcomes, kept), inside.size)
    if isinstance(expression, sp.Add):
        parts = [_vector(argument, scope) for argument in expression.args]
        total: np.ndarray = reduce(add, (part.array for part in parts))
        return _Vector(total, sum(part.size for part in parts))
    if isinstance(expression, sp.Mul):
        vectors = [argument for argument in expression.args if _is_vector(argument, outcomes)]
        if len(vectors) == 1:
            factor = _scalar(expression / vectors[0], scope)
            part = _vector(vectors[0], scope)
            return _Vector(factor.value * part.array, factor.size * part.size)
    raise FedboundsError(f"{expression} is not a linear combination of vectors")


def _is_vector(expression: sp.Expr, outcomes: Outcomes) -> bool:
    if isinstance(expression, sp.Symbol):
        return expression.name in outcomes.vectors
    if isinstance(expression, sp.Add | sp.Mul):
        return any(_is_vector(argument, outcomes) for argument in expression.args)
    return _name(expression) in _OF_VECTORS


def _mean(array: np.ndarray, outcomes: Outcomes, kept: tuple[str, ...]) -> np.ndarray:
    """Expectation over every source but the ones kept; their axes stay, with length one."""
    for name in kept:
        if name not in outcomes.sources:
            raise unknown_name("source", name, outcomes.sources)
    for axis, (source, weight) in enumerate(zip(outcomes.sources, outcomes.weights, strict=True)):
        if source not in kept and array.shape[axis] > 1:
            shape = [1] * array.ndim
            shape[axis] = -1
            array = (array * weight.reshape(shape)).sum(axis=axis, keepdims=True)
    return array
