"""Numbers to evaluate and decide on: floats, exact rationals and balls."""

import numpy as np
from flint import arb, fmpq

from fedbounds.verify.measure.evaluate import Numbers


def in_rationals(values, series):
    return Numbers(
        {name: fmpq(x.numerator, x.denominator) for name, x in values.items()},
        {k: object_array([fmpq(x.numerator, x.denominator) for x in v]) for k, v in series.items()},
        lambda p, q: fmpq(p, q),
    )


def in_floats(values, series):
    return Numbers(
        {name: float(x) for name, x in values.items()},
        {k: np.array([float(x) for x in v]) for k, v in series.items()},
    )


def in_balls(values, series):
    exact = in_rationals(values, series)
    return Numbers(
        {k: x if k == "T" else arb(x) for k, x in exact.constants.items()},
        {k: object_array([arb(x) for x in v]) for k, v in exact.series.items()},
        lambda p, q: arb(fmpq(p, q)),
    )


def object_array(values):
    values = list(values)
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def exact(left, right, **constants):
    """G_u = left and G_v = right, per round, in rationals."""
    return Numbers(
        {"T": fmpq(len(left))} | {k: fmpq(v) for k, v in constants.items()},
        {"G_u": object_array(map(fmpq, left)), "G_v": object_array(map(fmpq, right))},
        lambda p, q: fmpq(p, q),
    )


def floats(left, right, error=0.0, **constants):
    """The same in floats, which are that far off at most."""
    series = {"G_u": np.asarray(left, dtype=float), "G_v": np.asarray(right, dtype=float)}
    errors = {x: np.broadcast_to(error, y.shape) for x, y in series.items()}
    return Numbers({"T": float(len(series["G_u"]))} | constants, series, errors=errors)
