"""What a theory's set-ups side by side show: each in its own view, all on one clock."""

from collections.abc import Callable, Mapping
from math import lcm
from operator import eq, ge, le
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq

from fedbounds.errors import require, unknown_name
from fedbounds.theory.language.beside import Beside, Passed, Reached, Side, Sides
from fedbounds.theory.language.registry import glossary, sides
from fedbounds.theory.language.setups import Definition, Says, Where
from fedbounds.theory.language.symbols import T, t

from ..decide.case import Found, find
from ..measure.evaluate import Numbers, evaluate
from ..measure.known import MissingError
from ..measure.unknowns import Refused
from .rungs import Rung, agreed, constants_shown, evidence_of_all, plain_data, rung_of

Array = Any
_RELATIONS = {"==": eq, "<=": le, ">=": ge}


def sides_of(given: Beside) -> Sides:
    """What its theory says of it.

    Raises
    ------
    FedboundsError
        If there are no such sides, or set-ups differ in more than they may.
    """
    every = sides(given.theory)
    if given.sides not in every:
        raise unknown_name(f"set-ups side by side of {given.theory}", given.sides, every)
    seen = every[given.sides]
    views = [setup.view for setup in given.setups]
    require(views == list(seen.views.values()), "views", views, f"{list(seen.views.values())}")
    first, *others = map(plain_data, given.setups)
    for name, one in zip(list(seen.views)[1:], others, strict=True):
        apart = sorted(x for x in {*first, *one} - {"view"} if first.get(x) != one.get(x))
        alike = set(apart) <= set(seen.varies)
        require(alike, f"what {name} has unlike the first", apart, ", ".join(seen.varies))
    return seen


@find.register
def _found(given: Beside) -> Found:
    seen, names = sides_of(given), glossary(given.theory)
    rounds = max(setup.run.rounds for setup in given.setups)
    try:
        every = measured(given, seen)
    except Refused as error:
        missing = dict.fromkeys(seen.series, str(error))
        undefined = dict.fromkeys(seen.constants, f"not measured: {error}")
        return Found(
            seen.told, {T.name: fmpq(rounds)}, {}, missing=missing, undefined=undefined
        )  # fmt: skip
    for says in seen.requires:
        broken = _broken(says, every, rounds)
        require(not broken, "set-ups side by side", broken, str(says))
    own = [constants_shown(one, names.constants) for one in every.values()]
    parameters, undefined = agreed(own)
    parameters[T.name] = fmpq(rounds)
    for name, expression in seen.constants.items():
        try:
            parameters[name] = _constant(expression, every, rounds)
        except MissingError as why:
            undefined[name] = str(why)
    series = {}
    for name, expression in seen.series.items():
        try:
            series[name] = _over_rounds(expression, every, rounds)
        except MissingError as why:
            undefined[name] = str(why)
    return Found(
        family=f"{seen.told}: n={parameters['n']}",
        parameters=parameters,
        series=series,
        evidence=evidence_of_all(list(every.values())),
        scopes=frozenset(),
        undefined=undefined,
    )


def measured(given: Beside, seen: Sides) -> dict[str, Rung]:
    """Every set-up, by what it is called.

    Raises
    ------
    Refused
        If one is not measured.
    FedboundsError
        If one is not what its view requires.
    """
    return {
        name: rung_of(setup, floats=False)
        for name, setup in zip(seen.views, given.setups, strict=True)
    }


def _constant(found: Definition, every: Mapping[str, Rung], rounds: int) -> Any:
    """A number, where what it asks for holds.

    Raises
    ------
    MissingError
        If it has no value.
    """
    if not isinstance(found, Where):
        return _number(found, every, rounds)
    for says in found.holds:
        if broken := _broken(says, every, rounds):
            raise MissingError(f"what it asks for fails: {broken}")
    return _number(found.value, every, rounds)


def _broken(says: Says, every: Mapping[str, Rung], rounds: int) -> str:
    """Both sides of a statement that fails; empty if it holds."""
    left, right = (_number(side, every, rounds) for side in (says.left, says.right))
    return "" if _RELATIONS[says.relation](left, right) else f"{left} against {right}"


def _number(expression: sp.Expr, every: Mapping[str, Rung], rounds: int) -> Any:
    """Of an expression in numbers of sides."""
    names, own = dict[sp.Basic, sp.Symbol](), dict[str, Any]()

    def named(kinds: tuple[Any, ...], value: Callable[[Any], Any]) -> sp.Expr:
        for node in sorted(expression.atoms(*kinds), key=str):
            names[node] = sp.Symbol(f"_side_{len(names)}")
            own[names[node].name] = value(node)
        return expression.xreplace(names)

    expression = named((Reached, Passed), lambda node: _reached(node, every, rounds))
    plain = named((Side,), lambda node: every[node.args[0].name].number(node.args[1])[0])
    return evaluate(plain, Numbers(own, {}, fmpq))


def _reached(node: Any, every: Mapping[str, Rung], rounds: int) -> Any:
    found, falling = (_over_rounds(side, every, rounds) for side in node.args[:2])
    level = _number(node.args[2], every, rounds)
    at = _first_below(node.args[1], falling, level)
    if isinstance(node, Passed) and at and falling[at] != level:
        at -= 1
    return found[at]


def _first_below(what: sp.Expr, falling: Array, level: Any) -> int:
    """The first round at or below a level; a round of which that is not known ends the search."""
    for at, value in enumerate(falling):
        measured = not isinstance(value, float)  # NaN, where not all have the round
        if measured and value <= level:
            return at
        if not (measured and value > level):
            raise MissingError(f"whether {what} is above {level} in round {at} is not known")
    raise MissingError(f"{what} is above {level} in all rounds")


def _over_rounds(expression: sp.Expr, every: Mapping[str, Rung], rounds: int) -> Array:
    """Of quantities of sides, in the rounds that all of them have; in others there is none."""
    strides, own = list[int](), dict[str, tuple[int, Array]]()
    names = dict[sp.Basic, sp.Expr]()
    for node in sorted(expression.atoms(Side), key=str):
        rung = every[node.args[0].name]
        stride, rest = divmod(rounds, rung.setup.run.rounds)
        told = f"a whole part of {rounds}"
        require(rest == 0, f"rounds of {node.args[0]}", rung.setup.run.rounds, told)
        values = rung.known.series(node.args[1].func.__name__)
        if len(values) <= rung.setup.run.rounds:
            raise MissingError(f"no value for {node}: it is none of the state, or it diverges")
        strides.append(stride)
        name = f"_side_{len(names)}"
        names[node], own[name] = sp.Function(name)(t), (stride, values)
    common = lcm(*strides)
    plain = expression.xreplace(names)
    series = {name: values[:: common // stride] for name, (stride, values) in own.items()}
    found = np.full(rounds + 1, np.nan, dtype=object)
    known = Numbers({}, series, fmpq)
    found[::common] = evaluate(plain, known, range(rounds // common + 1))
    return found
