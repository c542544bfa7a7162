"""How a problem shows itself: what it is and how large; in a notebook with its constants."""

from dataclasses import fields
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError

from .arrays import to_float
from .constants import Constants
from .linear import is_exact
from .problem import Start

_LONGEST = 20  # characters of an exact number


class Shown:
    """What families of problems have in common: a line for each of them."""

    def __repr__(self) -> str:
        return f"<{told(self)}>"

    def _repr_markdown_(self) -> str:
        """As a notebook shows it: constants are those of a run from the origin."""
        problem: Any = self
        try:
            every = _constants(problem)
        except FedboundsError as error:
            return f"{told(problem)} (no constants from the origin: {error})"
        if not every:
            return told(problem)
        rows = ((name, _short(x.value), x.provenance, x.side) for name, x in every.items())
        head = ("constant, from the origin", "value", "provenance", "side"), ("---",) * 4
        return "\n".join((told(problem), "", *(f"| {' | '.join(row)} |" for row in (*head, *rows))))


def told(problem: Any) -> str:
    """Name and sizes."""
    own, name = problem.personal_dimension, type(problem).__name__
    personal = f" and {own} of each client" if own else ""
    clients = _many(problem.clients, "client")
    return f"{name}: {clients}, {_many(problem.shared_dimension, 'coordinate')}{personal}"


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _constants(problem: Any) -> Constants:
    """Of a run from the origin; in floats where gradients there have no value in rationals."""
    try:
        found: Constants = problem.constants(origin(problem))
    except TypeError:  # a sine of a rational
        own = to_float(problem)
        found = own.constants(origin(own))
    return found


def origin(problem: Any) -> Start:
    """The start at zero, of the problem's kind of numbers."""
    shapes = (problem.shared_dimension,), (problem.clients, problem.personal_dimension)
    own = (getattr(problem, field.name) for field in fields(problem))
    exact = any(isinstance(x, np.ndarray) and is_exact(x) for x in own)
    return Start(*(np.full(x, fmpq(0)) if exact else np.zeros(x) for x in shapes))


def _short(value: Any) -> str:
    """Exact where that is readable."""
    text = str(value)
    exact = not isinstance(value, float) and len(text) <= _LONGEST
    return text if exact else f"{float(value):.6g}"
