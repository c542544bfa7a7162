"""What a method says of a run: every quantity that is asked for, and what it could not measure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy as sp
from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.vocabulary import Method

from .enumerated import enumerated
from .evaluate import evaluate
from .expressions import without_products
from .functions import OfState, mean_of, values_of
from .known import Indices, Known, MissingError
from .moments import Moments, form, moments, series
from .sources import TooManyError
from .spaces import Listed, Unrolled
from .starts import listed_start, unrolled_start
from .subject import Subject, numbers
from .trace import Trace, of_moments, of_outcomes
from .unknowns import Refused

Array = Any
Products = Callable[[sp.Expr], Array]


@dataclass(frozen=True, eq=False)
class Asked:
    """What is to be measured of a run.

    Attributes
    ----------
    functions : mapping from name to function of the state
    definitions : mapping from name to expression in the vectors of a round
    values : mapping from symbol name to number, or definition of one
        Constants that definitions speak of.
    """

    functions: Mapping[str, OfState] = field(default_factory=dict)
    definitions: Mapping[str, sp.Expr] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Answer:
    """What is known of a run.

    Attributes
    ----------
    method : Method
    series : mapping from quantity name to array
        Rounds 0, 1, ...; a quantity of a round's start has T + 1 entries, others have T.
    products : function
        Values of ``sq(x)`` or ``ip(x, y)`` in rounds 0, ..., T - 1.
    missing : mapping from quantity name to reason
        What this method could not measure.
    how : str
        The method in words, for tables.
    known : Known or None
        What answers further questions; None if nothing was measured.
    """

    method: Method
    series: Mapping[str, Array]
    products: Products
    missing: Mapping[str, str] = field(default_factory=dict)
    how: str = ""
    known: "Known | None" = None


@dataclass(eq=False)
class Tried(Known):
    """Of a run that any method may measure: what is of a round's start is so after the last too.

    Attributes
    ----------
    starts : tuple of spaces
        Of rounds 0, ..., T: vectors that need no step, which is not run in round T.
    """

    starts: tuple[Listed | Unrolled, ...] = ()

    def _quantity(self, name: str) -> Array:
        if name not in self.quantities:
            raise MissingError(f"{name} has no definition")
        expression = self.quantities[name]
        if any(x.name in self.starts[0].vectors for x in expression.free_symbols):
            return self._at_starts(expression)
        ending = self._has_end(expression)
        return self._over_rounds(expression, ending=ending)

    def _at_starts(self, expression: sp.Expr) -> Array:
        plain, nodes = without_products(expression)
        series = {
            name: numbers(self.trace.measured(node, self.starts, 0, {}), exact=True)
            for name, node in nodes
        }
        found: Array = evaluate(plain, self._numbers(plain, {}, series), range(len(self.starts)))
        return found

    def _has_end(self, expression: sp.Expr) -> bool:
        """Whether its products are of the past, and the round after the last is not too large."""
        plain, _ = self._without_extremes(expression, {})
        nodes = [node for _, node in without_products(plain)[1]]
        if not nodes or not all(map(self.trace.is_of_the_past, nodes)):
            return False
        try:
            for node in nodes:
                self._end_of(node)
        except (TooManyError, Refused):
            return False
        return True

    def _at_end(self, node: sp.Expr, indices: Indices) -> Any:
        return self._of_places(node, indices, (self._end_of(node),), self.trace.subject.rounds)

    def _end_of(self, node: sp.Expr) -> Any:
        return self.trace.end_of(frozenset(symbol.name for symbol in node.free_symbols))

    def _kept(self, name: str, make: Callable[[], Any]) -> Any:
        try:
            return make()
        except ZeroDivisionError:
            return MissingError(f"no value for {name}: it divides by 0")
        except (FedboundsError, Refused) as error:
            return MissingError(str(error))


def by_enumeration(subject: Subject, asked: Asked) -> Answer:
    """Every outcome.

    Raises
    ------
    TooManyError
        If there are more than are enumerated.
    FedboundsError
        If a function breaks its contract.
    """
    found = enumerated(subject)
    states = [*(one.start for one in found.rounds), found.last]
    measured = {
        name: numbers(
            [mean_of(function, subject, rows, t, name) for t, rows in enumerate(states)],
            subject.exact,
        )
        for name, function in asked.functions.items()
    }
    method = Method.RATIONAL if subject.exact else Method.ENUMERATION
    spoken_of = {x.name for own in asked.definitions.values() for x in own.free_symbols}
    starts = tuple(listed_start(subject, rows, spoken_of) for rows in states)
    return _answer(method, of_outcomes(subject, found), starts, asked, measured, {})


def by_moments(subject: Subject, asked: Asked) -> Answer:
    """Exact second moments, for quantities that are quadratic in the state.

    Raises
    ------
    Refused
        If the step is not affine in the state, or the work is too much.
    """
    found = moments(subject)
    measured: dict[str, Array] = {}
    missing: dict[str, str] = {}
    for name, function in asked.functions.items():
        try:
            measured[name] = _of_function(function, subject, found, name)
        except (FedboundsError, Refused) as error:
            missing[name] = str(error)
    starts = (unrolled_start(subject, found.unrolled[0]),) * len(found.values)
    trace = of_moments(subject, found)
    return _answer(Method.RATIONAL, trace, starts, asked, measured, missing)


def _answer(
    method: Method,
    trace: Trace,
    starts: tuple[Listed | Unrolled, ...],
    asked: Asked,
    measured: Mapping[str, Array],
    missing: Mapping[str, str],
) -> Answer:
    subject = trace.subject
    known = Tried(trace, asked.values, asked.definitions, given=dict(measured), starts=starts)

    def plain(values: Array) -> Array:
        return values if subject.exact else values.astype(float)

    told, without = dict(measured), dict(missing)
    for name in asked.definitions:
        try:
            told[name] = plain(known.series(name))
        except MissingError as error:
            without[name] = str(error)
    return Answer(method, told, lambda node: plain(known.products(node)), without, known=known)


def _of_function(function: OfState, subject: Subject, found: Moments, name: str) -> Array:
    """Of a function of the state, if it is a polynomial of degree two at most."""
    trace = found.unrolled[0]
    state = {key: rows[:1] for key, rows in trace.before.items()}
    every: list[fmpq] = []
    asked_round = True
    for t, moment in enumerate(found.values):
        p = subject.parameters(t)
        if asked_round:
            (value,) = values_of(function, subject, p, state, name).tolist()
            own, asked_round = form(trace.variables, value), p.asked_round
        every += series(own, [moment])
    return numbers(every, exact=True)
