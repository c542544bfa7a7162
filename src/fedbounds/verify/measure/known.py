"""Quantities and constants of a run by their definitions, each measured when it is asked for."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product as every_one
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef

from fedbounds.errors import FedboundsError, unknown_name
from fedbounds.problems.spectrum import square_root
from fedbounds.theory.language.setups import (
    RUN,
    Largest,
    MeanOfLargest,
    Remembered,
    Says,
    Settled,
    Where,
    above,
    dot,
)
from fedbounds.theory.language.symbols import K, T, k, t
from fedbounds.theory.proof.vectors import sq

from .balls import enclosed
from .evaluate import IrrationalError, Numbers, UndefinedError, evaluate, in_balls, in_roots, scale
from .exact_steps import TooMuchError
from .expressions import (
    at_once,
    besides_vectors,
    expanded,
    has_extremes,
    innermost,
    named_in,
    without_products,
)
from .missing import MissingError as MissingError
from .missing import NotShownError, or_raise
from .missing import UnansweredError as UnansweredError
from .norms import alike, entries, mean_norm, norm_of
from .recalled import recalled, remembered
from .settled import settled
from .spaces import Listed, Unrolled, alone, product
from .spaces import field as entries_of
from .subject import Subject
from .surely import RELATIONS, broken_surely, nearly
from .trace import Trace
from .unknowns import Refused

Array = Any
Space = Listed | Unrolled
Indices = tuple[str, ...] | None  # None: those that the view looks at one by one


class Traced(Protocol):
    """A run that was traced."""

    @property
    def subject(self) -> Subject:
        """What was traced."""

    @property
    def kept(self) -> dict[Any, Any]:
        """What was measured of it, by what determines it."""


Run = TypeVar("Run", bound=Traced)


@dataclass(eq=False)
class Defined(Generic[Run]):
    """What is known of a run, by definitions; how products and extremes are had is another matter.

    Attributes
    ----------
    trace : Traced
    constants : mapping from name to number or definition
    quantities : mapping from name to expression
    states : tuple of str
        Quantities of a round's start, measured after the last round too.
    alone : tuple of str
        Indices whose values are looked at one by one.
    only : mapping from index to number
        The one value that is.
    each : mapping from quantity name to indices
        Those that are one for each value of these.
    given : dict from quantity name to array
        Those that were measured by other means.
    outcomes : mapping from quantity name to sources
        Those that have a value for every outcome of sources.
    later : tuple of str
        Quantities of the next round.
    variants : mapping from name to function
        What makes that of a variant of the run.
    steers : bool
        Whether it steers a search alone: numbers that are as good as equal count as equal in what
        is said of them.
    """

    trace: Run
    constants: Mapping[str, Any]
    quantities: Mapping[str, sp.Expr]
    states: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()
    only: Mapping[str, int] = field(default_factory=dict)
    each: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    given: Mapping[str, Array] = field(default_factory=dict)
    later: tuple[str, ...] = ()
    outcomes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    variants: "Mapping[str, Callable[[], Defined[Any]]]" = field(default_factory=dict)
    steers: bool = False
    _values: dict[str, Any] = field(default_factory=dict)
    _series: dict[str, Array] = field(default_factory=dict)
    _held: dict[Says, str] = field(default_factory=dict)

    # ---- how they are had

    def products(self, node: sp.Expr, indices: Indices = None) -> Array:
        """sq(x) or ip(x, y) of every round; values of indices first, of the view's own if None."""
        raise NotImplementedError

    def _at_end(self, node: sp.Expr, indices: Indices) -> Any:
        """The same at the start of the round after the last alone."""
        raise NotImplementedError

    def _of_outcomes(self, expression: sp.Expr, sources: tuple[str, ...]) -> Array:
        """Of every outcome of some sources first, and of every round."""
        raise MissingError("outcomes are not listed")

    def _extreme(self, node: sp.Expr, own: Mapping[str, Any]) -> Any:
        raise NotImplementedError

    def _settled(self, node: sp.Expr) -> Any:
        """What sq(x) or ip(x, y) tends to as rounds go on."""
        raise NotImplementedError

    def _broken_somewhere(self, says: Says, sides: Sequence[sp.Expr], own: dict[str, Any]) -> str:
        """Of every outcome."""
        raise NotImplementedError

    # ---- by name

    def constant(self, name: str) -> Any:
        """The number.

        Raises
        ------
        MissingError
            If it is not defined here.
        """
        if name not in self._values:
            self._values[name] = self._kept(name, lambda: self._constant(name))
        return or_raise(self._values[name])

    def series(self, name: str) -> Array:
        """Rounds 0, 1, ... on the last axis; one for each index before it.

        Raises
        ------
        MissingError
            If it is not defined here.
        """
        if name in self.given:
            return self.given[name]
        if name not in self._series:
            self._series[name] = self._kept(name, lambda: self._quantity(name))
        return or_raise(self._series[name])

    def _kept(self, name: str, make: Callable[[], Any]) -> Any:
        """The number, or why there is none."""
        try:
            return make()
        except ZeroDivisionError:
            return MissingError(f"no value for {name}: it divides by 0")
        except (TooMuchError, UnansweredError) as error:
            return UnansweredError(str(error))
        except (UndefinedError, IrrationalError, FedboundsError, Refused) as error:
            return MissingError(f"no value for {name}: {error}")

    def _constant(self, name: str) -> Any:
        if name == T.name:
            return self.trace.subject.rational(self.trace.subject.rounds, 1)
        if name not in self.constants:
            raise MissingError("it has no definition in this view")
        found = self.constants[name]
        if not isinstance(found, Where):
            return self.number(found) if isinstance(found, sp.Basic) else found
        value = self.number(found.value)
        for says in found.holds:
            named = says.left.free_symbols | says.right.free_symbols
            own = {name: value} if name in {symbol.name for symbol in named} else None
            broken = self.broken(says, own)
            if broken:
                raise MissingError(broken)
        return value

    def _quantity(self, name: str) -> Array:
        if name not in self.quantities:
            raise MissingError("it has no definition in this view")
        if name in self.outcomes:
            return self._of_outcomes(self.quantities[name], self.outcomes[name])
        indices, ending = self.each.get(name), name in self.states
        found = self._over_rounds(self.quantities[name], indices, ending=ending)
        return _later(found) if name in self.later else found

    # ---- of expressions

    def number(self, expression: sp.Expr, values: Mapping[str, Any] | None = None) -> Any:
        """Of an expression that does not depend on the round; products are those of round 0."""
        plain, own = self._without_extremes(expression, values or {})
        plain, nodes = without_products(plain)
        own |= {name: self._single(node) for name, node in nodes}
        plain = at_once(plain)
        found = np.asarray(evaluate(plain, self._numbers(plain, own)), dtype=object)
        if found.ndim:
            raise MissingError(f"{expression} is no single number")
        return found.item()

    def _single(self, node: sp.Expr) -> Any:
        """sq(x) or ip(x, y) in round 0."""
        return self._first_of(node, self.products(node))

    def _first_of(self, node: sp.Expr, rows: Array) -> Any:
        first, *others = rows.reshape(-1, rows.shape[-1])[:, 0]
        if any(bool(other != first) for other in others):
            raise MissingError(f"{node} is a number of each client")
        return first

    def sized(self, expression: sp.Expr, rounds: range) -> tuple[Array, Array]:
        """Of an expression in some rounds, and the size of its terms; values of indices first."""
        plain, own = self._without_extremes(expression, {})
        plain, nodes = without_products(plain)
        series = {name: self.products(node) for name, node in nodes}
        known = self._numbers(plain, own, series)
        for kind in (_as_they_are, in_roots):
            try:
                return _sized(plain, kind(known), rounds)
            except IrrationalError:
                continue
        return _sized(plain, _enclosed(known), rounds)

    def holds(self, says: Says) -> tuple[bool | None, str]:
        """Whether a statement holds; None if that is not known; and why it does not."""
        try:
            broken = self.broken(says)
        except NotShownError as error:
            return None, str(error)
        return not broken, broken

    def broken(self, says: Says, values: Mapping[str, Any] | None = None) -> str:
        """Where a statement fails, or why it has no value; empty if it holds."""
        if values:
            return self._told_broken(says, values)
        if says not in self._held:
            self._held[says] = self._told_broken(says, None)
        return self._held[says]

    def _told_broken(self, says: Says, values: Mapping[str, Any] | None) -> str:
        try:
            return self._broken(says, values)
        except ZeroDivisionError:
            return f"{says}: it divides by 0"
        except NotShownError:
            raise
        except (UndefinedError, IrrationalError, FedboundsError, Refused) as error:
            return f"{says}: {error}"

    def _broken(self, says: Says, values: Mapping[str, Any] | None) -> str:
        holds = RELATIONS[says.relation]
        sides, own = [], dict(values or {})
        for side in (says.left, says.right):
            plain, more = self._without_extremes(side, own)
            sides.append(plain)
            own |= more
        if any(side.has(dot) for side in sides):
            return self._broken_somewhere(says, sides, own)
        left, right = (self._side(side, own) for side in sides)
        left, right = np.broadcast_arrays(np.atleast_1d(left), np.atleast_1d(right))
        pairs = zip(left.flat, right.flat, strict=True)
        clear = [x for x in pairs if not (self.steers and nearly(says.relation, *x))]
        failed = [pair for pair in clear if not holds(*pair)]
        return f"{says} fails: {failed[0][0]} against {failed[0][1]}" if failed else ""

    def _side(self, side: sp.Expr, own: Mapping[str, Any]) -> Any:
        if side.has(t) or side.atoms(AppliedUndef):
            return evaluate(side, self._numbers(side, own), range(self.trace.subject.rounds))
        return self.number(side, own)

    def _over_rounds(self, expression: sp.Expr, indices: Indices = None, *, ending: bool) -> Array:
        names = remembered(expression)
        plain, own = self._without_extremes(expression.xreplace(names), {})
        plain, nodes = without_products(plain)
        series = {name: self.products(node, indices) for name, node in nodes}
        if ending:
            series = {
                name: np.append(series[name], self._at_end(node, indices), axis=-1)
                for name, node in nodes
            }
        for node, symbol in names.items():
            whole = self._remembered(node, indices)
            series[str(symbol.func)] = whole if ending else whole[..., :-1]
        known = self._numbers(plain, own, series)
        count = min((len(x.T) for x in known.series.values()), default=self.trace.subject.rounds)
        found = np.atleast_1d(evaluate(plain, known, range(count)))
        return found if found.shape[-1] == count else np.repeat(found, count, axis=-1)

    def _remembered(self, node: Remembered, indices: Indices) -> Array:
        """Of rounds 0, ..., T."""
        quantity, chance = node.args
        return recalled(self._over_rounds(quantity, indices, ending=False), self.number(chance))

    def _numbers(
        self, plain: sp.Expr, own: Mapping[str, Any], series: Mapping[str, Array] | None = None
    ) -> Numbers:
        """Everything that an expression names."""
        series, own, named = dict(series or {}), dict(own), named_in(plain)
        for name in named.constants:
            if name not in own:
                own[name] = self.constant(name)
        for name in named.series:
            if name not in series:
                series[name] = self.series(name)
        own.setdefault(T.name, self.constant(T.name))  # means over rounds need it
        if named.has_step and k.name in self.constants:  # the one local step that is looked at
            own[k.name] = self.constant(k.name)
        if named.has_steps:
            own.setdefault(K.name, self.constant(K.name))
        return Numbers(own, series, self.trace.subject.rational)

    def _of_vectors(self, nodes: Sequence[sp.Expr], own: Mapping[str, Any]) -> dict[str, Any]:
        """Constants that expressions in vectors name."""
        sources = self.trace.subject.shown.sources
        named = frozenset[str]().union(*map(besides_vectors, nodes)).difference(sources)
        return {name: own[name] if name in own else self.constant(name) for name in sorted(named)}

    # ---- extremes and limits

    def limit(self, node: Settled) -> Any:
        """Of a quantity, or of an expression that could be one.

        Raises
        ------
        MissingError
            If no limit is certified.
        """
        what, run = node.args
        if run != RUN:
            if run.name not in self.variants:
                raise unknown_name("variant of a run", run.name, self.variants)
            return self.variants[run.name]().limit(Settled(what, RUN))
        if isinstance(what, AppliedUndef):
            what = self.quantities[what.func.__name__]
        plain, nodes = without_products(what)
        try:
            own = {name: self._settled(each) for name, each in nodes}
        except Refused as error:
            raise MissingError(f"{node} has no value: {error}") from error
        plain = at_once(plain)
        return evaluate(plain, self._numbers(plain, own))

    def _without_extremes(
        self, expression: sp.Expr, own: Mapping[str, Any]
    ) -> tuple[sp.Expr, dict[str, Any]]:
        """With a symbol for every extreme, and their numbers; inner ones first."""
        found = dict(own)
        if not has_extremes(expression):
            return expression, found
        while inner := innermost(expression):
            names = {}
            for node in inner:
                symbol = sp.Symbol(f"_extreme_{len(found)}")
                value = (
                    self.limit(node) if isinstance(node, Settled) else self._extreme(node, found)
                )
                names[node], found[symbol.name] = symbol, value
            expression = expression.xreplace(names)
        return expression, found


