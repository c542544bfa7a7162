"""Numbers of a run in all rounds, by definition: extremes over regions that it never leaves.

A number is a rational, or a range that contains it; what a statement says is then decided, or not.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product as combinations
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.problems.linear import rational
from fedbounds.theory.language.setups import (
    Around,
    Everywhere,
    Largest,
    Least,
    Says,
    Upper,
    Where,
    dot,
)
from fedbounds.theory.language.symbols import VectorSymbol, constants_in

from .evaluate import Numbers, evaluate
from .expressions import without_products
from .known import MissingError
from .ranges import Number, Range, Unbounded, as_range, compared, multiple, narrowed
from .regions import AllRounds, Region
from .spaces import field as entries_of
from .spaces import product
from .unknowns import Refused, bare

Array = Any
_LARGE = fmpq(10**6)  # a number that is exceeded
_DOUBLINGS = 24  # of the length along a coordinate, to find a state that shows something
_MARGINS = tuple(fmpq(1, 16**power) for power in range(1, 9))  # of open boxes
_ERRORS = (FedboundsError, Refused, ZeroDivisionError)


@dataclass(eq=False)
class Always:
    """What is known of a run in all rounds.

    Attributes
    ----------
    rounds : AllRounds
    constants : mapping from name to number or definition
    """

    rounds: AllRounds
    constants: Mapping[str, Any]
    _values: dict[str, Any] = field(default_factory=dict)
    _extremes: dict[Any, Any] = field(default_factory=dict)

    def constant(self, name: str) -> Number:
        """The number, or a range.

        Raises
        ------
        MissingError
            If it is not defined here.
        """
        if name not in self._values:
            try:
                self._values[name] = self._constant(name)
            except _ERRORS as error:
                self._values[name] = MissingError(f"no value for {name}: {error or 'no number'}")
        found = self._values[name]
        if isinstance(found, MissingError):
            raise found
        return found

    def _constant(self, name: str) -> Number:
        if name not in self.constants:
            raise MissingError("it has no definition in this view")
        found = self.constants[name]
        if not isinstance(found, Where):
            return found if isinstance(found, fmpq) else self.number(found)
        value = self.number(found.value)
        for says in found.holds:
            holds, told = self.decided(says, {name: value})
            if not holds:
                raise MissingError(f"{says} fails: {told}")
        return value

    def decided(
        self, says: Says, values: Mapping[str, Number] | None = None
    ) -> tuple[bool | None, str]:
        """Whether a statement holds, None where that is not known; and its numbers, or why not."""
        try:
            left = self.number(says.left, values)
            if says.right == sp.oo:
                finite = None if as_range(left).high is None else True
                holds = False if isinstance(left, Unbounded) else finite
                return holds, f"{shown(left)} {says.relation} oo"
            right = self.number(says.right, values)
        except ZeroDivisionError:
            return None, "it divides by 0"
        except _ERRORS as error:
            return None, str(error)
        # a number that is only known to lie in a range is equal to itself
        same = left is right and "=" in says.relation
        holds = True if same else compared(left, says.relation, right)
        return holds, f"{shown(left)} {says.relation} {shown(right)}"

    def number(self, expression: sp.Expr, values: Mapping[str, Number] | None = None) -> Number:
        """Of an expression in constants, extremes and products of vectors that are always there.

        Raises
        ------
        FedboundsError, Refused, ZeroDivisionError
            If it has no value, or none is found.
        """
        own = dict(values or {})
        plain = self._without_extremes(expression, own)
        if plain.has(dot):
            raise Refused("what holds of every outcome is not looked at in all rounds")
        plain, nodes = without_products(plain)
        series = {}
        for name, node in nodes:
            series[name] = np.array([self._product(node, own)], dtype=object)
        for name in sorted(constants_in(plain) - own.keys()):  # the same is told everywhere
            own[name] = self.constant(name)
        # the same in all rounds: that of round 0
        found = evaluate(plain, Numbers(own, series, lambda p, q: fmpq(p, q)), range(1))
        found = np.asarray(found, dtype=object).reshape(-1)
        if len(found) != 1:
            raise MissingError(f"{expression} is no single number")
        return found[0]

    def _product(self, node: sp.Expr, own: Mapping[str, Number]) -> fmpq:
        value = bare(product(node, self.rounds.space, self._of_vectors(node, own)))
        here = self.rounds.at(self.rounds.start)
        first = here.within(value) if self.rounds.stays else value
        if hasattr(first, "total_degree"):
            if first.total_degree() > 0:
                raise MissingError(f"{node} changes from round to round")
            first = first.to_dict().get((0,) * len(first.context().names()), fmpq(0))
        return fmpq(first)

    def _of_vectors(self, node: sp.Expr, own: Mapping[str, Number]) -> dict[str, Number]:
        """Constants that an expression in vectors names."""
        space = self.rounds.space
        named = {
            symbol.name
            for symbol in node.free_symbols
            if not isinstance(symbol, VectorSymbol)
            and symbol.name not in (*space.sources, *space.vectors)
        }
        return {name: own[name] if name in own else self.constant(name) for name in named}

    # ---- extremes

    def _without_extremes(self, expression: sp.Expr, own: dict[str, Number]) -> sp.Expr:
        """With a symbol for every extreme, and their numbers in ``own``; inner ones first."""
        while inner := [
            node
            for node in expression.atoms(Largest, Least)
            if not any(argument.has(Largest, Least) for argument in node.args)
        ]:
            names = {}
            for node in inner:
                symbol = sp.Symbol(f"_extreme_{len(own)}")
                names[node], own[symbol.name] = symbol, self._extreme(node, own)
            expression = expression.xreplace(names)
        while upper := expression.atoms(Upper):
            names = {}
            for node in upper:
                symbol = sp.Symbol(f"_extreme_{len(own)}")
                names[node] = symbol
                own[symbol.name] = as_range(self.number(node.args[0], own)).ends[1]
            expression = expression.xreplace(names)
        return expression

    def _extreme(self, node: sp.Expr, own: Mapping[str, Number]) -> Number:
        values = self._of_vectors(node, own)
        key = (node, *sorted(values.items(), key=str))
        if key not in self._extremes:
            self._extremes[key] = self._found(node, values)
        return self._extremes[key]

    def _found(self, node: sp.Expr, values: Mapping[str, Number]) -> Number:
        most = isinstance(node, Largest)
        every = [x for argument in node.args for x in self._of(argument, values, most=most)]
        if not every:
            raise MissingError(f"nothing visited is asked for by {node}")
        if len(every) == 1:
            return every[0]
        # every region has a state of the run in it
        ends = [as_range(x).ends for x in every]
        pick = max if most else min
        return narrowed(Range(pick(low for low, _ in ends), pick(high for _, high in ends)))

    def _of(self, argument: sp.Expr, values: Mapping[str, Number], *, most: bool) -> list[Number]:
        if isinstance(argument, Everywhere):
            return [self._everywhere(argument.args[0], values, most=most)]
        if isinstance(argument, Around):
            return self._around(argument, values)
        if isinstance(argument, sp.Tuple):
            return self._where(argument.args[0], argument.args[1], values)
        pairs = self._entries(argument, values)
        if not any(_varies(x) for pair in pairs for x in pair):
            return [_whole(top) / _whole(bottom) for top, bottom in pairs]
        return _over(self.rounds.regions, pairs)

    def _where(
        self, value: sp.Expr, positive: sp.Expr, values: Mapping[str, Number]
    ) -> list[Number]:
        """Where another number is positive; a quotient that is one number is that everywhere."""
        found = []
        pairs = zip(self._entries(value, values), self._entries(positive, values), strict=True)
        for (top, bottom), (also, _) in pairs:
            if not _varies(bottom) and not _varies(also):
                found += [_whole(top) / _whole(bottom)] if _whole(also) > 0 else []
                continue
            always = multiple(bare(top), bare(bottom))
            for region in self.rounds.regions if always is None else ():
                same = multiple(region.within(top), region.within(bottom))
                there = same is not None or compared(region.range(also), ">", fmpq(0))
                if there is None:
                    raise Refused(f"{positive} may vanish, or not be positive")
                if there:
                    found.append(region.quotient(top, bottom) if same is None else same)
            found += [] if always is None else [always]
        return found

    def _entries(self, argument: sp.Expr, values: Mapping[str, Number]) -> list[tuple[Any, Any]]:
        """Numerators and denominators, of every client and step."""
        space = self.rounds.space
        sides = (
            np.asarray(entries_of(side, space, values), dtype=object)
            for side in sp.fraction(argument)
        )
        top, bottom = np.broadcast_arrays(*sides)
        return list(zip(top.reshape(-1), bottom.reshape(-1), strict=True))

    def _around(self, argument: sp.Expr, values: Mapping[str, Number]) -> list[Number]:
        """Over an open box that contains vectors: as large as shows something."""
        if self.rounds.changing:
            raise Refused("no open set is looked for where rounds differ")
        expression, *vectors = argument.args
        pairs, names = self._entries(expression, values), [str(vector) for vector in vectors]
        refused = Refused("no open set is found")
        for margin in _MARGINS:
            hull = self.rounds.hull(self.rounds.box(margin), names, margin)
            try:
                return _over((hull,), pairs)
            except Refused as error:
                refused = error
        raise refused

    def _everywhere(
        self, expression: sp.Expr, values: Mapping[str, Number], *, most: bool
    ) -> Number:
        """Over all states: polynomials that are one number, or states that show something."""
        pairs = self._entries(expression, values)
        always = [multiple(bare(top), bare(bottom)) for top, bottom in pairs]
        plain = [x for pair in pairs for x in pair]
        if not any(_varies(x) for x in plain):
            always = [_whole(top) / _whole(bottom) for top, bottom in pairs]
        numbers = [x for x in always if x is not None]
        if len(numbers) == len(pairs):
            return max(numbers) if most else min(numbers)
        seen = list(self._seen(expression, pairs))
        if not most:
            least, where = min(seen, key=lambda own: own[0], default=(None, ""))
            return Range(None, least, where)
        if not any(self._grows(*pair) for pair in pairs if not _varies(pair[1])):
            return Range(None, None)
        large = (own for own in seen if own[0] > _LARGE)
        return Unbounded(None, None, next(large, (None, "far away"))[1])

    def _seen(
        self, expression: sp.Expr, pairs: Sequence[tuple[Any, Any]]
    ) -> Iterator[tuple[fmpq, str]]:
        """Values at states along coordinates, the nearest ones first."""
        size = len(self.rounds.start)
        for power, base, at in combinations(
            range(_DOUBLINGS), self._bases(expression, size), range(size)
        ):
            state = list(base)
            state[at] += fmpq(2) ** power
            region = self.rounds.at(state)
            for top, bottom in pairs:
                above, below = region.within(top), region.within(bottom)
                if not _varies(above) and not _varies(below) and below != 0:
                    yield above / below, f"at ({', '.join(map(str, state))})"

    def _bases(self, expression: sp.Expr, size: int) -> list[list[fmpq]]:
        """States that the expression names, and the start."""
        found = [list(self.rounds.start)]
        for name in sorted(symbol.name for symbol in expression.free_symbols):
            entries = np.asarray(self.rounds.space.vectors.get(name, ())).reshape(-1)
            if len(entries) == size and not any(_varies(x) for x in entries):
                found.insert(0, [_whole(x) for x in entries])
        return found

    def _grows(self, top: Any, bottom: Any) -> bool:
        """Whether a polynomial, over a number, exceeds all numbers along some coordinate."""
        sign = _whole(bottom)
        for at in range(len(self.rounds.start)):
            line = self.rounds.along(at).within(top)
            if _varies(line) and line.total_degree() == line.degrees()[at] == sum(line.degrees()):
                degree = int(line.total_degree())
                lead = max(line.to_dict().items(), key=lambda item: sum(item[0]))[1]
                if degree % 2 or lead * sign > 0:
                    return True
        return False


def _over(regions: Sequence[Region], pairs: Sequence[tuple[Any, Any]]) -> list[Number]:
    return [region.quotient(top, bottom) for region in regions for top, bottom in pairs]


def _varies(value: Any) -> bool:
    """Whether a value is not the same for all states, draws and parameters."""
    value = bare(value)
    return hasattr(value, "total_degree") and value.total_degree() > 0


def _whole(value: Any) -> fmpq:
    """The number that a polynomial of degree 0 is."""
    value = bare(value)
    if not hasattr(value, "to_dict"):
        return rational(value)
    return fmpq(next(iter(value.to_dict().values()), fmpq(0)))


def shown(number: Number) -> str:
    """Six digits, or the ends of a range."""
    if not isinstance(number, Range):
        return f"{float(number):.6g}"
    if isinstance(number, Unbounded):
        return f"a number above {_LARGE} {number.where}, and above all others far away"
    low, high = (None if end is None else f"{float(end):.6g}" for end in (number.low, number.high))
    if low is None or high is None:
        least = "no number" if low == high else f"at {'most' if low is None else 'least'}"
        return " ".join(filter(None, (least, high or low, number.where)))
    return f"[{low}, {high}]" if low != high else low
