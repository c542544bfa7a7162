"""Which cases judge the claims about FedPLT."""

from collections.abc import Iterator

from ..case import Case
from ..profile import Profile
from .displays import displays as displays
from .ladders import ladder_cases
from .long_runs_plan import long_cases
from .small_plan import cases as small_cases


def cases(profile: Profile, seed: int) -> Iterator[Case]:
    """Every case of a profile: exact ones first, then long runs and their ladders."""
    yield from small_cases(profile, seed)
    yield from long_cases(profile, seed)
    yield from ladder_cases(profile, seed)
