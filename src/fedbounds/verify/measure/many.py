"""What is known of many rounds: quantities by moments, extremes as bounds of what may be visited.

The definitions are those of `known`, where every outcome is listed. A number from one side stands
for an extreme where it is a constant by itself, `Largest` from above and `Least` from below;
statements are decided from both sides, or not at all.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product as every_one
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, fmpq
from sympy.core.function import AppliedUndef

from fedbounds.problems.linear import rational
from fedbounds.theory.language.setups import Largest, Least, Says, Where, dot
from fedbounds.theory.language.symbols import t
from fedbounds.theory.proof.vectors import sq

from .balls import precise
from .evaluate import Numbers, Roots, apart, around, evaluate, in_balls
from .expressions import at_once, without_products
from .float_moments import InFloats
from .known import Defined, Indices, MissingError
from .limits import limit_of, pace_of
from .long import Long
from .norms import alike, entries, keeps_sign, mean_norm, norm_of, squared
from .reach import Range, Visited, multiples, product, ratio, square
from .round_maps import ByParameter, at_values, forms_of
from .spaces import product as mean_product
from .spaces import speaks_of, vector
from .unknowns import Refused, Unknown

Array = Any
_FEW_BITS = 20  # of a bound that stands for a number of many digits


class NeverError(MissingError):
    """A number is not there because what it asks for surely fails."""


@dataclass(eq=False)
class Many(Defined[Long]):
    """Of a long run."""

    _wrong: dict[str, Array] = field(default_factory=dict)

    @property
    def exact(self) -> bool:
        """Whether quantities are rationals."""
        return not self.trace.floats

    def errors_of(self, name: str) -> Array | None:
        """What rounding may have done to a quantity; None where it is exact.

        Raises
        ------
        MissingError
            If it is not defined here.
        """
        self.series(name)
        return self._wrong.get(name)

    def forms(self, name: str) -> ByParameter:
        """A quantity that is one product, as a linear function of the moments."""
        return self._forms(self.quantities[name])

    # ---- products

    def products(self, node: sp.Expr, indices: Indices = None) -> Array:
        """sq(x) or ip(x, y) of rounds 0, ..., T - 1; floats as balls."""
        return self._enclosed(node)[: self.trace.subject.rounds]

    def _enclosed(self, node: sp.Expr) -> Array:
        values, wrong = self._told(node)
        return values if wrong is None else around(values, wrong)

    def _at_end(self, node: sp.Expr, indices: Indices) -> Any:
        values, rounds = self._enclosed(node), self.trace.subject.rounds
        if len(values) <= rounds:
            raise MissingError(f"the run diverges at round {len(values)}")
        return values[rounds : rounds + 1]

    def _at_start(self, node: sp.Expr) -> fmpq:
        """In round 0, exact."""
        rounds = self.trace.found.rounds
        own = at_values(self._forms(node), rounds.parameters[0])
        return sum((factor * rounds.start[pair] for pair, factor in own.items()), fmpq(0))

    def _forms(self, node: sp.Expr) -> ByParameter:
        values = self._of_vectors([node], {})
        key = "forms", node, *sorted(values.items())
        if key not in self.trace.kept:
            if norm_of(node) is not None:
                raise MissingError(f"{node} is no linear function of second moments")
            try:
                value = mean_product(node, self.trace.space, values)
                found = forms_of(self.trace.space.variables, value, self.trace.centre)
            except Refused as error:
                raise MissingError(f"{node} is not measured: {error}") from error
            self.trace.kept[key] = found
        kept: ByParameter = self.trace.kept[key]
        return kept

    def _told(self, node: sp.Expr) -> tuple[Array, Array | None]:
        """Of rounds 0, ..., T, and what rounding did; exact where the state does not enter."""
        key = "told", node
        if key not in self.trace.kept and (v := norm_of(node)) is not None:
            self.trace.kept[key] = self._norms(v), None
        if key not in self.trace.kept:
            forms, found = self._forms(node), self.trace.found
            rounds = found.rounds
            told: tuple[Array, Array | None]
            if all(pair == (0, 0) for form in forms.values() for pair in form):
                own = [at_values(forms, x).get((0, 0), fmpq(0)) for x in rounds.parameters]
                values = np.empty(rounds.subject.rounds + 1, dtype=object)
                values[:] = own if len(own) > 1 else own * len(values)
                told = values, None
            else:
                told = (
                    found.told(forms) if isinstance(found, InFloats) else (found.told(forms), None)
                )
            self.trace.kept[key] = told
        kept: tuple[Array, Array | None] = self.trace.kept[key]
        return kept

    def _norms(self, v: sp.Expr) -> Array:
        """E ||v|| of rounds 0, ..., T."""
        found = self.trace.found
        if isinstance(found, InFloats):
            raise MissingError(f"the mean of the norm of {v} is not looked at in floats")
        first, square, signed = self._of_norm(v)
        rows = zip(*map(found.told, first), found.told(square), strict=True)
        every = alike([mean_norm(squared(means), own, signed=signed) for *means, own in rows])
        values = np.empty(len(every), dtype=object)
        values[:] = every
        return values

    def _of_norm(self, v: sp.Expr) -> tuple[list[ByParameter], ByParameter, bool]:
        """Its coordinates and its square, as functions of moments; whether it keeps its sign."""
        space, centre = self.trace.space, self.trace.centre
        try:
            every = entries(v, space)
            first = [forms_of(space.variables, entry, centre) for entry in every]
        except Refused as error:
            raise MissingError(f"the norm of {v} is not measured: {error}") from error
        return first, self._forms(sq(v)), keeps_sign(self.trace.subject, every)

    @property
    def diverged_at(self) -> int | None:
        """The first round whose quantities are not finite."""
        found = self.trace.found
        return found.diverged_at if isinstance(found, InFloats) else None

    def _over_rounds(self, expression: sp.Expr, indices: Indices = None, *, ending: bool) -> Array:
        ends = ending and self.diverged_at is None
        return super()._over_rounds(expression, indices, ending=ends)

    @precise()
    def _quantity(self, name: str) -> Array:
        found: Array = np.asarray(super()._quantity(name))
        if not self.trace.floats or not any(isinstance(x, arb) for x in found):
            return found
        values, self._wrong[name] = apart(found)
        return values

    # ---- numbers

    def number(self, expression: sp.Expr, values: Mapping[str, Any] | None = None) -> Any:
        """Of an expression that does not depend on the round, in rationals."""
        plain, own = self._without_extremes(expression, values or {})
        for node in expression.atoms(Largest, Least) - {expression}:
            low, high = self._ends(node, own)
            if low != high:
                raise MissingError(f"{node} is known from one side only, and {expression} not")
        plain, nodes = without_products(plain)
        own |= {name: self._at_start(node) for name, node in nodes}
        plain = at_once(plain)
        series: dict[str, Array] = {}
        for atom in plain.atoms(AppliedUndef):
            name = atom.func.__name__
            if atom.args[0] == 0 and series.get(name) is None:
                series[name] = np.array([self.number(self.quantities[name])], dtype=object)
            else:
                series[name] = self._exact_series(name)
        known = super()._numbers(plain, own, series)
        found = np.asarray(evaluate(plain, known), dtype=object)
        if found.ndim:
            raise MissingError(f"{expression} is no single number")
        return found.item()

    def _exact_series(self, name: str) -> Array:
        found = self.series(name)
        if found.dtype != object:
            raise MissingError(f"{name} is known up to rounding only")
        return found

    def _numbers(
        self, plain: sp.Expr, own: Mapping[str, Any], series: Mapping[str, Array] | None = None
    ) -> Numbers:
        found = super()._numbers(plain, own, series)
        if not self.trace.floats or all(_is_exact(x) for x in found.series.values()):
            return found
        return in_balls(replace(found, errors=self._wrong))

    def _constant(self, name: str) -> Any:
        found = self.constants.get(name)
        if isinstance(found, Where):
            value = self.number(found.value)
            for says in found.holds:
                holds, why = self.holds(says, {name: value})
                if not holds:
                    raise (MissingError if holds is None else NeverError)(why)
            return value
        return super()._constant(name)

    def _kept(self, name: str, make: Callable[[], Any]) -> Any:
        def never() -> Any:
            try:
                return make()
            except NeverError as error:
                return NeverError(f"no value for {name}: {error}")
            except OverflowError:  # of a run that diverges, in rationals
                return MissingError(f"no value for {name}: a number is too large for floats")

        return super()._kept(name, never)

    # ---- statements

    def broken(self, says: Says, values: Mapping[str, Any] | None = None) -> str:
        """Where a statement fails, or why that is not known; empty if it holds."""
        return self.holds(says, values)[1]

    def holds(self, says: Says, values: Mapping[str, Any] | None = None) -> tuple[bool | None, str]:
        """Whether a statement holds; None if that is not known; and why it does not."""
        found = self._kept(str(says), lambda: self._decided(says, dict(values or {})))
        if isinstance(found, MissingError):
            return (False if isinstance(found, NeverError) else None), str(found)
        decided: tuple[bool | None, str] = found
        return decided

    def _decided(self, says: Says, values: dict[str, Any]) -> tuple[bool | None, str]:
        """At all ends of the extremes in it, of which both sides are affine functions."""
        sides, ends, own = (says.left, says.right), dict[sp.Symbol, tuple[Any, Any]](), dict(values)
        for node in says.left.atoms(Largest, Least) | says.right.atoms(Largest, Least):
            low, high = self._ends(node, values)
            symbol = sp.Symbol(f"_end_{len(ends)}")
            ends[symbol] = (low, high) if low != high else (low, low)
            sides = tuple(side.xreplace({node: symbol}) for side in sides)
            if low != high and any(side.diff(symbol).has(symbol) for side in sides):
                raise MissingError(f"{says} is not affine in {node}")
        found = []
        for corner in every_one(*(sorted(set(pair)) for pair in ends.values())):
            known = own | {x.name: value for x, value in zip(ends, corner, strict=True)}
            found.append(self._at_corner(says, sides, known))
        told = {holds for holds, _ in found}
        if told == {True}:
            return True, ""
        reason = next(why for holds, why in found if not holds)
        return (False if told == {False} else None), reason

    def _at_corner(
        self, says: Says, sides: Sequence[sp.Expr], own: dict[str, Any]
    ) -> tuple[bool | None, str]:
        left, right = sides
        if left.has(dot) or right.has(dot):
            values = self._of_vectors(sides, own)
            gap = self._linear(left - right, values)
        elif any(side.has(t) or side.atoms(AppliedUndef) for side in sides):
            rounds = range(self.trace.subject.rounds)
            known = self._numbers(sp.Add(left, right, evaluate=False), own)
            one, other = (evaluate(side, known, rounds) for side in sides)
            gap = _range(np.atleast_1d(one - other))
        else:
            one, other = (self.number(side, own) for side in sides)
            gap = Range(*(np.array([one - other], dtype=object),) * 2)
        sure, never = _SIGNS[says.relation](gap)
        if sure.all():
            return True, ""
        at = tuple(int(x) for x in np.argwhere(never if never.any() else ~sure)[0])
        low, high = gap.low[at], gap.high[at]
        between = f"{float(low):.6g}"
        between += "" if low == high else f" to {float(high):.6g}"
        word = "fails" if never.any() else "is not clear"
        return (False if never.any() else None), f"{says} {word} {self._place(at)}: {between} apart"

    def _place(self, at: Sequence[int]) -> str:
        space = self.trace.space
        names = [x for x, y in zip(space.sources, space.weights, strict=True) if y is not None]
        told = ", ".join(f"{name} {x}" for name, x in zip(names, at[1:], strict=False))
        return f"in round {at[0]}" + (f" ({told})" if told else "")

    # ---- what may be visited

    def _extreme(self, node: sp.Expr, own: Mapping[str, Any]) -> Any:
        low, high = self._ends(node, own)
        return high if isinstance(node, Largest) else low

    def pace(self) -> arb:
        """The factor per round at which moments approach their limit, in a ball.

        Raises
        ------
        Refused
            If it is not enclosed.
        """
        return self.trace.settling.pace if self.trace.floats else pace_of(self.trace.found.rounds)

    def _settled(self, node: sp.Expr) -> fmpq | Roots | arb:
        if not self.trace.floats or norm_of(node) is not None:
            return self._settled_exactly(node)
        try:
            return self.trace.settling(node, self._of_vectors([node], {}))
        except Refused as first:
            try:
                return self._settled_exactly(node)
            except Refused as second:
                raise Refused(f"{first}; {second}") from second

    def _settled_exactly(self, node: sp.Expr) -> fmpq | Roots | arb:
        rounds, v = self.trace.found.rounds, norm_of(node)
        if v is None:
            return limit_of(rounds, self._forms(node))
        first, square, signed = self._of_norm(v)
        low = squared([limit_of(rounds, own) for own in first])
        return mean_norm(low, limit_of(rounds, square), signed=signed)

    def _ends(self, node: sp.Expr, own: Mapping[str, Any]) -> tuple[fmpq, fmpq]:
        """Between which an extreme is."""
        values = self._of_vectors([node], own)
        key, kept = (node, *sorted(values.items())), self.trace.kept
        if key not in kept:
            kept[key] = self._kept(str(node), lambda: self._bounded(node, values))
        if isinstance(kept[key], MissingError):
            raise kept[key]
        found: tuple[fmpq, fmpq] = kept[key]
        return found

    def _bounded(self, node: sp.Expr, values: Mapping[str, Any]) -> tuple[fmpq, fmpq]:
        largest, quotients = isinstance(node, Largest), False
        ranges = []
        for argument in node.args:
            value, positive = argument if isinstance(argument, sp.Tuple) else (argument, None)
            own = self._range(value, values)
            quotients = quotients or sp.fraction(value)[1].has(dot)
            self._check(own, node)
            if positive is not None:
                own = _where(own, self._range(positive, values), node, largest=largest)
            ranges.append(own)
        best: Callable[[Any], Any] = np.max if largest else np.min
        low, high = (
            best(_alike([best(end.reshape(-1)) for end in ends]))
            for ends in zip(*((own.low, own.high) for own in ranges), strict=True)
        )
        if not all(isinstance(x, fmpq) or np.isfinite(float(x)) for x in (low, high)):
            raise MissingError(f"{node} is not bounded")
        exact = low == high and isinstance(low, fmpq)
        low, high = rational(low), rational(high)
        if largest:
            return low, _short(high, up=True) if exact else high
        return (_short(low, up=False) if exact or quotients else low), high

    def _check(self, own: Range, node: sp.Expr) -> None:
        bad = _of(own.low != own.low)
        if bad.any():
            at = tuple(int(x) for x in np.argwhere(bad)[0])
            raise MissingError(f"{node}: a divisor is 0, or of unknown sign, {self._place(at)}")

    def _range(self, value: sp.Expr, values: Mapping[str, Any]) -> Range:
        """A number at every round and index."""
        if speaks_of(value, self.trace.space):
            return self._entries(value, values)
        top, bottom = sp.fraction(value)
        if not bottom.has(dot):
            return self._linear(value, values)
        c = self._multiple(top, bottom, values)
        known = _of(np.frompyfunc(lambda x: x is not None, 1, 1)(c))
        if known.all():
            return Range(c, c)
        found = ratio(self._linear(top, values), self._linear(bottom, values))
        if found.low.dtype == object:
            return Range(*(np.where(known, c, end) for end in (found.low, found.high)))
        below, above = (
            np.array([0.0 if x is None else _float(x, to) for x in c.reshape(-1)]).reshape(c.shape)
            for to in (-np.inf, np.inf)
        )
        return Range(np.where(known, below, found.low), np.where(known, above, found.high))

    def _multiple(self, top: sp.Expr, bottom: sp.Expr, values: Mapping[str, Any]) -> Array:
        """Where <c x, y> is divided by <x, y>: c, wherever that is defined; elsewhere None."""
        both = [_by_right(side) for side in (top, bottom)]
        if any(len(own) != 1 for own in both) or both[0].keys() != both[1].keys():
            return np.array(None)
        (left,), (right,) = (own.values() for own in both)
        return multiples(self._polynomials(left, values), self._polynomials(right, values))[None]

    def _linear(self, node: sp.Expr, values: Mapping[str, Any]) -> Range:
        total: Range | None = None
        for right, left in _by_right(node).items():
            own = self._one(left, right, values)
            total = own if total is None else Range(total.low + own.low, total.high + own.high)
        assert total is not None
        return total

    def _one(self, left: sp.Expr, right: sp.Expr, values: Mapping[str, Any]) -> Range:
        if right == 1:
            number = evaluate(left, Numbers(values, {}, lambda p, q: fmpq(p, q)))
            number = number if self.trace.reach.exact else float(number)
            return Range(np.array([number]), np.array([number]))
        plain = [_constant(x) for x in self._polynomials(left, values).reshape(-1)]
        if left == right and all(x is not None for x in plain):
            own = np.array(plain, dtype=object).reshape(self._polynomials(left, values).shape)
            number = (own * own).sum(axis=-1)[None]
            return Range(number, number)
        if left == right:
            return square(self._visited(left, values))
        return product(self._visited(left, values), self._visited(right, values))

    def _entries(self, node: sp.Expr, values: Mapping[str, Any]) -> Range:
        polynomials = self._polynomials(node, values)
        plain = [_constant(x) for x in polynomials.reshape(-1)]
        if all(x is not None for x in plain):
            found = np.array([plain], dtype=object)
            return Range(found, found)
        own = self._visited(node, values)
        if own.exact:
            return Range(own.mean, own.mean)
        return Range(own.mean - own.away[..., None], own.mean + own.away[..., None])

    def _visited(self, node: sp.Expr, values: Mapping[str, Any]) -> Visited:
        """Made once for all that speak of it."""
        names = {symbol.name for symbol in node.free_symbols}
        key = "visited", node, *sorted((x, y) for x, y in values.items() if x in names)
        if key not in self.trace.kept:
            found = self.trace.found
            if isinstance(found, InFloats) and found.diverged_at is not None:
                raise MissingError(f"the run diverges at round {found.diverged_at}")
            try:
                self.trace.kept[key] = self.trace.reach.visited(self._polynomials(node, values))
            except Refused as error:
                raise MissingError(f"{node} is not bounded: {error}") from error
        kept: Visited = self.trace.kept[key]
        return kept

    def _polynomials(self, node: sp.Expr, values: Mapping[str, Any]) -> Array:
        """Entries of a vector: draws that are listed, indices, then coordinates."""
        found = vector(node, self.trace.space, values)
        axes = [at for at, x in enumerate(self.trace.space.weights) if x is not None]
        return found.reshape(*(found.shape[at] for at in axes), found.shape[-1])


_SIGNS: Mapping[str, Callable[[Range], tuple[Array, Array]]] = {
    "<=": lambda gap: (_of(gap.high <= 0), _of(gap.low > 0)),
    ">=": lambda gap: (_of(gap.low >= 0), _of(gap.high < 0)),
    "<": lambda gap: (_of(gap.high < 0), _of(gap.low >= 0)),
    ">": lambda gap: (_of(gap.low > 0), _of(gap.high <= 0)),
    "==": lambda gap: (
        _of((gap.low == 0) & (gap.high == 0)),
        _of((gap.low > 0) | (gap.high < 0)),
    ),
}


def _is_exact(series: Array) -> bool:
    return series.dtype == object and not any(isinstance(x, arb) for x in series)


def _range(numbers: Array) -> Range:
    """Between which each is, where some are balls."""
    if not any(isinstance(x, arb) for x in numbers):
        return Range(numbers, numbers)
    near, wrong = apart(numbers)
    return Range(np.nextafter(near - wrong, -np.inf), np.nextafter(near + wrong, np.inf))


def _by_right(node: sp.Expr) -> dict[sp.Expr, sp.Expr]:
    """A sum of multiples of dot(x, y): what stands beside every y; a number beside 1."""
    found: dict[sp.Expr, sp.Expr] = {}
    for term in sp.Add.make_args(sp.expand(node)):
        inside = list(term.atoms(dot))
        if not inside:
            found[sp.S.One] = found.get(sp.S.One, sp.S.Zero) + term
            continue
        factor = term / inside[0]
        if len(inside) > 1 or factor.has(dot):
            raise MissingError(f"{node} is not a sum of multiples of products")
        left, right = inside[0].args
        found[right] = found.get(right, sp.S.Zero) + factor * left
    return found


def _where(own: Range, positive: Range, node: sp.Expr, *, largest: bool) -> Range:
    """Where the other is positive: surely so for the one end, possibly for the other."""
    ends = np.broadcast_arrays(own.low, own.high, _of(positive.low > 0), _of(positive.high > 0))
    low, top, sure, may = ends  # what is one number for all rounds is that of each
    if not may.any():
        raise MissingError(f"nothing visited is asked for by {node}")
    if not sure.any():
        raise MissingError(f"nothing visited is surely asked for by {node}")
    inner, outer = (low, top) if largest else (top, low)
    return Range(inner[sure], outer[may]) if largest else Range(outer[may], inner[sure])


def _of(array: Array) -> Array:
    return np.asarray(array, dtype=bool)


def _float(number: fmpq, to: float) -> float:
    """The number, or the next float towards there."""
    near = float(number)
    beyond = rational(near) > number if to < 0 else rational(near) < number
    return float(np.nextafter(near, to)) if beyond else near


def _constant(value: Any) -> fmpq | None:
    """The number that a polynomial is; None if it is none."""
    if not isinstance(value, Unknown):
        return rational(value)
    if not value.polynomial.is_constant():
        return None
    terms = list(value.polynomial.to_dict().values())
    return terms[0] if terms else fmpq(0)


def _alike(ends: list[Any]) -> list[Any]:
    """Floats among rationals as the rationals that they are; an infinite one stands alone."""
    if not any(isinstance(x, fmpq) for x in ends):
        return ends
    infinite = [x for x in ends if not isinstance(x, fmpq) and not np.isfinite(x)]
    return infinite or [rational(x) for x in ends]


def _short(number: fmpq, *, up: bool) -> fmpq:
    """The number, or one of few digits just above or below it where it has many."""
    if number.q.bit_length() <= _FEW_BITS:
        return number
    _, exponent = np.frexp(float(number))
    unit = fmpq(2) ** (int(exponent) - _FEW_BITS)
    return (number / unit).ceil() * unit if up else (number / unit).floor() * unit
