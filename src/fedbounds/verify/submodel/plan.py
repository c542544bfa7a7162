"""Which cases judge the claims about sub-model training."""

from collections.abc import Iterator
from typing import Any

from ..case import Case
from ..profile import Profile
from ..setups import ladders
from ..setups.plan import planned
from . import objectives, side_by_side, stability


def cases(profile: Profile, seed: int) -> Iterator[Case]:
    """Every case of a profile."""
    yield from stability.cases(profile, seed)
    yield from objectives.cases(profile, seed)
    yield from planned("submodel", "", profile)
    yield from side_by_side.cases(profile, seed)


def displays(profile: Profile) -> dict[str, list[dict[str, Any]]]:
    """Measured powers of 1 - p beside the claims that speak of them."""
    return ladders.displays("submodel", "masked objective", profile)
