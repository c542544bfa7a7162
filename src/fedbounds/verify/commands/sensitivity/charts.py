"""Bounds on a parameter that a condition says, also where it multiplies others: K L eta <= 1/4."""

from functools import partial

import sympy as sp

from fedbounds.errors import FedboundsError
from fedbounds.theory.checker.data import Assignment, Comparison
from fedbounds.theory.proof.read_text import OF_NUMBERS, read_text


def bounds(condition: Comparison, assignment: Assignment) -> bool:
    """Whether an assignment of a chart is what a condition says of its parameter."""
    said = _bound(condition, assignment.name)
    return said is not None and sp.simplify(said - _read(assignment.bound)) == 0


def bound(condition: Comparison, name: str) -> str:
    """What a condition says of a parameter, as the checker reads it."""
    return str(_bound(condition, name))


def said_of(condition: Comparison, name: str) -> str | None:
    """`bound`, and None where the condition bounds no such parameter."""
    found = _bound(condition, name)
    return None if found is None else str(found)


def _bound(condition: Comparison, name: str) -> sp.Expr | None:
    """The right side divided by what multiplies the parameter on the left; None if it is not so."""
    try:
        left, right = _read(condition[0]), _read(condition[2])
    except FedboundsError:
        return None  # with a logarithm, which no chart has
    parameter = sp.Symbol(name, positive=True)
    factor = sp.diff(left, parameter)
    others = factor.free_symbols | right.free_symbols
    alone = factor != 0 and parameter not in others and sp.expand(left - factor * parameter) == 0
    return right / factor if alone else None


def _read(text: str) -> sp.Expr:
    """Text of the checker with every name a positive symbol."""
    return read_text(text, partial(sp.Symbol, positive=True), OF_NUMBERS)
