"""Which cases judge the claims about FedPLT."""

from collections.abc import Iterator
from typing import Any

from ..case import Case
from ..profile import Profile
from ..setups import ladders
from ..setups.plan import planned
from .random_runs import random_cases, random_long_cases

_NAME = "FedPLT"


def cases(profile: Profile, seed: int) -> Iterator[Case]:
    """Every case of a profile: planned, random, and the first of every ladder."""
    yield from planned("fedplt", _NAME, profile)
    yield from random_cases(profile, seed)
    yield from random_long_cases(profile, seed)
    yield from ladders.ladder_cases("fedplt", _NAME, profile)


def displays(profile: Profile) -> dict[str, list[dict[str, Any]]]:
    """Measured scalings beside the claims that predict them."""
    return ladders.displays("fedplt", _NAME, profile)
