"""Whether a script runs by itself and prints the gap that was judged."""

import re
from fractions import Fraction
from math import isclose
from typing import Any

from .script_output import output_of

_FRACTION = re.compile(r"-?\d+(/\d+)?")
CLOSE = 1e-12  # roots are rounded here and there
ROUNDED = 1e-6  # a number is known between two ends, of which one is given
_GAP = re.compile(r"right - left (\S+)$", re.MULTILINE)


def agrees(text: str, gap: Any, close: float = CLOSE) -> bool:
    """Of a gap that is rational; a long fraction is kept, and may be printed, rounded."""
    return tells(output_of(text), gap, close)


def tells(output: str | None, gap: Any, close: float = CLOSE) -> bool:
    """Whether what a script printed, if it ran, has this gap."""
    found = _GAP.search(output or "")
    if found is None:
        return False
    printed = found[1]
    if isinstance(gap, str):
        return printed == gap
    if _FRACTION.fullmatch(printed):
        return bool(float(Fraction(printed)) == gap)
    try:
        return isclose(float(printed), gap, rel_tol=close)
    except ValueError:
        return False
