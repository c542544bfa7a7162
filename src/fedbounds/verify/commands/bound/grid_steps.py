"""The best step size in every row of a grid at once, for bounds that are sums of its powers."""

from collections.abc import Callable

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import Part
from fedbounds.theory.language.inputs import Inputs, sign_conditions
from fedbounds.theory.language.values import replaced

from .shape import powers
from .step import INSIDE, is_strict
from .vectors import Floats, on_arrays

_HALVINGS = 100  # of the logarithm of a ratio; enough for the last bit
_FARTHEST = 200  # doublings


def best_steps(part: Part, inputs: Inputs, x: sp.Symbol, rows: dict[str, Floats]) -> Floats:
    """The admissible step size with the least bound, shape (rows,).

    NaN where no value is admissible, a term is negative, or the bound keeps falling to a step
    size of 0 or infinity.

    Raises
    ------
    FedboundsError
        If the bound is no sum of powers of x, or a condition cannot be solved for x.
    """
    found = powers(replaced(part.right, inputs.values), x)
    if found is None:
        raise FedboundsError(f"--grid chooses no {x}: the bound is no sum of its powers; give {x}")
    terms = [(float(p), on_arrays(c, rows)) for p, c in found.items() if p != 0]
    low, high = _ends(part, inputs, x, rows)
    good = low <= high
    for _, coefficient in terms:
        good &= coefficient >= 0
    steps = np.full(good.shape, np.nan)
    steps[good] = _least([(p, c[good]) for p, c in terms], low[good], high[good])
    return steps


def _ends(
    part: Part, inputs: Inputs, x: sp.Symbol, rows: dict[str, Floats]
) -> tuple[Floats, Floats]:
    """Ends of the admissible values: 0 and infinity where no condition sets one."""
    count = len(next(iter(rows.values())))
    low, high = np.zeros(count), np.full(count, np.inf)
    for c in (*inputs.conditions, *sign_conditions(part, inputs)):
        rest = replaced(c.left - c.right, inputs.values)
        if x not in rest.free_symbols:
            continue
        found = powers(rest, x)
        if c.relation == "==" or found is None or len(found) != 2:
            raise FedboundsError(f"cannot solve the condition {c} for {x}; give {x}")
        p, q = sorted(found)
        flip = -1 if c.relation in (">=", ">") else 1
        first, last = (flip * on_arrays(found[power], rows) for power in (p, q))
        with np.errstate(all="ignore"):
            edge = (-first / last) ** (1 / float(q - p))
        never = (first >= 0) & (last >= 0) & (first + last > 0)
        inside = float(INSIDE) if is_strict(c) else 0.0  # the edge itself is left out
        high = np.where((last > 0) & (first < 0), np.minimum(high, edge * (1 - inside)), high)
        low = np.where((last < 0) & (first > 0), np.maximum(low, edge * (1 + inside)), low)
        high = np.where(never, -np.inf, high)
    return low, high


def _least(terms: list[tuple[float, Floats]], low: Floats, high: Floats) -> Floats:
    """Where the slope in log x changes its sign, or the end that the bound falls towards."""

    def slope(at: Floats) -> Floats:
        return np.asarray(sum((p * c * at**p for p, c in terms), np.zeros_like(at)))

    bounded, from_zero = np.isfinite(high), low <= 0
    right = np.where(bounded, high, np.where(from_zero, 1.0, low))
    at_high = bounded & (slope(right) <= 0)
    left = np.where(from_zero, right, low)
    at_low = ~from_zero & (slope(left) >= 0)
    inside = ~(at_high | at_low)
    right, lost_right = _moved(right, 2.0, lambda at: inside & ~bounded & (slope(at) <= 0))
    left, lost_left = _moved(left, 0.5, lambda at: inside & from_zero & (slope(at) >= 0))
    for _ in range(_HALVINGS):
        middle = np.sqrt(left) * np.sqrt(right)
        falling = slope(middle) < 0
        left, right = np.where(falling, middle, left), np.where(falling, right, middle)
    found = np.where(at_high, high, np.where(at_low, low, right))
    return np.where(lost_right | lost_left, np.nan, found)


def _moved(
    at: Floats, by: float, open_rows: Callable[[Floats], NDArray[np.bool_]]
) -> tuple[Floats, NDArray[np.bool_]]:
    """Multiply the entries of open rows until none is open; and which stay open for ever."""
    for _ in range(_FARTHEST):
        still = open_rows(at)
        if not still.any():
            break
        at = np.where(still, at * by, at)
    return at, open_rows(at)
