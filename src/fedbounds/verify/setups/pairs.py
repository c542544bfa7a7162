"""Algorithms that are said to be one, on small exact problems of every shape that is allowed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from fedbounds.errors import FedboundsError, require, unknown_name
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.equivalences import Equivalence, Named, Pair, Parameter, Shapes
from fedbounds.theory.language.setups import Objective
from fedbounds.theory.language.symbols import K, d_u, d_v, m, n

from ..measure.clients import Clients
from ..measure.objectives import exact_array, objective
from ..measure.same import Comparison, Two, compare, seen_again
from ..measure.same_runs import Difference
from ..measure.subject import Subject
from ..measure.trace import algorithm

Numbers = dict[sp.Symbol, sp.Rational]


@dataclass(frozen=True, eq=False)
class Shape:
    """A small problem and a start; sizes and step sizes by symbol."""

    name: str
    numbers: Numbers
    problem: Objective
    start: tuple[int, ...]


def shapes_of(conditions: tuple[Condition, ...], shapes: Shapes) -> Iterator[Shape]:
    """Every n, m and K, and the blocks, that meet the conditions."""
    whole = range(1, shapes.most + 1)
    for clients, participants, local_steps, (shared, own) in product(
        whole, whole, whole, shapes.blocks
    ):
        sizes = {n: clients, m: participants, K: local_steps, d_u: shared, d_v: own}
        numbers = {symbol: sp.Integer(size) for symbol, size in sizes.items()} | {**shapes.steps}
        if participants <= clients and all(_holds(c, numbers) for c in conditions):
            name = " ".join(f"{symbol}={size}" for symbol, size in sizes.items())
            yield Shape(name, numbers, *_quadratic(clients, shared, own, convex=shapes.convex))


def two_of(pair: Pair, shape: Shape, rounds: int) -> Two:
    """Both algorithms with their parameters there."""
    problem, start = Clients(objective(shape.problem)), exact_array(shape.start)

    def subject(one: Named) -> Subject:
        given = {name: _given(x, shape.numbers) for name, x in one.parameters.items()}
        return Subject(algorithm(one.algorithm), problem, start, given, rounds)

    return Two(subject(pair.general), subject(pair.special), pair.states, pair.draws)


def compared(pair: Pair, shapes: Shapes) -> Iterator[tuple[Shape, Comparison]]:
    """What every shape says about a pair."""
    for shape in shapes_of(pair.conditions, shapes):
        yield shape, compare(two_of(pair, shape, shapes.rounds))


def told_difference(pair: Pair, shape: Shape, seen: Difference) -> dict[str, Any]:
    """All that two runs need to show it again, and both sides: plain JSON data."""
    both = {"general": pair.general, "special": pair.special}
    named = {
        side: {
            "name": one.name,
            "algorithm": one.algorithm,
            "parameters": {x: _told(_given(y, shape.numbers)) for x, y in one.parameters.items()},
        }
        for side, one in both.items()
    }
    return {
        "restriction": pair.restriction,
        **named,
        "problem": {"family": shape.problem.family, **dict(shape.problem.data)},
        "start": list(shape.start),
        "round": seen.round,
        "place": seen.place,
        "values": list(seen.values),
        "where": seen.where,
        "starts": seen.starts,
        "draws": seen.draws,
    }


def difference_again(claim: Equivalence, part: str, sizes: Mapping[str, str], told: Any) -> str:
    """What both algorithms do on the problem, start and draws of a difference that was told.

    Raises
    ------
    FedboundsError
        If it is about another pair, problem or start, or has no such draws.
    """
    pair = next((one for one in claim.pairs if one.name == part), None)
    if pair is None:
        raise unknown_name(f"pair of {claim.entry.id}", part, [one.name for one in claim.pairs])
    shape = next(
        (
            one
            for one in shapes_of(pair.conditions, claim.shapes)
            if {x.name: str(y) for x, y in one.numbers.items()} == dict(sizes)
        ),
        None,
    )
    if shape is None:
        raise FedboundsError(f"{part}: no problem has {dict(sizes)}")
    draws = tuple(map(_tuples, told["draws"]))
    most = claim.shapes.rounds
    require(len(draws) <= most, "rounds of the draws", len(draws), f"at most {most}")
    round_, values = told["round"], tuple(told["values"])
    starts = _tuples(told["starts"])
    seen = Difference(round_, None, told["place"], values, told["where"], starts, draws)
    own = told_difference(pair, shape, seen)
    for name in ("general", "special", "problem", "start"):
        same = _tuples(own[name]) == _tuples(told[name])
        require(same, f"{name} of the difference", told[name], str(own[name]))
    found = seen_again(two_of(pair, shape, most), seen)
    if found is None:
        return f"{shape.name}: the two do not differ on these draws"
    changed = "" if found.values == values else f"; told was {values[0]} against {values[1]}"
    after = "" if found.round is None else f" after round {found.round}"
    return f"{shape.name}: differ{after}: {found.where}{changed}"


def _tuples(data: Any) -> Any:
    """Lists as tuples; dicts as sorted pairs."""
    if isinstance(data, Mapping):
        return tuple((name, _tuples(data[name])) for name in sorted(data))
    return tuple(map(_tuples, data)) if isinstance(data, list | tuple) else data


def _holds(condition: Condition, numbers: Numbers) -> bool:
    return bool(sp.Rel(condition.left, condition.right, condition.relation).subs(numbers))


def _number(expression: sp.Expr, numbers: Numbers) -> Fraction:
    value = sp.Rational(expression.subs(numbers))
    return Fraction(int(value.p), int(value.q))


def _given(parameter: Parameter, numbers: Numbers) -> Fraction | tuple[Fraction, ...]:
    if isinstance(parameter, tuple):
        return tuple(_number(x, numbers) for x in parameter)
    return _number(parameter, numbers)


def _told(given: Fraction | tuple[Fraction, ...]) -> str:
    return ", ".join(map(str, given)) if isinstance(given, tuple) else str(given)


def _quadratic(
    clients: int, shared: int, own: int, *, convex: bool
) -> tuple[Objective, tuple[int, ...]]:
    """Integer entries, coupled, every client its own, with noise; a start with no zero entry."""
    rng = np.random.default_rng([clients, shared, own])
    d = shared + own

    def whole(*shape: int) -> Any:
        return rng.integers(1, 5, shape) * (2 * rng.integers(0, 2, shape) - 1)

    half = whole(clients, d, d)
    turned = half.transpose(0, 2, 1)
    hessians = half @ turned + np.eye(d, dtype=int) if convex else half + turned
    data = {"hessians": hessians, "slopes": whole(clients, d)}
    start = (*whole(shared).tolist(), *whole(clients, own).reshape(-1).tolist())
    noise = (("noise", 1), ("personal", own), ("personal_noise", 1))
    pairs = ((name, _nested(array.tolist())) for name, array in data.items())
    return Objective("quadratics", (*pairs, *noise)), start


def _nested(values: Any) -> Any:
    return tuple(map(_nested, values)) if isinstance(values, list) else values
