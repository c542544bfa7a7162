"""What was found in balls, as floats: series with errors; constants of narrow balls alone."""

from dataclasses import replace
from typing import Any

import numpy as np
from flint import arb

from ..case import Found

Array = Any
BITS = 256  # of the balls
_WIDTH = 1e-25  # relative: far below what a float can tell


def in_floats(found: Found) -> Found:
    """The same in floats."""
    pairs = {name: _split(series) for name, series in found.series.items()}
    wide = {
        name: x for name, x in found.parameters.items() if isinstance(x, arb) and not _narrow(x)
    }
    return replace(
        found,
        parameters={name: _middle(x) for name, x in found.parameters.items() if name not in wide},
        series={name: middles for name, (middles, _) in pairs.items()},
        errors={name: errors for name, (_, errors) in pairs.items()},
        undefined={**found.undefined, **{name: _told(x) for name, x in wide.items()}},
    )


def _split(series: Array) -> tuple[Array, Array]:
    """Floats, and how far they may be off."""
    middles = np.frompyfunc(lambda x: float(arb(x).mid()), 1, 1)(series).astype(float)
    errors = np.frompyfunc(lambda x, y: _above(arb(x) - arb(y)), 2, 1)(series, middles)
    return middles, errors.astype(float)


def _above(off: arb) -> float:
    """A float that is no less than the size."""
    return float(np.nextafter(float(off.abs_upper()), np.inf))


def _narrow(x: arb) -> bool:
    return float(x.rad()) <= _WIDTH * float(abs(x.mid()))


def _middle(x: Any) -> Any:
    return float(x.mid()) if isinstance(x, arb) else x


def _told(x: arb) -> str:
    return f"it is known to be in {x.str(6)}, which is too wide for a constant"
