"""Powers of 1 - p near full masks, fitted: for display, never a verdict."""

from typing import Any

from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.problems.masked_laws import Bernoulli
from fedbounds.vocabulary import Quantity

from ..case import find
from ..ladder import fitted_exponent
from .objective_ladders_plan import labelled_samples
from .objectives_corners import exact
from .objectives_setups import Rungs

Record = dict[str, Any]
_SHOWN = (Quantity.RESIDUAL, Quantity.MASK_VARIANCE, Quantity.DISSIMILARITY_POINT)


def exponent_records() -> list[Record]:
    """What grows from zero as 1 - p = 1/16, ..., 1/512 does, of every planned set of samples."""
    missing = [fmpq(1, 2**k) for k in range(9, 3, -1)]
    records = []
    for label, each, samples in labelled_samples():
        n = samples.clients // each
        laws = tuple(Bernoulli((1 - x,) * n) for x in reversed(missing))
        point = exact([1] * samples.shared_dimension)
        series = find(Rungs(samples, each, laws, point)).series
        for name in _SHOWN:
            if name.value in series:
                measured = [float(x) for x in reversed(series[name.value])]
                records.append(_record(label, name, [float(x) for x in missing], measured))
    return records


def _record(label: str, name: Quantity, missing: list[float], measured: list[float]) -> Record:
    try:
        found = fitted_exponent(missing, measured)
    except FedboundsError:  # zero somewhere
        fit = None
    else:
        fit = {"exponent": found.slope, "low": float(found.low), "high": float(found.high)}
    return {
        "name": label,
        "parameter": "1 - p",
        "quantity": name.value,
        "values": missing,
        "measured": measured,
        "fit": fit,
    }
