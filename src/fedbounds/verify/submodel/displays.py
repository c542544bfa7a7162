"""Measured powers of 1 - p beside the claims that speak of them: shown, never a verdict."""

from typing import Any

from fedbounds.vocabulary import Quantity

from ..profile import Profile
from .objective_ladders_exponents import exponent_records

Record = dict[str, Any]
_CLAIMS = {
    Quantity.RESIDUAL: "submodel/claim-residual",
    Quantity.MASK_VARIANCE: "submodel/claim-variance",
    Quantity.DISSIMILARITY_POINT: "submodel/claim-def2",
}


def displays(profile: Profile) -> dict[str, list[Record]]:
    """Per claim its ladders, in the shape of a judged one; the same in every profile."""
    found: dict[str, list[Record]] = {claim: [] for claim in _CLAIMS.values()}
    for record in exponent_records():
        name = record["quantity"]
        fit = record["fit"] and record["fit"] | {"series": name, "symbolic": None}
        ladder = {
            "parameter": record["parameter"],
            "values": record["values"],
            "series": {name: record["measured"]},
            "fit": fit,
        }
        found[_CLAIMS[Quantity(name)]].append(
            {
                "problem": {"instance": record["name"]},
                "algorithm": "masked objective ladder in 1 - p",
                "verdict": "shown",
                "ladder": ladder,
            }
        )
    return found