@dataclass(eq=False)
class Known(Defined[Trace]):
    """Of every outcome."""

    def products(self, node: sp.Expr, indices: Indices = None) -> Array:
        """sq(x) or ip(x, y) of every round; values of indices first, of the view's own if None."""
        return self._of_places(node, indices, self.trace.spaces, 0)

    def _single(self, node: sp.Expr) -> Any:
        return self._first_of(node, self._of_places(node, None, self.trace.spaces[:1], 0))

    def _at_end(self, node: sp.Expr, indices: Indices) -> Any:
        """At the start of the round after the last."""
        if not self.trace.is_of_the_past(node):
            raise MissingError(f"{node} depends on draws: it is no state of a round's start")
        end = self.trace.end_with(node)
        return self._of_places(node, indices, (end,), self.trace.subject.rounds)

    def _of_places(
        self, node: sp.Expr, indices: Indices, spaces: Sequence[Space], first: int
    ) -> Array:
        """One row for each place, a value of every index; indices that others have, of length 1."""
        values = self._of_vectors([node], {})
        named = sorted({**values, **self.only}.items())
        key = node, indices, self.alone, first, len(spaces), *named
        if key not in self.trace.kept:
            places = self._places(indices, first, spaces)
            rows = [self._measured(node, own, first, values) for own in places.values()]
            own_indices = self.alone if indices is None else indices
            counts = [len({place[at] for place in places}) for at in range(len(own_indices))]
            if own_indices:
                counts += [1] * (self._depth - len(own_indices))
            self.trace.kept[key] = _array(rows).reshape(*counts, len(spaces))
        found: Array = self.trace.kept[key]
        return found

    def _measured(
        self, node: sp.Expr, spaces: Sequence[Space], first: int, values: dict[str, Any]
    ) -> list[Any]:
        v = norm_of(node) if self.trace.moments is not None else None
        if v is None:
            return self.trace.measured(node, spaces, first, values)
        squares = self.trace.measured(sq(v), spaces, first, values)
        try:
            lows = self.trace.squared_means(lambda space: entries(v, space, values), spaces, first)
        except Refused as error:
            raise MissingError(f"the norm of {v} is not measured: {error}") from error
        rows = zip(lows, squares, strict=True)
        return alike([mean_norm(low, square, signed=False) for low, square in rows])

    @property
    def _depth(self) -> int:
        """Of how many indices a quantity, or the view, has values."""
        return max(map(len, (self.alone, *self.each.values())))

    def _places(
        self, indices: Indices, first: int, spaces: Sequence[Space]
    ) -> dict[tuple[int, ...], list[Space]]:
        """The spaces of all rounds, at every value of indices; equal spaces stay the same one."""
        key = indices, self.alone, first, len(spaces), *spaces[:1], *sorted(self.only.items())
        if key not in self.trace.kept:
            found, names = {}, self.alone if indices is None else indices
            only = self.only if indices is None else {}
            ranges = ([only[x]] if x in only else _values_of(x, spaces[0]) for x in names)
            for place in every_one(*ranges):
                known: dict[int, Space] = {}
                for space in spaces:
                    if id(space) not in known:
                        own = space
                        for index, at in zip(names, place, strict=True):
                            own = alone(own, index, at)
                        known[id(space)] = own
                found[place] = [known[id(space)] for space in spaces]
            self.trace.kept[key] = found
        kept: dict[tuple[int, ...], list[Space]] = self.trace.kept[key]
        return kept

    def _of_outcomes(self, expression: sp.Expr, sources: tuple[str, ...]) -> Array:
        """Of every outcome of some sources first; of a round with fewer, the first is repeated."""
        plain, own = self._without_extremes(expression, {})
        plain, nodes = without_products(plain)
        values = self._of_vectors([node for _, node in nodes], {})
        every = [
            [{name: product(node, one, values) for name, node in nodes} for one in outcomes]
            for outcomes in (_one_by_one(space, sources) for space in self.trace.spaces)
        ]
        most = max(map(len, every), default=0)
        series = {
            name: _array([[(rows[at] if at < len(rows) else rows[0])[name] for rows in every]
                          for at in range(most)])
            for name, _ in nodes
        }  # fmt: skip
        rounds = range(self.trace.subject.rounds)
        found: Array = evaluate(plain, self._numbers(plain, own, series), rounds)
        return found

    def _extreme(self, node: sp.Expr, own: Mapping[str, Any]) -> Any:
        if isinstance(node, above):
            return square_root(self.number(node.args[0], own)).upper
        self._listed(node)
        values = self._of_vectors([node], own)
        key, kept = (node, *sorted(values.items())), self.trace.kept
        if key not in kept and isinstance(node, MeanOfLargest):
            kept[key] = _mean_of_largest(node, self.trace.spaces, values)
        if key not in kept:
            every = [
                number
                for argument in node.args
                for space in self.trace.spaces
                for number in _visited(argument, space, values)
            ]
            if not every:
                raise MissingError(f"nothing visited is asked for by {node}")
            kept[key] = max(every) if isinstance(node, Largest) else min(every)
        return kept[key]

    def _settled(self, node: sp.Expr) -> Any:
        return settled(self.trace.subject, node, self._of_vectors([node], {}))

    def _broken_somewhere(self, says: Says, sides: Sequence[sp.Expr], own: dict[str, Any]) -> str:
        holds, values = RELATIONS[says.relation], self._of_vectors(sides, own)
        if self.trace.moments is not None:
            spaces = {id(space): space for space in self.trace.spaces}.values()
            both = ([np.asarray(entries_of(x, own, values)) for x in sides] for own in spaces)
            return broken_surely(says, (x for left, right in both for x in (left - right).flat))
        for at, space in enumerate(self.trace.spaces):
            left, right = (np.asarray(entries_of(side, space, values)) for side in sides)
            left, right = np.broadcast_arrays(left, right)
            for place, (a, b) in enumerate(zip(left.flat, right.flat, strict=True)):
                if not holds(a, b):
                    where = np.unravel_index(place, left.shape)
                    told = ", ".join(
                        f"{source} {int(x)}"
                        for source, x in zip(space.sources, where, strict=False)
                    )
                    return f"{says} fails in round {at} ({told}): {a} against {b}"
        return ""

    def _listed(self, asked: Any) -> None:
        if self.trace.moments is not None:
            raise MissingError(f"{asked} speaks of single outcomes, and moments are followed")


