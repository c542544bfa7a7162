"""Whether something holds in every outcome, whatever state and draws are: shown by polynomials.

An equation holds where its two sides are one polynomial; an inequality, where the difference is of
degree two and its matrix is positive semidefinite. Else nothing is known: a run need not go where
it fails.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.problems.linear import is_positive_semidefinite
from fedbounds.theory.language.setups import Says

from .balls import as_arb
from .missing import NotShownError
from .roots import Roots
from .unknowns import bare

RELATIONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
}

_NEARLY = 1e-9  # of the larger one


def nearly(relation: str, a: Any, b: Any) -> bool:
    """Whether two numbers are equal as far as a search needs to know, where equal ones do."""
    if relation not in ("==", "<=", ">="):
        return False
    x, y = (float(as_arb(one.ball() if isinstance(one, Roots) else one).mid()) for one in (a, b))
    return abs(x - y) <= _NEARLY * max(abs(x), abs(y))


def broken_surely(says: Says, differences: Iterable[Any]) -> str:
    """How a statement fails, of what its left side has more than the right one; empty if not.

    Raises
    ------
    NotShownError
        If that is not known.
    """
    for difference in differences:
        found = surely(difference, says.relation)
        if found is None:
            raise NotShownError(
                f"{says} is not shown for every state and every draw, and moments are followed, "
                "not single outcomes"
            )
        if not found:
            return f"{says} fails: the left side is the right one plus {difference}"
    return ""


def surely(difference: Any, relation: str) -> bool | None:
    """Whether a number, or a polynomial, stands so to 0 for all values; None if not known."""
    given = bare(difference)
    if not hasattr(given, "to_dict"):
        return bool(RELATIONS[relation](given, 0))
    terms = given.to_dict()
    if all(not any(powers) for powers in terms):
        return surely(sum(terms.values(), fmpq(0)), relation)
    sign = {"<=": -1, ">=": 1}.get(relation, 0)
    return (sign != 0 and _is_never_negative(terms, sign)) or None


def _is_never_negative(terms: dict[tuple[int, ...], fmpq], sign: int) -> bool:
    """Of a polynomial of degree two: x' M x with x = (1, unknowns), M positive semidefinite."""
    if any(sum(powers) > 2 for powers in terms):
        return False
    named = sorted({at for powers in terms for at, power in enumerate(powers) if power})
    place = {at: number for number, at in enumerate(named, start=1)}
    matrix = np.full((len(named) + 1,) * 2, fmpq(0), dtype=object)
    for powers, value in terms.items():
        both = [place[at] for at, power in enumerate(powers) for _ in range(int(power))]
        row, column = [0] * (2 - len(both)) + both
        matrix[row, column] += sign * fmpq(value) / 2
        matrix[column, row] += sign * fmpq(value) / 2
    return is_positive_semidefinite(matrix)
