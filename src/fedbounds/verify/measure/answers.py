"""What a method says of a run: series, products of vectors, and what it could not measure."""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.vocabulary import Method

from ..evaluate import Numbers, evaluate
from .enumerated import Enumerated, Round, Rows, draws_of, enumerated, taken
from .functions import OfState, mean_of, values_of
from .listed import listed_space
from .moments import Moments, form, moments, series
from .over_one import Whole, whole
from .random import Outcomes
from .sources import TooManyError
from .spaces import PAST, Listed, Unrolled, depends_on, product, products_in
from .subject import Subject, numbers
from .undivided import listed_whole, unrolled_whole
from .unknowns import Refused
from .unrolled import Unrolling, unroll, unrolled_space

Array = Any
Products = Callable[[sp.Expr], Array]


@dataclass(frozen=True, eq=False)
class Asked:
    """What is to be measured of a run.

    Attributes
    ----------
    functions : mapping from name to function of the state
    definitions : mapping from name to expression in the vectors of a round
    values : mapping from symbol name to number
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
    """

    method: Method
    series: Mapping[str, Array]
    products: Products
    missing: Mapping[str, str] = field(default_factory=dict)
    how: str = ""


def by_enumeration(subject: Subject, asked: Asked) -> Answer:
    """Every outcome.

    Raises
    ------
    TooManyError
        If there are more than are enumerated.
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
    listed = listed_space if subject.shown.draws else listed_whole
    spaces = [listed(subject, one) for one in found.rounds] if _reads(subject) else []

    def product_at(node: sp.Expr, space: Listed, t: int) -> Any:
        return product(node, space, asked.values)

    def ending(nodes: Set[sp.Expr]) -> Listed:
        return listed(subject, _end(subject, found, nodes))

    method = Method.RATIONAL if subject.exact else Method.ENUMERATION
    return _answer(method, subject, asked, measured, {}, spaces, ending, product_at)


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
    spaces, ends = list[Unrolled](), list[Unrolled]()
    forms: dict[tuple[sp.Expr, int], Whole] = {}  # of the products, by the space of a round
    if _reads(subject):
        known: dict[int, Unrolled] = {}
        for trace in found.unrolled:
            if id(trace) not in known:
                known[id(trace)] = _unrolled(subject, trace)
        spaces = [known[id(trace)] for trace in found.unrolled]

    def product_at(node: sp.Expr, space: Unrolled, t: int) -> Any:
        key = node, id(space)
        if key not in forms:
            forms[key] = whole(form(space.variables, product(node, space, asked.values)))
        return found.values[t].applied(forms[key])

    def ending(nodes: Set[sp.Expr]) -> Unrolled:
        last = found.unrolled[-1]
        if not last.asked_round:
            return spaces[-1]
        if not ends:
            again = unroll(subject, last.variables.shapes, subject.rounds, carries=True)
            ends.append(_unrolled(subject, again))
        return ends[0]

    return _answer(Method.RATIONAL, subject, asked, measured, missing, spaces, ending, product_at)


def _unrolled(subject: Subject, trace: Unrolling) -> Unrolled:
    """The vectors of a round."""
    return (unrolled_space if subject.shown.draws else unrolled_whole)(subject, trace)


def _reads(subject: Subject) -> bool:
    return bool(subject.shown.vectors)


def _answer(
    method: Method,
    subject: Subject,
    asked: Asked,
    measured: dict[str, Array],
    missing: dict[str, str],
    spaces: Sequence[Any],
    ending: Callable[[Set[sp.Expr]], Any],
    product_at: Callable[[sp.Expr, Any, int], Any],
) -> Answer:
    """With the definitions; after the last round too, where they speak of its state only."""

    def products(node: sp.Expr) -> Array:
        values = [product_at(node, space, t) for t, space in enumerate(spaces)]
        return numbers(values, subject.exact)

    for name, definition in asked.definitions.items():
        inside = products_in(definition)
        try:
            values = {node: products(node) for node in inside}
            if all(_of_the_past(node, spaces) for node in inside):
                values = _extended(values, ending, product_at, subject.rounds)
            measured[name] = combined(definition, values, asked.values, subject)
        except (FedboundsError, Refused) as error:
            missing[name] = str(error)
    return Answer(method, measured, products, missing)


def _of_the_past(node: sp.Expr, spaces: Sequence[Listed | Unrolled]) -> bool:
    """Whether its vectors are those of the round's start, as far as the rounds show."""
    names = {symbol.name for symbol in node.free_symbols}
    return all(
        depends_on(space, space.vectors[name]) <= {PAST, *space.indices}
        for space in spaces
        for name in names & space.vectors.keys()
    )


def _extended(
    values: Mapping[sp.Expr, Array],
    ending: Callable[[Set[sp.Expr]], Any],
    product_at: Callable[[sp.Expr, Any, int], Any],
    rounds: int,
) -> dict[sp.Expr, Array]:
    """With the round after the last, unless it has too many outcomes."""
    try:
        last = ending(values.keys())
    except (TooManyError, Refused):
        return dict(values)
    return {node: np.append(rows, product_at(node, last, rounds)) for node, rows in values.items()}


def _end(subject: Subject, found: Enumerated, nodes: Set[sp.Expr]) -> Round:
    """The round after the last; with one outcome, where draws do not matter whatever the state is.

    What varied with no draw in the rounds before may do so in this one.
    """
    p = subject.parameters(subject.rounds)
    every, drawn = draws_of(subject, p)
    if len(every.chances) > 1 and _is_before(subject, found.last, nodes):
        drawn = {name: rows[:1] for name, rows in drawn.items()}
        every = Outcomes((), (), [fmpq(1)])
    return taken(subject, p, subject.rounds, found.last, every, drawn)


def _is_before(subject: Subject, last: Rows, nodes: Set[sp.Expr]) -> bool:
    """Whether products are of the state before the round, or polynomials show that they are."""
    asked = {symbol.name for node in nodes for symbol in node.free_symbols}
    if asked & {*subject.shown.vectors, *subject.shown.derived} <= last.state.keys():
        return True
    shapes = {name: (1, *array.shape[1:]) for name, array in last.state.items()}
    try:
        space = unrolled_whole(subject, unroll(subject, shapes, subject.rounds))
    except Refused:
        return False
    return all(_of_the_past(node, [space]) for node in nodes)


def _of_function(function: OfState, subject: Subject, found: Moments, name: str) -> Array:
    """Of a function of the state, if it is a polynomial of degree two at most."""
    trace: Unrolling = found.unrolled[0]
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


def combined(
    definition: sp.Expr, products: Mapping[sp.Expr, Array], values: Mapping[str, Any], of: Subject
) -> Array:
    """A definition round by round, from the products in it."""
    length = min((len(rows) for rows in products.values()), default=of.rounds)
    names = {node: sp.Symbol(f"_product{at}") for at, node in enumerate(products)}
    plain = definition.xreplace(names)
    exact: Any = (lambda p, q: fmpq(p, q)) if of.exact else (lambda p, q: p / q)
    every = []
    for t in range(length):
        own = {names[node].name: rows[t] for node, rows in products.items()}
        every.append(evaluate(plain, Numbers({**values, **own}, {}, exact)))
    return numbers(every, of.exact)