def _later(series: Array) -> Array:
    """One round later; in round 0 there is none."""
    none = np.full((*series.shape[:-1], 1), np.nan, dtype=object)
    return np.concatenate([none, series], axis=-1)


def _values_of(index: str, space: Space) -> Sequence[int]:
    return range(len(np.asarray(space.weights[space.sources.index(index)])))


def _one_by_one(space: Listed | Unrolled, sources: tuple[str, ...]) -> list[Listed | Unrolled]:
    """The same for every outcome of some sources."""
    found = [space]
    for source in sources:
        count = len(np.asarray(space.weights[space.sources.index(source)]))
        found = [alone(one, source, at) for one in found for at in range(count)]
    return found


def _visited(argument: sp.Expr, space: Listed | Unrolled, values: Mapping[str, Any]) -> list[Any]:
    """Numbers of every outcome; of those alone where the other is positive."""
    value, positive = argument if isinstance(argument, sp.Tuple) else (argument, None)
    arrays = [np.asarray(entries_of(side, space, values)) for side in sp.fraction(value)]
    if positive is not None:
        arrays.append(entries_of(positive, space, values))
    top, bottom, *where = (x.reshape(-1) for x in np.broadcast_arrays(*arrays))
    kept = where[0] > 0 if where else np.ones(len(top), dtype=bool)
    return list(top[kept] / bottom[kept])


