"""Whether a script runs by itself and prints the gap that was judged."""

import re
from fractions import Fraction
from math import isclose
from typing import Any

from .script_output import output_of

_FRACTION = re.compile(r"-?\d+(/\d+)?")
_CLOSE = 1e-12  # roots are rounded here and there
_GAP = re.compile(r"right - left (\S+)$", re.MULTILINE)


def agrees(text: str, gap: Any) -> bool:
    """Of a gap that is rational; a long fraction is kept, and may be printed, rounded."""
    return tells(output_of(text), gap)


def tells(output: str | None, gap: Any) -> bool:
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
        return isclose(float(printed), gap, rel_tol=_CLOSE)
    except ValueError:
        return False
