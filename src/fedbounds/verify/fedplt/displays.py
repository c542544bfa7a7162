"""Measured scalings beside the claims that predict them: shown, never a verdict."""

from typing import Any

from ..profile import Profile
from .ladders import ladder_records, rate_records

Record = dict[str, Any]
_RATES = ("fedplt/decaying-step", "fedplt/exact-convergence")


def displays(profile: Profile) -> dict[str, list[Record]]:
    """Per claim its ladders, in the shape of a judged one."""
    rates = [_rate(found) for found in rate_records(profile)]
    return {
        "fedplt/constant-step-floor": [_floor(found) for found in ladder_records(profile)],
        **dict.fromkeys(_RATES, rates),
    }


def _floor(found: Record) -> Record:
    series = {"floor of D^t": found["measured"], "bound on it": found["bound"]}
    fit = found["measured_fit"] and found["measured_fit"] | {
        "series": "floor of D^t",
        "symbolic": found["symbolic"],
    }
    return _shown(found["name"], found["parameter"], found["values"], series, fit)


def _rate(found: Record) -> Record:
    fit = found["last_decade"] and found["last_decade"] | {
        "series": "D^t",
        "symbolic": found["symbolic"],
    }
    return _shown(found["name"], "t", found["rounds"], {"D^t": found["measured"]}, fit)


def _shown(name: str, parameter: str, values: Any, series: Any, fit: Record | None) -> Record:
    return {
        "problem": {"instance": name},
        "algorithm": f"FedPLT ladder in {parameter}",
        "verdict": "shown",
        "ladder": {"parameter": parameter, "values": values, "series": series, "fit": fit},
    }