def _mean_of_largest(
    node: sp.Expr, spaces: Sequence[Listed | Unrolled], values: Mapping[str, Any]
) -> Any:
    """Over an index, of the largest number of each of its values in all rounds."""
    found: list[Array] = []
    for space in spaces:
        axis = space.sources.index(node.args[1].name)
        array = np.asarray(entries_of(node.args[0], space, values))
        found.append(array.max(axis=tuple(at for at in range(array.ndim) if at != axis)))
    weights = np.asarray(spaces[0].weights[axis])
    return (np.stack(np.broadcast_arrays(*found)).max(axis=0) * weights).sum()


def _as_they_are(numbers: Numbers) -> Numbers:
    return numbers


def _enclosed(numbers: Numbers) -> Numbers:
    """In balls."""
    constants, series = (
        {name: enclosed(value) for name, value in own.items()}
        for own in (numbers.constants, numbers.series)
    )
    return in_balls(Numbers(constants, series))


def _sized(expression: sp.Expr, known: Numbers, rounds: range) -> tuple[Array, Array]:
    value, size = (
        np.atleast_1d(np.asarray(found, dtype=object))
        for found in (
            evaluate(expression, known, rounds),
            scale(known, rounds, expanded(expression)),
        )
    )
    return value, size


def _array(rows: Sequence[Sequence[Any]]) -> Array:
    found = np.empty((len(rows), len(rows[0]) if rows else 0), dtype=object)
    for at, row in enumerate(rows):
        found[at, :] = row
    return found
