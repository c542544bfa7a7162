"""Which cases judge the claims about sub-model training."""

from collections.abc import Iterator

from ..case import Case
from ..profile import Profile
from ..setups.chance import drawn_cases
from ..setups.plan import planned
from . import stability


def cases(profile: Profile, seed: int) -> Iterator[Case]:
    """Every case of a profile."""
    yield from stability.cases(profile, seed)
    yield from drawn_cases("submodel", "", profile, seed)
    yield from planned("submodel", "", profile)
