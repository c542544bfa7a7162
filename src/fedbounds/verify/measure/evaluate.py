"""Evaluate a claim's expression on numbers: floats, exact rationals, or balls.

Quantities are arrays whose last axis is the round, so that the same walk serves expectations
(shape (T + 1,)) and replicas (shape (R, T + 1)). Nothing here knows a claim.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial, reduce
from operator import add, mul
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, fmpq
from sympy.core.function import AppliedUndef

from fedbounds.errors import FedboundsError
from fedbounds.problems.linear import multiplied
from fedbounds.theory.language.symbols import (
    K,
    Max_t,
    Mean_t,
    Min_t,
    Min_to,
    Prod_to,
    RunningOperator,
    RunOperator,
    Sum_t,
    T,
    k,
    t,
)

from .balls import raised
from .roots import IrrationalError as IrrationalError
from .roots import Roots as Roots
from .roots import UndefinedError as UndefinedError
from .roots import as_roots as as_roots
from .roots import rational_root
from .roots import total as total

Array = Any


ENCLOSED = 128  # bits of the arithmetic on floats with their errors, which it hardly adds to


class UnmeasuredError(FedboundsError):
    """A quantity was not measured in a round, or at a step, of which a statement speaks."""


@dataclass(frozen=True, eq=False)
class Numbers:
    """Values for the symbols of an expression.

    Attributes
    ----------
    constants : mapping from symbol name to number
        Constants and parameters, T included.
    series : mapping from quantity name to array
        Last axis: round 0, 1, ...; quantities of round boundaries have T + 1 entries.
    rational : function
        Turns a ratio of integers into a number of the kind in use.
    errors : mapping from name to number or array
        Of floats: how far off each may be, at most. A constant without one is exact; of a quantity
        without one nothing is known.
    """

    constants: Mapping[str, Any]
    series: Mapping[str, Array]
    rational: Callable[[int, int], Any] = lambda p, q: p / q
    errors: Mapping[str, Array] = field(default_factory=dict)


Function = Callable[[Numbers, range | None], Any]


def shown(number: Any) -> str:
    """Six digits of a number of any kind, however large."""
    try:
        return f"{float(number):.6g}"
    except OverflowError:
        return str(arb(number).str(6, radius=False))


def evaluate(expression: sp.Expr, numbers: Numbers, rounds: range | None = None) -> Any:
    """Value of an expression: one number, or an array over ``rounds`` if it contains t.

    Raises
    ------
    FedboundsError
        If a symbol has no value.
    UnmeasuredError
        If a quantity is missing in a round, or at a step.
    IrrationalError
        If exact rationals meet an irrational root, or one of a negative number; or sums of roots
        what is no such sum.
    UndefinedError
        If balls or sums of roots meet a root of a negative number.
    ZeroDivisionError
    """
    return _function(expression)(numbers, rounds)


@lru_cache(maxsize=65_536)  # a claim is evaluated on every set-up
def _function(expression: sp.Expr) -> Function:
    """An expression as a function of numbers and rounds."""
    if isinstance(expression, sp.Rational):
        p, q = int(expression.p), int(expression.q)
        return lambda numbers, rounds: numbers.rational(p, q)
    if isinstance(expression, sp.Symbol):
        own = {t: _round, k: _local_step}
        return own[expression] if expression in own else _constant(expression.name)
    if isinstance(expression, AppliedUndef):
        return _series(expression)
    if isinstance(expression, RunningOperator):
        return _up_to(expression)
    if isinstance(expression, RunOperator):
        return _over_rounds(type(expression), _function(expression.args[0]))
    if isinstance(expression, sp.Sum):
        return partial(_sum, expression)
    if isinstance(expression, sp.Mul):
        return _product(expression)
    inside = [_function(argument) for argument in expression.args]
    if isinstance(expression, sp.Add):
        return lambda numbers, rounds: reduce(add, (one(numbers, rounds) for one in inside))
    if isinstance(expression, sp.Pow):
        base, power = inside
        exponent = expression.exp
        if exponent.is_Rational:
            return lambda numbers, rounds: _power(base(numbers, rounds), exponent)
        return lambda numbers, rounds: _powers(base(numbers, rounds), power(numbers, rounds))
    if isinstance(expression, sp.Max):
        return lambda numbers, rounds: reduce(_larger, (one(numbers, rounds) for one in inside))
    if isinstance(expression, sp.Min):
        return lambda numbers, rounds: -reduce(_larger, (-one(numbers, rounds) for one in inside))
    if isinstance(expression, sp.harmonic):
        return lambda numbers, rounds: _harmonic(inside[0](numbers, rounds), numbers)
    if isinstance(expression, sp.log):
        return lambda numbers, rounds: _logarithm(inside[0](numbers, rounds))
    if isinstance(expression, sp.exp):
        return lambda numbers, rounds: _exponential(inside[0](numbers, rounds))
    if isinstance(expression, sp.sign):
        return lambda numbers, rounds: _sign(inside[0](numbers, rounds), numbers)
    raise FedboundsError(f"cannot evaluate {type(expression).__name__} in {expression}")


def _constant(name: str) -> Function:
    def value(numbers: Numbers, rounds: range | None) -> Any:
        if name not in numbers.constants:
            raise FedboundsError(f"no value for the symbol {name!r}")
        return numbers.constants[name]

    return value


def _round(numbers: Numbers, rounds: range | None) -> Any:
    """The round itself; a constant, where none is asked for."""
    if rounds is None:
        return _constant(t.name)(numbers, rounds)
    return np.array([numbers.rational(at, 1) for at in rounds])


def _local_step(numbers: Numbers, rounds: range | None) -> Any:
    """k: one number, or 0, ..., K - 1 along the axis of local steps."""
    if k.name in numbers.constants:
        return numbers.constants[k.name]
    every = [numbers.rational(at, 1) for at in range(whole(numbers.constants[K.name]))]
    return np.array(every) if rounds is None else np.array(every)[:, None]


def _over_rounds(operator: type[RunOperator], inside: Function) -> Function:
    def value(numbers: Numbers, rounds: range | None) -> Any:
        every = range(whole(numbers.constants[T.name]))
        reduced = _reduce_rounds(operator, inside(numbers, every), len(every))
        return reduced if rounds is None or np.ndim(reduced) == 0 else reduced[..., None]

    return value


def _up_to(operator: RunningOperator) -> Function:
    inside, first = _function(operator.args[0]), operator.first

    def value(numbers: Numbers, rounds: range | None) -> Any:
        if rounds is None:
            raise FedboundsError(f"{operator} stands outside any round")
        if rounds.start < first:
            raise UnmeasuredError(f"{operator} says nothing of round {rounds.start}")
        every = range(first, rounds.stop)
        values = np.asarray(inside(numbers, every))
        values = np.broadcast_to(values, (*values.shape[:-1], len(every)))
        return _ACCUMULATED[type(operator)](values)[..., rounds.start - first :]

    return value


def _harmonic(value: Any, numbers: Numbers) -> Any:
    found = fmpq.harmonic(whole(value))
    return numbers.rational(int(found.p), int(found.q))


def _sum(expression: sp.Sum, numbers: Numbers, rounds: range | None) -> Any:
    """A finite sum over one index, term by term; as long as the last one says, which may differ."""
    ((index, low, high),) = expression.limits
    first, last = (evaluate(end, numbers, rounds) for end in (low, high))
    ends = np.frompyfunc(whole, 1, 1)(last)
    total = numbers.rational(0, 1)
    for at in range(whole(first), np.max(ends) + 1):
        constants = {**numbers.constants, index.name: numbers.rational(at, 1)}
        term = evaluate(expression.function, replace(numbers, constants=constants), rounds)
        total = total + (term if np.ndim(ends) == 0 else np.where(ends >= at, term, term * 0))
    return total


def whole(number: Any) -> int:
    """A whole number held as an int, float, rational or exact ball."""
    found = number.unique_fmpz() if isinstance(number, arb) else int(number)
    if found is None or found != number:
        raise FedboundsError(f"{number} is not a whole number")
    return int(found)


def _series(atom: AppliedUndef) -> Function:
    """A quantity: in a fixed round, or in every one that is asked for."""
    name, at = atom.func.__name__, atom.args[0]
    step = atom.args[1] if len(atom.args) == 2 else None
    from_end = bool((at - T).is_Integer)
    fixed = from_end or bool(at.is_Integer)
    shift = int(at - T if from_end else at if fixed else at - t)

    def value(numbers: Numbers, rounds: range | None) -> Any:
        if name not in numbers.series:
            raise FedboundsError(f"the quantity {name!r} was not measured")
        series = numbers.series[name]
        if fixed:
            start = shift + (whole(numbers.constants[T.name]) if from_end else 0)
            stop = start + 1
        elif rounds is None:
            raise FedboundsError(f"{atom} stands outside any round")
        else:
            start, stop = rounds.start + shift, rounds.stop + shift
        if start < 0 or stop > series.shape[-1]:
            raise UnmeasuredError(f"{atom} needs rounds {start} to {stop - 1}, not all measured")
        if step is not None:
            series = _steps(series, step, numbers)
        # beside a round, a fixed round keeps an axis of length one, so that replicas stay apart
        return series[..., start] if rounds is None else series[..., start:stop]

    return value


def _steps(series: Array, at: sp.Expr, numbers: Numbers) -> Array:
    """A quantity per client and step, (n, steps, rounds), at steps k = 0, ..., K - 1, shifted.

    Where k is a number, at that step alone.
    """
    if k.name in numbers.constants or at.is_Integer:
        one = whole(evaluate(at, numbers))
        if not 0 <= one < series.shape[-2]:
            raise UnmeasuredError(f"step {at} is not measured")
        return series[..., one : one + 1, :]
    shift, local_steps = int(at - k), whole(numbers.constants[K.name])
    if shift < 0 or shift + local_steps > series.shape[-2]:
        raise UnmeasuredError(f"step {at} is not measured for every k below K = {local_steps}")
    return series[..., shift : shift + local_steps, :]


def _reduce_rounds(operator: type[RunOperator], values: Any, rounds: int) -> Any:
    if np.ndim(values) == 0:  # constant over rounds
        return values * rounds if operator is Sum_t else values
    values = np.broadcast_to(values, (*values.shape[:-1], rounds))
    if operator is Max_t:
        if values.dtype == object:  # of balls that overlap, neither is the larger one
            return np.frompyfunc(_larger_of_two, 2, 1).reduce(values, axis=-1)
        return values.max(axis=-1)
    if operator is Min_t:
        return _least_so_far(values)[..., -1]
    total = _added(values)
    return total / rounds if operator is Mean_t else total


def _added(values: Array) -> Any:
    """The sum over the last axis; of rationals over one denominator, not one after the other."""
    if values.dtype != object or any(type(x) is not fmpq for x in values.flat):
        return values.sum(axis=-1)
    rows = values.reshape(-1, values.shape[-1])
    found = multiplied(rows, np.full((rows.shape[1], 1), fmpq(1), dtype=object))
    return found.reshape(values.shape[:-1])[()]


def _product(expression: sp.Mul) -> Function:
    """All square roots of a product under one root: sqrt(n) / sqrt(m) is rational at n = m."""
    roots = [a for a in expression.args if a.is_Pow and a.exp in (sp.S.Half, -sp.S.Half)]
    others = [_function(a) for a in expression.args if a not in roots]
    inside = [(_function(a.base), 2 * a.exp) for a in roots]

    def value(numbers: Numbers, rounds: range | None) -> Any:
        every = [one(numbers, rounds) for one in others]
        if inside:
            powers = (_power(base(numbers, rounds), exponent) for base, exponent in inside)
            every.append(_root(reduce(mul, powers)))
        return reduce(mul, every)

    return value


def _larger(a: Any, b: Any) -> Any:
    if np.ndim(a) or np.ndim(b):
        found = np.frompyfunc(_larger_of_two, 2, 1)(a, b)
        return (
            found if object in (np.asarray(a).dtype, np.asarray(b).dtype) else found.astype(float)
        )
    return _larger_of_two(a, b)


def _larger_of_two(a: Any, b: Any) -> Any:
    if isinstance(a, arb) or isinstance(b, arb):
        one, other = (x.ball() if isinstance(x, Roots) else arb(x) for x in (a, b))
        return one.max(other)
    return np.maximum(a, b) if isinstance(a, float) and isinstance(b, float) else max(a, b)


def _smaller_of_two(a: Any, b: Any) -> Any:
    return -_larger_of_two(-a, -b)


def _least_so_far(values: Array) -> Array:
    if values.dtype == object:  # of balls that overlap, neither is the smaller one
        return np.frompyfunc(_smaller_of_two, 2, 1).accumulate(values, axis=-1, dtype=object)
    return np.minimum.accumulate(values, axis=-1)


def _multiplied(values: Array) -> Array:
    return np.multiply.accumulate(values, axis=-1)


_ACCUMULATED: Mapping[type[RunningOperator], Callable[[Array], Array]] = {
    Prod_to: _multiplied, Min_to: _least_so_far,
}  # fmt: skip


def _sign(value: Any, numbers: Numbers) -> Any:
    """-1, 0 or 1, of every entry."""
    if np.ndim(value):
        return np.frompyfunc(lambda x: _sign(x, numbers), 1, 1)(value)
    if isinstance(value, arb) and not (value > 0 or value < 0 or value == 0):
        return arb(0, 1)
    return numbers.rational(int(value > 0) - int(value < 0), 1)


def _whole_power(base: Any, power: int) -> Any:
    if power < 0:
        return 1 / _whole_power(base, -power)
    if isinstance(base, np.ndarray) and base.dtype == object:
        return np.frompyfunc(lambda x: _whole_power(x, power), 1, 1)(base)
    return raised(base, power) if isinstance(base, arb) else base**power


def _power(base: Any, exponent: sp.Rational) -> Any:
    if exponent.is_Integer:
        return _whole_power(base, int(exponent))
    if exponent in (sp.S.Half, -sp.S.Half):
        root = _root(base)
        return root if exponent == sp.S.Half else 1 / root
    return _root(base, int(exponent.q)) ** int(exponent.p)


def _powers(base: Any, exponents: Any) -> Any:
    """Whole powers: one, or one per round and local step."""
    if np.ndim(exponents) == 0:
        return _whole_power(base, whole(exponents))
    found = np.frompyfunc(lambda b, e: _whole_power(b, whole(e)), 2, 1)(base, exponents)
    return found if exponents.dtype == object else found.astype(float)


def _root(base: Any, degree: int = 2) -> Any:
    if isinstance(base, np.ndarray) and base.dtype == object:
        return np.frompyfunc(lambda x: _root(x, degree), 1, 1)(base)
    if isinstance(base, arb):
        if base < 0:
            raise UndefinedError(f"{base}**(1/{degree}) is not real")
        return base.root(degree)
    if isinstance(base, Roots):
        return base.root(degree)
    if isinstance(base, fmpq):
        found = rational_root(base, degree)
        if found is None:
            raise IrrationalError(f"{base}**(1/{degree}) is not rational")
        return found
    return np.sqrt(base) if degree == 2 else base ** (1.0 / degree)


def _logarithm(value: Any) -> Any:
    """The natural one; of exact numbers that of 1 alone is rational."""
    if isinstance(value, np.ndarray) and value.dtype == object:
        return np.frompyfunc(_logarithm, 1, 1)(value)
    if isinstance(value, arb):
        if value <= 0:
            raise UndefinedError(f"log({value}) is not real")
        return value.log()
    if isinstance(value, fmpq | Roots):
        if isinstance(value, fmpq) and value == 1:
            return value - value
        raise IrrationalError(f"log({value}) is not rational")
    return np.log(value)


def _exponential(value: Any) -> Any:
    """Of exact numbers that of 0 alone is rational."""
    if isinstance(value, np.ndarray) and value.dtype == object:
        return np.frompyfunc(_exponential, 1, 1)(value)
    if isinstance(value, arb):
        return value.exp()
    if isinstance(value, fmpq | Roots):
        if isinstance(value, fmpq) and value == 0:
            return value + 1
        raise IrrationalError(f"exp({value}) is not rational")
    return np.exp(value)


def in_roots(numbers: Numbers) -> Numbers:
    """The same exact numbers as sums of roots, of which roots can be taken.

    Raises
    ------
    IrrationalError
        If one is a ball.
    """

    def series(values: Array) -> Array:
        out = np.empty(values.shape, dtype=object)
        # what was not measured in a round is NaN there
        out.reshape(-1)[:] = [x if x != x else as_roots(x) for x in values.reshape(-1)]
        return out

    return Numbers(
        constants={name: as_roots(value) for name, value in numbers.constants.items()},
        series={name: series(values) for name, values in numbers.series.items()},
        rational=lambda p, q: as_roots(fmpq(p, q)),
    )


def in_balls(numbers: Numbers) -> Numbers:
    """The same numbers as balls at the current precision; floats with how far off they may be."""
    wrong = numbers.errors
    return Numbers(
        constants={x: _ball(y, wrong.get(x, 0.0)) for x, y in numbers.constants.items()},
        series={x: around(y, wrong.get(x, 0.0)) for x, y in numbers.series.items()},
        rational=lambda p, q: arb(fmpq(p, q)),
    )


def _ball(number: Any, wrong: float = 0.0) -> arb:
    if isinstance(number, Roots):
        return number.ball()
    found = arb(fmpq(number) if isinstance(number, int) else number)
    return arb(found, wrong) if wrong else found


def around(values: Array, wrong: Array | float) -> Array:
    """Balls of numbers that may be that far off."""
    out = np.empty(values.shape, dtype=object)
    near, far = (x.reshape(-1).tolist() for x in (values, np.broadcast_to(wrong, values.shape)))
    make = arb if values.dtype == np.float64 else _ball
    out.reshape(-1)[:] = [make(x, e) for x, e in zip(near, far, strict=True)]
    return out


def apart(balls: Array) -> tuple[Array, Array]:
    """Floats near the middles of balls, and how far from them the numbers may be."""
    pairs = [_apart(_ball(x)) for x in balls.reshape(-1)]
    every = np.array(pairs, dtype=np.float64).reshape(len(pairs), 2)
    return every[:, 0].reshape(balls.shape), every[:, 1].reshape(balls.shape)


def _apart(ball: arb) -> tuple[float, float]:
    near, wrong = float(ball.mid()), float(ball.rad())
    if near != near:  # no number: not measured
        return near, 0.0
    if arb(near) != ball.mid():
        wrong += abs(near) * 2.0**-52 + 5e-324
    return near, wrong * (1 + 2.0**-50)


def terms(*sides: sp.Expr) -> tuple[sp.Expr, ...]:
    """The summands of several sides: the scale of a difference is the sum of their sizes."""
    return tuple(term for side in sides for term in sp.Add.make_args(side))


def scale(numbers: Numbers, rounds: range | None, *sides: sp.Expr) -> Any:
    """Sum of the absolute values of all summands."""
    return reduce(lambda a, b: a + b, (abs(evaluate(x, numbers, rounds)) for x in terms(*sides)))
