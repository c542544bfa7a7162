"""Where claims were examined: one line per claim, and one column per reading of a claim."""

from collections.abc import Sequence
from typing import Any

from ..judge.standing import RANGES
from .numbers import NONE, span

Record = dict[str, Any]

CORNERS = ("m=1", "m=n", "n=2", "K=1", "T=1")
_NAMES = {"gamma L K": "γLK", "L/mu": "L/μ", "b^2": "b²"}
COVERED = (
    "instances",
    *(_NAMES.get(name, name) for name in RANGES),
    "corners not met",
    "instances by method",
)


def coverage_table(claims: Sequence[Record]) -> list[tuple[Record, tuple[str, ...]]]:
    """Per claim, where its headline reading was examined: `COVERED` in words."""
    found = []
    for claim in claims:
        met = claim["readings"][0]["coverage"]
        ranges, corners = met["ranges"], met["corners"]
        cells = [str(met["instances"])]
        cells += [span(ranges[name]) if name in ranges else NONE for name in RANGES]
        cells.append(", ".join(c for c in CORNERS if c not in corners) or "none")
        cells.append(", ".join(f"{name} {n}" for name, n in met["methods"].items()) or NONE)
        found.append((claim, tuple(cells)))
    return found


def coverage(reading: Record) -> dict[str, str]:
    """Where one reading was examined, by name."""
    found = reading["coverage"]
    met = found["corners"]
    ranges = found["ranges"]
    return {
        "instances examined": str(found["instances"]),
        **{_NAMES.get(name, name): span(ranges[name]) for name in RANGES if name in ranges},
        "corners met": ", ".join(met) or "none",
        "corners not met": ", ".join(c for c in CORNERS if c not in met) or "none",
    }
